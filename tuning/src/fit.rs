//! Fits weights to targets (Texel's method): the logistic curve turns an
//! evaluation into an expected result, and Adam (Kingma and Ba 2015) makes the
//! mean squared error small.

use crate::curve::{expected, fit_scale};
use crate::sample::Sample;
use hanxin::util::seeded;
use rand::seq::SliceRandom;

/// How a fit is done.
pub struct Settings {
    /// Passes over all samples.
    pub epochs: u32,
    /// Step of the weights at the start, centipawns; it falls to zero along a
    /// cosine.
    pub rate: f64,
    /// Standard deviation of the prior around the start values, centipawns.
    pub prior: f64,
    /// Determines the order of the samples.
    pub seed: u64,
}

/// The logistic curves of evaluation and score, and their blend.
pub struct Curve {
    /// The evaluation at which a side expects e / (1 + e) of a point.
    pub value_scale: f64,
    /// The same for scores of the search.
    pub score_scale: f64,
    /// Share of the result in the target, 0 to 1.
    pub lambda: f64,
}

const BATCH: usize = 4_096;
/// Positions that carry the information of one independent sample: those of a
/// game share its result.
const CORRELATED_POSITIONS: f64 = 40.0;

impl Curve {
    /// Scales that turn evaluations and scores into expected results best.
    pub fn fit(samples: &[Sample], weights: &[f64], lambda: f64) -> Curve {
        let points = |sample: &Sample| f64::from(sample.points);
        let by_value: Vec<_> = samples.iter().map(|s| (s.value(weights), points(s))).collect();
        let by_score: Vec<_> = samples.iter().map(|s| (f64::from(s.score), points(s))).collect();
        Curve { value_scale: fit_scale(&by_value), score_scale: fit_scale(&by_score), lambda }
    }

    /// The points that the evaluation of a sample should stand for.
    pub fn target(&self, sample: &Sample) -> f64 {
        let by_score = expected(f64::from(sample.score), self.score_scale);
        self.lambda * f64::from(sample.points) + (1.0 - self.lambda) * by_score
    }

    /// The mean squared error.
    pub fn loss(&self, samples: &[Sample], weights: &[f64]) -> f64 {
        let error = |sample: &Sample| {
            expected(sample.value(weights), self.value_scale) - self.target(sample)
        };
        samples.iter().map(|sample| error(sample).powi(2)).sum::<f64>() / samples.len() as f64
    }
}

/// The weights that suit the samples best, by the curve and the prior;
/// `report` gets the number of each epoch and the weights after it.
pub fn fit(
    samples: &[Sample],
    start: &[f64],
    curve: &Curve,
    settings: &Settings,
    mut report: impl FnMut(u32, &[f64]),
) -> Vec<f64> {
    let mut weights = start.to_vec();
    let mut adam = Adam::new(weights.len());
    let mut random = seeded(settings.seed, 0);
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    let prior_weight = prior_weight(samples.len(), curve.loss(samples, start), settings.prior);
    let batches = samples.len().div_ceil(BATCH);
    let steps = f64::from(settings.epochs) * batches as f64;
    for epoch in 0..settings.epochs {
        order.shuffle(&mut random);
        for (number, batch) in order.chunks(BATCH).enumerate() {
            let mut gradient: Vec<f64> = weights
                .iter()
                .zip(start)
                .map(|(now, then)| 2.0 * prior_weight * (now - then))
                .collect();
            let batch = batch.iter().map(|&place| &samples[place as usize]);
            add_gradient(batch, &weights, curve, &mut gradient);
            let step = f64::from(epoch) * batches as f64 + number as f64;
            let rate = settings.rate * 0.5 * (1.0 + (std::f64::consts::PI * step / steps).cos());
            adam.step(&mut weights, &gradient, rate);
        }
        report(epoch + 1, &weights);
    }
    weights
}

/// The weight of the prior per squared centipawn: with errors and weights
/// normally distributed, the most likely weights have the least sum of squared
/// errors over their variance and squared distances over theirs.
fn prior_weight(samples: usize, error_variance: f64, prior: f64) -> f64 {
    error_variance * CORRELATED_POSITIONS / (samples as f64 * prior * prior)
}

/// Adds the gradient of the mean squared error.
fn add_gradient<'a>(
    batch: impl ExactSizeIterator<Item = &'a Sample>,
    weights: &[f64],
    curve: &Curve,
    gradient: &mut [f64],
) {
    let count = batch.len() as f64;
    for sample in batch {
        let points = expected(sample.value(weights), curve.value_scale);
        let slope = points * (1.0 - points) / curve.value_scale;
        let by_value = 2.0 * (points - curve.target(sample)) * slope / count;
        for entry in &sample.entries {
            gradient[entry.index()] += by_value * entry.factor();
        }
    }
}

