//! Where messages wait for whoever reads them.

use std::collections::VecDeque;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

/// A queue in which each item has a time at which it may be taken, not before
/// those that were put in earlier.
///
/// Its reader sleeps at once. That of a channel first gives way to other
/// threads a few times: where searches keep all cores busy, each time costs
/// milliseconds.
pub struct Mailbox<T> {
    items: Mutex<VecDeque<(Instant, T)>>,
    arrived: Condvar,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Mailbox<T> {
        Mailbox { items: Mutex::default(), arrived: Condvar::new() }
    }
}

impl<T> Mailbox<T> {
    /// Adds an item that may be taken from `due` on.
    pub fn put(&self, due: Instant, item: T) {
        self.items.lock().push_back((due, item));
        self.arrived.notify_one();
    }

    /// The first item; waits for it. `None` at the deadline.
    pub fn take(&self, deadline: Instant) -> Option<T> {
        let mut items = self.items.lock();
        loop {
            let now = Instant::now();
            let due = items.front().map(|(due, _)| *due);
            if due.is_some_and(|due| due <= now) {
                return items.pop_front().map(|(_, item)| item);
            }
            if now >= deadline {
                return None;
            }
            self.arrived.wait_until(&mut items, due.map_or(deadline, |due| due.min(deadline)));
        }
    }

    /// How many items there are.
    #[cfg(feature = "mpi")]
    pub fn len(&self) -> usize {
        self.items.lock().len()
    }
}
