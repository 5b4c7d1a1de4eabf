//! Work on many like parts, handed out to threads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Numbers that one thread takes at a time.
pub const BLOCK: usize = 4096;

/// Calls `work` for each number below `count`, on several threads that each
/// `make` a state of their own.
pub fn for_each<T>(
    count: usize,
    threads: usize,
    make: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, usize) + Sync,
) {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = make();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                break;
            }
            work(&mut state, number);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, count.max(1)) {
            scope.spawn(run);
        }
        run();
    });
}

/// The numbers of a block of [`BLOCK`], of `size` in all.
pub fn block(number: usize, size: usize) -> std::ops::Range<usize> {
    number * BLOCK..size.min((number + 1) * BLOCK)
}
