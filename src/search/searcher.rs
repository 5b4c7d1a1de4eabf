//! One thread's search: what it owns, what it shares with the other threads,
//! and how it walks along a line.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;
use parking_lot::{Condvar, Mutex};

use crate::board::{CheckSquares, Move, Position};
use crate::egtb::Prober;
use crate::eval::Evaluator;
use crate::mate::MateSearch;
use crate::score::{Bound, Score, Verdict};

use super::breadcrumbs::Breadcrumbs;
use super::correction::CorrectionHistory;
use super::event::{Event, Observer};
use super::history::{Histories, OutOfMemory, PieceTo, QuietHistory};
use super::limits::{Limits, SearchOptions};
use super::movepick::Context;
use super::peers::Peers;
use super::reductions::Reductions;
use super::repetition::Path;
use super::root_mate::RootMate;
use super::stack::Stack;
use super::tables::RootTable;
use super::time::TimeManager;
use super::tt::{Entry, TranspositionTable};

/// The search was told to stop; the tree is left as it is.
#[derive(Debug)]
pub(super) struct Stopped;

/// The score of a node, or the news that the search is over.
pub(super) type Searched = Result<Score, Stopped>;

/// What the threads of one search share.
pub(super) struct SharedState {
    pub limits: Limits,
    pub options: SearchOptions,
    /// The position to search.
    pub root: Position,
    /// The path to it.
    pub path: Path,
    pub root_moves: Vec<Move>,
    /// What the endgame tables say of the root.
    pub root_table: RootTable,
    pub threads: usize,
    pub tt: Arc<TranspositionTable>,
    pub signals: Arc<Signals>,
    pub breadcrumbs: Breadcrumbs,
    /// `None` if only the outcome is wanted.
    pub observer: Option<Observer>,
}

impl SharedState {
    /// Hands an event to the observer, if there is one.
    pub(super) fn send(&self, event: Event) {
        if let Some(observer) = &self.observer {
            observer(event);
        }
    }

    /// Offers an entry of the table to other processes, if there are any.
    pub(super) fn post(&self, key: u64, entry: &Entry) {
        if let Some(peers) = self.peers() {
            peers.post(key, entry.to_word());
        }
    }

    /// The other processes that search this position.
    pub(super) fn peers(&self) -> Option<&dyn Peers> {
        self.signals.peers.as_deref()
    }

    /// Whether nobody else searches this position.
    pub(super) fn is_alone(&self) -> bool {
        self.threads == 1 && self.peers().is_none()
    }

    /// The legal move that the table has for a position, and what its score means.
    pub(super) fn table_move(&self, position: &Position) -> Option<(Move, Option<Bound>)> {
        let entry = self.tt.probe(position.key())?;
        let m = entry.best.filter(|&m| position.is_legal(m))?;
        Some((m, entry.bound))
    }

    /// Whether the score is a mate as short as was asked for.
    pub(super) fn is_short_enough(&self, score: Score) -> bool {
        let Verdict::Mate(plies) = score.verdict() else { return false };
        self.limits.mate.is_none_or(|moves| plies > 0 && (plies as u32).div_ceil(2) <= moves)
    }

    /// The longest mate worth looking for, in moves: as long as was asked for,
    /// and before the natural limit.
    pub(super) fn longest_mate(&self) -> u16 {
        let wanted = self.limits.mate.map_or(u16::MAX, |moves| moves.min(u16::MAX.into()) as u16);
        self.plies_to_limit().div_ceil(2).min(wanted)
    }

    /// Plies from the root to the natural move limit at least: not all count.
    pub(super) fn plies_to_limit(&self) -> u16 {
        self.path.rules().quiet_limit.saturating_sub(self.path.quiet_plies())
    }
}

