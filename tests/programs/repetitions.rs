//! Writes games that end in a repetition, a mate or a stalemate, for
//! comparison with other judges: `rules_oracle.py` and the test
//! `rules_differential` use them.
//!
//! `cargo run --release --example repetitions -- <games> <seed>` writes CSV
//! with the columns `start` and `moves`. The start is the first occurrence of
//! the position that is repeated and the last move brings about the third, so
//! that it does not matter how a judge treats the move before its window.
//!
//! About three starts in four come from games that the engine plays against
//! itself with a few nodes a move, the others are random pieces. From there
//! each side goes there and back with one or two pieces or around with one, by
//! moves that attack if there are any. The ends of the engine's games are
//! written too: their own repetitions, mates and stalemates.

#[path = "../positions/mod.rs"]
mod positions;

use std::io::{self, BufWriter, Write};

use hanxin::board::{Move, Position};
use hanxin::rules::{Game, Parameters, RuleSet, effects};
use hanxin::search::{Limits, ThreadPool};
use hanxin::util::{Random, seeded};
use positions::random_position;
use rand::RngExt;
use rand::seq::IndexedRandom;

fn main() -> io::Result<()> {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let &[games, seed] = &numbers[..] else {
        eprintln!("usage: repetitions <games> <seed>");
        std::process::exit(2);
    };
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "start,moves")?;
    let mut source = Source { rng: seeded(seed, 0), pool: pool(), ready: Vec::new() };
    for _ in 0..games {
        let (start, moves) = source.next_game();
        let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
        writeln!(out, "{},{}", fen_afresh(&start), moves.join(" "))?;
    }
    out.flush()
}

/// The FEN with the counters of a new game. Natural limits are not what is
/// compared, and the other judge's comes sooner.
fn fen_afresh(position: &Position) -> String {
    let fen = position.to_fen();
    let board_and_side: Vec<&str> = fen.split(' ').take(2).collect();
    format!("{} - - 0 1", board_and_side.join(" "))
}

fn pool() -> ThreadPool {
    ThreadPool::new(1, 1).unwrap_or_else(|error| panic!("{error}"))
}

/// Letters of which random positions are made; the frequent ones chase most.
const PIECES: [&str; 13] = ["R", "R", "R", "N", "N", "N", "C", "C", "C", "P", "P", "A", "B"];

type Record = (Position, Vec<Move>);

struct Source {
    rng: Random,
    pool: ThreadPool,
    /// Games found and not yet handed out.
    ready: Vec<Record>,
}

impl Source {
    fn next_game(&mut self) -> Record {
        loop {
            if let Some(game) = self.ready.pop() {
                return game;
            }
            if self.rng.random_bool(0.99) {
                let position = self.random_position();
                let cycle = position.and_then(|position| self.repetition(&position));
                self.ready.extend(cycle);
            } else {
                self.play();
            }
        }
    }

    fn random_position(&mut self) -> Option<Position> {
        let mut pieces = || {
            let count = self.rng.random_range(1..=6);
            let others = (0..count).filter_map(|_| PIECES.choose(&mut self.rng));
            ["K"].iter().chain(others).copied().collect::<String>()
        };
        let (red, black) = (pieces(), pieces());
        let side = if self.rng.random() { 'w' } else { 'b' };
        random_position(&mut self.rng, &red, &black, side)
    }

    /// The position with a cycle that leads back to it, twice.
    fn repetition(&mut self, start: &Position) -> Option<Record> {
        let cycle = self.cycle(start)?;
        // most cycles that nobody could hold against anybody are left out
        let is_lively = (0..2).any(|side| is_attack_throughout(start, &cycle, side));
        (is_lively || self.rng.random_bool(0.1)).then(|| (start.clone(), cycle.repeat(2)))
    }

