//! Chases by the simplified rules of the UCCI computer league.
//!
//! Only the piece that has just moved can chase. Where the printed rule 5.4
//! calls the victims protected, its paragraph 5.7 and the league's referee
//! program mean unprotected ones; so do we. That program takes the first victim
//! in an order of squares that depends on the side; we take all victims of a
//! move, so that colours and wings are treated alike.

use crate::board::{Bitboard, Color, Move, PieceKind, Square};

use super::placement::Placement;

/// Which pieces the move `m` of `side` chases; `after` is the placement after
/// it. The caller must exclude moves that check: they chase nothing.
pub(super) fn chased(after: &Placement, side: Color, m: Move) -> Bitboard {
    use PieceKind::{Cannon, Knight, Pawn, Rook};
    let enemy = |kind: PieceKind| after.pieces(!side, kind);
    let (always, unprotected) = match after.kind_at(m.to()) {
        Some(Knight) => (enemy(Rook), enemy(Cannon)),
        Some(Rook) => (Bitboard::EMPTY, enemy(Knight) | enemy(Cannon)),
        Some(Cannon) => (enemy(Rook), enemy(Knight)),
        _ => return Bitboard::EMPTY,
    };
    let crossed: Bitboard = enemy(Pawn).filter(|pawn| pawn.is_across_river(!side)).collect();
    let unprotected = (unprotected | crossed)
        .filter(|&victim| after.covering(victim, !side).is_empty())
        .collect();
    (always | unprotected)
        .filter(|&victim| !is_on_path(victim, m))
        .filter(|&victim| after.covering(victim, side).contains(m.to()))
        .collect()
}

/// Whether a square lies on the line along which a rook or cannon has moved.
fn is_on_path(square: Square, m: Move) -> bool {
    let (from, to) = (m.from(), m.to());
    (from.file() == to.file() && square.file() == to.file())
        || (from.rank() == to.rank() && square.rank() == to.rank())
}
