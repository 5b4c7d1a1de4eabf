//! A worker: all that one thread owns during one search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;
use parking_lot::{Condvar, Mutex};

use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::rules::{is_material_insufficient, judge_cycle, offends_any};
use crate::score::{MAX_PLY, Score};

use super::history::{Histories, PieceTo, Trail};
use super::path::Path;
use super::pool::Job;
use super::prune::Reductions;
use super::root::{Duties, RootMove};

/// The search was told to stop; the tree is left as it is.
#[derive(Debug)]
pub(super) struct Stopped;

/// The score of a node, or the news that the search is over.
pub(super) type Searched = Result<Score, Stopped>;

/// How the threads of one search are told what to do.
pub(super) struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Nodes of each worker; each writes its own cache line.
    nodes: Vec<CachePadded<AtomicU64>>,
    began: Instant,
    /// So many nodes count as a millisecond; 0: time is time.
    node_rate: u64,
    /// When the clock began to run, in microseconds since `began`.
    clock_began: AtomicU64,
    /// Where the first worker waits for `stop` or `ponder_hit`.
    gate: Mutex<()>,
    released: Condvar,
}

impl Control {
    pub(super) fn new(workers: usize, ponder: bool, node_rate: u64) -> Control {
        Control {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(ponder),
            nodes: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
            began: Instant::now(),
            node_rate,
            clock_began: AtomicU64::new(0),
            gate: Mutex::new(()),
            released: Condvar::new(),
        }
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub(super) fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Ends the search as soon as every worker looks.
    pub(super) fn stop(&self) {
        let _gate = self.gate.lock();
        self.stop.store(true, Relaxed);
        self.released.notify_all();
    }

    /// The expected move was played: the clock runs from now on.
    pub(super) fn ponder_hit(&self) {
        let _gate = self.gate.lock();
        self.clock_began.store(self.ticked().as_micros() as u64, Relaxed);
        self.pondering.store(false, Relaxed);
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

    /// Nodes of all workers so far.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Relaxed)).sum()
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

/// A principal variation of bounded length.
#[derive(Clone)]
pub(super) struct Variation {
    moves: [Option<Move>; Variation::CAPACITY],
    len: usize,
}

impl Variation {
    const CAPACITY: usize = 64;

    const fn new() -> Variation {
        Variation { moves: [None; Variation::CAPACITY], len: 0 }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Becomes `first` followed by `rest`.
    pub(super) fn lead(&mut self, first: Move, rest: &Variation) {
        self.moves[0] = Some(first);
        let kept = rest.len.min(Variation::CAPACITY - 1);
        self.moves[1..=kept].copy_from_slice(&rest.moves[..kept]);
        self.len = kept + 1;
    }

    pub(super) fn to_vec(&self) -> Vec<Move> {
        self.moves[..self.len].iter().copied().flatten().collect()
    }
}

/// What is known of one ply of the present line.
#[derive(Clone)]
pub(super) struct Frame {
    /// The move being searched from here.
    pub played: PieceTo,
    /// The corrected static evaluation; `None` in check.
    pub eval: Option<Score>,
    /// The move a singular search leaves out.
    pub excluded: Option<Move>,
    /// Quiet moves that refuted sister nodes.
    pub killers: [Option<Move>; 2],
    /// How much shallower than usual the move is searched, plies.
    pub reduction: i32,
    /// Beta cut-offs among the children.
    pub cutoffs: u32,
    /// Double extensions on the way here.
    pub double_extensions: u32,
    pub pv: Variation,
}

impl Frame {
    const fn new() -> Frame {
        Frame {
            played: PieceTo::NONE,
            eval: None,
            excluded: None,
            killers: [None; 2],
            reduction: 0,
            cutoffs: 0,
            double_extensions: 0,
            pv: Variation::new(),
        }
    }
}

/// Frames before the root, so that looking back never leaves the array.
const BEFORE_ROOT: usize = 6;

/// What a thread keeps from one search to the next.
pub(super) struct Memory {
    pub histories: Histories,
    frames: Vec<Frame>,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory {
            histories: Histories::new(),
            frames: vec![Frame::new(); BEFORE_ROOT + MAX_PLY + 2],
        }
    }
}

/// One thread in one search.
pub(super) struct Worker<'a> {
    pub id: usize,
    pub job: &'a Job,
    pub position: Position,
    pub evaluator: Evaluator,
    pub path: Path,
    pub histories: &'a mut Histories,
    frames: &'a mut [Frame],
    pub reductions: Reductions,
    pub root_moves: Vec<RootMove>,
    /// The line of a search for several that is being searched, from 0.
    pub line: usize,
    pub depth: i32,
    pub completed_depth: i32,
    /// Score of the best move of the last completed iteration.
    pub completed_score: Option<Score>,
    pub seldepth: usize,
    /// Null moves are not tried above this ply: verification is going on.
    pub null_min_ply: usize,
    /// What the first worker does beside searching.
    pub duties: Option<Duties>,
    nodes: u64,
    node_limit: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(id: usize, job: &'a Job, memory: &'a mut Memory) -> Worker<'a> {
        memory.frames.fill(Frame::new());
        // before a ponder hit no limit counts, and in analysis none ever does
        let exact = job.workers == 1 && !job.task.limits.ponder && !job.task.limits.infinite;
        Worker {
            id,
            job,
            position: job.root.clone(),
            evaluator: Evaluator::new(job.task.eval.clone(), &job.root),
            path: job.path.clone(),
            histories: &mut memory.histories,
            frames: &mut memory.frames,
            reductions: Reductions::new(&job.task.params),
            root_moves: job.root_moves.iter().map(|&m| RootMove::new(m)).collect(),
            line: 0,
            depth: 0,
            completed_depth: 0,
            completed_score: None,
            seldepth: 0,
            null_min_ply: 0,
            duties: (id == 0).then(|| Duties::new(job)),
            nodes: 0,
            node_limit: job.task.limits.nodes.filter(|_| exact).unwrap_or(u64::MAX),
        }
    }

    /// Counts a node and looks whether the search is over.
    #[inline]
    pub(super) fn enter_node(&mut self) -> Result<(), Stopped> {
        /// Nodes between two looks at the clock.
        const POLL: u64 = 512;
        if self.nodes >= self.node_limit {
            self.job.control.stop();
        } else if self.nodes.is_multiple_of(POLL) && self.duties.is_some() {
            self.poll();
        }
        // the first iteration always ends, so that there is a move to play
        let may_stop = self.completed_depth > 0 || self.nodes >= self.node_limit;
        if self.job.control.is_stopped() && may_stop {
            return Err(Stopped);
        }
        self.nodes += 1;
        self.job.control.nodes[self.id].store(self.nodes, Relaxed);
        Ok(())
    }

    /// Nodes that this worker has searched.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    #[inline]
    pub(super) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[BEFORE_ROOT + ply]
    }

