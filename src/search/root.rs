//! The root: iterative deepening, aspiration windows, several lines, and the
//! duties of the first worker.

use std::cmp::Reverse;
use std::time::Duration;

use crate::board::Move;
use crate::score::{Bound, MAX_PLY, Score, Verdict};

use super::clock::{Budget, Progress};
use super::event::{Event, Line};
use super::node::Root;
use super::pool::Job;
use super::worker::{Stopped, Worker};

/// A move of the root and how it does.
#[derive(Clone)]
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

/// What the first worker does beside searching: it watches the limits and
/// reports.
pub(super) struct Duties {
    budget: Option<Budget>,
    stable_iterations: u32,
    last_best: Option<Move>,
    /// Scores of the iterations so far, smoothed.
    smooth_score: Option<f64>,
    /// Enough was searched while pondering: a ponder hit is answered at once.
    answer_on_hit: bool,
}

/// Time after which the moves of the root are announced one by one.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(3);
/// Time after which changes within an iteration are reported.
const REPORT_BOUNDS_AFTER: Duration = Duration::from_millis(500);

impl Duties {
    pub(super) fn new(job: &Job) -> Duties {
        let budget = job
            .task
            .limits
            .time
            .map(|limit| Budget::new(limit, job.task.overhead, job.task.will_ponder));
        Duties {
            budget,
            stable_iterations: 0,
            last_best: None,
            smooth_score: None,
            answer_on_hit: false,
        }
    }
}

