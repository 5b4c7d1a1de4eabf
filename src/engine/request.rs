//! What a search is asked for and what it tells.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Move;
use crate::search::{Limits, Line};

/// What to search, beside the position and the banned moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoRequest {
    /// What ends the search. Its banned moves are replaced by those of
    /// [`Engine::ban_moves`](super::Engine::ban_moves).
    pub limits: Limits,
    /// Whether the opponent offers a draw.
    pub draw_offered: bool,
}

/// A message from a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The moves that the opening book knows, the heaviest first; one of them
    /// will be played.
    Book(Vec<Candidate>),
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
    Done(Answer),
}

/// A move of the opening book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub m: Move,
    /// How much the book thinks of it, compared with the others.
    pub weight: u32,
}

/// What the engine plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The move; `None` when there is no legal one.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// What is claimed together with the move.
    pub claim: Option<Claim>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
}

/// What may go along with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A draw is offered, or the offer accepted.
    Draw,
    /// The game is given up.
    Resign,
}

/// Receives the events of a search, on one of its threads.
pub type Observer = Arc<dyn Fn(Event) + Send + Sync>;
