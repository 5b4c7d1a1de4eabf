//! Quantisation: from floating point to the engine's integers.

use hanxin::eval::nnue::architecture::{
    ACTIVATION_BITS, FEATURE_BIAS_MAX, L2_BITS, L2_WEIGHT_MAX, L3_WEIGHT_MAX, PRODUCT_SHIFT, QA,
    SCALE, WEIGHT_BITS,
};
use hanxin::eval::nnue::{Accumulator, FeatureWeights, Head, Network, Weights, WeightsError};
use multiversion::multiversion;
use rayon::prelude::*;

use super::model::{self, Model, Part, Row};

/// What stands for 1 in the weights of the second layer, so that its sums of
/// products are in units of 2^`L2_BITS`.
const L2_UNIT: f32 = (1_i64 << (L2_BITS + PRODUCT_SHIFT)) as f32 / (QA * QA) as f32;

/// What stands for 1 in the engine's weights of a part of the net; `None`: they
/// are so fine that rounding does not matter.
pub fn unit(part: Part) -> Option<f32> {
    match part {
        Part::Hidden | Part::HiddenBiases => Some(QA as f32),
        Part::Second => Some(L2_UNIT),
        Part::Third => Some((1 << WEIGHT_BITS) as f32),
        Part::Other => None,
    }
}

/// Makes `rounded` the weights of a model as the engine has them.
pub fn round_into(model: &Model, rounded: &mut Model) {
    let slices = rounded.slices_mut().into_par_iter().zip(model.slices());
    slices.with_min_len(32).for_each(|((part, rounded), (_, weights))| match unit(part) {
        Some(unit) => round(weights, unit, rounded),
        None => rounded.copy_from_slice(weights),
    });
}

/// The weights of a model as the engine has them.
pub fn rounded(model: &Model) -> Model {
    let mut rounded = Model::zero();
    round_into(model, &mut rounded);
    rounded
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma"))]
fn round(weights: &[f32], unit: f32, rounded: &mut [f32]) {
    for (rounded, weight) in rounded.iter_mut().zip(weights) {
        *rounded = (weight * unit).round_ties_even() / unit;
    }
}

/// Statistics of a quantisation.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Report {
    /// The largest weight of a feature, units of 1.
    pub largest_feature: f32,
    /// The largest weight of the second layer, units of 1.
    pub largest_second: f32,
    /// The largest weight of the third layer, units of 1.
    pub largest_third: f32,
    /// The largest output weight after stretching, units of 1.
    pub largest_output: f32,
    /// Weights that were clipped.
    pub clipped: usize,
    /// Features dropped because no position of the training had them.
    pub unseen: usize,
}

/// The net of these weights, an output of 1 being worth `scale` centipawns.
/// Features whose mean squared gradient is 0 never occurred in training; where
/// the first weights were random (`squares` is given) they are dropped.
///
/// # Errors
/// When weights are so large that sums could overflow.
pub fn quantise(
    model: &Model,
    squares: Option<&Model>,
    scale: f64,
    description: String,
) -> Result<(Network, Report), WeightsError> {
    let mut report = Report::default();
    let mut weights = Weights::zero();
    let rows = weights.features.iter_mut().zip(&model.features);
    for (number, (feature, row)) in rows.enumerate() {
        if squares.is_some_and(|squares| squares.features[number] == Row::ZERO) {
            report.unseen += 1;
            continue;
        }
        report.largest_feature = report.largest_feature.max(largest(&row.0));
        *feature = report.feature(row);
    }
    weights.feature_biases = report.biases(&model.biases);
    let stretch = (scale / f64::from(SCALE)) as f32;
    for (whole, head) in weights.heads.iter_mut().zip(&model.heads) {
        *whole = report.head(head, stretch);
    }
    Ok((Network::new(description, weights)?, report))
}

/// The weights of a net in floating point, an output of 1 standing for `scale`
/// centipawns, so that [`quantise`] gives the net again.
pub fn dequantise(network: &Network, scale: f64) -> Model {
    let weights = network.weights();
    let mut model = Model::zero();
    for (row, feature) in model.features.iter_mut().zip(&weights.features) {
        row.0 = feature.0.map(|weight| f32::from(weight) / QA as f32);
    }
    model.biases.0 = weights.feature_biases.0.map(|bias| f32::from(bias) / QA as f32);
    let stretch = (f64::from(SCALE) / scale) as f32;
    for (head, whole) in model.heads.iter_mut().zip(weights.heads.iter()) {
        dequantise_head(head, whole, stretch);
    }
    model
}

fn dequantise_head(head: &mut model::Head, whole: &Head, stretch: f32) {
    for (neuron, row) in head.l2_weights.iter_mut().enumerate() {
        row.0 = whole.l2_weights[neuron].map(|weight| f32::from(weight) / L2_UNIT);
    }
    let third_unit = (1 << WEIGHT_BITS) as f32;
    for (input, weights) in head.l3_weights.iter_mut().enumerate() {
        *weights =
            std::array::from_fn(|neuron| f32::from(whole.l3_weight(input, neuron)) / third_unit);
    }
    head.outputs = whole.outputs.map(|weight| f32::from(weight) / third_unit * stretch);
    let second_unit = (1 << L2_BITS) as f32;
    head.l2_biases = whole.l2_biases.map(|bias| bias as f32 / second_unit);
    let third_unit = (1 << (ACTIVATION_BITS + WEIGHT_BITS)) as f32;
    head.l3_biases = whole.l3_biases.map(|bias| bias as f32 / third_unit);
    let output_unit = (1_i64 << (2 * ACTIVATION_BITS + WEIGHT_BITS)) as f32;
    head.output_bias = whole.output_bias as f32 / output_unit * stretch;
}

