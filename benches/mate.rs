//! Mates by checks: proofs of long ones, with and without the search for the
//! shortest, and refutations. An element is a node.

mod common;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hanxin::board::Position;
use hanxin::mate::{MateLimits, MateSearch};

use common::{positions, quick};

const MATES: [(u16, &str); 3] = [
    (13, "3a5/3kC2n1/b3NP3/9/9/1r3pP2/4P2RN/2pA5/5c3/3K5 w"),
    (15, "2ba1aPC1/4k4/1c2b3P/r8/5N3/1n4p1p/5R3/1r1A1K3/9/9 w"),
    (17, "6bN1/5kn2/1P2Ra3/9/9/9/2Pp3C1/1R7/1r7/r2A1K2p w"),
];
const ENTRIES: usize = 1 << 16;

fn proofs(c: &mut Criterion) {
    let mut search = MateSearch::new(ENTRIES);
    for (kind, shortest) in [("first", false), ("shortest", true)] {
        let mut group = c.benchmark_group(format!("mate/{kind}"));
        for (moves, fen) in MATES {
            let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            let limits = MateLimits { shortest, ..MateLimits::default() };
            let mut prove = || search.prove(&position, &[], limits, || false);
            let found = prove();
            assert!(found.mate_in >= Some(moves), "{fen}: {found:?}");
            group.throughput(Throughput::Elements(found.nodes));
            group.bench_function(BenchmarkId::from_parameter(moves), |b| b.iter(&mut prove));
        }
        group.finish();
    }
}

/// What the question costs where there is no mate: six positions together.
fn refutations(c: &mut Criterion) {
    let mut search = MateSearch::new(ENTRIES);
    let positions = positions();
    let mut refute = || -> u64 {
        let mut found = |position| search.prove(position, &[], MateLimits::default(), || false);
        positions.iter().map(|position| black_box(found(position)).nodes).sum()
    };
    let mut group = c.benchmark_group("mate");
    group.throughput(Throughput::Elements(refute()));
    group.bench_function("none", |b| b.iter(&mut refute));
    group.finish();
}

criterion_group! { name = benches; config = quick(); targets = proofs, refutations }
criterion_main!(benches);
