//! Perft: counts the leaves of the tree of legal moves to a fixed depth.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Builder;

use super::moves::Move;
use super::position::Position;

/// Deepest count, plies: far more than can be waited for.
pub const MAX_PERFT_DEPTH: u32 = 30;

/// Depth that is counted without a look at the flag: a few milliseconds.
const UNINTERRUPTED: u32 = 4;

/// Leaf nodes at `depth` plies; 1 for depth 0. The last ply is bulk-counted.
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => {
            let moves = position.legal_moves();
            moves
                .iter()
                .map(|&m| {
                    let undo = position.make(m);
                    let nodes = perft(position, depth - 1);
                    position.unmake(m, undo);
                    nodes
                })
                .sum()
        }
    }
}

/// Each legal move with the leaf nodes below it, in the order of generation;
/// `depth` includes the move and is at most [`MAX_PERFT_DEPTH`], a larger one
/// counts as that. Counted by `threads` threads, 0 meaning one; `None` if `stop`
/// was set before the end.
pub fn divide(
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
            counts.push((number, m, count_unless(&mut position, below, stop)?));
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

fn count_unless(position: &mut Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(perft(position, depth));
    }
    let mut nodes = 0;
    for &m in &position.legal_moves() {
        let undo = position.make(m);
        let below = count_unless(position, depth - 1, stop);
        position.unmake(m, undo);
        nodes += below?;
    }
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_position() {
        let mut position = Position::startpos();
        for (depth, nodes) in [(0, 1), (1, 44), (2, 1_920), (3, 79_666), (4, 3_290_240)] {
            assert_eq!(perft(&mut position, depth), nodes);
        }
    }

    #[test]
    fn parts_make_up_the_whole() {
        let go_on = AtomicBool::new(false);
        let mut ending = Position::from_fen("4k4/9/9/9/9/9/9/9/4A4/3AK4 w").unwrap();
        let mut start = Position::startpos();
        assert_eq!(divide(&start, 0, 1, &go_on), Some(Vec::new()));
        let parts = |position: &mut Position, depth| {
            [0, 1, 2, 3].map(|threads| {
                let counts = divide(position, depth, threads, &go_on).unwrap();
                for &(m, nodes) in &counts {
                    let undo = position.make(m);
                    assert_eq!(nodes, perft(position, depth - 1));
                    position.unmake(m, undo);
                }
                let (moves, counts): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
                assert_eq!(moves, position.legal_moves().to_vec());
                counts.iter().sum::<u64>()
            })
        };
        for (depth, nodes) in [(1, 44), (3, 79_666), (4, 3_290_240)] {
            assert_eq!(parts(&mut start, depth), [nodes; 4]);
        }
        let depth = UNINTERRUPTED + 2;
        let whole = perft(&mut ending.clone(), depth);
        assert_eq!(parts(&mut ending, depth), [whole; 4]);
    }

    #[test]
    fn a_count_is_called_off() {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let counting = scope.spawn(|| divide(&Position::startpos(), 40, 2, &stop));
            stop.store(true, Ordering::Relaxed);
            assert_eq!(counting.join().unwrap(), None);
        });
    }
}
