//! AVX2: vectors of 16 neurons.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_max_epi16, _mm256_min_epi16, _mm256_mullo_epi16, _mm256_permute2x128_si256,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_srli_epi16,
    _mm256_storeu_si256,
};

use super::super::architecture::{L1, L2, L3, PRODUCT_SHIFT, QA};
use super::super::network::{Accumulator, FeatureWeights, Head};
use super::algorithm::{CHAINS, ROWS, input_pairs, kernel};
use super::scalar;

type I16s = __m256i;
type I32s = __m256i;
const I16_LANES: usize = 16;
const I32_LANES: usize = 8;

kernel!("avx2");

#[inline]
#[target_feature(enable = "avx2")]
fn zero() -> I32s {
    _mm256_setzero_si256()
}

/// The vector at the start of some numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &[i16]) -> I16s {
    let numbers = &numbers[..I16_LANES];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

/// Clips neurons and multiplies them with others.
#[inline]
#[target_feature(enable = "avx2")]
fn product(first: I16s, second: I16s) -> [i16; I16_LANES] {
    let [first, second] = [first, second].map(|neurons| {
        let neurons = _mm256_max_epi16(neurons, _mm256_setzero_si256());
        _mm256_min_epi16(neurons, _mm256_set1_epi16(QA as i16))
    });
    let product = _mm256_srli_epi16::<{ PRODUCT_SHIFT as i32 }>(_mm256_mullo_epi16(first, second));
    let mut numbers = [0; I16_LANES];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), product) }
    numbers
}

/// A pair of inputs as often as there is room.
#[inline]
#[target_feature(enable = "avx2")]
fn splat(pair: i32) -> I16s {
    _mm256_set1_epi32(pair)
}

/// Adds to each sum two inputs times two weights.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_add(sums: I32s, inputs: I16s, weights: I16s) -> I32s {
    _mm256_add_epi32(sums, _mm256_madd_epi16(inputs, weights))
}

/// Adds vectors to numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn add_to(numbers: &mut [i32; I32_LANES], vectors: [I32s; CHAINS]) {
    // SAFETY: `numbers` is as long as a vector
    let sum = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) };
    let sum = vectors.into_iter().fold(sum, |sum, vector| _mm256_add_epi32(sum, vector));
    // SAFETY: as above
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), sum) }
}

/// The sum of each vector.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sums_of(vectors: [I32s; ROWS]) -> [i32; ROWS] {
    let [a, b, c, d, e, f, g, h] = vectors;
    // the halves of each vector apart, as these instructions do not cross them
    let first = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    let last = _mm256_hadd_epi32(_mm256_hadd_epi32(e, f), _mm256_hadd_epi32(g, h));
    let low = _mm256_permute2x128_si256::<0x20>(first, last);
    let high = _mm256_permute2x128_si256::<0x31>(first, last);
    let mut sums = [0; ROWS];
    // SAFETY: `sums` is as long as a vector
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), _mm256_add_epi32(low, high)) }
    sums
}
