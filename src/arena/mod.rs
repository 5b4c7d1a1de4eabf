//! The arena: matches between engines, and what becomes of their games.
//!
//! [`GameRecord`] is what both halves share: one plays games and keeps their
//! records in a journal, the other makes standings, ratings, PGN and reports
//! of them. Our own engine is a stranger here like any other: nothing of its
//! search or evaluation is known in this room.

mod opening;
pub mod pgn;
pub mod rating;
mod record;
pub mod report;
mod standing;
pub mod stats;
mod summary;

pub use opening::{OpeningName, opening_name};
pub use record::{GameRecord, GameResult, PlayedMove, RecordError, Termination};
pub use standing::Standing;
pub use summary::{EngineTotals, Summary};
