//! When a game is over, and who has won it.

use hanxin::board::{Color, Move, Position};

/// The result of a game for Red.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// Black has won.
    Loss,
    /// Neither has.
    Draw,
    /// Red has won.
    Win,
}

impl GameResult {
    /// The result when this side wins.
    pub const fn win_of(color: Color) -> GameResult {
        match color {
            Color::Red => GameResult::Win,
            Color::Black => GameResult::Loss,
        }
    }

    /// 0, a half or 1 point for Red.
    pub const fn points(self) -> f64 {
        match self {
            GameResult::Loss => 0.0,
            GameResult::Draw => 0.5,
            GameResult::Win => 1.0,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// No legal move: checkmate or stalemate, both lost.
    NoMove,
    /// The position occurred for the third time: drawn, or lost by the side
    /// that alone gave check all the time.
    Repetition,
    /// 120 plies without a capture: drawn.
    QuietPlies,
    /// The game was too long: drawn.
    Length,
    /// Decided by the scores of the searches.
    Adjudication,
}

/// Plies without a capture after which a game is drawn.
const QUIET_PLIES: usize = 120;

/// Follows a game from the initial position.
///
/// Perpetual checks are the only repetitions that it forbids.
pub struct Referee {
    position: Position,
    moves: Vec<Move>,
    /// Before each move: the key, and whether the side to move stood in check.
    past: Vec<(u64, bool)>,
    /// Plies since the last capture.
    quiet: usize,
}

impl Referee {
    /// At the initial position.
    pub fn new() -> Referee {
        Referee { position: Position::startpos(), moves: Vec::new(), past: Vec::new(), quiet: 0 }
    }

    /// After legal moves.
    pub fn after(moves: &[Move]) -> Referee {
        let mut referee = Referee::new();
        for &m in moves {
            referee.play(m);
        }
        referee
    }

    /// The present position.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// All moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.past.push((self.position.key(), self.position.in_check()));
        self.quiet = if self.position.is_capture(m) { 0 } else { self.quiet + 1 };
        self.position.make(m);
        self.moves.push(m);
    }

    /// Who has won and why, if the game is over; drawn at `length` plies.
    pub fn verdict(&self, length: usize) -> Option<(GameResult, Ending)> {
        if !self.position.has_legal_move() {
            return Some((GameResult::win_of(!self.position.side_to_move()), Ending::NoMove));
        }
        if let Some(result) = self.repetition() {
            return Some((result, Ending::Repetition));
        }
        if self.quiet >= QUIET_PLIES {
            return Some((GameResult::Draw, Ending::QuietPlies));
        }
        (self.moves.len() >= length).then_some((GameResult::Draw, Ending::Length))
    }

    fn repetition(&self) -> Option<GameResult> {
        let now = self.past.len();
        let mut earlier = (4..=self.quiet).step_by(2).filter(|&plies| {
            let (key, _) = self.past[now - plies];
            key == self.position.key()
        });
        earlier.next()?;
        let cycle = earlier.next()?;
        let mut checked = self.past[now - cycle..].iter().map(|&(_, in_check)| in_check);
        let mover = self.position.side_to_move();
        // the first position of the cycle, and every second one, is the mover's
        let mut all = [true; 2];
        for ply in 0..cycle {
            all[ply % 2] &= checked.next().unwrap_or(false);
        }
        Some(match all {
            [true, false] => GameResult::win_of(mover),
            [false, true] => GameResult::win_of(!mover),
            _ => GameResult::Draw,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn referee(moves: &str) -> Referee {
        let mut referee = Referee::new();
        for text in moves.split_whitespace() {
            let m = text.parse().unwrap();
            assert!(referee.position().is_legal(m), "{text}");
            referee.play(m);
        }
        referee
    }

    #[test]
    fn a_third_occurrence_is_a_draw() {
        let once = "b0c2 b9c7 c2b0 c7b9 ";
        assert_eq!(referee(once).verdict(300), None);
        let verdict = referee(&once.repeat(2)).verdict(300);
        assert_eq!(verdict, Some((GameResult::Draw, Ending::Repetition)));
    }

    #[test]
    fn a_perpetual_check_loses() {
        // the cannon takes the central pawn with check and checks for ever
        let start = "b2e2 a9a8 e2e6 a8a9 e6e5 a9a8 ";
        let start = referee(start);
        assert!(!start.position().in_check());
        let moves = "h2e2 a9a8 e2e6 d9e8 e6f6 e8d9 f6e6 d9e8 e6f6 e8d9 f6e6 d9e8 e6f6 e8d9 f6e6";
        let verdict = referee(moves).verdict(300);
        assert_eq!(verdict.map(|(_, ending)| ending), Some(Ending::Repetition));
        assert_eq!(verdict.map(|(result, _)| result), Some(GameResult::Draw));
    }

    #[test]
    fn a_long_game_is_a_draw() {
        let verdict = referee("b0c2 b9c7").verdict(2);
        assert_eq!(verdict, Some((GameResult::Draw, Ending::Length)));
    }
}
