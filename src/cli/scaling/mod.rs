//! `hanxin bench --threads`: what more threads bring.

mod measure;
mod plot;
mod report;
mod statistics;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};

use crate::arena::{Format, Opening, Source};
use crate::board::Position;
use crate::engine::bench::POSITIONS;
use crate::util::{Machine, check_output, cores, load};

use super::progress::Progress;
use super::{Failure, remark};
use measure::Plan;
use report::Report;

/// Depth of the searches to a depth if none is given, plies.
pub const DEPTH: u32 = 15;
/// Size of the hash table if none is given, megabytes.
pub const HASH: usize = 64;

const MAX_THREADS: i64 = 1024;

#[derive(Debug, Args)]
#[command(next_help_heading = "Comparison of numbers of threads")]
// its own name is taken: by the arguments it is flattened into
#[group(skip)]
pub struct Arguments {
    /// Compare these numbers of threads, such as 1,2,4: nodes per second, time
    /// to a depth and their speed-ups, saved as bench-threads.csv, .json and
    /// .svg.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(value_parser = value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Vec<u16>,
    /// How often everything is measured.
    #[arg(long, default_value_t = 3, requires = "threads")]
    #[arg(value_parser = value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Time for each position to count nodes per second, milliseconds.
    #[arg(long, default_value_t = 300, requires = "threads")]
    #[arg(value_parser = value_parser!(u64).range(10..=600_000))]
    movetime: u64,
    /// Only so many positions, the first ones.
    #[arg(long, value_name = "N", requires = "threads")]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Positions from a file in UTF-8 or GBK instead of the built-in ones: a FEN
    /// on each line, perhaps with 'moves' after it; what follows a ';' or '#' is
    /// left out.
    #[arg(long, value_name = "FILE", requires = "threads")]
    fen_file: Option<PathBuf>,
    /// Folder for the files.
    #[arg(long, value_name = "DIR", default_value = ".", requires = "threads")]
    out: PathBuf,
    /// Print the JSON instead of a table.
    #[arg(long, requires = "threads")]
    json: bool,
}

impl Arguments {
    /// Whether the comparison is wanted at all.
    pub fn is_wanted(&self) -> bool {
        !self.threads.is_empty()
    }

    pub fn run(&self, depth: u32, hash: usize, out: &mut impl Write) -> Result<(), Failure> {
        let plan = self.plan(depth, hash)?;
        // better now than after minutes of measuring
        fs::create_dir_all(&self.out).map_err(|error| {
            Failure::refused(format!("cannot make the folder {}: {error}", self.out.display()))
        })?;
        for file in report::files(&self.out) {
            check_output("--out", &file, &self.fen_file)?;
        }
        let load = load();
        if plan.threads.iter().any(|&threads| threads > cores()) {
            remark(format!("warning: more threads than the {} cores there are", cores()));
        }
        let mut progress = Progress::new(plan.steps().len(), 0);
        let samples = plan.run(|number, step| progress.begin(number, &plan.describe(step)))?;
        drop(progress);
        let report = Report::new(Machine::describe(), load, plan, samples);
        // what was measured is shown even if it cannot be saved
        if self.json {
            writeln!(out, "{:#}", report.to_json())?;
        } else {
            writeln!(out, "{report}")?;
        }
        report.save(&self.out)
    }

    fn plan(&self, depth: u32, hash: usize) -> Result<Plan, Failure> {
        let mut threads: Vec<usize> = self.threads.iter().map(|&n| usize::from(n)).collect();
        threads.sort_unstable();
        threads.dedup();
        let mut positions = self.read_positions()?;
        if let Some(wanted) = self.positions {
            let (there, wanted) = (positions.len(), wanted as usize);
            if wanted > there {
                let fault = format!("there are only {there} positions (--positions {wanted})");
                return Err(Failure::refused(fault));
            }
            positions.truncate(wanted);
        }
        Ok(Plan {
            threads,
            positions,
            repetitions: self.repeat as usize,
            hash,
            move_time: Duration::from_millis(self.movetime),
            depth,
        })
    }

