//! A conversation: what was said so far, and what happens on each line and
//! each event.

mod commands;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, after, never, select, unbounded};

use crate::engine::{Engine, Event, OptionId};
use crate::protocol::{Command, Dialect, Info, Protocol, Ranks, Reply};
use crate::util::decoded;

use super::console;
use super::lines::read_lines;
use super::output::Output;
use super::translate::{self, ReplyStyle};

/// How long the end of a search is waited for at the end of a session of UCCI,
/// which wants `bye` within 100 ms.
const UCCI_SHUTDOWN_TIME: Duration = Duration::from_millis(80);
/// The same elsewhere: a script that sends `go` and `quit` at once wants the move,
/// and a search that has just begun may wait for memory first.
const SHUTDOWN_TIME: Duration = Duration::from_secs(1);
/// How long a job is silent at most: a closed output shows when it is written
/// to.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two looks whether an output that was full is read again.
const FULL_INTERVAL: Duration = Duration::from_millis(50);

/// What the threads behind a session send to it.
pub enum Message {
    Search(Event),
    /// Lines from a job, as they are to be shown.
    Text(String),
    /// The last lines of a job, which is done.
    JobDone(String),
}

enum State {
    Idle,
    Searching(Search),
    /// Counting moves or running the benchmark, until the flag is set.
    Working {
        stop: Arc<AtomicBool>,
        began: Instant,
    },
}

/// What is to be remembered of a running search.
#[derive(Default)]
struct Search {
    /// It was sent `stop`: its end is a matter of milliseconds.
    stopping: bool,
    /// The user knows that its score rests on the repetition rules.
    rule_reported: bool,
}

/// Whether the conversation goes on; an error means that the output is closed.
type Flow = io::Result<ControlFlow<()>>;

pub struct Session {
    engine: Engine,
    lines: Receiver<Vec<u8>>,
    sender: Sender<Message>,
    messages: Receiver<Message>,
    output: Output,
    state: State,
    /// Lines that came while a job was at work: it is a command that takes its
    /// time, so the next ones wait, as scripts for other engines expect.
    waiting: VecDeque<Vec<u8>>,
    ended: bool,
    /// The protocol that was opened; none for a person, who gets the console.
    opened: Option<Protocol>,
    person: bool,
}

impl Session {
    pub fn new(
        engine: Engine,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        person: bool,
    ) -> io::Result<Session> {
        let (sender, messages) = unbounded();
        Ok(Session {
            engine,
            lines: read_lines(input)?,
            sender,
            messages,
            output: Output::new(output)?,
            state: State::Idle,
            waiting: VecDeque::new(),
            ended: false,
            opened: None,
            person,
        })
    }

    pub fn run(mut self) {
        // an output that is closed needs no explanation
        let _ = self.converse();
        self.stop();
        self.output.finish();
    }

    fn converse(&mut self) -> io::Result<()> {
        if self.person {
            self.output.text(&console::banner())?;
        }
        while self.step()?.is_continue() {}
        self.shut_down()
    }

    /// Waits for the next line or message and deals with it. Messages come first: a
    /// line that follows the end of a search shall not find it running.
    fn step(&mut self) -> Flow {
        if let Ok(message) = self.messages.try_recv() {
            self.report(message)?;
            return Ok(Continue(()));
        }
        let must_wait = self.lines_must_wait();
        if !must_wait && !self.is_working() {
            match self.waiting.pop_front() {
                Some(line) => return self.handle_line(&line),
                None if self.ended && self.is_idle() => return Ok(Break(())),
                None => {}
            }
        }
        let lines = if self.ended || must_wait { never() } else { self.lines.clone() };
        let tick = match &self.state {
            _ if self.output.is_full() => after(FULL_INTERVAL),
            State::Working { .. } => after(PROGRESS_INTERVAL),
            _ => never(),
        };
        select! {
            recv(lines) -> line => match line {
                Ok(line) if self.is_working() => self.handle_line_while_working(line),
                Ok(line) => self.handle_line(&line),
                Err(_) => {
                    self.ended = true;
                    self.end_of_input()
                }
            },
            recv(self.output.closed()) -> _ => Ok(Break(())),
            recv(tick) -> _ => self.report_progress(),
            recv(self.messages) -> message => {
                // the session holds a sender itself, so the channel is open
                if let Ok(message) = message {
                    self.report(message)?;
                }
                Ok(Continue(()))
            }
        }
    }

    /// Nobody may be there any more, so that all that runs is stopped, but in batch mode.
    fn end_of_input(&mut self) -> Flow {
        match self.is_working() {
            true if self.is_batch() => return Ok(Continue(())),
            true => self.output.message(
                "the input has ended; after `setoption name Batch value true` what runs would \
                 go on",
            )?,
            false => {}
        }
        Ok(Break(()))
    }

    /// Whether lines have to wait: while nobody reads the answers; in batch mode until a search ends, else
    /// only for the end of one that was sent `stop`. Many programs send the
    /// next position without waiting for the move they do not want any more.
    fn lines_must_wait(&self) -> bool {
        match &self.state {
            _ if self.output.is_full() => true,
            State::Idle => false,
            State::Searching(search) => search.stopping || self.is_batch(),
            State::Working { stop, .. } => stop.load(Ordering::Relaxed),
        }
    }

    fn is_batch(&self) -> bool {
        self.engine.settings().is_on(OptionId::Batch)
    }

    fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    fn is_working(&self) -> bool {
        matches!(self.state, State::Working { .. })
    }

