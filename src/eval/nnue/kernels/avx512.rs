//! AVX-512 with its F, BW and VL parts: vectors of 32 neurons.

use std::arch::x86_64::{
    __m512i, _mm256_add_epi32, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_extracti64x4_epi64,
    _mm512_loadu_si512, _mm512_madd_epi16, _mm512_max_epi16, _mm512_min_epi16, _mm512_mullo_epi16,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srli_epi16,
    _mm512_storeu_si512,
};

use super::super::architecture::{L1, L2, L3, PRODUCT_SHIFT, QA};
use super::super::network::{Accumulator, FeatureWeights, Head};
use super::algorithm::{CHAINS, ROWS, input_pairs, kernel};
use super::avx2;
use super::scalar;

pub(super) type I16s = __m512i;
pub(super) type I32s = __m512i;
pub(super) const I16_LANES: usize = 32;
pub(super) const I32_LANES: usize = 16;

kernel!("avx512f,avx512bw,avx512vl");

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn zero() -> I32s {
    _mm512_setzero_si512()
}

/// The vector at the start of some numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn load(numbers: &[i16]) -> I16s {
    let numbers = &numbers[..I16_LANES];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

/// Clips neurons and multiplies them with others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn product(first: I16s, second: I16s) -> [i16; I16_LANES] {
    let [first, second] = [first, second].map(|neurons| {
        let neurons = _mm512_max_epi16(neurons, _mm512_setzero_si512());
        _mm512_min_epi16(neurons, _mm512_set1_epi16(QA as i16))
    });
    let product = _mm512_srli_epi16::<PRODUCT_SHIFT>(_mm512_mullo_epi16(first, second));
    let mut numbers = [0; I16_LANES];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), product) }
    numbers
}

/// A pair of inputs as often as there is room.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn splat(pair: i32) -> I16s {
    _mm512_set1_epi32(pair)
}

/// Adds to each sum two inputs times two weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn multiply_add(sums: I32s, inputs: I16s, weights: I16s) -> I32s {
    _mm512_add_epi32(sums, _mm512_madd_epi16(inputs, weights))
}

/// Adds vectors to numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn add_to(numbers: &mut [i32; I32_LANES], vectors: [I32s; CHAINS]) {
    // SAFETY: `numbers` is as long as a vector
    let sum = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
    let sum = vectors.into_iter().fold(sum, |sum, vector| _mm512_add_epi32(sum, vector));
    // SAFETY: as above
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), sum) }
}

/// The sum of each vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn sums_of(vectors: [I32s; ROWS]) -> [i32; ROWS] {
    avx2::sums_of(vectors.map(|vector| {
        let high = _mm512_extracti64x4_epi64::<1>(vector);
        _mm256_add_epi32(_mm512_castsi512_si256(vector), high)
    }))
}
