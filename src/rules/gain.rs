//! What a side could win next: exchanges, sequences of captures, series of
//! checks, and mate by checks. The national rules judge chases by it.

use crate::board::{Bitboard, Color, Move, MoveList, PieceKind, Position, Square};

use super::asian::{possible_chasers, possible_victims};
use super::placement::Placement;

/// How many checks in a row a threat of mate may take.
const MATE_CHECKS: u32 = 4;

/// What a piece counts in exchanges. The rules rank rook over knight and
/// cannon over advisor and elephant, call two of the lower rank about equal to
/// one of the next, and let a crossed pawn go for an advisor or an elephant.
pub(super) fn value(placement: &Placement, square: Square) -> i32 {
    match placement.kind_at(square) {
        Some(PieceKind::Rook) => 8,
        Some(PieceKind::Knight | PieceKind::Cannon) => 4,
        Some(PieceKind::Advisor | PieceKind::Elephant) => 2,
        Some(PieceKind::Pawn) => {
            let red = placement.of_color(Color::Red).contains(square);
            let color = if red { Color::Red } else { Color::Black };
            1 + i32::from(square.is_across_river(color))
        }
        // it ends the game, so that no exchange sends it in
        Some(PieceKind::King) => 100,
        None => 0,
    }
}

/// The pieces that check each king.
pub(super) fn standing_checks(placement: &Placement) -> [Bitboard; 2] {
    Color::ALL.map(|color| placement.checkers(color))
}

/// What `side` wins by capturing with the piece on `from` when both sides go
/// on capturing on that square while it pays; `None` if it cannot capture.
/// Checks in `standing` bother nobody.
pub(super) fn exchange(
    placement: &Placement,
    side: Color,
    capture: Move,
    standing: &[Bitboard; 2],
) -> Option<i32> {
    if placement.exposes_king(side, capture, standing[side.index()]) {
        return None;
    }
    let after = placement.after(side, capture);
    let square = capture.to();
    let answers = after.covering(square, !side).filter_map(|from| Move::new(from, square));
    let answer = answers.filter_map(|answer| exchange(&after, !side, answer, standing)).max();
    Some(value(placement, square) - answer.unwrap_or(0).max(0))
}

/// The captures by which pieces of `side` could chase, with what the exchange
/// brings.
pub(super) fn contacts(
    placement: &Placement,
    side: Color,
) -> impl Iterator<Item = (Move, i32)> + '_ {
    let standing = standing_checks(placement);
    possible_victims(placement, !side).flat_map(move |victim| {
        let chasers = placement.covering(victim, side) & possible_chasers(placement, side);
        chasers.filter_map(move |chaser| {
            let capture = Move::new(chaser, victim)?;
            Some((capture, exchange(placement, side, capture, &standing)?))
        })
    })
}

/// Whether the side to move can force mate by checks alone.
pub(super) fn mates(position: &mut Position) -> bool {
    mates_in(position, MATE_CHECKS)
}

fn mates_in(position: &mut Position, checks: u32) -> bool {
    checks > 0
        && checking_moves(position).iter().any(|&check| {
            after_each_answer(position, check, |position, _| mates_in(position, checks - 1))
        })
}

/// Whether the side to move wins more than `least` by quiet checks, at most
/// `checks` of them, and a capture after the last.
pub(super) fn wins_by_checks(position: &mut Position, checks: u32, least: i32) -> bool {
    let moves = checking_moves(position);
    moves.iter().filter(|&&m| !position.is_capture(m)).copied().collect::<Vec<_>>().iter().any(
        |&check| {
            after_each_answer(position, check, |position, lost| {
                best_contact(position) > least + lost
                    || (checks > 1 && wins_by_checks(position, checks - 1, least + lost))
            })
        },
    )
}

/// What the best legal contact brings to the side to move; 0 without any, or
/// in check.
pub(super) fn best_contact(position: &Position) -> i32 {
    if position.in_check() {
        return 0;
    }
    let placement = Placement::of(position);
    let gains = contacts(&placement, position.side_to_move());
    gains.map(|(_, gain)| gain).max().unwrap_or(0).max(0)
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
    moves.retain(|m| position.gives_check(m, &squares) && position.is_safe(m));
    moves
}
