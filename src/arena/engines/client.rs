//! An engine and its process: started, set up, asked for moves, ended.

use std::iter;
use std::process::Command as Program;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use core_affinity::CoreId;

use super::event::{Event, EventParser};
use super::limits::Limits;
use super::pipe::{NoEvent, ReadMode};
use super::position_line::PositionLine;
use super::process::Process;
use super::settings::Settings;
use super::spec::EngineSpec;
use crate::arena::game::{Failure, GameClock, Player, Reply, SearchReport, SearchResult, Turn};
use crate::board::{Color, Move, Position};
use crate::protocol::{
    Clock, Clocks, Command, Go, MAX_MOVES_TO_GO, MAX_TIME, OptionDecl, Protocol,
};

/// How long an engine may take to end a search when it is sent `stop`, and to
/// end itself.
const GRACE: Duration = Duration::from_secs(2);

/// Gets all that is written and read: the engine's name, whether the line is
/// the engine's own, and the line.
pub type TrafficLog = Arc<dyn Fn(&str, bool, &[u8]) + Send + Sync>;

/// An engine and its process, if there is one.
pub struct EngineClient {
    spec: Arc<EngineSpec>,
    core: Option<CoreId>,
    log: Option<TrafficLog>,
    process: Option<Process<Event>>,
    declared: Vec<OptionDecl>,
    in_seconds: bool,
    position: PositionLine,
    /// What it ponders on: the line that sets that position.
    pondering: Option<String>,
    is_searching: bool,
}

impl Player for EngineClient {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn limits(&self) -> Limits {
        self.spec.limits
    }

    fn resigns_without_move(&self) -> bool {
        self.spec.protocol == Protocol::Ucci
    }

    /// Gets a process ready: a fresh one where the description says so or the
    /// last one is gone.
    fn new_game(&mut self, start: &Position, stop: &AtomicBool) -> Result<(), Failure> {
        self.position = PositionLine::new(start, self.spec.dialect(), self.spec.sends_all_moves());
        if self.spec.restart {
            self.quit();
        }
        if !self.process.as_mut().is_some_and(Process::is_alive) {
            self.start(stop)?;
        }
        self.send(&Command::NewGame);
        self.sync(stop)
    }

    /// Waits for the move up to the limit and its margin. An engine that says
    /// that there is none is asked once more without the history of the game
    /// if its description wants that.
    fn think(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<SearchResult, Failure> {
        self.position.follow(turn.game);
        let first = self.search(self.position.as_str().to_owned(), turn, Duration::ZERO, stop)?;
        if first.reply != Reply::NoMove || !self.spec.ask_again {
            return Ok(first);
        }
        let bare = PositionLine::new(turn.game.position(), self.spec.dialect(), true);
        let second = self.search(bare.as_str().to_owned(), turn, first.time, stop)?;
        Ok(SearchResult { begin: first.begin, time: first.time + second.time, ..second })
    }

    fn ponder(&mut self, turn: &Turn<'_>, expected: Move) {
        if !self.spec.ponder || self.spec.limits.clock.is_none() {
            return;
        }
        self.position.follow(turn.game);
        let mut position = self.position.clone();
        position.push(expected);
        self.drop_stale_events();
        self.is_searching = true;
        let side = !turn.game.position().side_to_move();
        let go = Go { ponder: true, ..self.limits_of(turn, side, Duration::ZERO) };
        self.write(&format!("{}\n{}\n", position.as_str(), self.line(&Command::Go(go))));
        self.pondering = Some(position.as_str().to_owned());
    }

    /// An engine that does not end its search is killed, to be started afresh
    /// when it is needed again.
    fn end_game(&mut self, stop: &AtomicBool) {
        if self.end_search(stop).is_err() {
            self.process = None;
        }
    }
}

impl EngineClient {
    /// An engine that has not been started, to be kept on a core of its own if
    /// one is given.
    pub fn new(
        spec: Arc<EngineSpec>,
        core: Option<CoreId>,
        log: Option<TrafficLog>,
    ) -> EngineClient {
        let position = PositionLine::new(&Position::startpos(), spec.dialect(), true);
        EngineClient {
            spec,
            core,
            log,
            process: None,
            declared: Vec::new(),
            in_seconds: false,
            position,
            pondering: None,
            is_searching: false,
        }
    }

    /// Starts the program, goes through the handshake and sets its options.
    /// Returns options that it did not declare.
    ///
    /// # Errors
    /// [`Failure::Start`] with what went wrong, or [`Failure::Stopped`].
    pub fn start(&mut self, stop: &AtomicBool) -> Result<Vec<String>, Failure> {
        self.pondering = None;
        self.is_searching = false;
        self.declared.clear();
        self.process = Some(self.spawn()?);
        let undeclared = self.set_up(stop);
        if undeclared.is_err() {
            self.process = None;
        }
        undeclared
    }

