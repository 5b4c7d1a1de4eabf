//! Books into one: their records in one order, those of the same move added up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::native::{Record, in_16_bits};

/// The records of several books in the order of a file; of one move in several
/// books there is one record: results and weights are added up, and the score
/// is that of the deepest search. Where the sum of a weight is too large, all
/// those of the position shrink in proportion.
pub fn merge<I: Iterator<Item = Record>>(
    books: impl IntoIterator<Item = I>,
) -> impl Iterator<Item = Record> {
    let mut rest: Vec<I> = books.into_iter().collect();
    let mut heads: Vec<Option<Record>> = rest.iter_mut().map(Iterator::next).collect();
    let place = |record: &Record| (record.key, record.mv);
    let first = heads.iter().enumerate();
    let mut queue: BinaryHeap<_> = first
        .filter_map(|(book, head)| head.as_ref().map(|head| Reverse((place(head), book))))
        .collect();
    let mut next = move || {
        let Reverse((_, book)) = queue.pop()?;
        let following = rest[book].next();
        queue.extend(following.as_ref().map(|record| Reverse((place(record), book))));
        std::mem::replace(&mut heads[book], following)
    };
    let mut pending = next();
    let positions = std::iter::from_fn(move || {
        let first = pending.take()?;
        let mut moves = vec![(first, u64::from(first.weight))];
        loop {
            pending = next();
            let Some(record) = pending.filter(|record| record.key == first.key) else {
                return Some(summed(moves));
            };
            match moves.last_mut() {
                Some((sum, weight)) if sum.mv == record.mv => {
                    *sum = add(*sum, record);
                    *weight += u64::from(record.weight);
                }
                _ => moves.push((record, record.weight.into())),
            }
        }
    });
    positions.flatten()
}

/// The records of a position with these sums of weights.
fn summed(moves: Vec<(Record, u64)>) -> Vec<Record> {
    let weights = in_16_bits(moves.iter().map(|(_, weight)| *weight));
    let with_weight = |((record, _), weight)| Record { weight, ..record };
    moves.into_iter().zip(weights).map(with_weight).collect()
}

/// The sum of two records of a move, but for the weight.
fn add(one: Record, other: Record) -> Record {
    let mut sum = if one.facts.depth >= other.facts.depth { one } else { other };
    let results = one.facts.results.iter().zip(other.facts.results);
    for (sum, (one, other)) in sum.facts.results.iter_mut().zip(results) {
        *sum = one.saturating_add(other);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::book::Facts;

    fn record(key: u64, mv: &str, weight: u16, depth: u8) -> Record {
        let mv: Move = mv.parse().unwrap();
        let facts = Facts { results: [1, 2, 3], score: Some(depth.into()), depth };
        Record { key, mv, weight, facts }
    }

    #[test]
    fn records_come_in_order_and_once() {
        let books = [
            vec![record(1, "a0a1", 5, 9), record(3, "a0a1", 1, 1), record(3, "a0a2", 1, 1)],
            vec![],
            vec![record(1, "a0a1", u16::MAX, 4), record(2, "a0a1", 7, 7)],
            vec![record(3, "a0a1", 2, 8), record(4, "a0a1", 40_000, 1), record(4, "a0a2", 8, 1)],
            vec![
                record(4, "a0a1", 40_000, 1),
                record(4, "a0a2", 9_992, 1),
                record(4, "a0a3", 1, 1),
            ],
        ];
        let merged: Vec<Record> = merge(books.map(Vec::into_iter)).collect();
        let facts = |results, depth: u8| Facts { results, score: Some(depth.into()), depth };
        let expected = [
            Record { facts: facts([2, 4, 6], 9), ..record(1, "a0a1", u16::MAX, 0) },
            record(2, "a0a1", 7, 7),
            Record { facts: facts([2, 4, 6], 8), ..record(3, "a0a1", 3, 0) },
            record(3, "a0a2", 1, 1),
            Record { facts: facts([2, 4, 6], 1), ..record(4, "a0a1", u16::MAX, 0) },
            Record { facts: facts([2, 4, 6], 1), ..record(4, "a0a2", u16::MAX / 8, 0) },
            record(4, "a0a3", 1, 1),
        ];
        assert_eq!(merged, expected);
        assert_eq!(merge(Vec::<std::vec::IntoIter<Record>>::new()).count(), 0);
    }
}
