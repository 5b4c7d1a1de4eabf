//! `hanxin book expand`: grows a book by searching.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use clap::Args;
use crossbeam::channel;
use serde::{Deserialize, Serialize};

use crate::arena::journal::{Journal, Record};
use crate::board::{Move, Position};
use crate::book::{self, Expansion, Growth, Searched, Selection};
use crate::rules::{Game, Parameters, RuleSet};
use crate::search::{Limits, ThreadPool};
use crate::util::{check_output, stop_signal};

use super::super::progress::Progress;
use super::super::{Failure, cannot_write};

const EXAMPLE: &str = "\
Example:
  hanxin book expand --journal my.journal --out my.hxb --positions 5000

Grows the book position by position, the most useful one next (drop-out
expansion: a line costs its length and what its moves give away). Then the ends
of its lines are searched again with more nodes, and the moves that are worth
playing are written. Every search is in the journal as soon as it is done: after
an interrupt, or anything worse, the same command goes on; a larger --positions
lets the book grow further, and other values of --play and --floor select from
the same searches. Another value of --nodes needs another journal.";

/// Searches that are given out at once, for each thread.
const BATCH: usize = 4;
/// Table of a search, megabytes.
const HASH: usize = 32;

/// Grow a book by searching.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// What has been searched; begun if it is not there.
    #[arg(long, value_name = "FILE")]
    journal: PathBuf,
    /// The book to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Positions to search.
    #[arg(long, default_value_t = 1000)]
    positions: usize,
    /// Nodes of a search, for all of its lines together.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes with which the ends of the book's lines are searched; 0: not again.
    #[arg(long, default_value_t = 2_000_000)]
    prove: u64,
    /// Moves that are looked at in a position.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=50))]
    lines: u16,
    /// Length of the longest line, plies.
    #[arg(long, default_value_t = 40)]
    plies: usize,
    /// What a move may give away and cost no more than another ply, centipawns.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    drop: u32,
    /// Moves that give away more are not followed, centipawns.
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(i16).range(0..))]
    follow: i16,
    /// Moves that give away more are not played, centipawns.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(i16).range(0..))]
    play: i16,
    /// Moves after which one stands worse are not played, centipawns.
    #[arg(long, default_value_t = -40)]
    floor: i16,
    /// Searches at a time; each takes one thread.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// The rules that judge repetitions: axf, cxa or league.
    #[arg(long, default_value = "axf")]
    rules: RuleSet,
}

/// What the searches of a journal have in common.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    rules: String,
    /// Nodes of a search; journals of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
}

/// A search, as the journal keeps it.
#[derive(Debug, Serialize, Deserialize)]
struct Step {
    number: u32,
    /// Moves from the initial position.
    line: String,
    depth: u8,
    nodes: u64,
    /// The best moves with their scores.
    moves: Vec<(String, i16)>,
}

impl Record for Step {
    type Header = Header;
    const MAGIC: &'static str = "hanxin-expansion 1\n";
    const WHOLE: &'static str = "expansion";
    const PART: &'static str = "search";

    fn number(&self) -> u32 {
        self.number
    }
}

impl Step {
    fn new(number: u32, line: &[Move], found: &Searched) -> Step {
        let texts: Vec<String> = line.iter().map(Move::to_string).collect();
        Step {
            number,
            line: texts.join(" "),
            depth: found.depth,
            nodes: found.nodes,
            moves: found.moves.iter().map(|(mv, score)| (mv.to_string(), *score)).collect(),
        }
    }

    fn line(&self) -> Option<Vec<Move>> {
        self.line.split_whitespace().map(|text| text.parse().ok()).collect()
    }

    fn searched(&self) -> Searched {
        let moves = self.moves.iter().filter_map(|(mv, score)| Some((mv.parse().ok()?, *score)));
        Searched { depth: self.depth, nodes: self.nodes, moves: moves.collect() }
    }
}