    fn set_up(&mut self, stop: &AtomicBool) -> Result<Vec<String>, Failure> {
        self.send(&Command::Hello(self.spec.protocol));
        let okay = format!("{}ok", self.spec.protocol.opener());
        self.wait_for(&Event::HandshakeDone, &okay, stop).map_err(as_start)?;
        let settings = Settings::of(&self.spec, &self.declared);
        let settings = settings.map_err(|error| Failure::Start(error.to_string()))?;
        self.in_seconds = settings.in_seconds;
        settings.commands.iter().for_each(|command| self.send(command));
        for line in self.spec.clone().init.iter() {
            self.write(&format!("{line}\n"));
        }
        self.sync(stop).map_err(as_start)?;
        Ok(settings.undeclared)
    }

    fn spawn(&self) -> Result<Process<Event>, Failure> {
        let spec = &self.spec;
        let mut parser = EventParser::new(spec.dialect());
        let (log, name) = (self.log.clone(), spec.name.clone());
        let parse = move |at: Instant, line: &[u8]| {
            if let Some(log) = &log {
                log(&name, true, line);
            }
            parser.parse(at, line)
        };
        // whoever ponders talks while nobody waits for it
        let mode = if spec.ponder { ReadMode::Always } else { ReadMode::WhenAsked };
        let started = Process::start(command(spec), self.core, mode, Box::new(parse));
        started.map_err(|error| {
            // the system says the same of a missing folder as of a missing program
            let folder = spec.folder.as_deref().filter(|folder| !folder.is_dir());
            let fault = folder.map_or(error.to_string(), |folder| {
                format!("there is no folder {}", folder.display())
            });
            Failure::Start(format!("cannot start {}: {fault}", spec.program().display()))
        })
    }

    /// Asks for a move; `spent` of its time is gone already.
    fn search(
        &mut self,
        position: String,
        turn: &Turn<'_>,
        spent: Duration,
        stop: &AtomicBool,
    ) -> Result<SearchResult, Failure> {
        let side = turn.game.position().side_to_move();
        // the opponent has moved: to end its pondering takes an engine its own time
        let begin = Instant::now();
        let lines = if self.pondering.as_ref() == Some(&position) {
            self.pondering = None;
            self.line(&Command::PonderHit { draw: self.passes_draw_on(turn) }) + "\n"
        } else {
            let mut spent = spent;
            if self.is_searching {
                self.end_search(stop)?;
                spent += begin.elapsed();
            }
            self.drop_stale_events();
            let limits = self.limits_of(turn, side, spent);
            let go = Go { draw: self.passes_draw_on(turn), ..limits };
            format!("{position}\n{}\n", self.line(&Command::Go(go)))
        };
        self.write(&lines);
        self.is_searching = true;
        let limit = self.time_limit(turn.clocks[side.index()]).saturating_sub(spent);
        self.wait_for_move(begin, limit, stop)
    }

    /// Asks the process to end, and kills it if it does not.
    pub fn quit(&mut self) {
        if self.process.is_some() {
            self.send(&Command::Quit);
        }
        if let Some(mut process) = self.process.take() {
            process.end(GRACE);
        }
    }

    /// UCI has no word for draws.
    fn passes_draw_on(&self, turn: &Turn<'_>) -> bool {
        turn.draw_offered && self.spec.dialect().is_ucci()
    }

    /// The limits as `side` gets them, `spent` of the time for this move being gone.
    fn limits_of(&self, turn: &Turn<'_>, side: Color, spent: Duration) -> Go {
        let limits = &self.spec.limits;
        let is_ucci = self.spec.dialect().is_ucci();
        let mut clocks = turn.clocks;
        let own = &mut clocks[side.index()];
        *own = own.map(|clock| clock.running(spent));
        let clock = |side: Color| clocks[side.index()].map(|clock| self.wire(clock));
        let (own, opponent) = (clock(side), clock(!side));
        let per_move = limits.per_move.map(|time| self.units(time.saturating_sub(spent)));
        let clocks = match (own, per_move) {
            (Some(own), _) if is_ucci => Some(Clocks::ByTurn { own, opponent }),
            (None, Some(time)) if is_ucci => {
                let own = Clock { time, increment: 0, moves_to_go: Some(1) };
                Some(Clocks::ByTurn { own, opponent: None })
            }
            (Some(own), _) => {
                // UCI has one word for the moves to go: those of whoever searches
                let clock = |side| clock(side).map(|c| Clock { moves_to_go: own.moves_to_go, ..c });
                Some(Clocks::BySide { red: clock(Color::Red), black: clock(Color::Black) })
            }
            _ => None,
        };
        Go {
            clocks,
            movetime: per_move.filter(|_| !is_ucci || own.is_some()),
            depth: limits.depth,
            nodes: limits.nodes,
            ..Go::default()
        }
    }

    fn wire(&self, clock: GameClock) -> Clock {
        Clock {
            // to some engines no time means no clock
            time: self.units(clock.left()).max(u64::from(!self.in_seconds)),
            increment: self.units(clock.increment()),
            moves_to_go: clock.moves_to_go().map(|moves| moves.min(MAX_MOVES_TO_GO)),
        }
    }

    /// A time in the unit of the conversation, rounded down.
    fn units(&self, time: Duration) -> u64 {
        let units = if self.in_seconds { time.as_secs().into() } else { time.as_millis() };
        u64::try_from(units).unwrap_or(MAX_TIME).min(MAX_TIME)
    }

