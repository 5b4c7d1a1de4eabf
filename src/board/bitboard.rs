//! Sets of squares as 90 bits of a `u128`.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::square::Square;

/// A set of squares; bit `n` stands for the square with number `n`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Bitboard(u128);

const BOARD: u128 = (1 << Square::COUNT) - 1;

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    pub const ALL: Bitboard = Bitboard(BOARD);

    /// The set with these bits; bits from 90 on are dropped.
    #[inline]
    pub const fn from_bits(bits: u128) -> Bitboard {
        Bitboard(bits & BOARD)
    }

    /// Bits 0 to 89, by [`Square::index`].
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The set of one square.
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        // one shift of a word instead of that of a double one
        let bit = 1u64 << (square.index() & 63);
        let (low, high) = if square.index() < 64 { (bit, 0) } else { (0, bit) };
        Bitboard(low as u128 | (high as u128) << 64)
    }

    /// The nine squares of a rank, 0 to 9.
    #[inline]
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard(0x1FF << (rank * 9))
    }

    /// The ten squares of a file, 0 to 8.
    #[inline]
    pub const fn file(file: u8) -> Bitboard {
        const FILE_A: u128 = {
            let mut bits = 0;
            let mut rank = 0;
            while rank < 10 {
                bits |= 1 << (rank * 9);
                rank += 1;
            }
            bits
        };
        Bitboard(FILE_A << file)
    }

    /// Whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        let word = if square.index() < 64 { self.0 } else { self.0 >> 64 } as u64;
        word >> (square.index() & 63) & 1 != 0
    }

    /// Whether the set has no square.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the two sets share a square.
    #[inline]
    pub const fn intersects(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// Number of squares.
    #[inline]
    pub const fn len(self) -> u32 {
        (self.0 as u64).count_ones() + ((self.0 >> 64) as u64).count_ones()
    }

    /// Whether the set has two squares or more.
    #[inline]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The lowest square, if any.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_index_trusted(self.0.trailing_zeros() as u8))
        }
    }

    /// Set difference: the squares of `self` that are not in `other`.
    #[inline]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    /// Removes the lowest square and returns it.
    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        Bitboard::of(square)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<T: IntoIterator<Item = Square>>(squares: T) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & BOARD)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Bitboard {
    /// The names of the squares, in braces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_gives_back_its_squares() {
        let squares: Vec<Square> = Square::all().filter(|s| s.index() % 7 == 3).collect();
        let set: Bitboard = squares.iter().copied().collect();
        assert_eq!(set.len() as usize, squares.len());
        assert_eq!(set.collect::<Vec<_>>(), squares);
        assert_eq!((!set).len() as usize, Square::COUNT - squares.len());
    }

    #[test]
    fn ranks_and_files_tile_the_board() {
        let ranks = (0..10).fold(Bitboard::EMPTY, |set, rank| set | Bitboard::rank(rank));
        let files = (0..9).fold(Bitboard::EMPTY, |set, file| set | Bitboard::file(file));
        assert_eq!((ranks, files), (Bitboard::ALL, Bitboard::ALL));
        assert_eq!((Bitboard::rank(4) & Bitboard::file(2)).first(), Square::new(2, 4));
    }
}
