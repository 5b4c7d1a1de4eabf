//! Sides, kinds of pieces, and pieces.

use std::ops::Not;

use super::square::Square;

/// One of the two sides. Red moves first and starts on ranks 0 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// 红方, `w` in a FEN, upper-case letters.
    Red = 0,
    /// 黑方, `b` in a FEN, lower-case letters.
    Black = 1,
}

impl Color {
    /// Both sides, Red first.
    pub const ALL: [Color; 2] = [Color::Red, Color::Black];

    /// 0 for Red, 1 for Black; for indexing.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `red` or `black`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Red => "red",
            Color::Black => "black",
        }
    }
}

impl Not for Color {
    type Output = Color;

    /// The opponent.
    #[inline]
    fn not(self) -> Color {
        match self {
            Color::Red => Color::Black,
            Color::Black => Color::Red,
        }
    }
}

/// What a piece is, whatever its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum PieceKind {
    /// 帅/将, confined to the palace.
    King = 0,
    /// 仕/士, one step diagonally inside the palace.
    Advisor = 1,
    /// 相/象, two steps diagonally on its own side of the river.
    Elephant = 2,
    /// 马, one step straight and one diagonally; can be blocked at the leg.
    Knight = 3,
    /// 车, any distance in a straight line.
    Rook = 4,
    /// 炮, moves like a rook, captures over exactly one screen.
    Cannon = 5,
    /// 兵/卒, one step forward, sideways too once across the river.
    Pawn = 6,
}

impl PieceKind {
    /// All kinds in the order of their numbers.
    pub const ALL: [PieceKind; 7] = [
        PieceKind::King,
        PieceKind::Advisor,
        PieceKind::Elephant,
        PieceKind::Knight,
        PieceKind::Rook,
        PieceKind::Cannon,
        PieceKind::Pawn,
    ];

    /// The kinds that can cross the river: without one nobody wins.
    pub const ATTACKERS: [PieceKind; 4] =
        [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon, PieceKind::Pawn];

    /// 0 to 6; for indexing.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The English word for it: `king`.
    pub const fn name(self) -> &'static str {
        match self {
            PieceKind::King => "king",
            PieceKind::Advisor => "advisor",
            PieceKind::Elephant => "elephant",
            PieceKind::Knight => "knight",
            PieceKind::Rook => "rook",
            PieceKind::Cannon => "cannon",
            PieceKind::Pawn => "pawn",
        }
    }

    /// Pieces of the kind that a side starts with, which is also the maximum.
    pub const fn limit(self) -> u32 {
        match self {
            PieceKind::King => 1,
            PieceKind::Pawn => 5,
            _ => 2,
        }
    }
}

/// A piece of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it all
pub enum Piece {
    RedKing = 0,
    RedAdvisor = 1,
    RedElephant = 2,
    RedKnight = 3,
    RedRook = 4,
    RedCannon = 5,
    RedPawn = 6,
    BlackKing = 7,
    BlackAdvisor = 8,
    BlackElephant = 9,
    BlackKnight = 10,
    BlackRook = 11,
    BlackCannon = 12,
    BlackPawn = 13,
}

impl Piece {
    /// How many different pieces there are.
    pub const COUNT: usize = 14;

    /// All pieces in the order of their numbers.
    pub const ALL: [Piece; Piece::COUNT] = [
        Piece::RedKing,
        Piece::RedAdvisor,
        Piece::RedElephant,
        Piece::RedKnight,
        Piece::RedRook,
        Piece::RedCannon,
        Piece::RedPawn,
        Piece::BlackKing,
        Piece::BlackAdvisor,
        Piece::BlackElephant,
        Piece::BlackKnight,
        Piece::BlackRook,
        Piece::BlackCannon,
        Piece::BlackPawn,
    ];

    /// The piece of this side and kind.
    #[inline]
    pub const fn new(color: Color, kind: PieceKind) -> Piece {
        Piece::ALL[color as usize * 7 + kind as usize]
    }

    /// 0 to 13, Red's kinds first; for indexing.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side that owns the piece.
    #[inline]
    pub const fn color(self) -> Color {
        if (self as u8) < 7 { Color::Red } else { Color::Black }
    }

    /// Its kind, whatever its side.
    #[inline]
    pub const fn kind(self) -> PieceKind {
        /// Looked up faster than divided.
        const KINDS: [PieceKind; Piece::COUNT] = {
            let mut kinds = [PieceKind::King; Piece::COUNT];
            let mut piece = 0;
            while piece < Piece::COUNT {
                kinds[piece] = PieceKind::ALL[piece % PieceKind::ALL.len()];
                piece += 1;
            }
            kinds
        };
        KINDS[self as usize]
    }

    /// Whether the piece can legally stand on the square.
    pub const fn can_stand_on(self, square: Square) -> bool {
        let (file, rank) = (square.file(), square.rank_for(self.color()));
        match self.kind() {
            PieceKind::King => file >= 3 && file <= 5 && rank <= 2,
            PieceKind::Advisor => match rank {
                0 | 2 => file == 3 || file == 5,
                1 => file == 4,
                _ => false,
            },
            PieceKind::Elephant => match rank {
                0 | 4 => file == 2 || file == 6,
                2 => file % 4 == 0,
                _ => false,
            },
            PieceKind::Pawn => rank >= 5 || rank >= 3 && file % 2 == 0,
            PieceKind::Knight | PieceKind::Rook | PieceKind::Cannon => true,
        }
    }

    /// The FEN letter: upper case for Red, N and B for knight and elephant.
    pub const fn letter(self) -> char {
        b"KABNRCPkabnrcp"[self as usize] as char
    }

    /// The piece of a FEN letter; H and E are read as N and B.
    pub fn from_letter(letter: char) -> Option<Piece> {
        let kind = match letter.to_ascii_uppercase() {
            'K' => PieceKind::King,
            'A' => PieceKind::Advisor,
            'B' | 'E' => PieceKind::Elephant,
            'N' | 'H' => PieceKind::Knight,
            'R' => PieceKind::Rook,
            'C' => PieceKind::Cannon,
            'P' => PieceKind::Pawn,
            _ => return None,
        };
        let color = if letter.is_ascii_uppercase() { Color::Red } else { Color::Black };
        Some(Piece::new(color, kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piece_is_its_color_and_kind() {
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                let piece = Piece::new(color, kind);
                assert_eq!((piece.color(), piece.kind()), (color, kind));
                assert_eq!(Piece::from_letter(piece.letter()), Some(piece));
            }
        }
        assert_eq!(Piece::from_letter('h'), Some(Piece::BlackKnight));
        assert_eq!(Piece::from_letter('E'), Some(Piece::RedElephant));
        assert_eq!(Piece::from_letter('x'), None);
    }
}
