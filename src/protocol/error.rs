//! What can be wrong with a command, as a value.

use super::ranks::Ranks;
use super::text::is_blank;

/// Longest part of an offending word that an error repeats, in characters.
const EXCERPT: usize = 40;

/// Why a line is not a command. The message is one line of printable text, whatever the input was.
///
/// ```
/// use hanxin::protocol::{Command, Dialect};
///
/// let error = Command::parse(b"go depth ten", Dialect::UCI).unwrap_err();
/// assert_eq!(error.to_string(), "depth: `ten` is not a number; give a whole number like 10");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// A word stands where a move must stand, but does not look like one.
    #[error("`{0}` is not a move; write from-square and to-square like h2e2")]
    NotAMove(String),
    /// A word has the shape of a move, but one of its squares does not exist.
    #[error("`{word}` leaves the board; files are a-i and ranks {ranks}")]
    OffBoard {
        /// The offending word.
        word: String,
        /// The numbering of ranks that the word was read in.
        ranks: Ranks,
    },
    /// A move from a square to the same square.
    #[error("`{0}` goes nowhere; a move has two different squares")]
    SameSquare(String),
    /// A keyword is followed by something else than a number.
    #[error("{keyword}: `{word}` is not a number; give a whole number like 10")]
    NotANumber {
        /// The keyword that needs the number.
        keyword: String,
        /// What followed it.
        word: String,
    },
    /// The line ends where the value of a keyword must stand.
    #[error("{0} needs a value after it")]
    MissingValue(String),
    /// A position without a start.
    #[error("{0} needs `startpos` or `fen <FEN>`")]
    MissingStart(String),
    /// An option without a name.
    #[error("setoption needs the name of an option")]
    MissingOptionName,
}

/// The part of a word that an error repeats: short, and without control characters.
pub(super) fn excerpt(word: &str) -> String {
    let printable = |c: char| if is_blank(c) || c.is_control() { '?' } else { c };
    let mut text: String = word.chars().take(EXCERPT).map(printable).collect();
    if word.chars().nth(EXCERPT).is_some() {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("h2e9x"), "h2e9x");
        assert_eq!(excerpt("a\0b\nc\u{85}"), "a?b?c?");
        let long = excerpt(&"帅".repeat(5000));
        assert_eq!(long.chars().count(), EXCERPT + 3);
    }
}
