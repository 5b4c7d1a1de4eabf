//! Several books, probed in order.

use super::{Book, BookMove};
use crate::board::Position;

/// Books probed in order; the moves are those of the first book that has
/// one to play.
///
/// They are not merged, because weights of different books are not comparable.
/// A small book placed before a large one can therefore correct it.
#[derive(Debug, Default)]
pub struct Library {
    books: Vec<Box<dyn Book>>,
}

impl Library {
    /// Separates file names in UCCI's `bookfiles`.
    pub const SEPARATOR: char = ';';

    /// Appends a book, to be probed after the others.
    pub fn push(&mut self, book: Box<dyn Book>) {
        self.books.push(book);
    }

    /// Whether it has no books.
    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
    }
}

impl Book for Library {
    fn all(&self, position: &Position) -> Vec<BookMove> {
        self.books
            .iter()
            .map(|book| book.all(position))
            .find(|moves| moves.iter().any(|found| found.weight > 0))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::book::Facts;

    fn move_of(mv: Move) -> BookMove {
        BookMove { mv, weight: 1, facts: Facts::default() }
    }

    /// Knows one move of any position where it is legal.
    #[derive(Debug)]
    struct Fixed(Move);

    impl Book for Fixed {
        fn all(&self, position: &Position) -> Vec<BookMove> {
            let known = position.is_legal(self.0);
            known.then_some(move_of(self.0)).into_iter().collect()
        }
    }

    #[test]
    fn the_first_book_that_knows_a_move_answers() {
        let [edge, soldier] = ["a0a1", "a3a4"].map(|text| text.parse::<Move>().unwrap());
        let mut library = Library::default();
        let mut position = Position::startpos();
        assert_eq!(library.probe(&position), []);
        library.push(Box::new(Fixed(edge)));
        library.push(Box::new(Fixed(soldier)));
        assert_eq!(library.probe(&position), [move_of(edge)]);
        for text in ["a0a1", "a9a8"] {
            position.make(text.parse().unwrap());
        }
        assert_eq!(library.probe(&position), [move_of(soldier)]);
    }
}
