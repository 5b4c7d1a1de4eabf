//! AVX-512 with its F, BW and VL parts: vectors of 32 neurons.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_add_epi64, _mm512_castsi512_si256, _mm512_cvtepi32_epi64,
    _mm512_extracti64x4_epi64, _mm512_load_si512, _mm512_madd_epi16, _mm512_max_epi16,
    _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi64, _mm512_set1_epi16,
    _mm512_setzero_si512,
};

use super::super::architecture::{HIDDEN, QA};
use super::super::network::Column;
use super::scalar;

const LANES: usize = 32;

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn shift(from: &Column, added: &Column, removed: &Column, to: &mut Column) {
    scalar::shift(from, added, removed, to);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn shift_capturing(from: &Column, added: &Column, removed: [&Column; 2], to: &mut Column) {
    scalar::shift_capturing(from, added, removed, to);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn adjust(layer: &mut Column, added: &[&Column], removed: &[&Column]) {
    scalar::adjust(layer, added, removed);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn weighted_sum(layers: [&Column; 2], weights: &[Column; 2]) -> i64 {
    let mut sums = _mm512_setzero_si512();
    for (layer, weights) in layers.into_iter().zip(weights) {
        for vector in 0..HIDDEN / LANES {
            let clipped = _mm512_max_epi16(load(layer, vector), _mm512_setzero_si512());
            let clipped = _mm512_min_epi16(clipped, _mm512_set1_epi16(QA as i16));
            // fits 16 bits by the range of output weights
            let weighted = _mm512_mullo_epi16(clipped, load(weights, vector));
            sums = _mm512_add_epi32(sums, _mm512_madd_epi16(weighted, clipped));
        }
    }
    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums));
    let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sums));
    _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
}

/// A vector of a column; there are `HIDDEN / LANES` of them.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(column: &Column, vector: usize) -> __m512i {
    let neurons = &column.0.as_chunks::<LANES>().0[vector];
    // SAFETY: `neurons` is as long as the vector, and as columns are aligned
    // to 64 bytes, it is aligned to its own length
    unsafe { _mm512_load_si512(neurons.as_ptr().cast()) }
}
