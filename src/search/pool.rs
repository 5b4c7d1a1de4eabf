//! The threads: parked between searches, all searching the same tree when
//! woken, and voting on the move at the end.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, unbounded};
use crossbeam::sync::WaitGroup;
use parking_lot::{Condvar, Mutex};

use crate::board::{Move, Position};
use crate::eval::EvalKind;
use crate::rules::Parameters;
use crate::score::{Bound, Score};

use super::breadcrumbs::Breadcrumbs;
use super::event::{Event, Line, Outcome};
use super::lawful::lawful;
use super::limits::Limits;
use super::params::Params;
use super::path::Path;
use super::table::{Table, TableError};
use super::worker::{Control, Memory, Worker};

/// Receives the events of a search, on the thread of its first worker.
pub type Observer = Arc<dyn Fn(Event) + Send + Sync>;

/// Everything one search depends on.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position from which `moves` were played.
    pub start: Position,
    /// The legal moves that led to the position to search.
    pub moves: Vec<Move>,
    /// What ends it.
    pub limits: Limits,
    /// How many best lines to find; at least 1.
    pub lines: usize,
    /// How positions are evaluated.
    pub eval: EvalKind,
    /// The rules in force.
    pub rules: Parameters,
    /// Time kept back for the way of the answer.
    pub overhead: Duration,
    /// Whether the opponent's time will be used as well.
    pub will_ponder: bool,
    /// So many nodes count as a millisecond of every time limit; 0: time is
    /// time.
    pub node_rate: u64,
    /// The constants of the search.
    pub params: Params,
}

impl Task {
    /// A search of a position with a limit and the defaults for all else.
    pub fn new(start: Position, limits: Limits) -> Task {
        Task {
            start,
            moves: Vec::new(),
            limits,
            lines: 1,
            eval: EvalKind::default(),
            rules: Parameters::default(),
            overhead: Duration::from_millis(30),
            will_ponder: false,
            node_rate: 0,
            params: Params::default(),
        }
    }
}

/// A task with what the workers share while it runs.
pub(super) struct Job {
    pub task: Task,
    /// The position to search.
    pub root: Position,
    /// The way to it.
    pub path: Path,
    pub root_moves: Vec<Move>,
    pub workers: usize,
    pub table: Arc<Table>,
    pub control: Arc<Control>,
    pub breadcrumbs: Breadcrumbs,
    pub observer: Option<Observer>,
    reports: (Sender<Ballot>, Receiver<Ballot>),
    /// Filled at the end when nobody observes.
    outcome: Mutex<Option<Outcome>>,
    busy: Arc<Busy>,
}

impl Job {
    /// Hands an event to the observer, if there is one.
    pub fn send(&self, event: Event) {
        if let Some(observer) = &self.observer {
            observer(event);
        }
    }
}

/// What a worker found.
struct Ballot {
    worker: usize,
    depth: i32,
    line: Line,
}

/// Whether a search is running.
#[derive(Default)]
struct Busy {
    searching: Mutex<bool>,
    ended: Condvar,
}

enum Order {
    Search(Arc<Job>),
    /// Forget, and drop the handle when that is done.
    Forget(WaitGroup),
}

struct Thread {
    orders: Sender<Order>,
    handle: JoinHandle<()>,
}

/// A set of parked search threads and their transposition table.
pub struct Pool {
    threads: Vec<Thread>,
    table: Arc<Table>,
    control: Arc<Control>,
    busy: Arc<Busy>,
    pinned: bool,
    /// Whether the system has provided the memory of the table.
    is_warm: bool,
}

/// Room for the deepest recursion with its move lists.
const STACK_SIZE: usize = 16 << 20;

impl Pool {
    /// A pool of so many threads (at least one) with a table of so many
    /// megabytes.
    ///
    /// # Errors
    /// When the memory for the table cannot be had.
    pub fn new(threads: usize, megabytes: usize) -> Result<Pool, TableError> {
        let mut pool = Pool {
            threads: Vec::new(),
            table: Arc::new(Table::new(megabytes)?),
            is_warm: false,
            control: Arc::new(Control::new(0, false, 0)),
            busy: Arc::default(),
            pinned: false,
        };
        pool.set_threads(threads, false);
        Ok(pool)
    }

