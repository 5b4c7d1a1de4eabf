//! Plain Rust: the twin that the other kernels are checked against, and the
//! source of what compilers turn into vector instructions by themselves.

use super::super::architecture::{
    ACTIVATION_BITS, L1, L2, L2_BITS, L3, PRODUCT_SHIFT, QA, WEIGHT_BITS,
};
use super::super::network::{Accumulator, FeatureWeights, Head};

#[inline(always)] // so that it is compiled with the caller's instructions
pub fn add_sub(
    from: &Accumulator,
    added: &FeatureWeights,
    removed: &FeatureWeights,
    to: &mut Accumulator,
) {
    for i in 0..L1 {
        to.0[i] = from.0[i].wrapping_add(difference(added, removed, i));
    }
}

#[inline(always)]
pub fn add_sub_sub(
    from: &Accumulator,
    added: &FeatureWeights,
    removed: [&FeatureWeights; 2],
    to: &mut Accumulator,
) {
    let [moved, captured] = removed;
    for i in 0..L1 {
        let change = difference(added, moved, i) - i16::from(captured.0[i]);
        to.0[i] = from.0[i].wrapping_add(change);
    }
}

#[inline(always)]
pub fn add_sub_all(
    accumulator: &mut Accumulator,
    added: &[&FeatureWeights],
    removed: &[&FeatureWeights],
) {
    let paired = added.len().min(removed.len());
    for (added, removed) in added.iter().zip(removed) {
        for i in 0..L1 {
            accumulator.0[i] = accumulator.0[i].wrapping_add(difference(added, removed, i));
        }
    }
    for added in &added[paired..] {
        for i in 0..L1 {
            accumulator.0[i] = accumulator.0[i].wrapping_add(added.0[i].into());
        }
    }
    for removed in &removed[paired..] {
        for i in 0..L1 {
            accumulator.0[i] = accumulator.0[i].wrapping_sub(removed.0[i].into());
        }
    }
}

/// What a neuron gains by one feature and loses by another.
#[inline(always)]
fn difference(added: &FeatureWeights, removed: &FeatureWeights, neuron: usize) -> i16 {
    i16::from(added.0[neuron]) - i16::from(removed.0[neuron])
}

pub fn output(accumulators: [&Accumulator; 2], head: &Head) -> i64 {
    let clipped = |neuron: i16| i32::from(neuron).clamp(0, QA);
    let product = |accumulator: &Accumulator, i: usize| {
        (clipped(accumulator.0[i]) * clipped(accumulator.0[i + L1 / 2])) >> PRODUCT_SHIFT
    };
    let mut second = head.l2_biases;
    for input in 0..L1 {
        let value = product(accumulators[input / (L1 / 2)], input % (L1 / 2));
        for (neuron, sum) in second.iter_mut().enumerate() {
            *sum += value * i32::from(head.l2_weights[neuron][input]);
        }
    }
    let mut third = head.l3_biases;
    for (input, value) in activate(&second).into_iter().enumerate() {
        for (neuron, sum) in third.iter_mut().enumerate() {
            *sum += i32::from(value) * i32::from(head.l3_weight(input, neuron));
        }
    }
    output_layer(&third, head)
}

/// What the second layer gives to the third: all neurons clipped to 0..=1,
/// then all clipped to -1..=1 and squared.
#[inline(always)]
pub fn activate(second: &[i32; L2]) -> [i16; 2 * L2] {
    const ONE: i32 = 1 << L2_BITS;
    /// Squares fit 32 bits after this shift.
    const COARSER: u32 = 6;
    let mut values = [0; 2 * L2];
    for (i, &sum) in second.iter().enumerate() {
        values[i] = (sum.clamp(0, ONE) >> (L2_BITS - ACTIVATION_BITS)) as i16;
        let clipped = sum.clamp(-ONE, ONE) >> COARSER;
        let square = (clipped * clipped) >> (2 * (L2_BITS - COARSER) - ACTIVATION_BITS);
        values[i + L2] = square as i16;
    }
    values
}

/// The weighted sum of the third layer, clipped to 0..=1 and squared.
#[inline(always)]
pub fn output_layer(third: &[i32; L3], head: &Head) -> i64 {
    let mut output = head.output_bias;
    for (&sum, &weight) in third.iter().zip(&head.outputs) {
        let clipped = (sum >> WEIGHT_BITS).clamp(0, 1 << ACTIVATION_BITS);
        output += i64::from(clipped * clipped) * i64::from(weight);
    }
    output
}
