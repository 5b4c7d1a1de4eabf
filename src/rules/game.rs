//! A game: its start, the moves played, and its outcome under the rules.

use crate::board::{Move, PieceKind, Position, Undo};

use super::cycle::{CycleVerdict, judge_cycle};
use super::outcome::{Outcome, Reason};
use super::placement::Placement;
use super::quiet::QuietCounter;
use super::ruleset::Parameters;

/// A game with its history.
///
/// The start counts as the first occurrence of its position; the natural limit
/// continues from the FEN's counter.
#[derive(Clone, Debug)]
pub struct Game {
    parameters: Parameters,
    position: Position,
    quiet: QuietCounter,
    played: Vec<Played>,
}

/// A move with what stood before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    pub(crate) m: Move,
    pub(crate) undo: Undo,
    pub(crate) key: u64,
    pub(crate) quiet: QuietCounter,
}

impl From<Position> for Game {
    /// A game that begins with this position, under the usual rules.
    fn from(start: Position) -> Game {
        Game::new(start, Parameters::default())
    }
}

/// Why a move was not played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The move is against the rules of movement.
    #[error("move {number} ({m}) is illegal: {fault}")]
    Illegal {
        /// The ply, from 1.
        number: usize,
        /// The rejected move.
        m: Move,
        /// What is wrong with it.
        fault: IllegalMove,
    },
    /// The game was over before the move.
    #[error("move {number} ({m}) comes after the end of the game ({outcome}); take it out")]
    AlreadyOver {
        /// The ply, from 1.
        number: usize,
        /// The rejected move.
        m: Move,
        /// How the game ended.
        outcome: Outcome,
    },
}

/// What is wrong with an illegal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum IllegalMove {
    #[error("no piece stands there")]
    NoPiece,
    #[error("the piece belongs to the opponent")]
    OpponentsPiece,
    #[error("the piece does not move that way")]
    NotAMoveOfThePiece,
    #[error("it leaves the king in check")]
    LeavesKingInCheck,
    #[error("it leaves the kings facing each other")]
    LeavesKingsFacing,
}

impl Game {
    /// A game under these rules, before its first move.
    pub fn new(start: Position, parameters: impl Into<Parameters>) -> Game {
        let parameters = parameters.into();
        let quiet = QuietCounter::new(&parameters, &start);
        Game { parameters, position: start, quiet, played: Vec::new() }
    }

    /// A game with its first moves, each of them legal and none of them after
    /// the end of the game.
    ///
    /// # Errors
    /// The first move that is illegal or comes after the end.
    pub fn replay(
        start: Position,
        parameters: impl Into<Parameters>,
        moves: &[Move],
    ) -> Result<Game, PlayError> {
        let mut game = Game::new(start, parameters);
        for &m in moves {
            if let Some(outcome) = game.outcome() {
                return Err(PlayError::AlreadyOver { number: game.ply() + 1, m, outcome });
            }
            game.play(m)?;
        }
        Ok(game)
    }

    /// Plays a legal move.
    ///
    /// A game that is over by repetition, material or limit can be played on,
    /// for opponents and interfaces that judge differently or not at all.
    ///
    /// # Errors
    /// When the move is illegal; the game is then as before.
    pub fn play(&mut self, m: Move) -> Result<(), PlayError> {
        if let Some(fault) = illegality(&self.position, m) {
            return Err(PlayError::Illegal { number: self.ply() + 1, m, fault });
        }
        let mover = self.position.side_to_move();
        let key = self.position.key();
        let undo = self.position.make(m);
        self.played.push(Played { m, undo, key, quiet: self.quiet });
        let captured = undo.captured().is_some();
        self.quiet = self.quiet.advance(captured, self.position.in_check(), mover);
        Ok(())
    }