    fn read_positions(&self) -> Result<Vec<Position>, Failure> {
        let Some(file) = &self.fen_file else {
            let positions = POSITIONS.iter().map(|fen| Position::from_fen(fen));
            return positions.collect::<Result<_, _>>().map_err(Failure::refused);
        };
        let (file, format) = (Some(file.clone()), Some(Format::Fen));
        let openings = Source { file, format, ..Source::default() }.read(0, 0);
        Ok(openings.map_err(Failure::refused)?.iter().map(Opening::end).collect())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        scaling: Arguments,
    }

    fn arguments(line: &str) -> Arguments {
        Program::parse_from(std::iter::once("bench").chain(line.split(' '))).scaling
    }

    #[test]
    fn counts_are_ordered_and_the_positions_suffice_for_a_mean() {
        let plan = arguments("--threads 4,1,2,4").plan(9, 16).unwrap();
        assert_eq!(plan.threads, [1, 2, 4]);
        assert!(plan.positions.len() >= 30);
        let plan = arguments("--threads 2 --positions 3").plan(9, 16).unwrap();
        assert_eq!(plan.positions.len(), 3);
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        let fault = |line: &str| arguments(line).plan(9, 16).unwrap_err().to_string();
        assert!(fault("--threads 1 --positions 5000").contains("--positions 5000"));
        assert!(fault("--threads 1 --fen-file no/such/file").contains("no/such/file"));
        for line in
            ["--threads 0", "--threads x", "--threads", "--repeat 2", "--threads 1 --repeat 0"]
        {
            let words = std::iter::once("bench").chain(line.split(' '));
            assert!(Program::try_parse_from(words).is_err(), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_saved_is_not_measured() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("bench-threads.svg");
        fs::create_dir(&taken).unwrap();
        // an hour and more
        let line = "--threads 1 --repeat 1000 --movetime 10000";
        let scaling = Arguments { out: folder.path().into(), ..arguments(line) };
        let fault = scaling.run(2, 1, &mut Vec::new()).unwrap_err().to_string();
        assert!(fault.contains("bench-threads.svg"), "{fault}");
    }

    #[test]
    fn fen_lines_may_have_remarks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions");
        let scaling = Arguments { fen_file: Some(path.clone()), ..arguments("--threads 1") };
        let read = |text: &[u8]| {
            fs::write(&path, text).unwrap();
            scaling.plan(9, 16).map(|plan| plan.positions)
        };
        let start = Position::startpos().to_fen();
        let text = format!("# openings\n\n{start} ; the start\r\n{start} # again\n");
        assert_eq!(read(text.as_bytes()).unwrap(), vec![Position::startpos(); 2]);
        let gbk = [start.as_bytes(), b" # \xb3\xb5\n"].concat();
        assert_eq!(read(&gbk).unwrap(), [Position::startpos()]);
        assert!(read(b"# nothing").is_err());
        let fault = read(format!("{start}\nrubbish").as_bytes()).unwrap_err().to_string();
        assert!(fault.contains("positions: line 2: "), "{fault}");
        // mate by two pawns
        let fault = read(b"3k5/3P5/3P5/9/9/9/9/9/9/4K4 b").unwrap_err().to_string();
        assert!(fault.contains("over"), "{fault}");
    }

    #[test]
    fn a_comparison_is_saved_and_printed() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        let line = "--threads 1,2 --positions 2 --repeat 1 --movetime 10";
        let scaling = Arguments { out: folder.path().join("new"), ..arguments(line) };
        scaling.run(2, 1, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("speed-up") && text.lines().count() > 6, "{text}");
        assert!(scaling.out.join("bench-threads.svg").exists());
        let mut out = Vec::new();
        Arguments { json: true, ..scaling }.run(2, 1, &mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(json["summary"].as_array().unwrap().len(), 2);
    }
}
