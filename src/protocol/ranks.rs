//! Moves as lines spell them: two squares, with the ranks counted from 0 or from 1.

use std::fmt;

use super::error::ParseError;
use super::text::{Line, Words};
use crate::board::{Move, Square, excerpt};

/// How the ten ranks are numbered, from Red's home rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ranks {
    /// 0 to 9: UCCI, ICCS, Pikafish, Cyclone.
    #[default]
    Zero,
    /// 1 to 10: Fairy-Stockfish as a plain UCI engine (`h3e3`, `b10c8`).
    One,
}

impl Ranks {
    /// The numbering of a whole move list. A rank 10 anywhere shows that the list counts from 1;
    /// otherwise a rank 0 shows that it counts from 0; otherwise it is `self`. Words that do not
    /// look like moves show nothing.
    #[must_use]
    pub fn of_list<'a>(self, words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut ranks = self;
        for squares in words.into_iter().filter_map(read_squares) {
            if squares.iter().any(|square| square.rank == 10) {
                return Self::One;
            }
            if squares.iter().any(|square| square.rank == 0) {
                ranks = Self::Zero;
            }
        }
        ranks
    }

    /// Reads a move such as `h2e2` or `H2-E2`. Nothing is known of its legality.
    ///
    /// # Errors
    /// When the word is not a move, leaves the board, or names one square twice.
    ///
    /// ```
    /// use hanxin::protocol::Ranks;
    ///
    /// let cannon = Ranks::Zero.parse("H2-E2")?;
    /// assert_eq!(cannon, Ranks::One.parse("h3e3")?);
    /// assert_eq!(Ranks::One.spell(cannon).to_string(), "h3e3");
    /// # Ok::<(), hanxin::protocol::ParseError>(())
    /// ```
    pub fn parse(self, word: &str) -> Result<Move, ParseError> {
        let squares = read_squares(word).ok_or_else(|| ParseError::NotAMove(excerpt(word)))?;
        match squares.map(|square| square.on_board(self)) {
            [Some(from), Some(to)] => {
                Move::new(from, to).ok_or_else(|| ParseError::SameSquare(excerpt(word)))
            }
            _ => Err(ParseError::OffBoard { word: excerpt(word), ranks: self }),
        }
    }

    /// The move as it is written in this numbering.
    pub fn spell(self, m: Move) -> impl fmt::Display {
        fmt::from_fn(move |f| {
            [m.from(), m.to()].iter().try_for_each(|square| {
                write!(f, "{}{}", char::from(b'a' + square.file()), square.rank() + self.first())
            })
        })
    }

    /// The number of the lowest rank.
    const fn first(self) -> u8 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }

    /// Takes the next word if it is a move.
    pub(super) fn parse_next(self, words: &mut Words<'_>) -> Option<Move> {
        let m = self.parse(words.peek()?).ok()?;
        words.next();
        Some(m)
    }

    /// Reads the remaining words as moves: all that are some, and the first fault.
    pub(super) fn parse_list(self, words: Words<'_>) -> (Vec<Move>, Option<ParseError>) {
        let mut fault = None;
        let read = words.map(|word| self.parse(word));
        let moves = read.filter_map(|read| read.map_err(|e| fault.get_or_insert(e)).ok()).collect();
        (moves, fault)
    }

    /// Reads moves up to the first word that is not one, which stays.
    pub(super) fn parse_while(self, words: &mut Words<'_>) -> Vec<Move> {
        std::iter::from_fn(|| self.parse_next(words)).collect()
    }

    /// ` keyword m1 m2 ...`, or nothing for an empty list.
    pub(super) fn write_list(self, line: &mut Line, keyword: &str, moves: &[Move]) {
        line.flag(keyword, !moves.is_empty());
        self.write_all(line, moves);
    }

    /// ` m1 m2 ...`
    pub(super) fn write_all(self, line: &mut Line, moves: &[Move]) {
        moves.iter().for_each(|&m| line.put(format_args!(" {}", self.spell(m))));
    }
}

/// The range in words: `0-9` or `1-10`.
impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first(), self.first() + 9)
    }
}

