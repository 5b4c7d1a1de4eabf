//! Nanoseconds of both evaluations, on midgame positions.

mod common;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hanxin::board::{Color, Move, Piece, Position};
use hanxin::eval::classical::{PieceSquareSums, evaluate};
use hanxin::eval::nnue::features::Flanks;
use hanxin::eval::nnue::{Accumulator, AccumulatorStack, FeatureWeights, Kernel, Network, Weights};

use common::{positions, quick};

/// All legal moves of all positions with what they move and take.
fn steps(positions: &[Position]) -> Vec<(PieceSquareSums, Piece, Move, Option<Piece>)> {
    let of_one = |position: &Position| {
        let accumulator = PieceSquareSums::new(position);
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
fn children(positions: &[Position]) -> Vec<(Position, PieceSquareSums)> {
    let of_one = |position: &Position| {
        let child = |&m: &Move| {
            let mut child = position.clone();
            child.make(m);
            let accumulator = PieceSquareSums::new(&child);
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
                black_box(PieceSquareSums::new(position));
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

/// A net of random weights: the numbers do not matter for the time.
fn network() -> Arc<Network> {
    let mut state = 1u64;
    let mut random = |range: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) % (2 * range + 1)) as i16 - range as i16
    };
    let mut weights = Weights::zero();
    weights.features.iter_mut().for_each(|row| row.0.fill_with(|| random(40) as i8));
    for head in weights.heads.iter_mut() {
        head.l2_weights.as_flattened_mut().fill_with(|| random(200));
        head.l3_weights.as_flattened_mut().fill_with(|| random(300));
        head.outputs.fill_with(|| random(400));
    }
    Arc::new(Network::new("random".into(), weights).expect("the weights are small"))
}

/// The features of all pieces of a position for both sides.
fn rows<'a>(network: &'a Network, position: &Position) -> [Vec<&'a FeatureWeights>; 2] {
    let row = |feature: usize| &network.weights().features[feature];
    Color::ALL
        .map(|color| Flanks::of(position).perspective(color).features(position).map(row).collect())
}

fn net(c: &mut Criterion) {
    let positions = positions();
    let network = network();
    let families: Vec<(&Position, Vec<(Move, Position)>)> =
        positions.iter().map(|position| (position, moves_and_children(position))).collect();
    let moves = families.iter().map(|(_, children)| children.len() as u64).sum();
    let mut stacks: Vec<AccumulatorStack> = positions
        .iter()
        .map(|position| AccumulatorStack::new(Arc::clone(&network), position))
        .collect();
    let mut group = c.benchmark_group("nnue");
    group.throughput(Throughput::Elements(moves));
    group.bench_function("update and evaluate", |b| {
        b.iter(|| {
            for ((position, children), stack) in families.iter().zip(&mut stacks) {
                for (m, child) in children {
                    stack.push(position, *m);
                    black_box(stack.evaluate(child));
                    stack.pop();
                }
            }
        });
    });
    group.bench_function("refresh by difference", |b| {
        let stack = &mut stacks[0];
        b.iter(|| {
            for (_, child) in families.iter().flat_map(|(_, children)| children) {
                stack.reset(black_box(child));
            }
        });
    });
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("evaluate", |b| {
        for (stack, position) in stacks.iter_mut().zip(&positions) {
            stack.reset(position);
        }
        b.iter(|| {
            for (stack, position) in stacks.iter_mut().zip(&positions) {
                black_box(stack.evaluate(position));
            }
        });
    });
    let rows: Vec<_> = positions.iter().map(|position| rows(&network, position)).collect();
    for kernel in Kernel::available() {
        group.bench_function(format!("full refresh, {}", kernel.name()), |b| {
            b.iter(|| {
                for rows in rows.iter().flatten() {
                    let mut accumulator = network.weights().feature_biases;
                    kernel.add_sub_all(&mut accumulator, rows, &[]);
                    black_box(accumulator);
                }
            });
        });
    }
    let accumulators = [network.weights().feature_biases; 2];
    group.throughput(Throughput::Elements(1));
    for kernel in Kernel::available() {
        group.bench_function(format!("head, {}", kernel.name()), |b| {
            let head = &network.weights().heads[0];
            b.iter(|| {
                black_box(kernel.output(black_box([&accumulators[0], &accumulators[1]]), head))
            });
        });
        group.bench_function(format!("add and subtract, {}", kernel.name()), |b| {
            let mut to = Accumulator::ZERO;
            let [added, removed] = [&network.weights().features[7], &network.weights().features[8]];
            b.iter(|| {
                kernel.add_sub(black_box(&accumulators[0]), added, removed, black_box(&mut to))
            });
        });
    }
    group.finish();
}

/// The legal moves of a position with what they lead to.
fn moves_and_children(position: &Position) -> Vec<(Move, Position)> {
    let child = |&m: &Move| {
        let mut child = position.clone();
        child.make(m);
        (m, child)
    };
    position.legal_moves().iter().map(child).collect()
}

criterion_group! { name = benches; config = quick(); targets = eval, net }
criterion_main!(benches);
