//! Playing a match: a plan, its games, several of them at once, each on a
//! thread of its own, and the journal in which they are kept.

mod journal;
mod plan;
mod shard;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use core_affinity::CoreId;
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::engines::{EngineClient, TrafficLog};
use super::game::{Failure, GameRecord, Overhead, PlayedMove, Player, Termination, play_game};
use super::openings::Opening;
use super::schedule::{Assignment, Results};
use crate::board::Position;
use crate::rules::Game;

pub use journal::{Header, Journal};
pub use plan::{Plan, PlanError};
pub use shard::{BadShard, MergeError, Shard, merge};

/// How a plan is carried out; none of it changes what is played.
#[derive(Clone, Default)]
pub struct Setup {
    /// Games at the same time, at least 1.
    pub concurrency: usize,
    /// A core for each engine that runs at a time, two for each game; empty:
    /// the system decides.
    pub cores: Vec<CoreId>,
    /// The part of the match to play; none: all of it.
    pub shard: Option<Shard>,
    /// Whether the match goes on when an engine does not start any more.
    pub recover: bool,
    /// Gets all that engines are sent and say.
    pub traffic_log: Option<TrafficLog>,
    /// Whether there is an event for every move.
    pub report_moves: bool,
}

#[derive(Debug)]
pub enum MatchEvent {
    Started(Assignment),
    Moved {
        game: Assignment,
        /// The position after it.
        position: Box<Position>,
        played: PlayedMove,
    },
    /// A game is over; what the runner took of its time.
    Finished(GameRecord, Overhead),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Continue,
    /// It has been decided; games that are going on do not count.
    Halt,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Complete,
    /// It was stopped from outside or by who watched it.
    Stopped,
    /// An engine, with its name, or a thread does not start; why.
    Unable(String),
}

/// Events that wait to be taken in. Games wait for a slow disk rather than
/// pile up, which would take memory and lose them all in a crash.
const BACKLOG: usize = 16;

/// Failures to start in a row after which an engine is given up.
const MOST_FAILURES: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{engine}: {fault}")]
pub struct StartError {
    pub engine: String,
    pub fault: String,
}

/// Starts every engine once, so that faults show before the first game.
/// Returns remarks for the organiser.
///
/// # Errors
/// The first engine that does not start.
pub fn check_engines(plan: &Plan, stop: &AtomicBool) -> Result<Vec<String>, StartError> {
    let mut remarks = Vec::new();
    for spec in &plan.engines {
        let name = &spec.name;
        let mut engine = EngineClient::new(spec.clone(), None, None);
        match engine.start(stop) {
            Ok(undeclared) => remarks.extend(undeclared.iter().map(|option| {
                format!("{name} does not declare the option {option}; it is sent all the same")
            })),
            Err(Failure::Start(fault)) => return Err(StartError { engine: name.clone(), fault }),
            Err(_) => break,
        }
        engine.quit();
    }
    Ok(remarks)
}

/// Plays the games of a plan that `results` does not have yet. `watch` gets
/// every event, in one thread, and may end the match. Setting `stop`
/// does the same at any time; it is set when this returns early.
///
/// # Errors
/// Those of `watch`, which end the match too.
pub fn run<E>(
    plan: &Plan,
    openings: &[Opening],
    setup: &Setup,
    results: Results,
    stop: &AtomicBool,
    watch: impl FnMut(MatchEvent) -> Result<Flow, E>,
) -> Result<End, E> {
    let (jobs, queue) = unbounded();
    let (news, events) = bounded(BACKLOG);
    let sent = HashSet::new();
    let mut scheduler = Scheduler { plan, setup, stop, watch, results, sent, failures: Vec::new() };
    thread::scope(|scope| {
        let start = |place| {
            let (queue, news) = (queue.clone(), news.clone());
            let worker = Worker { plan, openings, setup, stop, news };
            thread::Builder::new().spawn_scoped(scope, move || worker.serve(place, &queue))
        };
        let games = setup.concurrency.max(1);
        if let Some(error) = (0..games).map(start).find_map(Result::err) {
            stop.store(true, Relaxed);
            return Ok(End::Unable(format!("{games} games at a time: no thread ({error})")));
        }
        // so that the news end with the workers
        drop(news);
        scheduler.manage(jobs, &events)
    })
}

struct Scheduler<'a, W> {
    plan: &'a Plan,
    setup: &'a Setup,
    stop: &'a AtomicBool,
    watch: W,
    results: Results,
    sent: HashSet<u32>,
    /// The engines that did not start in the latest games, one after another.
    failures: Vec<String>,
}

