//! What the engine reports of a search.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Move;
use crate::book::{BookMove, OpeningName};
use crate::search::Line;

/// A message from a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An opening book knows the position; one of its moves will be played.
    Book {
        /// What the opening is called.
        name: Option<OpeningName>,
        /// The moves, the heaviest first.
        moves: Vec<BookMove>,
    },
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

/// What the engine plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The move; `None` when there is no legal one.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// What is said together with the move.
    pub announcement: Option<Announcement>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
}

/// What may go along with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// A draw is offered, or the opponent's offer accepted.
    DrawOffer,
    /// The game is resigned.
    Resignation,
}

/// Receives the events of a search, on one of its threads.
pub type Observer = Arc<dyn Fn(Event) + Send + Sync>;
