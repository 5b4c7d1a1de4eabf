//! `hanxin book build`: a book from games.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use clap::Args;
use crossbeam::channel::{self, Receiver, Sender};
use indicatif::ProgressBar;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::arena::GameResult;
use crate::arena::journal::{Journal, Record};
use crate::book::{self, Collector, Filter};
use crate::util::{Memory, check_output, cores, printable, stop_signal};

use super::super::Failure;
use super::super::progress::bar;
use super::sources::{Piece, Source, SourceGame};

const EXAMPLE: &str = "\
Examples:
  hanxin book build gauntlet.pgn --out gauntlet.hxb --games 3 --plies 40
  hanxin book build *.journal games.hxg --out own.hxb --threads 2 --memory 512

Sources: PGN with moves in ICCS, WXF or Chinese, journals of matches, training
games, and lines of a result and moves in coordinates; which, the file itself
says. Games between the same players with the same start, moves and result count
once, such as those of a match whose PGN and journal are both named. The folder
OUT.parts keeps what has been read: after an interrupt, or anything worse, the
same command goes on. It goes away when the book is written.";

/// Build a book from games.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// Files of games.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The book to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Plies of a game that count.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    plies: u32,
    /// Games in which a move must have been played.
    #[arg(long, default_value_t = 2)]
    games: u32,
    /// Only games whose players both have this rating or more (PGN).
    #[arg(long)]
    rating: Option<u32>,
    /// Only games that were not drawn.
    #[arg(long)]
    decisive: bool,
    /// Games without a result count as drawn; else they are passed over.
    #[arg(long)]
    unknown: bool,
    /// Memory for moves, megabytes.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Threads; all cores if none are given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write a summary as JSON.
    #[arg(long)]
    json: bool,
}

/// A part of the build that is on the disk.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Run {
    number: u32,
    /// The pieces of the sources whose games it has.
    pieces: Vec<u32>,
    counts: Counts,
    /// Those of its games that have one: [`SourceGame::identity`].
    identities: Vec<u64>,
}

/// Identities of a run; more would make its line in the journal too long.
const MOST_IDENTITIES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Counts {
    games: u64,
    moves: u64,
    /// Games that the filters leave out.
    left_out: u64,
    /// Games that cannot be read.
    faulty: u64,
    /// Games that are there already.
    repeated: u64,
}

impl Record for Run {
    type Header = Value;
    const MAGIC: &'static str = "hanxin-build 2\n";
    const WHOLE: &'static str = "build";
    const PART: &'static str = "part";

    fn number(&self) -> u32 {
        self.number
    }
}

/// The folder of an unfinished build.
struct Parts {
    folder: PathBuf,
    journal: Journal<Run>,
    runs: Vec<Run>,
}

impl Parts {
    fn run_path(folder: &Path, number: u32) -> PathBuf {
        folder.join(format!("run-{number}"))
    }

    fn open(folder: PathBuf, plan: &Value) -> Result<Parts, Failure> {
        fs::create_dir_all(&folder).map_err(|error| {
            Failure::refused(format!("cannot make the folder {}: {error}", printable(&folder)))
        })?;
        let mut runs = Vec::new();
        let journal = Journal::open(&folder.join("journal"), plan, |run: Run| runs.push(run));
        let journal = journal.map_err(|error| {
            Failure::refused(format!("{error}; or remove the folder {}", printable(&folder)))
        })?;
        Ok(Parts { folder, journal, runs })
    }

    /// Enters the runs in the journal until all threads have ended; the first
    /// failure stops them.
    fn keep(
        &mut self,
        inbox: Receiver<Message>,
        stop: &AtomicBool,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        let mut result = Ok(());
        for message in inbox {
            let kept = match message {
                Message::Read(bytes) => {
                    bar.inc(bytes);
                    Ok(())
                }
                Message::Run(mut run) => {
                    let kept = self.journal.append(&run).map_err(Failure::refused);
                    run.identities = Vec::new();
                    self.runs.push(run);
                    kept
                }
                Message::Failed(failure) => Err(failure),
            };
            if kept.is_err() {
                stop.store(true, Relaxed);
                result = result.and(kept);
            }
        }
        bar.finish_and_clear();
        result
    }
}

