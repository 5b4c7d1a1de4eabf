//! The benchmark: fixed positions to a fixed depth. With one thread the number
//! of nodes is the signature of the search: a change that is not meant to
//! change the search must not change it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::board::{Move, Position};
use crate::eval::EvalKind;
use crate::rules::Game;
use crate::score::Score;
use crate::search::{Limits, Outcome, ThreadPool};

use super::error::EngineError;

pub use super::bench_positions::POSITIONS;

/// How to run the benchmark; the default is what gives the signature.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Depth of each search, plies.
    pub depth: u32,
    /// Size of the hash table, megabytes.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// How positions are evaluated.
    pub eval: EvalKind,
}

impl Default for Bench {
    fn default() -> Bench {
        Bench { depth: 13, hash: 16, threads: 1, eval: EvalKind::default() }
    }
}

/// One position of the benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchResult {
    /// Its number, from 1.
    pub number: usize,
    /// The position.
    pub fen: &'static str,
    /// The move found.
    pub best: Option<Move>,
    /// Its score.
    pub score: Score,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time that the search took.
    pub time: Duration,
}

/// All positions together. Its `Display` is the line that tools look for:
/// `<nodes> nodes <nodes per second> nps`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BenchTotal {
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time that the searches took.
    pub time: Duration,
}

impl Bench {
    /// Searches one position after the other, each with an empty hash table,
    /// and calls `report` with each result. `None` if `stop` was set before the end.
    ///
    /// # Errors
    /// When the memory for the hash table cannot be had.
    pub fn run(
        &self,
        stop: &AtomicBool,
        mut report: impl FnMut(&BenchResult),
    ) -> Result<Option<BenchTotal>, EngineError> {
        let mut pool = ThreadPool::new(self.threads, self.hash)?;
        pool.options.eval = self.eval.clone();
        let limits = Limits { depth: Some(self.depth), ..Limits::default() };
        let mut total = BenchTotal::default();
        for (number, fen) in (1..).zip(POSITIONS) {
            pool.clear();
            let game = Game::from(Position::from_fen(fen)?);
            let cancelled = || stop.load(Relaxed);
            let Some(outcome) = pool.search_unless(&game, limits.clone(), cancelled) else {
                return Ok(None);
            };
            let Outcome { best, score, nodes, time, .. } = outcome;
            total.nodes += nodes;
            total.time += time;
            report(&BenchResult { number, fen, best, score, nodes, time });
        }
        Ok(Some(total))
    }
}

impl BenchTotal {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-9)) as u64
    }
}

impl fmt::Display for BenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self.best.map_or("none".into(), |m| m.to_string());
        let BenchResult { number, nodes, fen, .. } = self;
        let (score, milliseconds) = (self.score.to_string(), self.time.as_millis());
        write!(f, "{number:2} {best} {score:>8} {nodes:>10} nodes {milliseconds:>6} ms  {fen}")
    }
}

impl fmt::Display for BenchTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.nps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_same_every_time() {
        let bench = Bench { depth: 4, ..Bench::default() };
        let go_on = AtomicBool::new(false);
        let mut results = Vec::new();
        let first = bench.run(&go_on, |result| results.push(result.clone())).unwrap().unwrap();
        assert_eq!(results.len(), POSITIONS.len());
        assert_eq!(first.nodes, results.iter().map(|result| result.nodes).sum::<u64>());
        assert!(results.iter().all(|result| result.best.is_some()));
        let second = bench.run(&go_on, |_| {}).unwrap().unwrap();
        assert_eq!(first.nodes, second.nodes);
        assert!(first.to_string().starts_with(&format!("{} nodes ", first.nodes)));
    }

    #[test]
    fn it_can_be_called_off() {
        let stop = AtomicBool::new(true);
        let bench = Bench { depth: 60, ..Bench::default() };
        assert_eq!(bench.run(&stop, |_| {}).unwrap(), None);
    }
}
