//! Forwards and backwards through the net, one position at a time.
//!
//! The first layer is sparse: of all features a position has at most 32 for
//! each perspective, so its hidden layer is a sum of as many rows and its
//! gradient is added to as many. The loops are over whole rows, and
//! `multiversion` compiles them for several instruction sets, of which the best
//! one is taken at run time; sums are taken in the same order by all, so that
//! all give the same numbers.

use hanxin::eval::nnue::architecture::HIDDEN;
use multiversion::multiversion;

use super::model::{Model, Row};
use super::packed::{Input, Packed};

/// What the output should foretell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// How much of it is the result of the game; the rest is the score.
    pub lambda: f32,
    /// The score that stands for odds of e to 1, centipawns.
    pub score_scale: f32,
}

impl Target {
    /// The points that the net should expect.
    #[inline]
    fn of(self, packed: &Packed) -> f32 {
        let by_score = sigmoid(f32::from(packed.score()) / self.score_scale);
        self.lambda * packed.points() + (1.0 - self.lambda) * by_score
    }
}

#[inline]
fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// The output of the net, the logarithm of the odds of a point.
pub fn output(model: &Model, packed: &Packed) -> f32 {
    let input = packed.input(false);
    activate(model, &input).output(model, input.bucket)
}

/// The sum of squared errors over positions.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2+fma"))]
pub fn loss(model: &Model, positions: &[Packed], target: Target) -> f64 {
    let error = |packed: &Packed| {
        let input = packed.input(false);
        let hidden = activate(model, &input);
        sigmoid(hidden.output(model, input.bucket)) - target.of(packed)
    };
    positions.iter().map(|packed| f64::from(error(packed)).powi(2)).sum()
}

/// Adds the gradient of the sum of squared errors, and gives that sum. Of the
/// positions those of `order` are taken: number times 2, plus 1 for the mirror
/// image.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2+fma"))]
pub fn learn(
    model: &Model,
    positions: &[Packed],
    order: &[u32],
    target: Target,
    gradient: &mut Model,
) -> f64 {
    // fetched together, the positions are waited for only once
    const TOGETHER: usize = 128;
    let mut sum = 0.0;
    for numbers in order.chunks(TOGETHER) {
        let fetched: arrayvec::ArrayVec<_, TOGETHER> =
            numbers.iter().map(|number| (positions[(number >> 1) as usize], number & 1)).collect();
        for (packed, is_mirrored) in &fetched {
            let input = packed.input(*is_mirrored == 1);
            let hidden = activate(model, &input);
            let points = sigmoid(hidden.output(model, input.bucket));
            let error = points - target.of(packed);
            let slope = 2.0 * error * points * (1.0 - points);
            hidden.descend(model, &input, slope, gradient);
            sum += f64::from(error).powi(2);
        }
    }
    sum
}

/// The hidden layers of both perspectives, that of the side to move first.
struct Hidden {
    /// Sums of feature weights.
    sums: [Row; 2],
}

#[inline(always)]
fn activate(model: &Model, input: &Input) -> Hidden {
    let sums = input.features.each_ref().map(|features| {
        let mut sum = *model.biases();
        for &feature in features {
            add(&mut sum, &model.features()[usize::from(feature)]);
        }
        sum
    });
    Hidden { sums }
}

#[inline(always)]
fn add(sum: &mut Row, row: &Row) {
    for (sum, number) in sum.0.iter_mut().zip(&row.0) {
        *sum += number;
    }
}

impl Hidden {
    #[inline(always)]
    fn output(&self, model: &Model, bucket: usize) -> f32 {
        let [own, other] = model.outputs(bucket);
        model.output_bias(bucket) + dot(&self.sums[0], own) + dot(&self.sums[1], other)
    }

