//! Makes games by self-play.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use hanxin::search::Params;
use indicatif::ProgressBar;

use crate::cores;
use crate::progress::{bar, print_line};
use crate::selfplay::{Evaluation, Player};
use crate::store::Store;
use hanxin::arena::training::Header;
use hanxin::arena::training::Record;

/// The games to make.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    goal: Goal,
    /// Nodes of a move after which no iteration begins
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Games played at the same time
    #[arg(long, default_value_t = cores(), value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Determines the games; files to be used together need different ones
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many in a hundred games begin with a random ending
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=100))]
    endings: u32,
    #[command(flatten)]
    evaluation: Evaluation,
    /// The file; if it exists it is continued
    #[arg(long)]
    out: PathBuf,
}

/// When to stop, the games that the file holds already counted.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Goal {
    /// Stop after this number of games
    #[arg(long)]
    games: Option<u32>,
    /// Stop after this number of searched positions
    #[arg(long)]
    positions: Option<u64>,
}

/// Plays until the goal is reached or the user stops it.
///
/// # Errors
/// When the file cannot be written or a search cannot run.
pub fn run(options: &Options) -> Result<()> {
    let Options { nodes, seed, endings, .. } = *options;
    let header = Header { nodes, seed, endings };
    let (mut store, games) = Store::open(&options.out, header)?;
    let eval = options.evaluation.open()?;
    let queue = Arc::new(Queue::new(header, options.goal.games.unwrap_or(u32::MAX), &games));
    let stopper = Arc::clone(&queue);
    ctrlc::set_handler(move || stopper.stop()).context("cannot watch for Ctrl-C")?;

    let mut progress = Progress::new(&options.goal, &games);
    if progress.is_complete() {
        queue.stop();
    }
    let (sender, receiver) = channel();
    let mut workers = Vec::new();
    for _ in 0..options.threads {
        let mut player = Player::new(u64::from(options.nodes), eval.clone())?;
        // a net cannot see how near the natural limit is: its labels ignore it
        player.set_params(Params { fade: 0, ..Params::default() });
        let (queue, sender) = (Arc::clone(&queue), sender.clone());
        workers.push(std::thread::spawn(move || queue.work(player, &sender)));
    }
    drop(sender);
    // the workers stop asking for games, and with the last of them the channel ends
    for game in receiver {
        store.append(&game)?;
        if progress.add(&game) {
            queue.stop();
        }
    }
    for worker in workers {
        worker.join().map_err(|_| anyhow::anyhow!("a worker has panicked"))??;
    }
    progress.finish();
    Ok(())
}

/// The numbers of the games that are still to play.
struct Queue {
    header: Header,
    next: AtomicU32,
    present: HashSet<u32>,
    /// Games from this number on are not wanted.
    end: u32,
    stopped: AtomicBool,
}

impl Queue {
    fn new(header: Header, end: u32, games: &[Record]) -> Queue {
        let present = games.iter().map(|game| game.number).collect();
        Queue { header, next: AtomicU32::new(0), present, end, stopped: AtomicBool::new(false) }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn take(&self) -> Option<u32> {
        while !self.stopped.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.end {
                break;
            }
            if !self.present.contains(&number) {
                return Some(number);
            }
        }
        None
    }

    /// Plays game after game.
    fn work(&self, mut player: Player, games: &Sender<Record>) -> Result<()> {
        while let Some(number) = self.take() {
            if games.send(player.play(self.header, number)?).is_err() {
                break; // the receiver has failed and says why
            }
        }
        Ok(())
    }
}

/// What has been made, on the screen.
struct Progress {
    bar: ProgressBar,
    by_games: bool,
    games: u64,
    positions: u64,
    new_positions: u64,
    began: Instant,
}

impl Progress {
    fn new(goal: &Goal, games: &[Record]) -> Progress {
        let target = goal.games.map(u64::from).or(goal.positions).unwrap_or(0);
        let positions = games.iter().map(|game| game.plies.len() as u64).sum();
        let progress = Progress {
            bar: bar(target),
            by_games: goal.games.is_some(),
            games: games.len() as u64,
            positions,
            new_positions: 0,
            began: Instant::now(),
        };
        progress.bar.set_position(progress.done());
        progress.bar.reset_eta();
        progress
    }

    fn done(&self) -> u64 {
        if self.by_games { self.games } else { self.positions }
    }

    /// Counts a game and says whether the goal is reached.
    fn add(&mut self, game: &Record) -> bool {
        self.games += 1;
        self.positions += game.plies.len() as u64;
        self.new_positions += game.plies.len() as u64;
        self.bar.set_position(self.done());
        self.bar.set_message(format!("{} games, {:.0} positions/h", self.games, self.rate()));
        self.is_complete()
    }

    fn is_complete(&self) -> bool {
        Some(self.done()) >= self.bar.length()
    }

    /// Positions per hour.
    fn rate(&self) -> f64 {
        3_600.0 * self.new_positions as f64 / self.began.elapsed().as_secs_f64()
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
        print_line!(
            "{} games, {} positions; {} of them now, {:.0} an hour",
            self.games,
            self.positions,
            self.new_positions,
            self.rate()
        );
    }
}
