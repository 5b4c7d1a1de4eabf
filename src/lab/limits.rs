//! What ends a search: its depth, or a limit before that.
//!
//! A search that runs out of its limits unwinds: every visit from then on
//! answers at once, nothing is remembered, and the iteration does not count.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The limits of a search; whichever is reached first ends it.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Plies of the last iteration.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: Option<u64>,
    /// Time from the beginning of the search.
    pub time: Option<Duration>,
    /// Ends the search as soon as somebody sets it.
    pub stop: Arc<AtomicBool>,
}

impl Limits {
    /// No limit but the depth.
    pub fn to_depth(depth: u32) -> Limits {
        Limits { depth, ..Limits::default() }
    }
}

/// Nodes between two looks at the clock and the stop signal.
const INTERVAL: u64 = 1024;

/// What a search in progress may still spend.
pub(super) struct Budget {
    nodes: u64,
    deadline: Option<Instant>,
    stop: Arc<AtomicBool>,
    is_spent: bool,
}

impl Budget {
    /// The budget of a search that begins now.
    pub fn new(limits: &Limits) -> Budget {
        Budget {
            nodes: limits.nodes.unwrap_or(u64::MAX),
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            stop: Arc::clone(&limits.stop),
            is_spent: limits.stop.load(Relaxed),
        }
    }

    /// Takes notice of the number of nodes so far, one more than the last time.
    pub fn note(&mut self, nodes: u64) {
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let looks = nodes.is_multiple_of(INTERVAL);
        self.is_spent |= nodes > self.nodes || looks && (self.stop.load(Relaxed) || is_late());
    }

    /// Whether the search has to end.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }
}
