//! The line that sets an engine's board.

use std::fmt::Write;

use crate::board::{Move, Position};
use crate::protocol::{Command, Dialect, Setup, Start};
use crate::rules::Game;

/// The `position` line of a game. A move adds a word to it, so that long games
/// take no longer than short ones.
#[derive(Clone, Debug)]
pub struct PositionLine {
    dialect: Dialect,
    /// Whether it has all moves instead of those since the last capture, which
    /// are enough to see repetitions.
    all_moves: bool,
    line: String,
    has_moves: bool,
    position: Position,
    plies: usize,
}

impl PositionLine {
    pub fn new(start: &Position, dialect: Dialect, all_moves: bool) -> PositionLine {
        let position = start.clone();
        let (line, has_moves) = (String::new(), false);
        let mut new = PositionLine { dialect, all_moves, line, has_moves, position, plies: 0 };
        new.restart();
        new
    }

    /// Begins the line with the present position.
    fn restart(&mut self) {
        let is_initial = self.position == Position::startpos();
        let start = if is_initial { Start::Startpos } else { Start::Fen(self.position.to_fen()) };
        self.line = Command::Position(Setup { start, moves: Vec::new(), fault: None })
            .to_line(self.dialect);
        self.has_moves = false;
    }

    /// Adds the moves of a game that are not in it yet.
    pub fn follow(&mut self, game: &Game) {
        game.moves().skip(self.plies).for_each(|m| self.push(m));
    }

    pub fn push(&mut self, m: Move) {
        self.plies += 1;
        let is_capture = self.position.make(m).captured().is_some();
        if is_capture && !self.all_moves {
            return self.restart();
        }
        self.line += if self.has_moves { " " } else { " moves " };
        self.has_moves = true;
        // writing to a string cannot fail
        let _ = write!(self.line, "{}", self.dialect.ranks.spell(m));
    }

    /// The line, without a line end.
    pub fn as_str(&self) -> &str {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Ranks;
    use crate::rules::RuleSet;

    #[test]
    fn with_all_moves_or_those_since_the_last_capture() {
        let start = Position::startpos();
        let mut all = PositionLine::new(&start, Dialect::UCI.with_ranks(Ranks::One), true);
        let mut since_capture = PositionLine::new(&start, Dialect::UCCI, false);
        assert_eq!(all.as_str(), "position startpos");
        let mut game = Game::new(start, RuleSet::default());
        for (ply, text) in ["h2e2", "h9g7", "e2e6", "g7e6", "a0a1"].iter().enumerate() {
            game.play(text.parse().unwrap()).unwrap();
            if ply != 1 {
                all.follow(&game);
                since_capture.follow(&game);
            }
        }
        assert_eq!(all.as_str(), "position startpos moves h3e3 h10g8 e3e7 g8e7 a1a2");
        let fen = "rnbakab1r/9/1c5c1/p1p1n1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR w - - 0 3";
        assert_eq!(since_capture.as_str(), format!("position fen {fen} moves a0a1"));
    }

    #[test]
    fn lines_are_those_of_the_protocol() {
        let start = Position::from_fen("3k5/9/9/9/9/9/9/4R4/9/4K4 w").unwrap();
        let mut line = PositionLine::new(&start, Dialect::UCI, true);
        let moves = ["e2f2", "d9d8"].map(|text| text.parse::<Move>().unwrap()).to_vec();
        moves.iter().for_each(|&m| line.push(m));
        let whole =
            Command::Position(Setup { start: Start::Fen(start.to_fen()), moves, fault: None });
        assert_eq!(line.as_str(), whole.to_line(Dialect::UCI));
    }
}
