//! The pieces of a number of an index, for the generator.

use std::ops::{ControlFlow, Range};

use crate::board::{
    Bitboard, Color, Lines, PieceKind, Square, advisor_attacks, cannon_attacks, elephant_attacks,
    king_attacks, knight_attackers, knight_attacks, pawn_attackers, pawn_attacks, rook_attacks,
};

use super::index::{Index, Ranks};

/// The ranks of a number and the squares that its pieces take.
#[derive(Clone, Default)]
pub struct Board {
    /// The ranks of the groups.
    pub ranks: Ranks,
    /// All squares taken.
    pub occupied: Bitboard,
    lines: Lines,
}

impl Board {
    /// Puts the pieces of a group on the board; whether the squares are free.
    #[inline]
    fn put(&mut self, index: &Index, g: usize, rank: u32) -> bool {
        let placement = index.groups()[g].placement(rank);
        let is_free = !self.occupied.intersects(placement.all);
        self.ranks[g] = rank;
        self.occupied |= placement.all;
        self.lines = self.lines.join(&placement.lines);
        is_free
    }

    /// Squares that an attacker can go to without a capture.
    #[inline]
    pub fn quiet_targets(&self, color: Color, kind: PieceKind, from: Square) -> Bitboard {
        let targets = match kind {
            PieceKind::Knight => knight_attacks(from, &self.lines),
            PieceKind::Pawn => pawn_attacks(color, from),
            _ => rook_attacks(from, &self.lines),
        };
        targets.without(self.occupied)
    }

    /// Squares that an attacker can have come from without a capture.
    #[inline]
    fn quiet_origins(&self, color: Color, kind: PieceKind, to: Square) -> Bitboard {
        let origins = match kind {
            PieceKind::Knight => knight_attackers(to, &self.lines),
            PieceKind::Pawn => pawn_attackers(color, to),
            _ => rook_attacks(to, &self.lines),
        };
        origins.without(self.occupied)
    }

    /// Calls `visit` with each group and its rank before a quiet move.
    #[inline]
    pub fn for_each_origin(&self, index: &Index, mover: Color, mut visit: impl FnMut(usize, u32)) {
        for (g, group) in index.groups().iter().enumerate() {
            if group.color() != mover {
                continue;
            }
            if group.is_home() {
                for m in group.home_moves(self.ranks[g]) {
                    if !m.path.intersects(self.occupied) {
                        visit(g, m.rank);
                    }
                }
                continue;
            }
            for (kind, set) in group.sets(self.ranks[g]).take(1) {
                for to in set {
                    for from in self.quiet_origins(mover, kind, to) {
                        let before = set ^ to.into() ^ from.into();
                        if let Some(rank) = group.rank_of_attackers(before) {
                            visit(g, rank);
                        }
                    }
                }
            }
        }
    }
}

/// Boards of ascending numbers: what those share that differ in the lowest
/// digit alone is kept.
pub struct Boards<'a> {
    index: &'a Index,
    /// The numbers of the present row.
    row: Range<usize>,
    /// The board without the lowest group; `None` if pieces share a square.
    outer: Option<Board>,
    board: Board,
}

impl<'a> Boards<'a> {
    /// None looked at yet.
    pub fn new(index: &'a Index) -> Boards<'a> {
        Boards { index, row: 0..0, outer: None, board: Board::default() }
    }

    /// The board of a number; `None` if pieces share a square.
    #[inline]
    pub fn of(&mut self, number: usize) -> Option<&Board> {
        if !self.row.contains(&number) {
            self.enter_row(number);
        }
        self.board = self.outer.as_ref()?.clone();
        let rank = self.index.lowest_rank(number - self.row.start);
        self.board.put(self.index, 0, rank).then_some(&self.board)
    }

    fn enter_row(&mut self, number: usize) {
        let length = self.index.row();
        let start = number / length * length;
        self.row = start..start + length;
        let ranks = self.index.ranks(start);
        let mut board = Board::default();
        let mut others = 1..self.index.groups().len();
        let is_free = others.all(|g| board.put(self.index, g, ranks[g]));
        self.outer = is_free.then_some(board);
    }
}

/// Pieces on squares; not necessarily a legal position.
#[derive(Clone)]
pub struct Pieces {
    sets: [[Bitboard; 7]; 2],
    colors: [Bitboard; 2],
    lines: Lines,
}

impl Pieces {
    /// The pieces of a board.
    pub fn new(index: &Index, board: &Board) -> Pieces {
        let mut pieces = Pieces {
            sets: [[Bitboard::EMPTY; 7]; 2],
            colors: [Bitboard::EMPTY; 2],
            lines: board.lines,
        };
        for (group, &rank) in index.groups().iter().zip(&board.ranks) {
            let color = group.color().index();
            pieces.colors[color] |= group.placement(rank).all;
            for (kind, set) in group.sets(rank) {
                pieces.sets[color][kind.index()] = set;
            }
        }
        pieces
    }

