//! An engine in a process of its own, spoken to in UCI.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hanxin::board::{Move, Square};
use hanxin::protocol::{Command, Dialect, Go, MoveText, Protocol, Reply, Setup, Start};

/// A running engine; it ends with its owner.
pub struct Engine {
    path: PathBuf,
    child: Child,
    stdin: ChildStdin,
    replies: Receiver<Reply>,
}

/// An engine that needs longer than this for an answer is taken for dead.
const PATIENCE: Duration = Duration::from_secs(60);

impl Engine {
    /// Starts a program and sets its options, given as `name=value`.
    ///
    /// # Errors
    /// When it does not start or does not answer as UCI wants.
    pub fn start(path: &Path, options: &[String]) -> Result<Engine> {
        let process = Process::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = process.with_context(|| format!("cannot start {}", path.display()))?;
        let stdin = child.stdin.take().context("a pipe was asked for")?;
        let stdout = child.stdout.take().context("a pipe was asked for")?;
        let (sender, replies) = channel();
        std::thread::spawn(move || listen(stdout, &sender));
        let mut engine = Engine { path: path.to_owned(), child, stdin, replies };
        engine.send(&Command::Hello(Protocol::Uci))?;
        engine.await_reply(|reply| matches!(reply, Reply::UciOk).then_some(()))?;
        for option in options {
            let (name, value) = option
                .split_once('=')
                .with_context(|| format!("option '{option}': want name=value"))?;
            let (name, value) = (name.to_owned(), Some(value.to_owned()));
            engine.send(&Command::SetOption { name, value })?;
        }
        engine.ready()?;
        Ok(engine)
    }

    /// Tells it that another game begins.
    ///
    /// # Errors
    /// When it is gone.
    pub fn new_game(&mut self) -> Result<()> {
        self.send(&Command::NewGame)?;
        self.ready()
    }

    /// Its move after `moves` from the initial position.
    ///
    /// # Errors
    /// When it is gone or answers without a move.
    pub fn search(&mut self, moves: impl Iterator<Item = Move>, nodes: u64) -> Result<Move> {
        let moves = moves.map(text_of).collect::<Option<_>>();
        let moves = moves.context("every square has a name")?;
        self.send(&Command::Position(Setup { start: Start::Startpos, moves }))?;
        self.send(&Command::Go(Go { nodes: Some(nodes), ..Go::default() }))?;
        let best = self.await_reply(|reply| match reply {
            Reply::BestMove(best) => Some(Some(best.best)),
            Reply::NoBestMove | Reply::GarbledMove(_) => Some(None),
            _ => None,
        })?;
        let best = best.and_then(move_of);
        best.with_context(|| format!("{} gives no move", self.path.display()))
    }

    fn ready(&mut self) -> Result<()> {
        self.send(&Command::IsReady)?;
        self.await_reply(|reply| matches!(reply, Reply::ReadyOk).then_some(()))
    }

    fn send(&mut self, command: &Command) -> Result<()> {
        let sent = writeln!(self.stdin, "{}", command.to_line(Dialect::UCI));
        sent.with_context(|| format!("{} listens no more", self.path.display()))
    }

    /// Waits until something is found.
    fn await_reply<T>(&mut self, find: impl Fn(Reply) -> Option<T>) -> Result<T> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let reply = self.replies.recv_timeout(left);
            let reply =
                reply.with_context(|| format!("{} does not answer", self.path.display()))?;
            if let Some(found) = find(reply) {
                return Ok(found);
            }
        }
    }
}

/// Passes on what an engine says until it or the listener is gone.
fn listen(stdout: ChildStdout, replies: &Sender<Reply>) {
    for line in BufReader::new(stdout).split(b'\n').map_while(std::io::Result::ok) {
        if replies.send(Reply::parse(&line, Dialect::UCI)).is_err() {
            return;
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // an engine that is gone already is no trouble
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text_of(m: Move) -> Option<MoveText> {
    let [from, to] = [m.from(), m.to()].map(|square| (square.file(), square.rank()));
    MoveText::new(from, to)
}

fn move_of(text: MoveText) -> Option<Move> {
    let square = |(file, rank)| Square::new(file, rank);
    Move::new(square(text.from())?, square(text.to())?)
}
