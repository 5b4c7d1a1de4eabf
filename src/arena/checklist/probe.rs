//! A conversation with an engine under test.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::super::engine::{Attention, EngineSpec, Process, Settings, Silence, command};
use crate::board::{Move, Position};
use crate::protocol::{BestMove, Command, Dialect, Go, OptionDecl, Reply, Setup, Start};

/// How long an engine may take for what has no limit of its own.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// What a busy machine may add to any time.
pub const SLACK: Duration = Duration::from_millis(150);

/// A fresh process of the engine, and what it says.
pub struct Probe<'a> {
    process: Process<(Instant, String)>,
    pub dialect: Dialect,
    pub options: Vec<OptionDecl>,
    stop: &'a AtomicBool,
}

/// What is wrong, in words.
pub type Complaint = String;

impl<'a> Probe<'a> {
    /// Starts the engine and goes through the handshake and its settings.
    pub fn open(spec: &EngineSpec, stop: &'a AtomicBool) -> Result<Probe<'a>, Complaint> {
        let mut probe = Probe::start(spec, stop)?;
        probe.greet()?;
        let settings = Settings::of(spec, &probe.options)?;
        settings.commands.iter().for_each(|command| probe.tell(command));
        probe.ready(spec.startup)?;
        Ok(probe)
    }

    /// Only starts the engine.
    pub fn start(spec: &EngineSpec, stop: &'a AtomicBool) -> Result<Probe<'a>, Complaint> {
        let digest = |at, line: &[u8]| Some((at, String::from_utf8_lossy(line).into_owned()));
        let process = Process::start(command(spec), None, Attention::Always, Box::new(digest));
        let process = process.map_err(|error| format!("it does not start: {error}"))?;
        Ok(Probe { process, dialect: spec.dialect(), options: Vec::new(), stop })
    }

    /// The handshake; returns how long it took.
    pub fn greet(&mut self) -> Result<Duration, Complaint> {
        let began = Instant::now();
        self.tell(&Command::Hello(self.dialect.protocol));
        loop {
            let (at, reply) = self.reply(PATIENCE, "the end of the handshake")?;
            match reply {
                Reply::UcciOk | Reply::UciOk => return Ok(at - began),
                Reply::Option(option) => self.options.push(option),
                _ => {}
            }
        }
    }

    /// Asks whether it is ready and waits for the answer.
    pub fn ready(&mut self, within: Duration) -> Result<(), Complaint> {
        self.tell(&Command::IsReady);
        let answer = |reply: &Reply| matches!(reply, Reply::ReadyOk);
        self.expect(within, "readyok", answer).map(|_| ())
    }

    pub fn tell(&mut self, command: &Command) {
        self.say(&command.to_line(self.dialect));
    }

    pub fn say(&mut self, line: &str) {
        self.process.say(&format!("{line}\n"));
    }

    pub fn set_up(&mut self, position: &Position) {
        let setup = Setup { start: Start::Fen(position.to_fen()), moves: Vec::new() };
        self.tell(&Command::Position(setup));
    }

    pub fn go(&mut self, go: Go) {
        self.tell(&Command::Go(go));
    }

    /// The next line, as it is.
    pub fn line(&mut self, within: Duration) -> Result<String, Silence> {
        let deadline = Instant::now() + within;
        self.process.hear(Some(deadline), self.stop).map(|(_, line)| line)
    }

    fn reply(&mut self, within: Duration, what: &str) -> Result<(Instant, Reply), Complaint> {
        let deadline = Instant::now() + within;
        match self.process.hear(Some(deadline), self.stop) {
            Ok((at, line)) => Ok((at, Reply::parse(line.as_bytes(), self.dialect))),
            Err(Silence::Closed) => Err(format!("it ended before {what}")),
            Err(_) => Err(format!("no {what} within {} ms", within.as_millis())),
        }
    }

    /// Waits for a reply of a kind.
    pub fn expect(
        &mut self,
        within: Duration,
        what: &str,
        is_it: impl Fn(&Reply) -> bool,
    ) -> Result<Reply, Complaint> {
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.reply(left, what) {
                Ok((_, reply)) if is_it(&reply) => return Ok(reply),
                Ok(_) if !left.is_zero() => {}
                Ok(_) => return Err(format!("no {what} within {} ms", within.as_millis())),
                Err(complaint) if complaint.starts_with("no ") => {
                    return Err(format!("no {what} within {} ms", within.as_millis()));
                }
                Err(complaint) => return Err(complaint),
            }
        }
    }

    /// The end of a search.
    pub fn end(&mut self, within: Duration) -> Result<Reply, Complaint> {
        self.expect(within, "bestmove", is_end)
    }

    /// A legal move in a position.
    pub fn best(&mut self, within: Duration, position: &Position) -> Result<Move, Complaint> {
        match self.end(within)? {
            Reply::BestMove(BestMove { best, .. }) => {
                let is_legal = position.is_legal(best);
                let fault = || format!("{best} is illegal in {}", position.to_fen());
                is_legal.then_some(best).ok_or_else(fault)
            }
            _ => Err(format!("no move in {}, which has legal ones", position.to_fen())),
        }
    }

    /// Checks that the search does not end for a while.
    pub fn thinks_for(&mut self, time: Duration) -> Result<(), Complaint> {
        match self.end(time) {
            Ok(_) => Err("the search ended by itself".into()),
            Err(complaint) if complaint.starts_with("no ") => Ok(()),
            Err(complaint) => Err(complaint),
        }
    }

    /// Closes its input.
    pub fn hang_up(&mut self, within: Duration) -> Result<(), Complaint> {
        let ended = self.process.end(within);
        ended.map(|_| ()).ok_or_else(|| format!("it runs on for {} ms", within.as_millis()))
    }

    /// Checks that it ends by itself.
    pub fn ends(&mut self, within: Duration) -> Result<(), Complaint> {
        let ended = self.process.wait(within);
        ended.map(|_| ()).ok_or_else(|| format!("it runs on for {} ms", within.as_millis()))
    }

    /// The end of what it has written to the standard error.
    pub fn last_words(&self) -> String {
        self.process.last_words()
    }
}

/// Whether a search ends with this reply.
pub fn is_end(reply: &Reply) -> bool {
    matches!(reply, Reply::BestMove(_) | Reply::NoBestMove | Reply::GarbledMove(_))
}