    /// Changes the number of threads and whether each stays on a core of its
    /// own; waits for a running search.
    pub fn set_threads(&mut self, threads: usize, pinned: bool) {
        self.wait();
        let threads = threads.max(1);
        if threads == self.threads.len() && pinned == self.pinned {
            return;
        }
        self.dismiss();
        self.pinned = pinned;
        let cores = if pinned { core_affinity::get_core_ids() } else { None }.unwrap_or_default();
        for id in 0..threads {
            let (orders, inbox) = unbounded();
            let core = if cores.is_empty() { None } else { Some(cores[id % cores.len()]) };
            let spawned = std::thread::Builder::new()
                .name(format!("search {id}"))
                .stack_size(STACK_SIZE)
                .spawn(move || serve(id, core, &inbox));
            match spawned {
                Ok(handle) => self.threads.push(Thread { orders, handle }),
                // the system gives no more threads: search with those there are
                Err(_) if id > 0 => break,
                Err(error) => panic!("the system gives not even one search thread: {error}"),
            }
        }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Replaces the table by an empty one; waits for a running search. On an
    /// error the old table stays.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), TableError> {
        self.wait();
        self.table = Arc::new(Table::new(megabytes)?);
        self.is_warm = false;
        Ok(())
    }

    /// The shared table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Has the system provide the memory of the table, which takes a moment,
    /// so that no search has to wait for it; does nothing when that is done.
    pub fn warm_up(&mut self) {
        if !self.is_warm {
            self.table.clear(self.threads.len());
            self.is_warm = true;
        }
    }

    /// Forgets all that was learnt: table and histories; waits for a running
    /// search, and until all threads have forgotten: the clock of the next
    /// search must not run while they do.
    pub fn clear(&mut self) {
        self.wait();
        self.table.clear(self.threads.len());
        self.is_warm = true;
        let forgotten = WaitGroup::new();
        for thread in &self.threads {
            // a thread that is gone has nothing to forget
            let _ = thread.orders.send(Order::Forget(forgotten.clone()));
        }
        forgotten.wait();
    }

    /// Begins a search, after the one running has ended; returns at once.
    /// `observer` receives its events, [`Event::Done`] last.
    pub fn start(&mut self, task: Task, observer: Observer) {
        if let Some(outcome) = self.begin(task, Some(Arc::clone(&observer))).1 {
            observer(Event::Done(outcome));
        }
    }

    /// Searches and waits for the outcome.
    pub fn search(&mut self, task: Task) -> Outcome {
        let (job, outcome) = self.begin(task, None);
        outcome.unwrap_or_else(|| {
            self.wait();
            job.outcome.lock().take().unwrap_or_else(|| nothing_to_play(&job))
        })
    }

    /// Wakes the workers; gives the outcome at once if there is no move.
    fn begin(&mut self, task: Task, observer: Option<Observer>) -> (Arc<Job>, Option<Outcome>) {
        self.wait();
        self.warm_up();
        let job = Arc::new(self.job(task, observer));
        if job.root_moves.is_empty() {
            let outcome = nothing_to_play(&job);
            return (job, Some(outcome));
        }
        *self.busy.searching.lock() = true;
        self.control = Arc::clone(&job.control);
        self.table.grow_older();
        for thread in &self.threads {
            let _ = thread.orders.send(Order::Search(Arc::clone(&job)));
        }
        (job, None)
    }

    fn job(&self, task: Task, observer: Option<Observer>) -> Job {
        let (root, path) = Path::replay(&task.start, &task.moves, &task.rules);
        let workers = self.threads.len();
        Job {
            root_moves: root_moves(&root, &path, &task.limits),
            root,
            path,
            workers,
            table: Arc::clone(&self.table),
            control: Arc::new(Control::new(workers, task.limits.ponder, task.node_rate)),
            breadcrumbs: Breadcrumbs::new(workers),
            observer,
            reports: unbounded(),
            outcome: Mutex::default(),
            busy: Arc::clone(&self.busy),
            task: Task { lines: task.lines.max(1), ..task },
        }
    }

    /// Ends a running search; its [`Event::Done`] follows at once.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The move pondered on was played: limits count from now on.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        *self.busy.searching.lock()
    }

    /// Waits for a running search to end.
    pub fn wait(&self) {
        let mut searching = self.busy.searching.lock();
        while *searching {
            self.busy.ended.wait(&mut searching);
        }
    }

    fn dismiss(&mut self) {
        for thread in self.threads.drain(..) {
            drop(thread.orders);
            // a worker that panicked has said so on its own
            let _ = thread.handle.join();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop();
        self.dismiss();
    }
}

/// The life of a thread: wait for an order, carry it out.
fn serve(id: usize, core: Option<core_affinity::CoreId>, inbox: &Receiver<Order>) {
    if let Some(core) = core {
        core_affinity::set_for_current(core);
    }
    let mut memory = Memory::new();
    for order in inbox {
        match order {
            Order::Search(job) => search(id, &job, &mut memory),
            Order::Forget(forgotten) => {
                memory = Memory::new();
                drop(forgotten);
            }
        }
    }
}

