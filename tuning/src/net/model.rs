//! The weights of the net in floating point.

use hanxin::eval::nnue::architecture::{FEATURES, L1, L2, L3, OUTPUT_BUCKETS};

use hanxin::util::seeded;
use rand::RngExt;

/// Numbers for all neurons of one perspective, where vector registers can load
/// them well.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub struct Row(pub [f32; L1]);

impl Row {
    /// Nothing but zeros.
    pub const ZERO: Row = Row([0.0; L1]);
}

/// The net, or as many other numbers: a gradient, or moments of gradients.
///
/// All layers are in units of 1, the output being the logarithm of the odds of
/// a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// What each feature adds to the hidden layer.
    pub features: Vec<Row>,
    /// What the hidden layer starts from.
    pub biases: Row,
    /// The rest, for each output bucket.
    pub heads: Vec<Head>,
}

/// Everything after the hidden layer.
#[derive(Clone, PartialEq, Debug)]
#[repr(C, align(64))]
pub struct Head {
    /// For each neuron of the second layer its weights.
    pub l2_weights: [Row; L2],
    /// For each input of the third layer its weight in each neuron.
    pub l3_weights: [[f32; L3]; 2 * L2],
    /// What the second layer starts from.
    pub l2_biases: [f32; L2],
    /// What the third layer starts from.
    pub l3_biases: [f32; L3],
    /// Weights of the third layer in the output.
    pub outputs: [f32; L3],
    /// What the output starts from.
    pub output_bias: f32,
}

/// Which weights these are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Of the hidden layer, for a feature.
    Hidden,
    /// Biases of the hidden layer.
    HiddenBiases,
    /// Of the second layer.
    Second,
    /// Of the third layer.
    Third,
    /// Biases after the hidden layer, or output weights.
    Other,
}

/// About how many features a position has.
const TYPICAL_FEATURES: f32 = 26.0;

impl Head {
    const ZERO: Head = Head {
        l2_weights: [Row::ZERO; L2],
        l3_weights: [[0.0; L3]; 2 * L2],
        l2_biases: [0.0; L2],
        l3_biases: [0.0; L3],
        outputs: [0.0; L3],
        output_bias: 0.0,
    };

    const LEN: usize = L2 * (L1 + 2 * L3 + 1) + 2 * L3 + 1;

    fn slices(&self) -> impl Iterator<Item = (Part, &[f32])> {
        let rest = [
            (Part::Third, self.l3_weights.as_flattened()),
            (Part::Other, &self.l2_biases),
            (Part::Other, &self.l3_biases),
            (Part::Other, &self.outputs),
            (Part::Other, std::slice::from_ref(&self.output_bias)),
        ];
        self.l2_weights.iter().map(|row| (Part::Second, &row.0[..])).chain(rest)
    }

    fn slices_mut(&mut self) -> impl Iterator<Item = (Part, &mut [f32])> {
        let rest = [
            (Part::Third, self.l3_weights.as_flattened_mut()),
            (Part::Other, &mut self.l2_biases),
            (Part::Other, &mut self.l3_biases),
            (Part::Other, &mut self.outputs),
            (Part::Other, std::slice::from_mut(&mut self.output_bias)),
        ];
        self.l2_weights.iter_mut().map(|row| (Part::Second, &mut row.0[..])).chain(rest)
    }
}

impl Model {
    /// How many numbers there are.
    pub const LEN: usize = (FEATURES + 1) * L1 + OUTPUT_BUCKETS * Head::LEN;

    /// Zeros everywhere.
    pub fn zero() -> Model {
        Model {
            features: vec![Row::ZERO; FEATURES],
            biases: Row::ZERO,
            heads: vec![Head::ZERO; OUTPUT_BUCKETS],
        }
    }

    /// Small random weights, which sum to numbers of the order of 1; the same
    /// ones for the same seed.
    pub fn random(seed: u64) -> Model {
        let mut random = seeded(seed, 0);
        let mut model = Model::zero();
        let mut fill = |numbers: &mut [f32], size: f32| {
            numbers.fill_with(|| (2.0 * random.random::<f32>() - 1.0) * size);
        };
        for row in model.features.iter_mut().chain([&mut model.biases]) {
            fill(&mut row.0, 1.0 / TYPICAL_FEATURES.sqrt());
        }
        for head in &mut model.heads {
            for row in &mut head.l2_weights {
                // products are small: most neurons are silent
                fill(&mut row.0, 1.6 / (L1 as f32).sqrt());
            }
            fill(head.l3_weights.as_flattened_mut(), 1.0 / (2.0 * L2 as f32).sqrt());
            fill(&mut head.outputs, 1.0 / (L3 as f32).sqrt());
        }
        model
    }

    /// A model of these numbers, in the order of [`slices`](Model::slices);
    /// `None` if they are too few or too many.
    pub fn from_numbers(mut numbers: impl ExactSizeIterator<Item = f32>) -> Option<Model> {
        if numbers.len() != Model::LEN {
            return None;
        }
        let mut model = Model::zero();
        for (_, slice) in model.slices_mut() {
            for place in slice {
                *place = numbers.next()?;
            }
        }
        Some(model)
    }

    /// Sets all numbers to zero.
    pub fn clear(&mut self) {
        self.slices_mut().into_iter().for_each(|(_, slice)| slice.fill(0.0));
    }

    /// All numbers, those of a row or a small part together.
    pub fn slices(&self) -> Vec<(Part, &[f32])> {
        let hidden = self.features.iter().map(|row| (Part::Hidden, &row.0[..]));
        let hidden = hidden.chain([(Part::HiddenBiases, &self.biases.0[..])]);
        hidden.chain(self.heads.iter().flat_map(Head::slices)).collect()
    }

    /// All numbers, in the same parts.
    pub fn slices_mut(&mut self) -> Vec<(Part, &mut [f32])> {
        let hidden = self.features.iter_mut().map(|row| (Part::Hidden, &mut row.0[..]));
        let hidden = hidden.chain([(Part::HiddenBiases, &mut self.biases.0[..])]);
        hidden.chain(self.heads.iter_mut().flat_map(Head::slices_mut)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let model = Model::random(3);
        assert_ne!(model, Model::random(4));
        let slices = model.slices();
        let numbers: Vec<f32> =
            slices.iter().flat_map(|(_, slice)| slice.iter().copied()).collect();
        assert_eq!(numbers.len(), Model::LEN);
        assert_eq!(Model::from_numbers(numbers.iter().copied()), Some(model.clone()));
        assert_eq!(Model::from_numbers(numbers[1..].iter().copied()), None);
    }

    #[test]
    fn parts_are_whole_and_cleared() {
        let mut model = Model::random(5);
        for (index, (part, slice)) in model.slices_mut().into_iter().enumerate() {
            assert!(!slice.is_empty());
            assert_eq!(part == Part::Hidden, index < FEATURES);
            slice.fill(1.0);
        }
        assert!(
            model
                .heads
                .iter()
                .all(|head| head.output_bias == 1.0 && head.l3_weights[31][31] == 1.0)
        );
        model.clear();
        assert_eq!(model, Model::zero());
    }
}