    #[inline]
    pub(super) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[BEFORE_ROOT + ply]
    }

    /// The frame `back` plies before that of `ply`, at most six.
    #[inline]
    pub(super) fn earlier(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[BEFORE_ROOT + ply - back]
    }

    /// The moves that led to the node at `ply`.
    #[inline]
    pub(super) fn trail(&self, ply: usize) -> Trail {
        [1, 2, 4, 6].map(|back| self.earlier(ply, back).played)
    }

    /// Plays a legal move from the node at `ply`.
    #[inline]
    pub(super) fn make(&mut self, ply: usize, m: Move) {
        self.job.table.prefetch(self.position.key_after(m));
        self.frame_mut(ply).played = PieceTo::of(&self.position, m);
        let key = self.position.key();
        self.evaluator.push(&self.position, m);
        let undo = self.position.make(m);
        self.path.push(key, m, undo, &self.position);
    }

    /// Passes at the node at `ply`.
    pub(super) fn make_null(&mut self, ply: usize) {
        self.frame_mut(ply).played = PieceTo::NONE;
        let key = self.position.key();
        let undo = self.position.make_null();
        self.job.table.prefetch(self.position.key());
        self.path.push_null(key, undo);
    }

    /// Takes the last move or null move back.
    #[inline]
    pub(super) fn unmake(&mut self) {
        match self.path.pop() {
            Some((Some(m), undo)) => {
                self.position.unmake(m, undo);
                self.evaluator.pop();
            }
            Some((None, undo)) => self.position.unmake_null(undo),
            None => {}
        }
    }

    /// The score of a node at which the game is over or cannot be won any
    /// more: a repetition, the move limit, nothing left to attack with.
    #[inline]
    pub(super) fn game_over(&self, ply: usize) -> Option<Score> {
        if let Some(plies) = self.path.plies_since(self.position.key()) {
            return Some(self.judge_repetition(ply, plies));
        }
        if self.path.quiet_plies() >= self.job.task.rules.quiet_limit
            && self.position.has_legal_move()
        {
            return Some(Score::DRAW);
        }
        is_material_insufficient(&self.position).then_some(Score::DRAW)
    }

    /// What the rules say of a position that occurred `plies` ago.
    ///
    /// Our own offence counts as a loss if any rule set might see one: the
    /// referee's reading may differ from ours. The opponent's counts as a win
    /// if we are clear of that and the rule set in force says so.
    #[cold]
    fn judge_repetition(&self, ply: usize, plies: usize) -> Score {
        let (start, moves) = self.path.cycle(&self.position, plies);
        let side = self.position.side_to_move();
        let us = if ply.is_multiple_of(2) { side } else { !side };
        let loser = match judge_cycle(self.job.task.rules.rules, &start, &moves).offender {
            Some(loser) if loser == us => us,
            _ if offends_any(&start, &moves, us) => us,
            Some(loser) => loser,
            None => return Score::DRAW,
        };
        let loss = Score::rule_loss_in(ply);
        if loser == side { loss } else { -loss }
    }
}
