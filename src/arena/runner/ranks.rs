//! Games that other ranks play: rank 0 has the schedule and the journal, every
//! other rank plays what it is given.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, TryRecvError, unbounded};
use serde::{Deserialize, Serialize};

use super::{MatchEvent, News, Plan, Setup, check_engines, game_thread};
use crate::arena::game::{GameRecord, Overhead, PlayedMove};
use crate::arena::openings::Opening;
use crate::arena::schedule::Assignment;
use crate::board::Position;
use crate::link::{Dispatcher, Event, Job, Order, Ranks, Worker};

/// News of a rank that plays games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEvent {
    pub rank: usize,
    pub host: Arc<str>,
    pub state: HostState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostState {
    /// It plays so many games at the same time.
    Ready { games: usize },
    /// It has not been heard of for long; so many games are given again.
    Silent { games: usize },
    /// It has been heard of again.
    Back,
    /// It has been ended; so many games are given again.
    Left { games: usize },
    /// It cannot play, and why.
    Unable(String),
}

impl HostEvent {
    /// What an event says about the state of a rank, if it is about that.
    pub fn of(event: &Event, dispatcher: &Dispatcher<'_>) -> Option<HostEvent> {
        let (rank, state) = match event {
            Event::Joined { rank } => (*rank, HostState::Ready { games: dispatcher.slots(*rank) }),
            Event::Silent { rank, jobs } => (*rank, HostState::Silent { games: *jobs }),
            Event::Back { rank } => (*rank, HostState::Back),
            Event::Left { rank, jobs } => (*rank, HostState::Left { games: *jobs }),
            Event::Unable { rank, reason } => (*rank, HostState::Unable(reason.clone())),
            Event::Note { .. } | Event::Result { .. } | Event::Fault(_) => return None,
        };
        Some(HostEvent { rank, host: dispatcher.host(rank).into(), state })
    }
}

impl fmt::Display for HostEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HostEvent { rank, host, state } = self;
        let place = if host.is_empty() { String::new() } else { format!(" on {host}") };
        write!(f, "Rank {rank}{place} ")?;
        match state {
            HostState::Ready { games } => write!(f, "is ready: {games} at a time"),
            HostState::Silent { games } => write!(f, "is silent: {games} games are given again"),
            HostState::Back => write!(f, "is back"),
            HostState::Left { games } => write!(f, "has left: {games} games are given again"),
            HostState::Unable(reason) => write!(f, "cannot play: {reason}"),
        }
    }
}

/// Rank 0 has not been heard of for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rank 0 does not answer any more")]
pub struct Orphaned;

/// What a rank that plays sends rank 0 besides results.
#[derive(Serialize, Deserialize)]
enum Note {
    Started(Assignment),
    Moved { game: Assignment, fen: String, played: PlayedMove },
    Remark(String),
}

/// Has other ranks play the games of `queue` until it closes or `stop` is set.
pub(super) fn dispatch(
    ranks: &Ranks,
    queue: Receiver<Assignment>,
    news: &Sender<News>,
    stop: &AtomicBool,
) {
    const POLL_INTERVAL: Duration = Duration::from_millis(20);
    let mut dispatcher = ranks.dispatcher();
    let mut pairs = Pairs { queue, next: None, is_closed: false };
    let mut report = Report { news, remarks: BTreeSet::new() };
    while !stop.load(Relaxed) {
        let remaining = pairs.queue.len();
        dispatcher.deal(remaining, || pairs.next());
        if pairs.is_closed && dispatcher.is_idle() {
            break;
        }
        if let Some(event) = dispatcher.next(POLL_INTERVAL) {
            report.pass_on(event, &dispatcher);
        }
    }
    dispatcher.stop();
}

/// Games in pairs: those of a pair are played on the same host.
struct Pairs {
    queue: Receiver<Assignment>,
    /// The first game of the next pair.
    next: Option<Assignment>,
    /// Whether there will be no more.
    is_closed: bool,
}

impl Pairs {
    fn take(&mut self) -> Option<Assignment> {
        self.next.take().or_else(|| {
            let taken = self.queue.try_recv();
            self.is_closed |= taken == Err(TryRecvError::Disconnected);
            taken.ok()
        })
    }

    fn next(&mut self) -> Option<Vec<Job>> {
        let first = self.take()?;
        let mut games = vec![first];
        while let Some(game) = self.take() {
            if game.pair != first.pair {
                self.next = Some(game);
                break;
            }
            games.push(game);
        }
        Some(games.iter().map(job).collect())
    }
}

fn job(game: &Assignment) -> Job {
    // numbers can always be written
    let bytes = serde_json::to_vec(game).unwrap_or_default();
    Job { number: game.number, bytes }
}

/// Makes events of a match of those of the ranks.
struct Report<'a> {
    news: &'a Sender<News>,
    /// What has been remarked, by one host or several.
    remarks: BTreeSet<String>,
}

