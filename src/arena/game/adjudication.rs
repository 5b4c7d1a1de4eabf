//! Ending games by what both engines say of them.

use serde::Serialize;

use super::end::GameEnd;
use super::record::Termination;
use crate::board::Color;
use crate::score::Score;

/// When to end games that the rules have not ended yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Adjudication {
    pub resign: Option<ResignRule>,
    pub draw: Option<DrawRule>,
    /// End games as drawn after so many moves of each side.
    pub max_moves: Option<u32>,
}

/// An engine loses when it has seen itself lost for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ResignRule {
    /// For so many of its moves in a row.
    pub move_count: u32,
    /// By so many centipawns.
    pub score: i32,
    /// Whether the opponent must see the same in its own moves.
    pub two_sided: bool,
}

/// A game is drawn when both engines have seen it even for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DrawRule {
    /// Not before so many moves of each side.
    pub move_number: u32,
    /// For so many moves of each side in a row.
    pub move_count: u32,
    /// Within so many centipawns.
    pub score: i32,
}

#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    /// Moves in a row with which each side has said that it is lost.
    lost: [u32; 2],
    /// Moves in a row with which each side has said that it is won.
    won: [u32; 2],
    /// Moves in a row, of both sides, that were called even.
    even: u32,
    plies: u32,
}

impl Adjudicator {
    pub fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator { rules, lost: [0; 2], won: [0; 2], even: 0, plies: 0 }
    }

    /// Takes a move in, with its engine's score; a move without a score
    /// breaks every row.
    pub fn note(&mut self, side: Color, score: Option<Score>) {
        self.plies += 1;
        let count = |row: &mut u32, goes_on: bool| *row = if goes_on { *row + 1 } else { 0 };
        let index = side.index();
        if let Some(rule) = self.rules.resign {
            count(&mut self.lost[index], score.is_some_and(|score| score.raw() <= -rule.score));
            count(&mut self.won[index], score.is_some_and(|score| score.raw() >= rule.score));
        }
        if let Some(rule) = self.rules.draw {
            count(&mut self.even, score.is_some_and(|score| score.raw().abs() <= rule.score));
        }
    }

    pub fn verdict(&self) -> Option<GameEnd> {
        let loser = [Color::Red, Color::Black].into_iter().find(|&side| self.is_lost(side));
        if let Some((rule, loser)) = self.rules.resign.zip(loser) {
            let reason = format!(
                "{loser:?} saw itself lost by {} or more for {} moves",
                Score::from_centipawns(rule.score),
                rule.move_count
            );
            let winner = Some(!loser);
            return Some(GameEnd::new(winner, Termination::AdjudicatedWin, reason));
        }
        let drawn = self.rules.draw.filter(|rule| {
            let plies = |moves: u32| moves.saturating_mul(2);
            self.plies >= plies(rule.move_number) && self.even >= plies(rule.move_count)
        });
        if let Some(rule) = drawn {
            let reason = format!(
                "both sides saw the game even within {} cp for {} moves",
                rule.score, rule.move_count
            );
            return Some(GameEnd::new(None, Termination::AdjudicatedDraw, reason));
        }
        let limit = self.rules.max_moves.filter(|&limit| self.plies >= limit.saturating_mul(2))?;
        let reason = format!("the game has lasted {limit} moves");
        Some(GameEnd::new(None, Termination::MaxMoves, reason))
    }

    fn is_lost(&self, side: Color) -> bool {
        self.rules.resign.is_some_and(|rule| {
            let agreed = !rule.two_sided || self.won[(!side).index()] >= rule.move_count;
            self.lost[side.index()] >= rule.move_count && agreed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game::GameResult;

    fn verdict(rules: Adjudication, scores: &[Option<i32>]) -> Option<GameEnd> {
        let mut adjudicator = Adjudicator::new(rules);
        for (ply, score) in scores.iter().enumerate() {
            let side = [Color::Red, Color::Black][ply % 2];
            adjudicator.note(side, score.map(Score::from_centipawns));
        }
        adjudicator.verdict()
    }

    #[test]
    fn lost_games_are_given_to_the_winner() {
        let rule = ResignRule { move_count: 2, score: 500, two_sided: false };
        let rules = Adjudication { resign: Some(rule), ..Adjudication::default() };
        let scores = [Some(-600), Some(0), Some(-500), Some(0)];
        assert_eq!(verdict(rules, &scores[..2]), None);
        let ending = verdict(rules, &scores).unwrap();
        assert_eq!(ending.result, GameResult::BlackWins);
        assert_eq!(ending.termination, Termination::AdjudicatedWin);
        assert_eq!(verdict(rules, &[Some(-600), None, None, None, Some(-600)]), None);

        let rule = ResignRule { two_sided: true, ..rule };
        let rules = Adjudication { resign: Some(rule), ..rules };
        assert_eq!(verdict(rules, &scores), None);
        let agreed = [Some(-600), Some(600), Some(-500), Some(700)];
        assert!(verdict(rules, &agreed).is_some());
    }

    #[test]
    fn even_games_are_drawn_late_enough() {
        let rule = DrawRule { move_number: 3, move_count: 2, score: 10 };
        let rules = Adjudication { draw: Some(rule), ..Adjudication::default() };
        let even = [Some(5), Some(-10), Some(0), Some(3), Some(1), Some(1)];
        assert_eq!(verdict(rules, &even[..5]), None);
        assert_eq!(verdict(rules, &even).unwrap().result, GameResult::Draw);
        let mut upset = even;
        upset[4] = Some(11);
        assert_eq!(verdict(rules, &upset), None);
    }

    #[test]
    fn the_longest_game_ends() {
        let rules = Adjudication { max_moves: Some(2), ..Adjudication::default() };
        assert_eq!(verdict(rules, &[None; 3]), None);
        assert_eq!(verdict(rules, &[None; 4]).unwrap().termination, Termination::MaxMoves);
    }
}