fn search(id: usize, job: &Job, memory: &mut Memory) {
    let mut worker = Worker::new(id, job, memory);
    worker.deepen();
    let ballot = Ballot { worker: id, depth: worker.completed_depth, line: worker.describe(0) };
    if id > 0 {
        let _ = job.reports.0.send(ballot);
        return;
    }
    job.control.hold(job.task.limits.infinite);
    job.control.stop();
    let mut ballots = vec![ballot];
    ballots.extend(job.reports.1.iter().take(job.workers - 1));
    ballots.sort_by_key(|ballot| ballot.worker);
    if job.task.limits.depth.is_some() && job.task.lines == 1 {
        // the depth was asked for: who has not reached it has no vote
        let deepest = ballots.iter().map(|ballot| ballot.depth).max();
        ballots.retain(|ballot| Some(ballot.depth) == deepest);
    }
    let lines = (0..job.task.lines.min(worker.root_moves.len()))
        .map(|line| worker.describe(line))
        .collect();
    let outcome = Outcome { exact: worker.completed_score, ..conclude(job, &ballots, lines) };
    if job.observer.is_none() {
        *job.outcome.lock() = Some(outcome.clone());
    }
    // free for the next search before the outcome is known outside
    *job.busy.searching.lock() = false;
    job.busy.ended.notify_all();
    job.send(Event::Done(outcome));
}

/// Counts the votes and writes the outcome.
fn conclude(job: &Job, ballots: &[Ballot], mut lines: Vec<Line>) -> Outcome {
    let winner = if job.task.lines == 1 { elect(ballots) } else { &ballots[0] };
    if winner.worker != 0 {
        let line = Line { nodes: job.control.total_nodes(), ..winner.line.clone() };
        job.send(Event::Line(line.clone()));
        lines = vec![line];
    }
    let line = &winner.line;
    let best = line.pv[0];
    Outcome {
        best: Some(best),
        ponder: line.pv.get(1).copied().or_else(|| guess_reply(job, best)),
        score: line.score,
        exact: None,
        depth: winner.depth as u32,
        nodes: job.control.total_nodes(),
        time: job.control.elapsed(),
        lines,
    }
}

/// The worker to believe: each votes for its move, the more strongly the
/// higher its score and the deeper its search; a proven win goes first.
fn elect(ballots: &[Ballot]) -> &Ballot {
    let lowest = ballots.iter().map(|ballot| ballot.line.score).min().unwrap_or(Score::DRAW);
    let weight = |ballot: &Ballot| {
        i64::from((ballot.line.score - lowest).min(500) + 14) * i64::from(ballot.depth)
    };
    let votes = |m: Move| -> i64 {
        ballots.iter().filter(|ballot| ballot.line.pv[0] == m).map(weight).sum()
    };
    let mut winner = &ballots[0];
    for ballot in &ballots[1..] {
        let (old, new) = (&winner.line, &ballot.line);
        let better = if new.score.is_win() || old.score.is_win() {
            new.score > old.score && new.bound != Bound::Upper
        } else {
            let (old_votes, new_votes) = (votes(old.pv[0]), votes(new.pv[0]));
            new_votes > old_votes || new_votes == old_votes && weight(ballot) > weight(winner)
        };
        if better && ballot.depth > 0 {
            winner = ballot;
        }
    }
    winner
}

/// The answer that the table expects to a move.
fn guess_reply(job: &Job, best: Move) -> Option<Move> {
    let mut position = job.root.clone();
    position.make(best);
    let reply = job.table.probe(position.key())?.best?;
    position.is_legal(reply).then_some(reply)
}

/// The legal moves that the limits leave; if they leave none, all that are
/// neither banned nor an offence; if those are none either, offences, and at
/// last all.
fn root_moves(position: &Position, path: &Path, limits: &Limits) -> Vec<Move> {
    let legal = position.legal_moves().to_vec();
    let allowed: Vec<Move> = legal.iter().copied().filter(|m| !limits.banned.contains(m)).collect();
    let wanted: Vec<Move> =
        allowed.iter().copied().filter(|m| limits.search_moves.contains(m)).collect();
    let lawful = lawful(position.clone(), path.clone(), &allowed);
    [wanted, lawful, allowed, legal].into_iter().find(|moves| !moves.is_empty()).unwrap_or_default()
}

fn nothing_to_play(job: &Job) -> Outcome {
    Outcome {
        best: None,
        ponder: None,
        score: Score::mated_in(0),
        exact: Some(Score::mated_in(0)),
        depth: 0,
        nodes: 0,
        time: job.control.elapsed(),
        lines: Vec::new(),
    }
}
