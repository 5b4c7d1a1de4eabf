//! Other processes that search the same position: what the search asks of
//! them, and what it tells them.

use std::time::Duration;

use super::vote::ThreadResult;

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
    fn end(&self, _wait: Duration) -> Vec<ThreadResult> {
        Vec::new()
    }
}
