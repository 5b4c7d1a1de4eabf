//! Checks, pins and what a move must not do to keep its king safe.

use super::attacks::{aligned, between, knight_leg, knight_pseudo_attackers, pawn_attackers};
use super::bitboard::Bitboard;
use super::moves::Move;
use super::piece::{Color, PieceKind};
use super::position::Position;
use super::square::Square;

/// Threats to the king of the side to move; computed once per position.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Checks {
    /// Enemy pieces that give check.
    pub checkers: Bitboard,
    /// Own pieces whose leaving may expose the king: the only one before a
    /// rook or the other king, one of two before a cannon, the leg of a knight.
    pub pinned: Bitboard,
    /// Empty squares where any piece would serve an enemy cannon as screen.
    pub hollow: Bitboard,
}

/// Where moves of one side give check; computed once per node that needs it.
#[derive(Clone, Copy, Debug)]
pub struct CheckSquares {
    king: Square,
    /// By kind of piece: squares from which it attacks the king, as things
    /// stand before the move.
    direct: [Bitboard; 7],
    /// Pieces of the side whose leaving may give check, and squares where its
    /// cannon gains a screen.
    discovering: Bitboard,
    hollow: Bitboard,
}

impl CheckSquares {
    /// The squares where a move of a piece of this kind from `from` may give
    /// check.
    #[inline]
    pub(super) fn candidates(&self, kind: PieceKind, from: Square) -> Bitboard {
        match self.discovering.contains(from) {
            true => Bitboard::ALL,
            false => self.direct[kind.index()] | self.hollow,
        }
    }
}

/// A king's attackers, and the squares between it and the pieces that would
/// attack it with one piece more or fewer in between.
struct KingThreats {
    checkers: Bitboard,
    blockers: Bitboard,
    hollow: Bitboard,
}

impl Position {
    /// Threats of side `by` to a king on `king`, with these squares occupied.
    ///
    /// Always inlined, as is what calls it: handed back in memory, written in halves
    /// and read whole, they would keep every move waiting.
    #[inline(always)]
    fn king_threats(&self, king: Square, by: Color, occupied: Bitboard) -> KingThreats {
        let mut threats = KingThreats {
            checkers: pawn_attackers(by, king) & self.pieces_of(by, PieceKind::Pawn),
            blockers: Bitboard::EMPTY,
            hollow: Bitboard::EMPTY,
        };
        let on_lines = aligned(king) & self.of_color(by);
        for rook in on_lines & (self.of_kind(PieceKind::Rook) | self.of_kind(PieceKind::King)) {
            let screens = between(king, rook) & occupied;
            if screens.is_empty() {
                threats.checkers |= Bitboard::of(rook);
            } else if !screens.more_than_one() {
                threats.blockers |= screens;
            }
        }
        for cannon in on_lines & self.of_kind(PieceKind::Cannon) {
            let gap = between(king, cannon);
            let screens = gap & occupied;
            match screens.len() {
                0 => threats.hollow |= gap,
                1 => threats.checkers |= Bitboard::of(cannon),
                2 => threats.blockers |= screens,
                _ => {}
            }
        }
        for knight in knight_pseudo_attackers(king) & self.pieces_of(by, PieceKind::Knight) {
            let leg = Bitboard::of(knight_leg(knight, king));
            if leg.intersects(occupied) {
                threats.blockers |= leg;
            } else {
                threats.checkers |= Bitboard::of(knight);
            }
        }
        threats
    }

    /// Checks, pins and hollow-cannon squares of the king of `color`.
    #[inline(always)]
    pub(super) fn compute_checks(&self, color: Color) -> Checks {
        let threats = self.king_threats(self.king(color), !color, self.occupied());
        Checks {
            checkers: threats.checkers,
            pinned: threats.blockers & self.of_color(color),
            hollow: threats.hollow,
        }
    }

    /// Candidates for evasions other than king moves: target squares that block
    /// or capture, and pieces any move of which may lift the check. All squares
    /// for a double check.
    pub(super) fn evasion_targets(&self) -> (Bitboard, Bitboard) {
        let king = self.king(self.side_to_move());
        let checkers = self.checkers();
        let (Some(checker), false) = (checkers.first(), checkers.more_than_one()) else {
            return (Bitboard::ALL, Bitboard::ALL);
        };
        let take = Bitboard::of(checker);
        let line = between(king, checker);
        match self.piece_at(checker).map(|piece| piece.kind()) {
            // a second screen, or none
            Some(PieceKind::Cannon) => (take | line, line & self.of_color(self.side_to_move())),
            Some(PieceKind::Knight) => {
                (take | Bitboard::of(knight_leg(checker, king)), Bitboard::EMPTY)
            }
            _ => (take | line, Bitboard::EMPTY),
        }
    }

