//! Endgame tables: the value of every position of a material, with few pieces.
//!
//! An [`Index`] numbers the positions, [`solve`] finds their values by
//! retrograde analysis, and [`verify`] proves a table: every value is the best
//! of those of its moves. Results are a [`Value`], win, draw or loss with the
//! distance to mate; scores are the search's matter.

mod group;
mod index;
mod material;
mod pieces;
mod retrograde;
mod solution;
mod value;
mod verify;

pub use index::Index;
pub use material::{ATTACKERS, Material, ParseMaterialError};
pub use retrograde::{SolveError, memory_needed, solve};
pub use solution::{Counts, Solution, Solutions, look_up};
pub use value::Value;
pub use verify::{Contradiction, verify};

#[cfg(test)]
mod tests;
