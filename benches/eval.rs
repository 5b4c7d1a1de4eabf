//! Nanoseconds of the evaluation, on midgame positions.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hanxin::board::{Move, Piece, Position};
use hanxin::eval::classical::{Accumulator, evaluate};

const POSITIONS: [&str; 6] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w",
    "r1bak2nr/4a4/1cn1b2c1/p1p1p3p/6p2/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 w",
    "1C2kab2/4a4/4b1n2/p4r2p/4p1p1c/3N5/P3P1PnP/2NCB4/2R1A4/1c2KAB2 w",
    "r3kabr1/4a4/c1n1b2c1/p1p1p3p/2P4R1/3n5/P1C1P1p1P/N3C1N2/9/1RBAKAB2 w",
    "4kab2/4a4/3cb3c/R3C3p/5C3/2P1r4/P4p2P/4B4/4A4/4KAB2 w",
];

fn positions() -> Vec<Position> {
    let read = |fen: &&str| Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    POSITIONS.iter().map(read).collect()
}

/// All legal moves of all positions with what they move and take.
fn steps(positions: &[Position]) -> Vec<(Accumulator, Piece, Move, Option<Piece>)> {
    let of_one = |position: &Position| {
        let accumulator = Accumulator::new(position);
        let step = |&m: &Move| {
            let piece = position.piece_at(m.from())?;
            Some((accumulator, piece, m, position.piece_at(m.to())))
        };
        position.legal_moves().iter().filter_map(step).collect::<Vec<_>>()
    };
    positions.iter().flat_map(of_one).collect()
}

/// Every sixth move of each position made: enough of them that no branch is
/// learnt by heart, few enough for the fastest cache, where a search has its
/// position too.
fn children(positions: &[Position]) -> Vec<(Position, Accumulator)> {
    let of_one = |position: &Position| {
        let child = |&m: &Move| {
            let mut child = position.clone();
            child.make(m);
            let accumulator = Accumulator::new(&child);
            (child, accumulator)
        };
        position.legal_moves().iter().step_by(6).map(child).collect::<Vec<_>>()
    };
    positions.iter().flat_map(of_one).collect()
}

fn eval(c: &mut Criterion) {
    let positions = positions();
    let mut group = c.benchmark_group("eval");
    let steps = steps(&positions);
    group.throughput(Throughput::Elements(steps.len() as u64));
    group.bench_function("update", |b| {
        b.iter(|| {
            for &(mut accumulator, piece, m, captured) in &steps {
                accumulator.apply(piece, m, captured);
                black_box(accumulator);
            }
        });
    });
    let children = children(&positions);
    group.throughput(Throughput::Elements(children.len() as u64));
    group.bench_function("refresh", |b| {
        b.iter(|| {
            for (position, _) in &children {
                black_box(Accumulator::new(position));
            }
        });
    });
    group.bench_function("evaluate", |b| {
        b.iter(|| {
            for (position, accumulator) in &children {
                black_box(evaluate(position, accumulator));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, eval);
criterion_main!(benches);
