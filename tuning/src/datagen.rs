//! Makes games by self-play.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use anyhow::{Result, anyhow};
use clap::Args;
use hanxin::arena::training::{Header, Record};
use hanxin::eval::EvalKind;
use hanxin::link::{Dispatcher, Job, Ranks};
use hanxin::util::stop_signal;
use indicatif::ProgressBar;

use crate::progress::{bar, print_line};
use crate::ranks::{self, next_result};
use crate::selfplay::{Evaluation, Player};
use crate::store::Store;
use crate::{cores, interrupted};

const EXAMPLE: &str = "\
Example:
  hanxin-tuning datagen --positions 8000000 --nodes 450 --threads 2 --seed 3 --out games-3.hxg

Ctrl-C ends it; the same command goes on.";

/// The games to make.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    #[command(flatten)]
    goal: Goal,
    /// Nodes of a move after which no iteration begins; with fewer than 20 hardly a
    /// search has a score
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(20..))]
    nodes: u32,
    /// Games played at the same time
    #[arg(long, default_value_t = cores(), value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Determines the games; files to be used together need different ones
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many in a hundred games begin with a random ending
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(..=100))]
    endings: u8,
    /// How many in a hundred of the others begin with moves that are nearly best,
    /// instead of any moves
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(..=100))]
    openings: u8,
    /// How many in a hundred games from the initial position keep scores only while 21 pieces and
    /// more are left, and are played out with a twelfth of the nodes
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=100))]
    midgames: u16,
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
    /// Stop after this number of positions that have scores
    #[arg(long)]
    positions: Option<u64>,
}

/// Games that are given to a rank at once: it answers game by game, and a
/// message has a long way to go.
const GROUP: usize = 16;

/// Plays until the goal is reached or the user stops it, here or on the ranks
/// that were started with this process.
///
/// # Errors
/// When the file cannot be written or a search cannot run.
pub fn run(options: &Options) -> Result<()> {
    let eval = options.evaluation.open()?;
    let plan = format!("datagen {:?}", options.header(&eval));
    let ranks = ranks::join(options.threads, &eval, &plan)?;
    let stop = stop_signal();
    match ranks {
        None => options.collect(None, &eval, &stop),
        Some(ranks) => {
            let done = options.run_on(&ranks, &eval, &stop);
            ranks::leave(ranks, done)
        }
    }
}

impl Options {
    fn header(&self, eval: &EvalKind) -> Header {
        let Options { nodes, seed, endings, openings, midgames, .. } = *self;
        Header { nodes, seed, endings, openings, midgames, evaluation: eval.checksum() }
    }

    /// The part of this rank.
    fn run_on(&self, ranks: &Ranks, eval: &EvalKind, stop: &AtomicBool) -> Result<()> {
        if ranks.is_first() {
            let mut dispatcher = ranks.dispatcher();
            let collected = self.collect(Some((ranks, &mut dispatcher)), eval, stop);
            // whatever has ended it: the other ranks wait for games
            dispatcher.stop();
            return collected;
        }
        let header = self.header(eval);
        let players = Player::for_labels(self.threads, self.nodes.into(), eval)?;
        ranks::serve(ranks, players, stop, |player: &mut Player, job| {
            Ok(player.play(header, job.number)?.encode())
        })
    }

    /// Writes games, which are played here or by other ranks.
    fn collect(
        &self,
        ranks: Option<(&Ranks, &mut Dispatcher<'_>)>,
        eval: &EvalKind,
        stop: &AtomicBool,
    ) -> Result<()> {
        let header = self.header(eval);
        let (mut store, games) = Store::open(&self.out, header)?;
        let queue = Queue::new(header, self.goal.games.unwrap_or(u32::MAX), &games, stop);
        let mut progress = Progress::new(&self.goal, &games);
        if progress.is_complete() {
            queue.stop();
        }
        let mut take_in = |game: &Record| {
            store.append(game)?;
            if progress.add(game) {
                queue.stop();
            }
            Ok(())
        };
        match ranks {
            None => self.play_here(&queue, eval, &mut take_in)?,
            Some((ranks, dispatcher)) => {
                gather(dispatcher, ranks.link.size(), &queue, &mut take_in)?;
            }
        }
        progress.finish();
        if progress.is_complete() { Ok(()) } else { Err(interrupted()) }
    }

    fn play_here(
        &self,
        queue: &Queue<'_>,
        eval: &EvalKind,
        take_in: &mut impl FnMut(&Record) -> Result<()>,
    ) -> Result<()> {
        let players = Player::for_labels(self.threads, self.nodes.into(), eval)?;
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for player in players {
                let sender = sender.clone();
                workers.push(scope.spawn(move || queue.work(player, &sender)));
            }
            drop(sender);
            // the workers stop asking for games, and with the last of them the channel ends
            for game in receiver {
                take_in(&game).inspect_err(|_| queue.stop())?;
            }
            for worker in workers {
                worker.join().map_err(|_| anyhow::anyhow!("a worker has panicked"))??;
            }
            Ok(())
        })
    }
}

