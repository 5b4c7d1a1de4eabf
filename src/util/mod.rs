//! What knows nothing of the game.

mod file;
mod machine;

pub use file::{ReadError, printable, read_whole, write_whole};
pub use machine::{Machine, Memory, cores, load};