/// The stop signal, the node counters and the clock of one search.
pub(super) struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Nodes of each thread; each writes its own cache line.
    nodes: Vec<CachePadded<AtomicU64>>,
    /// Apart from what every node reads.
    table_hits: CachePadded<AtomicU64>,
    began: Instant,
    /// So many nodes count as a millisecond; 0: time is time.
    node_rate: u64,
    /// When the clock began to run, in microseconds since `began`.
    clock_began: AtomicU64,
    /// Where the first thread waits for `stop` or `ponder_hit`.
    gate: Mutex<()>,
    released: Condvar,
    /// Other processes that search the same position.
    peers: Option<Arc<dyn Peers>>,
}

impl Signals {
    pub(super) fn new(
        began: Instant,
        threads: usize,
        ponder: bool,
        node_rate: u64,
        peers: Option<Arc<dyn Peers>>,
    ) -> Signals {
        Signals {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(ponder),
            nodes: (0..threads).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
            table_hits: CachePadded::new(AtomicU64::new(0)),
            began,
            node_rate,
            clock_began: AtomicU64::new(0),
            gate: Mutex::new(()),
            released: Condvar::new(),
            peers,
        }
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub(super) fn is_pondering(&self) -> bool {
        self.pondering.load(Acquire)
    }

    /// Ends the search as soon as every thread looks.
    pub(super) fn stop(&self) {
        let _gate = self.gate.lock();
        self.stop.store(true, Relaxed);
        self.released.notify_all();
    }

    /// The expected move was played: the clock runs from now on, if that was
    /// waited for.
    pub(super) fn ponder_hit(&self) {
        let _gate = self.gate.lock();
        if !self.is_pondering() {
            return;
        }
        self.clock_began.store(self.ticked().as_micros() as u64, Relaxed);
        // who sees that the pondering is over sees also when the clock began
        self.pondering.store(false, Release);
        self.released.notify_all();
    }

    /// Waits until it is stopped, or until it no longer ponders if that is
    /// all it waits for.
    pub(super) fn hold(&self, infinite: bool) {
        let mut gate = self.gate.lock();
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            self.released.wait(&mut gate);
        }
    }

    /// Nodes of all threads so far, those of other processes included.
    pub(super) fn total_nodes(&self) -> u64 {
        let own: u64 = self.nodes.iter().map(|nodes| nodes.load(Relaxed)).sum();
        own + self.peers.as_ref().map_or(0, |peers| peers.nodes())
    }

    /// Counts answers of endgame tables.
    pub(super) fn add_table_hits(&self, hits: u64) {
        self.table_hits.fetch_add(hits, Relaxed);
    }

    /// Answers of endgame tables so far.
    pub(super) fn table_hits(&self) -> u64 {
        self.table_hits.load(Relaxed)
    }

    /// Time since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// What clocks count since the search began: time, or nodes in its place.
    pub(super) fn ticked(&self) -> Duration {
        match self.node_rate {
            0 => self.elapsed(),
            rate => Duration::from_micros(self.total_nodes().saturating_mul(1000) / rate),
        }
    }

    /// What clocks count since the clock of this move began to run.
    pub(super) fn clock_elapsed(&self) -> Duration {
        self.ticked().saturating_sub(Duration::from_micros(self.clock_began.load(Relaxed)))
    }
}

/// What some threads learn together and keep from one search to the next.
pub(super) struct SharedHistories {
    histories: Histories,
    corrections: CorrectionHistory,
    /// Whether it is as new. To clear it would have the system provide all of
    /// its memory, which takes seconds for a thousand threads.
    is_clear: AtomicBool,
}

impl SharedHistories {
    /// Nothing learnt yet.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub(super) fn new() -> Result<SharedHistories, OutOfMemory> {
        Ok(SharedHistories {
            histories: Histories::new()?,
            corrections: CorrectionHistory::new()?,
            is_clear: AtomicBool::new(true),
        })
    }

    /// Forgets all, once for all threads of the group.
    pub(super) fn clear(&self) {
        if !self.is_clear.swap(true, Relaxed) {
            self.histories.clear();
            self.corrections.clear();
        }
    }
}

