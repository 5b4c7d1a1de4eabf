//! A conversation: what was said so far, and what happens on each line and
//! each event.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, after, never, select, unbounded};

use crate::board::{Color, MAX_PERFT_DEPTH, excerpt};
use crate::engine::{Engine, EngineError, Event, OptionId};
use crate::protocol::{
    Command, Dialect, Go, Info, Mates, ParseError, Protocol, Ranks, Reply, Setup,
};
use crate::rules::PlayError;
use crate::score::{Bound, Score};
use crate::search::Limits;
use crate::util::decoded;

use super::console;
use super::job::{self, Work};
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

    /// Waits for the next line or message and deals with it.
    fn step(&mut self) -> Flow {
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
                    Ok(if self.is_working() && self.is_batch() { Continue(()) } else { Break(()) })
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

    /// Commands that are understood at any time; the others only while idle.
    fn handle_command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Blank | Command::Quit => Ok(()),
            Command::IsReady => {
                self.engine.prepare();
                self.output.reply(&Reply::ReadyOk)
            }
            Command::Stop => self.stop_on_demand(),
            Command::PonderHit { draw } => {
                self.engine.ponder_hit(draw);
                Ok(())
            }
            Command::Probe(setup) => self.probe(&setup),
            Command::Unknown(text) => {
                self.report_unknown(&format!("unknown command `{}`", excerpt(&text)))
            }
            command if self.is_idle() => self.handle_idle_command(command),
            command => self.refuse(&command),
        }
    }

    fn handle_idle_command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Hello(protocol) => self.handshake(protocol)?,
            Command::NewGame => self.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Debug(on) => self.set_option("debug", Some(if on { "on" } else { "off" }))?,
            Command::BanMoves { moves, fault } => {
                self.engine.ban_moves(&moves);
                self.report_left_out(fault)?;
            }
            Command::Go(go) => self.go(go)?,
            Command::Bench(depth) => self.work(Work::Bench { depth: depth.trim().parse().ok() })?,
            Command::Flip => self.engine.flip(),
            Command::Display => self.output.text(&console::display(&self.engine))?,
            Command::Tables => self.output.text(&console::tables(&self.engine, self.ranks()))?,
            Command::Book => self.output.text(&console::book(&self.engine, self.ranks()))?,
            Command::Eval => self.output.text(&console::evaluation(&self.engine))?,
            Command::Moves => {
                let position = self.engine.game().position();
                self.output.text(&console::moves(position, self.ranks()))?;
            }
            Command::Help => self.output.text(&console::help())?,
            // dealt with by `handle_line` and `handle_command`
            _ => {}
        }
        Ok(())
    }

    /// A command that has to wait for the end of the search, which the
    /// protocols want to be ignored.
    fn refuse(&mut self, command: &Command) -> io::Result<()> {
        let line = command.to_line(self.output.dialect);
        let is_reported = matches!(command, Command::Go(_)) || !self.is_ucci();
        if is_reported || self.engine.settings().is_on(OptionId::Debug) {
            self.output
                .message(format!("`{}` ignored while thinking; `stop` first", excerpt(&line)))?;
        }
        Ok(())
    }

    /// Reports what means nothing, to a person or in debug mode.
    fn report_unknown(&mut self, what: &str) -> io::Result<()> {
        if self.person || self.engine.settings().is_on(OptionId::Debug) {
            self.output.message(format!("{what} ignored; `help` lists what there is"))?;
        }
        Ok(())
    }

    /// Reports a word that was passed over, the others being taken.
    fn report_left_out(&mut self, fault: Option<ParseError>) -> io::Result<()> {
        fault.map_or(Ok(()), |fault| self.output.message(format!("{fault} (left out)")))
    }

    fn handshake(&mut self, protocol: Protocol) -> io::Result<()> {
        self.opened = Some(protocol);
        self.output.dialect = Dialect { protocol, ..Dialect::UCI };
        self.set_mates();
        translate::introduction(protocol).iter().try_for_each(|reply| self.output.reply(reply))
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let log_file = self.engine.settings().text(OptionId::LogFile).to_owned();
        match self.engine.set_option(name, value) {
            Err(error) if error.is_unknown_option() => {
                return self.report_unknown(&format!("unknown option `{}`", excerpt(name)));
            }
            Err(error) => self.output.message(error.to_string())?,
            Ok(()) => {
                self.set_mates();
                self.pass_remarks()?;
            }
        }
        let new_file = self.engine.settings().text(OptionId::LogFile);
        if new_file != log_file
            && let Err(error) = self.output.log_to(new_file)
        {
            let text = format!("no log: '{}' cannot be written ({error})", excerpt(new_file));
            self.output.message(text)?;
            // the same line may be sent again; the old name was accepted before
            let _ = self.engine.set_option(name, Some(&log_file));
        }
        Ok(())
    }

    /// Names the tables that cannot be used, and the ranks that take no part.
    fn pass_remarks(&mut self) -> io::Result<()> {
        self.engine.take_remarks().into_iter().try_for_each(|text| self.output.message(text))
    }

    fn set_mates(&mut self) {
        let keyword = self.engine.settings().is_on(OptionId::MateScores);
        self.output.dialect.mates = if keyword { Mates::Keyword } else { Mates::Number };
    }

    /// Sets the position of a line. The line itself is wanted if its moves
    /// make no sense with ranks from 0 and the program is of the kind that
    /// counts them from 1. The numbering that made sense is spoken from now on.
    fn set_position(&mut self, setup: &Setup, line: &[u8], dialect: Dialect) -> io::Result<()> {
        let Err(error) = self.try_position(setup) else {
            self.output.dialect = dialect;
            // UCCI: the position that the moves before it lead to counts
            return setup.fault.as_ref().map_or(Ok(()), |fault| {
                self.output.message(format!("{fault} (position before it kept)"))
            });
        };
        let one = dialect.with_ranks(Ranks::One);
        if !self.is_ucci()
            && self.engine.settings().was_set(OptionId::Variant)
            && self.engine.settings().lowest_rank().is_none()
            && let Ok(Command::Position(setup)) = Command::parse(line, one)
            && self.try_position(&setup).is_ok()
        {
            self.output.dialect = one;
            return Ok(());
        }
        if self.is_ucci()
            && let EngineError::Play(fault @ PlayError::Illegal { number, .. }) = &error
            && self.engine.set_position(setup.start.fen(), &setup.moves[..number - 1]).is_ok()
        {
            self.output.dialect = dialect;
            let text = fault_text(fault, dialect.ranks);
            return self.output.message(format!("{text} (position before it kept)"));
        }
        self.output.message(message_of(&error, dialect.ranks))
    }

    fn try_position(&mut self, setup: &Setup) -> Result<(), EngineError> {
        self.engine.set_position(setup.start.fen(), &setup.moves)
    }

    fn probe(&mut self, setup: &Setup) -> io::Result<()> {
        if let Some(fault) = &setup.fault {
            return self.output.message(fault.to_string());
        }
        match self.engine.probe(setup.start.fen(), &setup.moves) {
            Ok(entry) => self.output.reply(&Reply::PopHash(translate::pop_hash(entry))),
            Err(error) => self.output.message(message_of(&error, self.ranks())),
        }
    }

    fn go(&mut self, mut go: Go) -> io::Result<()> {
        if let Some(word) = &go.skipped {
            self.report_unknown(&format!("`{word}` after `go`"))?;
        }
        self.report_left_out(go.fault.clone())?;
        let position = self.engine.game().position();
        if let Some(&illegal) = go.searchmoves.iter().find(|&&m| !position.is_legal(m)) {
            go.searchmoves.retain(|&m| position.is_legal(m));
            let word = self.ranks().spell(illegal);
            self.output.message(format!("searchmoves: {word} is not legal here (left out)"))?;
        }
        if let Some(depth) = go.perft {
            if depth > MAX_PERFT_DEPTH {
                return self.output.message(format!(
                    "perft {depth} would never end; the depth is at most {MAX_PERFT_DEPTH}"
                ));
            }
            return self.work(Work::Perft { depth });
        }
        if self.is_ucci() && go.depth == Some(0) {
            return self.report_static_value();
        }
        let settings = self.engine.settings();
        let seconds = self.is_ucci() && !settings.is_on(OptionId::UseMilliseconds);
        let unit = if seconds { Duration::from_secs(1) } else { Duration::from_millis(1) };
        let red_to_move = self.engine.game().position().side_to_move() == Color::Red;
        let draw_offered = go.draw;
        self.search(translate::limits_of(go, red_to_move, unit), draw_offered)
    }

    fn search(&mut self, mut limits: Limits, draw_offered: bool) -> io::Result<()> {
        if self.is_batch() {
            translate::limit_for_batch(&mut limits);
        }
        let sender = self.sender.clone();
        let observer = Arc::new(move |event| {
            // the session may be over
            let _ = sender.send(Message::Search(event));
        });
        self.pass_remarks()?;
        match self.engine.go(limits, draw_offered, observer) {
            Ok(()) => self.state = State::Searching(Search::default()),
            Err(error) => self.output.message(error.to_string())?,
        }
        Ok(())
    }

    /// UCCI's `go depth 0`.
    fn report_static_value(&mut self) -> io::Result<()> {
        let score = Some((Score::from_centipawns(self.engine.evaluate()), Bound::Exact));
        self.output.reply(&Reply::Info(Info { depth: Some(0), score, ..Info::default() }))?;
        self.output.reply(&Reply::NoBestMove)
    }

    fn work(&mut self, work: Work) -> io::Result<()> {
        let stop = Arc::new(AtomicBool::new(false));
        let position = self.engine.game().position().clone();
        let threads = self.engine.threads();
        let ranks = self.ranks();
        let sender = self.sender.clone();
        if let Err(error) = job::begin(work, position, threads, ranks, Arc::clone(&stop), sender) {
            return self.output.message(format!("the system gives no thread for it ({error})"));
        }
        self.state = State::Working { stop, began: Instant::now() };
        Ok(())
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

/// What an error says, with the move of a list as its line spells it.
fn message_of(error: &EngineError, ranks: Ranks) -> String {
    match error {
        EngineError::Play(fault) => {
            error.to_string().replacen(&fault.to_string(), &fault_text(fault, ranks), 1)
        }
        _ => error.to_string(),
    }
}

/// What is wrong with a move of a list.
fn fault_text(fault: &PlayError, ranks: Ranks) -> String {
    let (PlayError::Illegal { m, .. } | PlayError::AlreadyOver { m, .. }) = fault;
    fault.to_string().replacen(&m.to_string(), &ranks.spell(*m).to_string(), 1)
}
