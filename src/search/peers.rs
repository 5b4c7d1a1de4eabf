//! Other processes that search the same position: what the search asks of
//! them, and what it tells them.

use std::time::Duration;

use crate::board::Position;

use super::event::{Line, Outcome};

/// Entries of the table that are at least so deep are worth sending, plies.
/// One store in twenty is; from 2 or 6 plies on no more was gained.
pub(super) const LEAST_DEPTH: i32 = 4;

/// The other processes, in one search. What they store in their tables comes
/// into the own one without the search knowing.
pub trait Peers: Send + Sync {
    /// Offers them an [`Entry`](super::Entry) as a word under the key of its
    /// position. All threads call this often: it must not wait.
    fn post(&self, key: u64, word: u64);

    /// Nodes that they have searched.
    fn nodes(&self) -> u64 {
        0
    }

    /// Whether one of them has found all that was asked for.
    fn is_answered(&self) -> bool {
        false
    }

    /// How long it takes to end their search and to gather what they found.
    fn gathering_time(&self) -> Duration {
        Duration::ZERO
    }

    /// Ends their search. What they found, as far as it comes in this time.
    fn end(&self, _wait: Duration) -> Vec<Ballot> {
        Vec::new()
    }
}

/// What a process found: its vote.
#[derive(Clone, Debug, PartialEq)]
pub struct Ballot {
    /// Depth of the last iteration that was completed, plies.
    pub depth: u32,
    /// Its best line.
    pub line: Line,
}

impl Ballot {
    /// The vote for the best move of an outcome, if there is a move.
    pub fn of(outcome: &Outcome) -> Option<Ballot> {
        Some(Ballot { depth: outcome.depth, line: outcome.lines.first()?.clone() })
    }

    /// The ballot with as much of its line as can be played; `None` if that is
    /// nothing.
    pub(super) fn checked(mut self, root: &Position) -> Option<Ballot> {
        let mut position = root.clone();
        let legal = self.line.pv.iter().take_while(|&&m| {
            let is_legal = position.is_legal(m);
            if is_legal {
                position.make(m);
            }
            is_legal
        });
        let legal = legal.count();
        self.line.pv.truncate(legal);
        (legal > 0).then_some(self)
    }
}