/// A growing book and its journal.
struct Growing {
    expansion: Expansion,
    journal: Journal<Step>,
    searches: u32,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let stop = stop_signal();
        let rules = self.rules.parameters();
        // better now than after hours of searching
        check_output("--out", &self.out, [&self.journal])?;
        let mut growing = self.resume(rules)?;
        let mut pools = Vec::new();
        for _ in 0..self.threads {
            let mut pool = ThreadPool::new(1, HASH).map_err(Failure::refused)?;
            pool.options.lines = self.lines.into();
            pools.push(pool);
        }
        self.grow(&mut growing, &mut pools, &stop)?;
        let selection = Selection { widest_drop: self.play, floor: self.floor };
        if self.prove > 0 {
            self.prove(&mut growing, &mut pools, &selection, &stop)?;
        }
        let records = growing.expansion.records(&selection);
        let count = book::write(&self.out, records.into_iter().map(Ok));
        let count = count.map_err(|error| cannot_write(&self.out, error))?;
        let unproven = growing.expansion.unproven_lines(&selection, self.prove).len();
        let positions = growing.expansion.len();
        writeln!(
            out,
            "{count} moves of {positions} searched positions; {unproven} ends of lines are not proven"
        )?;
        match stop.load(Relaxed) {
            false => Ok(()),
            true => Err(Failure::refused("interrupted; the same command goes on from the journal")),
        }
    }

    /// The header that the journal must have, or gets.
    fn header(&self) -> Header {
        // what is wrong with a journal shows when it is opened
        let old = Journal::<Step>::read(&self.journal, |_| {}).ok();
        let is_silent = old.is_some_and(|header| header.nodes.is_none());
        Header { rules: self.rules.to_string(), nodes: (!is_silent).then_some(self.nodes) }
    }

    fn resume(&self, rules: Parameters) -> Result<Growing, Failure> {
        let mut expansion = Expansion::new(rules);
        let mut searches = 0;
        let mut is_sound = true;
        let header = self.header();
        let journal = Journal::open(&self.journal, &header, |step: Step| {
            searches = searches.max(step.number + 1);
            is_sound &= step.line().is_some_and(|line| expansion.insert(line, &step.searched()));
        });
        let journal = journal.map_err(Failure::refused)?;
        match is_sound {
            true => Ok(Growing { expansion, journal, searches }),
            false => Err(Failure::refused(format!(
                "journal {}: it has moves that are illegal; it was not made by this command",
                self.journal.display()
            ))),
        }
    }

    fn grow(
        &self,
        growing: &mut Growing,
        pools: &mut [ThreadPool],
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let growth =
            Growth { drop_per_ply: self.drop, widest_drop: self.follow, plies: self.plies };
        let mut progress = Progress::new(self.positions, growing.expansion.len());
        while growing.expansion.len() < self.positions && !stop.load(Relaxed) {
            progress.begin(growing.expansion.len(), "growing");
            let wanted = (self.positions - growing.expansion.len()).min(BATCH * pools.len());
            let lines = growing.expansion.next_lines(wanted, &growth);
            if lines.is_empty() {
                break;
            }
            growing.search(lines, self.nodes, pools, stop, || {})?;
        }
        Ok(())
    }

    /// Until nothing is left to prove: a proof may bring other moves into the
    /// book.
    fn prove(
        &self,
        growing: &mut Growing,
        pools: &mut [ThreadPool],
        selection: &Selection,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        loop {
            let lines = growing.expansion.unproven_lines(selection, self.prove);
            if lines.is_empty() || stop.load(Relaxed) {
                return Ok(());
            }
            let mut progress = Progress::new(lines.len(), 0);
            let mut proofs = 0..lines.len();
            let begin = || progress.begin(proofs.next().unwrap_or_default(), "proving");
            growing.search(lines, self.prove, pools, stop, begin)?;
        }
    }
}

impl Growing {
    /// Searches the positions after these lines, each on a thread of its own.
    fn search(
        &mut self,
        lines: Vec<Vec<Move>>,
        nodes: u64,
        pools: &mut [ThreadPool],
        stop: &AtomicBool,
        mut progress: impl FnMut(),
    ) -> Result<(), Failure> {
        let rules = self.expansion.rules();
        let (sender, tasks) = channel::unbounded();
        lines.into_iter().for_each(|line| drop(sender.send(line)));
        drop(sender);
        let (results, found) = channel::unbounded();
        thread::scope(|scope| {
            for pool in pools {
                let (tasks, results) = (tasks.clone(), results.clone());
                scope.spawn(move || {
                    for line in tasks {
                        let Some(searched) = search(pool, rules, &line, nodes, stop) else { break };
                        let _ = results.send((line, searched));
                    }
                });
            }
            drop(results);
            // as the searches end, but in the order of the lines for the graph
            let mut done = Vec::new();
            for (line, searched) in found {
                let step = Step::new(self.searches, &line, &searched);
                self.journal.append(&step).map_err(|error| {
                    stop.store(true, Relaxed);
                    Failure::refused(error)
                })?;
                self.searches += 1;
                done.push((line, searched));
                progress();
            }
            done.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            for (line, searched) in done {
                self.expansion.insert(line, &searched);
            }
            Ok(())
        })
    }
}

/// Searches the position after a line; `None` if it was stopped.
fn search(
    pool: &mut ThreadPool,
    rules: Parameters,
    line: &[Move],
    nodes: u64,
    stop: &AtomicBool,
) -> Option<Searched> {
    let game = Game::replay(Position::startpos(), rules, line).ok()?;
    pool.clear();
    let position = game.position();
    let mut limits = Limits { nodes: Some(nodes), ..Limits::default() };
    if position.key() == position.mirrored_key() {
        // of two mirrored moves one will do
        let moves = position.legal_moves();
        limits.search_moves = moves.iter().copied().filter(|&mv| mv <= mv.mirror()).collect();
    }
    let outcome = pool.search_unless(&game, limits, || stop.load(Relaxed))?;
    let moves = outcome.lines.iter().filter_map(|line| {
        Some((*line.pv.first()?, line.score.raw().clamp(-20_000, 20_000) as i16))
    });
    let depth = outcome.depth.min(u32::from(u8::MAX)) as u8;
    Some(Searched { depth, nodes, moves: moves.collect() })
}
