//! `hanxin lab thesis`: the experiments of the lazyboy thesis, done again.

mod budget;
mod figures;
mod player;
mod step;
mod tables;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};
use serde_json::{Value, json};

use crate::arena::{EngineSpec, Opening, Source};
use crate::board::Position;
use crate::cli::csv_table::CsvTable;
use crate::cli::{invalid_file, remark};
use crate::util::stop_signal;

use super::Failure;
use super::experiment;
use super::positions::{Midgame, midgames};
use super::report::Report;
use budget::Budget;
use figures::{GAMES, PUZZLES};
use step::{Counted, Engine, Laboratory, Step};

const EXAMPLES: &str = "\
Examples:
  hanxin lab thesis --table 2-5,2-6 --depth 6
  hanxin lab thesis --puzzles puzzles.csv --report thesis.html
  hanxin lab thesis --movenodes 200000 --table 4-1,4-2 --puzzles puzzles.csv
  hanxin lab thesis --table 4-3 --opponent cmd=eleeye proto=ucci

Without --time and --depth searches get what they had in the thesis, which takes a
day. Not as there are the evaluation, which is hanxin's, and the opponent, which is
hanxin unless --opponent names another.

Each step is kept in a journal, Ctrl-C interrupts, and the same command goes on. The
puzzles of tables 4-1 and 4-2 do not come with hanxin: their positions belong to a
collection whose owner has reserved all rights.";

/// Repeat the experiments of the lazyboy thesis, with the lab's engine and with
/// hanxin itself, beside the thesis' own figures.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Only these tables.
    #[arg(long = "table", value_name = "LIST", value_delimiter = ',', value_enum)]
    tables: Vec<Table>,
    /// Plies of tables 2-5 and 2-6.
    #[arg(long, default_value_t = 9, value_parser = value_parser!(u32).range(1..=20))]
    depth: u32,
    /// The most nodes of a search for tables 2-5 and 2-6.
    #[arg(long, default_value_t = 30_000_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seconds for a move in tables 3-1 to 4-3; the fast defender has a twentieth.
    #[arg(long, default_value = "20", value_parser = crate::arena::seconds)]
    time: Duration,
    /// Nodes for a move instead of time: the results are then the same on every
    /// machine.
    #[arg(long, value_name = "NODES", conflicts_with = "time")]
    #[arg(value_parser = value_parser!(u64).range(1..))]
    movenodes: Option<u64>,
    /// Games against each depth in table 4-3.
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(1..=1000))]
    games: u32,
    /// The puzzles: CSV in UTF-8 or GBK with the columns id (the number in the
    /// thesis) and fen.
    #[arg(long, value_name = "CSV")]
    puzzles: Option<PathBuf>,
    /// The defender of the puzzles and the opponent of table 4-3, as in `hanxin
    /// match --engine`; hanxin itself if there is none.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    opponent: Vec<String>,
    /// Where the results are kept; a name of its own if none is given.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Save a report: .html or .md.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// What is missing without `--puzzles`.
const NO_PUZZLES: &str = "tables 4-1 and 4-2 are left out: give the positions of their puzzles \
                          with --puzzles CSV (columns id, fen)";