    /// Takes back the last move; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let last = self.played.pop()?;
        self.position.unmake(last.m, last.undo);
        self.quiet = last.quiet;
        Some(last.m)
    }

    /// The position on the board.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The rules of the game.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Changes the rules; the moves played are judged again under them.
    pub fn set_parameters(&mut self, parameters: impl Into<Parameters>) {
        let parameters = parameters.into();
        let moves: Vec<Move> = self.moves().collect();
        *self = Game::new(self.start(), parameters);
        for m in moves {
            // legality does not depend on the rule set
            let replayed = self.play(m);
            debug_assert!(replayed.is_ok());
        }
    }

    /// Plies played.
    pub fn ply(&self) -> usize {
        self.played.len()
    }

    /// The moves played, with what stood before them, in order.
    pub(crate) fn played(&self) -> &[Played] {
        &self.played
    }

    /// How near the natural move limit is.
    pub(crate) const fn quiet(&self) -> QuietCounter {
        self.quiet
    }

    /// The moves played, in order.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> + '_ {
        self.played.iter().map(|played| played.m)
    }

    /// The position before the first move.
    pub fn start(&self) -> Position {
        self.position_at(0)
    }

    /// The position before ply `ply`, which was played.
    fn position_at(&self, ply: usize) -> Position {
        let mut position = self.position.clone();
        for played in self.played[ply..].iter().rev() {
            position.unmake(played.m, played.undo);
        }
        position
    }

    /// The moves since the last capture; only these can be part of a cycle.
    pub(crate) fn since_capture(&self) -> &[Played] {
        let quiet = self.played.iter().rev().take_while(|played| played.undo.captured().is_none());
        &self.played[self.played.len() - quiet.count()..]
    }

    /// Occurrences of the current position, this one included.
    pub fn occurrences(&self) -> u32 {
        let key = self.position.key();
        1 + self.since_capture().iter().filter(|played| played.key == key).count() as u32
    }

    /// The cycle between the `count`-th last occurrence of the current position
    /// and this one, which is the first: position and moves. `None` if there are
    /// fewer occurrences.
    pub fn cycle(&self, count: u32) -> Option<(Position, Vec<Move>)> {
        let key = self.position.key();
        let back = count.checked_sub(2)? as usize;
        let first = self.since_capture().iter().rev().enumerate();
        let (plies, _) = first.filter(|(_, played)| played.key == key).nth(back)?;
        let start = self.ply() - plies - 1;
        let moves = self.played[start..].iter().map(|played| played.m).collect();
        Some((self.position_at(start), moves))
    }

    /// The verdict on the repetition that the last move completed, if any.
    pub fn repetition(&self) -> Option<CycleVerdict> {
        let (start, moves) = self.cycle(self.parameters.fold.max(2))?;
        Some(judge_cycle(self.parameters.rules, &start, &moves))
    }

    /// How the game has ended; `None` while it goes on.
    ///
    /// Mate and stalemate come before the repetition, this before lack of
    /// material, and the natural limit comes last.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.position.has_legal_move() {
            let checked = self.position.in_check();
            let reason = if checked { Reason::Checkmate } else { Reason::Stalemate };
            return Some(Outcome::loss(self.position.side_to_move(), reason));
        }
        if let Some(verdict) = self.repetition() {
            return Some(Outcome::by_repetition(verdict));
        }
        if is_material_insufficient(&self.position) {
            return Some(Outcome::draw(Reason::InsufficientMaterial));
        }
        let exhausted = self.quiet.is_exhausted(&self.parameters);
        exhausted.then_some(Outcome::draw(Reason::NaturalLimit))
    }
}

/// Whether neither side has a piece that can cross the river.
pub fn is_material_insufficient(position: &Position) -> bool {
    PieceKind::ATTACKERS.into_iter().all(|kind| position.of_kind(kind).is_empty())
}

