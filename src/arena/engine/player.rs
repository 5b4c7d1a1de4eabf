//! An engine at the board: started, set up, asked for moves, ended.

use std::iter;
use std::process::Command as Program;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use core_affinity::CoreId;

use super::super::clock::GameClock;
use super::listener::{Heard, Listener, Said, Witness};
use super::pipe::{Attention, Silence};
use super::process::Process;
use super::report::SearchReport;
use super::settings::Settings;
use super::spec::EngineSpec;
use crate::protocol::{Clock, Clocks, Command, Go, MAX_MOVES_TO_GO, MAX_TIME, OptionDecl};

/// How long an engine may take to end a search that it was told to stop, and
/// to end itself.
const GRACE: Duration = Duration::from_secs(2);

/// Why an engine cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its program did not start or did not get through the handshake.
    Start(String),
    /// Its process has ended or has closed its output.
    Crash(String),
    /// It does not answer.
    Hang(String),
    /// Nothing is wrong with it: the match has been stopped.
    Stopped,
}

/// What an engine is asked.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The line that sets its board.
    pub position: &'a str,
    /// Whether Red is to move.
    pub red_to_move: bool,
    /// The engine's clock.
    pub own: Option<GameClock>,
    /// The opponent's clock.
    pub opponent: Option<GameClock>,
    /// Whether the opponent has just offered a draw.
    pub draw_offered: bool,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The move.
    pub said: Said,
    /// When the engine was told to think.
    pub begin: Instant,
    /// How long it took.
    pub time: Duration,
    /// What the engine told of its search.
    pub report: SearchReport,
}

/// An engine and its process, if there is one.
pub struct Player {
    spec: Arc<EngineSpec>,
    core: Option<CoreId>,
    witness: Option<Witness>,
    process: Option<Process<Heard>>,
    declared: Vec<OptionDecl>,
    declared_name: Option<String>,
    in_seconds: bool,
    /// What it ponders on: the line that sets that position.
    pondering: Option<String>,
    is_searching: bool,
}

impl Player {
    /// A player that has not been started, to be kept on a core of its own if
    /// one is given.
    pub fn new(spec: Arc<EngineSpec>, core: Option<CoreId>, witness: Option<Witness>) -> Player {
        Player {
            spec,
            core,
            witness,
            process: None,
            declared: Vec::new(),
            declared_name: None,
            in_seconds: false,
            pondering: None,
            is_searching: false,
        }
    }

    /// How it was described.
    pub fn spec(&self) -> &EngineSpec {
        &self.spec
    }

    /// What the engine calls itself.
    pub fn declared_name(&self) -> Option<&str> {
        self.declared_name.as_deref()
    }

    /// Starts the program, goes through the handshake and sets its options.
    /// Returns options that it did not declare.
    ///
    /// # Errors
    /// [`Failure::Start`] with what went wrong, or [`Failure::Stopped`].
    pub fn start(&mut self, stop: &AtomicBool) -> Result<Vec<String>, Failure> {
        self.pondering = None;
        self.is_searching = false;
        self.process = Some(self.spawn()?);
        self.declared.clear();
        self.tell(&Command::Hello(self.spec.protocol));
        let okay = format!("{}ok", self.spec.protocol.opener());
        self.await_sign(&Heard::Welcome, &okay, stop).map_err(as_start)?;
        let settings = Settings::of(&self.spec, &self.declared).map_err(Failure::Start)?;
        self.in_seconds = settings.in_seconds;
        settings.commands.iter().for_each(|command| self.tell(command));
        for line in self.spec.clone().init.iter() {
            self.say(&format!("{line}\n"));
        }
        self.sync(stop).map_err(as_start)?;
        Ok(settings.undeclared)
    }

    fn spawn(&self) -> Result<Process<Heard>, Failure> {
        let spec = &self.spec;
        let program = command(spec);
        let mut listener = Listener::new(spec.dialect());
        let (witness, name) = (self.witness.clone(), spec.name.clone());
        let digest = move |at: Instant, line: &[u8]| {
            if let Some(witness) = &witness {
                witness(&name, true, line);
            }
            listener.digest(at, line)
        };
        // whoever ponders talks while nobody waits for it
        let attention = if spec.ponder { Attention::Always } else { Attention::WhenAsked };
        let started = Process::start(program, self.core, attention, Box::new(digest));
        let fault = |error| format!("cannot start {}: {error}", spec.program().display());
        started.map_err(|error| Failure::Start(fault(error)))
    }

