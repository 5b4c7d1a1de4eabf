//! The functions of a vector kernel, written once in terms of its primitives.

use super::super::architecture::{HIDDEN, SECOND};

/// The products of activations that the second layer gets.
#[repr(C, align(64))]
pub struct Products(pub [i16; HIDDEN]);

/// How many pairs of inputs are weighted at a time.
pub const CHAINS: usize = 4;

/// The inputs of a layer in pairs as they lie in vectors of 16-bit numbers,
/// some pairs at a time.
#[inline(always)]
pub fn chained(inputs: &[i16]) -> impl Iterator<Item = [i32; CHAINS]> {
    let [first, second] = if cfg!(target_endian = "little") { [0, 16] } else { [16, 0] };
    let pair = move |two: [i16; 2]| {
        i32::from(two[0].cast_unsigned()) << first | i32::from(two[1].cast_unsigned()) << second
    };
    let (pairs, _) = inputs.as_chunks::<2>();
    pairs.as_chunks::<CHAINS>().0.iter().map(move |pairs| pairs.map(pair))
}

const _: () = assert!(SECOND.is_multiple_of(CHAINS) && (HIDDEN / 2).is_multiple_of(CHAINS));

/// Defines the functions of a kernel compiled for `$feature`. Beside this the
/// module has the types `Words` and `Longs`, vectors of 16-bit and 32-bit
/// numbers, how many there are in each, `WORDS` and `LONGS`, and the functions
/// that the instructions stand for.
macro_rules! kernel {
    ($feature:literal) => {
        #[target_feature(enable = $feature)]
        pub fn add_sub(
            from: &Accumulator,
            added: &FeatureWeights,
            removed: &FeatureWeights,
            to: &mut Accumulator,
        ) {
            scalar::add_sub(from, added, removed, to);
        }

        #[target_feature(enable = $feature)]
        pub fn add_sub_sub(
            from: &Accumulator,
            added: &FeatureWeights,
            removed: [&FeatureWeights; 2],
            to: &mut Accumulator,
        ) {
            scalar::add_sub_sub(from, added, removed, to);
        }

        #[target_feature(enable = $feature)]
        pub fn add_sub_all(
            accumulator: &mut Accumulator,
            added: &[&FeatureWeights],
            removed: &[&FeatureWeights],
        ) {
            scalar::add_sub_all(accumulator, added, removed);
        }

        #[target_feature(enable = $feature)]
        pub fn output(accumulators: [&Accumulator; 2], head: &Head) -> i64 {
            let products = products(accumulators);
            let second = affine(&products.0, &head.second, &head.second_biases);
            let third = affine(&scalar::activate(&second), &head.third, &head.third_biases);
            scalar::output_layer(&third, head)
        }

        /// Products of the neurons of a half with those of the other half.
        #[inline]
        #[target_feature(enable = $feature)]
        fn products(accumulators: [&Accumulator; 2]) -> Products {
            let mut products = Products([0; HIDDEN]);
            let (vectors, _) = products.0.as_chunks_mut::<WORDS>();
            let per_layer = HIDDEN / 2 / WORDS;
            for (number, vector) in vectors.iter_mut().enumerate() {
                let neurons = &accumulators[number / per_layer].0[number % per_layer * WORDS..];
                *vector = product(load(neurons), load(&neurons[HIDDEN / 2..]));
            }
            products
        }

        /// A layer: biases and sums of weighted inputs.
        #[inline]
        #[target_feature(enable = $feature)]
        fn affine<const NEURONS: usize, const WEIGHTS: usize>(
            inputs: &[i16],
            weights: &[[i16; WEIGHTS]],
            biases: &[i32; NEURONS],
        ) -> [i32; NEURONS] {
            let mut layer = *biases;
            for (number, sums) in layer.as_chunks_mut::<LONGS>().0.iter_mut().enumerate() {
                // independent sums, so that no addition waits for the one before
                let mut chains = [zero(); CHAINS];
                for (inputs, weights) in chained(inputs).zip(weights.as_chunks::<CHAINS>().0) {
                    for ((sum, pair), weights) in chains.iter_mut().zip(inputs).zip(weights) {
                        *sum = multiply_add(*sum, pair, load(&weights[WORDS * number..]));
                    }
                }
                add_to(sums, chains);
            }
            layer
        }
    };
}

pub(super) use kernel;
