//! `hanxin bench`: speed, and the signature of the search.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use clap::Args;

use crate::engine::bench::Bench;

use super::Failure;

/// Search fixed positions; the last line is `<nodes> nodes <nps> nps`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Depth of each search, plies.
    #[arg(long, default_value_t = Bench::default().depth, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Size of the hash table, megabytes.
    #[arg(long, default_value_t = Bench::default().hash)]
    hash: usize,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let bench = Bench { depth: self.depth, hash: self.hash, ..Bench::default() };
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