/// What a thread keeps from one search to the next.
pub(super) struct ThreadState {
    shared: Arc<SharedHistories>,
    stack: Stack,
    /// In the first thread, from its first search on.
    mates: Option<MateSearch>,
}

/// Entries in the table of the search for mates: half a megabyte, enough for
/// mates of 40 plies and more.
const MATE_ENTRIES: usize = 1 << 14;

impl ThreadState {
    pub(super) fn new(shared: Arc<SharedHistories>) -> ThreadState {
        ThreadState { shared, stack: Stack::new(), mates: None }
    }
}

/// A move of the root and how it does.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    /// Score of this iteration; minus infinity if only bounded.
    pub score: Score,
    /// Score of the iteration before.
    pub previous: Score,
    pub bound: Bound,
    pub seldepth: usize,
    /// Nodes spent below it in all iterations.
    pub nodes: u64,
    /// The variation; at least the move itself.
    pub pv: Vec<Move>,
}

impl RootMove {
    pub(super) fn new(m: Move) -> RootMove {
        RootMove {
            score: -Score::INFINITE,
            previous: -Score::INFINITE,
            bound: Bound::Exact,
            seldepth: 0,
            nodes: 0,
            pv: vec![m],
        }
    }

    #[inline]
    pub(super) fn first(&self) -> Move {
        self.pv[0]
    }
}

/// What the first thread does beside searching: it watches the limits and
/// reports.
pub(super) struct MainThread {
    pub time: Option<TimeManager>,
    pub polls: Polls,
    /// Enough was searched while pondering: a ponder hit is answered at once.
    pub answer_on_hit: bool,
    /// What is known of a mate by checks.
    pub mate: RootMate,
}

/// Time that a search without a clock has beyond the usual to gather votes: a
/// message may be lost, and a process be busy.
const UNHURRIED: Duration = Duration::from_millis(300);

impl MainThread {
    fn new(shared: &SharedState) -> MainThread {
        let SearchOptions { overhead, will_ponder, .. } = shared.options;
        // the others must have voted within the time kept back
        let overhead = overhead + shared.peers().map_or(Duration::ZERO, Peers::gathering_time);
        let time = shared
            .limits
            .time
            .map(|limit| TimeManager::new(limit, overhead, will_ponder, &shared.options.params));
        let polls = Polls::new(time.is_some());
        MainThread { time, polls, answer_on_hit: false, mate: RootMate::default() }
    }

    /// Whether a limit of the search has been reached.
    pub(super) fn is_over(&self, shared: &SharedState) -> bool {
        let SharedState { signals, limits, .. } = shared;
        if signals.is_pondering() || limits.infinite {
            return false;
        }
        let out_of_time = self.time.as_ref().is_some_and(|time| {
            time.is_hard_limit_reached(signals.ticked(), signals.clock_elapsed())
        });
        let out_of_nodes = limits.nodes.is_some_and(|limit| signals.total_nodes() >= limit);
        // of several lines only the own ones are shown
        let is_answered =
            shared.options.lines == 1 && shared.peers().is_some_and(Peers::is_answered);
        out_of_time || self.answer_on_hit || out_of_nodes || is_answered
    }

    /// How long the results of the other threads may be waited for when the
    /// search is over; `None`: as long as it takes them.
    ///
    /// A thread looks at the stop signal in every node; one that does not answer
    /// stands still, and on a clock it gets a quarter of the time kept back.
    pub(super) fn patience_with_threads(&self) -> Option<Duration> {
        self.time.as_ref().map(|time| time.kept_back() / 4)
    }

    /// How long the votes of other processes may be waited for then.
    ///
    /// No clock runs out by it: the search ended at the hard limit at the
    /// latest, which lies the time kept back before the end of the time given,
    /// and of that they get one half. At least a quarter is left for what the
    /// overhead is meant for.
    pub(super) fn patience_with_peers(&self, peers: &dyn Peers) -> Duration {
        let usual = peers.gathering_time();
        self.time.as_ref().map_or(usual + UNHURRIED, |time| usual.min(time.kept_back() / 2))
    }
}

