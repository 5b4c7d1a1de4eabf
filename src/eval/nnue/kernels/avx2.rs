//! AVX2: vectors of 16 neurons.

use std::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm256_add_epi32,
    _mm256_add_epi64, _mm256_castsi256_si128, _mm256_cvtepi32_epi64, _mm256_extracti128_si256,
    _mm256_load_si256, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16, _mm256_mullo_epi16,
    _mm256_set1_epi16, _mm256_setzero_si256,
};

use super::super::architecture::{HIDDEN, QA};
use super::super::network::Column;
use super::scalar;

const LANES: usize = 16;

#[target_feature(enable = "avx2")]
pub fn shift(from: &Column, added: &Column, removed: &Column, to: &mut Column) {
    scalar::shift(from, added, removed, to);
}

#[target_feature(enable = "avx2")]
pub fn shift_capturing(from: &Column, added: &Column, removed: [&Column; 2], to: &mut Column) {
    scalar::shift_capturing(from, added, removed, to);
}

#[target_feature(enable = "avx2")]
pub fn adjust(layer: &mut Column, added: &[&Column], removed: &[&Column]) {
    scalar::adjust(layer, added, removed);
}

#[target_feature(enable = "avx2")]
pub fn weighted_sum(layers: [&Column; 2], weights: &[Column; 2]) -> i64 {
    let mut sums = _mm256_setzero_si256();
    for (layer, weights) in layers.into_iter().zip(weights) {
        for vector in 0..HIDDEN / LANES {
            let clipped = _mm256_max_epi16(load(layer, vector), _mm256_setzero_si256());
            let clipped = _mm256_min_epi16(clipped, _mm256_set1_epi16(QA as i16));
            // fits 16 bits by the range of output weights
            let weighted = _mm256_mullo_epi16(clipped, load(weights, vector));
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(weighted, clipped));
        }
    }
    total(sums)
}

/// A vector of a column; there are `HIDDEN / LANES` of them.
#[inline]
#[target_feature(enable = "avx2")]
fn load(column: &Column, vector: usize) -> __m256i {
    let neurons = &column.0.as_chunks::<LANES>().0[vector];
    // SAFETY: `neurons` is as long as the vector, and as columns are aligned
    // to 64 bytes, it is aligned to its own length
    unsafe { _mm256_load_si256(neurons.as_ptr().cast()) }
}

/// The sum of eight 32-bit lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn total(sums: __m256i) -> i64 {
    let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sums));
    let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(sums));
    let four = _mm256_add_epi64(low, high);
    let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
    _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)))
}
