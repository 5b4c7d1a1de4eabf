//! AVX-512 as in `avx512`, with its part for neural nets too, which multiplies
//! and adds in one instruction.

use std::arch::x86_64::_mm512_dpwssd_epi32;

use super::super::architecture::{L1, L2, L3};
use super::super::network::{Accumulator, FeatureWeights, Head};
use super::algorithm::{CHAINS, ROWS, input_pairs, kernel};
use super::avx512::{
    I16_LANES, I16s, I32_LANES, I32s, add_to, load, product, splat, sums_of, zero,
};
use super::scalar;

kernel!("avx512f,avx512bw,avx512vl,avx512vnni");

/// Adds to each sum two inputs times two weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn multiply_add(sums: I32s, inputs: I16s, weights: I16s) -> I32s {
    _mm512_dpwssd_epi32(sums, inputs, weights)
}
