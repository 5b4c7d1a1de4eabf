//! The order of moves, on which the size of an alpha-beta tree depends most.
//!
//! The order of the thesis (section 2.4.5): the move of the transposition table;
//! captures that seem to lose nothing, best gain first; killer moves; all other
//! moves by their history. Each part is a switch, and what is off leaves the
//! order that the game generates.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use super::game::Game;
use super::settings::{Killers, Settings};

/// What earlier nodes say about moves.
pub(super) struct Experience<M> {
    /// The last two moves without a capture that refuted at each ply (Akl and
    /// Newborn, 1977).
    killers: Vec<[Option<M>; 2]>,
    /// How often a move was the best somewhere, weighted by the square of the
    /// depth (Schaeffer, 1989).
    history: HashMap<M, u32>,
}

/// The place of a move: class, then rank in the class; least first.
type Rank = (u8, Reverse<i64>);

const TABLE_MOVE: u8 = 0;
const EARLY_KILLER: u8 = 1;
const GOOD_CAPTURE: u8 = 2;
const LATE_KILLER: u8 = 3;
const REST: u8 = 4;

impl<M: Copy + Eq + Hash> Experience<M> {
    pub fn new() -> Experience<M> {
        Experience { killers: Vec::new(), history: HashMap::new() }
    }

    /// Sorts the moves of a node; equal ones keep their order.
    pub fn sort<G: Game<Move = M>>(
        &self,
        moves: &mut [M],
        game: &mut G,
        table_move: Option<M>,
        ply: usize,
        settings: &Settings,
    ) {
        moves.sort_by_cached_key(|&m| {
            if table_move == Some(m) {
                return (TABLE_MOVE, Reverse(0));
            }
            self.rank(m, game, ply, settings)
        });
    }

    fn rank<G: Game<Move = M>>(&self, m: M, game: &mut G, ply: usize, settings: &Settings) -> Rank {
        let gain = if settings.order_captures { game.capture_gain(m) } else { None };
        if let Some(gain) = gain
            && gain >= 0
        {
            return (GOOD_CAPTURE, Reverse(gain.into()));
        }
        let is_killer = self.killers.get(ply).is_some_and(|killers| killers.contains(&Some(m)));
        match settings.killers {
            Killers::BeforeCaptures if is_killer => return (EARLY_KILLER, Reverse(0)),
            Killers::AfterCaptures if is_killer => return (LATE_KILLER, Reverse(0)),
            _ => {}
        }
        let history = if settings.history { self.history.get(&m).copied() } else { None };
        (REST, Reverse(history.unwrap_or(0).into()))
    }

    /// Remembers a move that refuted at this ply.
    pub fn add_killer(&mut self, m: M, ply: usize) {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        let [first, second] = &mut self.killers[ply];
        if *first != Some(m) {
            (*second, *first) = (*first, Some(m));
        }
    }

    /// Remembers the best move of a node searched this deep.
    pub fn add_history(&mut self, m: M, depth: i32) {
        let count = self.history.entry(m).or_default();
        *count = count.saturating_add(depth.unsigned_abs().pow(2));
    }
}
