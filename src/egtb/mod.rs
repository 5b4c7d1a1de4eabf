//! Endgame tables: the value of every position of a material, with few pieces.
//!
//! An [`Index`] numbers the positions, [`solve`] finds their values by
//! retrograde analysis and, where both sides can give check, by a parity game
//! for perpetual check. [`verify`] proves a table: every value is the best of
//! those of its moves, and no rule of repetition gives another one. [`pack`] makes
//! a file of a [`Solution`], a [`Table`] reads values from it. Results are a
//! [`Value`], win, draw or loss with the distance to mate where there is one;
//! scores are the search's matter.

mod check_graph;
mod children;
mod generate;
mod group;
mod header;
mod index;
mod material;
mod parallel;
mod perpetual;
mod pieces;
mod retrograde;
mod shelf;
mod solution;
mod table;
mod tables;
mod value;
mod verify;
mod verify_rules;

pub use generate::{GenerateError, Generator, Made};
pub use header::{Header, Metric, TableError};
pub use index::Index;
pub use material::{GUARDS, Material, ParseMaterialError};
pub use retrograde::{SolveError, memory_needed, solve};
pub use shelf::Shelf;
pub use solution::{Counts, Solution, Source, Sources, look_up};
pub use table::{Cache, Packing, Table, pack};
pub use tables::{Known, Prober, TableFault, Tables, open_table, table_path};
pub use value::{Value, Wdl};
pub use verify::{Contradiction, verify};

#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod tests;
