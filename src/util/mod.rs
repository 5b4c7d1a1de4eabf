//! What knows nothing of the game.

mod machine;

pub use machine::{Machine, Memory, cores};
