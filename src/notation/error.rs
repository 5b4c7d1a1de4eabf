//! Errors of reading a move in one of the notations.

use super::Notation;
use crate::board::{Move, excerpt};

/// Why a text does not name a legal move. Texts are shortened and made
/// printable, so that each message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// The text is not a move in the notation, whatever the position.
    #[error("'{text}' is not a move{}", wanted(*.notation))]
    Unreadable {
        /// The text read.
        text: String,
        /// The notation expected; `None` when any would have done.
        notation: Option<Notation>,
    },
    /// The side to move has no such piece.
    #[error("'{text}': there is no {piece}")]
    NoSuchPiece {
        /// The text read.
        text: String,
        /// The piece that it names, in words.
        piece: String,
    },
    /// The move is not even pseudo-legal.
    #[error("'{text}': the {piece} has no such move")]
    NoSuchMove {
        /// The text read.
        text: String,
        /// The piece or pieces that it names, in words.
        piece: String,
    },
    /// The only matching moves leave the king in check.
    #[error("'{text}': {m} leaves its own king in check")]
    LeavesKingInCheck {
        /// The text read.
        text: String,
        /// The illegal move, the first one if several match.
        m: Move,
    },
    /// The text matches several legal moves.
    #[error("'{text}' fits {first} and {second}; write the move in coordinates")]
    Ambiguous {
        /// The text read.
        text: String,
        /// A matching legal move.
        first: Move,
        /// Another one.
        second: Move,
    },
}

/// The text does not name a notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a notation (want iccs, wxf or chinese)")]
pub struct ParseNotationError(String);

impl ParseNotationError {
    pub(super) fn new(text: &str) -> ParseNotationError {
        ParseNotationError(excerpt(text))
    }
}

impl NotationError {
    pub(super) fn unreadable(text: &str, notation: Option<Notation>) -> NotationError {
        NotationError::Unreadable { text: excerpt(text), notation }
    }

    pub(super) fn no_such_piece(text: &str, piece: String) -> NotationError {
        NotationError::NoSuchPiece { text: excerpt(text), piece }
    }

    pub(super) fn no_such_move(text: &str, piece: String) -> NotationError {
        NotationError::NoSuchMove { text: excerpt(text), piece }
    }

    pub(super) fn leaves_king_in_check(text: &str, m: Move) -> NotationError {
        NotationError::LeavesKingInCheck { text: excerpt(text), m }
    }

    pub(super) fn ambiguous(text: &str, first: Move, second: Move) -> NotationError {
        NotationError::Ambiguous { text: excerpt(text), first, second }
    }
}

fn wanted(notation: Option<Notation>) -> String {
    match notation {
        Some(notation) => format!(" in {notation} notation (want {})", notation.example()),
        None => " in any notation (want h2e2, C2=5 or 炮二平五)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_makes_a_short_line() {
        for text in ["", "\0\n\r\t", "'", &"炮".repeat(1_000_000), "\u{202e}\u{feff}"] {
            for notation in [None, Some(Notation::Wxf)] {
                let message = NotationError::unreadable(text, notation).to_string();
                assert!(message.chars().count() < 160, "{message}");
                assert!(!message.contains(char::is_control), "{message}");
            }
        }
        assert_eq!(
            ParseNotationError::new("san").to_string(),
            "'san' is not a notation (want iccs, wxf or chinese)"
        );
    }
}