/// Has other ranks play the games of the queue.
fn gather(
    dispatcher: &mut Dispatcher<'_>,
    ranks: usize,
    queue: &Queue<'_>,
    take_in: &mut impl FnMut(&Record) -> Result<()>,
) -> Result<()> {
    while !queue.is_stopped() {
        let remaining = queue.remaining();
        // towards the end small groups, so that all ranks end together
        let size = GROUP.min(remaining / (4 * ranks)).max(1);
        dispatcher.deal(remaining, || queue.group(size));
        if queue.remaining() == 0 && dispatcher.is_idle() {
            break;
        }
        if let Some((number, bytes)) = next_result(dispatcher)? {
            let decoded = Record::decode(&bytes);
            let (game, _) = decoded.map_err(|_| anyhow!("game {number} arrives damaged"))?;
            take_in(&game)?;
        }
    }
    Ok(())
}

/// The numbers of the games that are still to play.
struct Queue<'a> {
    header: Header,
    next: AtomicU32,
    present: HashSet<u32>,
    /// Games from this number on are not wanted.
    end: u32,
    stopped: &'a AtomicBool,
}

impl<'a> Queue<'a> {
    fn new(header: Header, end: u32, games: &[Record], stopped: &'a AtomicBool) -> Queue<'a> {
        let present = games.iter().map(|game| game.number).collect();
        Queue { header, next: AtomicU32::new(0), present, end, stopped }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// How many numbers there are still, those of present games included.
    fn remaining(&self) -> usize {
        self.end.saturating_sub(self.next.load(Ordering::Relaxed)) as usize
    }

    fn take(&self) -> Option<u32> {
        while !self.is_stopped() {
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

    /// The next games, at most `size`, for another rank.
    fn group(&self, size: usize) -> Option<Vec<Job>> {
        let job = |number| Job { number, bytes: Vec::new() };
        let games: Vec<Job> = (0..size).map_while(|_| self.take()).map(job).collect();
        Some(games).filter(|games| !games.is_empty())
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
        let positions = games.iter().map(Record::scores).sum();
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
        self.positions += game.scores();
        self.new_positions += game.scores();
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use hanxin::link::{Hello, Local, Network, Timing};

    use super::*;
    use crate::store;

    fn options(out: &Path) -> Options {
        let evaluation = Evaluation::default();
        let goal = Goal { games: Some(8), positions: None };
        let (nodes, threads, seed) = (20, 1, 5);
        let (endings, openings, midgames, out) = (10, 50, 50, out.to_owned());
        Options { goal, nodes, threads, seed, endings, openings, midgames, evaluation, out }
    }

    fn make(options: &Options, ranks: Option<&Ranks>) -> Result<()> {
        let stop = AtomicBool::new(false);
        match ranks {
            None => options.collect(None, &EvalKind::Classical, &stop),
            Some(ranks) => options.run_on(ranks, &EvalKind::Classical, &stop),
        }
    }

    /// Makes games on three ranks over a network; rank 1 is ended in its first
    /// game, if so wanted.
    fn make_on_ranks(out: &Path, network: Network, leaves: bool) {
        let ranks = Local::group(3, network).into_iter();
        let rank = |link| Ranks {
            link: Arc::new(link),
            hello: Hello::new("here".into(), 1, &[]),
            timing: Timing::LOCAL,
        };
        let ranks: Vec<Ranks> = ranks.map(rank).collect();
        std::thread::scope(|scope| {
            for ranks in &ranks[1..] {
                scope.spawn(move || {
                    if leaves && ranks.link.rank() == 1 {
                        let stop = AtomicBool::new(false);
                        let ended = ranks::serve(ranks, vec![()], &stop, |(), _| {
                            stop.store(true, Ordering::Relaxed);
                            Ok(Vec::new())
                        });
                        return ended.unwrap();
                    }
                    make(&options(out), Some(ranks)).unwrap();
                });
            }
            make(&options(out), Some(&ranks[0])).unwrap();
        });
    }

    /// The file with its games in the order of their numbers.
    fn sorted(path: &Path) -> Vec<u8> {
        let mut games = store::read(path).unwrap();
        games.games.sort_by_key(|game| game.number);
        let records = games.games.iter().flat_map(Record::encode);
        games.header.encode().into_iter().chain(records).collect()
    }

    #[test]
    fn ranks_write_what_one_process_writes() {
        let folder = tempfile::tempdir().unwrap();
        let alone = folder.path().join("alone");
        make(&options(&alone), None).unwrap();
        let expected = sorted(&alone);
        assert_eq!(store::read(&alone).unwrap().games.len(), 8);
        let calm = |delay| Network { delay: Duration::from_millis(delay), ..Network::default() };
        let rough = Network { loss: 10, doubled: 10, ..calm(5) };
        let cases = [(calm(0), false), (calm(100), false), (rough, false), (calm(20), true)];
        for (index, (network, leaves)) in cases.into_iter().enumerate() {
            let path = folder.path().join(index.to_string());
            make_on_ranks(&path, network, leaves);
            assert!(sorted(&path) == expected, "{network:?}, {leaves}");
        }
    }

    #[test]
    fn an_interrupted_run_fails() {
        let folder = tempfile::tempdir().unwrap();
        let options = options(&folder.path().join("games"));
        let run = |stop| options.collect(None, &EvalKind::Classical, &AtomicBool::new(stop));
        assert!(run(true).unwrap_err().to_string().starts_with("interrupted"));
        run(false).unwrap();
        run(true).unwrap();
    }

    #[test]
    fn a_broken_off_run_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let [alone, path] = ["alone", "continued"].map(|name| folder.path().join(name));
        make(&options(&alone), None).unwrap();
        let whole = std::fs::read(&alone).unwrap();
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        make_on_ranks(&path, Network::default(), false);
        assert!(sorted(&path) == sorted(&alone));
    }
}