    /// Gets ready for another game, in a fresh process where the description
    /// says so or the last one is gone.
    ///
    /// # Errors
    /// When the engine does not start or does not get ready.
    pub fn new_game(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        if self.spec.restart {
            self.quit();
        }
        if !self.process.as_mut().is_some_and(Process::is_alive) {
            self.start(stop)?;
        }
        self.tell(&Command::NewGame);
        self.sync(stop)
    }

    /// Asks for a move and waits for it, up to the limit and its margin.
    ///
    /// # Errors
    /// When the engine has ended; that it says nothing in time is no error
    /// but [`Said::Nothing`].
    pub fn think(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<Thought, Failure> {
        let is_hit = self.pondering.as_deref() == Some(turn.position);
        let words = if is_hit {
            self.pondering = None;
            let hit = Command::PonderHit { draw: self.hears_of_draw(turn) };
            hit.to_line(self.spec.dialect()) + "\n"
        } else {
            self.end_search(stop)?;
            self.forget_stale();
            self.go(turn, false)
        };
        let begin = Instant::now();
        self.say(&words);
        self.is_searching = true;
        let limit = self.time_limit(turn);
        self.await_move(begin, limit, stop)
    }

    /// Lets the engine think about a position that may come about after the
    /// opponent's move.
    pub fn ponder(&mut self, turn: &Turn<'_>) {
        self.forget_stale();
        self.pondering = Some(turn.position.to_owned());
        self.is_searching = true;
        self.say(&self.go(turn, true));
    }

    /// Ends whatever search is going on; an engine that does not obey is
    /// killed, to be started afresh when it is needed again.
    pub fn rest(&mut self, stop: &AtomicBool) {
        if self.end_search(stop).is_err() {
            self.kill();
        }
    }

    /// Asks the process to end, and kills it if it does not.
    pub fn quit(&mut self) {
        if self.process.is_some() {
            self.tell(&Command::Quit);
        }
        if let Some(mut process) = self.process.take() {
            process.end(GRACE);
        }
    }

    /// Kills the process, and only this one.
    pub fn kill(&mut self) {
        self.process = None;
        self.pondering = None;
        self.is_searching = false;
    }

    /// The lines that set the board and start a search.
    fn go(&self, turn: &Turn<'_>, ponder: bool) -> String {
        let go = Go { ponder, draw: self.hears_of_draw(turn), ..self.limits_of(turn) };
        format!("{}\n{}\n", turn.position, Command::Go(go).to_line(self.spec.dialect()))
    }

    /// UCI has no word for draws.
    fn hears_of_draw(&self, turn: &Turn<'_>) -> bool {
        turn.draw_offered && self.spec.dialect().is_ucci()
    }

    /// The limits in the words of the protocol.
    fn limits_of(&self, turn: &Turn<'_>) -> Go {
        let limits = &self.spec.limits;
        let is_ucci = self.spec.dialect().is_ucci();
        let own = turn.own.map(|clock| self.wire(clock));
        let opponent = turn.opponent.map(|clock| self.wire(clock));
        let per_move = limits.per_move.map(|time| self.units(time));
        let clocks = match (own, per_move) {
            (Some(own), _) if is_ucci => Some(Clocks::ByTurn { own, opponent }),
            (None, Some(time)) if is_ucci => {
                let own = Clock { time, increment: 0, moves_to_go: Some(1) };
                Some(Clocks::ByTurn { own, opponent: None })
            }
            (Some(_), _) => Some(match turn.red_to_move {
                true => Clocks::BySide { red: own, black: opponent },
                false => Clocks::BySide { red: opponent, black: own },
            }),
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
    fn time_limit(&self, turn: &Turn<'_>) -> Option<Duration> {
        let limits = &self.spec.limits;
        let clock = turn.own.map(|clock| clock.left());
        let limit = clock.into_iter().chain(limits.per_move).min();
        limit.map(|limit| limit + self.spec.margin).or(self.spec.patience)
    }

    fn await_move(
        &mut self,
        begin: Instant,
        limit: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Thought, Failure> {
        let deadline = limit.and_then(|limit| begin.checked_add(limit));
        loop {
            match self.hear(deadline, stop) {
                Ok(Heard::End { at, said, report }) => {
                    self.is_searching = false;
                    let time = at.saturating_duration_since(begin);
                    let is_late = limit.is_some_and(|limit| time > limit);
                    let said = if is_late { Said::Nothing } else { said };
                    return Ok(Thought { said, begin, time, report });
                }
                Ok(_) => {}
                Err(Silence::Timeout) => {
                    let time = begin.elapsed();
                    let report = SearchReport::default();
                    return Ok(Thought { said: Said::Nothing, begin, time, report });
                }
                Err(silence) => return Err(self.failure(silence, "")),
            }
        }
    }

    /// Stops a search, if one is going on, and waits for its end.
    fn end_search(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.pondering = None;
        if !std::mem::take(&mut self.is_searching) {
            return Ok(());
        }
        // a search that has ended by itself is not to be stopped any more: a
        // UCCI engine answers that too
        while let Some(heard) = self.process.as_mut().and_then(Process::overheard) {
            if matches!(heard, Heard::End { .. }) {
                return Ok(());
            }
        }
        self.tell(&Command::Stop);
        let deadline = Some(Instant::now() + GRACE);
        loop {
            match self.hear(deadline, stop) {
                Ok(Heard::End { .. }) => return Ok(()),
                Ok(_) => {}
                Err(silence) => return Err(self.failure(silence, "the end of a stopped search")),
            }
        }
    }

    /// Asks whether it is ready and waits for the answer.
    fn sync(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        self.tell(&Command::IsReady);
        self.await_sign(&Heard::Ready, "readyok", stop)
    }

    fn await_sign(&mut self, sign: &Heard, word: &str, stop: &AtomicBool) -> Result<(), Failure> {
        let deadline = Instant::now().checked_add(self.spec.startup);
        loop {
            match self.hear(deadline, stop) {
                Ok(heard) if heard == *sign => return Ok(()),
                Ok(Heard::Name(name)) => self.declared_name = Some(name),
                Ok(Heard::Option(option)) => self.declared.push(option),
                Ok(_) => {}
                Err(silence) => return Err(self.failure(silence, word)),
            }
        }
    }

    fn hear(&mut self, deadline: Option<Instant>, stop: &AtomicBool) -> Result<Heard, Silence> {
        self.process.as_mut().map_or(Err(Silence::Closed), |process| process.hear(deadline, stop))
    }

    /// What a silence means for an engine that was to say `word`.
    fn failure(&mut self, silence: Silence, word: &str) -> Failure {
        match silence {
            Silence::Stopped => Failure::Stopped,
            Silence::Timeout => Failure::Hang(format!("no {word} in time")),
            Silence::Closed => Failure::Crash(self.post_mortem()),
        }
    }

    /// How the process came to its end.
    fn post_mortem(&mut self) -> String {
        let Some(mut process) = self.process.take() else {
            return "it was not running".into();
        };
        let end = match process.wait(GRACE / 4) {
            None => "it closed its output".into(),
            Some(status) => format!("its process ended ({status})"),
        };
        match process.last_words() {
            words if words.is_empty() => end,
            words => format!("{end}: {words}"),
        }
    }

    /// Whatever is there to be heard before a question is not its answer.
    fn forget_stale(&mut self) {
        // who talks without end is not waited for
        const MOST: usize = 10_000;
        let overheard = || self.process.as_mut().and_then(Process::overheard);
        let _ = iter::from_fn(overheard).take(MOST).count();
    }

    fn tell(&mut self, command: &Command) {
        self.say(&(command.to_line(self.spec.dialect()) + "\n"));
    }

    fn say(&mut self, lines: &str) {
        if let Some(witness) = &self.witness {
            lines.lines().for_each(|line| witness(&self.spec.name, false, line.as_bytes()));
        }
        if let Some(process) = &mut self.process {
            process.say(lines);
        }
    }
}

/// The program of an engine with its arguments and folder.
pub fn command(spec: &EngineSpec) -> Program {
    let mut program = Program::new(spec.program());
    program.args(&spec.arguments);
    if let Some(folder) = &spec.folder {
        program.current_dir(folder);
    }
    program
}

/// A failure while starting.
fn as_start(failure: Failure) -> Failure {
    match failure {
        Failure::Crash(text) | Failure::Hang(text) => Failure::Start(text),
        other => other,
    }
}