    /// Until when a move counts, margin included.
    fn time_limit(&self, clock: Option<GameClock>) -> Duration {
        let limits = &self.spec.limits;
        let left = clock.map(|clock| clock.left());
        let limit = left.into_iter().chain(limits.per_move).min();
        limit.map_or(self.spec.patience, |limit| limit + self.spec.margin)
    }

    fn wait_for_move(
        &mut self,
        begin: Instant,
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<SearchResult, Failure> {
        let deadline = begin.checked_add(limit);
        loop {
            match self.next_event(deadline, stop) {
                Ok(Event::SearchDone { at, reply, report }) => {
                    self.is_searching = false;
                    let time = at.saturating_duration_since(begin);
                    let is_late = time > limit;
                    let reply = if is_late { Reply::Nothing } else { reply };
                    return Ok(SearchResult { reply, begin, time, report });
                }
                Ok(_) => {}
                Err(NoEvent::Timeout) => {
                    let (time, report) = (begin.elapsed(), SearchReport::default());
                    return Ok(SearchResult { reply: Reply::Nothing, begin, time, report });
                }
                Err(reason) => return Err(self.failure(reason, "")),
            }
        }
    }

    fn end_search(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.pondering = None;
        if !std::mem::take(&mut self.is_searching) {
            return Ok(());
        }
        // a search that has ended by itself is not to be stopped any more: a
        // UCCI engine answers that too
        while let Some(event) = self.process.as_mut().and_then(Process::try_next) {
            if matches!(event, Event::SearchDone { .. }) {
                return Ok(());
            }
        }
        self.send(&Command::Stop);
        let deadline = Some(Instant::now() + GRACE);
        loop {
            match self.next_event(deadline, stop) {
                // had the search ended by itself meanwhile, a UCCI engine answers twice
                Ok(Event::SearchDone { .. }) if self.spec.dialect().is_ucci() => {
                    return self.sync(stop);
                }
                Ok(Event::SearchDone { .. }) => return Ok(()),
                Ok(_) => {}
                Err(reason) => return Err(self.failure(reason, "answer to stop")),
            }
        }
    }

    fn sync(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.send(&Command::IsReady);
        self.wait_for(&Event::Ready, "readyok", stop)
    }

    fn wait_for(&mut self, sign: &Event, word: &str, stop: &AtomicBool) -> Result<(), Failure> {
        let deadline = Instant::now().checked_add(self.spec.startup);
        loop {
            match self.next_event(deadline, stop) {
                Ok(event) if event == *sign => return Ok(()),
                // whoever never stops talking is late too
                Ok(_) if deadline.is_some_and(|end| Instant::now() > end) => {
                    return Err(self.failure(NoEvent::Timeout, word));
                }
                Ok(Event::Option(option)) => self.declared.push(option),
                Ok(_) => {}
                Err(reason) => return Err(self.failure(reason, word)),
            }
        }
    }

    fn next_event(
        &mut self,
        deadline: Option<Instant>,
        stop: &AtomicBool,
    ) -> Result<Event, NoEvent> {
        self.process.as_mut().map_or(Err(NoEvent::Closed), |process| process.next(deadline, stop))
    }

    /// What it means that an engine that was to say `word` did not.
    fn failure(&mut self, reason: NoEvent, word: &str) -> Failure {
        match reason {
            NoEvent::Stopped => Failure::Stopped,
            NoEvent::Timeout => {
                // what it says later would answer another question
                self.process = None;
                Failure::Hang(format!("no {word} in time"))
            }
            NoEvent::Closed => Failure::Crash(self.post_mortem()),
        }
    }

    fn post_mortem(&mut self) -> String {
        let Some(mut process) = self.process.take() else {
            return "it was not running".into();
        };
        process.post_mortem(GRACE / 4)
    }

    /// Whatever has been said before a question is not its answer.
    fn drop_stale_events(&mut self) {
        // who talks without end is not waited for
        const MOST: usize = 10_000;
        let event = || self.process.as_mut().and_then(Process::try_next);
        let _ = iter::from_fn(event).take(MOST).count();
    }

    fn line(&self, command: &Command) -> String {
        command.to_line(self.spec.dialect())
    }

    fn send(&mut self, command: &Command) {
        self.write(&(self.line(command) + "\n"));
    }

    fn write(&mut self, lines: &str) {
        if let Some(log) = &self.log {
            lines.lines().for_each(|line| log(&self.spec.name, false, line.as_bytes()));
        }
        if let Some(process) = &mut self.process {
            process.write(lines);
        }
    }
}

pub fn command(spec: &EngineSpec) -> Program {
    let mut program = Program::new(spec.program());
    program.args(&spec.arguments);
    crate::link::hide_launcher(&mut program);
    if let Some(folder) = &spec.folder {
        program.current_dir(folder);
    }
    program
}

fn as_start(failure: Failure) -> Failure {
    match failure {
        Failure::Crash(text) | Failure::Hang(text) => Failure::Start(text),
        other => other,
    }
}
