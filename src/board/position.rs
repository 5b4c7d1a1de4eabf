//! A position: pieces, side to move, and what is derived from them.

use super::attacks::Lines;
use super::bitboard::Bitboard;
use super::check::Checks;
use super::moves::Move;
use super::piece::{Color, Piece, PieceKind};
use super::square::Square;
use super::zobrist::{BLACK_TO_MOVE, piece_key};

/// Zobrist keys of a position, kept up to date by every move.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Keys {
    /// All pieces and the side to move.
    pub full: u64,
    /// The pawns of both sides.
    pub pawn: u64,
    /// Advisors and elephants of both sides.
    pub guard: u64,
    /// All pieces but the pawns, by side.
    pub non_pawn: [u64; 2],
}

/// A valid position of a game.
///
/// Pieces are kept twice, as bitboards by kind and side and as a mailbox; the
/// occupancy of every line, the Zobrist keys, and the checks and pins of the
/// side to move are kept up to date.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    lines: Lines,
    kinds: [Bitboard; 7],
    colors: [Bitboard; 2],
    checks: Checks,
    keys: Keys,
    mailbox: [Option<Piece>; 90],
    kings: [Square; 2],
    side: Color,
    quiet_plies: u16,
    ply: u16,
}

/// What [`Position::unmake`] needs to restore the position before a move.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    checks: Checks,
    keys: Keys,
    captured: Option<Piece>,
    quiet_plies: u16,
}

impl Undo {
    /// What the move captured.
    #[inline]
    pub const fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

impl Position {
    /// The initial position, Red to move.
    pub fn startpos() -> Position {
        use PieceKind::{Advisor, Cannon, Elephant, King, Knight, Pawn, Rook};
        let home = [Rook, Knight, Elephant, Advisor, King, Advisor, Elephant, Knight, Rook];
        let mut mailbox = [None; 90];
        for color in Color::ALL {
            let mut put = |file: usize, own_rank: usize, kind| {
                let rank = if color == Color::Red { own_rank } else { 9 - own_rank };
                mailbox[rank * 9 + file] = Some(Piece::new(color, kind));
            };
            for (file, kind) in home.into_iter().enumerate() {
                put(file, 0, kind);
            }
            put(1, 2, Cannon);
            put(7, 2, Cannon);
            for file in [0, 2, 4, 6, 8] {
                put(file, 3, Pawn);
            }
        }
        let kings = [Square::from_index_trusted(4), Square::from_index_trusted(85)];
        Position::assemble(mailbox, kings, Color::Red, 0, 0)
    }

    /// A position from parts that the caller has checked: exactly one king a
    /// side, where `kings` says.
    pub(super) fn assemble(
        mailbox: [Option<Piece>; 90],
        kings: [Square; 2],
        side: Color,
        quiet_plies: u16,
        ply: u16,
    ) -> Position {
        let mut position = Position {
            lines: Lines::default(),
            kinds: [Bitboard::EMPTY; 7],
            colors: [Bitboard::EMPTY; 2],
            checks: Checks::default(),
            keys: Keys::default(),
            mailbox,
            kings,
            side,
            quiet_plies,
            ply,
        };
        for square in Square::all() {
            if let Some(piece) = mailbox[square.index()] {
                position.lines.toggle(square);
                position.kinds[piece.kind().index()] |= Bitboard::of(square);
                position.colors[piece.color().index()] |= Bitboard::of(square);
                position.keys.toggle(piece, piece_key(piece, square));
            }
        }
        if side == Color::Black {
            position.keys.full ^= BLACK_TO_MOVE;
        }
        position.checks = position.compute_checks(side);
        position
    }

    /// The side to move.
    #[inline]
    pub const fn side_to_move(&self) -> Color {
        self.side
    }

    /// The piece on a square.
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The pieces of one side.
    #[inline]
    pub const fn of_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The pieces of one kind, both sides.
    #[inline]
    pub const fn of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The pieces of one side and kind.
    #[inline]
    pub fn pieces_of(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.colors[color.index()] & self.kinds[kind.index()]
    }

    /// Where the king of a side stands.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        self.kings[color.index()]
    }

