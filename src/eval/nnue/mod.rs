//! The neural net: a hidden layer for each perspective that follows the moves
//! piece by piece, and one layer of output weights chosen by material.
//!
//! The idea of a net that is updated rather than evaluated afresh is that of
//! Yu Nasu (*Efficiently Updatable Neural-Network-based Evaluation Functions
//! for Computer Shogi*, 2018). The inputs are in [`features`], the sizes in
//! [`architecture`], the file in
//! [`format`](mod@format).
//!
//! With *x* the hidden layer of the side to move and then that of the other
//! side, each number clipped to 0 ..= `QA`, and *w* the output weights of the
//! position's bucket, the value in centipawns is
//! (Σ *w x²* / `QA` + bias) · `SCALE` / (`QA` · `QB`), both divisions rounded
//! towards zero.

pub mod architecture;
pub mod features;
mod file;
pub mod format;
mod kernels;
mod line;
mod network;
mod refresh;

pub use file::{NetworkError, NetworkFault, embedded};
pub use format::FormatError;
pub use kernels::Kernel;
pub use line::Line;
pub use network::{Column, Network, Weights, WeightsError};

#[cfg(test)]
pub(crate) mod testing {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::{Network, Weights};

    /// A net of random weights of about the size that training gives.
    pub(crate) fn random_network(seed: u64) -> Network {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut weights = Weights::zero();
        for column in &mut weights.features {
            column.0.fill_with(|| rng.random_range(-40..=40));
        }
        weights.feature_biases.0.fill_with(|| rng.random_range(0..=100));
        for column in weights.outputs.as_flattened_mut() {
            column.0.fill_with(|| rng.random_range(-64..=64));
        }
        weights.output_biases.fill_with(|| rng.random_range(-2_000..=2_000));
        Network::new(format!("random, seed {seed}"), weights).expect("the weights are small")
    }
}
