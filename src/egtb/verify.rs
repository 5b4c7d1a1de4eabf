//! Proves a table.
//!
//! Moves and legality are those of the board room, which shares no code with
//! the generator beyond the attack tables. What is proved:
//!
//! 1. Every value is the best of those of the moves. By induction on the
//!    distance, all distances are right, and what has none is a draw as long as
//!    there are no rules of repetition.
//! 2. Every win by perpetual check can be forced: it is derived anew, from
//!    nothing but the wins with a distance and those of smaller tables.
//! 3. Nothing else could be won by rule: among the positions in which the side
//!    to move holds a draw by checks and attacks alone, as any of the rule sets
//!    understands attacks, none allows it to go on like that for ever. This holds
//!    for tables with attackers on one side as well, so that they are exact under
//!    every rule of check and chase.

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::board::{Color, Position};

use super::parallel::{BLOCK, block, for_each};
use super::solution::{Counts, Solution, Sources};
use super::table::Cache;
use super::value::Value;
use super::verify_rules::{RuleProof, View};

/// Why a table is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum Contradiction {
    #[error("{fen} has {held:?}, but its moves give {found:?}")]
    Minimax { fen: String, held: Option<Value>, found: Value },
    #[error("{fen} is decided by perpetual check, which cannot be forced")]
    Unforced { fen: String },
    #[error("{fen} is held by a forbidden repetition alone, which the table does not say")]
    Overlooked { fen: String },
}

/// What the values of a table claim beyond the distances.
#[derive(Default)]
struct Claims {
    counts: [Counts; 2],
    /// By the side that wins: what is won by rule, with the side to move.
    by_rule: [Vec<(Color, usize)>; 2],
    /// By the side to move: what it holds by checks and attacks alone.
    held: [Vec<usize>; 2],
}

impl Claims {
    fn add(&mut self, other: Claims) {
        for (side, counts) in other.counts.iter().enumerate() {
            self.counts[side].add(counts);
        }
        for (side, (by_rule, held)) in other.by_rule.into_iter().zip(other.held).enumerate() {
            self.by_rule[side].extend(by_rule);
            self.held[side].extend(held);
        }
    }
}

/// Proves a table, on several threads, and counts the positions by side to
/// move. `sources` holds the tables that captures lead to.
///
/// # Errors
/// The first contradiction that a thread meets.
pub fn verify(
    solution: &Solution,
    sources: &Sources,
    threads: usize,
) -> Result<[Counts; 2], Contradiction> {
    let view = View { solution, sources };
    let mut claims = compare_all(&view, threads)?;
    for winner in Color::ALL {
        let mut held = std::mem::take(&mut claims.held[(!winner).index()]);
        held.sort_unstable();
        let proof = RuleProof::new(&view, winner, threads);
        proof.force_wins(&claims.by_rule[winner.index()])?;
        proof.look_for_more(&held)?;
    }
    Ok(claims.counts)
}

/// Compares every value with those of the moves.
fn compare_all(view: &View<'_>, threads: usize) -> Result<Claims, Contradiction> {
    let first: OnceLock<Contradiction> = OnceLock::new();
    let total: Mutex<Claims> = Mutex::default();
    let size = view.solution.index.size();
    for_each(size.div_ceil(BLOCK), threads, Cache::default, |cache, number| {
        if first.get().is_some() {
            return;
        }
        let mut claims = Claims::default();
        for number in block(number, size) {
            if let Err(fault) = compare_both(view, number, cache, &mut claims) {
                let _ = first.set(fault);
                return;
            }
        }
        total.lock().add(claims);
    });
    first.into_inner().map_or(Ok(total.into_inner()), Err)
}

/// Compares the values of a number with either side to move; what is not a
/// position may have any value.
fn compare_both(
    view: &View<'_>,
    number: usize,
    cache: &mut Cache,
    claims: &mut Claims,
) -> Result<(), Contradiction> {
    let index = &view.solution.index;
    let black = match index.position(number, Color::Red) {
        Some(mut position) => {
            compare(view, &mut position, number, cache, claims)?;
            // who is in check must be to move
            (!position.in_check()).then(|| {
                position.make_null();
                position
            })
        }
        None => index.position(number, Color::Black),
    };
    black.map_or(Ok(()), |mut position| compare(view, &mut position, number, cache, claims))
}

/// Compares the value of a position.
fn compare(
    view: &View<'_>,
    position: &mut Position,
    number: usize,
    cache: &mut Cache,
    claims: &mut Claims,
) -> Result<(), Contradiction> {
    let side = position.side_to_move();
    let held = view.solution.value(number, side);
    let (found, needs_offences) = minimax(view, position, number, cache);
    if held != Some(found) {
        return Err(Contradiction::Minimax { fen: position.to_fen(), held, found });
    }
    claims.counts[side.index()].count(found, view.solution.index.weight(number));
    match found {
        Value::RuleWin => claims.by_rule[side.index()].push((side, number)),
        Value::RuleLoss => claims.by_rule[(!side).index()].push((side, number)),
        _ => {}
    }
    if needs_offences {
        claims.held[side.index()].push(number);
    }
    Ok(())
}

/// The best of the values of the moves, and whether the side to move certainly
/// does not lose, but by moves alone that give check or attack. A move whose
/// value is missing counts as a draw, which shows unless it makes no
/// difference.
fn minimax(
    view: &View<'_>,
    position: &mut Position,
    number: usize,
    cache: &mut Cache,
) -> (Value, bool) {
    let mut values = Vec::with_capacity(64);
    let mut needs_offences = true;
    view.for_each_move(position, number, cache, |position, step| {
        let value = step.value.map_or(Value::Draw, Value::before_move);
        values.push(value);
        needs_offences = needs_offences
            && (view.may_lose(value) || step.number.is_some() && view.offends(position, step.m));
    });
    let best = Value::best(values);
    (best, needs_offences && best.plies().is_none() && !view.may_lose(best))
}
