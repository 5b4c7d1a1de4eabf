//! The order of moves, on which the size of an alpha-beta tree depends most.
//!
//! The order of the thesis (section 2.4.5): the move of the transposition table;
//! captures that seem to lose nothing, best gain first; killer moves; all other
//! moves by their history. Each part is a switch, and what is off leaves the
//! order that the game generates. The move of the [refutation table] comes right
//! after that of the transposition table.
//!
//! [refutation table]: super::refutation

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use super::game::Game;
use super::settings::{Killers, Settings};

/// What earlier nodes say about moves.
pub(super) struct Experience<M> {
    /// The moves without a capture that refuted, by ply (Akl and Newborn, 1977).
    killers: Vec<Refuting<M>>,
    /// How often a move was the best somewhere, weighted by the square of the
    /// depth (Schaeffer, 1989).
    history: HashMap<M, u32>,
}

/// The place of a move: class, then rank in the class; least first.
type Rank = (u8, Reverse<i64>);

const TABLE_MOVE: u8 = 0;
const REFUTATION: u8 = 1;
const EARLY_KILLER: u8 = 2;
const GOOD_CAPTURE: u8 = 3;
const LATE_KILLER: u8 = 4;
const REST: u8 = 5;

/// The moves of a node that are known to be good there.
pub(super) struct Hints<M> {
    /// That of the transposition table.
    pub table: Option<M>,
    /// That of the refutation table.
    pub refutation: Option<M>,
}

/// The moves that refuted at a ply.
struct Refuting<M> {
    killers: [Option<M>; 2],
    /// How often each did, if that decides.
    counts: HashMap<M, u32>,
}

impl<M: Copy + Eq + Hash> Refuting<M> {
    fn new() -> Refuting<M> {
        Refuting { killers: [None; 2], counts: HashMap::new() }
    }

    /// The killers are the last two.
    fn add(&mut self, m: M) {
        if self.killers[0] != Some(m) {
            self.killers = [Some(m), self.killers[0]];
        }
    }

    /// The killers are the two most frequent ones.
    fn count(&mut self, m: M) {
        *self.counts.entry(m).or_default() += 1;
        let count = |m: Option<M>| m.map_or(0, |m| self.counts[&m]);
        let [first, second] = self.killers;
        if first == Some(m) {
            return;
        }
        if count(Some(m)) > count(first) {
            self.killers = [Some(m), first];
        } else if count(Some(m)) > count(second) {
            self.killers[1] = Some(m);
        }
    }
}

impl<M: Copy + Eq + Hash> Experience<M> {
    pub fn new() -> Experience<M> {
        Experience { killers: Vec::new(), history: HashMap::new() }
    }

    /// Sorts the moves of a node; equal ones keep their order.
    pub fn sort<G: Game<Move = M>>(
        &self,
        moves: &mut [M],
        game: &mut G,
        hints: &Hints<M>,
        ply: usize,
        settings: &Settings,
    ) {
        moves.sort_by_cached_key(|&m| {
            if hints.table == Some(m) {
                return (TABLE_MOVE, Reverse(0));
            }
            if hints.refutation == Some(m) {
                return (REFUTATION, Reverse(0));
            }
            self.rank(m, game, ply, settings)
        });
        if settings.worst_first {
            moves.reverse();
        }
    }

    fn rank<G: Game<Move = M>>(&self, m: M, game: &mut G, ply: usize, settings: &Settings) -> Rank {
        let gain = if settings.order_captures { game.capture_gain(m) } else { None };
        if let Some(gain) = gain
            && gain >= 0
        {
            return (GOOD_CAPTURE, Reverse(gain.into()));
        }
        let refuting = self.killers.get(ply);
        let is_killer = refuting.is_some_and(|refuting| refuting.killers.contains(&Some(m)));
        match settings.killers {
            Killers::BeforeCaptures if is_killer => return (EARLY_KILLER, Reverse(0)),
            Killers::AfterCaptures if is_killer => return (LATE_KILLER, Reverse(0)),
            _ => {}
        }
        let history = if settings.history { self.history.get(&m).copied() } else { None };
        (REST, Reverse(history.unwrap_or(0).into()))
    }

    /// Remembers a move that refuted at this ply; the most frequent ones count, or
    /// else the last.
    pub fn add_killer(&mut self, m: M, ply: usize, most_frequent: bool) {
        if self.killers.len() <= ply {
            self.killers.resize_with(ply + 1, Refuting::new);
        }
        let refuting = &mut self.killers[ply];
        if most_frequent { refuting.count(m) } else { refuting.add(m) }
    }

    /// Remembers the best move of a node searched this deep.
    pub fn add_history(&mut self, m: M, depth: i32) {
        let count = self.history.entry(m).or_default();
        *count = count.saturating_add(depth.unsigned_abs().pow(2));
    }
}
