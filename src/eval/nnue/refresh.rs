//! Hidden layers computed afresh, or nearly: what was computed last for the
//! same view is kept with its board, and only the difference is added. (The
//! idea is Luecx's, of the chess engine Koivisto, known as Finny tables.)

use arrayvec::ArrayVec;

use crate::board::{Bitboard, Color, Piece, PieceKind, Position};

use super::architecture::KING_BUCKETS;
use super::features::View;
use super::kernels::Kernel;
use super::network::{Column, Weights};

/// The last layer of each side for each view, with the pieces it stands for.
#[derive(Clone, Debug)]
pub struct RefreshCache {
    /// By side, then by place in [`slot`].
    entries: [Box<[Entry]>; 2],
}

#[derive(Clone, Debug)]
struct Entry {
    layer: Column,
    kinds: [Bitboard; 7],
    colors: [Bitboard; 2],
}

/// All pieces of a game.
const PIECES: usize = 32;

impl RefreshCache {
    /// Layers of empty boards.
    pub fn new(weights: &Weights) -> RefreshCache {
        let empty = Entry {
            layer: weights.feature_biases,
            kinds: [Bitboard::EMPTY; 7],
            colors: [Bitboard::EMPTY; 2],
        };
        RefreshCache { entries: [(); 2].map(|()| vec![empty.clone(); 2 * KING_BUCKETS].into()) }
    }

    /// The layer of a side that has this view of `position`.
    pub fn layer(
        &mut self,
        kernel: Kernel,
        weights: &Weights,
        color: Color,
        view: View,
        position: &Position,
    ) -> &Column {
        let entry = &mut self.entries[color.index()][slot(view)];
        let mut added = ArrayVec::<&Column, PIECES>::new();
        let mut removed = ArrayVec::<&Column, PIECES>::new();
        for kind in PieceKind::ALL {
            for owner in Color::ALL {
                let then = entry.kinds[kind.index()] & entry.colors[owner.index()];
                let now = position.pieces_of(owner, kind);
                let piece = Piece::new(owner, kind);
                let column = |square| &weights.features[view.feature(piece, square)];
                added.extend(now.without(then).map(column));
                removed.extend(then.without(now).map(column));
            }
        }
        kernel.adjust(&mut entry.layer, &added, &removed);
        entry.kinds = PieceKind::ALL.map(|kind| position.of_kind(kind));
        entry.colors = Color::ALL.map(|color| position.of_color(color));
        &entry.layer
    }
}

fn slot(view: View) -> usize {
    2 * view.bucket() + usize::from(view.is_mirrored())
}
