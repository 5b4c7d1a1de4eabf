//! `hanxin suite`: which puzzles of a file are solved, and how fast.

mod puzzle;
mod solve;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, value_parser};
use serde::Serialize;
use statrs::statistics::{Data, Max, Median};

use crate::protocol::{Dialect, score_text};
use crate::rules::RuleSet;
use crate::util::{check_output, printable, stop_signal, write_whole};

use super::progress::Progress;
use super::{Failure, cannot_write};
use puzzle::Puzzle;
use solve::{Attempt, Budget, Solver};

const EXAMPLE: &str = "\
Examples:
  hanxin suite mates.csv --time 1000
  hanxin suite tactics.epd --nodes 200000 --threads 2 --csv results.csv

A suite is a file in UTF-8 or GBK: CSV with a header (columns fen and goal; id and name
are shown; instead of a goal there may be mate_in or best_move) or EPD with bm, dm, id
and goal. Goals:

  mate in 5      a mate in at most 5 moves is announced
  win            a win is announced, or a game from there is won
  draw           a game from there is not lost
  h2e2 b0c2      one of these moves is chosen, in any notation

Games are played against the same search with a hash table of its own, both sides
with the same time or nodes. Exit code 0 whatever is solved; 1: interrupted.";

/// Solve the puzzles of a file, and report how many and how fast.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The suite: CSV or EPD.
    file: PathBuf,
    /// Milliseconds for a search.
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    #[arg(value_parser = value_parser!(u64).range(1..))]
    time: u64,
    /// Nodes for a search instead of time.
    #[arg(long, conflicts_with = "time", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search threads.
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Hash table of each side, megabytes.
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..))]
    hash: u32,
    /// Longest game, plies; it counts as drawn then.
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..))]
    plies: u32,
    /// The rules that judge repetitions: axf, cxa or league.
    #[arg(long, default_value = "axf")]
    rules: RuleSet,
    /// Save the results as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

/// One line of the results.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    fen: String,
    goal: String,
    solved: bool,
    #[serde(rename = "move")]
    best: Option<String>,
    score: String,
    seconds: f64,
    nodes: u64,
    depth: u32,
    game_plies: Option<usize>,
}

impl Row {
    fn new(puzzle: &Puzzle, attempt: &Attempt) -> Row {
        Row {
            name: puzzle.name.clone(),
            fen: puzzle.position.to_fen(),
            goal: puzzle.goal.to_string(),
            solved: attempt.is_solved,
            best: attempt.best.map(|m| m.to_string()),
            score: score_text(attempt.score, Dialect::UCI),
            seconds: attempt.time.as_secs_f64(),
            nodes: attempt.nodes,
            depth: attempt.depth,
            game_plies: attempt.plies,
        }
    }
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let puzzles = puzzle::read(&self.file)
            .map_err(|fault| Failure::invalid(format!("{}: {fault}", printable(&self.file))))?;
        // better now than after minutes of searching
        self.csv.iter().try_for_each(|csv| check_output("--csv", csv, [&self.file]))?;
        let time = Budget::Time(Duration::from_millis(self.time));
        let budget = self.nodes.map_or(time, Budget::Nodes);
        let stop = stop_signal();
        let size = (usize::from(self.threads), self.hash as usize);
        let mut solver = Solver::new(size, self.rules.into(), budget, self.plies as usize, stop)
            .map_err(Failure::refused)?;
        let mut rows = Vec::new();
        if !self.json {
            writeln!(out, "{}", header())?;
        }
        let mut progress = Progress::new(puzzles.len(), 0);
        for (number, puzzle) in puzzles.iter().enumerate() {
            progress.begin(number, &puzzle.name);
            let Some(attempt) = solver.attempt(puzzle) else { break };
            let row = Row::new(puzzle, &attempt);
            if !self.json {
                progress.suspend(|| writeln!(out, "{}", line(&row)).and_then(|()| out.flush()))?;
            }
            rows.push(row);
        }
        drop(progress);
        self.write_results(out, &rows, puzzles.len())
    }

    fn write_results(&self, out: &mut impl Write, rows: &[Row], all: usize) -> Result<(), Failure> {
        if self.json {
            let solved = rows.iter().filter(|row| row.solved).count();
            let report =
                serde_json::json!({ "solved": solved, "tried": rows.len(), "puzzles": rows });
            writeln!(out, "{report:#}")?;
        } else {
            writeln!(out, "{}", summary(rows))?;
        }
        if let Some(path) = &self.csv {
            save(path, rows)?;
        }
        if rows.len() < all {
            return Err(Failure::refused(format!("interrupted after {} of {all}", rows.len())));
        }
        Ok(())
    }
}

