//! A match of two engines at fixed nodes, for judging weights.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};

use anyhow::{Context, Result};
use clap::Args;
use hanxin::arena::stats::{Elo, Model, Points, Tally};
use hanxin::board::{Color, Move};

use crate::engine::Engine;
use crate::random::Random;
use crate::selfplay::Player;
use crate::verdict::{GameResult, game_after, verdict};

/// Who plays whom, and how.
#[derive(Args, Clone)]
pub struct Options {
    /// The engine to judge, a UCI program
    first: PathBuf,
    /// The engine to judge it by
    second: PathBuf,
    /// An option of the first engine, as name=value
    #[arg(long = "first-option")]
    first_options: Vec<String>,
    /// An option of the second engine, as name=value
    #[arg(long = "second-option")]
    second_options: Vec<String>,
    /// Openings, each played twice with colours exchanged
    #[arg(long, default_value_t = 500)]
    pairs: u32,
    /// Nodes searched for each move
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Games played at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Determines the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A game is drawn at this length, plies.
const LENGTH: usize = 400;
/// How often the standing is shown, pairs.
const REPORT: u64 = 50;

/// Plays all pairs and prints the standing.
///
/// # Errors
/// When an engine fails or plays an illegal move.
pub fn run(options: &Options) -> Result<()> {
    let next = AtomicU32::new(0);
    let (sender, receiver) = channel();
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                if let Err(error) = work(options, next, &sender) {
                    // the receiver is gone only after another error
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        for pair in receiver {
            // no worker begins another pair once one has failed
            tally.add_pair(pair.inspect_err(|_| next.store(options.pairs, Ordering::Relaxed))?);
            if tally.sample().size().is_multiple_of(REPORT) {
                println!("{}", standing(&tally));
            }
        }
        println!("{}", standing(&tally));
        Ok(())
    })
}

/// Plays pair after pair.
fn work(options: &Options, next: &AtomicU32, pairs: &Sender<Result<[Points; 2]>>) -> Result<()> {
    let mut opener = Player::new(options.nodes)?;
    let mut first = Engine::start(&options.first, &options.first_options)?;
    let mut second = Engine::start(&options.second, &options.second_options)?;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= options.pairs {
            return Ok(());
        }
        let mut random = Random::new(options.seed, u64::from(number));
        let opening = opener.opening(&mut random)?;
        let as_red = play(&mut first, &mut second, &opening, options.nodes)?;
        let as_black = play(&mut second, &mut first, &opening, options.nodes)?;
        let points = [points(as_red, Color::Red), points(as_black, Color::Black)];
        if pairs.send(Ok(points)).is_err() {
            return Ok(());
        }
    }
}

/// Plays one game to its end.
fn play(red: &mut Engine, black: &mut Engine, opening: &[Move], nodes: u64) -> Result<GameResult> {
    red.new_game()?;
    black.new_game()?;
    let mut game = game_after(opening)?;
    loop {
        if let Some((result, _)) = verdict(&game, LENGTH) {
            return Ok(result);
        }
        let mover = match game.position().side_to_move() {
            Color::Red => &mut *red,
            Color::Black => &mut *black,
        };
        let best = mover.search(game.moves(), nodes)?;
        game.play(best).with_context(|| format!("in {}", game.position().to_fen()))?;
    }
}

/// What a result is worth for the side that the first engine had.
const fn points(result: GameResult, color: Color) -> Points {
    match (result, color) {
        (GameResult::Draw, _) => Points::Draw,
        (GameResult::Win, Color::Red) | (GameResult::Loss, Color::Black) => Points::Win,
        _ => Points::Loss,
    }
}

/// Wins, draws and losses, the score, Elo with an interval of 95 %, and the
/// pairs by half points.
fn standing(tally: &Tally) -> String {
    let elo = match Elo::of(tally, Model::Logistic) {
        Some(Elo { value, low, high }) => format!("Elo {value:+.1} [{low:+.1}, {high:+.1}]"),
        None => "Elo not known yet".to_owned(),
    };
    format!(
        "+{} ={} -{}, {:.1} %, {elo}, pairs {:?}",
        tally.wins(),
        tally.draws(),
        tally.losses(),
        100.0 * tally.points() / tally.games().max(1) as f64,
        tally.pairs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standing_is_one_line() {
        let mut tally = Tally::default();
        assert_eq!(standing(&tally), "+0 =0 -0, 0.0 %, Elo not known yet, pairs [0, 0, 0, 0, 0]");
        tally.add_pair([Points::Win, Points::Draw]);
        tally.add_pair([Points::Win, Points::Loss]);
        let text = standing(&tally);
        assert!(text.starts_with("+2 =1 -1, 62.5 %, Elo +88.7 ["), "{text}");
        assert!(text.ends_with("], pairs [0, 0, 1, 1, 0]"), "{text}");
    }

    #[test]
    fn points_are_the_first_players() {
        assert_eq!(points(GameResult::Win, Color::Black), Points::Loss);
        assert_eq!(points(GameResult::Loss, Color::Black), Points::Win);
        assert_eq!(points(GameResult::Win, Color::Red), Points::Win);
        assert_eq!(points(GameResult::Draw, Color::Red), Points::Draw);
    }
}
