//! `hanxin bench`: speed, and the signature of the search.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use clap::Args;

use crate::engine::bench::Bench;

use super::{Failure, scaling};

/// Search fixed positions; the last line is `<nodes> nodes <nps> nps`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Depth of each search, plies [default: 13; with --threads: 15].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// Size of the hash table, megabytes [default: 16; with --threads: 64].
    #[arg(long)]
    hash: Option<usize>,
    #[command(flatten)]
    scaling: scaling::Arguments,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if self.scaling.is_wanted() {
            let depth = self.depth.unwrap_or(scaling::DEPTH);
            return self.scaling.run(depth, self.hash.unwrap_or(scaling::HASH), out);
        }
        let Bench { depth, hash, threads } = Bench::default();
        let (depth, hash) = (self.depth.unwrap_or(depth), self.hash.unwrap_or(hash));
        let bench = Bench { depth, hash, threads };
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
}
