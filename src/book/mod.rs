//! Opening books: reading, probing, choosing a move, building, expanding.
//!
//! A [`Book`] maps positions to weighted moves. [`Library`] probes several books
//! in order; [`Choice`] picks one of the moves found. [`open`] knows these
//! formats by their first bytes:
//!
//! - hanxin's own ([`HanxinBook`]), which keeps results and scores beside the
//!   weights and is the only one that is also built, merged and shipped;
//! - ElephantEye's BOOK.DAT ([`ElephantEyeBook`]), which many Xiangqi programs
//!   share; books can be exported to it;
//! - XQB, a database of SQLite (with the feature `cli`);
//! - lines of text, as ElephantEye read them before version 2.
//!
//! ```
//! use hanxin::board::Position;
//! use hanxin::book::{Book, Choice, Library, Policy};
//! use hanxin::util::seeded;
//!
//! let library = Library::default(); // with, say, push(hanxin::book::open(path)?)
//! let moves = library.probe(&Position::startpos());
//! let choice = Choice { policy: Policy::Weighted, minimum_weight: 2 };
//! let mut rng = seeded(1, 0);
//! assert_eq!(choice.pick(&moves, &mut rng), None); // no books, no move
//! ```

mod build;
mod choice;
mod elephanteye;
mod error;
mod expansion;
mod library;
mod merge;
mod names;
mod native;
mod text;
mod walk;
#[cfg(feature = "cli")]
mod xqb;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::board::{Move, Position};
use crate::util::open_regular;

pub use build::{BuildError, Collector, Filter, build};
pub use choice::{Choice, Policy};
pub use elephanteye::ElephantEyeBook;
pub use error::{BookError, BookFault};
pub use expansion::{Expansion, Growth, Searched, Selection};
pub use library::Library;
pub use merge::merge;
pub use names::{OpeningName, opening_name};
pub use native::{HanxinBook, Record, write};
pub use text::TextBook;
pub use walk::{Visit, walk};
#[cfg(feature = "cli")]
pub use xqb::XqbBook;

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move, legal in the probed position.
    pub mv: Move,
    /// Preference, comparable only within one position of one book; a move of
    /// weight 0, such as one that only lost, is never played.
    pub weight: u32,
    /// What the book remembers of the move beside its weight.
    pub facts: Facts,
}

/// What is known of a move; formats differ in what they keep of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Games that the side that moves has won, drawn and lost with it.
    pub results: [u32; 3],
    /// Score for the side that moves, centipawns.
    pub score: Option<i16>,
    /// Depth of the search behind the score, plies; 0 if unknown.
    pub depth: u8,
}

/// A source of moves for opening positions.
pub trait Book: fmt::Debug + Send + Sync {
    /// All legal moves that the book has of a position, each once, by descending
    /// weight and with ties in a fixed order. Empty when the position is not in the
    /// book.
    fn all(&self, position: &Position) -> Vec<BookMove>;

    /// Those of them that may be played: of a weight greater than 0.
    fn probe(&self, position: &Position) -> Vec<BookMove> {
        let mut moves = self.all(position);
        moves.retain(|found| found.weight > 0);
        moves
    }

    /// All of it in hanxin's own format and order; of a format whose keys cannot
    /// be turned back into positions what [`walk`] reaches from the start of a game.
    fn records(&self) -> Box<dyn Iterator<Item = Record> + '_> {
        Box::new(walk::records(self).into_iter())
    }
}

/// Opens a book of any format that is known by its first bytes.
///
/// # Errors
/// When the file is missing, not a file, unreadable, damaged or of no known
/// format.
pub fn open(path: &Path) -> Result<Box<dyn Book>, BookError> {
    open_as(path).map_err(|fault| BookError { path: path.to_owned(), fault })
}

fn open_as(path: &Path) -> Result<Box<dyn Book>, BookFault> {
    let mut start = Vec::new();
    let file = open_regular(path, File::options().read(true))?;
    file.take(16).read_to_end(&mut start).map_err(|error| BookFault::Read(error.into()))?;
    Ok(match &start[..] {
        start if start.starts_with(native::MAGIC) => Box::new(HanxinBook::open(path)?),
        #[cfg(feature = "cli")]
        start if start.starts_with(xqb::MAGIC) => Box::new(XqbBook::open(path)?),
        start if text::is_text(start) => Box::new(TextBook::open(path)?),
        _ => Box::new(ElephantEyeBook::open(path)?),
    })
}

/// The heaviest moves first, equal ones in a fixed order.
fn sort(moves: &mut [BookMove]) {
    moves.sort_unstable_by_key(|found| (std::cmp::Reverse(found.weight), found.mv));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_books_are_named_with_the_fault() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, part) in [
            ("none", None, "no such file"),
            ("empty", Some(&b""[..]), "is empty"),
            ("torn.dat", Some(&[0; 7][..]), "not a multiple of 8"),
            ("text", Some(b"h2e2 5895 rnbak"), "line 1"),
            ("own", Some(b"hanxinB\n"), "truncated"),
        ] {
            let path = folder.path().join(name);
            if let Some(bytes) = bytes {
                std::fs::write(&path, bytes).unwrap();
            }
            let message = open(&path).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains(part), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
        assert!(open(folder.path()).is_err());
    }
}
