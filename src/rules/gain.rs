//! What a side could win if it were its turn: by exchanges, by a sacrifice,
//! by series of checks; and mate by checks. The national rules depend on it.
//!
//! Searches stop after a fixed number of positions and then answer no, which
//! bounds their time. They deepen iteratively, so that the order of moves
//! matters only in the last iteration before the limit.

use crate::board::{Bitboard, Color, Move, MoveList, PieceKind, Position, Square, between};

use super::asian::{possible_chasers, possible_victims};
use super::placement::Placement;

/// Checks in a row that a threat of mate may take.
const MATE_CHECKS: u32 = 6;
/// Checks in a row that may precede a capture.
const WINNING_CHECKS: u32 = 3;
/// Checks that one search may try.
const BUDGET: u32 = 5_000;

/// The value of a piece in exchanges, in units of a pawn across the river.
///
/// The rules rank rook over knight and cannon over advisor and elephant, take
/// two of one rank for about one of the next, and see no gain in an advisor or
/// elephant for a crossed pawn: see [`LEAST_GAIN`].
pub(super) fn value(placement: &Placement, square: Square) -> i32 {
    match placement.kind_at(square) {
        Some(PieceKind::Rook) => 8,
        Some(PieceKind::Knight | PieceKind::Cannon) => 4,
        Some(PieceKind::Advisor | PieceKind::Elephant) => 2,
        Some(PieceKind::Pawn) => {
            let red = placement.of_color(Color::Red).contains(square);
            i32::from(square.is_across_river(if red { Color::Red } else { Color::Black }))
        }
        // it ends the game, so that no exchange sends it in
        Some(PieceKind::King) => 100,
        None => 0,
    }
}

/// The difference of an elephant and a pawn, the largest that is no gain where
/// material goes both ways.
pub(super) const LEAST_GAIN: i32 = 1;

/// The pieces that check each king.
pub(super) fn existing_checks(placement: &Placement) -> [Bitboard; 2] {
    Color::ALL.map(|color| placement.checkers(color))
}

/// What `side` wins by a capture when both sides go on capturing on that
/// square while it pays; `None` if it cannot capture. Checks in `existing`
/// do not bar a capture.
pub(super) fn exchange(
    placement: &Placement,
    side: Color,
    capture: Move,
    existing: &[Bitboard; 2],
) -> Option<i32> {
    if placement.exposes_king(side, capture, existing[side.index()]) {
        return None;
    }
    let after = placement.after(side, capture);
    let square = capture.to();
    let answers = after.covering(square, !side).filter_map(|from| Move::new(from, square));
    let answer = answers.filter_map(|answer| exchange(&after, !side, answer, existing)).max();
    Some(value(placement, square) - answer.unwrap_or(0).max(0))
}

/// The captures by which pieces of `side` could chase, with their gain.
pub(super) fn contacts(
    placement: &Placement,
    side: Color,
) -> impl Iterator<Item = (Move, i32)> + '_ {
    let existing = existing_checks(placement);
    possible_victims(placement, !side).flat_map(move |victim| {
        let chasers = placement.covering(victim, side) & possible_chasers(placement, side);
        chasers.filter_map(move |chaser| {
            let capture = Move::new(chaser, victim)?;
            Some((capture, exchange(placement, side, capture, &existing)?))
        })
    })
}

/// The gain of `side`'s best contact that is not excluded; 0 without any.
pub(super) fn best_contact(
    placement: &Placement,
    side: Color,
    is_excluded: impl Fn(Move) -> bool,
) -> i32 {
    let gains = contacts(placement, side).filter(|&(capture, _)| !is_excluded(capture));
    gains.map(|(_, gain)| gain).max().unwrap_or(0).max(0)
}

/// Whether the side to move can force mate by checks alone.
pub(super) fn can_mate_by_checks(position: &mut Position) -> bool {
    let mut budget = BUDGET;
    (1..=MATE_CHECKS).any(|checks| can_mate_in(position, checks, &mut budget))
}

fn can_mate_in(position: &mut Position, checks: u32, budget: &mut u32) -> bool {
    checks > 0
        && checking_moves(position).iter().any(|&check| {
            spend(budget)
                && after_each_answer(position, check, |position, _| {
                    can_mate_in(position, checks - 1, budget)
                })
        })
}

