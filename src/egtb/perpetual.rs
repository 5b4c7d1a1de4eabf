//! Perpetual check, in endings with attackers on both sides.
//!
//! After the retrograde analysis a draw means that neither side can force mate.
//! An infinite play is lost for a side if from some point on each of its moves
//! gives check, while not each of the opponent's does. So a side wins by rule
//! what it wins in a parity game with three priorities on positions, of which
//! the highest one that comes up again and again counts:
//!
//! - 3, against it: it is to move and not in check;
//! - 2, for it: the opponent is to move and not in check;
//! - 1: the side to move is in check.
//!
//! Its won set is the least Z3 of the greatest Z2 of the least Z1 that contain
//! the positions with a move, or of the opponent all moves, to Z3, Z2 or Z1
//! according to the priority (McNaughton 1993). Here Z3 begins with the wins
//! that are known and grows by rounds: whatever must lead to it is added; then
//! the opponent's positions of which each move leads there or gives check are
//! candidates, and the greatest part of them that the checks never leave is
//! added, too ([`CheckGraph`]).
//!
//! # Perpetual chase
//!
//! What a chase is differs between rule sets. The same game is therefore played
//! a second time, in which the opponent also offends as long as any piece but
//! the king stands attacked by a rook, a knight, a cannon, an advisor or an
//! elephant. Every chase of every rule set is among these. What is won in this
//! game alone is [unclear](Value::Unclear); all else holds however a rule set
//! defines chases. A win by perpetual check stays one, for perpetual check is
//! the graver offence.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::board::Color;

use super::check_graph::{CheckGraph, Checker};
use super::children::Children;
use super::index::Index;
use super::parallel::{BLOCK, block as numbers, for_each, map};
use super::pieces::{Boards, Pieces};
use super::solution::Solution;
use super::table::Cache;
use super::value::{DRAW, Value, Wdl};

/// Decides the draws of a solution that rest on a forbidden repetition, and
/// marks those that may.
pub fn apply(solution: &mut Solution, children: &Children, threads: usize) {
    let wins = Color::ALL.map(|winner| {
        let game = |offence| Game::new(solution, children, winner, offence);
        let possible = game(Offence::CheckOrAttack).solve(threads);
        let mut certain = game(Offence::Check);
        certain.within = Some(&possible);
        let certain = certain.solve(threads);
        (certain, possible)
    });
    for side in Color::ALL {
        let (ours, theirs) = (&wins[side.index()], &wins[(!side).index()]);
        let bytes = &mut solution.bytes[side.index()];
        for (number, byte) in bytes.iter_mut().enumerate().filter(|(_, byte)| **byte == DRAW) {
            let result = |wins: &Sides, losses: &Sides| match () {
                () if wins[side.index()].contains(number) => Wdl::Win,
                () if losses[side.index()].contains(number) => Wdl::Loss,
                () => Wdl::Draw,
            };
            let (lowest, highest) = (result(&ours.0, &theirs.1), result(&ours.1, &theirs.0));
            *byte = Value::by_rule(lowest, highest).rule_byte().unwrap_or(DRAW);
        }
    }
}

/// The memory that [`apply`] takes beside the solution, in bytes, if one in
/// twenty positions is a candidate.
pub fn memory_needed(index: &Index) -> usize {
    // a bit for two sides of four games and for the candidates
    index.size() * 9 / 8 + index.size() / 20 * 120
}

/// What counts as an offence if every move commits it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Offence {
    Check,
    CheckOrAttack,
}

/// A set of numbers, to which several threads add.
struct Numbers(Vec<AtomicU64>);

/// Sets by side to move.
type Sides = [Numbers; 2];

