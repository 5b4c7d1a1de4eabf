//! `hanxin egtb generate`: makes tables.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;

use super::super::Failure;
use super::materials::{MATERIALS, Wanted, materials, read_wanted};
use super::{MEGABYTE, memory, threads};
use crate::egtb::{Generator, Index, Made, Material};

/// Make tables, and all that captures lead to, in a folder.
///
/// Tables that are there already are not made again, so a run that was broken
/// off is taken up by the same command.
#[derive(Debug, Args)]
#[command(after_help = MATERIALS, after_long_help = format!("{MATERIALS}\n\n{GENERATE_EXAMPLES}"))]
pub struct Generate {
    /// Materials or families.
    #[arg(required = true, value_parser = read_wanted, value_name = "MATERIAL")]
    wanted: Vec<Wanted>,
    /// The folder of the tables.
    #[arg(long, default_value = "egtb")]
    dir: PathBuf,
    /// Threads; 0: one per processor core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Megabytes of memory to use at most; if not given, three quarters of what
    /// is free. Smaller tables for which there is no room are read from their
    /// files, which takes longer.
    #[arg(long, value_name = "MB")]
    memory: Option<usize>,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  hanxin egtb generate KRKAABB KPPKAA
  hanxin egtb generate one two --dir tables --memory 4096";

impl Generate {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let wanted = materials(&self.wanted);
        let (threads, memory) = (threads(self.threads), memory(self.memory));
        let mut generator =
            Generator::new(&wanted, &self.dir, threads, memory).map_err(Failure::refused)?;
        let numbers = |materials: &[Material]| -> u64 {
            let size = |&material| Index::new(material).size() as u64;
            materials.iter().map(size).sum()
        };
        let tables = generator.missing().len();
        let mut left = numbers(generator.missing());
        writeln!(out, "{tables} tables to make, {:.1} million numbers", left as f64 / 1e6)?;
        let (began, mut done) = (Instant::now(), 0);
        loop {
            let before = Instant::now();
            let Some(made) = generator.make_next().map_err(Failure::refused)? else { break };
            let time = before.elapsed();
            (done, left) = (done + made.numbers as u64, left - made.numbers as u64);
            let expected = began.elapsed().mul_f64(left as f64 / done as f64);
            report(&made, time, generator.missing().len(), expected, out)?;
        }
        Ok(())
    }
}

fn report(
    made: &Made,
    time: Duration,
    left: usize,
    expected: Duration,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let [red, black] = made.counts;
    let positions = (red.legal + black.legal) as f64;
    let name = made.material.to_string();
    let seconds = time.as_secs_f64();
    let by_rule = match (made.by_rule, red.unclear() + black.unclear()) {
        (0, 0) => String::new(),
        (decided, unclear) => format!(", {decided} decided by perpetual check, {unclear} unclear"),
    };
    writeln!(
        out,
        "{name:12} {:10} numbers {seconds:8.2} s {:6.2} M positions/s {:9} bytes {:5} MB memory, \
         longest win {}{by_rule}; left: {left} tables, {:.0} min",
        made.numbers,
        positions / seconds.max(1e-9) / 1e6,
        made.bytes,
        made.memory.div_ceil(MEGABYTE),
        red.longest_win.max(black.longest_win).unwrap_or(0),
        expected.as_secs_f64() / 60.0,
    )?;
    Ok(out.flush()?)
}
