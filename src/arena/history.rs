//! What engines are told of a game.

use crate::board::{Move, Position};
use crate::protocol::{MoveText, Setup, Start};

/// The moves of a game in the words of the protocols.
#[derive(Clone, Debug)]
pub struct History {
    start: Start,
    moves: Vec<MoveText>,
    /// The position after the last capture as FEN, and the moves up to it.
    last_capture: (Start, usize),
}

impl History {
    /// The history of a game that begins here.
    pub fn new(start: &Position) -> History {
        let is_usual = *start == Position::startpos();
        let start = if is_usual { Start::Startpos } else { Start::Fen(start.to_fen()) };
        History { last_capture: (start.clone(), 0), start, moves: Vec::new() }
    }

    /// Adds a move, given the position after it.
    pub fn push(&mut self, m: Move, captured: bool, after: &Position) {
        // all moves have a text
        self.moves.extend(m.to_string().parse::<MoveText>());
        if captured {
            self.last_capture = (Start::Fen(after.to_fen()), self.moves.len());
        }
    }

    /// All of it, or what has happened since the last capture, which is
    /// enough to see repetitions.
    pub fn setup(&self, all_moves: bool) -> Setup {
        let (start, first) = match all_moves {
            true => (&self.start, 0),
            false => (&self.last_capture.0, self.last_capture.1),
        };
        Setup { start: start.clone(), moves: self.moves[first..].to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Command, Dialect};

    #[test]
    fn both_ways_to_tell_a_game() {
        let mut position = Position::startpos();
        let mut history = History::new(&position);
        for text in ["h2e2", "h9g7", "e2e6", "g7e6", "a0a1"] {
            let m: Move = text.parse().unwrap();
            let captured = position.make(m).captured().is_some();
            history.push(m, captured, &position);
        }
        let line = |all| Command::Position(history.setup(all)).to_line(Dialect::UCCI);
        assert_eq!(line(true), "position startpos moves h2e2 h9g7 e2e6 g7e6 a0a1");
        let fen = "rnbakab1r/9/1c5c1/p1p1n1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR w - - 0 3";
        assert_eq!(line(false), format!("position fen {fen} moves a0a1"));
    }
}
