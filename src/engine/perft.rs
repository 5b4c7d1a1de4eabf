//! Counting move paths so that it can be called off.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Builder;

use crate::board::{Move, Position, perft as count_all};

/// Depth that is counted without a look at the flag: a few milliseconds.
const UNINTERRUPTED: u32 = 4;

/// Deepest count, plies: far more than can be waited for.
pub const MAX_PERFT_DEPTH: u32 = 30;

/// Each legal move with the number of paths of `depth` moves that begin with
/// it, in the order of generation, counted by so many threads (at least one).
/// `None` if `stop` was set before the end. A depth beyond [`MAX_PERFT_DEPTH`]
/// counts as that.
pub fn perft(
    position: &Position,
    depth: u32,
    threads: usize,
    stop: &AtomicBool,
) -> Option<Vec<(Move, u64)>> {
    let Some(below) = depth.min(MAX_PERFT_DEPTH).checked_sub(1) else { return Some(Vec::new()) };
    let moves = position.legal_moves();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut position = position.clone();
        let mut counts = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&m) = moves.get(number) else { return Some(counts) };
            let undo = position.make(m);
            counts.push((number, m, count(&mut position, below, stop)?));
            position.unmake(m, undo);
        }
    };
    let parts: Option<Vec<_>> = std::thread::scope(|scope| {
        // fewer if the system gives no more
        let spawn = |_| Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(spawn).collect();
        let own = work();
        let others = workers.into_iter().map(|worker| worker.join().ok().flatten());
        std::iter::once(own).chain(others).collect()
    });
    let mut counts: Vec<_> = parts?.into_iter().flatten().collect();
    counts.sort_by_key(|&(number, ..)| number);
    Some(counts.into_iter().map(|(_, m, nodes)| (m, nodes)).collect())
}

fn count(position: &mut Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(count_all(position, depth));
    }
    let mut nodes = 0;
    for &m in &position.legal_moves() {
        let undo = position.make(m);
        let below = count(position, depth - 1, stop);
        position.unmake(m, undo);
        nodes += below?;
    }
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::divide;

    #[test]
    fn counts_are_those_of_the_board() {
        let position = Position::startpos();
        let go_on = AtomicBool::new(false);
        for (depth, threads) in [(0, 1), (1, 1), (3, 2), (4, 1)] {
            let counts = perft(&position, depth, threads, &go_on).unwrap();
            assert_eq!(counts, divide(&position, depth, 1));
        }
    }

    #[test]
    fn a_count_is_called_off() {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let counting = scope.spawn(|| perft(&Position::startpos(), 40, 2, &stop));
            stop.store(true, Ordering::Relaxed);
            assert_eq!(counting.join().unwrap(), None);
        });
    }
}