impl Report<'_> {
    fn pass_on(&mut self, event: Event, dispatcher: &Dispatcher<'_>) {
        let news = match HostEvent::of(&event, dispatcher) {
            Some(event) => Ok(MatchEvent::Host(event)),
            None => match self.news_of(event, dispatcher) {
                Some(news) => news,
                None => return,
            },
        };
        // the scheduler listens as long as there is news
        let _ = self.news.send(news);
    }

    fn news_of(&mut self, event: Event, dispatcher: &Dispatcher<'_>) -> Option<News> {
        match event {
            Event::Note { rank, bytes } => {
                self.note(&bytes, || Arc::from(dispatcher.host(rank))).map(Ok)
            }
            Event::Result { rank, bytes, .. } => Some(match serde_json::from_slice(&bytes) {
                Ok((record, overhead)) => Ok(MatchEvent::Finished(record, overhead)),
                Err(error) => Err(format!("rank {rank} sends a damaged game: {error}")),
            }),
            Event::Fault(text) => Some(Err(text)),
            _ => None,
        }
    }

    fn note(&mut self, bytes: &[u8], host: impl Fn() -> Arc<str>) -> Option<MatchEvent> {
        match serde_json::from_slice(bytes).ok()? {
            Note::Started(game) => Some(MatchEvent::Started { game, host: Some(host()) }),
            Note::Moved { game, fen, played } => {
                let position = Box::new(Position::from_fen(&fen).ok()?);
                Some(MatchEvent::Moved { game, position, played })
            }
            Note::Remark(text) => {
                self.remarks.insert(text.clone()).then_some(MatchEvent::Remark(text))
            }
        }
    }
}

/// Plays the games that rank 0 gives out, until it says that there are no more
/// or `stop` is set. That is set when this returns.
///
/// # Errors
/// When rank 0 falls silent.
pub fn serve(
    plan: &Plan,
    openings: &[Opening],
    setup: &Setup,
    ranks: &Ranks,
    stop: &AtomicBool,
) -> Result<(), Orphaned> {
    let mut worker = ranks.worker();
    if !setup.recover {
        match check_engines(plan, stop) {
            Ok(remarks) => {
                remarks.into_iter().for_each(|text| note(&worker, &Note::Remark(text)));
            }
            Err(error) => {
                worker.refuse(&error.to_string());
                return wait_for_the_end(&mut worker, stop);
            }
        }
    }
    let (jobs, queue) = unbounded();
    let (news, events) = unbounded();
    thread::scope(|scope| {
        let started = game_thread::start(scope, plan, openings, setup, stop, &queue, &news);
        let served = match started {
            Ok(()) => play(&mut worker, &jobs, &events, stop),
            Err(error) => {
                let games = setup.concurrency;
                worker.refuse(&format!("{games} games at a time: no thread ({error})"));
                wait_for_the_end(&mut worker, stop)
            }
        };
        stop.store(true, Relaxed);
        served
    })
}

/// Carries orders to the games and their results to rank 0.
fn play(
    worker: &mut Worker<'_>,
    jobs: &Sender<Assignment>,
    events: &Receiver<News>,
    stop: &AtomicBool,
) -> Result<(), Orphaned> {
    const POLL_INTERVAL: Duration = Duration::from_millis(5);
    while !stop.load(Relaxed) {
        for event in events.try_iter().flatten() {
            tell(worker, event);
        }
        match worker.next(POLL_INTERVAL) {
            Some(Order::Job(job)) => {
                // what is not a game is not answered, and rank 0 says so
                if let Ok(game) = serde_json::from_slice(&job.bytes) {
                    // the games listen as long as there are jobs
                    let _ = jobs.send(game);
                }
            }
            Some(Order::Stop) => return Ok(()),
            Some(Order::Orphaned) => return Err(Orphaned),
            None => {}
        }
    }
    worker.leave();
    Ok(())
}

/// Tells rank 0 what has happened in a game.
fn tell(worker: &mut Worker<'_>, event: MatchEvent) {
    match event {
        MatchEvent::Started { game, .. } => note(worker, &Note::Started(game)),
        MatchEvent::Moved { game, position, played } => {
            note(worker, &Note::Moved { game, fen: position.to_fen(), played });
        }
        MatchEvent::Finished(record, overhead) => {
            let result: (&GameRecord, &Overhead) = (&record, &overhead);
            // texts and numbers can always be written
            worker.finish(record.number, serde_json::to_vec(&result).unwrap_or_default());
        }
        MatchEvent::Host(_) | MatchEvent::Remark(_) => {}
    }
}

fn note(worker: &Worker<'_>, note: &Note) {
    // texts and numbers can always be written
    worker.note(&serde_json::to_vec(note).unwrap_or_default());
}

/// Waits until rank 0 ends the match, which may go on with other ranks.
fn wait_for_the_end(worker: &mut Worker<'_>, stop: &AtomicBool) -> Result<(), Orphaned> {
    while !stop.load(Relaxed) {
        match worker.next(Duration::from_millis(100)) {
            Some(Order::Stop) => return Ok(()),
            Some(Order::Orphaned) => return Err(Orphaned),
            Some(Order::Job(_)) | None => {}
        }
    }
    worker.leave();
    Ok(())
}