    fn cycle(&mut self, start: &Position) -> Option<Vec<Move>> {
        let shape = self.rng.random_range(0..4);
        let free = if shape == 0 { 2 } else { 1 + usize::from(shape == 1) };
        let mut position = start.clone();
        let mut moves: Vec<Move> = Vec::new();
        for ply in 0..2 * free {
            let follows = |m: &Move| shape != 0 || ply < 2 || m.from() == moves[ply - 2].to();
            let legal = position.legal_moves();
            let quiet = legal.iter().copied().filter(|&m| !position.is_capture(m)).filter(follows);
            let choices: Vec<Move> = quiet.collect();
            let picks: Vec<Move> = choices.sample(&mut self.rng, 8).copied().collect();
            let attacking: Vec<Move> =
                picks.iter().copied().filter(|&m| is_attack(&position, m)).collect();
            let m = *attacking.choose(&mut self.rng).or_else(|| picks.choose(&mut self.rng))?;
            position.make(m);
            moves.push(m);
        }
        for m in way_back(shape, &moves)? {
            if !position.is_legal(m) || position.is_capture(m) {
                return None;
            }
            position.make(m);
            moves.push(m);
        }
        (position.key() == start.key()).then_some(moves)
    }

    /// A game of the engine with itself: repetitions from some of its
    /// positions, and its end.
    fn play(&mut self) {
        let endgame = self.random_position().filter(|_| self.rng.random_bool(0.7));
        let start = endgame.unwrap_or_else(Position::startpos);
        let parameters = Parameters { quiet_limit: 60, ..RuleSet::Axf.parameters() };
        let mut game = Game::new(start, parameters);
        self.pool.clear();
        while game.outcome().is_none() && game.ply() < 200 {
            let opening = game.ply() < 6;
            let legal = game.position().legal_moves();
            let m = if opening { legal.choose(&mut self.rng).copied() } else { self.best(&game) };
            let Some(m) = m else { break };
            game.play(m).unwrap_or_else(|error| panic!("{error}"));
            if game.ply() % 4 == 3 {
                let cycle = self.repetition(&game.position().clone());
                self.ready.extend(cycle);
            }
        }
        self.ready.extend(ending(game));
    }

    fn best(&mut self, game: &Game) -> Option<Move> {
        let nodes = Some(self.rng.random_range(20..200));
        let limits = Limits { nodes, ..Limits::default() };
        self.pool.search(game, limits).best
    }
}

/// The moves that close a cycle: back the way the pieces came, in reverse
/// order, in the same order, or by one move of each side all around.
fn way_back(shape: usize, moves: &[Move]) -> Option<Vec<Move>> {
    let back = |m: &Move| Move::new(m.to(), m.from());
    match (shape, moves) {
        (0, [a, b, c, d]) => {
            [Move::new(c.to(), a.from()), Move::new(d.to(), b.from())].into_iter().collect()
        }
        (1, [a, b, c, d]) if a.to() == c.from() || b.to() == d.from() => {
            [c, d, a, b].into_iter().map(back).collect()
        }
        _ => moves.iter().map(back).collect(),
    }
}

/// Whether the move checks or lets its side capture something next.
fn is_attack(before: &Position, m: Move) -> bool {
    !effects(RuleSet::League, before, m).is_empty() || !effects(RuleSet::Axf, before, m).is_empty()
}

/// Whether every move of the side that moves first (0) or second attacks.
fn is_attack_throughout(start: &Position, moves: &[Move], side: usize) -> bool {
    let mut position = start.clone();
    moves.iter().enumerate().all(|(ply, &m)| {
        let attacks = ply % 2 != side || is_attack(&position, m);
        position.make(m);
        attacks
    })
}

/// The last moves of a game that has ended on the board, from the first
/// occurrence of the final position or a few plies before the mate.
fn ending(game: Game) -> Option<Record> {
    if let Some(cycle) = game.cycle(game.occurrences().min(3)) {
        return (game.occurrences() == 3).then_some(cycle);
    }
    let moves: Vec<Move> = game.moves().collect();
    let first = moves.len().saturating_sub(6);
    let mut start = game.start();
    moves[..first].iter().for_each(|&m| {
        start.make(m);
    });
    (!game.position().has_legal_move()).then(|| (start, moves[first..].to_vec()))
}