impl<E, W: FnMut(MatchEvent) -> Result<Flow, E>> Scheduler<'_, W> {
    fn manage(
        &mut self,
        jobs: Sender<Assignment>,
        events: &Receiver<MatchEvent>,
    ) -> Result<End, E> {
        let mut jobs = Some(jobs);
        let mut end = Ok(End::Complete);
        self.hand_out(&mut jobs);
        for event in events {
            if end.is_err() {
                // what follows a torn record would be lost with it
                continue;
            }
            match self.take_in(event) {
                Ok(None) => self.hand_out(&mut jobs),
                Ok(Some(fault)) => end = Ok(End::Unable(fault)),
                Err(error) => end = Err(error),
            }
            if self.stop.load(Relaxed) {
                jobs = None;
            }
        }
        let is_complete = self.sent.iter().all(|number| self.results.contains_key(number));
        match end {
            Ok(End::Complete) if !is_complete || jobs.is_some() => Ok(End::Stopped),
            end => end,
        }
    }

    /// Hands out the games that have become known; when all are played and no
    /// more are known the match is over.
    fn hand_out(&mut self, jobs: &mut Option<Sender<Assignment>>) {
        let Some(queue) = jobs else { return };
        let has_new = self.sent.is_empty() || !self.plan.schedule.is_fixed();
        if has_new {
            let mine = |game: &Assignment| self.setup.shard.is_none_or(|shard| shard.has(game));
            for game in self.plan.schedule.games(&self.results).into_iter().filter(mine) {
                let is_new = !self.results.contains_key(&game.number);
                if is_new && self.sent.insert(game.number) {
                    // workers listen until the channel closes
                    let _ = queue.send(game);
                }
            }
        }
        if self.sent.iter().all(|number| self.results.contains_key(number)) {
            *jobs = None;
        }
    }

    /// Takes an event in; returns why the match cannot go on, if it cannot.
    fn take_in(&mut self, event: MatchEvent) -> Result<Option<String>, E> {
        let mut fault = None;
        if let MatchEvent::Finished(record, _) = &event {
            fault = self.fault_of(record);
            if fault.is_none() {
                self.results.insert(record.number, record.result);
            }
        }
        let flow = if fault.is_none() { (self.watch)(event) } else { Ok(Flow::Halt) };
        if !matches!(flow, Ok(Flow::Continue)) {
            self.stop.store(true, Relaxed);
        }
        flow.map(|_| fault)
    }

    /// Whether an engine has failed to start too often, and why.
    fn fault_of(&mut self, record: &GameRecord) -> Option<String> {
        if record.termination != Termination::StartFailure || self.setup.recover {
            self.failures.clear();
            return None;
        }
        self.failures.push(format!("game {}: {}", record.number + 1, record.reason));
        (self.failures.len() >= MOST_FAILURES).then(|| self.failures.join("; "))
    }
}

struct Worker<'a> {
    plan: &'a Plan,
    openings: &'a [Opening],
    setup: &'a Setup,
    stop: &'a AtomicBool,
    news: Sender<MatchEvent>,
}

impl Worker<'_> {
    /// Plays games until there are no more.
    fn serve(&self, place: usize, queue: &Receiver<Assignment>) {
        const POLL_INTERVAL: Duration = Duration::from_millis(100);
        let cores = [0, 1].map(|seat| self.setup.cores.get(2 * place + seat).copied());
        let mut seats: [Option<(usize, EngineClient)>; 2] = [None, None];
        while !self.stop.load(Relaxed) {
            match queue.recv_timeout(POLL_INTERVAL) {
                Ok(game) => self.play(&game, cores, &mut seats),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        seats.iter_mut().flatten().for_each(|(_, player)| player.quit());
    }

    fn play(
        &self,
        assignment: &Assignment,
        cores: [Option<CoreId>; 2],
        seats: &mut [Option<(usize, EngineClient)>; 2],
    ) {
        self.report(MatchEvent::Started(*assignment));
        let is_swapped = self.fill(assignment, cores, seats);
        let [Some((_, one)), Some((_, other))] = seats else { return };
        let players: [&mut dyn Player; 2] = if is_swapped { [other, one] } else { [one, other] };
        let opening = &self.openings[assignment.opening % self.openings.len()];
        let spectator = |game: &Game, played: &PlayedMove| {
            if self.setup.report_moves {
                let position = Box::new(game.position().clone());
                self.report(MatchEvent::Moved { game: *assignment, position, played: *played });
            }
        };
        let conditions = &self.plan.conditions;
        let played = play_game(assignment, opening, conditions, players, self.stop, &spectator);
        if let Some((record, overhead)) = played {
            self.report(MatchEvent::Finished(record, overhead));
        }
    }

    /// Has both engines of a game sit down; one that sits there already keeps
    /// its seat and its process. Returns whether Red sits in the second seat.
    fn fill(
        &self,
        game: &Assignment,
        cores: [Option<CoreId>; 2],
        seats: &mut [Option<(usize, EngineClient)>; 2],
    ) -> bool {
        let wanted = [game.red, game.black];
        let sits = |seat: &Option<(usize, EngineClient)>, engine| {
            seat.as_ref().is_some_and(|(other, _)| *other == engine)
        };
        let is_swapped = sits(&seats[0], game.black) || sits(&seats[1], game.red);
        for (index, seat) in seats.iter_mut().enumerate() {
            let engine = wanted[index ^ usize::from(is_swapped)];
            if sits(seat, engine) {
                continue;
            }
            if let Some((_, player)) = seat {
                player.quit();
            }
            let spec = self.plan.engines[engine].clone();
            let log = self.setup.traffic_log.clone();
            *seat = Some((engine, EngineClient::new(spec, cores[index], log)));
        }
        is_swapped
    }

    fn report(&self, event: MatchEvent) {
        // the scheduler listens until the last of its workers has gone
        let _ = self.news.send(event);
    }
}
