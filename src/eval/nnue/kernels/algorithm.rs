//! The functions of a vector kernel, written once in terms of its primitives.

use super::super::architecture::{L1, L2};

/// The products of activations that the second layer gets.
#[repr(C, align(64))]
pub struct Products(pub [i16; L1]);

/// How many pairs of inputs are weighted at a time.
pub const CHAINS: usize = 4;

/// The inputs of a layer in pairs as they lie in vectors of 16-bit numbers,
/// some pairs at a time.
#[inline(always)]
pub fn input_pairs(inputs: &[i16]) -> impl Iterator<Item = [i32; CHAINS]> {
    let [first, second] = if cfg!(target_endian = "little") { [0, 16] } else { [16, 0] };
    let pair = move |two: [i16; 2]| {
        i32::from(two[0].cast_unsigned()) << first | i32::from(two[1].cast_unsigned()) << second
    };
    let (pairs, _) = inputs.as_chunks::<2>();
    pairs.as_chunks::<CHAINS>().0.iter().map(move |pairs| pairs.map(pair))
}

const _: () = assert!(L2.is_multiple_of(CHAINS) && (L1 / 2).is_multiple_of(CHAINS));

/// Defines the functions of a kernel compiled for `$feature`. Beside this the
/// module has the types `I16s` and `I32s`, vectors of 16-bit and 32-bit
/// numbers, how many there are in each, `I16_LANES` and `I32_LANES`, and the functions
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
            let second = affine(&products.0, &head.l2_weights, &head.l2_biases);
            let third = affine(&scalar::activate(&second), &head.l3_weights, &head.l3_biases);
            scalar::output_layer(&third, head)
        }

        /// Products of the neurons of a half with those of the other half.
        #[inline]
        #[target_feature(enable = $feature)]
        fn products(accumulators: [&Accumulator; 2]) -> Products {
            let mut products = Products([0; L1]);
            let (vectors, _) = products.0.as_chunks_mut::<I16_LANES>();
            let per_layer = L1 / 2 / I16_LANES;
            for (number, vector) in vectors.iter_mut().enumerate() {
                let neurons = &accumulators[number / per_layer].0[number % per_layer * I16_LANES..];
                *vector = product(load(neurons), load(&neurons[L1 / 2..]));
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
            for (number, sums) in layer.as_chunks_mut::<I32_LANES>().0.iter_mut().enumerate() {
                // independent sums, so that no addition waits for the one before
                let mut chains = [zero(); CHAINS];
                for (inputs, weights) in input_pairs(inputs).zip(weights.as_chunks::<CHAINS>().0) {
                    for ((sum, pair), weights) in chains.iter_mut().zip(inputs).zip(weights) {
                        *sum = multiply_add(*sum, pair, load(&weights[I16_LANES * number..]));
                    }
                }
                add_to(sums, chains);
            }
            layer
        }
    };
}

pub(super) use kernel;
