//! Opening books: what a probe takes in a book of the size of the one inside
//! the program, and in one that is larger than any cache of the processor.

mod common;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hanxin::board::{Move, Position};
use hanxin::book::{Book, Facts, HanxinBook, Record};
use hanxin::util::seeded;
use rand::seq::IndexedRandom;

use common::quick;

/// Records of the large book: 192 MB.
const RECORDS: u64 = 8_000_000;

/// Positions after random moves: more of them than caches hold ways to.
fn positions() -> Vec<Position> {
    let mut random = seeded(1, 0);
    let mut after_random_moves = || {
        let mut position = Position::startpos();
        for _ in 0..10 {
            let moves = position.legal_moves();
            let Some(&mv) = moves.choose(&mut random) else { break };
            position.make(mv);
        }
        position
    };
    (0..1 << 16).map(|_| after_random_moves()).collect()
}

/// A book whose keys are spread evenly, with these positions among them.
fn large_book(positions: &[Position]) -> (tempfile::TempDir, HanxinBook) {
    let Some(filler) = Move::from_bits(1 << 7) else { unreachable!("a0b0 is a move") };
    let own = positions.iter().filter_map(|position| {
        let mv = *position.legal_moves().first()?;
        Some(Record::new(position, mv, 1, Facts::default()))
    });
    let step = u64::MAX / RECORDS;
    let spread = (0..RECORDS).map(|number| number * step);
    let mut records: Vec<Record> = spread
        .map(|key| Record { key, mv: filler, weight: 1, facts: Facts::default() })
        .chain(own)
        .collect();
    records.sort_unstable_by_key(|record| (record.key, record.mv));
    records.dedup_by_key(|record| (record.key, record.mv));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("large.hxb");
    hanxin::book::write(&path, records.into_iter().map(Ok)).expect("room for the book");
    let book = HanxinBook::open(&path).expect("the book is whole");
    (folder, book)
}

fn probes(c: &mut Criterion) {
    let positions = positions();
    let own = HanxinBook::embedded();
    let (_folder, large) = large_book(&positions);
    let mut group = c.benchmark_group("book");
    for (name, book) in [("own", &own), ("192 MB", &large)] {
        let mut one = positions[..1].iter().cycle();
        group.bench_function(format!("{name}, the same position"), |bencher| {
            bencher.iter(|| one.next().map(|position| black_box(book.probe(position))));
        });
        let mut all = positions.iter().cycle();
        group.bench_function(format!("{name}, one position after the other"), |bencher| {
            bencher.iter(|| all.next().map(|position| black_box(book.probe(position))));
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = quick(); targets = probes }
criterion_main!(benches);
