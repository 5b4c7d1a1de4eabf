//! The board: generation, legality, make and unmake, exchanges, FEN, perft.
//! An element is a move, for perft a path and for FEN a position.

mod common;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use hanxin::board::{Move, MoveList, Position, perft};

use common::{FENS, positions, quick};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Times one kind of generation; `generate` gives a list of moves.
fn generation(group: &mut Group, name: &str, generate: impl Fn(&Position) -> MoveList) {
    let positions = positions();
    let moves: usize = positions.iter().map(|position| generate(position).len()).sum();
    group.throughput(Throughput::Elements(moves as u64));
    group.bench_function(name, |b| {
        b.iter(|| {
            for position in &positions {
                black_box(generate(black_box(position)));
            }
        });
    });
}

fn move_generation(c: &mut Criterion) {
    let mut group = c.benchmark_group("board/generate");
    generation(&mut group, "captures", |position| {
        let mut list = MoveList::new();
        position.captures_into(&mut list);
        list
    });
    generation(&mut group, "quiets", |position| {
        let mut list = MoveList::new();
        position.quiets_into(&mut list);
        list
    });
    generation(&mut group, "legal", Position::legal_moves);
    group.finish();
}

/// Times what is done with one move, for all the moves that `pick` leaves of
/// the legal ones.
fn per_move<T>(
    group: &mut Group,
    name: &str,
    pick: impl Fn(&Position, Move) -> bool,
    act: impl Fn(&mut Position, Move) -> T,
) {
    let of_one = |position: Position| {
        let moves = position.legal_moves();
        let moves: Vec<Move> = moves.iter().copied().filter(|&m| pick(&position, m)).collect();
        (position, moves)
    };
    let mut positions: Vec<(Position, Vec<Move>)> = positions().into_iter().map(of_one).collect();
    let moves: usize = positions.iter().map(|(_, moves)| moves.len()).sum();
    group.throughput(Throughput::Elements(moves as u64));
    group.bench_function(name, |b| {
        b.iter(|| {
            for (position, moves) in &mut positions {
                for &m in moves.iter() {
                    black_box(act(position, m));
                }
            }
        });
    });
}

fn moves(c: &mut Criterion) {
    let mut group = c.benchmark_group("board/move");
    per_move(
        &mut group,
        "make and unmake",
        |_, _| true,
        |position, m| {
            let undo = position.make(m);
            position.unmake(m, undo);
        },
    );
    per_move(
        &mut group,
        "leaves king safe",
        |_, _| true,
        |position, m| position.leaves_king_safe(m),
    );
    per_move(&mut group, "exchange", Position::is_capture, |position, m| position.see_ge(m, 0));
    group.finish();
}

/// The squares are found once for each position, as a search does.
fn checks(c: &mut Criterion) {
    let mut group = c.benchmark_group("board/move");
    let positions: Vec<_> =
        positions().into_iter().map(|position| (position.legal_moves(), position)).collect();
    let moves: usize = positions.iter().map(|(moves, _)| moves.len()).sum();
    group.throughput(Throughput::Elements(moves as u64));
    group.bench_function("gives check", |b| {
        b.iter(|| {
            for (moves, position) in &positions {
                let squares = position.check_squares();
                for &m in moves.iter() {
                    black_box(position.gives_check(m, &squares));
                }
            }
        });
    });
    group.finish();
}

fn whole(c: &mut Criterion) {
    let mut group = c.benchmark_group("board");
    let mut positions = positions();
    let paths: u64 = positions.iter_mut().map(|position| perft(position, 3)).sum();
    group.throughput(Throughput::Elements(paths));
    group.bench_function("perft 3", |b| {
        b.iter(|| {
            for position in &mut positions {
                black_box(perft(position, 3));
            }
        });
    });
    group.throughput(Throughput::Elements(FENS.len() as u64));
    group.bench_function("read FEN", |b| {
        b.iter(|| {
            for fen in FENS {
                // whatever it is: the time to read it is what counts
                let _ = black_box(Position::from_fen(black_box(fen)));
            }
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = quick(); targets = move_generation, moves, checks, whole }
criterion_main!(benches);
