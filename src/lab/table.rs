//! The transposition table: the same position reached by another order of moves,
//! or in an earlier iteration, need not be searched again.
//!
//! Null window searches (MTD, bisection, NegaScout) visit the same nodes many
//! times and depend on it: Plaat and others (1996) call theirs "memory-enhanced
//! test".

use std::collections::HashMap;

use crate::score::{Bound, Score};

use super::window::Window;

/// Positions kept; a full table takes no new ones, but renews those it has.
const CAPACITY: usize = 1 << 22;

/// What is known of a position.
#[derive(Clone, Copy)]
pub(super) struct Entry<M> {
    /// The depth of the search that found it.
    pub depth: i32,
    /// The score, with distances to mate counted from this position.
    pub score: Score,
    /// Which side of the truth the score stands on.
    pub bound: Bound,
    /// The best move, or the one that refuted.
    pub m: Option<M>,
}

impl<M> Entry<M> {
    /// The score as a node `ply` plies from the root uses it, if it decides a
    /// search with this window.
    pub fn score_for(&self, window: Window, ply: usize) -> Option<Score> {
        let score = self.score.seen_from_root(ply);
        let decides = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        };
        decides.then_some(score)
    }
}

/// Positions by key.
pub(super) struct TranspositionTable<M> {
    entries: HashMap<u64, Entry<M>>,
}

impl<M: Copy> TranspositionTable<M> {
    pub fn new() -> TranspositionTable<M> {
        TranspositionTable { entries: HashMap::new() }
    }

    pub fn get(&self, key: u64) -> Option<Entry<M>> {
        self.entries.get(&key).copied()
    }

    /// Stores the result of the latest search of a position; if `keeps_deeper`,
    /// only where it is deeper than the one known, or as deep with a greater
    /// score. A move known before stays if this search found none.
    pub fn store(&mut self, key: u64, mut entry: Entry<M>, keeps_deeper: bool) {
        let full = self.entries.len() >= CAPACITY;
        let rank = |entry: &Entry<M>| (entry.depth, entry.score);
        match self.entries.get_mut(&key) {
            Some(old) if keeps_deeper && rank(&entry) <= rank(old) => {}
            Some(old) => {
                entry.m = entry.m.or(old.m);
                *old = entry;
            }
            None if full => {}
            None => {
                self.entries.insert(key, entry);
            }
        }
    }
}
