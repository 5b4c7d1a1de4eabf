//! A conversation with an engine under test.

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::arena::engines::{BadOption, EngineSpec, NoEvent, Process, ReadMode, Settings, command};
use crate::board::{FenError, Move, Position};
use crate::protocol::{BestMove, Command, Dialect, Go, OptionDecl, Reply, Setup, Start};

/// How long an engine may take for what has no limit of its own.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// What an answer at once may take.
pub const AT_ONCE: Duration = Duration::from_millis(50);
/// What a busy machine may add to any time.
pub const SLACK: Duration = Duration::from_millis(150);

#[derive(Debug, thiserror::Error)]
pub enum Complaint {
    #[error("it does not start: {0}")]
    Start(#[from] io::Error),
    #[error(transparent)]
    Option(#[from] BadOption),
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error("it ended before {0}: {1}")]
    Ended(&'static str, String),
    #[error("no {0} within {ms} ms", ms = .1.as_millis())]
    Missing(&'static str, Duration),
    #[error("it runs on for {} ms", .0.as_millis())]
    RunsOn(Duration),
    #[error("{0}")]
    Wrong(String),
}

/// A complaint if something that is wrong was seen.
pub fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), Complaint> {
    if holds { Ok(()) } else { Err(Complaint::Wrong(fault())) }
}

/// A fresh process of the engine, and what it says.
pub struct Probe<'a> {
    process: Process<(Instant, String)>,
    pub dialect: Dialect,
    pub options: Vec<OptionDecl>,
    stop: &'a AtomicBool,
}

impl<'a> Probe<'a> {
    /// Starts the engine and goes through the handshake and its settings.
    pub fn open(spec: &EngineSpec, stop: &'a AtomicBool) -> Result<Probe<'a>, Complaint> {
        let mut probe = Probe::start(spec, stop)?;
        probe.greet()?;
        let settings = Settings::of(spec, &probe.options)?;
        settings.commands.iter().for_each(|command| probe.send(command));
        probe.ready(spec.startup)?;
        Ok(probe)
    }

    pub fn start(spec: &EngineSpec, stop: &'a AtomicBool) -> Result<Probe<'a>, Complaint> {
        let parse = |at, line: &[u8]| Some((at, String::from_utf8_lossy(line).into_owned()));
        let process = Process::start(command(spec), None, ReadMode::Always, Box::new(parse))?;
        Ok(Probe { process, dialect: spec.dialect(), options: Vec::new(), stop })
    }

    /// The handshake; returns how long it took.
    pub fn greet(&mut self) -> Result<Duration, Complaint> {
        let began = Instant::now();
        self.send(&Command::Hello(self.dialect.protocol));
        let mut options = Vec::new();
        self.wait_for(PATIENCE, "the end of the handshake", |reply, _| match reply {
            Reply::Option(option) => {
                options.push(option.clone());
                false
            }
            reply => matches!(reply, Reply::UcciOk | Reply::UciOk),
        })?;
        self.options = options;
        Ok(began.elapsed())
    }

    pub fn ready(&mut self, within: Duration) -> Result<(), Complaint> {
        self.send(&Command::IsReady);
        self.wait_for(within, "readyok", |reply, _| *reply == Reply::ReadyOk).map(|_| ())
    }

    pub fn send(&mut self, command: &Command) {
        self.write(&command.to_line(self.dialect));
    }

    pub fn write(&mut self, line: &str) {
        self.process.write(&format!("{line}\n"));
    }

    pub fn search(&mut self, position: &Position, go: Go) {
        let setup = Setup { start: Start::Fen(position.to_fen()), moves: Vec::new(), fault: None };
        self.send(&Command::Position(setup));
        self.send(&Command::Go(go));
    }

    /// Searches a position and checks the move.
    pub fn plays(&mut self, position: &Position, go: Go) -> Result<Move, Complaint> {
        self.search(position, go);
        self.best(PATIENCE, position)
    }

    pub fn wait_for(
        &mut self,
        within: Duration,
        what: &'static str,
        mut is_it: impl FnMut(&Reply, &str) -> bool,
    ) -> Result<Reply, Complaint> {
        let deadline = Instant::now() + within;
        loop {
            let reply = match self.process.next(Some(deadline), self.stop) {
                Ok((_, line)) => {
                    let reply = Reply::parse(line.as_bytes(), self.dialect);
                    if is_it(&reply, &line) {
                        return Ok(reply);
                    }
                    None
                }
                Err(reason) => Some(reason),
            };
            match reply {
                Some(NoEvent::Closed) => {
                    return Err(Complaint::Ended(what, self.process.post_mortem(AT_ONCE)));
                }
                None if Instant::now() < deadline => {}
                _ => return Err(Complaint::Missing(what, within)),
            }
        }
    }

    pub fn end(&mut self, within: Duration) -> Result<Reply, Complaint> {
        self.wait_for(within, "bestmove", |reply, _| is_end(reply))
    }

    /// Looks at every line of a search up to its end.
    pub fn each_line(
        &mut self,
        mut look: impl FnMut(&str) -> Result<(), Complaint>,
    ) -> Result<(), Complaint> {
        let mut found = Ok(());
        self.wait_for(PATIENCE, "bestmove", |reply, line| {
            found = look(line);
            found.is_err() || is_end(reply)
        })?;
        found
    }

    pub fn best(&mut self, within: Duration, position: &Position) -> Result<Move, Complaint> {
        let fault = match self.end(within)? {
            Reply::BestMove(BestMove { best, .. }) if position.is_legal(best) => return Ok(best),
            Reply::BestMove(BestMove { best, .. }) => {
                format!("{best} is illegal in {}", position.to_fen())
            }
            _ => format!("no move in {}, which has legal ones", position.to_fen()),
        };
        Err(Complaint::Wrong(fault))
    }

    /// Checks that the search does not end for a while.
    pub fn keeps_searching(&mut self, time: Duration) -> Result<(), Complaint> {
        match self.end(time) {
            Ok(_) => Err(Complaint::Wrong("the search ended by itself".into())),
            Err(Complaint::Missing(..)) => Ok(()),
            Err(complaint) => Err(complaint),
        }
    }

    /// Closes its input, which has to end it.
    pub fn close_input(&mut self, within: Duration) -> Result<(), Complaint> {
        self.process.end(within).map(|_| ()).ok_or(Complaint::RunsOn(within))
    }

    /// Checks that it ends by itself.
    pub fn ends(&mut self, within: Duration) -> Result<(), Complaint> {
        self.process.wait(within).map(|_| ()).ok_or(Complaint::RunsOn(within))
    }

    /// The end of what it has written to the standard error.
    pub fn error_tail(&self) -> String {
        self.process.error_tail()
    }
}

fn is_end(reply: &Reply) -> bool {
    matches!(reply, Reply::BestMove(_) | Reply::NoBestMove | Reply::GarbledMove(_))
}

pub fn depth(plies: u32) -> Go {
    Go { depth: Some(plies), ..Go::default() }
}

pub fn position_after(moves: &[&str]) -> Position {
    let mut position = Position::startpos();
    for m in moves.iter().filter_map(|text| text.parse().ok()) {
        position.make(m);
    }
    position
}
