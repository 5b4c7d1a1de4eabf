//! Pieces that stand badly because something worth less attacks them.

use crate::board::{
    Bitboard, Move, PieceKind, Position, Square, advisor_attacks, cannon_attacks, elephant_attacks,
    knight_attacks, pawn_attacks,
};

/// A quiet move that flees is tried as if its history were so much better, and
/// one that walks into an attack as if it were so much worse.
const MINOR_WEIGHT: i32 = 6_000;
const ROOK_WEIGHT: i32 = 12_000;

/// The squares that the opponent of the side to move attacks with less than
/// what stands, or will stand, there.
pub struct Threats {
    /// With less than a knight or a cannon.
    below_minor: Bitboard,
    /// With less than a rook.
    below_rook: Bitboard,
}

impl Threats {
    /// What the side to move has to mind.
    pub fn new(position: &Position) -> Threats {
        use PieceKind::{Advisor, Cannon, Elephant, Knight, Pawn};
        let them = !position.side_to_move();
        let lines = position.lines();
        let below_minor = attacked(position, Pawn, |square| pawn_attacks(them, square))
            | attacked(position, Advisor, advisor_attacks)
            | attacked(position, Elephant, |square| elephant_attacks(square, lines));
        let below_rook = below_minor
            | attacked(position, Knight, |square| knight_attacks(square, lines))
            | attacked(position, Cannon, |square| cannon_attacks(square, lines));
        Threats { below_minor, below_rook }
    }

    /// What a quiet move of a piece of this kind gains by fleeing, history
    /// units; negative if it walks into an attack.
    #[inline]
    pub fn gain(&self, kind: PieceKind, m: Move) -> i32 {
        let (attacked, weight) = match kind {
            PieceKind::Rook => (self.below_rook, ROOK_WEIGHT),
            PieceKind::Knight | PieceKind::Cannon => (self.below_minor, MINOR_WEIGHT),
            _ => return 0,
        };
        let at = |square| i32::from(attacked.contains(square));
        weight * (at(m.from()) - at(m.to()))
    }
}

/// What the opponent's pieces of a kind attack.
#[inline]
fn attacked(
    position: &Position,
    kind: PieceKind,
    attacks: impl Fn(Square) -> Bitboard,
) -> Bitboard {
    let pieces = position.pieces_of(!position.side_to_move(), kind);
    pieces.map(attacks).fold(Bitboard::EMPTY, |all, more| all | more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rook_flees_from_a_knight_and_a_knight_from_a_pawn() {
        // the knight on e6 attacks d4 and f4, the pawn on g5 attacks g4
        let fen = "4k4/9/9/4n4/6p2/3R2N2/9/9/9/3K5 w - - 0 1";
        let position = Position::from_fen(fen).unwrap();
        let threats = Threats::new(&position);
        let gain = |text: &str| {
            let m: Move = text.parse().unwrap();
            threats.gain(position.piece_at(m.from()).unwrap().kind(), m)
        };
        assert_eq!(gain("d4d2"), ROOK_WEIGHT);
        assert_eq!(gain("d4f4"), 0);
        assert_eq!(gain("d4e4"), ROOK_WEIGHT);
        assert_eq!(gain("g4h2"), MINOR_WEIGHT);
        assert_eq!(gain("d0e0"), 0);
    }

    #[test]
    fn what_stands_on_an_attacked_square_of_its_own_worth_does_not_flee() {
        let fen = "4k4/9/9/4n4/9/3C5/9/9/9/3K5 w - - 0 1";
        let position = Position::from_fen(fen).unwrap();
        let threats = Threats::new(&position);
        assert_eq!(threats.gain(PieceKind::Cannon, "d4d2".parse().unwrap()), 0);
        assert_eq!(threats.gain(PieceKind::Rook, "d2d4".parse().unwrap()), -ROOK_WEIGHT);
    }
}