/// What the threads of a build share.
struct Shared<'a> {
    arguments: &'a Arguments,
    filter: Filter,
    memory: usize,
    folder: &'a Path,
    stop: &'a AtomicBool,
    /// Those of the games of all runs.
    identities: Mutex<HashSet<u64>>,
}

/// What the threads of a build say.
enum Message {
    /// So many bytes of the sources have been read.
    Read(u64),
    Run(Run),
    Failed(Failure),
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let began = Instant::now();
        let stop = stop_signal();
        check_output("--out", &self.out, &self.files)?;
        if let Some(Memory { available, .. }) = Memory::ask()
            && self.memory as usize > available
        {
            let wanted = self.memory;
            return Err(Failure::refused(format!("--memory {wanted}: {available} MB are free")));
        }
        let threads = self.threads.map_or_else(cores, usize::from);
        let filter = Filter { plies: self.plies as usize, games: self.games };
        let mut folder = self.out.clone().into_os_string();
        folder.push(".parts");
        let mut parts = Parts::open(folder.into(), &self.plan()?)?;
        self.collect(&mut parts, filter, threads, &stop)?;
        if stop.load(Relaxed) {
            return Err(Failure::refused("interrupted; the same command goes on where it was"));
        }
        let counts = parts.runs.iter().fold(Counts::default(), |sum, run| sum.plus(run.counts));
        let folder = parts.folder.clone();
        if counts.games == 0 {
            // nothing that another run could go on from
            drop(parts);
            let _ = fs::remove_dir_all(folder);
            return Err(self.no_games(&counts));
        }
        let runs: Vec<PathBuf> =
            parts.runs.iter().map(|run| Parts::run_path(&parts.folder, run.number)).collect();
        let kept = book::build(&runs, filter, &self.out).map_err(Failure::refused)?;
        drop(parts);
        // the book is there; what is left of its parts does no harm
        let _ = fs::remove_dir_all(folder);
        let seconds = began.elapsed().as_secs_f64();
        let Counts { games, moves, left_out, faulty, repeated } = counts;
        if self.json {
            let summary = json!({
                "games": games, "moves": moves, "left_out": left_out, "faulty": faulty,
                "repeated": repeated, "book_moves": kept, "runs": runs.len(), "threads": threads, "seconds": seconds,
            });
            return Ok(writeln!(out, "{summary}")?);
        }
        writeln!(
            out,
            "{games} games, {moves} moves ({left_out} games left out, {faulty} unreadable)"
        )?;
        if repeated > 0 {
            writeln!(out, "{repeated} more games were there already, and count once")?;
        }
        Ok(writeln!(out, "{kept} moves in {} after {seconds:.1} s", self.out.display())?)
    }

    fn no_games(&self, counts: &Counts) -> Failure {
        let Counts { left_out, faulty, .. } = counts;
        Failure::refused(format!(
            "no games for a book ({left_out} left out, {faulty} unreadable); {} stays as it is",
            printable(&self.out)
        ))
    }

    /// All that decides what the parts of the build contain.
    fn plan(&self) -> Result<Value, Failure> {
        let mut files = Vec::new();
        for path in &self.files {
            // better now than after minutes of reading others
            Source::open(path)?;
            let bytes = fs::metadata(path)
                .map(|metadata| metadata.len())
                .map_err(|error| Failure::refused(format!("games {}: {error}", printable(path))))?;
            files.push(json!({"name": path, "bytes": bytes}));
        }
        Ok(json!({
            "files": files, "plies": self.plies, "rating": self.rating,
            "decisive": self.decisive, "unknown": self.unknown,
        }))
    }

    /// Reads what no part has yet.
    fn collect(
        &self,
        parts: &mut Parts,
        filter: Filter,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let folder = parts.folder.clone();
        let memory = ((self.memory as usize) << 20) / threads;
        let of_runs = parts.runs.iter_mut().flat_map(|run| std::mem::take(&mut run.identities));
        let identities = Mutex::new(of_runs.collect());
        let shared = Shared { arguments: self, filter, memory, folder: &folder, stop, identities };
        let done: HashSet<u32> =
            parts.runs.iter().flat_map(|run| run.pieces.iter().copied()).collect();
        let first_run = parts.runs.iter().map(|run| run.number + 1).max().unwrap_or(0);
        let total = self.files.iter().filter_map(|path| fs::metadata(path).ok());
        let template = "[{elapsed_precise}] {bar:30} {bytes}/{total_bytes} (left: {eta})";
        let bar = bar(Some(total.map(|metadata| metadata.len()).sum()), template);
        // pieces wait in memory: no more of them than threads
        let (pieces, work) = channel::bounded(threads);
        let (messages, inbox) = channel::unbounded();
        thread::scope(|scope| {
            let reader = messages.clone();
            scope.spawn(|| shared.read(pieces, reader, done));
            for worker in 0..threads as u32 {
                let numbers = (first_run + worker..).step_by(threads);
                let (work, messages) = (work.clone(), messages.clone());
                let shared = &shared;
                scope.spawn(move || shared.work(work, messages, numbers));
            }
            drop((work, messages));
            parts.keep(inbox, stop, &bar)
        })
    }

    fn wants(&self, game: &SourceGame) -> bool {
        let is_rated = match (self.rating, game.rating) {
            (None, _) => true,
            (Some(least), rating) => rating.is_some_and(|rating| rating >= least),
        };
        let is_decided = match game.result {
            None => self.unknown && !self.decisive,
            Some(GameResult::Draw) => !self.decisive,
            Some(_) => true,
        };
        is_rated && is_decided
    }
}

