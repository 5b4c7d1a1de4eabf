//! The training of the net: positions in a compact form, weights in floating
//! point, gradients, the optimiser, and what is kept between epochs.

mod adam;
mod checkpoint;
mod model;
mod packed;
mod pass;
mod quantised;
mod trainer;

pub use checkpoint::{Checkpoint, Epoch, Settings};
pub use model::Model;
pub use packed::PackedPosition;
pub use pass::output;
pub use quantised::{Report, dequantise, quantise, rounded};
pub use trainer::{State, Stopped, Trainer};
