//! Opening books: reading, probing, choosing a move.
//!
//! A [`Book`] maps positions to weighted moves. [`Library`] probes several books
//! in order; [`Choice`] picks one of the moves found. The only format is
//! ElephantEye's BOOK.DAT ([`ElephantEyeBook`]), which many Xiangqi programs
//! share.
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
    /// The move, legal in the probed position.
    pub mv: Move,
    /// Preference, from 1; comparable only within one position of one book.
    pub weight: u32,
}

/// A source of moves for opening positions.
pub trait Book: fmt::Debug + Send + Sync {
    /// The legal book moves of a position, each once, by descending weight and
    /// with ties in a fixed order. Empty when the position is not in the book.
    fn probe(&self, position: &Position) -> Vec<BookMove>;
}
