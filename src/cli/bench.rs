//! `hanxin bench`: speed, and the signature of the search.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use clap::Args;

use crate::engine::bench::Bench;
use crate::eval::EvalKind;
use crate::eval::nnue::Network;
use crate::util::Memory;

use super::{Failure, scaling};

/// Search fixed positions; the last line is `<nodes> nodes <nps> nps`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hanxin bench --classical
  hanxin bench --threads 1,2 --movetime 100 --out .")]
pub struct Arguments {
    /// Depth of each search, plies [default: 13; with --threads: 15].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// Size of the hash table, megabytes [default: 16; with --threads: 64].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    hash: Option<u64>,
    /// Evaluate with the net of this file instead of the program's own.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["classical", "threads"])]
    evalfile: Option<PathBuf>,
    /// Evaluate without a net.
    #[arg(long, conflicts_with = "threads")]
    classical: bool,
    #[command(flatten)]
    scaling: scaling::Arguments,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let standard = Bench::default();
        let (depth, hash) = match self.scaling.is_wanted() {
            true => (scaling::DEPTH, scaling::HASH),
            false => (standard.depth, standard.hash),
        };
        let depth = self.depth.unwrap_or(depth);
        let hash = self.hash.map_or(hash, |hash| usize::try_from(hash).unwrap_or(usize::MAX));
        check_room(hash)?;
        if self.scaling.is_wanted() {
            return self.scaling.run(depth, hash, out);
        }
        let bench = Bench { depth, hash, eval: self.evaluation()?, ..standard };
        let mut written = Ok(());
        let stop = AtomicBool::new(false);
        let total = bench.run(&stop, |result| {
            if written.is_ok() {
                written = writeln!(out, "{result}").and_then(|()| out.flush());
                stop.store(written.is_err(), Relaxed);
            }
        });
        written?;
        if let Some(total) = total.map_err(Failure::refused)? {
            writeln!(out, "{total}")?;
        }
        Ok(())
    }

    fn evaluation(&self) -> Result<EvalKind, Failure> {
        if self.classical {
            return Ok(EvalKind::Classical);
        }
        let Some(path) = &self.evalfile else { return Ok(EvalKind::default()) };
        let network = Network::open(path).map_err(Failure::refused)?;
        Ok(EvalKind::Nnue(Arc::new(network)))
    }
}

/// A system may promise more memory than there is, and end the program when
/// it is used.
fn check_room(hash: usize) -> Result<(), Failure> {
    match Memory::ask() {
        Some(Memory { available, .. }) if hash > available => Err(Failure::refused(format!(
            "no room for a hash table of {hash} MB: {available} MB of memory are free (--hash)"
        ))),
        _ => Ok(()),
    }
}
