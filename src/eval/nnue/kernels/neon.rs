//! NEON: vectors of 8 neurons.

use std::arch::aarch64::{
    int16x8_t, int32x4_t, vaddq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1q_s16, vld1q_s32,
    vmaxq_s16, vminq_s16, vmull_high_s16, vmull_s16, vmulq_u16, vpaddq_s32, vreinterpretq_s16_s32,
    vreinterpretq_s16_u16, vreinterpretq_u16_s16, vshrq_n_u16, vst1q_s16, vst1q_s32,
};

use super::super::architecture::{L1, L2, L3, PRODUCT_SHIFT, QA};
use super::super::network::{Accumulator, FeatureWeights, Head};
use super::algorithm::{CHAINS, ROWS, input_pairs, kernel};
use super::scalar;

type I16s = int16x8_t;
type I32s = int32x4_t;
const I16_LANES: usize = 8;
const I32_LANES: usize = 4;

kernel!("neon");

#[inline]
#[target_feature(enable = "neon")]
fn zero() -> I32s {
    vdupq_n_s32(0)
}

/// The vector at the start of some numbers.
#[inline]
#[target_feature(enable = "neon")]
fn load(numbers: &[i16]) -> I16s {
    let numbers = &numbers[..I16_LANES];
    // SAFETY: `numbers` is as long as the vector
    unsafe { vld1q_s16(numbers.as_ptr()) }
}

/// Clips neurons and multiplies them with others.
#[inline]
#[target_feature(enable = "neon")]
fn product(first: I16s, second: I16s) -> [i16; I16_LANES] {
    let [first, second] = [first, second].map(|neurons| {
        let neurons = vmaxq_s16(neurons, vdupq_n_s16(0));
        vreinterpretq_u16_s16(vminq_s16(neurons, vdupq_n_s16(QA as i16)))
    });
    let product = vshrq_n_u16::<{ PRODUCT_SHIFT as i32 }>(vmulq_u16(first, second));
    let mut numbers = [0; I16_LANES];
    // SAFETY: `numbers` is as long as the vector
    unsafe { vst1q_s16(numbers.as_mut_ptr(), vreinterpretq_s16_u16(product)) }
    numbers
}

/// A pair of inputs as often as there is room.
#[inline]
#[target_feature(enable = "neon")]
fn splat(pair: i32) -> I16s {
    vreinterpretq_s16_s32(vdupq_n_s32(pair))
}

/// Adds to each sum two inputs times two weights.
#[inline]
#[target_feature(enable = "neon")]
fn multiply_add(sums: I32s, inputs: I16s, weights: I16s) -> I32s {
    let low = vmull_s16(vget_low_s16(inputs), vget_low_s16(weights));
    let high = vmull_high_s16(inputs, weights);
    vaddq_s32(sums, vpaddq_s32(low, high))
}

/// Adds vectors to numbers.
#[inline]
#[target_feature(enable = "neon")]
fn add_to(numbers: &mut [i32; I32_LANES], vectors: [I32s; CHAINS]) {
    // SAFETY: `numbers` is as long as a vector
    let sum = unsafe { vld1q_s32(numbers.as_ptr()) };
    let sum = vectors.into_iter().fold(sum, |sum, vector| vaddq_s32(sum, vector));
    // SAFETY: as above
    unsafe { vst1q_s32(numbers.as_mut_ptr(), sum) }
}

/// The sum of each vector.
#[inline]
#[target_feature(enable = "neon")]
fn sums_of(vectors: [I32s; ROWS]) -> [i32; ROWS] {
    let [a, b, c, d, e, f, g, h] = vectors;
    let first = vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d));
    let last = vpaddq_s32(vpaddq_s32(e, f), vpaddq_s32(g, h));
    let mut sums = [0; ROWS];
    // SAFETY: `sums` is as long as two vectors
    unsafe {
        vst1q_s32(sums.as_mut_ptr(), first);
        vst1q_s32(sums.as_mut_ptr().add(I32_LANES), last);
    }
    sums
}
