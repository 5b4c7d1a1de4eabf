//! The referee: how a game ends, and what is written about it.

use super::player::Failure;
use super::record::{GameResult, Termination};
use crate::board::{Color, Move, Position, Square};
use crate::rules::{Game, Outcome, PlayError, Reason, explain_cycle};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    pub result: GameResult,
    pub termination: Termination,
    /// The same as a sentence, with particulars.
    pub reason: String,
}

impl GameEnd {
    /// A game won by `winner`, or drawn if that is nobody.
    pub fn new(winner: Option<Color>, termination: Termination, reason: String) -> GameEnd {
        GameEnd { result: GameResult::of_winner(winner), termination, reason }
    }

    pub fn loss(loser: Color, termination: Termination, reason: String) -> GameEnd {
        GameEnd::new(Some(!loser), termination, reason)
    }

    /// The end that the rules give a game, `None` while it goes on.
    pub fn by_rules(game: &Game) -> Option<GameEnd> {
        let outcome = game.outcome()?;
        let reason = repetition_sentence(game, &outcome).unwrap_or_else(|| outcome.to_string());
        Some(GameEnd::new(outcome.winner, Termination::of(&outcome), reason))
    }

    /// The end by an engine that cannot go on; `None` if it could.
    pub fn by_failure(loser: Color, failure: Failure) -> Option<GameEnd> {
        let (termination, text) = match failure {
            Failure::Stopped => return None,
            Failure::Start(text) => (Termination::StartFailure, format!("did not start: {text}")),
            Failure::Crash(text) => (Termination::Crash, format!("crashed: {text}")),
            Failure::Hang(text) => (Termination::Hang, format!("hung: {text}")),
        };
        Some(GameEnd::loss(loser, termination, format!("{loser:?} {text}")))
    }
}

fn repetition_sentence(game: &Game, outcome: &Outcome) -> Option<String> {
    let Reason::Repetition(_) = outcome.reason else {
        return None;
    };
    let parameters = game.parameters();
    let (start, moves) = game.cycle(parameters.fold.max(2))?;
    let sentence = explain_cycle(parameters.rules, &start, &moves).sentence;
    Some(sentence.trim_end_matches('.').to_owned())
}

/// Plays a move.
///
/// # Errors
/// The end of the game for the side that is to move, if the move is not one
/// of its legal ones.
pub fn play(game: &mut Game, m: Move) -> Result<(), GameEnd> {
    let side = game.position().side_to_move();
    let illegal = |reason| GameEnd::loss(side, Termination::IllegalMove, reason);
    let hint = rank_hint(game.position(), m);
    match game.play(m) {
        Ok(()) => Ok(()),
        Err(PlayError::Illegal { fault, .. }) => {
            Err(illegal(format!("{side:?} played {m}, which is illegal: {fault}{hint}")))
        }
        // the referee asks for no move when the game is over
        Err(error) => Err(illegal(error.to_string())),
    }
}

/// A word for the organiser if the move would be legal one rank lower: the
/// engine then most likely counts its ranks from 1.
fn rank_hint(position: &Position, m: Move) -> &'static str {
    let lower = |square: Square| Square::new(square.file(), square.rank().checked_sub(1)?);
    let shifted = lower(m.from()).zip(lower(m.to())).and_then(|(from, to)| Move::new(from, to));
    match shifted {
        Some(m) if position.is_legal(m) => " (it would be legal with rank=1)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    #[test]
    fn repetitions_are_explained() {
        let start = Position::from_fen("4k4/9/4b4/p4c2p/P5p2/7N1/4P1n1P/4BA1n1/9/2BAK1N2 b");
        let mut game = Game::new(start.unwrap(), RuleSet::Axf);
        assert_eq!(GameEnd::by_rules(&game), None);
        let idle = ["e9f9", "e2g4", "f9e9", "g4e2"];
        for text in idle.iter().cycle().take(8) {
            assert_eq!(GameEnd::by_rules(&game), None, "{text}");
            play(&mut game, text.parse().unwrap()).unwrap();
        }
        let ending = GameEnd::by_rules(&game).unwrap();
        assert_eq!(
            (ending.result, ending.termination),
            (GameResult::Draw, Termination::Repetition)
        );
        assert!(ending.reason.len() > 20 && !ending.reason.ends_with('.'), "{}", ending.reason);
    }

    #[test]
    fn illegal_moves_lose() {
        let mut game = Game::new(Position::startpos(), RuleSet::Axf);
        let mut fault = |text: &str| play(&mut game, text.parse().unwrap()).unwrap_err();
        let ending = fault("e0e2");
        assert_eq!(ending.result, GameResult::BlackWins);
        assert_eq!(ending.termination, Termination::IllegalMove);
        let reason = "Red played e0e2, which is illegal: the piece does not move that way";
        assert_eq!(ending.reason, reason);
        assert!(fault("h3e3").reason.ends_with("(it would be legal with rank=1)"));
    }

    #[test]
    fn failures_lose_and_interruptions_do_not() {
        let ending = GameEnd::by_failure(Color::Red, Failure::Hang("no readyok".into())).unwrap();
        assert_eq!(ending.result, GameResult::BlackWins);
        assert_eq!(ending.reason, "Red hung: no readyok");
        assert_eq!(GameEnd::by_failure(Color::Red, Failure::Stopped), None);
    }
}
