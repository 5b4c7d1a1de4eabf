//! A table in memory, a byte for each number and side to move, and the tables
//! that another one is made from.

use std::collections::HashMap;
use std::sync::Arc;

use crate::board::{Bitboard, Color, PieceKind, Position, Square};

use super::index::Index;
use super::material::Material;
use super::table::{Cache, Table};
use super::value::{Value, Wdl};

/// All values of one material.
pub struct Solution {
    /// The numbering.
    pub index: Index,
    /// By side to move and number: see [`Value::from_byte`].
    pub bytes: [Vec<u8>; 2],
}

/// A finished table, in memory or in its file.
#[derive(Clone)]
pub enum Source {
    /// All values in memory.
    Held(Arc<Solution>),
    /// Values read from a file, with both sides and distances.
    Packed(Arc<Table>),
}

/// Finished tables by material, all canonical.
pub type Sources = HashMap<Material, Source>;

/// Counts over all positions of one side to move, mirror images apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Legal positions.
    pub legal: u64,
    /// Of these, won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
    /// Lost without a move: mated or stalemated.
    pub ended: u64,
    /// The longest win, in plies.
    pub longest_win: Option<u16>,
    /// The longest loss, in plies.
    pub longest_loss: Option<u16>,
}

impl Counts {
    /// Counts a position that stands for so many.
    pub fn count(&mut self, value: Value, weight: u64) {
        self.legal += weight;
        match value.wdl() {
            Some(Wdl::Win) => {
                self.wins += weight;
                self.longest_win = self.longest_win.max(value.plies());
            }
            Some(Wdl::Draw) => self.draws += weight,
            Some(Wdl::Loss) => {
                self.losses += weight;
                self.ended += if value.plies() == Some(0) { weight } else { 0 };
                self.longest_loss = self.longest_loss.max(value.plies());
            }
            None => {}
        }
    }

    /// Positions whose result is unclear: neither won, drawn nor lost.
    pub const fn unclear(&self) -> u64 {
        self.legal.saturating_sub(self.wins + self.draws + self.losses)
    }

    /// Adds the counts of other positions.
    pub fn add(&mut self, other: &Counts) {
        self.legal += other.legal;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.ended += other.ended;
        self.longest_win = self.longest_win.max(other.longest_win);
        self.longest_loss = self.longest_loss.max(other.longest_loss);
    }
}

impl Solution {
    /// The value of a number; `None` if it is not a position.
    #[inline]
    pub fn value(&self, number: usize, side: Color) -> Option<Value> {
        Value::from_byte(self.bytes[side.index()][number])
    }

    /// The counts of one side to move, if what is not a position is marked, as
    /// in what [`solve`](super::solve) gives.
    pub fn counts(&self, side: Color) -> Counts {
        let mut counts = Counts::default();
        for (number, &byte) in self.bytes[side.index()].iter().enumerate() {
            if let Some(value) = Value::from_byte(byte) {
                counts.count(value, self.index.weight(number));
            }
        }
        counts
    }

    /// How many positions of both sides to move are won or lost by rule alone,
    /// mirror images apart.
    pub fn decided_by_rule(&self) -> u64 {
        let is_by_rule =
            |byte| matches!(Value::from_byte(byte), Some(Value::RuleWin | Value::RuleLoss));
        let weight = |(number, &byte): (usize, &u8)| {
            if is_by_rule(byte) { self.index.weight(number) } else { 0 }
        };
        self.bytes.iter().flat_map(|bytes| bytes.iter().enumerate()).map(weight).sum()
    }
}

impl Source {
    /// The numbering.
    pub fn index(&self) -> &Index {
        match self {
            Source::Held(solution) => &solution.index,
            Source::Packed(table) => table.index(),
        }
    }

    /// The value of a number that is a position.
    #[inline]
    pub fn value(&self, number: usize, side: Color, cache: &mut Cache) -> Option<Value> {
        match self {
            Source::Held(solution) => solution.value(number, side),
            Source::Packed(table) => table.value(number, side, cache),
        }
    }

    /// The value of pieces given by side and kind, which may be those of the
    /// table with the colours exchanged.
    pub fn value_of(
        &self,
        pieces: impl Fn(Color, PieceKind) -> Bitboard,
        (side, swapped): (Color, bool),
        cache: &mut Cache,
    ) -> Option<Value> {
        let (number, side) = number_of(self.index(), pieces, (side, swapped))?;
        self.value(number, side, cache)
    }
}

/// The number and the side to move of pieces given by side and kind, which may
/// be those of the index with the colours exchanged.
pub fn number_of(
    index: &Index,
    pieces: impl Fn(Color, PieceKind) -> Bitboard,
    (side, swapped): (Color, bool),
) -> Option<(usize, Color)> {
    if !swapped {
        return Some((index.number_of(pieces)?, side));
    }
    let flip = |set: Bitboard| set.map(Square::flip).collect();
    Some((index.number_of(|color, kind| flip(pieces(!color, kind)))?, !side))
}

/// The value of a position, from the table of its material.
pub fn look_up(sources: &Sources, position: &Position, cache: &mut Cache) -> Option<Value> {
    let material = Material::of(position);
    let canonical = material.canonical();
    let source = sources.get(&canonical)?;
    let pieces = |color, kind| position.pieces_of(color, kind);
    source.value_of(pieces, (position.side_to_move(), canonical != material), cache)
}
