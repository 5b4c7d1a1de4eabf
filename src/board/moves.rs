//! Moves and lists of moves.

use std::fmt;
use std::num::NonZeroU16;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use arrayvec::ArrayVec;

use super::excerpt::excerpt;
use super::square::Square;

/// A move of one piece from a square to another one, in 14 bits.
///
/// It says nothing about legality: see
/// [`Position::is_legal`](super::Position::is_legal).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Move(NonZeroU16);

impl Move {
    /// The move between two squares; `None` when they are the same.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Option<Move> {
        if from.index() == to.index() {
            return None;
        }
        match NonZeroU16::new((from.index() | to.index() << 7) as u16) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }

    /// The move between two squares that are known to differ.
    #[inline]
    #[expect(clippy::panic, reason = "two different squares are never 0")]
    pub(super) const fn between(from: Square, to: Square) -> Move {
        match Move::new(from, to) {
            Some(m) => m,
            None => panic!("generated moves join two different squares"),
        }
    }

    /// The move packed in 14 bits; never 0.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// The inverse of [`to_bits`](Move::to_bits); `None` for bits of no move.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        let (from, to) = (bits as usize & 0x7F, bits as usize >> 7);
        match (Square::from_index(from), Square::from_index(to)) {
            (Some(from), Some(to)) => Move::new(from, to),
            _ => None,
        }
    }

    /// Origin square.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index_trusted((self.0.get() & 0x7F) as u8)
    }

    /// Target square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index_trusted((self.0.get() >> 7) as u8)
    }

    /// The left-right mirror image.
    pub const fn mirror(self) -> Move {
        Move::between(self.from().mirror(), self.to().mirror())
    }

    /// The same move seen from the other end, left and right kept.
    pub const fn flip(self) -> Move {
        Move::between(self.from().flip(), self.to().flip())
    }
}

impl fmt::Display for Move {
    /// Coordinates as UCCI writes them: `h2e2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a move in coordinates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a move (want two different squares, as in h2e2)")]
pub struct ParseMoveError(pub String);

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads `h2e2`; files in either case, ranks from 0.
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let error = || ParseMoveError(excerpt(text));
        let (from, to) = text.split_at_checked(2).ok_or_else(error)?;
        let from = from.parse().map_err(|_| error())?;
        let to = to.parse().map_err(|_| error())?;
        Move::new(from, to).ok_or_else(error)
    }
}

/// A list of moves that needs no allocation.
#[derive(Clone)]
pub struct MoveList(ArrayVec<Move, { MoveList::CAPACITY }>);

impl MoveList {
    /// An upper bound of the pseudo-legal moves of a position: two rooks, two cannons (17
    /// each), two knights (8), five pawns (3), the king (4), two advisors and
    /// two elephants (4 each) make 119.
    pub const CAPACITY: usize = 128;

    /// An empty list.
    #[inline]
    pub fn new() -> MoveList {
        // not new_const: as a constant the room for the moves would be filled with zeros
        MoveList(ArrayVec::new())
    }

    /// Appends a move.
    ///
    /// # Panics
    /// When the list is full, which no valid position can cause.
    #[inline]
    pub fn push(&mut self, m: Move) {
        self.0.push(m);
    }

    /// Keeps the moves for which `keep` returns true, in their order.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        self.0.retain(|m| keep(*m));
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.0
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_text_round_trip() {
        for from in Square::all() {
            for to in Square::all() {
                let Some(m) = Move::new(from, to) else {
                    assert_eq!(from, to);
                    continue;
                };
                assert_eq!((m.from(), m.to()), (from, to));
                assert_eq!(Move::from_bits(m.to_bits()), Some(m));
                assert_eq!(m.to_string().parse(), Ok(m));
            }
        }
        assert_eq!(Move::from_bits(0), None);
        assert_eq!(Move::from_bits(u16::MAX), None);
        for text in ["", "h2", "h2h2", "h2e", "h2e22", "j0a0", "h2é"] {
            assert!(text.parse::<Move>().is_err(), "{text}");
        }
    }
}
