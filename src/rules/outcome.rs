//! How games end.

use std::fmt;

use crate::board::Color;

use super::cycle::CycleVerdict;

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The winning side; `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game is over.
    pub reason: Reason,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// 将死: the side to move is in check and has no legal move.
    Checkmate,
    /// 困毙: the side to move is not in check but has no legal move, and loses.
    Stalemate,
    /// The position has occurred as often as the rules allow.
    Repetition(CycleVerdict),
    /// Neither side has a rook, knight, cannon or pawn left.
    InsufficientMaterial,
    /// 自然限着: too many moves without a capture.
    NaturalLimit,
}

impl Outcome {
    /// A draw.
    pub const fn draw(reason: Reason) -> Outcome {
        Outcome { winner: None, reason }
    }

    /// A win of the opponent of `loser`.
    pub const fn loss(loser: Color, reason: Reason) -> Outcome {
        let winner = match loser {
            Color::Red => Color::Black,
            Color::Black => Color::Red,
        };
        Outcome { winner: Some(winner), reason }
    }

    /// The outcome that a verdict on a repetition leads to.
    pub const fn by_repetition(verdict: CycleVerdict) -> Outcome {
        match verdict.offender {
            Some(offender) => Outcome::loss(offender, Reason::Repetition(verdict)),
            None => Outcome::draw(Reason::Repetition(verdict)),
        }
    }
}

impl fmt::Display for Outcome {
    /// `Red wins by checkmate`, `draw by repetition`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner:?} wins by {}", self.reason),
            None => write!(f, "draw by {}", self.reason),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::Repetition(_) => "repetition",
            Reason::InsufficientMaterial => "insufficient material",
            Reason::NaturalLimit => "the natural move limit",
        })
    }
}
