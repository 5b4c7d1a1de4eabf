//! What games come to: standings of two, ratings of many, the summary of a
//! match.

pub mod rating;
mod standings;
mod summary;

pub use standings::Standings;
pub use summary::{EngineTotals, Summary};