    fn is_ucci(&self) -> bool {
        self.opened == Some(Protocol::Ucci)
    }

    /// Deals with a line that comes while a job is at work: it can be stopped,
    /// and all else waits for it, in batch mode `quit` too.
    fn handle_line_while_working(&mut self, line: Vec<u8>) -> Flow {
        match Command::parse(&line, self.output.dialect) {
            // for the `go` that waits as well, or that would never end
            Ok(Command::Stop) if self.go_waits() => {
                self.waiting.push_back(line);
                if !self.is_batch() {
                    self.stop();
                }
                Ok(Continue(()))
            }
            Ok(Command::Stop | Command::IsReady) => self.handle_line(&line),
            Ok(Command::Quit) if !self.is_batch() => self.handle_line(&line),
            _ => {
                self.waiting.push_back(line);
                Ok(Continue(()))
            }
        }
    }

    /// Whether a `go` waits for the end of a job.
    fn go_waits(&self) -> bool {
        let dialect = self.output.dialect;
        self.waiting.iter().any(|line| matches!(Command::parse(line, dialect), Ok(Command::Go(_))))
    }

    fn handle_line(&mut self, line: &[u8]) -> Flow {
        self.output.log_input(line)?;
        // paths may be in the encoding of an old Chinese GUI
        let line = decoded(line);
        let line = line.as_bytes();
        let dialect = self.dialect_of(line);
        match Command::parse(line, dialect) {
            Ok(Command::Quit) => return Ok(Break(())),
            Ok(Command::Position(setup)) if self.is_idle() => {
                self.set_position(&setup, line, dialect)?;
            }
            Ok(command) => {
                self.output.dialect = dialect;
                self.handle_command(command)?;
            }
            Err(error) if sets_position(line) => {
                let text = format!("position rejected: {error} (previous position kept)");
                self.output.message(text)?;
            }
            Err(error) => self.output.message(error.to_string())?,
        }
        Ok(Continue(()))
    }

    /// How moves are numbered in what is written.
    fn ranks(&self) -> Ranks {
        self.output.dialect.ranks
    }

    /// The dialect of a line: UCCI numbers the ranks from 0, UCI as the user says or
    /// the line shows.
    fn dialect_of(&self, line: &[u8]) -> Dialect {
        let dialect = self.output.dialect;
        match self.engine.settings().lowest_rank() {
            Some(0) => dialect.with_ranks(Ranks::Zero),
            Some(_) => dialect.with_ranks(Ranks::One),
            None if self.is_ucci() => dialect,
            None => dialect.for_line(line),
        }
    }

    fn report_progress(&mut self) -> Flow {
        if let State::Working { began, .. } = self.state {
            let time = Some(began.elapsed().as_millis() as u64);
            self.output.reply(&Reply::Info(Info { time, ..Info::default() }))?;
        }
        Ok(Continue(()))
    }

    fn stop(&mut self) {
        match &mut self.state {
            State::Idle => {}
            State::Searching(search) => {
                search.stopping = true;
                self.engine.stop();
            }
            State::Working { stop, .. } => stop.store(true, Ordering::Relaxed),
        }
    }

    /// A program that has lost track sends `stop` and waits for an answer.
    fn stop_on_demand(&mut self) -> io::Result<()> {
        if self.is_idle() && self.is_ucci() {
            return self.output.reply(&Reply::NoBestMove);
        }
        self.stop();
        Ok(())
    }

    fn report(&mut self, message: Message) -> io::Result<()> {
        match message {
            Message::Text(text) => self.output.text(&text),
            Message::JobDone(text) => {
                self.state = State::Idle;
                self.output.text(&text)
            }
            Message::Search(event) => self.report_search(&event),
        }
    }

    fn report_search(&mut self, event: &Event) -> io::Result<()> {
        if matches!(event, Event::Done(_)) {
            self.pass_remarks()?;
        }
        let settings = self.engine.settings();
        let style = ReplyStyle {
            position: self.engine.game().position(),
            ucci: self.is_ucci(),
            show_wdl: settings.is_on(OptionId::ShowWdl),
            many_lines: settings.number(OptionId::MultiPv) > 1,
            ranks: self.ranks(),
        };
        for reply in translate::replies_to(event, style) {
            self.output.reply(&reply)?;
        }
        match (event, &mut self.state) {
            (Event::Done(_), state) => *state = State::Idle,
            (Event::Line(line), State::Searching(search))
                if line.score.is_by_rule() && !search.rule_reported =>
            {
                search.rule_reported = true;
                let verdict = if line.score.is_win() { "won" } else { "lost" };
                self.output.message(format!("{verdict} by the repetition rules, not by mate"))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes what a search or a job that was cut short has to say, and `bye`.
    fn shut_down(&mut self) -> io::Result<()> {
        self.stop();
        let patience = if self.is_ucci() { UCCI_SHUTDOWN_TIME } else { SHUTDOWN_TIME };
        let deadline = Instant::now() + patience;
        while !self.is_idle() {
            let Ok(message) = self.messages.recv_deadline(deadline) else { break };
            self.report(message)?;
        }
        if self.is_ucci() { self.output.reply(&Reply::Bye) } else { Ok(()) }
    }
}

/// Whether a line that makes no sense was meant to set a position.
fn sets_position(line: &[u8]) -> bool {
    let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
    let openers: [&[u8]; 3] = [b"position", b"fen", b"startpos"];
    word.is_some_and(|word| openers.iter().any(|opener| word.eq_ignore_ascii_case(opener)))
}
