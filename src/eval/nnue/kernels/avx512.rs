//! AVX-512 with its F, BW and VL parts: vectors of 32 neurons.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_max_epi16,
    _mm512_min_epi16, _mm512_mullo_epi16, _mm512_set1_epi16, _mm512_set1_epi32,
    _mm512_setzero_si512, _mm512_srli_epi16, _mm512_storeu_si512,
};

use super::super::architecture::{HIDDEN, PRODUCT_SHIFT, QA};
use super::super::network::{Accumulator, FeatureWeights, Head};
use super::algorithm::{CHAINS, Products, chained, kernel};
use super::scalar;

type Words = __m512i;
type Longs = __m512i;
const WORDS: usize = 32;
const LONGS: usize = 16;

kernel!("avx512f,avx512bw,avx512vl");

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn zero() -> Longs {
    _mm512_setzero_si512()
}

/// The vector at the start of some numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn load(numbers: &[i16]) -> Words {
    let numbers = &numbers[..WORDS];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

/// Clips neurons and multiplies them with others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn product(first: Words, second: Words) -> [i16; WORDS] {
    let [first, second] = [first, second].map(|neurons| {
        let neurons = _mm512_max_epi16(neurons, _mm512_setzero_si512());
        _mm512_min_epi16(neurons, _mm512_set1_epi16(QA as i16))
    });
    let product = _mm512_srli_epi16::<PRODUCT_SHIFT>(_mm512_mullo_epi16(first, second));
    let mut numbers = [0; WORDS];
    // SAFETY: `numbers` is as long as the vector
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), product) }
    numbers
}

/// Adds to each sum a pair of inputs times two weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn multiply_add(sums: Longs, pair: i32, weights: Words) -> Longs {
    _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_set1_epi32(pair), weights))
}

/// Adds vectors to numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn add_to(numbers: &mut [i32; LONGS], vectors: [Longs; CHAINS]) {
    // SAFETY: `numbers` is as long as a vector
    let sum = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
    let sum = vectors.into_iter().fold(sum, |sum, vector| _mm512_add_epi32(sum, vector));
    // SAFETY: as above
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), sum) }
}
