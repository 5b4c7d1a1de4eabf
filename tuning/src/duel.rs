//! Pairs of games between two players of this process: searches take
//! milliseconds, and the constants change from pair to pair, so separate
//! processes would cost more than they play.

use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};
use hanxin::arena::stats::Points;
use hanxin::arena::{
    Adjudication, Assignment, Conditions, DrawRule, GameRecord, Opening, ResignRule, Termination,
    play_game,
};
use hanxin::board::{Color, Position};
use hanxin::eval::EvalKind;
use hanxin::util::seeded;

use crate::selfplay::Player;

/// Two players that play each other.
pub type Couple = [Player; 2];

/// Moves of each side after which a game is drawn.
const MAX_MOVES: u32 = 150;
/// A game is lost when both players see it so. Of 1,500 games at 10,000 and 20,000
/// nodes 27 of 637 that would have ended so came to another end.
const LOST: ResignRule = ResignRule { move_count: 4, score: 400, two_sided: true };
/// A game is drawn when both see it even; of the same games 2 of 583 were not.
const EVEN: DrawRule = DrawRule { move_number: 20, move_count: 5, score: 20 };

/// As many couples as play at the same time, with so many nodes per move.
///
/// # Errors
/// When there is no memory for their tables.
pub fn couples(threads: u32, nodes: u32, eval: &EvalKind) -> Result<Vec<Couple>> {
    let player = || Player::new(u64::from(nodes), eval.clone());
    (0..threads).map(|_| Ok([player()?, player()?])).collect()
}

/// Plays a random opening twice with colours exchanged and gives what the first
/// player made of both games; seed and number determine the opening.
///
/// # Errors
/// When a search thread has died.
pub fn play_pair([first, second]: &mut Couple, seed: u64, number: u64) -> Result<[Points; 2]> {
    // what a player remembers of other games must not choose the opening
    first.clear();
    let moves = first.opening(&mut seeded(seed, number))?;
    let opening = Opening::checked(None, Position::startpos(), moves)?;
    let as_red = play(first, second, &opening)?.result.points_of(Color::Red);
    let as_black = play(second, first, &opening)?.result.points_of(Color::Black);
    Ok([as_red, as_black])
}

fn play(red: &mut Player, black: &mut Player, opening: &Opening) -> Result<GameRecord> {
    let adjudication =
        Adjudication { resign: Some(LOST), draw: Some(EVEN), max_moves: Some(MAX_MOVES) };
    let conditions = Conditions { adjudication, ..Conditions::default() };
    let assignment = Assignment { number: 0, pair: 0, round: 1, red: 0, black: 1, opening: 0 };
    let never = AtomicBool::new(false);
    let played = play_game(&assignment, opening, &conditions, [red, black], &never, &|_, _| {});
    let (record, _) = played.context("the game was stopped")?;
    let is_fault =
        record.termination.is_failure() && record.termination != Termination::TimeForfeit;
    ensure!(!is_fault, "{}", record.reason);
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_does_not_depend_on_those_before_it() {
        let new = || couples(1, 50, &EvalKind::Classical).unwrap().remove(0);
        let mut couple = new();
        for number in 0..30 {
            let again = play_pair(&mut couple, 1, number).unwrap();
            assert_eq!(again, play_pair(&mut new(), 1, number).unwrap(), "{number}");
        }
    }
}
