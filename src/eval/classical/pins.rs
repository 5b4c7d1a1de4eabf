//! Pinned pieces.
//!
//! Lazyboy thesis, section 2.3.3: six patterns 车马车, 车炮车, 车马帅,
//! 车炮帅, 炮马帅, 炮马车. The piece in the middle is attacked and belongs to the
//! side of the one behind it, and no other piece of that side protects it.

use crate::board::{
    Bitboard, Color, PieceKind, Position, Square, advisor_attacks, aligned, between,
    cannon_attacks, elephant_attacks, king_attacks, knight_attackers, pawn_attackers, rook_attacks,
};

use super::Sink;

/// Adds the pins by a rook of `color` that attacks the squares `targets`.
#[inline]
pub(super) fn by_rook<S: Sink>(
    position: &Position,
    color: Color,
    rook: Square,
    targets: Bitboard,
    sink: &mut S,
) {
    for knight in targets & position.pieces_of(!color, PieceKind::Knight) {
        pin(position, color, [rook, knight], [0, 2], sink);
    }
    for cannon in targets & position.pieces_of(!color, PieceKind::Cannon) {
        pin(position, color, [rook, cannon], [1, 3], sink);
    }
}

/// Adds the pins by a cannon of `color` that attacks the squares `targets`.
#[inline]
pub(super) fn by_cannon<S: Sink>(
    position: &Position,
    color: Color,
    cannon: Square,
    targets: Bitboard,
    sink: &mut S,
) {
    for knight in targets & position.pieces_of(!color, PieceKind::Knight) {
        pin(position, color, [cannon, knight], [5, 4], sink);
    }
}

/// Adds the pin of the piece on `held` if a rook or king stands right behind it;
/// the indices are those of the weights before a rook and before a king.
fn pin<S: Sink>(
    position: &Position,
    color: Color,
    [attacker, held]: [Square; 2],
    [before_rook, before_king]: [usize; 2],
    sink: &mut S,
) {
    let rooks = position.of_kind(PieceKind::Rook);
    let anchors = (rooks | position.of_kind(PieceKind::King)) & position.of_color(!color);
    for anchor in anchors & aligned(attacker) {
        let is_behind = between(attacker, anchor).contains(held)
            && !between(held, anchor).intersects(position.occupied());
        if is_behind && !is_protected(position, held, anchor) {
            let weights = sink.weights();
            let pattern = if rooks.contains(anchor) { before_rook } else { before_king };
            sink.phase(color, weights.pin[pattern]);
        }
    }
}

/// Whether a piece of its own side other than that on `except` protects the
/// piece on `square`.
fn is_protected(position: &Position, square: Square, except: Square) -> bool {
    let Some(piece) = position.piece_at(square) else {
        return false;
    };
    let lines = position.lines();
    let friends = position.of_color(piece.color()).without(except.into());
    let by = |kind, from| (position.of_kind(kind) & friends).intersects(from);
    by(PieceKind::Pawn, pawn_attackers(piece.color(), square))
        || by(PieceKind::Knight, knight_attackers(square, lines))
        || by(PieceKind::Rook, rook_attacks(square, lines))
        || by(PieceKind::Cannon, cannon_attacks(square, lines))
        || by(PieceKind::Elephant, elephant_attacks(square, lines))
        || by(PieceKind::Advisor, advisor_attacks(square))
        || by(PieceKind::King, king_attacks(square))
}

#[cfg(test)]
mod tests {
    use super::super::testing::fires;

    const RED_TO_MOVE: &str = " w - - 0 1";

    #[test]
    fn each_pattern_fires_and_not_when_protected() {
        let cases = [
            // rook a5 attacks e5, a rook behind on h5; a pawn protects
            (0, "4k4/9/9/9/R3n2r1/9/9/9/4A4/3K5", "4k4/9/9/4p4/R3n2r1/9/9/9/4A4/3K5"),
            (1, "4k4/9/9/9/R3c2r1/9/9/9/4A4/3K5", "4k4/9/9/4p4/R3c2r1/9/9/9/4A4/3K5"),
            (2, "4k4/9/9/4n4/9/9/4R4/9/9/3K5", "4k4/9/2n6/4n4/9/9/4R4/9/9/3K5"),
            (3, "4k4/9/4c4/9/9/9/4R4/9/9/3K5", "4k4/9/4c4/9/6b2/9/4R4/9/9/3K5"),
            // cannon e3 over the pawn e4
            (4, "4k4/9/4n4/9/9/4P4/4C4/9/9/3K5", "2b1k4/9/4n4/9/9/4P4/4C4/9/9/3K5"),
            (5, "3k5/9/9/9/C2P1n2r/9/9/9/4A4/4K4", "3k5/9/4n4/9/C2P1n2r/9/9/9/4A4/4K4"),
        ];
        for (pattern, pinned, protected) in cases {
            for (board, count) in [(pinned, 1), (protected, 0)] {
                let fen = board.to_owned() + RED_TO_MOVE;
                for i in 0..6 {
                    let expected = if i == pattern { count } else { 0 };
                    assert_eq!(fires(&fen, "pin", i), expected, "{fen}, pattern {i}");
                }
            }
        }
    }

    #[test]
    fn the_piece_behind_is_no_protection_but_another_of_its_kind_is() {
        let behind = "4k4/9/9/9/R3nr3/9/9/9/4A4/3K5 w";
        assert_eq!(fires(behind, "pin", 0), 1);
        let above = "4k4/9/4r4/9/R3nr3/9/9/9/4A4/3K5 w";
        assert_eq!(fires(above, "pin", 0), 0);
    }

    #[test]
    fn own_pieces_and_other_kinds_between_are_not_pinned() {
        for board in [
            "4k4/9/9/9/R3N2r1/4P4/9/9/4A4/3K5 w",
            "4k4/9/9/9/R3p2r1/9/9/9/4A4/3K5 w",
            "4k4/9/9/9/C3n2r1/9/9/9/4A4/3K5 w",
            "3k5/9/9/9/C1n1P3r/9/9/9/4A4/4K4 w",
            "3k5/9/9/9/C1n1P1P1r/9/9/9/4A4/4K4 w",
        ] {
            for pattern in 0..6 {
                assert_eq!(fires(board, "pin", pattern), 0, "{board}, pattern {pattern}");
            }
        }
    }
}
