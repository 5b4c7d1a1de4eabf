//! Move generation: pseudo-legal moves by class, legal moves, and counting.

use super::attacks::{
    advisor_attacks, cannon_attacks, elephant_attacks, king_attacks, knight_attacks, pawn_attacks,
    rook_attacks,
};
use super::bitboard::Bitboard;
use super::check::CheckSquares;
use super::moves::{Move, MoveList};
use super::piece::{Color, PieceKind};
use super::position::Position;
use super::square::Square;

impl Position {
    /// Pseudo-legal targets of the piece of this side and kind on `square`,
    /// limited to `wanted`.
    #[inline(always)]
    fn targets(&self, color: Color, kind: PieceKind, square: Square, wanted: Bitboard) -> Bitboard {
        let lines = self.lines();
        let reach = match kind {
            PieceKind::King => king_attacks(square),
            PieceKind::Advisor => advisor_attacks(square),
            PieceKind::Elephant => elephant_attacks(square, lines),
            PieceKind::Knight => knight_attacks(square, lines),
            PieceKind::Rook => rook_attacks(square, lines),
            PieceKind::Cannon => {
                let mut reach = Bitboard::EMPTY;
                let enemies = self.of_color(!color);
                if wanted.intersects(enemies) {
                    reach = cannon_attacks(square, lines) & enemies;
                }
                if wanted != enemies {
                    reach |= rook_attacks(square, lines).without(self.occupied());
                }
                reach
            }
            PieceKind::Pawn => pawn_attacks(color, square),
        };
        reach & wanted
    }

    /// Calls `visit` with each piece of the side to move that stands on a square
    /// of `movers`, and its targets among the squares `wanted` of it.
    #[inline(always)]
    fn for_each_piece(
        &self,
        movers: Bitboard,
        wanted: impl Fn(PieceKind, Square) -> Bitboard,
        mut visit: impl FnMut(PieceKind, Square, Bitboard),
    ) {
        let us = self.side_to_move();
        // one loop per kind, so that `kind` is a constant in each
        macro_rules! visit_all {
            ($($kind:ident)*) => {
                $(for from in self.pieces_of(us, PieceKind::$kind) & movers {
                    let wanted = wanted(PieceKind::$kind, from);
                    let targets = self.targets(us, PieceKind::$kind, from, wanted);
                    visit(PieceKind::$kind, from, targets);
                })*
            };
        }
        visit_all!(Rook Cannon Knight Pawn Advisor Elephant King);
    }

    #[inline]
    fn generate(&self, list: &mut MoveList, wanted: Bitboard) {
        self.for_each_piece(
            Bitboard::ALL,
            |_, _| wanted,
            |_, from, targets| {
                for to in targets {
                    list.push(Move::between(from, to));
                }
            },
        );
    }

    /// Appends the pseudo-legal captures of the side to move.
    #[inline]
    pub fn captures_into(&self, list: &mut MoveList) {
        self.generate(list, self.of_color(!self.side_to_move()));
    }

    /// Appends the pseudo-legal moves that capture nothing.
    #[inline]
    pub fn quiets_into(&self, list: &mut MoveList) {
        self.generate(list, !self.occupied());
    }

    /// Appends the pseudo-legal moves that capture nothing and give check;
    /// `squares` are those of this position.
    pub fn quiet_checks_into(&self, list: &mut MoveList, squares: &CheckSquares) {
        let empty = !self.occupied();
        let wanted = |kind, from| empty & squares.candidates(kind, from);
        self.for_each_piece(Bitboard::ALL, wanted, |kind, from, targets| {
            for to in targets {
                let m = Move::between(from, to);
                if self.attacks_king_after(m, kind, squares) {
                    list.push(m);
                }
            }
        });
    }

    /// Appends the pseudo-legal check evasions, captures first, and returns how
    /// many of them capture; all legal moves are among them.
    ///
    /// For a side in check: moves of pieces other than the king are listed only
    /// if they capture the checker, block it or take its screen away.
    pub fn evasions_into(&self, list: &mut MoveList) -> usize {
        let (to, from) = self.evasion_targets();
        let king = self.king(self.side_to_move());
        let free = from | Bitboard::of(king);
        let mut generate = |wanted: Bitboard| {
            let wanted = |_, from| if free.contains(from) { wanted } else { wanted & to };
            self.for_each_piece(Bitboard::ALL, wanted, |_, from, targets| {
                for target in targets {
                    list.push(Move::between(from, target));
                }
            });
            list.len()
        };
        let captures = generate(self.of_color(!self.side_to_move()));
        generate(!self.occupied());
        captures
    }

