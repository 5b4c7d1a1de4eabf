//! Pieces on squares without a side to move.
//!
//! A chase is a threat, that is a capture by the side that is *not* to move,
//! perhaps while the other king is in check. That is not a valid `Position`.

use crate::board::{
    Bitboard, Color, Lines, Move, PieceKind, Position, Square, advisor_attacks, cannon_attacks,
    elephant_attacks, king_attacks, knight_attackers, pawn_attackers, rook_attacks,
};

/// Where the pieces stand.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    lines: Lines,
    kinds: [Bitboard; 7],
    colors: [Bitboard; 2],
}

impl Placement {
    pub fn of(position: &Position) -> Placement {
        Placement {
            lines: *position.lines(),
            kinds: PieceKind::ALL.map(|kind| position.of_kind(kind)),
            colors: Color::ALL.map(|color| position.of_color(color)),
        }
    }

    pub fn of_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()] & self.colors[color.index()]
    }

    /// The kind of the piece on an occupied square.
    pub fn kind_at(&self, square: Square) -> Option<PieceKind> {
        PieceKind::ALL.into_iter().find(|kind| self.kinds[kind.index()].contains(square))
    }

    /// The placement after a move or capture by `color`.
    pub fn after(&self, color: Color, m: Move) -> Placement {
        let mut next = *self;
        let (from, to) = (Bitboard::of(m.from()), Bitboard::of(m.to()));
        if self.colors[0].contains(m.to()) || self.colors[1].contains(m.to()) {
            next.kinds = next.kinds.map(|squares| squares.without(to));
            next.colors[(!color).index()] = next.colors[(!color).index()].without(to);
        } else {
            next.lines.toggle(m.to());
        }
        next.lines.toggle(m.from());
        for squares in next.kinds.iter_mut().filter(|squares| squares.intersects(from)) {
            *squares ^= from | to;
        }
        next.colors[color.index()] ^= from | to;
        next
    }

    /// The pieces of `by` that cover `square`, on which some piece stands:
    /// they could capture an enemy there, their own king's safety aside.
    pub fn covering(&self, square: Square, by: Color) -> Bitboard {
        use PieceKind::{Advisor, Cannon, Elephant, King, Knight, Pawn, Rook};
        let of = |kind: PieceKind| self.kinds[kind.index()];
        let lines = &self.lines;
        let reach = (rook_attacks(square, lines) & of(Rook))
            | (cannon_attacks(square, lines) & of(Cannon))
            | (knight_attackers(square, lines) & of(Knight))
            | (pawn_attackers(by, square) & of(Pawn))
            | (elephant_attacks(square, lines) & of(Elephant))
            | (advisor_attacks(square) & of(Advisor))
            | (king_attacks(square) & of(King));
        reach & self.of_color(by)
    }

    /// The pieces that check the king of `color`; the other king is one of
    /// them when the two face each other.
    pub fn checkers(&self, color: Color) -> Bitboard {
        let Some(king) = self.pieces(color, PieceKind::King).first() else {
            return Bitboard::EMPTY;
        };
        self.covering(king, !color) | self.facing(king)
    }

    /// The other king if nothing stands between it and the one on `king`.
    fn facing(&self, king: Square) -> Bitboard {
        rook_attacks(king, &self.lines) & self.kinds[PieceKind::King.index()]
    }

    pub fn kings_face_each_other(&self) -> bool {
        let king = self.kinds[PieceKind::King.index()].first();
        king.is_some_and(|king| !self.facing(king).is_empty())
    }

    /// Whether a capture by `color` exposes its king to a piece that did not
    /// attack it before. A check that stands already is not an obstacle: otherwise
    /// every check would make all of the other side's protection worthless.
    pub fn exposes_king(&self, color: Color, capture: Move, existing: Bitboard) -> bool {
        let after = self.after(color, capture);
        after.checkers(color).intersects(!existing)
    }

    /// Whether the enemy piece on `victim` has a real root (真根) against the
    /// capture: its side can legally recapture.
    pub fn is_rooted(&self, capturer: Color, capture: Move) -> bool {
        let existing = self.checkers(!capturer);
        let after = self.after(capturer, capture);
        after.covering(capture.to(), !capturer).any(|recapturer| {
            Move::new(recapturer, capture.to())
                .is_some_and(|recapture| !after.exposes_king(!capturer, recapture, existing))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_game;

    fn placement(fen: &str) -> Placement {
        Placement::of(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn coverage_and_checks_agree_with_the_board() {
        let mut position = Position::startpos();
        for m in random_game(5, 200) {
            let before = Placement::of(&position);
            let side = position.side_to_move();
            for capture in position.pseudo_legal_moves().iter().filter(|m| position.is_capture(**m))
            {
                assert!(before.covering(capture.to(), side).contains(capture.from()));
            }
            position.make(m);
            let after = before.after(side, m);
            assert_eq!(after.checkers(!side), position.checkers());
            for color in Color::ALL {
                for kind in PieceKind::ALL {
                    assert_eq!(after.pieces(color, kind), position.pieces_of(color, kind));
                }
            }
            assert_eq!(after.lines, *position.lines());
        }
    }

    #[test]
    fn a_false_root_is_none() {
        let capture: Move = "h5e5".parse().unwrap();
        // the knight on d7 protects e5, unless leaving lets the kings face
        let rooted = placement("3k5/9/3n5/9/4c2R1/9/9/9/9/4K4 w");
        assert!(rooted.is_rooted(Color::Red, capture));
        let pinned = placement("3k5/9/3n5/9/4c2R1/9/9/9/9/3K5 w");
        assert!(!pinned.is_rooted(Color::Red, capture));
    }
}
