//! Utilities without knowledge of the game: atomic files, facts about the
//! machine, checksums, random numbers.

mod checksum;
mod file;
mod machine;
mod random;

pub use checksum::{crc32, fnv1a_32, fnv1a_64};
pub use file::{ReadError, printable, read_whole, write_whole};
pub use machine::{Machine, Memory, cores, load};
pub use random::{Random, seeded};
