//! What ends a search, and how it is carried out.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Move;
use crate::egtb::Tables;
use crate::eval::EvalKind;

use super::params::Params;

/// The limits of one search; whichever is reached first ends it. Without any,
/// it runs to the deepest depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Deepest iteration, plies.
    pub depth: Option<u32>,
    /// Nodes of all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// Nodes that a weakened player searches at most, with one thread, while
    /// pondering too; exact.
    pub handicap: Option<u64>,
    /// No iteration begins once so many nodes are searched.
    pub soft_nodes: Option<u64>,
    /// Stop once a mate in at most so many moves of the side to move is found.
    pub mate: Option<u32>,
    /// Time for this move, or the clock it must be taken from.
    pub time: Option<TimeLimit>,
    /// Give no best move before being told to stop.
    pub infinite: bool,
    /// The opponent has not played the expected move yet: no limit counts,
    /// and no best move is given, until `ponder_hit` or `stop`.
    pub ponder: bool,
    /// Only these root moves; empty for all.
    pub search_moves: Vec<Move>,
    /// Not these root moves, unless no other one is legal.
    pub banned: Vec<Move>,
}

impl Limits {
    /// Whether some root moves may be left out.
    pub(super) const fn leave_out_moves(&self) -> bool {
        !self.search_moves.is_empty() || !self.banned.is_empty()
    }
}

/// A limit on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// Exactly so much for the move, less the overhead.
    PerMove(Duration),
    /// A clock that must last for the moves to come.
    Clock(Clock),
}

/// The mover's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until time is added again; `None` if it never is.
    pub moves_to_go: Option<u32>,
    /// The most that this move may take.
    pub most: Option<Duration>,
}

/// How searches are carried out; stays the same from one to the next.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How many best lines to find; at least 1.
    pub lines: usize,
    /// How positions are evaluated.
    pub eval: EvalKind,
    /// Time kept back of each move for delays between engine and referee.
    pub overhead: Duration,
    /// Whether the opponent's time will be used as well.
    pub will_ponder: bool,
    /// So many nodes count as a millisecond of every time limit; 0: time is
    /// time.
    pub node_rate: u64,
    /// Whether to avoid repetitions that any rule set might hold against us,
    /// for a referee whose rules are unknown; otherwise the rules in force
    /// decide.
    pub is_cautious: bool,
    /// By how many centipawns a draw by the rules counts as worse than even for
    /// the side to move at the root; not in analysis ([`Limits::infinite`]).
    pub contempt: i32,
    /// The endgame tables to be asked.
    pub tables: Arc<Tables>,
    /// The constants of the search.
    pub params: Params,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            lines: 1,
            eval: EvalKind::default(),
            overhead: Duration::from_millis(30),
            will_ponder: false,
            node_rate: 0,
            is_cautious: false,
            contempt: 0,
            tables: Arc::default(),
            params: Params::default(),
        }
    }
}
