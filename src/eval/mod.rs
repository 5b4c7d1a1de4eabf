//! What a position is worth, in centipawns.
//!
//! [`classical`] is the evaluation of the lazyboy thesis, section 2.3, with
//! its weights as data that a tuner can read and write; [`nnue`] is a neural
//! net. A search calls neither directly: an [`Evaluator`] keeps what can be
//! updated from move to move.
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
mod evaluator;
pub mod nnue;

pub use evaluator::{EvalKind, Evaluator};

/// No evaluation is further from zero than this, in centipawns.
pub const LIMIT: i32 = 15_000;
