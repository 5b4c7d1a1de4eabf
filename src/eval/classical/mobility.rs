//! Mobility of rooks and knights.
//!
//! Lazyboy thesis, section 2.3.4: a rook counts the empty squares that it
//! attacks; a knight with none or only one good square (empty, not on the edge
//! of the board and not attacked by the opponent) has a penalty.

use crate::board::{
    Bitboard, Color, PieceKind, Position, advisor_attacks, elephant_attacks, king_attacks,
    knight_attacks,
};

use super::Sink;

/// Rates a rook that attacks the squares `targets`.
#[inline]
pub(super) fn rook<S: Sink>(position: &Position, color: Color, targets: Bitboard, sink: &mut S) {
    let weights = sink.weights();
    let open = targets.without(position.occupied());
    sink.phase(color, weights.rook_mobility[open.len() as usize]);
}

/// Rates the knights of a side, whose opponent attacks the squares `guarded`.
#[inline]
pub(super) fn knights<S: Sink>(position: &Position, color: Color, guarded: Bitboard, sink: &mut S) {
    let weights = sink.weights();
    let excluded = guarded | position.occupied() | EDGE;
    for knight in position.pieces_of(color, PieceKind::Knight) {
        let good = knight_attacks(knight, position.lines()).without(excluded);
        if !good.more_than_one() {
            sink.phase(color, weights.knight_blocked[usize::from(!good.is_empty())]);
        }
    }
}

/// The squares that the king, the guards and the pawns of a side attack.
#[inline]
pub(super) fn short_range_attacks(position: &Position, color: Color) -> Bitboard {
    let own = |kind| position.pieces_of(color, kind);
    let mut attacked =
        pawn_set_attacks(own(PieceKind::Pawn), color) | king_attacks(position.king(color));
    for advisor in own(PieceKind::Advisor) {
        attacked |= advisor_attacks(advisor);
    }
    for elephant in own(PieceKind::Elephant) {
        attacked |= elephant_attacks(elephant, position.lines());
    }
    attacked
}

/// The squares that a set of pawns attacks.
#[inline]
fn pawn_set_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    let (ahead, far_half) = match color {
        Color::Red => (pawns.bits() << 9, !RED_HALF),
        Color::Black => (pawns.bits() >> 9, RED_HALF),
    };
    let crossed = pawns.bits() & far_half;
    let left = (crossed & !Bitboard::file(0).bits()) >> 1;
    let right = (crossed & !Bitboard::file(8).bits()) << 1;
    Bitboard::from_bits(ahead | left | right)
}

/// Ranks 0 to 4.
const RED_HALF: u128 = (1 << 45) - 1;

const EDGE: Bitboard = Bitboard::from_bits(
    Bitboard::rank(0).bits()
        | Bitboard::rank(9).bits()
        | Bitboard::file(0).bits()
        | Bitboard::file(8).bits(),
);

#[cfg(test)]
mod tests {
    use super::super::testing::fires;
    use super::*;
    use crate::board::pawn_attacks;
    use crate::board::testing::random_positions;

    #[test]
    fn pawns_attack_as_one_by_one() {
        for position in random_positions(20) {
            for color in Color::ALL {
                let pawns = position.pieces_of(color, PieceKind::Pawn);
                let single =
                    pawns.fold(Bitboard::EMPTY, |set, pawn| set | pawn_attacks(color, pawn));
                assert_eq!(pawn_set_attacks(pawns, color), single);
            }
        }
    }

    #[test]
    fn a_rook_counts_its_empty_squares() {
        // a1 to a8 before the rook a9, b0 and c0 before the king d0
        let fen = "r3k4/9/9/9/9/9/9/9/9/R2K5 w";
        for squares in 0..18 {
            let expected = i32::from(squares == 10) - i32::from(squares == 11);
            assert_eq!(fires(fen, "rook_mobility", squares), expected, "{squares}");
        }
    }

    #[test]
    fn a_knight_counts_its_good_squares() {
        // a corner knight goes to b2 and to the leg-free c1
        let free = "4k4/9/9/9/9/9/9/9/9/N2K5 w";
        assert_eq!((fires(free, "knight_blocked", 0), fires(free, "knight_blocked", 1)), (0, 0));
        let leg = "4k4/9/9/9/9/9/9/9/R8/N2K5 w";
        assert_eq!((fires(leg, "knight_blocked", 0), fires(leg, "knight_blocked", 1)), (0, 1));
        let guarded = "4k4/9/9/9/9/9/9/9/R4r3/N2K5 w";
        assert_eq!(fires(guarded, "knight_blocked", 0), 1);
        // a3 and d0 lie on the edge, d2 is occupied, c3 is left
        let edge = "4k4/9/9/9/9/9/9/3R5/1N7/3K5 w";
        assert_eq!((fires(edge, "knight_blocked", 0), fires(edge, "knight_blocked", 1)), (0, 1));
    }
}
