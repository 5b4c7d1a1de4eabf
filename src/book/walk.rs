//! Going through a book from the positions where its lines begin.
//!
//! Keys cannot be turned back into positions, so that what a book says of a
//! position can only be found by coming there.

use std::collections::{HashSet, VecDeque};

use crate::board::{Move, Position};

use super::native::{Image, Record, in_16_bits};
use super::{Book, BookMove};

/// A position that the moves of a book lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The moves to it from where its line begins.
    pub line: Vec<Move>,
    /// The position itself.
    pub position: Position,
    /// What the book knows of it; at least one move, if only of weight 0.
    pub moves: Vec<BookMove>,
}

/// The positions of a book that its own moves lead to from these, those that are
/// never played among them, ply by ply, each once; a position and its mirror image
/// are one.
pub fn walk<B: Book + ?Sized>(
    book: &B,
    starts: impl IntoIterator<Item = Position>,
) -> impl Iterator<Item = Visit> {
    let mut seen = HashSet::new();
    let mut queue: VecDeque<_> = starts.into_iter().map(|start| (Vec::new(), start)).collect();
    std::iter::from_fn(move || {
        while let Some((line, position)) = queue.pop_front() {
            let moves = book.all(&position);
            if moves.is_empty() || !seen.insert(Image::of(&position).key) {
                continue;
            }
            for found in &moves {
                let mut next = position.clone();
                next.make(found.mv);
                queue.push_back(([&line[..], &[found.mv]].concat(), next));
            }
            return Some(Visit { line, position, moves });
        }
        None
    })
}

/// What a walk from the start of a game meets, as records in the order of a file.
pub(super) fn records<B: Book + ?Sized>(book: &B) -> Vec<Record> {
    let of_visit = |visit: Visit| {
        let image = Image::of(&visit.position);
        // where a stored move stands for two it has the mean of their weights
        let weight = |found: &BookMove| {
            let stored = image.stored(found.mv);
            let images = visit.moves.iter().filter(|other| image.stored(other.mv) == stored);
            let sum: u64 = images.map(|other| u64::from(other.weight)).sum();
            sum.div_ceil(image.moves(stored).count() as u64)
        };
        let weights = in_16_bits(visit.moves.iter().map(weight));
        let record = |(found, weight): (BookMove, u16)| {
            Record::new(&visit.position, found.mv, weight, found.facts)
        };
        visit.moves.into_iter().zip(weights).map(record).collect::<Vec<Record>>()
    };
    let visits = walk(book, [Position::startpos()]);
    let mut records: Vec<Record> = visits.flat_map(of_visit).collect();
    records.sort_unstable_by_key(|record| (record.key, record.mv));
    // mirrored moves of a symmetric position
    records.dedup_by_key(|record| (record.key, record.mv));
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{ElephantEyeBook, Facts, TextBook};

    /// A book that knows the initial position, without mirror images.
    #[derive(Debug)]
    struct OneSided(Vec<BookMove>);

    impl Book for OneSided {
        fn all(&self, position: &Position) -> Vec<BookMove> {
            if *position == Position::startpos() { self.0.clone() } else { Vec::new() }
        }
    }

    #[test]
    fn mirrored_moves_keep_their_share_together() {
        let moves = [("h2e2", 100), ("b2e2", 10), ("e3e4", 100), ("g3g4", 7)];
        let known = |(mv, weight): (&str, u32)| BookMove {
            mv: mv.parse().unwrap(),
            weight,
            facts: Facts::default(),
        };
        let records = records(&OneSided(moves.map(known).into()));
        let weight = |mv: &str| {
            let stored = Image::of(&Position::startpos()).stored(mv.parse().unwrap());
            records.iter().find(|record| record.mv == stored).unwrap().weight
        };
        assert_eq!(records.len(), 3);
        assert_eq!([weight("h2e2"), weight("e3e4"), weight("g3g4")], [55, 100, 4]);
    }

    #[test]
    fn large_weights_keep_their_proportions() {
        let start = Position::startpos().to_fen();
        let text = format!("h2e2 900000 {start}\ng3g4 100000 {start}\nh0g2 1 {start}");
        let book = TextBook::from_text(&text).unwrap();
        let mut weights: Vec<u16> = records(&book).iter().map(|record| record.weight).collect();
        weights.sort_unstable();
        assert_eq!(weights, [1, u16::MAX / 9, u16::MAX]);
        let exported = ElephantEyeBook::export(&book, [Position::startpos()]);
        let exported = ElephantEyeBook::from_bytes(&exported).unwrap();
        let weights: Vec<u32> =
            exported.probe(&Position::startpos()).iter().map(|found| found.weight).collect();
        assert_eq!(weights, [65_535, 65_535, 7_281, 7_281, 1, 1]);
    }
}