    /// All moves that the pieces of the side to move can make, including those
    /// that leave its king in check.
    pub fn pseudo_legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(&mut list, !self.of_color(self.side_to_move()));
        list
    }

    /// All legal moves of the side to move; empty after checkmate or stalemate,
    /// both of which lose.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = self.candidates();
        list.retain(|m| self.leaves_king_safe(m));
        list
    }

    /// Moves among which all legal ones are.
    #[inline]
    fn candidates(&self) -> MoveList {
        if !self.in_check() {
            return self.pseudo_legal_moves();
        }
        let mut list = MoveList::new();
        self.evasions_into(&mut list);
        list
    }

    /// Whether the piece can make this move, its king's safety aside; see
    /// [`leaves_king_safe`](Position::leaves_king_safe).
    #[inline]
    pub fn is_pseudo_legal(&self, m: Move) -> bool {
        match self.piece_at(m.from()) {
            Some(piece) if piece.color() == self.side_to_move() => {
                let wanted = Bitboard::of(m.to()).without(self.of_color(piece.color()));
                !self.targets(piece.color(), piece.kind(), m.from(), wanted).is_empty()
            }
            _ => false,
        }
    }

    /// Whether the side to move may play this move.
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.is_pseudo_legal(m) && self.leaves_king_safe(m)
    }

    /// Whether the side to move has any legal move.
    pub fn has_legal_move(&self) -> bool {
        self.candidates().iter().any(|&m| self.leaves_king_safe(m))
    }

    /// Whether the side to move has exactly one legal move.
    pub fn has_single_legal_move(&self) -> bool {
        self.candidates().iter().filter(|&&m| self.leaves_king_safe(m)).take(2).count() == 1
    }

    /// Counts the legal moves without generating those that are safe by pins
    /// and checks alone (bulk counting).
    pub fn count_legal_moves(&self) -> u64 {
        if self.in_check() {
            return self.legal_moves().len() as u64;
        }
        let checks = *self.checks();
        let ours = self.of_color(self.side_to_move());
        let unsafe_movers = checks.pinned | Bitboard::of(self.king(self.side_to_move()));
        let mut count = 0;
        self.for_each_piece(
            ours.without(unsafe_movers),
            |_, _| !ours,
            |_, _, targets| {
                count += u64::from(targets.len());
            },
        );
        // moves into a gap before a hollow cannon may be illegal: count them again
        if !checks.hollow.is_empty() {
            let wanted = |_, _| checks.hollow;
            self.for_each_piece(ours.without(unsafe_movers), wanted, |_, from, targets| {
                count -= u64::from(targets.len()) - self.count_safe(from, targets);
            });
        }
        self.for_each_piece(
            unsafe_movers,
            |_, _| !ours,
            |_, from, targets| count += self.count_safe(from, targets),
        );
        count
    }

    /// How many of these pseudo-legal moves leave the king safe.
    fn count_safe(&self, from: Square, targets: Bitboard) -> u64 {
        targets.filter(|&to| self.leaves_king_safe(Move::between(from, to))).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_positions;

    #[test]
    fn evasions_hold_every_legal_answer_to_a_check() {
        let mut checks = 0;
        for position in random_positions(220) {
            let legal = position.legal_moves();
            let mut slow = position.pseudo_legal_moves();
            slow.retain(|m| position.leaves_king_safe(m));
            let sorted = |list: &MoveList| {
                let mut moves = list.to_vec();
                moves.sort_unstable();
                moves
            };
            assert_eq!(sorted(&legal), sorted(&slow), "{}", position.to_fen());
            assert_eq!(position.has_single_legal_move(), legal.len() == 1);
            if position.in_check() {
                checks += 1;
                let mut evasions = MoveList::new();
                let captures = position.evasions_into(&mut evasions);
                for (i, &m) in evasions.iter().enumerate() {
                    assert_eq!(position.is_capture(m), i < captures);
                }
            }
        }
        assert!(checks > 1_000, "only {checks} checks met");
    }

    #[test]
    fn classes_partition_the_moves_and_membership_is_pseudo_legality() {
        for fen in [
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
            "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w",
            "C1bnkacC1/2c6/2N2a3/9/p3P1b2/9/P8/4B4/4A4/3AK4 b",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let mut parts = MoveList::new();
            position.captures_into(&mut parts);
            assert!(parts.iter().all(|&m| position.is_capture(m)));
            position.quiets_into(&mut parts);
            let mut all: Vec<Move> = position.pseudo_legal_moves().to_vec();
            let mut parts = parts.to_vec();
            all.sort_unstable();
            parts.sort_unstable();
            assert_eq!(all, parts);
            for bits in 0..=u16::MAX {
                if let Some(m) = Move::from_bits(bits) {
                    assert_eq!(position.is_pseudo_legal(m), all.binary_search(&m).is_ok());
                }
            }
            assert_eq!(position.legal_moves().len() as u64, position.count_legal_moves());
            assert!(!position.has_single_legal_move());
        }
    }
}
