//! Utilities without knowledge of the game: the opener of all files, outputs that
//! are none of the inputs, facts about the machine, interrupts, checksums, random
//! numbers.

mod checksum;
#[cfg(feature = "cli")]
mod encoding;
mod file;
#[cfg(feature = "cli")]
mod interrupt;
mod machine;
mod mapped;
#[cfg(feature = "cli")]
mod outputs;
mod random;
#[cfg(feature = "cli")]
mod table;

pub use checksum::{crc32, fnv1a_32, fnv1a_64};
#[cfg(feature = "cli")]
pub use encoding::{decoded, without_mark};
#[cfg(feature = "cli")]
pub use file::open_output;
pub use file::{ReadError, open_regular, printable, read_text, read_whole, replace, write_whole};
#[cfg(feature = "cli")]
pub use interrupt::stop_signal;
pub use machine::{Machine, Memory, cores, host_name, load};
pub use mapped::Mapped;
#[cfg(feature = "cli")]
pub use outputs::{DistinctFiles, OutputError, check_output};
pub use random::{Random, seeded};
#[cfg(feature = "cli")]
pub(crate) use table::text_table;
