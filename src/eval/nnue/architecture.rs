//! The sizes of the net. Everything else is written in terms of these.

use crate::board::{Piece, Square};

/// How many different places of the own king have feature weights of their
/// own; [`KING_BUCKET_OF`] says which.
pub const KING_BUCKETS: usize = 1;

/// The bucket of each square of the palace where the own king can stand after
/// mirroring: by rank as its owner sees it, then file e, file f.
pub const KING_BUCKET_OF: [[u8; 2]; 3] = [[0, 0], [0, 0], [0, 0]];

/// Features of one king bucket: own and enemy pieces of 7 kinds on 90 squares.
pub const FEATURES_PER_BUCKET: usize = Piece::COUNT * Square::COUNT;

/// All features of one perspective.
pub const FEATURES: usize = KING_BUCKETS * FEATURES_PER_BUCKET;

/// Width of the hidden layer of one perspective.
pub const HIDDEN: usize = 256;

/// How many sets of output weights there are;
/// [`output_bucket`](super::features::output_bucket) chooses.
pub const OUTPUT_BUCKETS: usize = 8;

/// What stands for 1 in the hidden layer: feature weights and biases are in
/// these units, and activations are clipped there.
pub const QA: i32 = 255;

/// What stands for 1 in the output weights. Those of trained nets are small,
/// 0.02 to 0.4: with 64 here, rounding them moved values by 17 centipawns.
pub const QB: i32 = 256;

/// Output weights lie between this and its negative, so that an activation
/// times a weight fits 16 bits.
pub const OUTPUT_WEIGHT_MAX: i16 = 127;

/// Centipawns of an output of 1.
pub const SCALE: i32 = 400;

const _: () = assert!(QA * OUTPUT_WEIGHT_MAX as i32 <= i16::MAX as i32);

const _: () = {
    let mut square = 0;
    while square < 6 {
        assert!((KING_BUCKET_OF[square / 2][square % 2] as usize) < KING_BUCKETS);
        square += 1;
    }
};
