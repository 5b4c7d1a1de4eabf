//! Plain Rust: the twin that the other kernels are checked against, and the
//! source of their updates.

use super::super::architecture::{HIDDEN, QA};
use super::super::network::Column;

#[inline(always)] // so that it is compiled with the caller's instructions
pub fn shift(from: &Column, added: &Column, removed: &Column, to: &mut Column) {
    for i in 0..HIDDEN {
        to.0[i] = from.0[i].wrapping_add(added.0[i]).wrapping_sub(removed.0[i]);
    }
}

#[inline(always)]
pub fn shift_capturing(from: &Column, added: &Column, removed: [&Column; 2], to: &mut Column) {
    let [moved, captured] = removed;
    for i in 0..HIDDEN {
        let sum = from.0[i].wrapping_add(added.0[i]);
        to.0[i] = sum.wrapping_sub(moved.0[i]).wrapping_sub(captured.0[i]);
    }
}

#[inline(always)]
pub fn adjust(layer: &mut Column, added: &[&Column], removed: &[&Column]) {
    let paired = added.len().min(removed.len());
    for (added, removed) in added.iter().zip(removed) {
        for i in 0..HIDDEN {
            layer.0[i] = layer.0[i].wrapping_add(added.0[i]).wrapping_sub(removed.0[i]);
        }
    }
    for added in &added[paired..] {
        for i in 0..HIDDEN {
            layer.0[i] = layer.0[i].wrapping_add(added.0[i]);
        }
    }
    for removed in &removed[paired..] {
        for i in 0..HIDDEN {
            layer.0[i] = layer.0[i].wrapping_sub(removed.0[i]);
        }
    }
}

pub fn weighted_sum(layers: [&Column; 2], weights: &[Column; 2]) -> i64 {
    let product = |(&neuron, &weight): (&i16, &i16)| {
        let clipped = i32::from(neuron).clamp(0, QA);
        i64::from(clipped * clipped * i32::from(weight))
    };
    let of_one = |(layer, weights): (&Column, &Column)| {
        layer.0.iter().zip(&weights.0).map(product).sum::<i64>()
    };
    layers.into_iter().zip(weights).map(of_one).sum()
}
