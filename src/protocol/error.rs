//! What can be wrong with a command, as a value.

use super::ranks::Ranks;

/// Why a line is not a command. The message is one line of printable text, whatever the input was.
///
/// ```
/// use hanxin::protocol::{Command, Dialect};
///
/// let error = Command::parse(b"perft ten", Dialect::UCI).unwrap_err();
/// assert_eq!(error.to_string(), "perft: `ten` is not a number; give a whole number like 10");
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
