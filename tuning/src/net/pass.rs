//! Forward and backward pass of the net, one position at a time.
//!
//! The first layer is sparse: of all features a position has at most 32 for
//! each perspective, so its hidden layer is a sum of as many rows and its
//! gradient is added to as many. The loops are over whole rows, and
//! `multiversion` compiles them for several instruction sets, of which the best
//! one is taken at run time; sums are taken in the same order by all, so that
//! all give the same numbers.

use hanxin::eval::nnue::architecture::{L1, L2, L3};
use multiversion::multiversion;

use super::model::{Head, Model, Row};
use super::packed::{Input, PackedPosition};

/// The training target: a blend of game result and search score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// Share of the game's result, 0 to 1; the rest is the score.
    pub lambda: f32,
    /// The score that stands for odds of e to 1, centipawns.
    pub score_scale: f32,
}

impl Target {
    /// The expected points, 0 to 1.
    #[inline]
    fn of(self, packed: &PackedPosition) -> f32 {
        let by_score = sigmoid(f32::from(packed.score()) / self.score_scale);
        self.lambda * packed.points() + (1.0 - self.lambda) * by_score
    }
}

#[inline]
fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// The output of the net, the logarithm of the odds of a point.
pub fn output(model: &Model, packed: &PackedPosition) -> f32 {
    let input = packed.input(false);
    Activations::forward(model, &input).output
}

/// The sum of squared errors over positions.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2+fma"))]
pub fn loss(model: &Model, positions: &[PackedPosition], target: Target) -> f64 {
    let error = |packed: &PackedPosition| {
        let input = packed.input(false);
        sigmoid(Activations::forward(model, &input).output) - target.of(packed)
    };
    positions.iter().map(|packed| f64::from(error(packed)).powi(2)).sum()
}

/// Adds the gradient of the sum of squared errors, and returns that sum. `order`
/// selects the positions: index times 2, plus 1 for the mirror image.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2+fma"))]
pub fn accumulate_gradient(
    model: &Model,
    positions: &[PackedPosition],
    order: &[u32],
    target: Target,
    gradient: &mut Model,
) -> f64 {
    // copied together, so that cache misses overlap
    const PREFETCH: usize = 128;
    let mut sum = 0.0;
    for numbers in order.chunks(PREFETCH) {
        let fetched: arrayvec::ArrayVec<_, PREFETCH> =
            numbers.iter().map(|number| (positions[(number >> 1) as usize], number & 1)).collect();
        for (packed, is_mirrored) in &fetched {
            let input = packed.input(*is_mirrored == 1);
            let activations = Activations::forward(model, &input);
            let points = sigmoid(activations.output);
            let error = points - target.of(packed);
            let slope = 2.0 * error * points * (1.0 - points);
            activations.backward(model, &input, slope, gradient);
            sum += f64::from(error).powi(2);
        }
    }
    sum
}

/// All neurons of the net for a position.
struct Activations {
    /// The hidden layers, that of the side to move first.
    hidden: [Row; 2],
    /// Products of neurons, those of the side to move first.
    products: Row,
    second: [f32; L2],
    /// What the second layer gives to the third: clipped, then squared.
    activated: [f32; 2 * L2],
    third: [f32; L3],
    output: f32,
}

/// Neurons of a perspective that are multiplied by others.
const HALF: usize = L1 / 2;

impl Activations {
    #[inline(always)]
    fn forward(model: &Model, input: &Input) -> Activations {
        let hidden = input.features.each_ref().map(|features| {
            let mut sum = model.biases;
            for &feature in features {
                add(&mut sum, &model.features[usize::from(feature)]);
            }
            sum
        });
        let mut products = Row::ZERO;
        for (products, hidden) in products.0.chunks_exact_mut(HALF).zip(&hidden) {
            let (first, second) = hidden.0.split_at(HALF);
            for ((product, &first), &second) in products.iter_mut().zip(first).zip(second) {
                *product = clipped(first) * clipped(second);
            }
        }
        let head = &model.heads[input.bucket];
        let (mut second, mut activated) = (head.l2_biases, [0.0; 2 * L2]);
        for neuron in 0..L2 {
            second[neuron] += dot(&products, &head.l2_weights[neuron]);
            activated[neuron] = clipped(second[neuron]);
            activated[neuron + L2] = second[neuron].clamp(-1.0, 1.0).powi(2);
        }
        let mut third = head.l3_biases;
        for (value, weights) in activated.iter().zip(&head.l3_weights) {
            for neuron in 0..L3 {
                third[neuron] += value * weights[neuron];
            }
        }
        let weighed = |(&sum, weight): (&f32, &f32)| clipped(sum).powi(2) * weight;
        let sum: f32 = third.iter().zip(&head.outputs).map(weighed).sum();
        let output = head.output_bias + sum;
        Activations { hidden, products, second, activated, third, output }
    }

