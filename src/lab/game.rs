//! What a game must offer to be searched.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use crate::score::Score;

/// A two-player zero-sum game with full information, at one of its positions.
///
/// All scores are from the view of the side to move (negamax). A position is
/// judged without its history: its score depends on the position and on the
/// depth alone, which is what lets a transposition table be exact.
///
/// The first six methods are the game; the others are what enhancements ask,
/// and a game that has no use for them keeps the defaults.
pub trait Game {
    /// A move.
    type Move: Copy + Eq + Hash + Debug + Display;

    /// The legal moves in a fixed order; none when the game is over.
    fn moves(&self) -> Vec<Self::Move>;

    /// Plays a legal move.
    fn make(&mut self, m: Self::Move);

    /// Takes the last move, or null move, back.
    fn unmake(&mut self);

    /// The score of a position without moves, `ply` plies from the root.
    fn final_score(&self, ply: usize) -> Score;

    /// The static evaluation in centipawns.
    fn evaluate(&mut self) -> i32;

    /// A key for the transposition table: equal positions have equal keys.
    fn key(&self) -> u64;

    /// Whether the side to move is in check.
    fn in_check(&self) -> bool {
        false
    }

    /// What a capture seems to win, in the game's own small units, before any
    /// search; `None` for a move that captures nothing.
    fn capture_gain(&mut self, _m: Self::Move) -> Option<i32> {
        None
    }

    /// Passes the move to the other side, and says whether the game allows it.
    fn make_null(&mut self) -> bool {
        false
    }
}
