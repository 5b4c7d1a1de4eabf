//! The weights of a net, and what makes them usable.

use std::fmt;

use crate::board::{Piece, PieceKind, Square};

use super::super::LIMIT;
use super::architecture::{
    FEATURES, HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS, OUTPUT_WEIGHT_MAX, QA, QB, SCALE,
};

/// A number for each neuron of the hidden layer of one perspective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Column(pub [i16; HIDDEN]);

impl Column {
    /// Nothing but zeros.
    pub const ZERO: Column = Column([0; HIDDEN]);
}

/// The numbers of a net, quantised; see [`architecture`](super::architecture)
/// for their units.
#[derive(Clone, PartialEq, Eq)]
pub struct Weights {
    /// What each feature adds to the hidden layer, by its number.
    pub features: Box<[Column]>,
    /// What the hidden layer starts from.
    pub feature_biases: Column,
    /// For each output bucket the weights of the perspective of the side to
    /// move, then those of the other one.
    pub outputs: Box<[[Column; 2]; OUTPUT_BUCKETS]>,
    /// For each output bucket what is added at the end, in units of `QA * QB`.
    pub output_biases: [i32; OUTPUT_BUCKETS],
}

impl Weights {
    /// Zeros everywhere, to be filled.
    pub fn zero() -> Weights {
        Weights {
            features: vec![Column::ZERO; FEATURES].into(),
            feature_biases: Column::ZERO,
            outputs: Box::new([[Column::ZERO; 2]; OUTPUT_BUCKETS]),
            output_biases: [0; OUTPUT_BUCKETS],
        }
    }
}

/// Why weights cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// There are more or fewer columns than features.
    #[error("{0} columns of feature weights where {FEATURES} are needed")]
    Columns(usize),
    /// A sum of feature weights may leave 16 bits.
    #[error(
        "the feature weights of neuron {0} are so large that they could overflow; \
         train again with clipped weights"
    )]
    FeatureOverflow(usize),
    /// An output weight is outside its range.
    #[error(
        "output weight {0} is beyond {OUTPUT_WEIGHT_MAX} and could overflow; \
         train again with clipped weights"
    )]
    OutputWeight(i16),
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
            return Err(WeightsError::Columns(weights.features.len()));
        }
        if let Some(neuron) = (0..HIDDEN).find(|&neuron| can_overflow(&weights, neuron)) {
            return Err(WeightsError::FeatureOverflow(neuron));
        }
        let mut outputs = weights.outputs.iter().flatten().flat_map(|column| column.0);
        let range = -OUTPUT_WEIGHT_MAX..=OUTPUT_WEIGHT_MAX;
        if let Some(weight) = outputs.find(|weight| !range.contains(weight)) {
            return Err(WeightsError::OutputWeight(weight));
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

    /// The value in centipawns of a sum over the hidden layer, which an
    /// output bucket's weights gave; never beyond [`LIMIT`].
    #[inline]
    pub fn value(&self, bucket: usize, sum: i64) -> i32 {
        let output = sum / i64::from(QA) + i64::from(self.weights.output_biases[bucket]);
        let value = output * i64::from(SCALE) / i64::from(QA * QB);
        value.clamp(-i64::from(LIMIT), i64::from(LIMIT)) as i32
    }
}

impl fmt::Debug for Network {
    /// The description; the numbers would fill books.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Network").field(&self.description).finish()
    }
}

/// Whether some position could bring the sum of a neuron out of 16 bits: if
/// every side had all pieces of the start on the worst squares. Sums on the
/// way there may wrap around, what counts is where they end.
fn can_overflow(weights: &Weights, neuron: usize) -> bool {
    let worst = |bucket: usize, piece: usize| {
        let first = (bucket * Piece::COUNT + piece) * Square::COUNT;
        let squares = &weights.features[first..first + Square::COUNT];
        let largest = squares.iter().map(|column| i32::from(column.0[neuron]).abs()).max();
        let limit = PieceKind::ALL[piece % PieceKind::ALL.len()].limit();
        largest.unwrap_or(0) * limit.cast_signed()
    };
    let bias = i32::from(weights.feature_biases.0[neuron]).abs();
    (0..KING_BUCKETS).any(|bucket| {
        let pieces: i32 = (0..Piece::COUNT).map(|piece| worst(bucket, piece)).sum();
        bias + pieces > i32::from(i16::MAX)
    })
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
        let pawn_anywhere = |weight: i16| {
            move |weights: &mut Weights| weights.features[6 * Square::COUNT + 40].0[3] = weight
        };
        assert_eq!(build(&pawn_anywhere(6_553)), Ok(()), "five pawns of 6553 are 32765");
        assert_eq!(build(&pawn_anywhere(-6_554)), Err(WeightsError::FeatureOverflow(3)));
        let with_bias = |weights: &mut Weights| {
            pawn_anywhere(-6_553)(weights);
            weights.feature_biases.0[3] = 3;
        };
        assert_eq!(build(&with_bias), Err(WeightsError::FeatureOverflow(3)));
        let output = |weight: i16| {
            move |weights: &mut Weights| weights.outputs[OUTPUT_BUCKETS - 1][1].0[7] = weight
        };
        assert_eq!(build(&output(-127)), Ok(()));
        assert_eq!(build(&output(128)), Err(WeightsError::OutputWeight(128)));
        assert_eq!(
            build(&|weights| weights.features = Box::new([])),
            Err(WeightsError::Columns(0))
        );
    }

    #[test]
    fn a_long_description_is_cut_between_characters() {
        let network = Network::new("é".repeat(40_000), Weights::zero()).unwrap();
        assert_eq!(network.description().len(), Network::DESCRIPTION_MAX - 1);
    }
}
