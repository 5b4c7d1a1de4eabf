//! The neural net: a hidden layer for each perspective that follows the moves
//! piece by piece, and a head of two small layers chosen by material.
//!
//! The idea of a net that is updated rather than evaluated afresh is that of
//! Yu Nasu (*Efficiently Updatable Neural-Network-based Evaluation Functions
//! for Computer Shogi*, 2018); products of halves of the hidden layer and the
//! shape of the head are those of Stockfish. The inputs are in [`features`],
//! the sizes in [`architecture`], the file in [`format`](mod@format).
//!
//! In units of 1: the hidden layer of the side to move and then that of the
//! other side are clipped to 0 ..= 1, and each neuron of the first half of a
//! layer is multiplied by that of the second half. The second layer is a
//! weighted sum of these products; it gives to the third both its neurons
//! clipped to 0 ..= 1 and its neurons clipped to -1 ..= 1 and squared. The
//! third layer is clipped to 0 ..= 1 and squared, and its weighted sum is the
//! output, which is worth `SCALE` centipawns. Everything is computed in whole
//! numbers and all divisions round down.

mod accumulator;
pub mod architecture;
pub mod features;
mod file;
mod finny;
pub mod format;
mod kernels;
mod network;

pub use accumulator::AccumulatorStack;
pub use file::{NetworkError, NetworkFault, embedded};
pub use format::FormatError;
pub use kernels::Kernel;
pub use network::{Accumulator, FeatureWeights, Head, Network, Weights, WeightsError};

#[cfg(test)]
pub(crate) mod testing {
    use rand::RngExt;

    use super::{Network, Weights};
    use crate::util::seeded;

    /// A net of random weights of about the size that training gives.
    pub(crate) fn random_network(seed: u64) -> Network {
        let mut rng = seeded(seed, 0);
        let mut weights = Weights::zero();
        for feature in &mut weights.features {
            feature.0.fill_with(|| rng.random_range(-40..=40));
        }
        weights.feature_biases.0.fill_with(|| rng.random_range(0..=100));
        for head in weights.heads.iter_mut() {
            head.l2_weights.as_flattened_mut().fill_with(|| rng.random_range(-200..=200));
            head.l2_biases.fill_with(|| rng.random_range(-1 << 19..=1 << 19));
            head.l3_weights.as_flattened_mut().fill_with(|| rng.random_range(-300..=300));
            head.l3_biases.fill_with(|| rng.random_range(0..=1 << 20));
            head.outputs.fill_with(|| rng.random_range(-400..=400));
            head.output_bias = rng.random_range(-1 << 30..=1 << 30);
        }
        Network::new(format!("random, seed {seed}"), weights).expect("the weights are small")
    }
}
