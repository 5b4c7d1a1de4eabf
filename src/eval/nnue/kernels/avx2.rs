//! AVX2: vectors of 16 neurons.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_srli_epi16, _mm256_storeu_si256,
};

use super::super::architecture::{HIDDEN, PRODUCT_SHIFT, QA};
use super::super::network::{Accumulator, FeatureWeights, Head};
use super::algorithm::{CHAINS, Products, chained, kernel};
use super::scalar;

type Words = __m256i;
type Longs = __m256i;
const WORDS: usize = 16;
const LONGS: usize = 8;

kernel!("avx2");

#[inline]
#[target_feature(enable = "avx2")]
fn zero() -> Longs {
    _mm256_setzero_si256()
}

/// The vector at the start of some numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &[i16]) -> Words {
    let numbers = &numbers[..WORDS];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

/// Clips neurons and multiplies them with others.
#[inline]
#[target_feature(enable = "avx2")]
fn product(first: Words, second: Words) -> [i16; WORDS] {
    let [first, second] = [first, second].map(|neurons| {
        let neurons = _mm256_max_epi16(neurons, _mm256_setzero_si256());
        _mm256_min_epi16(neurons, _mm256_set1_epi16(QA as i16))
    });
    let product = _mm256_srli_epi16::<{ PRODUCT_SHIFT as i32 }>(_mm256_mullo_epi16(first, second));
    let mut numbers = [0; WORDS];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), product) }
    numbers
}

/// Adds to each sum a pair of inputs times two weights.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_add(sums: Longs, pair: i32, weights: Words) -> Longs {
    _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_set1_epi32(pair), weights))
}

/// Adds vectors to numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn add_to(numbers: &mut [i32; LONGS], vectors: [Longs; CHAINS]) {
    // SAFETY: `numbers` is as long as a vector
    let sum = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) };
    let sum = vectors.into_iter().fold(sum, |sum, vector| _mm256_add_epi32(sum, vector));
    // SAFETY: as above
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), sum) }
}