fn header() -> String {
    format!(
        "{:<16} solved  {:<16} {:>8} {:>10} {:>6}  name",
        "goal", "score", "seconds", "nodes", "game"
    )
}

fn line(row: &Row) -> String {
    let solved = if row.solved { "yes" } else { "NO" };
    let score = format!("{} {}", row.best.as_deref().unwrap_or("none"), row.score);
    let game = row.game_plies.map_or(String::new(), |plies| plies.to_string());
    // the name last, as its characters may be of any width
    format!(
        "{:<16} {solved:<6}  {score:<16} {:>8.3} {:>10} {game:>6}  {}",
        row.goal, row.seconds, row.nodes, row.name
    )
}

/// How many are solved, and the median and longest time to their solutions.
fn summary(rows: &[Row]) -> String {
    let times: Vec<f64> = rows.iter().filter(|row| row.solved).map(|row| row.seconds).collect();
    let solved = format!("solved {} of {}", times.len(), rows.len());
    if times.is_empty() {
        return solved;
    }
    let times = Data::new(times);
    let (median, longest) = (times.median(), times.max());
    format!("{solved}; seconds to the solution: median {median:.3}, longest {longest:.3}")
}

fn save(path: &Path, rows: &[Row]) -> Result<(), Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row)).map_err(Failure::refused)?;
    let bytes = writer.into_inner().map_err(Failure::refused)?;
    write_whole(path, &bytes).map_err(|error| cannot_write(path, error))
}

#[cfg(test)]
mod tests {
    use crate::board::Position;
    use crate::score::{MAX_PLY, Score};

    use super::*;

    fn row(name: &str, solved: bool, seconds: f64) -> Row {
        Row {
            name: name.into(),
            fen: "fen".into(),
            goal: "win".into(),
            solved,
            best: Some("a0a1".into()),
            score: "mate 3".into(),
            seconds,
            nodes: 7,
            depth: 5,
            game_plies: None,
        }
    }

    #[test]
    fn scores_are_those_that_uci_shows() {
        let puzzle =
            Puzzle { name: String::new(), position: Position::startpos(), goal: puzzle::Goal::Win };
        for (score, shown) in [
            (Score::table_win_in(MAX_PLY), "cp 8760"),
            (Score::from_centipawns(35), "cp 35"),
            (Score::mated_in(6), "mate -3"),
        ] {
            let attempt = Attempt {
                is_solved: true,
                best: None,
                score,
                time: Duration::ZERO,
                nodes: 1,
                depth: 1,
                plies: None,
            };
            assert_eq!(Row::new(&puzzle, &attempt).score, shown);
        }
    }

    #[test]
    fn the_summary_counts_solved_ones_only() {
        let rows = [row("a", true, 0.5), row("b", false, 9.0), row("c", true, 0.1)];
        let expected = "solved 2 of 3; seconds to the solution: median 0.300, longest 0.500";
        assert_eq!(summary(&rows), expected);
        assert_eq!(summary(&rows[1..2]), "solved 0 of 1");
    }

    #[test]
    fn a_table_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        save(&path, &[row("a, b", true, 0.5)]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = "name,fen,goal,solved,move,score,seconds,nodes,depth,game_plies\n\
                        \"a, b\",fen,win,true,a0a1,mate 3,0.5,7,5,\n";
        assert_eq!(text, expected);
    }
}
