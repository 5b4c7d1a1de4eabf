//! The optimiser: Adam with weight decay apart from the gradient (AdamW,
//! Loshchilov and Hutter 2019).
//!
//! Every step updates all weights, also those of features that no position of
//! the batch had. That is Adam as its authors wrote it.

use hanxin::eval::nnue::architecture::{FEATURE_BIAS_MAX, L2_WEIGHT_MAX, L3_WEIGHT_MAX};
use multiversion::multiversion;
use rayon::prelude::*;

use super::model::{Model, Part};
use super::quantised::unit;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The running means of gradients and of their squares.
#[derive(Clone, PartialEq, Debug)]
pub struct Moments {
    /// Means.
    pub mean: Model,
    /// Means of squares.
    pub square: Model,
    /// How many steps they come from.
    pub steps: u32,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Its size.
    pub rate: f32,
    /// Weight decay of the first two layers towards the anchor, times the rate.
    pub decay: f32,
    /// Whether the hidden layer stays as it is.
    pub heads_only: bool,
}

/// The constants of one step.
#[derive(Clone, Copy)]
struct Step {
    /// Of the mean, corrected for its start from zero.
    rate: f32,
    /// The correction of the mean square.
    square_share: f32,
    /// How much of its distance from the anchor a weight loses.
    decay: f32,
    /// What the gradients are multiplied by.
    share: f32,
}

/// The largest absolute value of a weight, so that its quantised value and sums
/// of such values do not overflow.
fn limit(part: Part) -> f32 {
    let whole = match part {
        Part::Hidden => i8::MAX.into(),
        Part::HiddenBiases => FEATURE_BIAS_MAX,
        Part::Second => L2_WEIGHT_MAX,
        Part::Third => L3_WEIGHT_MAX,
        Part::Other => return f32::INFINITY,
    };
    unit(part).map_or(f32::INFINITY, |unit| f32::from(whole) / unit)
}

/// Whether weight decay acts on these: it holds back many weights that few
/// positions know, not biases and the small layers that all of them teach.
fn decays(part: Part) -> bool {
    matches!(part, Part::Hidden | Part::Second)
}

impl Moments {
    /// Before the first step.
    pub fn new() -> Moments {
        Moments { mean: Model::zero(), square: Model::zero(), steps: 0 }
    }

    /// Takes a step against the mean of the gradients, their sum times `share`.
    /// Leaves that sum in the first of them, as far as it counts. Weights decay
    /// towards those of `anchor`.
    pub fn step(
        &mut self,
        model: &mut Model,
        anchor: &Model,
        gradients: &mut [Model],
        share: f32,
        Pace { rate, decay, heads_only }: Pace,
    ) {
        self.steps += 1;
        let steps = self.steps as f32;
        let step = Step {
            rate: rate / (1.0 - BETA1.powf(steps)),
            square_share: 1.0 / (1.0 - BETA2.powf(steps)),
            decay: rate * decay,
            share,
        };
        let Some((gradient, others)) = gradients.split_first_mut() else { return };
        let others: Vec<_> = others.iter().map(Model::slices).collect();
        let moments = self.mean.slices_mut().into_par_iter().zip(self.square.slices_mut());
        let weights = model.slices_mut().into_par_iter().zip(anchor.slices());
        let all = weights.zip(gradient.slices_mut()).zip(moments).enumerate().with_min_len(32);
        all.for_each(|(number, (((weights, anchor), gradient), (means, squares)))| {
            if heads_only && matches!(gradient.0, Part::Hidden | Part::HiddenBiases) {
                return;
            }
            for other in &others {
                add(gradient.1, other[number].1);
            }
            let (part, weights) = weights;
            let step = if decays(part) { step } else { Step { decay: 0.0, ..step } };
            update(weights, anchor.1, means.1, squares.1, gradient.1, step, limit(part));
        });
    }
}

fn add(sums: &mut [f32], numbers: &[f32]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2+fma"))]
fn update(
    weights: &mut [f32],
    anchor: &[f32],
    means: &mut [f32],
    squares: &mut [f32],
    gradient: &[f32],
    step: Step,
    limit: f32,
) {
    let moments = means.iter_mut().zip(squares);
    let weights = weights.iter_mut().zip(anchor);
    for (((weight, anchor), slope), (mean, square)) in weights.zip(gradient).zip(moments) {
        let slope = slope * step.share;
        *mean = BETA1 * *mean + (1.0 - BETA1) * slope;
        *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
        let root = (*square * step.square_share).sqrt() + EPSILON;
        let fall = step.decay * (*weight - anchor) + step.rate * *mean / root;
        *weight = (*weight - fall).clamp(-limit, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { rate: 0.1, decay: 0.01, heads_only: false };

    fn step(moments: &mut Moments, model: &mut Model, slope: f32) {
        let mut gradient = Model::zero();
        gradient.features[0].0[0] = slope;
        moments.step(model, &Model::zero(), &mut [gradient.clone(), gradient], 0.5, PACE);
    }

    #[test]
    fn first_steps_are_those_of_the_definition() {
        let (mut moments, mut model) = (Moments::new(), Model::zero());
        model.features[0].0[0] = 0.4;
        // the first step has the length of the rate, whatever the slope
        step(&mut moments, &mut model, 0.25);
        let expected = 0.4 - 0.4 * 0.1 * 0.01 - 0.1;
        assert!((model.features[0].0[0] - expected).abs() < 1e-6);
        step(&mut moments, &mut model, -0.5);
        let mean: f64 = (0.9 * 0.1 * 0.25 - 0.1 * 0.5) / (1.0 - 0.81);
        let square: f64 = (0.999 * 0.001 * 0.0625 + 0.001 * 0.25) / (1.0 - 0.999 * 0.999);
        let expected = f64::from(expected) * 0.999 - 0.1 * mean / square.sqrt();
        assert!((f64::from(model.features[0].0[0]) - expected).abs() < 1e-5);
        assert_eq!(model.features[0].0[1], 0.0);
    }

    #[test]
    fn only_weights_of_the_first_two_layers_decay() {
        let full = |weight| {
            let mut model = Model::zero();
            model.slices_mut().into_iter().for_each(|(_, slice)| slice.fill(weight));
            model
        };
        let (mut moments, mut model, anchor) = (Moments::new(), full(0.25), full(0.125));
        moments.step(&mut model, &anchor, &mut [Model::zero()], 1.0, PACE);
        for (part, slice) in model.slices() {
            let lost = if matches!(part, Part::Hidden | Part::Second) { 0.000_125 } else { 0.0 };
            assert!(slice.iter().all(|weight| (weight - 0.25 + lost).abs() < 1e-7), "{part:?}");
        }
    }

    #[test]
    fn the_hidden_layer_can_stay_as_it_is() {
        let (mut moments, mut model) = (Moments::new(), Model::zero());
        let mut gradient = Model::zero();
        gradient.slices_mut().into_iter().for_each(|(_, slice)| slice.fill(-0.5));
        let pace = Pace { heads_only: true, ..PACE };
        moments.step(&mut model, &Model::zero(), &mut [gradient], 1.0, pace);
        for (part, slice) in model.slices() {
            let stays = matches!(part, Part::Hidden | Part::HiddenBiases);
            assert!(slice.iter().all(|&weight| (weight == 0.0) == stays), "{part:?}");
        }
    }

    #[test]
    fn weights_stay_in_their_range() {
        let (mut moments, mut model) = (Moments::new(), Model::zero());
        for _ in 0..100 {
            step(&mut moments, &mut model, -1.0);
        }
        assert_eq!(model.features[0].0[0], 127.0 / 255.0);
    }
}
