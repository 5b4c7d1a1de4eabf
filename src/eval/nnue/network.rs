//! The weights of a net, and what makes them usable.

use std::fmt;

use super::super::LIMIT;
use super::architecture::{
    ACTIVATION_BITS, BIAS_MAX, FEATURE_BIAS_MAX, FEATURES, L1, L2, L2_WEIGHT_MAX, L3,
    L3_WEIGHT_MAX, OUTPUT_BIAS_MAX, OUTPUT_BUCKETS, SCALE, WEIGHT_BITS,
};

/// What one feature adds to the hidden layer of one perspective, by neuron. In
/// 8 bits, as every move takes two or three of them from memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct FeatureWeights(pub [i8; L1]);

impl FeatureWeights {
    /// Nothing but zeros.
    pub const ZERO: FeatureWeights = FeatureWeights([0; L1]);
}

/// The hidden layer of one perspective before activation: the biases and the
/// weights of all its features, summed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Accumulator(pub [i16; L1]);

impl Accumulator {
    /// Nothing but zeros.
    pub const ZERO: Accumulator = Accumulator([0; L1]);
}

/// Everything after the hidden layer, for the positions of one output bucket.
///
/// Weights lie as vector instructions want them: those of the second layer
/// neuron by neuron, as its inputs are many; those of the third for two inputs
/// at a time, see [`l3_weight`](Head::l3_weight).
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Head {
    /// Weights of the second layer, those of all inputs for each neuron.
    pub l2_weights: [[i16; L1]; L2],
    /// Weights of the third layer, for two inputs at a time.
    pub l3_weights: [[i16; 2 * L3]; L2],
    /// What the second layer starts from, 2^`L2_BITS` standing for 1.
    pub l2_biases: [i32; L2],
    /// What the third layer starts from, 2^(`ACTIVATION_BITS` + `WEIGHT_BITS`)
    /// standing for 1.
    pub l3_biases: [i32; L3],
    /// Weights of the third layer's activations in the output.
    pub outputs: [i16; L3],
    /// What the output starts from, 2^(2 `ACTIVATION_BITS` + `WEIGHT_BITS`)
    /// standing for 1.
    pub output_bias: i64,
}

impl Head {
    /// Nothing but zeros.
    pub const ZERO: Head = Head {
        l2_weights: [[0; L1]; L2],
        l3_weights: [[0; 2 * L3]; L2],
        l2_biases: [0; L2],
        l3_biases: [0; L3],
        outputs: [0; L3],
        output_bias: 0,
    };

    /// The weight of an input, of 2 `L2`, in a neuron of the third layer.
    pub const fn l3_weight(&self, input: usize, neuron: usize) -> i16 {
        self.l3_weights[input / 2][2 * neuron + input % 2]
    }

    /// The same place, to be written.
    pub const fn l3_weight_mut(&mut self, input: usize, neuron: usize) -> &mut i16 {
        &mut self.l3_weights[input / 2][2 * neuron + input % 2]
    }
}

/// The numbers of a net, quantised; see [`architecture`](super::architecture)
/// for their units.
#[derive(Clone, PartialEq, Eq)]
pub struct Weights {
    /// What each feature adds to the hidden layer, by its number.
    pub features: Box<[FeatureWeights]>,
    /// What the hidden layer starts from.
    pub feature_biases: Accumulator,
    /// The rest, for each output bucket.
    pub heads: Box<[Head; OUTPUT_BUCKETS]>,
}

impl Weights {
    /// Zeros everywhere, to be filled.
    pub fn zero() -> Weights {
        Weights {
            features: vec![FeatureWeights::ZERO; FEATURES].into(),
            feature_biases: Accumulator::ZERO,
            heads: Box::new([Head::ZERO; OUTPUT_BUCKETS]),
        }
    }
}

/// Why weights cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// There are weights for more or for fewer features.
    #[error("weights of {0} features where {FEATURES} are needed")]
    FeatureCount(usize),
    /// A weight of the second or third layer is outside its range.
    #[error(
        "weight {0} of the second or third layer is so large that it could overflow; \
         train again with clipped weights"
    )]
    Weight(i16),
    /// A bias is outside its range.
    #[error("bias {0} is so large that sums could overflow; train again")]
    Bias(i64),
}

/// A net whose weights are known to be safe: no sum in an evaluation leaves
/// the type it is kept in.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    description: String,
    weights: Weights,
}

impl Network {
    /// Longest description, in bytes.
    pub const DESCRIPTION_MAX: usize = u16::MAX as usize;

