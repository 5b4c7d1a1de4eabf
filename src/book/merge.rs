//! Books into one: their records in one order, those of the same move added up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::native::Record;

/// The records of several books in the order of a file; of one move in several
/// books there is one record: results and weights are added up, and the score
/// is that of the deepest search.
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
    std::iter::from_fn(move || {
        let mut sum = pending.take()?;
        loop {
            pending = next();
            match pending {
                Some(same) if place(&same) == place(&sum) => sum = add(sum, same),
                _ => return Some(sum),
            }
        }
    })
}

fn add(one: Record, other: Record) -> Record {
    let mut sum = if one.facts.depth >= other.facts.depth { one } else { other };
    sum.weight = one.weight.saturating_add(other.weight);
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
            vec![record(3, "a0a1", 2, 8)],
        ];
        let merged: Vec<Record> = merge(books.map(Vec::into_iter)).collect();
        let facts = |results, depth: u8| Facts { results, score: Some(depth.into()), depth };
        let expected = [
            Record { facts: facts([2, 4, 6], 9), ..record(1, "a0a1", u16::MAX, 0) },
            record(2, "a0a1", 7, 7),
            Record { facts: facts([2, 4, 6], 8), ..record(3, "a0a1", 3, 0) },
            record(3, "a0a2", 1, 1),
        ];
        assert_eq!(merged, expected);
        assert_eq!(merge(Vec::<std::vec::IntoIter<Record>>::new()).count(), 0);
    }
}
