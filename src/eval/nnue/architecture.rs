//! The sizes of the net. Everything else is written in terms of these.

use crate::board::{Piece, Square};

/// Features of one perspective: own and enemy pieces of 7 kinds on 90 squares.
pub const FEATURES: usize = Piece::COUNT * Square::COUNT;

/// Width of the hidden layer of one perspective.
pub const L1: usize = 512;

/// Neurons of the second layer; each gives two numbers to the third, one
/// clipped and one squared.
pub const L2: usize = 16;

/// Neurons of the third layer.
pub const L3: usize = 32;

/// How many heads there are, sets of everything after the hidden layer;
/// [`output_bucket`](super::features::output_bucket) chooses.
pub const OUTPUT_BUCKETS: usize = 8;

/// What stands for 1 in the hidden layer: feature weights and biases are in
/// these units, and activations are clipped there.
pub const QA: i32 = 255;

/// Products of two activations of the hidden layer are divided by two to this
/// power, so that they fit 16 bits with a sign.
pub const PRODUCT_SHIFT: u32 = 5;

/// Two to this power stands for 1 in the second layer.
pub const L2_BITS: u32 = 20;

/// Two to this power stands for 1 in what the second layer gives to the third,
/// and in the third after activation.
pub const ACTIVATION_BITS: u32 = 12;

/// Two to this power stands for 1 in the weights of the third layer and of the
/// output.
pub const WEIGHT_BITS: u32 = 10;

/// Feature biases lie between this and its negative, so that they and the
/// weights of all pieces of a game fit 16 bits.
pub const FEATURE_BIAS_MAX: i16 = i16::MAX - 32 * (i8::MIN as i16).abs();

/// Weights of the second layer lie between this and its negative, so that sums
/// fit 32 bits.
pub const L2_WEIGHT_MAX: i16 = 1023;

/// The same for the third layer.
pub const L3_WEIGHT_MAX: i16 = 8191;

/// Biases of the second and the third layer lie between this and its negative.
pub const BIAS_MAX: i32 = 1 << 29;

/// Output biases lie between this and its negative.
pub const OUTPUT_BIAS_MAX: i64 = 1 << 50;

/// Centipawns of an output of 1.
pub const SCALE: i32 = 400;

const _: () = {
    let second = L1 as i64 * ((QA * QA) >> PRODUCT_SHIFT) as i64 * L2_WEIGHT_MAX as i64;
    assert!(second + (BIAS_MAX as i64) < i32::MAX as i64);
    let third = (2 * L2 as i64 * L3_WEIGHT_MAX as i64) << ACTIVATION_BITS;
    assert!(third + (BIAS_MAX as i64) < i32::MAX as i64);
    let output = (L3 as i64 * -(i16::MIN as i64)) << (2 * ACTIVATION_BITS);
    assert!(output + OUTPUT_BIAS_MAX < i64::MAX / SCALE as i64);
};
