//! Playing a match: a plan, its games, several of them at once, each on a
//! thread of its own, here or on other ranks, and the journal in which they are
//! kept.

mod game_thread;
mod journal;
mod plan;
mod ranks;
mod shard;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use core_affinity::CoreId;
use crossbeam::channel::{Receiver, Sender, bounded, unbounded};

use super::engines::{EngineClient, TrafficLog};
use super::game::{Failure, GameRecord, Overhead, PlayedMove, Termination};
use super::openings::Opening;
use super::schedule::{Assignment, Results};
use crate::board::Position;
use crate::link::Ranks;

pub use journal::{Header, Journal};
pub use plan::{Plan, PlanError};
pub use ranks::{HostEvent, HostState, Orphaned, serve};
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
    /// From the end of a game to the start of the next one in its place.
    pub pause: Duration,
    /// Gets all that engines are sent and say.
    pub traffic_log: Option<TrafficLog>,
    /// Whether there is an event for every move.
    pub report_moves: bool,
    /// The other ranks, which play the games; none: they are played here.
    pub ranks: Option<Ranks>,
}

#[derive(Debug)]
pub enum MatchEvent {
    Started {
        game: Assignment,
        /// Where it is played, if not here.
        host: Option<Arc<str>>,
    },
    Moved {
        game: Assignment,
        /// The position after it.
        position: Box<Position>,
        played: PlayedMove,
    },
    /// A game is over; what the runner took of its time.
    Finished(GameRecord, Overhead),
    /// News of another rank.
    Host(HostEvent),
    /// What the organiser may want to know.
    Remark(String),
}

/// An event, or why the match cannot go on.
type News = Result<MatchEvent, String>;

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
    let failures = Vec::new();
    let mut scheduler =
        Scheduler { plan, setup, stop, watch, results, sent, failures, is_decided: false };
    thread::scope(|scope| {
        let started = match &setup.ranks {
            Some(ranks) => thread::Builder::new()
                .spawn_scoped(scope, move || ranks::dispatch(ranks, queue, &news, stop))
                .map(drop),
            None => {
                let started = game_thread::start(scope, plan, openings, setup, stop, &queue, &news);
                // so that the news end with the games
                drop(news);
                started
            }
        };
        if let Err(error) = started {
            stop.store(true, Relaxed);
            let games = setup.concurrency.max(1);
            return Ok(End::Unable(format!("{games} games at a time: no thread ({error})")));
        }
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
    /// The latest games, if an engine did not start in any of them: they do not
    /// count yet.
    failures: Vec<(GameRecord, Overhead)>,
    /// Who watches has seen enough.
    is_decided: bool,
}

impl<E, W: FnMut(MatchEvent) -> Result<Flow, E>> Scheduler<'_, W> {
    fn manage(&mut self, jobs: Sender<Assignment>, events: &Receiver<News>) -> Result<End, E> {
        let mut jobs = Some(jobs);
        let mut end = Ok(End::Complete);
        self.hand_out(&mut jobs);
        for event in events {
            if self.is_decided || end.is_err() {
                // what ends after the decision does not count; what follows a torn
                // record would be lost with it
                continue;
            }
            match event.map_or_else(|fault| Ok(Some(fault)), |event| self.take_in(event)) {
                Ok(None) => self.hand_out(&mut jobs),
                Ok(Some(fault)) => {
                    self.stop.store(true, Relaxed);
                    end = Ok(End::Unable(fault));
                }
                Err(error) => end = Err(error),
            }
            if self.stop.load(Relaxed) {
                jobs = None;
            }
        }
        if matches!(end, Ok(End::Complete)) && !self.stop.load(Relaxed) {
            end = self.take_failures_in().map(|()| End::Complete);
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
        if let MatchEvent::Finished(record, overhead) = &event {
            self.results.insert(record.number, record.result);
            if record.termination == Termination::StartFailure && !self.setup.recover {
                self.failures.push((record.clone(), *overhead));
                return Ok(self.fault());
            }
            self.take_failures_in()?;
        }
        self.pass(event).map(|()| None)
    }

    /// Games in which an engine did not start count once another game shows
    /// that the match goes on all the same.
    fn take_failures_in(&mut self) -> Result<(), E> {
        let mut failures = std::mem::take(&mut self.failures).into_iter();
        failures.try_for_each(|(record, more)| self.pass(MatchEvent::Finished(record, more)))
    }

    /// Hands an event to who watches, until that has seen enough.
    fn pass(&mut self, event: MatchEvent) -> Result<(), E> {
        if self.is_decided {
            return Ok(());
        }
        let flow = (self.watch)(event);
        self.is_decided = matches!(flow, Ok(Flow::Halt));
        if !matches!(flow, Ok(Flow::Continue)) {
            self.stop.store(true, Relaxed);
        }
        flow.map(drop)
    }

    /// Whether an engine has failed to start too often, and why.
    fn fault(&self) -> Option<String> {
        let texts = self.failures.iter();
        let texts =
            texts.map(|(record, _)| format!("game {}: {}", record.number + 1, record.reason));
        (self.failures.len() >= MOST_FAILURES).then(|| texts.collect::<Vec<_>>().join("; "))
    }
}
