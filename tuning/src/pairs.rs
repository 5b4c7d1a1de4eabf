//! Games in pairs: two players, one opening, colours exchanged.

use anyhow::{Context, Result};
use hanxin::arena::stats::Points;
use hanxin::board::{Color, Move};

use crate::verdict::{GameResult, game_after, verdict};

/// Who can choose moves in a game.
pub trait Mover {
    /// Another game begins.
    ///
    /// # Errors
    /// When it cannot play any more.
    fn new_game(&mut self) -> Result<()>;

    /// The move after `moves` from the initial position.
    ///
    /// # Errors
    /// When it cannot play any more or finds none.
    fn choose(&mut self, moves: Vec<Move>) -> Result<Move>;
}

/// A game is drawn at this length, plies.
const LENGTH: usize = 400;

/// Plays an opening twice, `first` having Red in the first game, and gives what
/// it made of both.
///
/// # Errors
/// When a player cannot play or plays an illegal move.
pub fn play_pair<M: Mover>(first: &mut M, second: &mut M, opening: &[Move]) -> Result<[Points; 2]> {
    let as_red = play(first, second, opening)?;
    let as_black = play(second, first, opening)?;
    Ok([points(as_red, Color::Red), points(as_black, Color::Black)])
}

/// Plays one game to its end.
fn play<M: Mover>(red: &mut M, black: &mut M, opening: &[Move]) -> Result<GameResult> {
    red.new_game()?;
    black.new_game()?;
    let mut game = game_after(opening)?;
    loop {
        if let Some((result, _)) = verdict(&game, LENGTH) {
            return Ok(result);
        }
        let mover = match game.position().side_to_move() {
            Color::Red => &mut *red,
            Color::Black => &mut *black,
        };
        let best = mover.choose(game.moves().collect())?;
        game.play(best).with_context(|| format!("in {}", game.position().to_fen()))?;
    }
}

/// What a result is worth for a side.
const fn points(result: GameResult, color: Color) -> Points {
    match (result, color) {
        (GameResult::Draw, _) => Points::Draw,
        (GameResult::Win, Color::Red) | (GameResult::Loss, Color::Black) => Points::Win,
        _ => Points::Loss,
    }
}

#[cfg(test)]
mod tests {
    use hanxin::eval::EvalKind;

    use super::*;
    use crate::selfplay::Player;

    #[test]
    fn points_are_those_of_the_first_player() {
        let player = |nodes| Player::new(nodes, EvalKind::Classical).unwrap();
        let (mut strong, mut weak) = (player(1_500), player(10));
        let won = play_pair(&mut strong, &mut weak, &[]).unwrap();
        assert_eq!(won, [Points::Win; 2]);
        let lost = play_pair(&mut weak, &mut strong, &[]).unwrap();
        assert_eq!(lost, [Points::Loss; 2]);
    }
}