impl Numbers {
    fn new(size: usize) -> Numbers {
        Numbers((0..size.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    fn contains(&self, number: usize) -> bool {
        self.0[number / 64].load(Relaxed) >> (number % 64) & 1 != 0
    }

    /// Adds a number; whether it is new.
    #[inline]
    fn insert(&self, number: usize) -> bool {
        let bit = 1 << (number % 64);
        self.0[number / 64].fetch_or(bit, Relaxed) & bit == 0
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(place, word)| {
            let word = word.load(Relaxed);
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| 64 * place + bit)
        })
    }
}

/// What the moves of the side that may offend come to.
enum Moves {
    /// All lose.
    Lost,
    /// All lose but those to these numbers, which offend.
    Offending(Vec<usize>),
    /// One holds the draw without an offence.
    Free,
}

/// The game of one side that wins by the offences of the other one.
struct Game<'a> {
    solution: &'a Solution,
    children: &'a Children,
    winner: Color,
    offence: Offence,
    /// Nothing else can be won.
    within: Option<&'a Sides>,
    /// What is won by rule.
    won: Sides,
    /// Of the opponent to move: what only offences hold.
    candidates: Numbers,
}

/// Positions by side to move and number.
type Found = Vec<(Color, usize)>;

impl<'a> Game<'a> {
    fn new(
        solution: &'a Solution,
        children: &'a Children,
        winner: Color,
        offence: Offence,
    ) -> Game<'a> {
        let numbers = || Numbers::new(solution.index.size());
        let (won, candidates) = ([numbers(), numbers()], numbers());
        Game { solution, children, winner, offence, within: None, won, candidates }
    }

    /// All that is won by rule.
    fn solve(self, threads: usize) -> Sides {
        let mut found = self.look_at_all(threads);
        loop {
            while !found.is_empty() {
                found = self.look_back(&found, threads);
            }
            found = self.perpetual(threads);
            if found.is_empty() {
                return self.won;
            }
        }
    }

    /// Whether a position is neither decided nor won, but could be.
    #[inline]
    fn is_open(&self, side: Color, number: usize) -> bool {
        self.solution.bytes[side.index()][number] == DRAW
            && !self.won[side.index()].contains(number)
            && self.within.is_none_or(|within| within[side.index()].contains(number))
    }

    #[inline]
    fn is_won(&self, side: Color, number: usize) -> bool {
        self.won[side.index()].contains(number)
            || match self.solution.value(number, side) {
                Some(Value::Win { .. }) => side == self.winner,
                Some(Value::Loss { .. }) => side != self.winner,
                _ => false,
            }
    }

    /// Whether the winner wins by a value of a smaller table, for this side to
    /// move.
    fn wins_by(&self, value: Option<Value>, side: Color) -> bool {
        let (lowest, highest) = value.unwrap_or(Value::Draw).range();
        let is_possible = self.offence == Offence::CheckOrAttack;
        match (side == self.winner, is_possible) {
            (true, true) => highest == Wdl::Win,
            (true, false) => lowest == Wdl::Win,
            (false, true) => lowest == Wdl::Loss,
            (false, false) => highest == Wdl::Loss,
        }
    }

    /// Looks at the moves of every open position once.
    fn look_at_all(&self, threads: usize) -> Found {
        let all: Mutex<Found> = Mutex::default();
        let size = self.solution.index.size();
        for_each(size.div_ceil(BLOCK), threads, Cache::default, |cache, block| {
            let mut boards = Boards::new(&self.solution.index);
            let mut found = Vec::new();
            for number in numbers(block, size) {
                for side in Color::ALL {
                    if self.is_open(side, number)
                        && let Some(board) = boards.of(number)
                    {
                        let pieces = Pieces::new(&self.solution.index, board);
                        let is_won = match side == self.winner {
                            true => self.has_winning_capture(&pieces, cache),
                            false => self.is_lost(number, &pieces, cache),
                        };
                        if is_won && self.won[side.index()].insert(number) {
                            found.push((side, number));
                        }
                    }
                }
            }
            all.lock().extend(found);
        });
        all.into_inner()
    }

    fn has_winning_capture(&self, pieces: &Pieces, cache: &mut Cache) -> bool {
        let mut wins = false;
        pieces.for_each_capture(self.winner, |captured, after| {
            let value = self.children.value(self.winner, captured, after, cache);
            wins |= self.wins_by(value, !self.winner);
        });
        wins
    }

    /// Whether the opponent has lost; if only offences hold, that is kept.
    fn is_lost(&self, number: usize, pieces: &Pieces, cache: &mut Cache) -> bool {
        match self.moves(pieces, cache) {
            Moves::Lost => true,
            Moves::Offending(_) => {
                self.candidates.insert(number);
                false
            }
            Moves::Free => false,
        }
    }

    /// The moves of the opponent.
    fn moves(&self, pieces: &Pieces, cache: &mut Cache) -> Moves {
        let (winner, opponent) = (self.winner, !self.winner);
        let mut offending = Vec::new();
        let flow = pieces.try_each_legal_move(opponent, |captured, after| {
            if let Some(captured) = captured {
                let value = self.children.value(opponent, captured, after, cache);
                return match self.wins_by(value, winner) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                };
            }
            let index = &self.solution.index;
            let Some(number) = index.number_of(|color, kind| after.of(color, kind)) else {
                return ControlFlow::Break(());
            };
            if !self.is_won(winner, number) {
                if !self.is_open(winner, number) || !self.offends(after) {
                    return ControlFlow::Break(());
                }
                offending.push(number);
            }
            ControlFlow::Continue(())
        });
        match flow {
            ControlFlow::Break(()) => Moves::Free,
            ControlFlow::Continue(()) if offending.is_empty() => Moves::Lost,
            ControlFlow::Continue(()) => Moves::Offending(offending),
        }
    }

    fn offends(&self, after: &Pieces) -> bool {
        after.attacks_king(!self.winner)
            || self.offence == Offence::CheckOrAttack && after.attacks_piece(!self.winner)
    }

    /// The positions with a quiet move to what was found to be won, as far as
    /// they are won by that.
    fn look_back(&self, found: &Found, threads: usize) -> Found {
        let index = &self.solution.index;
        let earlier = map(found, threads, Cache::default, |cache, &(side, number)| {
            let mut earlier = Vec::new();
            let mut boards = Boards::new(index);
            let Some(board) = boards.of(number) else { return earlier };
            board.for_each_origin(index, !side, |g, before| {
                index.predecessors(number, &board.ranks, g, before, |number| {
                    let is_won = self.is_open(!side, number)
                        && (!side == self.winner || self.is_lost_at(number, cache));
                    if is_won && self.won[(!side).index()].insert(number) {
                        earlier.push((!side, number));
                    }
                });
            });
            earlier
        });
        earlier.into_iter().flatten().collect()
    }

    fn is_lost_at(&self, number: usize, cache: &mut Cache) -> bool {
        let index = &self.solution.index;
        let mut boards = Boards::new(index);
        let pieces = boards.of(number).map(|board| Pieces::new(index, board));
        pieces.is_some_and(|pieces| self.is_lost(number, &pieces, cache))
    }

    /// The open positions in which the opponent has nothing but offences for
    /// ever.
    fn perpetual(&self, threads: usize) -> Found {
        let index = &self.solution.index;
        let pieces = |number| Boards::new(index).of(number).map(|b| Pieces::new(index, b));
        let candidates: Vec<usize> =
            self.candidates.iter().filter(|&number| self.is_open(!self.winner, number)).collect();
        let checkers = map(&candidates, threads, Cache::default, |cache, &number| {
            let pieces = pieces(number)?;
            let Moves::Offending(checks) = self.moves(&pieces, cache) else { return None };
            Some(Checker { number, is_in_check: pieces.attacks_king(self.winner), checks })
        });
        let graph = CheckGraph::new(checkers.into_iter().flatten().collect(), |evaders| {
            map(
                evaders,
                threads,
                || (),
                |(), &number| {
                    let mut evasions = Vec::new();
                    let _ = pieces(number).map(|pieces| {
                        pieces.try_each_legal_move(self.winner, |captured, after| {
                            if captured.is_none() {
                                evasions
                                    .extend(index.number_of(|color, kind| after.of(color, kind)));
                            }
                            ControlFlow::Continue(())
                        })
                    });
                    evasions
                },
            )
        });
        let (checkers, evaders) = graph.perpetual();
        let lost = checkers.into_iter().map(|number| (!self.winner, number));
        let won = evaders.into_iter().map(|number| (self.winner, number));
        let found: Found = lost.chain(won).collect();
        for &(side, number) in &found {
            self.won[side.index()].insert(number);
        }
        found
    }
}