/// How often the first thread looks whether the search is over: seldom, for a
/// node takes a microsecond, but on a clock the first ones take milliseconds each
/// if the system provides the memory of a large new table only then.
pub(super) struct Polls {
    last: Duration,
    /// Nodes from one look to the next.
    interval: u64,
}

impl Polls {
    const MAX_INTERVAL: u64 = 512;
    /// Time between two looks that is too long.
    const TOO_LONG: Duration = Duration::from_millis(2);

    const fn new(is_on_clock: bool) -> Polls {
        Polls { last: Duration::ZERO, interval: if is_on_clock { 4 } else { Polls::MAX_INTERVAL } }
    }

    /// After how many nodes to look again, at this time of the search.
    fn next(&mut self, now: Duration) -> u64 {
        let took_long = now.saturating_sub(self.last) > Polls::TOO_LONG;
        self.last = now;
        self.interval = match took_long {
            true => (self.interval / 4).max(1),
            false => (2 * self.interval).min(Polls::MAX_INTERVAL),
        };
        self.interval
    }
}

/// One thread in one search.
pub(super) struct Searcher<'a> {
    /// Number of the thread, from 0.
    pub id: usize,
    pub shared: &'a SharedState,
    pub position: Position,
    pub evaluator: Evaluator,
    pub path: Path,
    pub histories: &'a Histories,
    pub corrections: &'a CorrectionHistory,
    pub stack: &'a mut Stack,
    /// In the first thread only.
    pub mates: Option<&'a mut MateSearch>,
    /// `None` if there are no endgame tables.
    pub prober: Option<Prober>,
    pub reductions: Reductions,
    pub root_moves: Vec<RootMove>,
    /// The line of a search for several that is being searched, from 0.
    pub line: usize,
    /// Depth of the iteration, plies.
    pub depth: i32,
    pub completed_depth: i32,
    /// The best move of the last completed iteration.
    pub completed: Option<RootMove>,
    /// Deepest ply reached in this iteration.
    pub seldepth: usize,
    /// Neither null moves nor reverse futility above this ply: verification is
    /// going on.
    pub null_min_ply: usize,
    /// In the first thread only.
    pub main: Option<MainThread>,
    pub nodes: u64,
    pub node_limit: u64,
    /// Nodes at which the first thread looks at the limits again.
    next_poll: u64,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        id: usize,
        shared: &'a SharedState,
        state: &'a mut ThreadState,
    ) -> Searcher<'a> {
        state.stack.reset();
        state.shared.is_clear.store(false, Relaxed);
        // before a ponder hit no limit counts, and in analysis none ever does
        let limits = &shared.limits;
        let is_exact = shared.is_alone() && !limits.ponder && !limits.infinite;
        let exact_limit = limits.nodes.filter(|_| is_exact);
        Searcher {
            id,
            shared,
            position: shared.root.clone(),
            evaluator: Evaluator::new(shared.options.eval.clone(), &shared.root),
            path: shared.path.clone(),
            histories: &state.shared.histories,
            corrections: &state.shared.corrections,
            stack: &mut state.stack,
            mates: (id == 0)
                .then(|| state.mates.get_or_insert_with(|| MateSearch::new(MATE_ENTRIES))),
            prober: (!shared.options.tables.is_empty())
                .then(|| Prober::new(Arc::clone(&shared.options.tables))),
            reductions: Reductions::new(&shared.options.params),
            root_moves: shared.root_moves.iter().map(|&m| RootMove::new(m)).collect(),
            line: 0,
            depth: 0,
            completed_depth: 0,
            completed: None,
            seldepth: 0,
            null_min_ply: 0,
            main: (id == 0).then(|| MainThread::new(shared)),
            nodes: 0,
            next_poll: if id == 0 { 0 } else { u64::MAX },
            node_limit: exact_limit.into_iter().chain(limits.handicap).min().unwrap_or(u64::MAX),
        }
    }

    /// Looks whether the search is over, at the beginning of a node.
    #[inline]
    pub(super) fn enter_node(&mut self) -> Result<(), Stopped> {
        if self.nodes >= self.node_limit {
            return Err(Stopped);
        }
        if self.nodes >= self.next_poll {
            self.poll();
        }
        let signals = &self.shared.signals;
        // the first iteration always ends, so that there is a move to play
        if signals.is_stopped() && self.completed_depth > 0 {
            return Err(Stopped);
        }
        Ok(())
    }

    /// In the first thread, stops the search if a limit has been reached.
    pub(super) fn poll(&mut self) {
        let signals = &self.shared.signals;
        let Some(main) = &mut self.main else { return };
        if main.is_over(self.shared) {
            signals.stop();
        }
        self.next_poll = self.nodes + main.polls.next(signals.ticked());
    }

    /// Counts nodes.
    #[inline]
    pub(super) fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes;
        self.shared.signals.nodes[self.id].store(self.nodes, Relaxed);
    }

    /// What a picker needs to know of the present node.
    #[inline]
    pub(super) fn picker_context<'b>(
        &'b self,
        quiets: &'b QuietHistory<'b>,
        check_squares: &'b CheckSquares,
    ) -> Context<'b> {
        Context {
            position: &self.position,
            histories: self.histories,
            quiets,
            check_squares,
            params: &self.shared.options.params,
        }
    }

    /// Asks for the table's entry of the position after a move, as soon as the
    /// move is drawn: memory takes longer to answer than it takes to make the
    /// move, and what is asked for in vain costs less than the wait.
    #[inline]
    pub(super) fn prefetch_after(&self, m: Move) {
        self.shared.tt.prefetch(self.position.key_after(m));
    }

    /// Plays a legal move from the node at `ply`. It is moves played that count as
    /// nodes, not null moves and searches anew, so that they compare with the
    /// nodes of other engines.
    #[inline]
    pub(super) fn make(&mut self, ply: usize, m: Move) {
        self.add_nodes(1);
        self.stack.at_mut(ply).played = PieceTo::of(&self.position, m);
        let key = self.position.key();
        self.evaluator.push(&self.position, m);
        let undo = self.position.make(m);
        self.path.push(key, m, undo, &self.position);
    }

    /// Passes at the node at `ply`.
    pub(super) fn make_null(&mut self, ply: usize) {
        self.stack.at_mut(ply).played = PieceTo::NONE;
        let key = self.position.key();
        let undo = self.position.make_null();
        self.shared.tt.prefetch(self.position.key());
        self.path.push_null(key, undo);
    }

    /// Takes the last move or null move back.
    #[inline]
    pub(super) fn unmake(&mut self) {
        if self.path.take_back(&mut self.position) {
            self.evaluator.pop();
        }
    }

    /// The uncorrected static evaluation of the present position.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Score {
        Score::from_centipawns(self.evaluator.evaluate(&self.position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_looked_at_more_often_where_nodes_take_long() {
        let (mut polls, mut now) = (Polls::new(true), Duration::ZERO);
        // time from one look to the next, nodes taking so long each
        let mut pass = |node: Duration| {
            let passed = node * polls.next(now) as u32;
            now += passed;
            passed
        };
        let (usual, slow) = (Duration::from_micros(1), Duration::from_millis(3));
        let first: Duration = (0..8).map(|_| pass(slow)).max().unwrap();
        assert!(first <= 8 * slow, "{first:?}");
        assert_eq!(pass(slow), slow, "after each node");
        assert_eq!((0..20).map(|_| pass(usual)).last(), Some(512 * usual));
    }
}
