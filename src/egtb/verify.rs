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

/// What a proof has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// By side to move.
    pub counts: [Counts; 2],
    /// Draws that the side to move can hold by checks alone, by side to move,
    /// in numbers. Where there are none, no rule of perpetual check can turn a
    /// draw into a loss of that side.
    pub held_by_check: [u64; 2],
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
) -> Result<Proof, Contradiction> {
    let first: OnceLock<Contradiction> = OnceLock::new();
    let total: Mutex<Proof> = Mutex::default();
    let size = solution.index.size();
    for_each(
        size.div_ceil(BLOCK),
        threads,
        || Cache::new(CACHED),
        |cache, number| {
            if first.get().is_some() {
                return;
            }
            let mut proof = Proof::default();
            for number in block(number, size) {
                if let Err(fault) = check(solution, sources, number, cache, &mut proof) {
                    let _ = first.set(fault);
                    return;
                }
            }
            let mut total = total.lock();
            for side in 0..2 {
                total.counts[side].add(&proof.counts[side]);
                total.held_by_check[side] += proof.held_by_check[side];
            }
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
    proof: &mut Proof,
) -> Result<(), Contradiction> {
    for side in Color::ALL {
        let Some(mut position) = solution.index.position(number, side) else { continue };
        let held = solution.value(number, side);
        let (found, is_held_by_check) = minimax(solution, sources, &mut position, cache);
        if held != Some(found) {
            return Err(Contradiction { number, fen: position.to_fen(), held, found });
        }
        proof.counts[side.index()].count(found, solution.index.weight(number));
        proof.held_by_check[side.index()] += u64::from(is_held_by_check);
    }
    Ok(())
}

/// The best of the values of the moves, and whether that is a draw which checks
/// alone hold. A move whose value is missing counts as a draw, which shows
/// unless it makes no difference.
fn minimax(
    solution: &Solution,
    sources: &Sources,
    position: &mut Position,
    cache: &mut Cache,
) -> (Value, bool) {
    let mut values = Vec::new();
    let mut is_held_by_check = true;
    for &m in &position.legal_moves() {
        let undo = position.make(m);
        let value = match undo.captured() {
            None => {
                let number = solution.index.number_of_position(position);
                number.and_then(|number| solution.value(number, position.side_to_move()))
            }
            Some(_) => look_up(sources, position, cache),
        };
        let value = value.map_or(Value::Draw, Value::before_move);
        is_held_by_check &= value != Value::Draw || position.in_check();
        position.unmake(m, undo);
        values.push(value);
    }
    let best = Value::best(values);
    (best, is_held_by_check && best == Value::Draw)
}
