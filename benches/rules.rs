//! Time of the rules: a long game with many repetitions, and one
//! verdict on a cycle of two rounds.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hanxin::board::{Color, Move, Position};
use hanxin::rules::{Game, Parameters, RuleSet, judge_cycle, offends_any};
use hanxin::util::{Random, seeded};
use rand::RngExt;
use rand::seq::SliceRandom;

const START: &str = "r1bak2nr/4a4/1cn1b2c1/p1p1p3p/6p2/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 w";
const PLIES: usize = 300;

const CYCLES: [(&str, &str, &str); 4] = [
    ("check", "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w", "e9d9 d8e8 d9e9 e8d8"),
    ("chase", "9/5k3/8b/9/r8/1C2P4/9/4K4/9/9 b", "a5b5 b4a4 b5a5 a4b4"),
    ("mixture", "4ka3/9/b4a3/9/6b2/9/6R2/9/3p1KCr1/9 w", "g3e3 f9e8 e3g3 e8f9"),
    ("idle", START, "h0h1 i9i8 h1h0 i8i9"),
];

/// No end by the limit, and the same fold for all.
fn parameters(rules: RuleSet) -> Parameters {
    Parameters { fold: 3, quiet_limit: u16::MAX, ..rules.parameters() }
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn back(m: Move) -> Move {
    Move::new(m.to(), m.from()).unwrap_or(m)
}

/// The quiet legal moves in random order, the one that takes the last own move
/// back most often first.
fn candidates(game: &Game, rng: &mut Random) -> Vec<Move> {
    let position = game.position();
    let is_quiet = |m: &Move| !position.is_capture(*m) && position.is_legal(*m);
    let mut moves: Vec<Move> = position.legal_moves().iter().copied().filter(is_quiet).collect();
    moves.shuffle(rng);
    let undoing = game.moves().nth(game.ply().wrapping_sub(2)).map(back).filter(is_quiet);
    undoing.filter(|_| rng.random_bool(0.7)).into_iter().chain(moves).collect()
}

/// A legal game without captures that goes on, by going back and forth, to
/// repeat positions for the second time, and for the third with its last move.
fn long_game() -> Vec<Move> {
    let mut rng = seeded(1, 0);
    let mut game = Game::new(position(START), parameters(RuleSet::Axf));
    while game.ply() < PLIES || game.outcome().is_none() {
        if game.ply() == PLIES {
            // not ended by its last move: another way through the last plies
            (0..20).for_each(|_| {
                game.undo();
            });
        }
        let is_last = game.ply() + 1 == PLIES;
        let fits = |m: &Move| {
            let mut next = game.clone();
            next.play(*m).is_ok() && next.outcome().is_some() == is_last
        };
        let moves = candidates(&game, &mut rng);
        match moves.iter().find(|m| fits(m)).or(moves.first().filter(|_| is_last)) {
            Some(&m) => game.play(m).unwrap_or_else(|error| panic!("{error}")),
            None => {
                game.undo();
            }
        }
    }
    game.moves().collect()
}

fn replay(c: &mut Criterion) {
    let (start, moves) = (position(START), long_game());
    let mut group = c.benchmark_group("rules/300 plies");
    for rules in RuleSet::ALL {
        group.bench_function(rules.name(), |b| {
            b.iter(|| {
                let game = Game::replay(start.clone(), parameters(rules), black_box(&moves));
                game.map(|game| game.outcome())
            });
        });
    }
    // what a referee pays once it has kept the game
    let game = Game::replay(start, parameters(RuleSet::Axf), &moves);
    let game = game.unwrap_or_else(|error| panic!("{error}"));
    group.bench_function("last verdict", |b| b.iter(|| black_box(&game).outcome()));
    group.finish();
}

fn cycles(c: &mut Criterion) {
    for (name, fen, moves) in CYCLES {
        let start = position(fen);
        let read = |text: &str| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let moves: Vec<Move> = moves.split(' ').map(read).collect();
        let moves = moves.repeat(2);
        let mut group = c.benchmark_group(format!("rules/cycle of 8, {name}"));
        for rules in RuleSet::ALL {
            group.bench_function(rules.name(), |b| {
                b.iter(|| judge_cycle(rules, black_box(&start), &moves));
            });
        }
        group.bench_function("offends_any", |b| {
            b.iter(|| Color::ALL.map(|side| offends_any(black_box(&start), &moves, side)));
        });
        group.finish();
    }
}

criterion_group!(benches, replay, cycles);
criterion_main!(benches);
