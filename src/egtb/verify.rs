//! Proves a table: every value equals the best of the values of the moves.
//!
//! Moves and legality are those of the board room, which shares no code with
//! the generator beyond the attack tables.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::board::{Color, Position};

use super::solution::{Solution, Solutions, look_up};
use super::value::Value;

/// Numbers that one thread takes at a time.
const BLOCK: usize = 4096;

/// A value that does not follow from those of the moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("number {number} ({fen}) has {held:?}, but its moves give {found:?}")]
pub struct Contradiction {
    /// The number in the table.
    pub number: usize,
    /// The position; empty if the number is none.
    pub fen: String,
    /// What the table says; `None`: not a position.
    pub held: Option<Value>,
    /// What follows from the moves.
    pub found: Option<Value>,
}

/// Compares every value of a table with those of the moves, on several
/// threads. `solutions` holds the tables that captures lead to.
///
/// # Errors
/// The first contradiction that a thread meets.
pub fn verify(
    solution: &Solution,
    solutions: &Solutions,
    threads: usize,
) -> Result<(), Contradiction> {
    let next = AtomicUsize::new(0);
    let first: Mutex<Option<Contradiction>> = Mutex::new(None);
    let size = solution.index.size();
    let run = || {
        loop {
            let start = next.fetch_add(BLOCK, Relaxed);
            if start >= size {
                return;
            }
            let mut numbers = start..size.min(start + BLOCK);
            if let Some(fault) = numbers.find_map(|number| check(solution, solutions, number)) {
                next.store(size, Relaxed);
                if let Ok(mut first) = first.lock() {
                    first.get_or_insert(fault);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(run);
        }
        run();
    });
    match first.into_inner() {
        Ok(None) => Ok(()),
        Ok(Some(fault)) => Err(fault),
        Err(poisoned) => poisoned.into_inner().map_or(Ok(()), Err),
    }
}

fn check(solution: &Solution, solutions: &Solutions, number: usize) -> Option<Contradiction> {
    Color::ALL.into_iter().find_map(|side| {
        let held = solution.value(number, side);
        let mut position = solution.index.position(number, side);
        let found = position.as_mut().map(|position| minimax(solution, solutions, position));
        let fen = || position.as_ref().map(Position::to_fen).unwrap_or_default();
        (held != found).then(|| Contradiction { number, fen: fen(), held, found })
    })
}

/// The best of the values of the moves; a move whose value is missing counts
/// as a draw, which shows unless it makes no difference.
fn minimax(solution: &Solution, solutions: &Solutions, position: &mut Position) -> Value {
    let moves = position.legal_moves();
    let after = moves.iter().map(|&m| {
        let undo = position.make(m);
        let value = match undo.captured() {
            None => {
                let number = solution.index.number_of_position(position);
                number.and_then(|number| solution.value(number, position.side_to_move()))
            }
            Some(_) => look_up(solutions, position),
        };
        position.unmake(m, undo);
        value.map_or(Value::Draw, Value::before_move)
    });
    Value::best(after.collect::<Vec<_>>())
}
