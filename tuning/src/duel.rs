//! A match of two engines at fixed nodes, for judging weights.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};

use anyhow::Result;
use clap::Args;
use hanxin::arena::stats::{Elo, Model, Points, Tally};
use hanxin::board::Move;
use hanxin::eval::EvalKind;

use crate::engine::Engine;
use crate::pairs::{Mover, play_pair};
use crate::progress::say;
use crate::selfplay::Player;
use hanxin::util::seeded;

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
                say!("{}", standing(&tally));
            }
        }
        say!("{}", standing(&tally));
        Ok(())
    })
}

/// Plays pair after pair.
fn work(options: &Options, next: &AtomicU32, pairs: &Sender<Result<[Points; 2]>>) -> Result<()> {
    let mut opener = Player::new(options.nodes, EvalKind::default())?;
    let nodes = options.nodes;
    let start = |path: &Path, settings: &[String]| -> Result<Contender> {
        Ok(Contender { engine: Engine::start(path, settings)?, nodes })
    };
    let mut first = start(&options.first, &options.first_options)?;
    let mut second = start(&options.second, &options.second_options)?;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= options.pairs {
            return Ok(());
        }
        let mut random = seeded(options.seed, u64::from(number));
        let opening = opener.opening(&mut random)?;
        let points = play_pair(&mut first, &mut second, &opening)?;
        if pairs.send(Ok(points)).is_err() {
            return Ok(());
        }
    }
}

/// An engine that searches a fixed number of nodes.
struct Contender {
    engine: Engine,
    nodes: u64,
}

impl Mover for Contender {
    fn new_game(&mut self) -> Result<()> {
        self.engine.new_game()
    }

    fn choose(&mut self, moves: Vec<Move>) -> Result<Move> {
        self.engine.search(moves.into_iter(), self.nodes)
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
}
