//! When a game is over, and who has won it, as far as data and matches care.

use hanxin::board::{Color, Move, Position};
use hanxin::rules::{Game, Outcome, Parameters, PlayError, Reason};

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
    /// The result when this side wins, or nobody.
    pub fn of_winner(winner: Option<Color>) -> GameResult {
        match winner {
            Some(Color::Red) => GameResult::Win,
            None => GameResult::Draw,
            Some(Color::Black) => GameResult::Loss,
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
    /// A repetition, drawn or lost.
    Repetition,
    /// The natural limit: drawn.
    NaturalLimit,
    /// The game was too long: drawn.
    Length,
    /// Decided by the scores of the searches.
    Adjudication,
    /// Neither side has a piece that can win: drawn.
    Material,
}

impl Ending {
    /// All ways, in the order of their numbers.
    pub const ALL: [Ending; 6] = [
        Ending::NoMove,
        Ending::Repetition,
        Ending::NaturalLimit,
        Ending::Length,
        Ending::Adjudication,
        Ending::Material,
    ];
}

/// A game that begins with legal moves from the initial position, under the
/// rules that a search takes for granted.
///
/// # Errors
/// The first move that is illegal or comes after the end.
pub fn game_after(moves: &[Move]) -> Result<Game, PlayError> {
    Game::replay(Position::startpos(), Parameters::default(), moves)
}

/// Who has won and why, if the game is over; drawn at `length` plies.
pub fn verdict(game: &Game, length: usize) -> Option<(GameResult, Ending)> {
    let Some(Outcome { winner, reason }) = game.outcome() else {
        return (game.ply() >= length).then_some((GameResult::Draw, Ending::Length));
    };
    let ending = match reason {
        Reason::Checkmate | Reason::Stalemate => Ending::NoMove,
        Reason::Repetition(_) => Ending::Repetition,
        Reason::NaturalLimit => Ending::NaturalLimit,
        Reason::InsufficientMaterial => Ending::Material,
    };
    Some((GameResult::of_winner(winner), ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Game {
        let moves: Vec<Move> = moves.split_whitespace().map(|m| m.parse().unwrap()).collect();
        game_after(&moves).unwrap()
    }

    #[test]
    fn games_end_by_the_rules_or_by_length() {
        let once = "b0c2 b9c7 c2b0 c7b9 ";
        assert_eq!(verdict(&after(once), 300), None);
        assert_eq!(verdict(&after(once), 4), Some((GameResult::Draw, Ending::Length)));
        let twice = verdict(&after(&once.repeat(2)), 300);
        assert_eq!(twice, Some((GameResult::Draw, Ending::Repetition)));
    }

    #[test]
    fn a_mate_is_won_by_who_gives_it() {
        let start = "3k5/R8/9/9/9/9/9/9/9/1R2K4 w";
        let mut game = Game::new(Position::from_fen(start).unwrap(), Parameters::default());
        game.play("b0b9".parse().unwrap()).unwrap();
        assert_eq!(verdict(&game, 300), Some((GameResult::Win, Ending::NoMove)));
    }
}
