//! A table in memory: a byte for each number and side to move.

use std::collections::HashMap;
use std::sync::Arc;

use crate::board::{Bitboard, Color, PieceKind, Position, Square};

use super::index::Index;
use super::material::Material;
use super::value::{DRAW, Value};

/// All values of one material.
pub struct Solution {
    /// The numbering.
    pub index: Index,
    /// By side to move and number: see [`Value::from_byte`].
    pub bytes: [Vec<u8>; 2],
}

/// Solved materials, all canonical.
pub type Solutions = HashMap<Material, Arc<Solution>>;

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

impl Solution {
    /// The value of a number; `None` if it is not a position.
    #[inline]
    pub fn value(&self, number: usize, side: Color) -> Option<Value> {
        Value::from_byte(self.bytes[side.index()][number])
    }

    /// The counts of one side to move.
    pub fn counts(&self, side: Color) -> Counts {
        let mut counts = Counts::default();
        for (number, &byte) in self.bytes[side.index()].iter().enumerate() {
            let Some(value) = Value::from_byte(byte) else { continue };
            let weight = self.index.weight(number);
            counts.legal += weight;
            match value {
                Value::Draw => counts.draws += weight,
                Value::Win { plies } => {
                    counts.wins += weight;
                    counts.longest_win = counts.longest_win.max(Some(plies));
                }
                Value::Loss { plies } => {
                    counts.losses += weight;
                    counts.ended += if plies == 0 { weight } else { 0 };
                    counts.longest_loss = counts.longest_loss.max(Some(plies));
                }
            }
        }
        counts
    }

    /// Whether every position is drawn.
    pub fn is_all_drawn(&self) -> bool {
        let decided = |&&byte: &&u8| byte < DRAW;
        self.bytes.iter().all(|bytes| !bytes.iter().any(|byte| decided(&byte)))
    }

    /// The value of pieces given by side and kind, which may be those of the
    /// table with the colours exchanged.
    pub fn value_of(
        &self,
        pieces: impl Fn(Color, PieceKind) -> Bitboard,
        side: Color,
        swapped: bool,
    ) -> Option<Value> {
        if !swapped {
            return self.value(self.index.number_of(pieces)?, side);
        }
        let flip = |set: Bitboard| set.map(Square::flip).collect();
        self.value(self.index.number_of(|color, kind| flip(pieces(!color, kind)))?, !side)
    }
}

/// The value of a position, from the table of its material.
pub fn look_up(solutions: &Solutions, position: &Position) -> Option<Value> {
    let material = Material::of(position);
    let canonical = material.canonical();
    let solution = solutions.get(&canonical)?;
    let pieces = |color, kind| position.pieces_of(color, kind);
    solution.value_of(pieces, position.side_to_move(), canonical != material)
}
