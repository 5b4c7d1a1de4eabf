//! hanxin as a library, without the feature `cli`: what it would play after
//! the central cannon.
//!
//! `cargo run --no-default-features --example library`

use hanxin::board::Position;
use hanxin::notation::Notation;
use hanxin::rules::{Game, RuleSet};
use hanxin::search::{Limits, ThreadPool};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut game = Game::new(Position::startpos(), RuleSet::Axf);
    game.play(Notation::Chinese.parse(game.position(), "炮二平五")?)?;
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let outcome = ThreadPool::new(1, 16)?.search(&game, limits);
    let best = outcome.best.ok_or("the game is over")?;
    println!("{} {}", Notation::Chinese.write(game.position(), best), outcome.score);
    Ok(())
}
