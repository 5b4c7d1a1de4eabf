//! What engines are told of a game.

use crate::board::{Move, Position};
use crate::protocol::{Command, Dialect, Setup, Start};

/// A game as an engine is told of it: the line that sets its board. A move
/// adds a word to it, so that long games take no longer than short ones.
#[derive(Clone, Debug)]
pub struct Script {
    dialect: Dialect,
    /// Whether all moves are told instead of those since the last capture,
    /// which are enough to see repetitions.
    all_moves: bool,
    line: String,
    has_moves: bool,
}

impl Script {
    /// The line of a game that begins here.
    pub fn new(start: &Position, dialect: Dialect, all_moves: bool) -> Script {
        let mut script = Script { dialect, all_moves, line: String::new(), has_moves: false };
        let is_usual = *start == Position::startpos();
        script.begin(if is_usual { Start::Startpos } else { Start::Fen(start.to_fen()) });
        script
    }

    fn begin(&mut self, start: Start) {
        self.line = Command::Position(Setup { start, moves: Vec::new() }).to_line(self.dialect);
        self.has_moves = false;
    }

    /// Adds a move, given the position after it.
    pub fn push(&mut self, m: Move, captured: bool, after: &Position) {
        if captured && !self.all_moves {
            return self.begin(Start::Fen(after.to_fen()));
        }
        self.line += if self.has_moves { " " } else { " moves " };
        self.has_moves = true;
        self.line += &self.dialect.ranks.spell(m).to_string();
    }

    /// The line, without a line end.
    pub fn line(&self) -> &str {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Ranks;

    #[test]
    fn both_ways_to_tell_a_game() {
        let mut position = Position::startpos();
        let script = |dialect, all_moves| Script::new(&position, dialect, all_moves);
        let mut all = script(Dialect::UCI.with_ranks(Ranks::One), true);
        let mut since_capture = script(Dialect::UCCI, false);
        assert_eq!(all.line(), "position startpos");
        for text in ["h2e2", "h9g7", "e2e6", "g7e6", "a0a1"] {
            let m: Move = text.parse().unwrap();
            let captured = position.make(m).captured().is_some();
            all.push(m, captured, &position);
            since_capture.push(m, captured, &position);
        }
        assert_eq!(all.line(), "position startpos moves h3e3 h10g8 e3e7 g8e7 a1a2");
        let fen = "rnbakab1r/9/1c5c1/p1p1n1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR w - - 0 3";
        assert_eq!(since_capture.line(), format!("position fen {fen} moves a0a1"));
    }

    #[test]
    fn lines_are_those_of_the_protocol() {
        let start = Position::from_fen("3k5/9/9/9/9/9/9/4R4/9/4K4 w").unwrap();
        let mut position = start.clone();
        let mut script = Script::new(&start, Dialect::UCI, true);
        let moves: Vec<Move> = ["e2f2", "d9d8"].iter().map(|m| m.parse().unwrap()).collect();
        for &m in &moves {
            position.make(m);
            script.push(m, false, &position);
        }
        let whole = Command::Position(Setup { start: Start::Fen(start.to_fen()), moves });
        assert_eq!(script.line(), whole.to_line(Dialect::UCI));
    }
}