impl Worker<'_> {
    /// Searches deeper and deeper until a limit is reached.
    pub(super) fn deepen(&mut self) {
        let deepest = self
            .job
            .task
            .limits
            .depth
            .map_or(MAX_PLY as u32, |depth| depth.clamp(1, MAX_PLY as u32));
        for depth in 1..=deepest as i32 {
            self.depth = depth;
            for root in &mut self.root_moves {
                root.previous = root.score;
            }
            if self.iterate().is_err() {
                // the last word: where the search stood when it was stopped
                if self.duties.is_some() {
                    self.report(0);
                }
                return;
            }
            self.completed_depth = depth;
            self.completed_score = Some(self.root_moves[0].score);
            if self.duties.is_some() && self.is_enough() {
                return;
            }
        }
        self.finish();
    }

    /// The deepest iteration asked for is done; it does not matter by whom,
    /// unless all lines are wanted, which only the first worker reports.
    fn finish(&self) {
        let task = &self.job.task;
        let waits = task.limits.infinite || self.job.control.is_pondering();
        if !waits && (task.lines == 1 || self.duties.is_some()) {
            self.job.control.stop();
        }
    }

    /// One iteration: each requested line in turn.
    fn iterate(&mut self) -> Result<(), Stopped> {
        let lines = self.job.task.lines.min(self.root_moves.len());
        for line in 0..lines {
            self.line = line;
            self.seldepth = 0;
            let searched = self.aspire();
            self.sort_root_moves(line);
            searched?;
            self.sort_root_moves(0);
        }
        self.line = 0;
        if self.duties.is_some() {
            for line in 0..lines {
                self.report(line);
            }
        }
        Ok(())
    }

    /// Searches the root with a narrow window around the last score and opens
    /// it as long as the score falls outside.
    fn aspire(&mut self) -> Result<(), Stopped> {
        let previous = self.root_moves[self.line].previous;
        // threads differ a little, so that they do not all search the same tree
        let mut delta = self.job.task.params.aspiration_delta + (self.id % 8) as i32;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        if self.depth >= 4 && !previous.is_decisive() {
            alpha = previous - delta;
            beta = previous + delta;
        }
        let mut failed_high = 0;
        loop {
            let depth = (self.depth - failed_high).max(1);
            let score = self.pvs::<Root>(alpha, beta, depth, 0, false)?;
            self.sort_root_moves(self.line);
            if score <= alpha {
                beta = Score::from_raw((alpha.raw() + beta.raw()) / 2);
                alpha = (score - delta).max(-Score::INFINITE);
                failed_high = 0;
                self.root_moves[self.line].bound = Bound::Upper;
            } else if score >= beta {
                beta = (score + delta).min(Score::INFINITE);
                failed_high = (failed_high + 1).min(4);
                self.root_moves[self.line].bound = Bound::Lower;
            } else {
                self.root_moves[self.line].bound = Bound::Exact;
                return Ok(());
            }
            if self.duties.is_some() && self.job.control.elapsed() >= REPORT_BOUNDS_AFTER {
                self.report(self.line);
            }
            delta += delta / 2 + 5;
            if delta > 800 || score.is_decisive() {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Best first, the order otherwise kept; moves before `from` stay.
    fn sort_root_moves(&mut self, from: usize) {
        self.root_moves[from..].sort_by_key(|root| Reverse((root.score, root.previous)));
    }

    /// Notes the score of the root move that was searched as the `number`th.
    pub(super) fn note_root_score(
        &mut self,
        number: usize,
        score: Score,
        alpha: Score,
        nodes_before: u64,
    ) {
        let nodes = self.nodes() - nodes_before;
        let seldepth = self.seldepth;
        let rest =
            if number == 1 || score > alpha { self.frame(1).pv.to_vec() } else { Vec::new() };
        let root = &mut self.root_moves[self.line + number - 1];
        root.nodes += nodes;
        if number == 1 || score > alpha {
            root.score = score;
            root.seldepth = seldepth;
            root.pv.truncate(1);
            root.pv.extend(rest);
        } else {
            root.score = -Score::INFINITE;
        }
    }

    /// Tells which root move is being searched, in long searches.
    pub(super) fn announce(&self, current: Move, number: usize) {
        if self.duties.is_some() && self.job.control.elapsed() >= ANNOUNCE_AFTER {
            let number = self.line + number;
            self.job.send(Event::CurrentMove { depth: self.depth as u32, current, number });
        }
    }

    /// Stops the search if a limit has been reached.
    pub(super) fn poll(&self) {
        let Some(duties) = &self.duties else { return };
        let control = &self.job.control;
        if control.is_pondering() || self.job.task.limits.infinite {
            return;
        }
        let out_of_time =
            duties.budget.is_some_and(|budget| control.clock_elapsed() >= budget.hard());
        let out_of_nodes =
            self.job.task.limits.nodes.is_some_and(|limit| control.total_nodes() >= limit);
        if out_of_time || duties.answer_on_hit || out_of_nodes {
            control.stop();
        }
    }

    /// Whether another iteration is not worth beginning.
    fn is_enough(&mut self) -> bool {
        let progress = self.progress();
        let best = &self.root_moves[0];
        let limits = &self.job.task.limits;
        if limits.infinite {
            return false;
        }
        if limits.soft_nodes.is_some_and(|limit| self.job.control.total_nodes() >= limit) {
            return true;
        }
        if let (Some(moves), Verdict::Mate(plies)) = (limits.mate, best.score.verdict())
            && plies > 0
            && (plies + 1) / 2 <= moves as i32
        {
            return true;
        }
        let Some(duties) = &mut self.duties else { return false };
        let Some(budget) = duties.budget else { return false };
        // a mate that is nearer than the depth searched cannot be improved
        let certain = matches!(best.score.verdict(), Verdict::Mate(plies)
            if plies.abs() < self.depth && self.job.task.lines == 1);
        let control = &self.job.control;
        if control.is_pondering() {
            duties.answer_on_hit = certain || budget.is_spent(control.ticked(), &progress);
            return false;
        }
        certain || budget.is_spent(control.clock_elapsed(), &progress)
    }

    /// Notes the result of an iteration and says how the search stands.
    fn progress(&mut self) -> Progress {
        let best = &self.root_moves[0];
        let (m, score, nodes) = (best.first(), f64::from(best.score.raw()), best.nodes);
        let total = self.nodes().max(1);
        let forced = self.root_moves.len() == 1;
        let Some(duties) = &mut self.duties else {
            return Progress { stable_iterations: 0, score_drop: 0, best_share: 1.0, forced };
        };
        duties.stable_iterations =
            if duties.last_best == Some(m) { duties.stable_iterations + 1 } else { 0 };
        duties.last_best = Some(m);
        let before = duties.smooth_score.unwrap_or(score);
        duties.smooth_score = Some(0.6 * before + 0.4 * score);
        Progress {
            stable_iterations: duties.stable_iterations,
            score_drop: (before - score).clamp(-500.0, 500.0) as i32,
            best_share: nodes as f64 / total as f64,
            forced,
        }
    }

    /// Reports a line.
    fn report(&self, line: usize) {
        if self.job.observer.is_some() {
            self.job.send(Event::Line(self.describe(line)));
        }
    }

    /// A line of this worker as it stands.
    pub(super) fn describe(&self, line: usize) -> Line {
        let root = &self.root_moves[line];
        let unfinished = root.score == -Score::INFINITE;
        Line {
            depth: if unfinished { self.depth.max(2) - 1 } else { self.depth } as u32,
            seldepth: root.seldepth as u32,
            multipv: line + 1,
            score: if unfinished { root.previous } else { root.score },
            bound: root.bound,
            nodes: self.job.control.total_nodes(),
            time: self.job.control.elapsed(),
            hashfull: self.job.table.hashfull(),
            table_hits: 0,
            pv: root.pv.clone(),
        }
    }
}
