//! What a search reports while it runs, and what it found.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Move;
use crate::score::{Bound, Score};

/// Receives the events of a search, on the thread of its first searcher.
pub type Observer = Arc<dyn Fn(Event) + Send + Sync>;

/// A message from the search.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A principal variation.
    Line(Line),
    /// The root move being searched; only in searches that take long.
    CurrentMove {
        /// Depth of the iteration.
        depth: u32,
        /// The move.
        current: Move,
        /// Its number in the list, from 1.
        number: usize,
    },
    /// The end; nothing follows.
    Done(Outcome),
}

/// One principal variation and what it took to find.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Depth of the iteration, plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Rank among the lines of a search for several, from 1.
    pub multipv: usize,
    /// From the side to move's view.
    pub score: Score,
    /// Whether the score is exact or the edge of an aspiration window.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// Use of the table, per mille.
    pub hashfull: u32,
    /// Hits in endgame tables.
    pub table_hits: u64,
    /// The moves; at least one.
    pub pv: Vec<Move>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The move to play; `None` when there is no legal one.
    pub best: Option<Move>,
    /// The expected answer.
    pub ponder: Option<Move>,
    /// Score of the best move.
    pub score: Score,
    /// Score of the last iteration that the first thread completed; `None`
    /// if it completed none. Always exact, unlike [`Outcome::score`], which a
    /// stop in the middle of an iteration may leave at a bound.
    pub exact: Option<Score>,
    /// Depth of the last iteration that counted.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// What the clock counts of it: what follows a ponder hit, if there was
    /// one; nodes in place of time under
    /// [`node_rate`](super::SearchOptions::node_rate).
    pub on_clock: Duration,
    /// The final lines, best first: one per requested variation.
    pub lines: Vec<Line>,
}