    /// Adds the gradient; `slope` is the derivative of the error by the output.
    #[inline(always)]
    fn backward(&self, model: &Model, input: &Input, slope: f32, gradient: &mut Model) {
        let head = &model.heads[input.bucket];
        let by_head = &mut gradient.heads[input.bucket];
        let by_third = self.backward_output(head, slope, by_head);
        let by_second = self.backward_l3(head, &by_third, by_head);
        let by_products = self.backward_l2(head, &by_second, by_head);
        let sides = self.hidden.iter().zip(&input.features).zip(by_products.0.chunks_exact(HALF));
        for ((hidden, features), by_products) in sides {
            let mut by_hidden = Row::ZERO;
            for (i, by_product) in by_products.iter().enumerate() {
                let (first, second) = (hidden.0[i], hidden.0[i + HALF]);
                by_hidden.0[i] = by_product * clipped(second) * clipped_slope(first);
                by_hidden.0[i + HALF] = by_product * clipped(first) * clipped_slope(second);
            }
            add(&mut gradient.biases, &by_hidden);
            for &feature in features {
                add(&mut gradient.features[usize::from(feature)], &by_hidden);
            }
        }
    }

    /// Derivatives by the third layer before activation.
    #[inline(always)]
    fn backward_output(&self, head: &Head, slope: f32, gradient: &mut Head) -> [f32; L3] {
        gradient.output_bias += slope;
        let mut by_third = [0.0; L3];
        for (neuron, &sum) in self.third.iter().enumerate() {
            gradient.outputs[neuron] += slope * clipped(sum).powi(2);
            let slope_of_square = 2.0 * clipped(sum) * clipped_slope(sum);
            by_third[neuron] = slope * head.outputs[neuron] * slope_of_square;
            gradient.l3_biases[neuron] += by_third[neuron];
        }
        by_third
    }

    /// Derivatives by the second layer before activation.
    #[inline(always)]
    fn backward_l3(&self, head: &Head, by_third: &[f32; L3], gradient: &mut Head) -> [f32; L2] {
        let mut by_activated = [0.0; 2 * L2];
        for (input, &value) in self.activated.iter().enumerate() {
            let (weights, by_weights) = (&head.l3_weights[input], &mut gradient.l3_weights[input]);
            let mut lanes = [0.0; LANES];
            for (neuron, slope) in by_third.iter().enumerate() {
                by_weights[neuron] += slope * value;
                lanes[neuron % LANES] += slope * weights[neuron];
            }
            by_activated[input] = lanes.iter().sum();
        }
        let mut by_second = [0.0; L2];
        for (neuron, &sum) in self.second.iter().enumerate() {
            let squared = if sum.abs() < 1.0 { 2.0 * sum } else { 0.0 };
            by_second[neuron] =
                by_activated[neuron] * clipped_slope(sum) + by_activated[neuron + L2] * squared;
            gradient.l2_biases[neuron] += by_second[neuron];
        }
        by_second
    }

    /// Derivatives by the products.
    #[inline(always)]
    fn backward_l2(&self, head: &Head, by_second: &[f32; L2], gradient: &mut Head) -> Row {
        let mut by_products = Row::ZERO;
        for (neuron, slope) in by_second.iter().enumerate() {
            let (weights, by_weights) =
                (&head.l2_weights[neuron], &mut gradient.l2_weights[neuron]);
            for i in 0..L1 {
                by_weights.0[i] += slope * self.products.0[i];
                by_products.0[i] += slope * weights.0[i];
            }
        }
        by_products
    }
}

#[inline(always)]
fn clipped(sum: f32) -> f32 {
    sum.clamp(0.0, 1.0)
}

/// The derivative of [`clipped`].
#[inline(always)]
fn clipped_slope(sum: f32) -> f32 {
    if sum > 0.0 && sum < 1.0 { 1.0 } else { 0.0 }
}

#[inline(always)]
fn add(sum: &mut Row, row: &Row) {
    for (sum, number) in sum.0.iter_mut().zip(&row.0) {
        *sum += number;
    }
}

/// The lanes of a wide register, in which sums are taken.
const LANES: usize = 16;

