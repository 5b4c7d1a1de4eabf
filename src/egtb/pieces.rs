//! The pieces of a number of an index, for the generator.

use crate::board::{
    Bitboard, Color, Lines, PieceKind, Square, advisor_attacks, cannon_attacks, elephant_attacks,
    king_attacks, knight_attackers, knight_attacks, pawn_attackers, pawn_attacks, rook_attacks,
};

use super::index::{Index, Ranks};

/// Pieces on squares; not necessarily a legal position.
#[derive(Clone)]
pub struct Pieces {
    sets: [[Bitboard; 7]; 2],
    colors: [Bitboard; 2],
    lines: Lines,
}

impl Pieces {
    /// The pieces of these ranks; `None` if two share a square.
    pub fn new(index: &Index, ranks: &Ranks) -> Option<Pieces> {
        let mut occupied = Bitboard::EMPTY;
        for (group, &rank) in index.groups().iter().zip(ranks) {
            let all = group.placement(rank).all;
            if occupied.intersects(all) {
                return None;
            }
            occupied |= all;
        }
        let mut pieces = Pieces {
            sets: [[Bitboard::EMPTY; 7]; 2],
            colors: [Bitboard::EMPTY; 2],
            lines: Lines::new(occupied),
        };
        for (group, &rank) in index.groups().iter().zip(ranks) {
            let color = group.color().index();
            pieces.colors[color] |= group.placement(rank).all;
            for (kind, set) in group.sets(rank) {
                pieces.sets[color][kind.index()] = set;
            }
        }
        Some(pieces)
    }

    /// The squares of one side's pieces of a kind.
    #[inline]
    pub fn of(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.sets[color.index()][kind.index()]
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Whether a side could take the other king, or faces it on an open file:
    /// with that side to move this is not a position.
    pub fn attacks_king(&self, by: Color) -> bool {
        use PieceKind::{Cannon, King, Knight, Pawn, Rook};
        let Some(king) = self.of(!by, King).first() else { return false };
        rook_attacks(king, &self.lines).intersects(self.of(by, Rook) | self.of(by, King))
            || pawn_attackers(by, king).intersects(self.of(by, Pawn))
            || knight_attackers(king, &self.lines).intersects(self.of(by, Knight))
            || cannon_attacks(king, &self.lines).intersects(self.of(by, Cannon))
    }

    /// Squares that an attacker can go to without a capture.
    #[inline]
    pub fn quiet_targets(&self, color: Color, kind: PieceKind, from: Square) -> Bitboard {
        let targets = match kind {
            PieceKind::Knight => knight_attacks(from, &self.lines),
            PieceKind::Pawn => pawn_attacks(color, from),
            _ => rook_attacks(from, &self.lines),
        };
        targets.without(self.occupied())
    }

    /// Squares that an attacker can have come from without a capture.
    #[inline]
    pub fn quiet_origins(&self, color: Color, kind: PieceKind, to: Square) -> Bitboard {
        let origins = match kind {
            PieceKind::Knight => knight_attackers(to, &self.lines),
            PieceKind::Pawn => pawn_attackers(color, to),
            _ => rook_attacks(to, &self.lines),
        };
        origins.without(self.occupied())
    }

    /// Calls `visit` with the captured kind and the pieces after each legal
    /// capture of a side.
    pub fn for_each_capture(&self, by: Color, mut visit: impl FnMut(PieceKind, &Pieces)) {
        let enemies = self.colors[(!by).index()].without(self.of(!by, PieceKind::King));
        for kind in PieceKind::ALL {
            for from in self.of(by, kind) {
                for to in self.attacks(by, kind, from) & enemies {
                    let (captured, after) = self.capture(by, kind, from, to);
                    if !after.attacks_king(!by) {
                        visit(captured, &after);
                    }
                }
            }
        }
    }

    fn attacks(&self, color: Color, kind: PieceKind, from: Square) -> Bitboard {
        match kind {
            PieceKind::King => king_attacks(from),
            PieceKind::Advisor => advisor_attacks(from),
            PieceKind::Elephant => elephant_attacks(from, &self.lines),
            PieceKind::Knight => knight_attacks(from, &self.lines),
            PieceKind::Rook => rook_attacks(from, &self.lines),
            PieceKind::Cannon => cannon_attacks(from, &self.lines),
            PieceKind::Pawn => pawn_attacks(color, from),
        }
    }

    fn capture(&self, by: Color, kind: PieceKind, from: Square, to: Square) -> (PieceKind, Pieces) {
        let (them, target) = ((!by).index(), Bitboard::of(to));
        let taken = |kind: &PieceKind| self.of(!by, *kind).contains(to);
        let captured = PieceKind::ALL.into_iter().find(taken).unwrap_or(PieceKind::King);
        let mut after = self.clone();
        after.sets[them][captured.index()] = self.of(!by, captured).without(target);
        after.colors[them] = self.colors[them].without(target);
        after.sets[by.index()][kind.index()] ^= Bitboard::of(from) | target;
        after.colors[by.index()] ^= Bitboard::of(from) | target;
        after.lines.toggle(from);
        (captured, after)
    }
}
