//! Opening books: reading them, looking positions up, choosing a move.
//!
//! A [`Book`] knows moves of positions, with weights. [`Library`] holds the
//! books that the user named and asks them in turn; [`Choice`] picks one of
//! the moves found. So far there is one format, ElephantEye's BOOK.DAT
//! ([`ElephantEyeBook`]), which many Xiangqi programs share.
//!
//! ```
//! use hanxin::board::Position;
//! use hanxin::book::{Book, Choice, Library, Policy};
//! use hanxin::util::seeded;
//!
//! let library = Library::default(); // with, say, push(Box::new(ElephantEyeBook::open(path)?))
//! let moves = library.probe(&Position::startpos());
//! let choice = Choice { policy: Policy::Weighted, minimum_weight: 2 };
//! let mut rng = seeded(1, 0);
//! assert_eq!(choice.pick(&moves, |_| true, &mut rng), None); // no books, no move
//! ```

mod choice;
mod elephanteye;
mod error;
mod library;
mod lock;

use std::fmt;

use crate::board::{Move, Position};

pub use choice::{Choice, Policy};
pub use elephanteye::ElephantEyeBook;
pub use error::{BookError, BookFault};
pub use library::Library;

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move, legal in the position asked about.
    pub mv: Move,
    /// How good or how common the book takes it to be, from 1. Weights compare
    /// within one position of one book only.
    pub weight: u32,
}

/// Something that knows moves of positions.
pub trait Book: fmt::Debug + Send + Sync {
    /// The legal moves that the book knows in a position, each once, the
    /// heaviest first and equal ones in a fixed order. Empty when it knows
    /// none.
    fn probe(&self, position: &Position) -> Vec<BookMove>;
}
