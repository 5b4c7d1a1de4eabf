//! Proves a table: every value equals the best of the values of the moves.
//!
//! Moves and legality are those of the board room, which shares no code with
//! the generator beyond the attack tables.

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::board::{Color, Position};

use super::parallel::{BLOCK, block, for_each};
use super::solution::{Counts, Solution, Sources, look_up};
use super::table::Cache;
use super::value::Value;

/// Blocks of packed smaller tables that a thread keeps at hand.
const CACHED: usize = 64;

/// A value that does not follow from those of the moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("number {number} ({fen}) has {held:?}, but its moves give {found:?}")]
pub struct Contradiction {
    /// The number in the table.
    pub number: usize,
    /// The position.
    pub fen: String,
    /// What the table says; `None`: that it is not a position.
    pub held: Option<Value>,
    /// What follows from the moves.
    pub found: Value,
}

/// Compares every value of a table with those of the moves, on several
/// threads, and counts the positions by side to move. `sources` holds the
/// tables that captures lead to.
///
/// # Errors
/// The first contradiction that a thread meets.
pub fn verify(
    solution: &Solution,
    sources: &Sources,
    threads: usize,
) -> Result<[Counts; 2], Contradiction> {
    let first: OnceLock<Contradiction> = OnceLock::new();
    let total: Mutex<[Counts; 2]> = Mutex::default();
    let size = solution.index.size();
    for_each(
        size.div_ceil(BLOCK),
        threads,
        || Cache::new(CACHED),
        |cache, number| {
            if first.get().is_some() {
                return;
            }
            let mut counts = [Counts::default(); 2];
            for number in block(number, size) {
                if let Err(fault) = check(solution, sources, number, cache, &mut counts) {
                    let _ = first.set(fault);
                    return;
                }
            }
            let mut total = total.lock();
            total.iter_mut().zip(&counts).for_each(|(total, counts)| total.add(counts));
        },
    );
    first.into_inner().map_or(Ok(total.into_inner()), Err)
}

/// Checks a number and counts it; what is not a position may have any value.
fn check(
    solution: &Solution,
    sources: &Sources,
    number: usize,
    cache: &mut Cache,
    counts: &mut [Counts; 2],
) -> Result<(), Contradiction> {
    for side in Color::ALL {
        let Some(mut position) = solution.index.position(number, side) else { continue };
        let held = solution.value(number, side);
        let found = minimax(solution, sources, &mut position, cache);
        if held != Some(found) {
            return Err(Contradiction { number, fen: position.to_fen(), held, found });
        }
        counts[side.index()].count(found, solution.index.weight(number));
    }
    Ok(())
}

/// The best of the values of the moves; a move whose value is missing counts
/// as a draw, which shows unless it makes no difference.
fn minimax(
    solution: &Solution,
    sources: &Sources,
    position: &mut Position,
    cache: &mut Cache,
) -> Value {
    let moves = position.legal_moves();
    let after = moves.iter().map(|&m| {
        let undo = position.make(m);
        let value = match undo.captured() {
            None => {
                let number = solution.index.number_of_position(position);
                number.and_then(|number| solution.value(number, position.side_to_move()))
            }
            Some(_) => look_up(sources, position, cache),
        };
        position.unmake(m, undo);
        value.map_or(Value::Draw, Value::before_move)
    });
    Value::best(after.collect::<Vec<_>>())
}