    /// A net of these weights; `description` says who made it from what, and
    /// is cut off at [`DESCRIPTION_MAX`](Network::DESCRIPTION_MAX).
    ///
    /// # Errors
    /// When the weights could make a sum overflow.
    pub fn new(mut description: String, weights: Weights) -> Result<Network, WeightsError> {
        if weights.features.len() != FEATURES {
            return Err(WeightsError::FeatureCount(weights.features.len()));
        }
        let biases = &weights.feature_biases.0;
        let range = -FEATURE_BIAS_MAX..=FEATURE_BIAS_MAX;
        if let Some(&bias) = biases.iter().find(|bias| !range.contains(bias)) {
            return Err(WeightsError::Bias(bias.into()));
        }
        for head in &*weights.heads {
            check(head)?;
        }
        description.truncate(description.floor_char_boundary(Network::DESCRIPTION_MAX));
        Ok(Network { description, weights })
    }

    /// Who made it from what.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Its numbers.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The value in centipawns of the output of a head; never beyond
    /// [`LIMIT`].
    #[inline]
    pub fn value(output: i64) -> i32 {
        let value = (output * i64::from(SCALE)) >> (2 * ACTIVATION_BITS + WEIGHT_BITS);
        value.clamp(-i64::from(LIMIT), i64::from(LIMIT)) as i32
    }
}

impl fmt::Debug for Network {
    /// The description; the numbers would fill books.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Network").field(&self.description).finish()
    }
}

/// Whether no sum in a head can overflow: 32 bits in its layers, 64 in the output.
fn check(head: &Head) -> Result<(), WeightsError> {
    let beyond = |weights: &[i16], limit: i16| {
        weights.iter().copied().find(|weight| !(-limit..=limit).contains(weight))
    };
    let wrong = beyond(head.l2_weights.as_flattened(), L2_WEIGHT_MAX)
        .or_else(|| beyond(head.l3_weights.as_flattened(), L3_WEIGHT_MAX));
    if let Some(weight) = wrong {
        return Err(WeightsError::Weight(weight));
    }
    let layers = head.l2_biases.iter().chain(&head.l3_biases);
    let layers = layers.map(|&bias| (i64::from(bias), i64::from(BIAS_MAX)));
    let mut biases = layers.chain([(head.output_bias, OUTPUT_BIAS_MAX)]);
    match biases.find(|(bias, limit)| !(-limit..=*limit).contains(bias)) {
        Some((bias, _)) => Err(WeightsError::Bias(bias)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_could_overflow_are_refused() {
        let build = |change: &dyn Fn(&mut Weights)| {
            let mut weights = Weights::zero();
            change(&mut weights);
            Network::new(String::new(), weights).map(|_| ())
        };
        assert_eq!(build(&|_| ()), Ok(()));
        let feature_bias =
            |bias: i16| move |weights: &mut Weights| weights.feature_biases.0[L1 - 1] = bias;
        assert_eq!(build(&feature_bias(-FEATURE_BIAS_MAX)), Ok(()));
        let beyond = FEATURE_BIAS_MAX + 1;
        assert_eq!(build(&feature_bias(beyond)), Err(WeightsError::Bias(beyond.into())));
        assert_eq!(build(&feature_bias(i16::MIN)), Err(WeightsError::Bias(i16::MIN.into())));
        let third = |weight: i16| {
            move |weights: &mut Weights| weights.heads[OUTPUT_BUCKETS - 1].l3_weights[3][7] = weight
        };
        assert_eq!(build(&third(-L3_WEIGHT_MAX)), Ok(()));
        assert_eq!(build(&third(8192)), Err(WeightsError::Weight(8192)));
        let second = |weight: i16| {
            move |weights: &mut Weights| weights.heads[1].l2_weights[15][L1 - 1] = weight
        };
        assert_eq!(build(&second(-L2_WEIGHT_MAX)), Ok(()));
        assert_eq!(build(&second(1024)), Err(WeightsError::Weight(1024)));
        let bias = |bias: i32| move |weights: &mut Weights| weights.heads[0].l3_biases[31] = bias;
        assert_eq!(build(&bias(-BIAS_MAX)), Ok(()));
        assert_eq!(build(&bias(i32::MIN)), Err(WeightsError::Bias(i32::MIN.into())));
        let output_bias =
            |bias: i64| move |weights: &mut Weights| weights.heads[3].output_bias = bias;
        assert_eq!(build(&output_bias(OUTPUT_BIAS_MAX)), Ok(()));
        for bias in [-OUTPUT_BIAS_MAX - 1, i64::MIN, i64::MAX] {
            assert_eq!(build(&output_bias(bias)), Err(WeightsError::Bias(bias)));
        }
        assert_eq!(
            build(&|weights| weights.features = Box::new([])),
            Err(WeightsError::FeatureCount(0))
        );
    }

    #[test]
    fn a_long_description_is_cut_between_characters() {
        let network = Network::new("é".repeat(40_000), Weights::zero()).unwrap();
        assert_eq!(network.description().len(), Network::DESCRIPTION_MAX - 1);
    }
}
