//! Perft: counts the leaves of the tree of legal moves to a fixed depth.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use super::moves::Move;
use super::position::Position;

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
/// `depth` includes the move. Counted by `threads` threads, 0 meaning one.
pub fn divide(position: &Position, depth: u32, threads: usize) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let moves = position.legal_moves();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut position = position.clone();
        let mut done = Vec::new();
        while let Some(&m) = moves.get(next.fetch_add(1, Ordering::Relaxed)) {
            let undo = position.make(m);
            done.push((m, perft(&mut position, depth - 1)));
            position.unmake(m, undo);
        }
        done
    };
    let mut counts: Vec<(Move, u64)> = std::thread::scope(|scope| {
        // fewer if the system gives no more
        let spawn = |_| Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(spawn).collect();
        let mut counts = work();
        counts.extend(workers.into_iter().filter_map(|worker| worker.join().ok()).flatten());
        counts
    });
    counts.sort_by_key(|(m, _)| moves.iter().position(|other| other == m));
    counts
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
        for threads in [0, 1, 3] {
            let total: u64 = divide(&position, 3, threads).iter().map(|(_, nodes)| nodes).sum();
            assert_eq!(total, 79_666);
        }
    }
}
