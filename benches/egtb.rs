//! Endgame tables inside the program: what a probe takes where the block is at
//! hand, and where it is read anew.

mod common;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use hanxin::board::{Color, Position};
use hanxin::egtb::{Index, Prober, Tables};

use common::quick;

/// Positions of a large table, so many numbers apart.
fn positions(step: usize) -> Vec<Position> {
    let material = "KRNKAABB".parse().expect("the name of a material");
    let index = Index::new(material);
    let side = |number| {
        let position = index.position(number, Color::Red)?;
        // the side that the table has
        let mut prober = Prober::new(Arc::new(Tables::embedded().clone()));
        prober.wdl_at_once(&mut position.clone()).map(|_| position)
    };
    let mut number = 0;
    let mut positions = Vec::new();
    while positions.len() < 512 {
        positions.extend(side(number % index.size()));
        number += step;
    }
    positions
}

fn probes(c: &mut Criterion) {
    let mut group = c.benchmark_group("egtb");
    for (name, step) in [("neighbouring positions", 1), ("positions all over a table", 99_991)] {
        let mut positions = positions(step);
        let mut prober = Prober::new(Arc::new(Tables::embedded().clone()));
        let mut next = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                next = (next + 1) % positions.len();
                black_box(prober.wdl(&mut positions[next]))
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = quick(); targets = probes }
criterion_main!(benches);
