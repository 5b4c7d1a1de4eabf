//! Proves what a table says of results that rest on the rules of repetition:
//! see [`verify`](super::verify).

use std::collections::HashSet;

use crate::board::{Color, PieceKind, Position};

use super::check_graph::{CheckGraph, Checker};
use super::parallel::map;
use super::solution::{Solution, Sources, look_up};
use super::table::Cache;
use super::value::{Value, Wdl};
use super::verify::{CACHED, Contradiction};

/// A table and those that captures lead to, seen by the moves of the board room.
pub struct View<'a> {
    pub solution: &'a Solution,
    pub sources: &'a Sources,
}

impl View<'_> {
    /// Calls `visit` with the position after each legal move, its value for the
    /// side to move there, and whether the move captures.
    pub fn for_each_move(
        &self,
        position: &mut Position,
        cache: &mut Cache,
        mut visit: impl FnMut(&mut Position, Option<Value>, bool),
    ) {
        for &m in &position.legal_moves() {
            let undo = position.make(m);
            let is_capture = undo.captured().is_some();
            let value = match is_capture {
                false => self.value(position),
                true => look_up(self.sources, position, cache),
            };
            visit(position, value, is_capture);
            position.unmake(m, undo);
        }
    }

    fn value(&self, position: &Position) -> Option<Value> {
        let number = self.solution.index.number_of_position(position)?;
        self.solution.value(number, position.side_to_move())
    }

    /// Whether the side that the value is of could lose.
    pub fn may_lose(&self, value: Value) -> bool {
        value.range().0 == Wdl::Loss
    }

    /// Whether the move that led to a position gives check, or leaves a piece
    /// attacked by anything but king and pawns.
    pub fn offends(&self, after: &mut Position) -> bool {
        if after.in_check() {
            return true;
        }
        let undo = after.make_null();
        let attacks = after.pseudo_legal_moves().iter().any(|m| {
            let kind = after.piece_at(m.from()).map(|piece| piece.kind());
            let is_attacker = !matches!(kind, None | Some(PieceKind::King | PieceKind::Pawn));
            is_attacker && after.piece_at(m.to()).is_some()
        });
        after.unmake_null(undo);
        attacks
    }
}

/// The proof of what one side wins by rule.
pub struct RuleProof<'a> {
    view: &'a View<'a>,
    winner: Color,
    threads: usize,
}

/// Positions by side to move and number.
type Positions = HashSet<(Color, usize)>;

/// The moves of a position that is held to be won by rule.
enum Moves {
    /// They decide it.
    Won,
    /// Nothing but these checks is left to the loser.
    Checks(Checker),
    /// Neither, as far as is known yet.
    Open,
}

impl<'a> RuleProof<'a> {
    /// The proof of what `winner` wins.
    pub fn new(view: &'a View<'a>, winner: Color, threads: usize) -> RuleProof<'a> {
        RuleProof { view, winner, threads }
    }

    /// Derives all that is won by rule, from what is won otherwise.
    ///
    /// # Errors
    /// When something does not follow.
    pub fn force_wins(&self, claimed: &[(Color, usize)]) -> Result<(), Contradiction> {
        let mut open: Positions = claimed.iter().copied().collect();
        while !open.is_empty() {
            let before = open.len();
            let checkers = self.force_by_moves(&mut open);
            let graph = CheckGraph::new(checkers, |evaders| self.evasions(evaders));
            let (checkers, evaders) = graph.perpetual();
            for number in checkers {
                open.remove(&(!self.winner, number));
            }
            for number in evaders {
                open.remove(&(self.winner, number));
            }
            if open.len() == before {
                let fen = open.iter().find_map(|&(side, number)| self.fen(side, number));
                return Err(Contradiction::Unforced { fen: fen.unwrap_or_default() });
            }
        }
        Ok(())
    }

    /// Takes away what moves decide, until nothing is left but checks; those.
    fn force_by_moves(&self, open: &mut Positions) -> Vec<Checker> {
        loop {
            let list: Vec<(Color, usize)> = open.iter().copied().collect();
            let cache = || Cache::new(CACHED);
            let moves = map(&list, self.threads, cache, |cache, &(side, number)| {
                self.moves(side, number, open, cache)
            });
            let mut checkers = Vec::new();
            let before = open.len();
            for (position, moves) in list.iter().zip(moves) {
                match moves {
                    Moves::Won => {
                        open.remove(position);
                    }
                    Moves::Checks(checker) => checkers.push(checker),
                    Moves::Open => {}
                }
            }
            if open.len() == before {
                checkers.sort_unstable_by_key(|checker| checker.number);
                return checkers;
            }
        }
    }

    fn moves(&self, side: Color, number: usize, open: &Positions, cache: &mut Cache) -> Moves {
        let index = &self.view.solution.index;
        let Some(mut position) = index.position(number, side) else { return Moves::Open };
        let is_in_check = position.in_check();
        let (mut wins, mut escapes, mut checks) = (false, false, Vec::new());
        self.view.for_each_move(&mut position, cache, |after, value, is_capture| {
            let result = value.unwrap_or(Value::Draw);
            let number = index.number_of_position(after).unwrap_or(usize::MAX);
            let is_open = !is_capture && open.contains(&(!side, number));
            let is_won = !is_open
                && result.wdl() == Some(if side == self.winner { Wdl::Loss } else { Wdl::Win });
            wins |= is_won;
            if !is_won && is_open && after.in_check() {
                checks.push(number);
            } else {
                escapes |= !is_won;
            }
        });
        match side == self.winner {
            true if wins => Moves::Won,
            false if !escapes && checks.is_empty() => Moves::Won,
            false if !escapes => Moves::Checks(Checker { number, is_in_check, checks }),
            _ => Moves::Open,
        }
    }

    /// Looks whether one of these positions, which the opponent holds by checks
    /// and attacks alone, could be won by rule.
    ///
    /// # Errors
    /// When one could be.
    pub fn look_for_more(&self, held: &[usize]) -> Result<(), Contradiction> {
        let cache = || Cache::new(CACHED);
        let checkers = map(held, self.threads, cache, |cache, &number| {
            let index = &self.view.solution.index;
            let mut position = index.position(number, !self.winner)?;
            let is_in_check = position.in_check();
            let mut checks = Vec::new();
            self.view.for_each_move(&mut position, cache, |after, value, _| {
                let value = value.map_or(Value::Draw, Value::before_move);
                if !self.view.may_lose(value) {
                    checks.extend(index.number_of_position(after));
                }
            });
            Some(Checker { number, is_in_check, checks })
        });
        let checkers = checkers.into_iter().flatten().collect();
        let graph = CheckGraph::new(checkers, |evaders| self.evasions(evaders));
        match graph.perpetual().0.first().and_then(|&number| self.fen(!self.winner, number)) {
            Some(fen) => Err(Contradiction::Overlooked { fen }),
            None => Ok(()),
        }
    }

    /// The numbers after the quiet moves of each of these positions.
    fn evasions(&self, evaders: &[usize]) -> Vec<Vec<usize>> {
        let index = &self.view.solution.index;
        map(evaders, self.threads, || (), |(), &number| {
            let Some(mut position) = index.position(number, self.winner) else { return Vec::new() };
            let moves = position.legal_moves();
            let after = |m| {
                let undo = position.make(m);
                let number = index.number_of_position(&position);
                position.unmake(m, undo);
                number
            };
            moves.iter().copied().filter_map(after).collect()
        })
    }

    fn fen(&self, side: Color, number: usize) -> Option<String> {
        Some(self.view.solution.index.position(number, side)?.to_fen())
    }
}
