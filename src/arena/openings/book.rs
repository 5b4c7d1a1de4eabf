//! Openings drawn from a book.

use std::collections::HashSet;
use std::path::Path;

use super::{Opening, OpeningFault};
use crate::board::{Move, Position};
use crate::book::{self, Book, Choice, Policy};
use crate::util::Random;

/// New lines are no longer looked for after so many in a row that are known.
const REPEATS: u32 = 1_000;

/// Draws lines of so many plies from a book, by its weights, until there are
/// as many different ones as wanted or no more are found.
///
/// # Errors
/// When the book cannot be opened.
pub fn read(
    file: &Path,
    plies: usize,
    wanted: usize,
    rng: &mut Random,
) -> Result<Vec<Opening>, OpeningFault> {
    let book = book::open(file).map_err(|error| error.fault)?;
    let (mut known, mut openings, mut repeats) = (HashSet::new(), Vec::new(), 0);
    while openings.len() < wanted.max(1) && repeats < REPEATS {
        let moves = line(&*book, plies, rng);
        if known.insert(moves.clone()) {
            repeats = 0;
            // a line that ends a game is not an opening
            openings.extend(Opening::checked(None, Position::startpos(), moves));
        } else {
            repeats += 1;
        }
    }
    Ok(openings)
}

fn line(book: &dyn Book, plies: usize, rng: &mut Random) -> Vec<Move> {
    let choice = Choice { policy: Policy::Weighted, minimum_weight: 1 };
    let mut position = Position::startpos();
    let next = || {
        let found = choice.pick(&book.probe(&position), rng)?;
        position.make(found.mv);
        Some(found.mv)
    };
    std::iter::from_fn(next).take(plies).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::seeded;

    #[test]
    fn lines_are_different_and_follow_the_seed() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/book.dat");
        let draw = |seed| read(Path::new(file), 6, 40, &mut seeded(seed, 0));
        let openings = draw(1).expect("the book is there");
        assert_eq!(openings.len(), 40);
        assert!(openings.iter().all(|opening| opening.moves.len() <= 6));
        assert_eq!(draw(1).unwrap(), openings);
        assert_ne!(draw(2).unwrap(), openings);
        assert!(read(Path::new("no/such/file"), 6, 1, &mut seeded(1, 0)).is_err());
    }
}
