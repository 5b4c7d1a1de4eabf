//! The weights of the net in floating point.

use hanxin::eval::nnue::architecture::{FEATURES, HIDDEN, OUTPUT_BUCKETS};

use crate::random::Random;

/// Numbers for all neurons of one perspective, where vector registers can load
/// them well.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub struct Row(pub [f32; HIDDEN]);

impl Row {
    /// Nothing but zeros.
    pub const ZERO: Row = Row([0.0; HIDDEN]);
}

/// The net, or as many other numbers: a gradient, or moments of gradients.
///
/// The hidden layer and the output are in units of 1, the output being the
/// logarithm of the odds of a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// A row for each feature; the biases of the hidden layer; for each bucket
    /// the output weights of the side to move and those of the other side; and
    /// a row that begins with the output biases.
    rows: Vec<Row>,
}

const BIASES: usize = FEATURES;
const OUTPUTS: usize = BIASES + 1;
const OUTPUT_BIASES: usize = OUTPUTS + 2 * OUTPUT_BUCKETS;
const ROWS: usize = OUTPUT_BIASES + 1;

/// About how many features a position has.
const TYPICAL_FEATURES: f32 = 26.0;

impl Model {
    /// Zeros everywhere.
    pub fn zero() -> Model {
        Model { rows: vec![Row::ZERO; ROWS] }
    }

    /// Small random weights, which sum to numbers of the order of 1; the same
    /// ones for the same seed.
    pub fn random(seed: u64) -> Model {
        let mut random = Random::new(seed, 0);
        let mut model = Model::zero();
        let mut fill = |rows: &mut [Row], size: f32| {
            rows.iter_mut().flat_map(|row| &mut row.0).for_each(|weight| {
                *weight = (2.0 * random.unit() as f32 - 1.0) * size;
            });
        };
        fill(&mut model.rows[..OUTPUTS], 1.0 / TYPICAL_FEATURES.sqrt());
        fill(&mut model.rows[OUTPUTS..OUTPUT_BIASES], 1.0 / (2.0 * HIDDEN as f32).sqrt());
        model
    }

    /// A model of these numbers, in the order of [`rows`](Model::rows); `None`
    /// if they are too few or too many.
    pub fn from_numbers(mut numbers: impl ExactSizeIterator<Item = f32>) -> Option<Model> {
        if numbers.len() != Model::LEN {
            return None;
        }
        let mut model = Model::zero();
        for place in model.rows.iter_mut().flat_map(|row| &mut row.0) {
            *place = numbers.next()?;
        }
        Some(model)
    }

    /// Sets all numbers to zero.
    pub fn clear(&mut self) {
        self.rows.fill(Row::ZERO);
    }

    /// How many numbers there are.
    pub const LEN: usize = ROWS * HIDDEN;

    /// All numbers.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All numbers.
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.rows
    }

    /// Whether a row holds output weights.
    pub fn is_output(row: usize) -> bool {
        (OUTPUTS..OUTPUT_BIASES).contains(&row)
    }

    /// What each feature adds to the hidden layer.
    #[inline]
    pub fn features(&self) -> &[Row] {
        &self.rows[..FEATURES]
    }

    /// What each feature adds to the hidden layer.
    #[inline]
    pub fn features_mut(&mut self) -> &mut [Row] {
        &mut self.rows[..FEATURES]
    }

    /// What the hidden layer starts from.
    #[inline]
    pub fn biases(&self) -> &Row {
        &self.rows[BIASES]
    }

    /// What the hidden layer starts from.
    #[inline]
    pub fn biases_mut(&mut self) -> &mut Row {
        &mut self.rows[BIASES]
    }

    /// The output weights of a bucket, those of the side to move first.
    #[inline]
    pub fn outputs(&self, bucket: usize) -> [&Row; 2] {
        [0, 1].map(|side| &self.rows[OUTPUTS + 2 * bucket + side])
    }

    /// The output weights of a bucket for the side to move (0) or the other.
    #[inline]
    pub fn output_mut(&mut self, bucket: usize, side: usize) -> &mut Row {
        &mut self.rows[OUTPUTS + 2 * bucket + side]
    }

    /// What is added at the end.
    #[inline]
    pub fn output_bias(&self, bucket: usize) -> f32 {
        self.rows[OUTPUT_BIASES].0[bucket]
    }

    /// What is added at the end.
    #[inline]
    pub fn output_bias_mut(&mut self, bucket: usize) -> &mut f32 {
        &mut self.rows[OUTPUT_BIASES].0[bucket]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let model = Model::random(3);
        assert_ne!(model, Model::random(4));
        let numbers: Vec<f32> = model.rows().iter().flat_map(|row| row.0).collect();
        assert_eq!(numbers.len(), Model::LEN);
        assert_eq!(Model::from_numbers(numbers.iter().copied()), Some(model));
        assert_eq!(Model::from_numbers(numbers[1..].iter().copied()), None);
    }

    #[test]
    fn parts_do_not_overlap() {
        let mut model = Model::zero();
        model.biases_mut().0[0] = 1.0;
        for bucket in 0..OUTPUT_BUCKETS {
            *model.output_bias_mut(bucket) += 1.0;
            for side in 0..2 {
                model.output_mut(bucket, side).0[HIDDEN - 1] += 1.0;
            }
        }
        assert_eq!(model.biases().0[0], 1.0);
        assert!(model.features().iter().all(|row| *row == Row::ZERO));
        for bucket in 0..OUTPUT_BUCKETS {
            assert_eq!(model.output_bias(bucket), 1.0);
            assert!(model.outputs(bucket).iter().all(|row| row.0[HIDDEN - 1] == 1.0));
        }
    }
}
