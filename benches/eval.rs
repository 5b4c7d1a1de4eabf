//! Nanoseconds of both evaluations, on midgame positions.

mod common;

use std::hint::black_box;
use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
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

/// Measures `work` on one of these items after the other.
fn each<T, R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: impl Into<String>,
    items: &[T],
    mut work: impl FnMut(&T) -> R,
) {
    group.throughput(Throughput::Elements(items.len() as u64));
    group.bench_function(name.into(), |b| {
        b.iter(|| {
            for item in items {
                black_box(work(black_box(item)));
            }
        });
    });
}

fn eval(c: &mut Criterion) {
    let positions = positions();
    let mut group = c.benchmark_group("eval");
    each(&mut group, "update", &steps(&positions), |&(mut accumulator, piece, m, captured)| {
        accumulator.apply(piece, m, captured);
        accumulator
    });
    let children = children(&positions);
    each(&mut group, "refresh", &children, |(position, _)| PieceSquareSums::new(position));
    each(&mut group, "evaluate", &children, |(position, sums)| evaluate(position, sums));
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
    let (positions, network) = (positions(), network());
    let mut group = c.benchmark_group("nnue");
    accumulator(&mut group, &positions, &network);
    kernels(&mut group, &positions, &network);
    group.finish();
}

/// The net as a search uses it.
fn accumulator(
    group: &mut BenchmarkGroup<'_, WallTime>,
    positions: &[Position],
    network: &Arc<Network>,
) {
    let mut stacks: Vec<AccumulatorStack> = positions
        .iter()
        .map(|position| AccumulatorStack::new(Arc::clone(network), position))
        .collect();
    let children = numbered_children(positions);
    each(group, "update and evaluate", &children, |(number, m, child)| {
        let stack = &mut stacks[*number];
        stack.push(&positions[*number], *m);
        black_box(stack.evaluate(child));
        stack.pop();
    });
    each(group, "refresh by difference", &children, |(_, _, child)| stacks[0].reset(child));
    stacks[0].reset(&positions[0]);
    let numbers: Vec<usize> = (0..positions.len()).collect();
    each(group, "evaluate", &numbers, |&number| stacks[number].evaluate(&positions[number]));
}

/// Its arithmetic, with each set of instructions.
fn kernels(group: &mut BenchmarkGroup<'_, WallTime>, positions: &[Position], network: &Network) {
    let weights = network.weights();
    let rows: Vec<_> = positions.iter().map(|position| rows(network, position)).collect();
    let pair = [[weights.feature_biases; 2]];
    for kernel in Kernel::available() {
        let name = kernel.name();
        each(group, format!("full refresh, {name}"), &rows, |rows| {
            for rows in rows {
                let mut accumulator = weights.feature_biases;
                kernel.add_sub_all(&mut accumulator, rows, &[]);
                black_box(accumulator);
            }
        });
        each(group, format!("head, {name}"), &pair, |[own, enemy]| {
            kernel.output([own, enemy], &weights.heads[0])
        });
        let mut to = Accumulator::ZERO;
        each(group, format!("add and subtract, {name}"), &pair, |[from, _]| {
            kernel.add_sub(from, &weights.features[7], &weights.features[8], black_box(&mut to));
        });
    }
}

/// The legal moves of all positions, each with the number of its position and
/// what it leads to.
fn numbered_children(positions: &[Position]) -> Vec<(usize, Move, Position)> {
    let of_one = |(number, position): (usize, &Position)| {
        let child = |&m: &Move| {
            let mut child = position.clone();
            child.make(m);
            (number, m, child)
        };
        position.legal_moves().iter().map(child).collect::<Vec<_>>()
    };
    positions.iter().enumerate().flat_map(of_one).collect()
}

criterion_group! { name = benches; config = quick(); targets = eval, net }
criterion_main!(benches);