    /// Adds the gradient, `slope` being that of the error by the output.
    #[inline(always)]
    fn descend(&self, model: &Model, input: &Input, slope: f32, gradient: &mut Model) {
        *gradient.output_bias_mut(input.bucket) += slope;
        let sides = self.sums.iter().zip(model.outputs(input.bucket));
        for (side, (sums, weights)) in sides.enumerate() {
            let by_weights = gradient.output_mut(input.bucket, side);
            let mut by_sums = Row::ZERO;
            for i in 0..HIDDEN {
                let sum = sums.0[i];
                let clipped = sum.clamp(0.0, 1.0);
                by_weights.0[i] += slope * clipped * clipped;
                let steepness = if sum < 1.0 { 2.0 * clipped } else { 0.0 };
                by_sums.0[i] = slope * weights.0[i] * steepness;
            }
            add(gradient.biases_mut(), &by_sums);
            for &feature in &input.features[side] {
                add(&mut gradient.features_mut()[usize::from(feature)], &by_sums);
            }
        }
    }
}

/// The sum of squared clipped activations times weights, in the lanes of a
/// wide register.
#[inline(always)]
fn dot(sums: &Row, weights: &Row) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0.0f32; LANES];
    let (sums, _) = sums.0.as_chunks::<LANES>();
    let (weights, _) = weights.0.as_chunks::<LANES>();
    for (sums, weights) in sums.iter().zip(weights) {
        for i in 0..LANES {
            let clipped = sums[i].clamp(0.0, 1.0);
            lanes[i] += clipped * clipped * weights[i];
        }
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use hanxin::board::Position;
    use hanxin::eval::nnue::architecture::OUTPUT_BUCKETS;

    use super::*;
    use crate::data::Label;
    use crate::random::Random;

    const TARGET: Target = Target { lambda: 0.4, score_scale: 300.0 };

    fn positions() -> Vec<Packed> {
        let fens = [
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
            "3k5/9/4b4/p8/2p6/9/P8/9/4A4/R3K4 b",
            "2bak4/4a4/4b4/9/2n6/9/9/4C4/9/3K5 w",
        ];
        let label = |points, score| Label { points, score };
        let labels = [label(1.0, 40), label(0.5, -300), label(0.0, 100)];
        fens.into_iter()
            .zip(labels)
            .map(|(fen, label)| Packed::new(&Position::from_fen(fen).unwrap(), label))
            .collect()
    }

    /// Numbers of the positions, the second one mirrored.
    const ORDER: [u32; 3] = [0, 3, 4];

    /// The loss as the definition says, in double precision.
    fn definition(model: &Model, packed: &Packed, is_mirrored: bool) -> f64 {
        let input = packed.input(is_mirrored);
        let outputs = model.outputs(input.bucket);
        let mut output = f64::from(model.output_bias(input.bucket));
        for (features, outputs) in input.features.iter().zip(outputs) {
            for neuron in 0..HIDDEN {
                let weight = |&f: &u16| f64::from(model.features()[usize::from(f)].0[neuron]);
                let sum: f64 = features.iter().map(weight).sum();
                let clipped = (sum + f64::from(model.biases().0[neuron])).clamp(0.0, 1.0);
                output += clipped.powi(2) * f64::from(outputs.0[neuron]);
            }
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
        let sum = learn(&model, &positions(), &ORDER, TARGET, &mut gradient);
        assert!((sum - total(&model)).abs() < 1e-6);
        // some neurons of every row in use, and others
        let mut random = Random::new(1, 0);
        let mut slopes = 0;
        for row in 0..model.rows().len() {
            let in_use = gradient.rows()[row] != Row::ZERO;
            if !in_use && row % 50 != 0 {
                continue;
            }
            // the row of output biases has few numbers
            let last_row = row + 1 == model.rows().len();
            let neuron = random.below(if last_row { OUTPUT_BUCKETS } else { HIDDEN });
            let found = f64::from(gradient.rows()[row].0[neuron]);
            let before = model.rows()[row].0[neuron];
            let mut loss_at = |by: f32| {
                model.rows_mut()[row].0[neuron] = before + by;
                total(&model)
            };
            let step = 1.0 / 1024.0;
            let slope = (loss_at(step) - loss_at(-step)) / (2.0 * f64::from(step));
            loss_at(0.0);
            assert!(
                (found - slope).abs() < 1e-4 * (1.0 + slope.abs()),
                "row {row}: {found} {slope}"
            );
            slopes += usize::from(slope.abs() > 1e-5);
        }
        assert!(slopes > 20, "{slopes}");
    }
}
