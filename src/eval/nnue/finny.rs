//! Accumulators refreshed by difference: the last accumulator of each
//! perspective is kept with its board, and only the pieces that differ are
//! added and subtracted. Known as Finny tables; the idea is Luecx's, of the
//! chess engine Koivisto.

use arrayvec::ArrayVec;

use crate::board::{Bitboard, Color, Piece, PieceKind, Position};

use super::features::Perspective;
use super::kernels::Kernel;
use super::network::{Accumulator, FeatureWeights, Weights};

/// The last accumulator of each perspective, with the pieces it is the sum of.
#[derive(Clone, Debug)]
pub struct FinnyTable {
    /// By [`Perspective::index`].
    entries: Box<[Entry]>,
}

#[derive(Clone, Debug)]
struct Entry {
    accumulator: Accumulator,
    kinds: [Bitboard; 7],
    colors: [Bitboard; 2],
}

/// All pieces of a game.
const PIECES: usize = 32;

impl FinnyTable {
    /// A table of empty boards.
    pub fn new(weights: &Weights) -> FinnyTable {
        let empty = Entry {
            accumulator: weights.feature_biases,
            kinds: [Bitboard::EMPTY; 7],
            colors: [Bitboard::EMPTY; 2],
        };
        FinnyTable { entries: vec![empty; Perspective::COUNT].into() }
    }

    /// The accumulator of `position` as this perspective has it.
    pub fn accumulator(
        &mut self,
        kernel: Kernel,
        weights: &Weights,
        perspective: Perspective,
        position: &Position,
    ) -> &Accumulator {
        let entry = &mut self.entries[perspective.index()];
        let mut added = ArrayVec::<&FeatureWeights, PIECES>::new();
        let mut removed = ArrayVec::<&FeatureWeights, PIECES>::new();
        for kind in PieceKind::ALL {
            for owner in Color::ALL {
                let then = entry.kinds[kind.index()] & entry.colors[owner.index()];
                let now = position.pieces_of(owner, kind);
                let piece = Piece::new(owner, kind);
                let feature = |square| &weights.features[perspective.feature(piece, square)];
                added.extend(now.without(then).map(feature));
                removed.extend(then.without(now).map(feature));
            }
        }
        kernel.add_sub_all(&mut entry.accumulator, &added, &removed);
        entry.kinds = PieceKind::ALL.map(|kind| position.of_kind(kind));
        entry.colors = Color::ALL.map(|color| position.of_color(color));
        &entry.accumulator
    }
}