/// Adam, with the constants of its authors.
struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

impl Adam {
    fn new(len: usize) -> Adam {
        Adam { mean: vec![0.0; len], square: vec![0.0; len], steps: 0 }
    }

    fn step(&mut self, weights: &mut [f64], gradient: &[f64], rate: f64) {
        const BETA1: f64 = 0.9;
        const BETA2: f64 = 0.999;
        // far below any gradient, which is per centipawn
        const EPSILON: f64 = 1e-12;
        self.steps += 1;
        let mean_share = 1.0 - BETA1.powi(self.steps);
        let square_share = 1.0 - BETA2.powi(self.steps);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, &slope), (mean, square)) in weights.iter_mut().zip(gradient).zip(moments) {
            *mean = BETA1 * *mean + (1.0 - BETA1) * slope;
            *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
            let root = (*square / square_share).sqrt() + EPSILON;
            *weight -= rate * (*mean / mean_share) / root;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::sample::Entry;

    const SETTINGS: Settings = Settings { epochs: 60, rate: 2.0, prior: 1e6, seed: 1 };

    /// Positions of random features whose results follow from `weights` at a
    /// scale of 300.
    fn samples(weights: &[f64], count: usize) -> Vec<Sample> {
        let mut random = seeded(5, 0);
        let mut sample = || {
            let mut entry = |index| Entry::new(index, random.random_range(0..7) as f32 - 3.0);
            let entries: Box<[Entry]> = (0..weights.len()).map(&mut entry).collect();
            let mut sample = Sample { entries, points: 0.0, score: 0.0 };
            sample.score = sample.value(weights) as f32;
            let chance = random.random::<f64>();
            sample.points = f32::from(chance < expected(f64::from(sample.score), 300.0));
            sample
        };
        (0..count).map(|_| sample()).collect()
    }

    #[test]
    fn the_scale_is_found_again() {
        let truth = [100.0, -50.0, 20.0];
        let curve = Curve::fit(&samples(&truth, 40_000), &truth, 0.5);
        assert!((curve.value_scale - 300.0).abs() < 10.0, "{}", curve.value_scale);
        assert!((curve.score_scale - curve.value_scale).abs() < 1.0);
    }

    #[test]
    fn weights_are_found_again() {
        let truth = [100.0, -50.0, 20.0, 0.0];
        let samples = samples(&truth, 20_000);
        let start = [60.0, 0.0, 0.0, 30.0];
        let curve = Curve { value_scale: 300.0, score_scale: 300.0, lambda: 0.5 };
        let mut epochs = 0;
        let found = fit(&samples, &start, &curve, &SETTINGS, |epoch, _| epochs = epoch);
        assert_eq!(epochs, SETTINGS.epochs);
        for (found, truth) in found.iter().zip(truth) {
            assert!((found - truth).abs() < 4.0, "{found} for {truth}");
        }
        assert!(curve.loss(&samples, &found) < curve.loss(&samples, &start));
        let again = fit(&samples, &start, &curve, &SETTINGS, |_, _| {});
        assert_eq!(again, found);
    }

    #[test]
    fn the_prior_holds_weights_at_their_start() {
        let samples = samples(&[100.0], 2_000);
        let curve = Curve { value_scale: 300.0, score_scale: 300.0, lambda: 1.0 };
        let firm = Settings { prior: 0.1, rate: 0.1, ..SETTINGS };
        let found = fit(&samples, &[60.0], &curve, &firm, |_, _| {});
        assert!((found[0] - 60.0).abs() < 1.0, "{}", found[0]);
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let truth = [100.0, -50.0];
        let samples = samples(&truth, 500);
        let curve = Curve { value_scale: 300.0, score_scale: 250.0, lambda: 0.3 };
        let at = [70.0, 10.0];
        let mut gradient = [0.0; 2];
        add_gradient(samples.iter(), &at, &curve, &mut gradient);
        for place in 0..2 {
            let loss = |by: f64| {
                let mut moved = at;
                moved[place] += by;
                curve.loss(&samples, &moved)
            };
            let slope = (loss(0.01) - loss(-0.01)) / 0.02;
            assert!((gradient[place] - slope).abs() < 1e-8, "{} {slope}", gradient[place]);
        }
    }
}