impl Report {
    fn feature(&mut self, row: &Row) -> FeatureWeights {
        let whole = |weight| self.whole(weight * QA as f32, i8::MAX.into()) as i8;
        FeatureWeights(row.0.map(whole))
    }

    fn biases(&mut self, row: &Row) -> Accumulator {
        Accumulator(row.0.map(|bias| self.whole(bias * QA as f32, FEATURE_BIAS_MAX)))
    }

    fn head(&mut self, head: &model::Head, stretch: f32) -> Head {
        let third_unit = (1 << WEIGHT_BITS) as f32;
        let mut whole = Head::ZERO;
        for (neuron, row) in head.l2_weights.iter().enumerate() {
            self.largest_second = self.largest_second.max(largest(&row.0));
            whole.l2_weights[neuron] =
                row.0.map(|weight| self.whole(weight * L2_UNIT, L2_WEIGHT_MAX));
        }
        self.largest_third = self.largest_third.max(largest(head.l3_weights.as_flattened()));
        for (input, weights) in head.l3_weights.iter().enumerate() {
            for (neuron, weight) in weights.iter().enumerate() {
                *whole.l3_weight_mut(input, neuron) =
                    self.whole(weight * third_unit, L3_WEIGHT_MAX);
            }
        }
        self.largest_output = self.largest_output.max(stretch * largest(&head.outputs));
        whole.outputs =
            head.outputs.map(|weight| self.whole(weight * stretch * third_unit, i16::MAX));
        let second_unit = (1 << L2_BITS) as f32;
        whole.l2_biases = head.l2_biases.map(|bias| (bias * second_unit).round() as i32);
        let third_unit = (1 << (ACTIVATION_BITS + WEIGHT_BITS)) as f32;
        whole.l3_biases = head.l3_biases.map(|bias| (bias * third_unit).round() as i32);
        let output_unit = (1_i64 << (2 * ACTIVATION_BITS + WEIGHT_BITS)) as f32;
        whole.output_bias = (head.output_bias * stretch * output_unit).round() as i64;
        whole
    }

    fn whole(&mut self, number: f32, limit: i16) -> i16 {
        let rounded = number.round_ties_even();
        let limit = f32::from(limit);
        self.clipped += usize::from(rounded.abs() > limit);
        rounded.clamp(-limit, limit) as i16
    }
}

fn largest(numbers: &[f32]) -> f32 {
    numbers.iter().fold(0.0, |largest, number| largest.max(number.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_rounded_stretched_and_cut() {
        let (mut model, mut squares) = (Model::zero(), Model::zero());
        model.features[5].0[3] = -0.4;
        model.features[5].0[4] = 0.6;
        model.features[6].0[3] = 0.5;
        squares.features[5].0[9] = 1e-12;
        model.biases.0[1] = 0.1;
        let head = &mut model.heads[2];
        head.l2_weights[7].0[9] = 0.5;
        head.l2_weights[7].0[10] = -2.5;
        head.l2_biases[4] = 0.25;
        head.l3_weights[19][3] = 0.75;
        head.l3_biases[1] = -1.0;
        head.outputs[5] = 0.5;
        head.output_bias = 0.01;
        let (network, report) = quantise(&model, Some(&squares), 600.0, "test".into()).unwrap();
        let weights = network.weights();
        assert_eq!(weights.features[5].0[3..5], [-102, 127]);
        assert_eq!(weights.features[6].0[3], 0);
        assert_eq!(weights.feature_biases.0[1], 26);
        let head = &weights.heads[2];
        assert_eq!(head.l2_weights[7][9..11], [258, -1023]);
        assert_eq!(head.l2_biases[4], 1 << 18);
        assert_eq!(head.l3_weight(19, 3), 768);
        assert_eq!(head.l3_biases[1], -1 << 22);
        assert_eq!(head.outputs[5], 768);
        assert!((head.output_bias - 257_698_038).abs() < 100, "{}", head.output_bias);
        assert_eq!(network.description(), "test");
        let expected = Report {
            largest_feature: 0.6,
            largest_second: 2.5,
            largest_third: 0.75,
            largest_output: 0.75,
            clipped: 2,
            unseen: squares.features.len() - 1,
        };
        assert_eq!(report, expected);
    }

    #[test]
    fn rounding_gives_what_the_net_has() {
        let model = Model::random(4);
        let rounded = rounded(&model);
        let (network, _) = quantise(&model, None, 250.0, "test".into()).unwrap();
        let read = dequantise(&network, 250.0);
        let parts = rounded.slices().into_iter().zip(read.slices()).zip(model.slices());
        for (((part, rounded), (_, read)), (_, whole)) in parts {
            match unit(part) {
                Some(_) => assert_eq!(rounded, read, "{part:?}"),
                None => assert_eq!(rounded, whole, "{part:?}"),
            }
        }
        assert_ne!(rounded, model);
    }

    #[test]
    fn a_net_comes_back() {
        let model = Model::random(3);
        let (network, _) = quantise(&model, None, 250.0, "test".into()).unwrap();
        let again = dequantise(&network, 250.0);
        let (network_again, _) = quantise(&again, None, 250.0, "test".into()).unwrap();
        assert!(network_again == network);
    }
}
