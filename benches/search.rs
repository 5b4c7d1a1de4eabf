//! Whole searches from an empty memory, to a fixed number of nodes and to a
//! fixed depth. An element is a node.

mod common;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use hanxin::board::Position;
use hanxin::rules::Game;
use hanxin::search::{Limits, Outcome, ThreadPool};

use common::{positions, quick};

const MEGABYTES: usize = 64;
const NODES: u64 = 50_000;
const DEPTH: u32 = 10;

fn search(pool: &mut ThreadPool, position: &Position, limits: &Limits) -> Outcome {
    pool.clear();
    pool.search(&Game::from(position.clone()), limits.clone())
}

fn searches(c: &mut Criterion, kind: &str, limits: &Limits) {
    let mut pool = ThreadPool::new(1, MEGABYTES).unwrap_or_else(|error| panic!("{error}"));
    let mut group = c.benchmark_group(format!("search/{kind}"));
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    let positions = positions();
    for (name, position) in
        [("start", &positions[0]), ("midgame", &positions[2]), ("open midgame", &positions[4])]
    {
        group.throughput(Throughput::Elements(search(&mut pool, position, limits).nodes));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            // emptying the table is not part of the search
            b.iter_custom(|times| {
                (0..times).map(|_| search(&mut pool, position, limits).time).sum()
            });
        });
    }
    group.finish();
}

fn to_nodes(c: &mut Criterion) {
    searches(c, "50,000 nodes", &Limits { nodes: Some(NODES), ..Limits::default() });
}

fn to_depth(c: &mut Criterion) {
    searches(c, "depth 10", &Limits { depth: Some(DEPTH), ..Limits::default() });
}

criterion_group! { name = benches; config = quick(); targets = to_nodes, to_depth }
criterion_main!(benches);