    /// The squares of one side's pieces of a kind.
    #[inline]
    pub fn of(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.sets[color.index()][kind.index()]
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

    /// Whether a side attacks a piece other than the king with anything but its
    /// king and its pawns, which may attack as often as they like under every
    /// rule of repetition; protected pieces and moves that would leave the own
    /// king in check count as well.
    pub fn attacks_piece(&self, by: Color) -> bool {
        use PieceKind::{Advisor, Cannon, Elephant, Knight, Rook};
        let targets = self.colors[(!by).index()].without(self.of(!by, PieceKind::King));
        [Rook, Knight, Cannon, Advisor, Elephant].into_iter().any(|kind| {
            self.of(by, kind).any(|from| self.attacks(by, kind, from).intersects(targets))
        })
    }

    /// Calls `visit` with the captured kind and the pieces after each legal
    /// capture of a side.
    pub fn for_each_capture(&self, by: Color, mut visit: impl FnMut(PieceKind, &Pieces)) {
        let enemies = self.colors[(!by).index()].without(self.of(!by, PieceKind::King));
        let _ = self.try_each_move(by, enemies, |captured, after| {
            captured.into_iter().for_each(|kind| visit(kind, after));
            ControlFlow::Continue(())
        });
    }

    /// Calls `visit` with the captured kind, if any, and the pieces after each
    /// legal move of a side, until it breaks.
    pub fn try_each_legal_move(
        &self,
        by: Color,
        visit: impl FnMut(Option<PieceKind>, &Pieces) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let targets = Bitboard::ALL.without(self.colors[by.index()]);
        self.try_each_move(by, targets.without(self.of(!by, PieceKind::King)), visit)
    }

    fn try_each_move(
        &self,
        by: Color,
        targets: Bitboard,
        mut visit: impl FnMut(Option<PieceKind>, &Pieces) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let enemies = self.colors[(!by).index()];
        for kind in PieceKind::ALL {
            for from in self.of(by, kind) {
                let quiet = match kind {
                    PieceKind::Cannon => rook_attacks(from, &self.lines),
                    _ => self.attacks(by, kind, from),
                };
                let reached = quiet.without(enemies) | self.attacks(by, kind, from) & enemies;
                for to in reached & targets {
                    let (captured, after) = self.after_move(by, kind, from, to);
                    if !after.attacks_king(!by) {
                        visit(captured, &after)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
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

    fn after_move(
        &self,
        by: Color,
        kind: PieceKind,
        from: Square,
        to: Square,
    ) -> (Option<PieceKind>, Pieces) {
        let (them, target) = ((!by).index(), Bitboard::of(to));
        let mut after = self.clone();
        let is_taken = |kind: &PieceKind| self.of(!by, *kind).contains(to);
        let captured = PieceKind::ALL.into_iter().find(is_taken);
        match captured {
            Some(captured) => {
                after.sets[them][captured.index()] ^= target;
                after.colors[them] ^= target;
            }
            None => after.lines.toggle(to),
        }
        after.sets[by.index()][kind.index()] ^= Bitboard::of(from) | target;
        after.colors[by.index()] ^= Bitboard::of(from) | target;
        after.lines.toggle(from);
        (captured, after)
    }
}
