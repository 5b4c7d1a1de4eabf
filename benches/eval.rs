//! Nanoseconds of the evaluation, on midgame positions.

mod common;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hanxin::board::{Move, Piece, Position};
use hanxin::eval::classical::{Accumulator, evaluate};

use common::{positions, quick};

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

criterion_group! { name = benches; config = quick(); targets = eval }
criterion_main!(benches);
