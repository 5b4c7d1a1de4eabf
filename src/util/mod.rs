//! What knows nothing of the game.

mod file;
mod machine;

pub use file::write_whole;
pub use machine::{Machine, Memory, cores, load};
