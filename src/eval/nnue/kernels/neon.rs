//! NEON: vectors of 8 neurons.

use std::arch::aarch64::{
    int16x8_t, vaddlvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1q_s16, vmaxq_s16,
    vminq_s16, vmlal_high_s16, vmlal_s16, vmulq_s16,
};

use super::super::architecture::{HIDDEN, QA};
use super::super::network::Column;
use super::scalar;

const LANES: usize = 8;

#[target_feature(enable = "neon")]
pub fn shift(from: &Column, added: &Column, removed: &Column, to: &mut Column) {
    scalar::shift(from, added, removed, to);
}

#[target_feature(enable = "neon")]
pub fn shift_capturing(from: &Column, added: &Column, removed: [&Column; 2], to: &mut Column) {
    scalar::shift_capturing(from, added, removed, to);
}

#[target_feature(enable = "neon")]
pub fn adjust(layer: &mut Column, added: &[&Column], removed: &[&Column]) {
    scalar::adjust(layer, added, removed);
}

#[target_feature(enable = "neon")]
pub fn weighted_sum(layers: [&Column; 2], weights: &[Column; 2]) -> i64 {
    let mut sums = vdupq_n_s32(0);
    for (layer, weights) in layers.into_iter().zip(weights) {
        for vector in 0..HIDDEN / LANES {
            let clipped = vmaxq_s16(load(layer, vector), vdupq_n_s16(0));
            let clipped = vminq_s16(clipped, vdupq_n_s16(QA as i16));
            // fits 16 bits by the range of output weights
            let weighted = vmulq_s16(clipped, load(weights, vector));
            sums = vmlal_s16(sums, vget_low_s16(weighted), vget_low_s16(clipped));
            sums = vmlal_high_s16(sums, weighted, clipped);
        }
    }
    vaddlvq_s32(sums)
}

/// A vector of a column; there are `HIDDEN / LANES` of them.
#[inline]
#[target_feature(enable = "neon")]
fn load(column: &Column, vector: usize) -> int16x8_t {
    let neurons = &column.0.as_chunks::<LANES>().0[vector];
    // SAFETY: `neurons` is as long as the vector
    unsafe { vld1q_s16(neurons.as_ptr()) }
}
