//! Moves as the wire carries them: two squares, nothing else known.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::error::{ParseError, excerpt};
use super::text::{Line, Words};

/// Files of the board, `a` to `i`.
const FILES: u8 = 9;
/// Ranks of the board.
const RANKS: u8 = 10;

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
        for Shape { from, to } in words.into_iter().filter_map(Shape::read) {
            if from.rank == 10 || to.rank == 10 {
                return Self::One;
            }
            if from.rank == 0 || to.rank == 0 {
                ranks = Self::Zero;
            }
        }
        ranks
    }

    /// The number of the lowest rank.
    const fn first(self) -> u8 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }
}

/// The range in words: `0-9` or `1-10`.
impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first(), self.first() + RANKS - 1)
    }
}

/// A square as written: file counted from `a` (up to 25 for `z`), rank as the number that stands there.
struct Written {
    file: u8,
    rank: u8,
}

impl Written {
    /// A letter and a number from 0 to 10, and what follows them.
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

    /// File and rank counted from 0, if the square exists.
    fn square(&self, ranks: Ranks) -> Option<(u8, u8)> {
        let rank = self.rank.checked_sub(ranks.first())?;
        (self.file < FILES && rank < RANKS).then_some((self.file, rank))
    }
}

/// A word that looks like a move, whether or not its squares exist.
struct Shape {
    from: Written,
    to: Written,
}

impl Shape {
    fn read(word: &str) -> Option<Self> {
        let (from, rest) = Written::read(word.as_bytes())?;
        let (to, rest) = Written::read(rest.strip_prefix(b"-").unwrap_or(rest))?;
        rest.is_empty().then_some(Self { from, to })
    }
}

/// A move as text: the square it starts from and the square it ends on, both on the board. Whether
/// it is legal is not known here; from and to may even be equal (UCCI's option `promotion`).
///
/// ```
/// use hanxin::protocol::{MoveText, Ranks};
///
/// let cannon = MoveText::parse("H2-E2", Ranks::Zero)?;
/// assert_eq!(cannon, MoveText::parse("h3e3", Ranks::One)?);
/// assert_eq!((cannon.from(), cannon.to()), ((7, 2), (4, 2)));
/// assert_eq!(cannon.to_string(), "h2e2");
/// assert_eq!(cannon.in_ranks(Ranks::One).to_string(), "h3e3");
/// # Ok::<(), hanxin::protocol::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveText {
    from: (u8, u8),
    to: (u8, u8),
}

impl MoveText {
    /// The move between two squares, each given as (file, rank): files 0-8 from Red's left, ranks
    /// 0-9 from Red's side. `None` if a square is off the board.
    #[must_use]
    pub fn new(from: (u8, u8), to: (u8, u8)) -> Option<Self> {
        let on_board = |(file, rank): (u8, u8)| file < FILES && rank < RANKS;
        (on_board(from) && on_board(to)).then_some(Self { from, to })
    }

    /// Reads `h2e2`, `H2E2` or `H2-E2`, with ranks numbered as told.
    ///
    /// # Errors
    /// [`ParseError::NotAMove`] if the word has another shape, [`ParseError::OffBoard`] if one of
    /// its squares does not exist.
    pub fn parse(word: &str, ranks: Ranks) -> Result<Self, ParseError> {
        let shape = Shape::read(word).ok_or_else(|| ParseError::NotAMove(excerpt(word)))?;
        match (shape.from.square(ranks), shape.to.square(ranks)) {
            (Some(from), Some(to)) => Ok(Self { from, to }),
            _ => Err(ParseError::OffBoard { word: excerpt(word), ranks }),
        }
    }

    /// Takes the next word if it is a move.
    pub(super) fn parse_next(words: &mut Words<'_>, ranks: Ranks) -> Option<Self> {
        let text = Self::parse(words.peek()?, ranks).ok()?;
        words.next();
        Some(text)
    }

    /// Reads every remaining word as a move.
    pub(super) fn parse_list(words: Words<'_>, ranks: Ranks) -> Result<Vec<Self>, ParseError> {
        words.map(|word| Self::parse(word, ranks)).collect()
    }

    /// Reads moves up to the first word that is none, which stays.
    pub(super) fn parse_while(words: &mut Words<'_>, ranks: Ranks) -> Vec<Self> {
        std::iter::from_fn(|| Self::parse_next(words, ranks)).collect()
    }

