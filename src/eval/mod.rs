//! Static evaluation of positions, in centipawns.
//!
//! [`classical`] is the evaluation of the lazyboy thesis, section 2.3, with
//! its weights as data that a tuner can read and write; [`nnue`] is a neural
//! net. A search uses either through an [`Evaluator`], which updates their state
//! from move to move, and has it count for less in endings that are mostly
//! drawn.
//!
//! ```
//! use hanxin::board::{Move, Position};
//! use hanxin::eval::{EvalKind, Evaluator};
//!
//! let mut position = Position::startpos();
//! let mut evaluator = Evaluator::new(EvalKind::Classical, &position);
//! let cannon: Move = "h2e2".parse()?;
//! evaluator.push(&position, cannon);
//! let undo = position.make(cannon);
//! let for_black = evaluator.evaluate(&position);
//! position.unmake(cannon, undo);
//! evaluator.pop();
//! assert!(for_black.abs() < 100);
//! # Ok::<(), hanxin::board::ParseMoveError>(())
//! ```

pub mod classical;
mod drawish;
mod evaluator;
pub mod nnue;

pub use evaluator::{EvalKind, Evaluator};

/// The largest absolute value of an evaluation, in centipawns.
pub const LIMIT: i32 = 15_000;
