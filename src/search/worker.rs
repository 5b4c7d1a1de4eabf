//! A search thread: parked until a task comes, which it carries out. The first one
//! of a search collects what all have found, and ends it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use parking_lot::{Condvar, Mutex};

use crate::score::Score;

use super::event::{Event, Outcome};
use super::searcher::{MainThread, Searcher, SharedHistories, SharedState, Signals, ThreadState};
use super::vote::{ThreadResult, count_votes, gather};

/// Room for the deepest recursion with its move lists.
const STACK_SIZE: usize = 16 << 20;

/// Whether a search is running, and what the last one found.
#[derive(Default)]
pub(super) struct Running {
    is_searching: Mutex<bool>,
    ended: Condvar,
    outcome: Mutex<Option<Outcome>>,
}

impl Running {
    pub(super) fn wait(&self) {
        let mut is_searching = self.is_searching.lock();
        while *is_searching {
            self.ended.wait(&mut is_searching);
        }
    }

    /// Waits so long at most; whether the search is still running then.
    pub(super) fn wait_for(&self, time: Duration) -> bool {
        let mut is_searching = self.is_searching.lock();
        if *is_searching {
            self.ended.wait_for(&mut is_searching, time);
        }
        *is_searching
    }

    pub(super) fn is_searching(&self) -> bool {
        *self.is_searching.lock()
    }

    /// What the last search has found, once; none if it was not ended in order.
    pub(super) fn take_outcome(&self) -> Option<Outcome> {
        self.outcome.lock().take()
    }

    /// A search begins, and ends when what this returns is dropped.
    pub(super) fn begin(self: &Arc<Running>, signals: Arc<Signals>) -> Ending {
        *self.outcome.lock() = None;
        *self.is_searching.lock() = true;
        Ending { running: Arc::clone(self), signals }
    }
}

/// The end of a search, which comes even if its first thread has ended or panics
/// (in a program that does not abort then, as `hanxin` does): nobody waits in vain,
/// and no helper goes on.
pub(super) struct Ending {
    running: Arc<Running>,
    signals: Arc<Signals>,
}

impl Ending {
    /// Tells what was found. Who waits goes on after all that an observer does with it.
    fn announce(self, outcome: Outcome, shared: &SharedState) {
        *self.running.outcome.lock() = Some(outcome.clone());
        shared.send(Event::Done(outcome));
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.signals.stop();
        *self.running.is_searching.lock() = false;
        self.running.ended.notify_all();
    }
}

/// The number of a thread, and what it found.
pub(super) type Numbered = (usize, ThreadResult);

/// What a thread does in a search, beside searching.
pub(super) enum Role {
    /// The first one collects the results and ends the search.
    Main {
        results: Receiver<Numbered>,
        ending: Ending,
    },
    Helper {
        results: Sender<Numbered>,
    },
}

/// A search, and the part that a thread has in it.
pub(super) type Task = (Arc<SharedState>, Role);

pub(super) struct Thread {
    pub tasks: Sender<Task>,
    handle: JoinHandle<()>,
}

/// Lets threads end, and waits for them.
pub(super) fn dismiss(threads: Vec<Thread>) {
    for Thread { tasks, handle } in threads {
        drop(tasks);
        // an observer may own the pool; its thread ends when the observer returns
        if handle.thread().id() != std::thread::current().id() {
            // a thread that panicked has said so on its own
            let _ = handle.join();
        }
    }
}

/// Starts a thread and waits until it runs.
pub(super) fn spawn(
    id: usize,
    core: Option<CoreId>,
    histories: Arc<SharedHistories>,
) -> std::io::Result<Thread> {
    let (tasks, inbox) = unbounded();
    let (ready, is_ready) = bounded(1);
    let life = move || {
        let state = ThreadState::new(histories);
        // the pool waits for this
        let _ = ready.send(());
        serve(id, core, &inbox, state);
    };
    let builder = std::thread::Builder::new().name(format!("search {id}")).stack_size(STACK_SIZE);
    let handle = builder.spawn(life)?;
    is_ready.recv().map_err(|_| std::io::ErrorKind::OutOfMemory)?;
    Ok(Thread { tasks, handle })
}

/// The life of a thread: wait for a search, carry it out.
fn serve(id: usize, core: Option<CoreId>, inbox: &Receiver<Task>, mut state: ThreadState) {
    if let Some(core) = core {
        core_affinity::set_for_current(core);
    }
    for (shared, role) in inbox {
        search(id, &shared, role, &mut state);
    }
}

fn search(id: usize, shared: &SharedState, role: Role, state: &mut ThreadState) {
    let role = match role {
        Role::Main { ending, .. } if shared.root_moves.is_empty() => {
            shared.signals.hold(shared.limits.infinite);
            return ending.announce(no_outcome(), shared);
        }
        role => role,
    };
    let mut searcher = Searcher::new(id, shared, state);
    searcher.iterative_deepening();
    let depth = searcher.completed_depth as u32;
    let own = (id, ThreadResult { depth, line: searcher.describe(0) });
    match role {
        Role::Helper { results } => {
            let _ = results.send(own);
        }
        Role::Main { results, ending } => {
            shared.signals.hold(shared.limits.infinite);
            shared.signals.stop();
            let patience = searcher.main.as_ref().and_then(MainThread::patience_with_threads);
            let mut results = collect(&results, shared.threads - 1, patience);
            results.push(own);
            results.sort_by_key(|&(thread, _)| thread);
            let results = results.into_iter().map(|(_, result)| result).collect();
            let outcome = count_votes(&searcher, results, gather(&searcher));
            ending.announce(outcome, shared);
        }
    }
}

/// So many results, or as many as come in time. A thread that is late ends the
/// old search before it begins the next.
fn collect(
    results: &Receiver<Numbered>,
    count: usize,
    patience: Option<Duration>,
) -> Vec<Numbered> {
    let deadline = patience.map(|patience| Instant::now() + patience);
    let next = || match deadline {
        Some(deadline) => results.recv_deadline(deadline).ok(),
        None => results.recv().ok(),
    };
    std::iter::from_fn(next).take(count).collect()
}

/// The outcome where there is no legal move.
pub(super) fn no_outcome() -> Outcome {
    Outcome {
        best: None,
        ponder: None,
        score: Score::mated_in(0),
        exact: Some(Score::mated_in(0)),
        depth: 0,
        nodes: 0,
        time: Duration::ZERO,
        on_clock: Duration::ZERO,
        lines: Vec::new(),
    }
}
