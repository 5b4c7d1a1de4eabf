//! The functions of a vector kernel, written once in terms of its primitives.

use super::super::architecture::{L2, L3};

/// Neurons of the second layer that are summed at a time, each in a vector of
/// its own: so many sums do not wait for each other, and each input is loaded
/// once for all of them.
pub const ROWS: usize = 8;

/// How many pairs of inputs of the third layer are weighted at a time.
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

const _: () =
    assert!(L2.is_multiple_of(ROWS) && L2.is_multiple_of(CHAINS) && L3.is_multiple_of(16));

/// Defines the functions of a kernel compiled for `$feature`. Beside this the
/// module has the types `I16s` and `I32s`, vectors of 16-bit and 32-bit
/// numbers, how many there are in each, `I16_LANES` and `I32_LANES`, and the functions
/// that the instructions stand for.
macro_rules! kernel {
    ($feature:literal) => {
        /// The products of activations that the second layer gets.
        #[repr(C, align(64))]
        struct Products([[i16; I16_LANES]; L1 / I16_LANES]);

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
            let second = second_layer(&products, head);
            let third = third_layer(&scalar::activate(&second), head);
            scalar::output_layer(&third, head)
        }

        /// Products of the neurons of a half with those of the other half.
        #[inline]
        #[target_feature(enable = $feature)]
        fn products(accumulators: [&Accumulator; 2]) -> Products {
            let per_layer = L1 / 2 / I16_LANES;
            Products(std::array::from_fn(|number| {
                let neurons = &accumulators[number / per_layer].0[number % per_layer * I16_LANES..];
                product(load(neurons), load(&neurons[L1 / 2..]))
            }))
        }

        /// Biases and sums of weighted inputs, some neurons at a time.
        #[inline]
        #[target_feature(enable = $feature)]
        fn second_layer(products: &Products, head: &Head) -> [i32; L2] {
            let mut layer = head.l2_biases;
            let (blocks, _) = head.l2_weights.as_chunks::<ROWS>();
            for (sums, rows) in layer.as_chunks_mut::<ROWS>().0.iter_mut().zip(blocks) {
                let mut vectors = [zero(); ROWS];
                for (at, inputs) in (0..L1).step_by(I16_LANES).zip(&products.0) {
                    let inputs = load(inputs);
                    for (vector, row) in vectors.iter_mut().zip(rows) {
                        *vector = multiply_add(*vector, inputs, load(&row[at..]));
                    }
                }
                for (sum, vector) in sums.iter_mut().zip(sums_of(vectors)) {
                    *sum += vector;
                }
            }
            layer
        }

        /// Biases and sums of weighted inputs, two inputs for many neurons at a
        /// time.
        #[inline]
        #[target_feature(enable = $feature)]
        fn third_layer(inputs: &[i16; 2 * L2], head: &Head) -> [i32; L3] {
            let mut layer = head.l3_biases;
            for (number, sums) in layer.as_chunks_mut::<I32_LANES>().0.iter_mut().enumerate() {
                // independent sums, so that no addition waits for the one before
                let mut chains = [zero(); CHAINS];
                let weights = head.l3_weights.as_chunks::<CHAINS>().0;
                for (inputs, weights) in input_pairs(inputs).zip(weights) {
                    for ((sum, pair), weights) in chains.iter_mut().zip(inputs).zip(weights) {
                        let weights = load(&weights[I16_LANES * number..]);
                        *sum = multiply_add(*sum, splat(pair), weights);
                    }
                }
                add_to(sums, chains);
            }
            layer
        }
    };
}

pub(super) use kernel;
