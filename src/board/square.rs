//! The ninety points of the board.

use std::fmt;
use std::str::FromStr;

use super::excerpt::excerpt;
use super::piece::Color;

/// A point of the board, numbered `rank * 9 + file` from 0 (a0, Red's left
/// corner) to 89 (i9).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// 9 files by 10 ranks.
    pub const COUNT: usize = 90;

    /// The square on `file` 0 (a) to 8 (i) and `rank` 0 (Red's home rank) to
    /// 9; `None` off the board.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Option<Square> {
        if file < 9 && rank < 10 { Some(Square(rank * 9 + file)) } else { None }
    }

    /// The square with this number; `None` from 90 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < Square::COUNT { Some(Square(index as u8)) } else { None }
    }

    /// The square with this number, which the caller knows to be below 90.
    #[inline]
    pub(super) const fn from_index_trusted(index: u8) -> Square {
        debug_assert!((index as usize) < Square::COUNT);
        Square(index)
    }

    /// All squares in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..Square::COUNT as u8).map(Square)
    }

    /// 0 to 89; for indexing.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 (a) to 8 (i).
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 - 9 * self.rank()
    }

    /// 0 (Red's home rank) to 9 (Black's).
    #[inline]
    pub const fn rank(self) -> u8 {
        // a division by 9 that holds for all 90 squares
        ((self.0 as u16 * 57) >> 9) as u8
    }

    /// The rank as `color` sees it: 0 is its own home rank.
    #[inline]
    pub const fn rank_for(self, color: Color) -> u8 {
        match color {
            Color::Red => self.rank(),
            Color::Black => 9 - self.rank(),
        }
    }

    /// The left-right mirror image: a4 becomes i4.
    #[inline]
    pub const fn mirror(self) -> Square {
        Square(self.0 + 8 - 2 * self.file())
    }

    /// The same point seen from the other end with left and right kept: a0
    /// becomes a9.
    #[inline]
    pub const fn flip(self) -> Square {
        Square((9 - self.rank()) * 9 + self.file())
    }

    /// Whether `color` must cross the river to stand here.
    #[inline]
    pub const fn is_across_river(self, color: Color) -> bool {
        self.rank_for(color) >= 5
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a square from `a0` to `i9`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a square (want a file a-i and a rank 0-9, as in e0)")]
pub struct ParseSquareError(pub String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        let square = match text.as_bytes() {
            [file, rank] => {
                Square::new(file.to_ascii_lowercase().wrapping_sub(b'a'), rank.wrapping_sub(b'0'))
            }
            _ => None,
        };
        square.ok_or_else(|| ParseSquareError(excerpt(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_number_agree() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::new(square.file(), square.rank()), Some(square));
            assert_eq!(square.mirror().mirror(), square);
            assert_eq!(square.flip().flip(), square);
        }
        for text in ["", "a", "j0", "a:", "a10", "é"] {
            assert!(text.parse::<Square>().is_err(), "{text}");
        }
    }
}