#[inline(always)]
fn dot(values: &Row, weights: &Row) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (values, _) = values.0.as_chunks::<LANES>();
    let (weights, _) = weights.0.as_chunks::<LANES>();
    for (values, weights) in values.iter().zip(weights) {
        for i in 0..LANES {
            lanes[i] += values[i] * weights[i];
        }
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use hanxin::board::Position;

    use super::*;
    use crate::data::Label;
    use hanxin::util::seeded;
    use rand::RngExt;

    const TARGET: Target = Target { lambda: 0.4, score_scale: 300.0 };

    fn positions() -> Vec<PackedPosition> {
        let fens = [
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
            "3k5/9/4b4/p8/2p6/9/P8/9/4A4/R3K4 b",
            "2bak4/4a4/4b4/9/2n6/9/9/4C4/9/3K5 w",
        ];
        let label = |points, score| Label { points, score };
        let labels = [label(1.0, 40), label(0.5, -300), label(0.0, 100)];
        fens.into_iter()
            .zip(labels)
            .map(|(fen, label)| PackedPosition::new(&Position::from_fen(fen).unwrap(), label))
            .collect()
    }

    /// Numbers of the positions, the second one mirrored.
    const ORDER: [u32; 3] = [0, 3, 4];

    /// The loss as the definition says, in double precision.
    fn definition(model: &Model, packed: &PackedPosition, is_mirrored: bool) -> f64 {
        let input = packed.input(is_mirrored);
        let clipped = |sum: f64| sum.clamp(0.0, 1.0);
        let products = input.features.iter().flat_map(|features| {
            let neuron = |neuron: usize| {
                let weight = |&f: &u16| f64::from(model.features[usize::from(f)].0[neuron]);
                let sum: f64 = features.iter().map(weight).sum();
                clipped(sum + f64::from(model.biases.0[neuron]))
            };
            (0..HALF).map(|i| neuron(i) * neuron(i + HALF)).collect::<Vec<_>>()
        });
        let products: Vec<f64> = products.collect();
        let head = &model.heads[input.bucket];
        let second = (0..L2).map(|neuron| {
            let weights = head.l2_weights[neuron].0.iter().map(|&weight| f64::from(weight));
            let sum: f64 = weights.zip(&products).map(|(weight, product)| weight * product).sum();
            sum + f64::from(head.l2_biases[neuron])
        });
        let second: Vec<f64> = second.collect();
        let linear = second.iter().map(|&sum| clipped(sum));
        let squared = second.iter().map(|&sum| sum.clamp(-1.0, 1.0).powi(2));
        let inputs: Vec<f64> = linear.chain(squared).collect();
        let mut output = f64::from(head.output_bias);
        for neuron in 0..L3 {
            let weighed = |(weights, value): (&[f32; L3], &f64)| f64::from(weights[neuron]) * value;
            let sum: f64 = head.l3_weights.iter().zip(&inputs).map(weighed).sum();
            let sum = sum + f64::from(head.l3_biases[neuron]);
            output += clipped(sum).powi(2) * f64::from(head.outputs[neuron]);
        }
        let sigmoid = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        let by_score = sigmoid(f64::from(packed.score()) / f64::from(TARGET.score_scale));
        let lambda = f64::from(TARGET.lambda);
        let target = lambda * f64::from(packed.points()) + (1.0 - lambda) * by_score;
        (sigmoid(output) - target).powi(2)
    }

    fn total(model: &Model) -> f64 {
        let positions = positions();
        let error =
            |number: &u32| definition(model, &positions[(number >> 1) as usize], number & 1 == 1);
        ORDER.iter().map(error).sum()
    }

    #[test]
    fn the_loss_is_that_of_the_definition() {
        let model = Model::random(5);
        for packed in positions() {
            let expected = definition(&model, &packed, false);
            assert!((loss(&model, &[packed], TARGET) - expected).abs() < 1e-6);
            let points = f64::from(sigmoid(output(&model, &packed)));
            let error = points - f64::from(TARGET.of(&packed));
            assert!((error.powi(2) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let mut model = Model::random(5);
        let mut gradient = Model::zero();
        let sum = accumulate_gradient(&model, &positions(), &ORDER, TARGET, &mut gradient);
        assert!((sum - total(&model)).abs() < 1e-6);
        // some numbers of every part in use, and others
        let mut random = seeded(1, 0);
        let mut slopes = 0;
        let found: Vec<Vec<f32>> =
            gradient.slices().iter().map(|(_, slice)| slice.to_vec()).collect();
        for (number, found) in found.iter().enumerate() {
            if number % 50 != 0 && found.iter().all(|&slope| slope == 0.0) {
                continue;
            }
            let steepest =
                (0..found.len()).max_by(|&a, &b| found[a].abs().total_cmp(&found[b].abs()));
            let others = [(); 2].map(|()| random.random_range(0..found.len()));
            for place in steepest.into_iter().chain(others) {
                let mut loss_at = |by: f32| {
                    model.slices_mut()[number].1[place] += by;
                    let loss = total(&model);
                    model.slices_mut()[number].1[place] -= by;
                    loss
                };
                let step = 1.0 / 1024.0;
                let slope = (loss_at(step) - loss_at(-step)) / (2.0 * f64::from(step));
                let found = f64::from(found[place]);
                assert!(
                    (found - slope).abs() < 1e-4 * (1.0 + slope.abs()),
                    "part {number}, {place}: {found} {slope}"
                );
                slopes += usize::from(slope.abs() > 1e-5);
            }
        }
        assert!(slopes > 60, "{slopes}");
    }
}
