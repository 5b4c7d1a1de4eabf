//! One search on several ranks: all search the same position and exchange deep
//! entries of their transposition tables; in the end each has a vote.
//!
//! Rank 0 has the [`Leader`] and everything that exists once: the conversation,
//! the clock, the book, the choice of the move. On the others
//! [`follow`] searches until it is told to stop. `message` has what they say
//! to one another, `exchange` what goes to and fro between the tables.

use std::sync::Arc;

use crate::link::Ranks;
use crate::search::{Limits, Peers};

use super::{Engine, EngineError};

mod exchange;
mod follower;
mod leader;
mod message;
#[cfg(test)]
mod tests;

use message::Task;

pub use follower::{FollowError, follow};
pub use leader::Leader;

impl Engine {
    /// An engine at the start of a game, as rank 0 of several that search
    /// together; on the others [`follow`] has to run.
    ///
    /// # Errors
    /// When the memory for the hash table or a thread cannot be had.
    pub fn leading(ranks: Ranks) -> Result<Engine, EngineError> {
        let mut engine = Engine::new()?;
        let net = engine.evaluation().identity();
        engine.leader = Some(Leader::new(ranks, engine.settings.of_search(), net)?);
        Ok(engine)
    }

    /// Has the other ranks search as this one does.
    pub(super) fn configure_ranks(&self) {
        if let Some(leader) = &self.leader {
            leader.configure(self.settings.of_search(), || self.evaluation().identity());
        }
    }

    /// Has the other ranks search as well, if there are any.
    pub(super) fn peers(&self, limits: &Limits) -> Option<Arc<dyn Peers>> {
        let leader = self.leader.as_ref()?;
        let limits = Limits {
            depth: limits.depth,
            mate: limits.mate,
            // before a ponder hit nothing ends the search
            infinite: limits.infinite || limits.ponder,
            search_moves: limits.search_moves.clone(),
            banned: limits.banned.clone(),
            ..Limits::default()
        };
        let (start, moves) = (self.game.start().to_fen(), self.game.moves().collect());
        let task = Task { start, moves, limits, ..Task::default() };
        Some(leader.begin(task, Arc::clone(self.pool.table())))
    }
}
