//! Which positions are being searched right now, so that threads do not do the
//! same work at the same time.
//!
//! After T. Kerrigan's simplification of ABDADA: a thread that is about to
//! search a late move into a position which another thread is searching defers
//! the move until its other moves are done. By then the table most likely
//! knows the answer, or a cut-off has made it superfluous.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SLOTS: usize = 1 << 12;

/// Marks of the threads on positions, by key. A mark may be lost to another
/// position of the same slot: then work is done twice, no more.
pub(super) struct Breadcrumbs {
    /// None for a search with one thread.
    slots: Vec<AtomicU64>,
}

impl Breadcrumbs {
    /// No marks; a search with one thread never makes any.
    pub(super) fn new(threads: usize) -> Breadcrumbs {
        let slots = if threads > 1 { SLOTS } else { 0 };
        Breadcrumbs { slots: (0..slots).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Whether there is more than one thread to make marks.
    #[inline]
    pub(super) fn are_used(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Whether a thread is searching the position.
    #[inline]
    pub(super) fn is_marked(&self, key: u64) -> bool {
        self.slot(key).is_some_and(|slot| slot.load(Relaxed) == key)
    }

    /// This thread searches the position from now on.
    #[inline]
    pub(super) fn mark(&self, key: u64) {
        if let Some(slot) = self.slot(key) {
            slot.store(key, Relaxed);
        }
    }

    /// The position has been searched.
    #[inline]
    pub(super) fn remove(&self, key: u64) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_lasts_until_it_is_removed() {
        let breadcrumbs = Breadcrumbs::new(2);
        assert!(breadcrumbs.are_used() && !breadcrumbs.is_marked(77));
        breadcrumbs.mark(77);
        assert!(breadcrumbs.is_marked(77) && !breadcrumbs.is_marked(77 + SLOTS as u64));
        breadcrumbs.remove(77 + SLOTS as u64);
        assert!(breadcrumbs.is_marked(77));
        breadcrumbs.remove(77);
        assert!(!breadcrumbs.is_marked(77));
    }

    #[test]
    fn one_thread_makes_no_marks() {
        let breadcrumbs = Breadcrumbs::new(1);
        breadcrumbs.mark(77);
        assert!(!breadcrumbs.are_used() && !breadcrumbs.is_marked(77));
    }
}