/// A square as written: the file counted from `a` (up to 25 for `z`), the rank as the number that
/// stands there, 0 to 10.
struct Written {
    file: u8,
    rank: u8,
}

impl Written {
    /// A letter and a number, and what follows them.
    fn read(text: &[u8]) -> Option<(Self, &[u8])> {
        let (&letter, text) = text.split_first()?;
        if !letter.is_ascii_alphabetic() {
            return None;
        }
        let file = letter.to_ascii_lowercase() - b'a';
        match text {
            [b'1', b'0', rest @ ..] => Some((Self { file, rank: 10 }, rest)),
            [digit @ b'0'..=b'9', rest @ ..] => Some((Self { file, rank: digit - b'0' }, rest)),
            _ => None,
        }
    }

    /// The square of the board, if it exists.
    fn on_board(&self, ranks: Ranks) -> Option<Square> {
        Square::new(self.file, self.rank.checked_sub(ranks.first())?)
    }
}

/// Both squares of a word that looks like a move, whether or not they exist.
fn read_squares(word: &str) -> Option<[Written; 2]> {
    let (from, rest) = Written::read(word.as_bytes())?;
    let (to, rest) = Written::read(rest.strip_prefix(b"-").unwrap_or(rest))?;
    rest.is_empty().then_some([from, to])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_moves_round_trip_in_both_numberings() {
        for from in Square::all() {
            for to in Square::all() {
                for ranks in [Ranks::Zero, Ranks::One] {
                    let Some(m) = Move::new(from, to) else {
                        let word = format!("{from}{to}");
                        assert_eq!(Ranks::Zero.parse(&word), Err(ParseError::SameSquare(word)));
                        continue;
                    };
                    let written = ranks.spell(m).to_string();
                    assert_eq!(ranks.parse(&written), Ok(m));
                    let upper = written.to_uppercase();
                    let (head, tail) = upper.split_at(upper.rfind(char::is_alphabetic).unwrap());
                    assert_eq!(ranks.parse(&format!("{head}-{tail}")), Ok(m));
                }
            }
        }
    }

    #[test]
    fn squares_off_the_board_are_named() {
        for (word, ranks) in [
            ("j2e2", Ranks::Zero),
            ("a0z9", Ranks::Zero),
            ("a10a9", Ranks::Zero),
            ("a0a1", Ranks::One),
            ("k1a1", Ranks::One),
        ] {
            let error = ranks.parse(word).unwrap_err();
            assert_eq!(error, ParseError::OffBoard { word: word.into(), ranks });
            let message = error.to_string();
            assert!(message.contains(word) && message.contains(&ranks.to_string()), "{message}");
        }
    }

    #[test]
    fn words_of_other_shapes_are_not_moves() {
        for word in [
            "",
            "h2",
            "h2e",
            "h2e2e2",
            "h2--e2",
            "-h2e2",
            "h11e2",
            "h02e2",
            "2h2e",
            "(none)",
            "炮二平五",
        ] {
            assert_eq!(Ranks::Zero.parse(word), Err(ParseError::NotAMove(word.into())));
        }
    }

    #[test]
    fn a_rank_ten_decides_for_the_whole_list() {
        assert_eq!(Ranks::Zero.of_list(["h3e3", "h10g8"]), Ranks::One);
        assert_eq!(Ranks::Zero.of_list(["h0e3", "h10g8"]), Ranks::One);
        assert_eq!(Ranks::One.of_list(["h2e2", "b0c2"]), Ranks::Zero);
        assert_eq!(Ranks::One.of_list(["h2e2", "x", "10"]), Ranks::One);
        assert_eq!(Ranks::Zero.of_list([]), Ranks::Zero);
    }

    proptest! {
        #[test]
        fn any_word_is_a_move_or_an_error(word in "\\PC*", one in any::<bool>()) {
            let ranks = if one { Ranks::One } else { Ranks::Zero };
            if let Ok(m) = ranks.parse(&word) {
                let plain = word.to_lowercase().replace('-', "");
                prop_assert_eq!(ranks.spell(m).to_string(), plain);
            }
        }
    }
}