/// A table of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Table {
    /// Nodes by depth, moves ordered or not.
    #[value(name = "2-5")]
    Ordering,
    /// Nodes by depth, killers before or after captures.
    #[value(name = "2-6")]
    Killers,
    /// Ten midgames.
    #[value(name = "3-1")]
    Midgames,
    /// Ten puzzles that are solved by checks.
    #[value(name = "4-1")]
    Checks,
    /// Ten puzzles that need quiet moves.
    #[value(name = "4-2")]
    Quiet,
    /// Games against an engine with limited depth.
    #[value(name = "4-3")]
    Games,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let inputs = || self.puzzles.iter().chain(&self.journal);
        self.report.iter().try_for_each(|path| Report::check(path, inputs()))?;
        let puzzles = self.puzzles.as_deref().map(read_puzzles).transpose()?.unwrap_or_default();
        let (midgames, openings) = (midgames(), self.openings()?);
        let opponent = self.opponent()?;
        let wanted = self.wanted();
        if puzzles.is_empty() && wanted.iter().any(|table| table.has_puzzles()) {
            remark(NO_PUZZLES);
        }
        let steps = self.steps(&wanted, &midgames, puzzles.len());
        let laboratory = Laboratory {
            midgames: &midgames,
            puzzles: &puzzles,
            openings: &openings,
            depth: self.depth,
            nodes: self.nodes,
            budget: self.budget(),
            opponent: &opponent,
            stop: stop_signal(),
        };
        let plan = self.plan(&laboratory, &steps);
        let default = || experiment::default_path("thesis", &plan);
        let path = self.journal.clone().unwrap_or_else(default);
        let stop = Arc::clone(&laboratory.stop);
        let perform = |step: &Step| laboratory.perform(step);
        let results = experiment::run(&path, &plan, &steps, &stop, perform)?;
        let results_by_step = tables::Results::new(&steps, &results.steps);
        let report = tables::report(&laboratory, &wanted, &results_by_step, results.time);
        if let Some(path) = &self.report {
            report.save(path)?;
        }
        writeln!(out, "{}", report.to_text())?;
        results.check_end()
    }

    fn wanted(&self) -> Vec<Table> {
        match &self.tables[..] {
            [] => Table::value_variants().to_vec(),
            tables => tables.to_vec(),
        }
    }

    fn budget(&self) -> Budget {
        self.movenodes.map_or(Budget::Time(self.time), Budget::Nodes)
    }

    fn opponent(&self) -> Result<EngineSpec, Failure> {
        if self.opponent.is_empty() {
            return player::own_engine().map_err(Failure::refused);
        }
        let mut spec = EngineSpec::default();
        self.opponent
            .iter()
            .try_for_each(|setting| spec.apply(setting))
            .map_err(Failure::invalid)?;
        // the limits are those of the tables
        spec.limits = crate::arena::Limits { depth: Some(1), ..crate::arena::Limits::default() };
        let mut spec = spec.finish().map_err(Failure::invalid)?;
        spec.limits = crate::arena::Limits::default();
        Ok(spec)
    }

    fn openings(&self) -> Result<Vec<Opening>, Failure> {
        let source = Source { file: Some("builtin".into()), random: true, ..Source::default() };
        source.read(self.games as usize, 1).map_err(Failure::refused)
    }

    fn steps(&self, wanted: &[Table], midgames: &[Midgame], puzzles: usize) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for table in wanted {
            for step in self.steps_of(*table, midgames.len(), puzzles) {
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        steps
    }

    fn steps_of(&self, table: Table, midgames: usize, puzzles: usize) -> Vec<Step> {
        let midgames: Vec<usize> = (0..midgames).collect();
        let of_class = |class| {
            let of_class = (0..puzzles).filter(|&puzzle| PUZZLES[puzzle].class == class);
            both(&of_class.collect::<Vec<_>>(), |engine, puzzle| {
                let step = |is_fast| Step::Puzzle { engine, is_fast, puzzle };
                vec![step(false), step(true)]
            })
        };
        match table {
            Table::Ordering => counts(&[Counted::Ordered, Counted::Unordered], &midgames),
            Table::Killers => counts(&[Counted::Ordered, Counted::KillersFirst], &midgames),
            Table::Midgames => {
                both(&midgames, |engine, midgame| vec![Step::Midgame { engine, midgame }])
            }
            Table::Checks => of_class(1),
            Table::Quiet => of_class(2),
            Table::Games => both(&GAMES, |engine, (depth, ..)| {
                (0..self.games).map(|number| Step::Game { engine, depth, number }).collect()
            }),
        }
    }

    /// All that decides the results.
    fn plan(&self, laboratory: &Laboratory<'_>, steps: &[Step]) -> Value {
        json!({
            "study": "thesis",
            "hanxin": env!("CARGO_PKG_VERSION"),
            "program": experiment::program(),
            "steps": steps.iter().map(Step::to_string).collect::<Vec<_>>(),
            "depth": self.depth,
            "nodes": self.nodes,
            "budget": laboratory.budget.to_string(),
            "puzzles": laboratory.puzzles.iter().map(Position::to_fen).collect::<Vec<_>>(),
            "opponent": laboratory.opponent,
        })
    }
}

impl Table {
    const fn has_puzzles(self) -> bool {
        matches!(self, Table::Checks | Table::Quiet)
    }
}

/// Counts of these variants and of hanxin.
fn counts(counted: &[Counted], midgames: &[usize]) -> Vec<Step> {
    let all = counted.iter().chain(&[Counted::Hanxin]);
    let of_each = |&counted| midgames.iter().map(move |&midgame| Step::Nodes { counted, midgame });
    all.flat_map(of_each).collect()
}

/// The steps of both engines with each item.
fn both<T: Copy>(items: &[T], steps: impl Fn(Engine, T) -> Vec<Step>) -> Vec<Step> {
    let mut all = Vec::new();
    for engine in Engine::ALL {
        all.extend(items.iter().flat_map(|&item| steps(engine, item)));
    }
    all
}

/// Reads the positions of the thesis' puzzles, in the order of [`PUZZLES`].
fn read_puzzles(path: &Path) -> Result<Vec<Position>, Failure> {
    let table = CsvTable::read(path, &["id", "fen"])?;
    let position = |puzzle: &figures::Puzzle| {
        let wanted = puzzle.id.to_string();
        let row = table.rows().find(|row| row.cell("id") == wanted);
        let row = row.ok_or_else(|| invalid_file(path, format!("no puzzle {wanted}")))?;
        let position = Position::from_fen(row.cell("fen"));
        position.map_err(|error| invalid_file(path, format!("puzzle {wanted}: {error}")))
    };
    PUZZLES.iter().map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puzzles_may_be_in_gbk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("puzzles.csv");
        let start = Position::startpos();
        let row = |puzzle: &figures::Puzzle| {
            let cells = format!("{}, {}\n", puzzle.id, start.to_fen());
            [b"\xb3\xb5,", cells.as_bytes()].concat()
        };
        let rows: Vec<u8> = PUZZLES.iter().flat_map(row).collect();
        std::fs::write(&path, [b"name,Id,FEN\n", &rows[..]].concat()).unwrap();
        assert_eq!(read_puzzles(&path).unwrap(), vec![start; PUZZLES.len()]);
    }
}
