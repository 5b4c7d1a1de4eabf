//! The transposition table: probes, stores and their mixture, by one thread
//! and by as many as the machine runs, all on one table. An element is one
//! access, counted over all threads.

mod common;

use std::hint::black_box;
use std::sync::Barrier;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hanxin::board::Move;
use hanxin::score::{Bound, Score};
use hanxin::search::{Entry, TranspositionTable};

use common::quick;

/// Larger than any cache of the processor.
const MEGABYTES: usize = 256;
/// Different positions: about two thirds of what the table holds.
const POSITIONS: u64 = 1 << 24;
/// Accesses of one thread in one iteration.
const BATCH: u64 = 1 << 12;

/// The key of a position: the mixing function of SplitMix64 (Steele, Lea and
/// Flood 2014), so that neighbours lie far apart.
fn key(position: u64) -> u64 {
    let x = (position + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

fn entry(position: u64) -> Entry {
    Entry {
        best: Move::from_bits((position % 8000) as u16),
        score: Score::from_centipawns((position % 1000) as i32),
        eval: None,
        depth: (position % 20) as i32,
        bound: Some(Bound::Lower),
        was_pv: false,
    }
}

/// 1, 2, 4 … and all that the machine runs at the same time.
fn thread_counts() -> Vec<usize> {
    let all = available_parallelism().map_or(1, usize::from);
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|&n| n < all).collect();
    counts.push(all);
    counts
}

/// The time in which each of the threads does so many batches, from when all
/// stand ready until the last one is done.
fn hammer(threads: usize, batches: u64, access: impl Fn(u64) + Sync) -> Duration {
    let ready = Barrier::new(threads);
    let work = |thread: usize| {
        // each thread walks through positions of its own in its own order
        let first = key(thread as u64);
        ready.wait();
        let began = Instant::now();
        for i in 0..batches * BATCH {
            access(first.wrapping_add(i) % POSITIONS);
        }
        began.elapsed()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).max().unwrap_or_default()
    })
}

fn table(c: &mut Criterion) {
    let table = TranspositionTable::new(MEGABYTES).unwrap_or_else(|error| panic!("{error}"));
    for position in 0..POSITIONS {
        table.store(key(position), entry(position));
    }
    let probe = |position| {
        black_box(table.probe(key(position)));
    };
    let store = |position| table.store(key(position), entry(position));
    // as a node does: look, search, store
    let node = |position| {
        if black_box(table.probe(key(position))).is_none_or(|known| known.depth < 10) {
            store(position);
        }
    };
    let accesses: [(&str, &(dyn Fn(u64) + Sync)); 3] =
        [("probe", &probe), ("store", &store), ("probe and store", &node)];
    for (name, access) in accesses {
        let mut group = c.benchmark_group(format!("table/{name}"));
        for threads in thread_counts() {
            group.throughput(Throughput::Elements(threads as u64 * BATCH));
            group.bench_function(BenchmarkId::new("threads", threads), |b| {
                b.iter_custom(|batches| hammer(threads, batches, access));
            });
        }
        group.finish();
    }
}

criterion_group! { name = benches; config = quick(); targets = table }
criterion_main!(benches);
