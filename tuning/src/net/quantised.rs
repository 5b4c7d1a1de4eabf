//! From floating point to the whole numbers of the engine.

use hanxin::eval::nnue::architecture::{OUTPUT_BUCKETS, OUTPUT_WEIGHT_MAX, QA, QB, SCALE};
use hanxin::eval::nnue::{Column, Network, Weights, WeightsError};

use super::model::{Model, Row};

/// How weights were made whole.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Report {
    /// The largest weight of a feature, units of 1.
    pub largest_feature: f32,
    /// The largest output weight after stretching, units of 1.
    pub largest_output: f32,
    /// Weights that had to be cut.
    pub clipped: usize,
    /// Features that no position of the training had; they weigh nothing.
    pub unseen: usize,
}

/// The net of these weights, an output of 1 being worth `scale` centipawns.
/// The mean squares of gradients tell which features were ever seen.
///
/// # Errors
/// When weights are so large that sums could overflow.
pub fn quantise(
    model: &Model,
    squares: &Model,
    scale: f64,
    description: String,
) -> Result<(Network, Report), WeightsError> {
    let mut report = Report::default();
    let mut weights = Weights::zero();
    let rows = model.features().iter().zip(squares.features());
    for (column, (row, squares)) in weights.features.iter_mut().zip(rows) {
        if *squares == Row::ZERO {
            report.unseen += 1;
            continue;
        }
        report.largest_feature = report.largest_feature.max(largest(row));
        *column = whole(row, QA as f32, i16::MAX, &mut report.clipped);
    }
    weights.feature_biases = whole(model.biases(), QA as f32, i16::MAX, &mut report.clipped);
    let stretch = (scale / f64::from(SCALE)) as f32;
    for bucket in 0..OUTPUT_BUCKETS {
        for (column, row) in weights.outputs[bucket].iter_mut().zip(model.outputs(bucket)) {
            report.largest_output = report.largest_output.max(stretch * largest(row));
            *column = whole(row, stretch * QB as f32, OUTPUT_WEIGHT_MAX, &mut report.clipped);
        }
        let bias = model.output_bias(bucket) * stretch * (QA * QB) as f32;
        weights.output_biases[bucket] = bias.round() as i32;
    }
    Ok((Network::new(description, weights)?, report))
}

fn largest(row: &Row) -> f32 {
    row.0.iter().fold(0.0, |largest, weight| largest.max(weight.abs()))
}

fn whole(row: &Row, unit: f32, limit: i16, clipped: &mut usize) -> Column {
    Column(row.0.map(|weight| {
        let rounded = (weight * unit).round();
        let limit = f32::from(limit);
        *clipped += usize::from(rounded.abs() > limit);
        rounded.clamp(-limit, limit) as i16
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_rounded_stretched_and_cut() {
        let (mut model, mut squares) = (Model::zero(), Model::zero());
        model.features_mut()[5].0[3] = -0.5;
        model.features_mut()[6].0[3] = 0.5;
        squares.features_mut()[5].0[9] = 1e-12;
        model.biases_mut().0[1] = 0.1;
        model.output_mut(2, 1).0[7] = 0.0625;
        model.output_mut(2, 0).0[7] = -0.5;
        *model.output_bias_mut(2) = 0.01;
        let (network, report) = quantise(&model, &squares, 600.0, "test".into()).unwrap();
        let weights = network.weights();
        assert_eq!(weights.features[5].0[3], -128);
        assert_eq!(weights.features[6].0[3], 0);
        assert_eq!(weights.feature_biases.0[1], 26);
        assert_eq!(weights.outputs[2][1].0[7], 24);
        assert_eq!(weights.outputs[2][0].0[7], -127);
        assert_eq!(weights.output_biases[2], 979);
        assert_eq!(network.description(), "test");
        let unseen = squares.features().len() - 1;
        let expected = Report { largest_feature: 0.5, largest_output: 0.75, clipped: 1, unseen };
        assert_eq!(report, expected);
    }
}