    /// The square it starts from: (file 0-8 from Red's left, rank 0-9 from Red's side).
    #[must_use]
    pub const fn from(self) -> (u8, u8) {
        self.from
    }

    /// The square it ends on: (file 0-8 from Red's left, rank 0-9 from Red's side).
    #[must_use]
    pub const fn to(self) -> (u8, u8) {
        self.to
    }

    /// The move as it is written with ranks numbered as told.
    #[must_use]
    pub fn in_ranks(self, ranks: Ranks) -> impl fmt::Display {
        Numbered { text: self, ranks }
    }

    /// ` keyword m1 m2 ...`, or nothing for an empty list.
    pub(super) fn write_list(
        line: &mut Line<'_>,
        keyword: &str,
        moves: &[Self],
        ranks: Ranks,
    ) -> fmt::Result {
        line.flag(keyword, !moves.is_empty())?;
        Self::write_all(line, moves, ranks)
    }

    /// ` m1 m2 ...`
    pub(super) fn write_all(line: &mut Line<'_>, moves: &[Self], ranks: Ranks) -> fmt::Result {
        moves.iter().try_for_each(|text| write!(line, " {}", text.in_ranks(ranks)))
    }
}

/// The canonical form with ranks 0-9: `h2e2`.
impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_ranks(Ranks::Zero).fmt(f)
    }
}

impl fmt::Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads ranks 0-9, or 1-10 if a rank 10 shows it.
impl FromStr for MoveText {
    type Err = ParseError;

    fn from_str(word: &str) -> Result<Self, ParseError> {
        Self::parse(word, Ranks::Zero.of_list([word]))
    }
}

/// A move together with the numbering it is shown in.
struct Numbered {
    text: MoveText,
    ranks: Ranks,
}

impl fmt::Display for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (file, rank) in [self.text.from, self.text.to] {
            write!(f, "{}{}", char::from(b'a' + file), rank + self.ranks.first())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_moves_round_trip_in_both_numberings() {
        let squares = || (0..FILES).flat_map(|file| (0..RANKS).map(move |rank| (file, rank)));
        for from in squares() {
            for to in squares() {
                let text = MoveText::new(from, to).unwrap();
                for ranks in [Ranks::Zero, Ranks::One] {
                    let written = text.in_ranks(ranks).to_string();
                    assert_eq!(MoveText::parse(&written, ranks), Ok(text));
                    let hyphenated = written.to_uppercase();
                    let second = hyphenated.rfind(char::is_alphabetic).unwrap();
                    let (head, tail) = hyphenated.split_at(second);
                    assert_eq!(MoveText::parse(&format!("{head}-{tail}"), ranks), Ok(text));
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
            let error = MoveText::parse(word, ranks).unwrap_err();
            assert_eq!(error, ParseError::OffBoard { word: word.into(), ranks });
            assert!(
                error.to_string().contains(word) && error.to_string().contains(&ranks.to_string())
            );
        }
        assert_eq!(MoveText::new((9, 0), (0, 0)), None);
        assert_eq!(MoveText::new((0, 0), (0, 10)), None);
    }

    #[test]
    fn other_shapes_are_no_moves() {
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
            let error = MoveText::parse(word, Ranks::Zero).unwrap_err();
            assert_eq!(error, ParseError::NotAMove(word.into()));
        }
    }

    #[test]
    fn a_rank_ten_decides_for_the_whole_list() {
        assert_eq!(Ranks::Zero.of_list(["h3e3", "h10g8"]), Ranks::One);
        assert_eq!(Ranks::Zero.of_list(["h0e3", "h10g8"]), Ranks::One);
        assert_eq!(Ranks::One.of_list(["h2e2", "b0c2"]), Ranks::Zero);
        assert_eq!(Ranks::One.of_list(["h2e2", "x", "10"]), Ranks::One);
        assert_eq!(Ranks::Zero.of_list([]), Ranks::Zero);
        assert_eq!("b10c8".parse::<MoveText>(), "b9c7".parse::<MoveText>());
    }

    proptest! {
        #[test]
        fn any_word_is_a_move_or_an_error(word in "\\PC*", one in any::<bool>()) {
            let ranks = if one { Ranks::One } else { Ranks::Zero };
            if let Ok(text) = MoveText::parse(&word, ranks) {
                let plain = word.to_lowercase().replace('-', "");
                prop_assert_eq!(text.in_ranks(ranks).to_string(), plain);
            }
        }
    }
}
