//! Going through a book from the initial position.
//!
//! Keys cannot be turned back into positions, so that what a book says of a
//! position can only be found by coming there.

use std::collections::{HashSet, VecDeque};

use crate::board::{Move, Position};

use super::native::{Image, Record};
use super::{Book, BookMove};

/// A position that the moves of a book lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The moves to it.
    pub line: Vec<Move>,
    /// The position itself.
    pub position: Position,
    /// What the book knows of it; at least one move.
    pub moves: Vec<BookMove>,
}

/// The positions of a book that its own moves lead to from the initial
/// position, ply by ply, each once; a position and its mirror image are one.
pub fn walk<B: Book + ?Sized>(book: &B) -> impl Iterator<Item = Visit> + '_ {
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(Vec::new(), Position::startpos())]);
    std::iter::from_fn(move || {
        while let Some((line, position)) = queue.pop_front() {
            let moves = book.probe(&position);
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

/// What a walk meets, as records in the order of a file.
pub(super) fn records<B: Book + ?Sized>(book: &B) -> Vec<Record> {
    let of_visit = |visit: Visit| {
        let records = visit.moves.into_iter().map(move |found| {
            let weight = u16::try_from(found.weight).unwrap_or(u16::MAX);
            Record::new(&visit.position, found.mv, weight, found.facts)
        });
        records.collect::<Vec<Record>>()
    };
    let mut records: Vec<Record> = walk(book).flat_map(of_visit).collect();
    records.sort_unstable_by_key(|record| (record.key, record.mv));
    // mirrored moves of a symmetric position
    records.dedup_by_key(|record| (record.key, record.mv));
    records
}