/// The first of a series of checks that wins more than `floor` with a capture
/// at its end (抽吃), or mates.
///
/// It does not begin with an exchange of like pieces, which was offered
/// before, and no step in it sacrifices a pawn; a pawn or king may
/// check if it opens the line for the capture (26.1.1).
pub(super) fn winning_check(position: &mut Position, floor: i32) -> Option<Move> {
    let mut budget = BUDGET;
    let checks = checking_moves(position);
    (1..=WINNING_CHECKS).find_map(|depth| {
        checks.iter().copied().find(|&check| {
            !is_like_for_like(position, check)
                && wins_after(position, check, depth, floor, &mut budget)
        })
    })
}

fn wins_after(
    position: &mut Position,
    check: Move,
    depth: u32,
    floor: i32,
    budget: &mut u32,
) -> bool {
    if !spend(budget) {
        return false;
    }
    let side = position.side_to_move();
    let opens_line_only = is_step_of_king_or_pawn(position, check);
    let floor = floor - value(&Placement::of(position), check.to());
    after_each_answer(position, check, |position, lost| {
        if position.in_check() {
            return false;
        }
        let best = best_contact(&Placement::of(position), side, |capture| {
            opens_line_only && !between(capture.from(), capture.to()).contains(check.from())
        });
        best > floor + lost
            || (depth > 1
                && !opens_line_only
                && checking_moves(position)
                    .iter()
                    .any(|&next| wins_after(position, next, depth - 1, floor + lost, budget)))
    })
}

/// The sacrifice, if there is one, after which every recapture leaves a piece
/// to be won that could not be won before, for more than `floor` in all.
pub(super) fn winning_sacrifice(position: &mut Position, floor: i32) -> Option<Move> {
    if position.in_check() {
        return None;
    }
    let root = Placement::of(position);
    let side = position.side_to_move();
    let winnable: Bitboard = contacts(&root, side)
        .filter_map(|(capture, gain)| (gain > 0).then_some(capture.to()))
        .collect();
    let mut captures = position.legal_moves();
    captures.retain(|m| value(&root, m.from()) > value(&root, m.to()) && position.is_capture(m));
    captures.iter().copied().find(|&capture| {
        let floor = floor + value(&root, capture.from()) - value(&root, capture.to());
        let undo = position.make(capture);
        let mut answers = position.legal_moves();
        answers.retain(|answer| answer.to() == capture.to());
        let wins = !answers.is_empty()
            && answers.iter().all(|&answer| {
                let undo = position.make(answer);
                let after = Placement::of(position);
                let in_check = position.in_check();
                position.unmake(answer, undo);
                !in_check && best_contact(&after, side, |c| winnable.contains(c.to())) > floor
            });
        position.unmake(capture, undo);
        wins
    })
}

/// Takes one from the budget if there is any left.
fn spend(budget: &mut u32) -> bool {
    let left = *budget > 0;
    *budget = budget.saturating_sub(1);
    left
}

/// Whether `goal` holds after every answer to a move; it gets what the answer
/// captures.
fn after_each_answer(
    position: &mut Position,
    m: Move,
    mut goal: impl FnMut(&mut Position, i32) -> bool,
) -> bool {
    let undo = position.make(m);
    let all = position.legal_moves().iter().all(|&answer| {
        let lost = value(&Placement::of(position), answer.to());
        let undo = position.make(answer);
        let reached = goal(position, lost);
        position.unmake(answer, undo);
        reached
    });
    position.unmake(m, undo);
    all
}

/// The legal moves that give check.
fn checking_moves(position: &Position) -> MoveList {
    let squares = position.check_squares();
    let mut moves = position.pseudo_legal_moves();
    moves.retain(|m| position.gives_check(m, &squares) && position.leaves_king_safe(m));
    moves
}

fn is_like_for_like(position: &Position, m: Move) -> bool {
    let kind = |square| position.piece_at(square).map(|piece| piece.kind());
    kind(m.from()) == kind(m.to())
}

fn is_step_of_king_or_pawn(position: &Position, m: Move) -> bool {
    position
        .piece_at(m.from())
        .is_some_and(|piece| matches!(piece.kind(), PieceKind::King | PieceKind::Pawn))
}