    /// Whether a pseudo-legal move leaves the mover's king safe.
    #[inline]
    pub fn leaves_king_safe(&self, m: Move) -> bool {
        let checks = self.checks();
        let (from, to) = (m.from(), m.to());
        if checks.checkers.is_empty()
            && from != self.king(self.side_to_move())
            && !checks.pinned.contains(from)
            && !checks.hollow.contains(to)
        {
            return true;
        }
        self.is_king_safe_after(m)
    }

    /// [`leaves_king_safe`](Position::leaves_king_safe), computed in full.
    fn is_king_safe_after(&self, m: Move) -> bool {
        let us = self.side_to_move();
        let king = if m.from() == self.king(us) { m.to() } else { self.king(us) };
        let occupied = self.occupied().without(Bitboard::of(m.from())) | Bitboard::of(m.to());
        let attackers = self.of_color(!us).without(Bitboard::of(m.to()));
        !is_attacked(king, !us, occupied, |kind| self.of_kind(kind) & attackers)
    }

    /// The squares for [`gives_check`](Position::gives_check).
    pub fn check_squares(&self) -> CheckSquares {
        use super::attacks::{cannon_attacks, knight_attackers, rook_attacks};
        let us = self.side_to_move();
        let king = self.king(!us);
        let threats = self.king_threats(king, us, self.occupied());
        let mut direct = [Bitboard::EMPTY; 7];
        direct[PieceKind::Rook.index()] = rook_attacks(king, self.lines());
        direct[PieceKind::Cannon.index()] = cannon_attacks(king, self.lines());
        direct[PieceKind::Knight.index()] = knight_attackers(king, self.lines());
        direct[PieceKind::Pawn.index()] = pawn_attackers(us, king);
        // a cannon on the king's line is its own screen as seen from the king
        let own_screen = aligned(king) & self.pieces_of(us, PieceKind::Cannon);
        CheckSquares {
            king,
            direct,
            discovering: (threats.blockers & self.of_color(us)) | own_screen,
            hollow: threats.hollow,
        }
    }

    /// Whether a pseudo-legal move gives check; `squares` are those of this
    /// position.
    #[inline]
    pub fn gives_check(&self, m: Move, squares: &CheckSquares) -> bool {
        let Some(piece) = self.piece_at(m.from()) else { return false };
        squares.candidates(piece.kind(), m.from()).contains(m.to())
            && self.attacks_king_after(m, piece.kind(), squares)
    }

    /// Whether the side to move attacks the king after the move.
    pub(super) fn attacks_king_after(
        &self,
        m: Move,
        kind: PieceKind,
        &CheckSquares { king, .. }: &CheckSquares,
    ) -> bool {
        let us = self.side_to_move();
        let (from, to) = (Bitboard::of(m.from()), Bitboard::of(m.to()));
        let occupied = self.occupied().without(from) | to;
        let now = |of: PieceKind| {
            let pieces = self.pieces_of(us, of);
            if of == kind { pieces ^ from ^ to } else { pieces }
        };
        is_attacked(king, us, occupied, now)
    }
}

/// Whether pieces of side `by`, given by kind, attack a king on `king` with these
/// squares occupied; the other king does so on an open line.
#[inline]
fn is_attacked(
    king: Square,
    by: Color,
    occupied: Bitboard,
    pieces: impl Fn(PieceKind) -> Bitboard,
) -> bool {
    pawn_attackers(by, king).intersects(pieces(PieceKind::Pawn))
        || (aligned(king) & (pieces(PieceKind::Rook) | pieces(PieceKind::King)))
            .any(|rook| !between(king, rook).intersects(occupied))
        || (aligned(king) & pieces(PieceKind::Cannon))
            .any(|cannon| (between(king, cannon) & occupied).len() == 1)
        || (knight_pseudo_attackers(king) & pieces(PieceKind::Knight))
            .any(|knight| !occupied.contains(knight_leg(knight, king)))
}

#[cfg(test)]
mod tests {
    use crate::board::MoveList;
    use crate::board::testing::random_positions;

    #[test]
    fn short_cuts_agree_with_the_full_test() {
        for position in random_positions(26) {
            for &m in &position.pseudo_legal_moves() {
                assert_eq!(
                    position.leaves_king_safe(m),
                    position.is_king_safe_after(m),
                    "{m} in {}",
                    position.to_fen()
                );
            }
        }
    }

    #[test]
    fn gives_check_equals_check_after_the_move() {
        for mut position in random_positions(26) {
            let squares = position.check_squares();
            let (mut checks, mut quiets) = (MoveList::new(), MoveList::new());
            position.quiet_checks_into(&mut checks, &squares);
            position.quiets_into(&mut quiets);
            quiets.retain(|m| position.gives_check(m, &squares));
            assert_eq!(checks.to_vec(), quiets.to_vec());
            for &m in &position.legal_moves() {
                let predicted = position.gives_check(m, &squares);
                let fen = position.to_fen();
                let undo = position.make(m);
                assert_eq!(predicted, position.in_check(), "{m} in {fen}");
                position.unmake(m, undo);
            }
        }
    }
}