fn illegality(position: &Position, m: Move) -> Option<IllegalMove> {
    let side = position.side_to_move();
    let piece = match position.piece_at(m.from()) {
        None => return Some(IllegalMove::NoPiece),
        Some(piece) => piece,
    };
    if piece.color() != side {
        Some(IllegalMove::OpponentsPiece)
    } else if !position.is_pseudo_legal(m) {
        Some(IllegalMove::NotAMoveOfThePiece)
    } else if position.leaves_king_safe(m) {
        None
    } else if Placement::of(position).after(side, m).kings_face_each_other() {
        Some(IllegalMove::LeavesKingsFacing)
    } else {
        Some(IllegalMove::LeavesKingInCheck)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ruleset::RuleSet;
    use super::*;
    use proptest::prelude::*;

    fn game(fen: &str, rules: RuleSet, moves: &str) -> Game {
        let mut game = Game::new(Position::from_fen(fen).unwrap(), rules);
        for m in moves.split_whitespace() {
            game.play(m.parse().unwrap()).unwrap();
        }
        game
    }

    fn reason(fen: &str, moves: &str) -> Option<Outcome> {
        game(fen, RuleSet::Axf, moves).outcome()
    }

    const BARE: &str = "5k3/9/9/9/9/9/9/9/9/R2K5 w";
    const SHUTTLE: &str = "d0d1 f9f8 d1d0 f8f9";

    #[test]
    fn games_end_for_the_right_reason() {
        use crate::board::Color::{Black, Red};
        assert_eq!(
            reason("3k5/9/9/9/9/9/9/9/9/R3K4 w", "a0d0"),
            Some(Outcome::loss(Black, Reason::Checkmate))
        );
        assert_eq!(
            reason("4k4/9/9/9/9/9/9/2p6/9/3K5 b", "c2c1"),
            Some(Outcome::loss(Red, Reason::Stalemate))
        );
        assert_eq!(
            reason("3k5/9/9/9/9/9/9/9/4p4/4K4 w", "e0e1"),
            Some(Outcome::draw(Reason::InsufficientMaterial))
        );
        assert_eq!(
            reason("5k3/9/9/9/9/9/9/9/9/R2K5 w - - 119 70", "a0a1"),
            Some(Outcome::draw(Reason::NaturalLimit))
        );
        // mate on the last ply counts
        assert_eq!(
            reason("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 80", "a0d0"),
            Some(Outcome::loss(Black, Reason::Checkmate))
        );
        assert_eq!(reason(BARE, SHUTTLE), None);
    }

    #[test]
    fn the_fold_decides_when_a_repetition_is_judged() {
        let rounds = |count| [SHUTTLE; 4][..count].join(" ");
        for (rules, count) in [(RuleSet::Axf, 2), (RuleSet::Cxa, 2), (RuleSet::League, 3)] {
            assert_eq!(game(BARE, rules, &rounds(count - 1)).outcome(), None);
            let game = game(BARE, rules, &rounds(count));
            assert_eq!(game.occurrences(), count as u32 + 1);
            let outcome = game.outcome().unwrap();
            assert_eq!(outcome.winner, None);
            assert!(matches!(outcome.reason, Reason::Repetition(_)));
        }
        let strict = Parameters { fold: 2, ..RuleSet::Axf.parameters() };
        let mut game = game(BARE, RuleSet::Axf, &rounds(1));
        game.set_parameters(strict);
        assert!(game.outcome().is_some());
    }

    #[test]
    fn a_cycle_begins_where_it_was_entered() {
        let round = "d0d1 f8f9 d1d0 f9f8";
        let game = game(BARE, RuleSet::Axf, &format!("a0a1 f9f8 {round} {round}"));
        let (start, moves) = game.cycle(2).unwrap();
        assert_eq!(moves.len(), 4);
        assert_eq!(start.key(), game.position().key());
        assert_eq!(game.cycle(3).unwrap().1.len(), 8);
        assert!(game.cycle(4).is_none());
        assert!(game.cycle(1).is_none());
    }

    #[test]
    fn illegal_moves_are_named_and_not_played() {
        let mut game = Game::new(Position::startpos(), RuleSet::Axf);
        game.play("h2e2".parse().unwrap()).unwrap();
        for (m, fault) in [
            ("e5e6", IllegalMove::NoPiece),
            ("e2e6", IllegalMove::OpponentsPiece),
            ("h9h8", IllegalMove::NotAMoveOfThePiece),
        ] {
            let error = game.play(m.parse().unwrap()).unwrap_err();
            assert_eq!(error, PlayError::Illegal { number: 2, m: m.parse().unwrap(), fault },);
            assert!(error.to_string().starts_with(&format!("move 2 ({m}) is illegal: ")));
        }
        assert_eq!(game.ply(), 1);
        let fault = |fen: &str, m: &str| {
            let mut game = Game::new(Position::from_fen(fen).unwrap(), RuleSet::Axf);
            match game.play(m.parse().unwrap()) {
                Err(PlayError::Illegal { fault, .. }) => Some(fault),
                _ => None,
            }
        };
        assert_eq!(
            fault("4k4/9/9/9/9/9/9/9/4A4/4K4 w", "e1d2"),
            Some(IllegalMove::LeavesKingsFacing)
        );
        assert_eq!(
            fault("3k5/9/9/4r4/9/9/9/9/4A4/4K4 w", "e1d2"),
            Some(IllegalMove::LeavesKingInCheck)
        );
    }

    #[test]
    fn a_replay_ends_with_the_game() {
        let moves: Vec<Move> =
            [SHUTTLE; 3].join(" ").split(' ').map(|text| text.parse().unwrap()).collect();
        let start = Position::from_fen(BARE).unwrap();
        let error = Game::replay(start.clone(), RuleSet::Axf, &moves).unwrap_err();
        assert!(matches!(error, PlayError::AlreadyOver { number: 9, .. }), "{error}");
        assert!(error.to_string().contains("draw by repetition"), "{error}");
        assert!(Game::replay(start, RuleSet::League, &moves).is_ok());
    }

    proptest! {
        #[test]
        fn taking_back_restores_everything(choices in prop::collection::vec(any::<u16>(), 0..150)) {
            let mut game = Game::new(Position::startpos(), RuleSet::Cxa);
            let mut past = Vec::new();
            for choice in choices {
                let moves = game.position().legal_moves();
                if moves.is_empty() {
                    break;
                }
                past.push((game.position().clone(), game.quiet, game.occurrences()));
                game.play(moves[choice as usize % moves.len()]).unwrap();
            }
            let played: Vec<Move> = game.moves().collect();
            prop_assert_eq!(&game.start(), &Position::startpos());
            for (before, m) in past.into_iter().zip(played).rev() {
                prop_assert_eq!(game.undo(), Some(m));
                let now = (game.position().clone(), game.quiet, game.occurrences());
                prop_assert_eq!(now, before);
            }
            prop_assert_eq!(game.undo(), None);
        }
    }
}