impl Shared<'_> {
    /// Cuts the files into pieces and hands out those that are not done.
    fn read(&self, pieces: Sender<(u32, Piece)>, messages: Sender<Message>, done: HashSet<u32>) {
        let mut number = 0;
        let mut read = || -> Result<(), Failure> {
            for path in &self.arguments.files {
                let mut source = Source::open(path)?;
                while let Some(piece) = source.next()? {
                    let _ = messages.send(Message::Read(piece.len()));
                    if self.stop.load(Relaxed) {
                        return Ok(());
                    }
                    if !done.contains(&number) && pieces.send((number, piece)).is_err() {
                        return Ok(());
                    }
                    number += 1;
                }
            }
            Ok(())
        };
        if let Err(failure) = read() {
            let _ = messages.send(Message::Failed(failure));
        }
    }

    /// Collects the moves of pieces, and writes a run whenever there are enough.
    fn work(
        &self,
        work: Receiver<(u32, Piece)>,
        messages: Sender<Message>,
        mut numbers: impl Iterator<Item = u32>,
    ) {
        let mut collector = Collector::new(self.memory, self.filter);
        let mut run = Run::default();
        let mut write = |collector: &mut Collector, run: &mut Run| {
            run.number = numbers.next().unwrap_or(u32::MAX);
            let path = Parts::run_path(self.folder, run.number);
            let message = match collector.write_run(&path) {
                Ok(_) => Message::Run(std::mem::take(run)),
                Err(error) => {
                    Message::Failed(Failure::refused(format!("{}: {error}", printable(&path))))
                }
            };
            messages.send(message).is_ok()
        };
        for (number, piece) in work {
            let (games, faulty) = piece.games();
            run.counts.faulty += faulty as u64;
            for game in games {
                self.take(game, &mut collector, &mut run);
            }
            run.pieces.push(number);
            let is_full = collector.is_full() || run.identities.len() >= MOST_IDENTITIES;
            if is_full && !write(&mut collector, &mut run) {
                return;
            }
            if self.stop.load(Relaxed) {
                break;
            }
        }
        if !run.pieces.is_empty() {
            write(&mut collector, &mut run);
        }
    }

    /// Collects the moves of a game that is wanted and not there yet.
    fn take(&self, game: SourceGame, collector: &mut Collector, run: &mut Run) {
        if !self.arguments.wants(&game) {
            run.counts.left_out += 1;
            return;
        }
        let identity = game.identity();
        if identity.is_some_and(|identity| !self.identities.lock().insert(identity)) {
            run.counts.repeated += 1;
            return;
        }
        run.identities.extend(identity);
        let winner = game.winner();
        run.counts.moves += collector.add(&game.start, game.moves, winner) as u64;
        run.counts.games += 1;
    }
}

impl Counts {
    fn plus(self, other: Counts) -> Counts {
        Counts {
            games: self.games + other.games,
            moves: self.moves + other.moves,
            left_out: self.left_out + other.left_out,
            faulty: self.faulty + other.faulty,
            repeated: self.repeated + other.repeated,
        }
    }
}
