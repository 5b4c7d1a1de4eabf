//! Which positions are being searched right now, so that threads do not do the
//! same work at the same time.
//!
//! After T. Kerrigan's simplification of ABDADA: a thread that is about to
//! search a late move into a position which another thread is searching puts
//! the move off until its other moves are done. By then the table most likely
//! knows the answer, or a cut-off has made it superfluous.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::candidates::Candidate;
use super::node::Node;
use super::worker::Worker;

/// Nodes shallower than this, plies, cost less than looking after them.
const MIN_DEPTH: i32 = 4;

const SLOTS: usize = 1 << 12;

/// Marks of the threads on positions, by key. A mark may be lost to another
/// position of the same slot: then work is done twice, no more.
pub(super) struct Breadcrumbs {
    slots: Vec<AtomicU64>,
}

impl Breadcrumbs {
    /// No marks; a search with one thread never makes any.
    pub(super) fn new(workers: usize) -> Breadcrumbs {
        let slots = if workers > 1 { SLOTS } else { 0 };
        Breadcrumbs { slots: (0..slots).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Whether there is more than one thread to make marks.
    #[inline]
    fn are_used(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Whether a thread is searching the position.
    #[inline]
    fn mark(&self, key: u64) -> bool {
        self.slot(key).is_some_and(|slot| slot.load(Relaxed) == key)
    }

    /// This thread searches the position from now on.
    #[inline]
    fn drop_at(&self, key: u64) {
        if let Some(slot) = self.slot(key) {
            slot.store(key, Relaxed);
        }
    }

    /// The position has been searched.
    #[inline]
    pub(super) fn pick_up(&self, key: u64) {
        if let Some(slot) = self.slot(key)
            && slot.load(Relaxed) == key
        {
            slot.store(0, Relaxed);
        }
    }

    #[inline]
    fn slot(&self, key: u64) -> Option<&AtomicU64> {
        self.slots.get(key as usize % SLOTS)
    }
}

impl Worker<'_> {
    /// Whether another thread is searching what a late move leads to.
    #[inline]
    pub(super) fn is_busy_elsewhere(&self, node: &Node, candidate: &Candidate) -> bool {
        let crumbs = &self.job.breadcrumbs;
        crumbs.are_used()
            && node.depth >= MIN_DEPTH
            && candidate.number > 1
            && crumbs.mark(self.position.key_after(candidate.m))
    }

    /// Lets the other threads know that the position on the board, the child
    /// of `node`, is being searched; gives the mark to be picked up.
    #[inline]
    pub(super) fn drop_breadcrumb(&self, node: &Node) -> Option<u64> {
        let crumbs = &self.job.breadcrumbs;
        let worth_it = crumbs.are_used() && node.depth >= MIN_DEPTH;
        worth_it.then(|| {
            let key = self.position.key();
            crumbs.drop_at(key);
            key
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_lasts_until_it_is_picked_up() {
        let crumbs = Breadcrumbs::new(2);
        assert!(crumbs.are_used() && !crumbs.mark(77));
        crumbs.drop_at(77);
        assert!(crumbs.mark(77) && !crumbs.mark(77 + SLOTS as u64));
        crumbs.pick_up(77 + SLOTS as u64);
        assert!(crumbs.mark(77));
        crumbs.pick_up(77);
        assert!(!crumbs.mark(77));
    }

    #[test]
    fn one_thread_makes_no_marks() {
        let crumbs = Breadcrumbs::new(1);
        crumbs.drop_at(77);
        assert!(!crumbs.are_used() && !crumbs.mark(77));
    }
}
