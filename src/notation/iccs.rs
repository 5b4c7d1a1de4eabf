//! ICCS: the coordinates of the two squares.

use super::Notation;
use super::error::NotationError;
use super::relative::{piece_name, select_legal, to_half_width};
use crate::board::{Move, Position, Square};

/// Writes `H2-E2`.
pub(super) fn write(m: Move) -> String {
    format!("{}-{}", m.from(), m.to()).to_ascii_uppercase()
}

/// Reads `H2-E2` and `h2e2`, in either case and also full width.
pub(super) fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    let unreadable = || NotationError::unreadable(text, Some(Notation::Iccs));
    let narrow: String = text.chars().map(to_half_width).collect();
    let (from, rest) = narrow.split_at_checked(2).ok_or_else(unreadable)?;
    let to = rest.strip_prefix('-').unwrap_or(rest);
    let from: Square = from.parse().map_err(|_| unreadable())?;
    let to: Square = to.parse().map_err(|_| unreadable())?;
    let m = Move::new(from, to).ok_or_else(unreadable)?;

    let us = position.side_to_move();
    let Some(piece) = position.piece_at(from).filter(|piece| piece.color() == us) else {
        let missing = format!("{} piece on {from}", us.name());
        return Err(NotationError::no_such_piece(text, missing));
    };
    select_legal(position, &[m], text).unwrap_or_else(|| {
        Err(NotationError::no_such_move(text, format!("{} on {from}", piece_name(piece))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_in_both_cases() {
        let position = Position::startpos();
        let m: Move = "h2e2".parse().unwrap();
        for text in ["H2-E2", "h2-e2", "h2e2", "H2E2", "h2E2", "Ｈ２－Ｅ２", "ｈ２ｅ２"] {
            assert_eq!(parse(&position, text), Ok(m), "{text}");
        }
        assert_eq!(write(m), "H2-E2");
    }

    #[test]
    fn errors_are_distinguished() {
        let position = Position::from_fen("4k4/9/9/4r4/9/9/9/9/4N4/4K4 w").unwrap();
        for (text, message) in [
            ("h2h2", "'h2h2' is not a move in iccs notation (want H2-E2 or h2e2)"),
            ("h2--e2", "'h2--e2' is not a move in iccs notation (want H2-E2 or h2e2)"),
            ("é2e2", "'é2e2' is not a move in iccs notation (want H2-E2 or h2e2)"),
            ("h2e2", "'h2e2': there is no red piece on h2"),
            ("e6e7", "'e6e7': there is no red piece on e6"),
            ("e1d2", "'e1d2': the red knight on e1 has no such move"),
            ("e1e6", "'e1e6': the red knight on e1 has no such move"),
            ("e1d3", "'e1d3': e1d3 leaves its own king in check"),
        ] {
            assert_eq!(parse(&position, text).unwrap_err().to_string(), message);
        }
    }
}