    /// The occupancy of ranks and files, for the attack functions.
    #[inline]
    pub const fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The Zobrist key of pieces and side to move; equal positions have equal
    /// keys, whatever their history.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.keys.full
    }

    /// The key of the left-right mirror image.
    pub fn mirrored_key(&self) -> u64 {
        let side = match self.side_to_move() {
            Color::Red => 0,
            Color::Black => BLACK_TO_MOVE,
        };
        self.occupied().fold(side, |key, square| match self.piece_at(square) {
            Some(piece) => key ^ piece_key(piece, square.mirror()),
            None => key,
        })
    }

    /// The keys of the position and of its parts.
    #[inline]
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The key after a move, without making it; for prefetching.
    #[inline]
    pub fn key_after(&self, m: Move) -> u64 {
        let mut key = self.keys.full ^ BLACK_TO_MOVE;
        if let Some(piece) = self.piece_at(m.from()) {
            key ^= piece_key(piece, m.from()) ^ piece_key(piece, m.to());
        }
        if let Some(captured) = self.piece_at(m.to()) {
            key ^= piece_key(captured, m.to());
        }
        key
    }

    /// Plies since the last capture, counted from the FEN's counter.
    #[inline]
    pub const fn quiet_plies(&self) -> u16 {
        self.quiet_plies
    }

    /// Plies since the start of the game, counted from the FEN's move number.
    #[inline]
    pub const fn ply(&self) -> u16 {
        self.ply
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.checks.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        !self.checks.checkers.is_empty()
    }

    #[inline]
    pub(super) const fn checks(&self) -> &Checks {
        &self.checks
    }

    /// Whether the move captures.
    #[inline]
    pub const fn is_capture(&self, m: Move) -> bool {
        self.piece_at(m.to()).is_some()
    }

    /// Plays a legal move.
    ///
    /// # Panics
    /// When the origin square is empty. Any other illegal move leaves an invalid
    /// position.
    #[inline]
    #[expect(clippy::panic, reason = "documented; a Result would cost every node of a search")]
    pub fn make(&mut self, m: Move) -> Undo {
        let (from, to) = (m.from(), m.to());
        let Some(piece) = self.mailbox[from.index()] else {
            panic!("no piece on {from} to move to {to}");
        };
        let undo = Undo {
            checks: self.checks,
            keys: self.keys,
            captured: self.mailbox[to.index()],
            quiet_plies: self.quiet_plies,
        };
        self.quiet_plies = self.quiet_plies.saturating_add(1);
        if let Some(captured) = undo.captured {
            self.kinds[captured.kind().index()] ^= Bitboard::of(to);
            self.colors[captured.color().index()] ^= Bitboard::of(to);
            self.keys.toggle(captured, piece_key(captured, to));
            self.lines.toggle(to);
            self.quiet_plies = 0;
        }
        self.move_piece(piece, from, to);
        self.keys.toggle(piece, piece_key(piece, from) ^ piece_key(piece, to));
        self.switch_side();
        self.ply = self.ply.saturating_add(1);
        undo
    }

    /// Takes back the last move.
    #[inline]
    pub fn unmake(&mut self, m: Move, undo: Undo) {
        let (from, to) = (m.from(), m.to());
        if let Some(piece) = self.mailbox[to.index()] {
            self.move_piece(piece, to, from);
        }
        if let Some(captured) = undo.captured {
            self.kinds[captured.kind().index()] ^= Bitboard::of(to);
            self.colors[captured.color().index()] ^= Bitboard::of(to);
            self.lines.toggle(to);
            self.mailbox[to.index()] = undo.captured;
        }
        self.side = !self.side;
        self.restore(&undo);
        self.ply = self.ply.saturating_sub(1);
    }

    /// Makes a null move; not allowed in check.
    #[inline]
    pub fn make_null(&mut self) -> Undo {
        debug_assert!(!self.in_check());
        let undo = Undo {
            checks: self.checks,
            keys: self.keys,
            captured: None,
            quiet_plies: self.quiet_plies,
        };
        self.switch_side();
        undo
    }

    /// Takes back [`make_null`](Position::make_null).
    #[inline]
    pub fn unmake_null(&mut self, undo: Undo) {
        self.side = !self.side;
        self.restore(&undo);
    }

    /// Moves a piece to an empty square; the keys are left to the caller.
    #[inline]
    fn move_piece(&mut self, piece: Piece, from: Square, to: Square) {
        let both = Bitboard::of(from) | Bitboard::of(to);
        self.kinds[piece.kind().index()] ^= both;
        self.colors[piece.color().index()] ^= both;
        self.lines.toggle(from);
        self.lines.toggle(to);
        self.mailbox[from.index()] = None;
        self.mailbox[to.index()] = Some(piece);
        if piece.kind() == PieceKind::King {
            self.kings[piece.color().index()] = to;
        }
    }

    #[inline]
    fn switch_side(&mut self) {
        self.side = !self.side;
        self.keys.full ^= BLACK_TO_MOVE;
        self.checks = self.compute_checks(self.side);
    }

    #[inline]
    fn restore(&mut self, undo: &Undo) {
        self.checks = undo.checks;
        self.keys = undo.keys;
        self.quiet_plies = undo.quiet_plies;
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::startpos()
    }
}

impl Keys {
    /// Adds what a piece contributes, or takes it away: the keys of the squares
    /// that it enters and leaves.
    #[inline]
    fn toggle(&mut self, piece: Piece, key: u64) {
        use PieceKind::{Advisor, Elephant, Pawn};
        // which kind moves is not to be foreseen: no branches
        let part = |is_part: bool| key & u64::from(is_part).wrapping_neg();
        let kind = piece.kind();
        self.full ^= key;
        self.pawn ^= part(kind == Pawn);
        self.guard ^= part(kind == Advisor || kind == Elephant);
        self.non_pawn[piece.color().index()] ^= part(kind != Pawn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_game;

    #[test]
    fn moves_taken_back_leave_no_trace_and_keys_equal_recomputed_ones() {
        let mut position = Position::startpos();
        let mut played = Vec::new();
        for m in random_game(3, 400) {
            let before = position.clone();
            let predicted = position.key_after(m);
            let undo = position.make(m);
            assert_eq!(position.key(), predicted);
            let fresh = Position::assemble(
                position.mailbox,
                position.kings,
                position.side,
                position.quiet_plies,
                position.ply,
            );
            assert_eq!(fresh, position);
            played.push((before, m, undo));
        }
        assert!(played.len() > 100);
        for (before, m, undo) in played.into_iter().rev() {
            position.unmake(m, undo);
            assert_eq!(position, before);
        }
    }
}
