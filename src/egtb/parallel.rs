//! Work on many like parts, handed out to threads.

use std::sync::OnceLock;
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
        // fewer if the system gives no more
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, run).ok();
        (1..threads.min(count)).map_while(spawn).for_each(drop);
        run();
    });
}

/// What `work` makes of each item, in their order.
pub fn map<S, T: Sync, R: Send + Sync>(
    items: &[T],
    threads: usize,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<&[T]> = items.chunks(BLOCK).collect();
    let results: Vec<OnceLock<Vec<R>>> = parts.iter().map(|_| OnceLock::new()).collect();
    for_each(parts.len(), threads, make, |state, part| {
        let _ = results[part].set(parts[part].iter().map(|item| work(state, item)).collect());
    });
    results.into_iter().filter_map(OnceLock::into_inner).flatten().collect()
}

/// The numbers of a block of [`BLOCK`], of `size` in all.
pub fn block(number: usize, size: usize) -> std::ops::Range<usize> {
    number * BLOCK..size.min((number + 1) * BLOCK)
}
