//! `hanxin lab compare`: all variants on the same positions.

mod plot;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use clap::{Args, value_parser};
use serde_json::{Value, json};

use crate::board::Position;
use crate::cli::csv_table::CsvTable;
use crate::cli::progress::Progress;
use crate::cli::{invalid_file, position_or_start};
use crate::lab::{Limits, Measured, Variant, Xiangqi, minimal_leaves, variants};
use crate::score::Score;
use crate::util::stop_signal;

use super::report::{Report, Table, grouped};
use super::{Failure, variant};

const EXAMPLES: &str = "\
Examples:
  hanxin lab compare --depth 3
  hanxin lab compare --depth 6 --nodes 10000000 --report compare.html
  hanxin lab compare --file positions.csv --depth 4 --variant fail-soft+all \\
      --variant mtd-two-bounds+all --json
  hanxin lab compare --depth 5 --variant aspiration:20+all --variant aspiration:80+all
  hanxin lab compare --variant aspiration:20+gradual --variant aspiration:20+shift:-15

A variant is an algorithm or a driver (minimax, fail-hard, fail-soft, negascout,
aspiration:50, bisection, mtd-one-value, mtd-two-bounds), then what is added to it:
+gradual (an aspiration window that failed is opened step by step), +shift:25 (its centre
is above the score expected, with -25 below), +table, +deeper-entries, +deepening,
+internal-deepening, +captures, +killers, +frequent-killers, +history, +refutations,
+all (table, both deepenings, captures, killers, history), +worst-first, +null-move,
+verified-null-move, +margin:25, +secondary:2. A driver can also follow the algorithm
that it calls: negascout+aspiration. Figures are centipawns, and plies of the secondary
search; they may be others or left out.

Nodes grow by the number of moves with each ply of minimax: depth 5 takes minutes.
All variants are searched to depth 1 first, then to 2 and so on; an interrupt
(Ctrl-C) keeps what has been measured. Repetitions do not count. Exit code 1: exact
variants disagree, or the comparison was interrupted.";

/// Compare nodes, time and score of the algorithms by depth.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The position; the start of a game if there is none.
    #[arg(long)]
    fen: Option<String>,
    /// All positions of a CSV file in UTF-8 or GBK; column: fen. Nodes, times
    /// and scores are added up.
    #[arg(long, value_name = "CSV", conflicts_with = "fen")]
    file: Option<PathBuf>,
    /// Plies.
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(1..=20))]
    depth: u32,
    /// A variant that needs more nodes for a position is not searched deeper.
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Only this variant (see below); may be given several times.
    #[arg(long = "variant", value_name = "NAME")]
    variants: Vec<String>,
    /// Resolve the leaves of all variants by captures.
    #[arg(long)]
    quiescence: bool,
    /// Round the evaluation to multiples of so many centipawns in all variants.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 1)]
    #[arg(value_parser = value_parser!(i32).range(1..=1000))]
    grain: i32,
    /// Extend checks and single replies in all variants.
    #[arg(long)]
    extensions: bool,
    /// Save a report with plots: .html, or .md with SVG files beside it.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write JSON: for each variant its name, whether it is exact, and of its deepest
    /// search the value (centipawns, added up), how many positions are won and lost
    /// by mate beside that, and the nodes. Of single positions a mate in n plies has
    /// the value 32000 - n.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        self.report.iter().try_for_each(|path| Report::check(path, &self.file))?;
        let limits = Limits { nodes: self.nodes, stop: stop_signal(), ..Limits::default() };
        let mut comparison = Comparison::new(self.positions()?, self.chosen()?);
        let mut progress = Progress::new(self.depth as usize * comparison.compared.len(), 0);
        for depth in 1..=self.depth {
            comparison.measure(&Limits { depth, ..limits.clone() }, &mut progress);
        }
        drop(progress);
        let report = comparison.report()?;
        if self.json {
            writeln!(out, "{:#}", comparison.to_json())?;
        } else {
            writeln!(out, "{}", report.to_text())?;
        }
        // last: what was measured is not lost where it cannot be saved
        if let Some(path) = &self.report {
            report.save(path)?;
        }
        comparison.agree()?;
        if limits.stop.load(Relaxed) {
            return Err(Failure::refused("interrupted: what was measured until then is kept"));
        }
        Ok(())
    }

    /// The variants asked for, or all, with the leaves and the depths asked for.
    fn chosen(&self) -> Result<Vec<Variant>, Failure> {
        let chosen = match &self.variants[..] {
            [] => Ok(variants()),
            names => names.iter().map(|name| variant(name)).collect::<Result<_, _>>(),
        };
        let mut chosen = chosen?;
        for Variant { settings, .. } in &mut chosen {
            settings.quiescence = self.quiescence;
            settings.grain = self.grain;
            settings.extend_checks = self.extensions;
            settings.extend_single_replies = self.extensions;
        }
        Ok(chosen)
    }

    fn positions(&self) -> Result<Vec<Position>, Failure> {
        if let Some(path) = &self.file {
            return read_positions(path);
        }
        Ok(vec![position_or_start(self.fen.as_deref())?])
    }
}

/// Reads the column `fen` of a CSV file.
fn read_positions(path: &Path) -> Result<Vec<Position>, Failure> {
    let table = CsvTable::read(path, &["fen"])?;
    let positions = (1..).zip(table.rows()).map(|(number, row)| {
        let position = Position::from_fen(row.cell("fen"));
        position.map_err(|error| invalid_file(path, format!("record {number}: {error}")))
    });
    let positions: Vec<_> = positions.collect::<Result<_, _>>()?;
    if positions.is_empty() {
        return Err(invalid_file(path, "no positions"));
    }
    Ok(positions)
}

/// All variants on the same positions.
struct Comparison {
    positions: Vec<Position>,
    compared: Vec<Compared>,
}

/// One variant.
struct Compared {
    variant: Variant,
    /// Its searches by depth from 1, then by position.
    depths: Vec<Vec<Measured>>,
    /// Whether a limit has ended a search; it is not searched any deeper.
    is_out: bool,
}

impl Comparison {
    fn new(positions: Vec<Position>, variants: Vec<Variant>) -> Comparison {
        let compared = |variant| Compared { variant, depths: Vec::new(), is_out: false };
        Comparison { positions, compared: variants.into_iter().map(compared).collect() }
    }

    /// Searches the positions to one depth more with every variant.
    fn measure(&mut self, limits: &Limits, progress: &mut Progress) {
        let first = (limits.depth as usize - 1) * self.compared.len();
        let all = (first..).zip(&mut self.compared);
        for (step, compared) in all.filter(|(_, compared)| !compared.is_out) {
            progress.begin(step, &format!("depth {}, {}", limits.depth, compared.variant.name));
            let games = self.positions.iter().cloned().map(Xiangqi::new);
            let measured = games.map(|game| compared.variant.measure(game, limits));
            match measured.collect::<Option<Vec<_>>>() {
                Some(searches) => compared.depths.push(searches),
                None => compared.is_out = true,
            }
        }
    }

    /// The deepest search that any variant has ended.
    fn depth(&self) -> u32 {
        self.compared.iter().map(|compared| compared.depths.len() as u32).max().unwrap_or(0)
    }

    /// Leaves of the minimal tree, of all positions together.
    fn minimal(&self, depth: u32) -> f64 {
        let branching = self.positions.iter().map(|position| position.count_legal_moves() as f64);
        branching.map(|branching| minimal_leaves(branching, depth)).sum()
    }

    /// Fails if two exact variants found different scores.
    fn agree(&self) -> Result<(), Failure> {
        let exact: Vec<_> =
            self.compared.iter().filter(|c| c.variant.settings.is_exact()).collect();
        for depth in 0..self.depth() as usize {
            let there: Vec<_> = exact.iter().filter(|c| c.depths.len() > depth).collect();
            for (index, position) in self.positions.iter().enumerate() {
                let score = |compared: &Compared| compared.depths[depth][index].score;
                let first = there.first().map(|first| score(first));
                if let Some(other) = there.iter().find(|other| Some(score(other)) != first) {
                    return Err(Failure::refused(format!(
                        "{} and {} are exact but differ at depth {} on {}",
                        there[0].variant.name,
                        other.variant.name,
                        depth + 1,
                        position.to_fen()
                    )));
                }
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let variants: Vec<Value> = self.compared.iter().map(Compared::to_json).collect();
        json!({ "variants": variants })
    }

    fn report(&self) -> Result<Report, Failure> {
        let time = self.compared.iter().flat_map(|compared| compared.depths.iter().flatten());
        let time = time.map(|search| search.time).sum();
        let mut report = Report::new("The lab: algorithms compared", time);
        let positions = self.positions.len();
        report.heading("Nodes by depth");
        report.text(&format!(
            "Positions: {positions}. Nodes are all positions looked at, those of quiescence and of \
             shallower iterations included. The minimal tree has b^⌈d/2⌉ + b^⌊d/2⌋ - 1 leaves, \
             about 2 b^(d/2), with b the legal moves of the position."
        ));
        let minimal = (1..=self.depth()).map(|depth| grouped(self.minimal(depth)));
        let mut table = self.table(|search| grouped(search.nodes));
        table.push([String::from("minimal tree, leaves")].into_iter().chain(minimal).collect());
        report.table(table);
        report.heading("Seconds by depth");
        report.table(self.table(|search| format!("{:.3}", search.time.as_secs_f64())));
        report.heading("Score by depth, in pawns; * is not exact");
        report.table(self.table(|search| search.score()));
        for (name, title) in GROUPS {
            self.plot(&mut report, name, title)?;
        }
        Ok(report)
    }

    /// A row for each variant, a column for each depth.
    fn table(&self, cell: impl Fn(Sum) -> String) -> Table {
        let depths = (1..=self.depth()).map(|depth| format!("depth {depth}"));
        let titles = [String::from("variant")].into_iter().chain(depths).collect();
        let row = |compared: &Compared| {
            let mark = if compared.variant.settings.is_exact() { "" } else { " *" };
            let mut row = vec![format!("{}{mark}", compared.variant.name)];
            row.extend(compared.depths.iter().map(|searches| cell(Sum::of(searches))));
            row.resize(self.depth() as usize + 1, String::new());
            row
        };
        [titles].into_iter().chain(self.compared.iter().map(row)).collect()
    }

    /// The plot of a group of variants, if any of them is there.
    fn plot(&self, report: &mut Report, group: &str, title: &str) -> Result<(), Failure> {
        let positions = self.positions.len() as f64;
        let members = self.compared.iter().filter(|compared| compared.group() == group);
        let lines: Vec<_> = members
            .map(|compared| plot::Line {
                name: &compared.variant.name,
                nodes: compared.depths.iter().map(|d| Sum::of(d).nodes / positions).collect(),
            })
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        let minimal = (1..=self.depth()).map(|depth| self.minimal(depth) / positions);
        let svg = plot::draw(&lines, &minimal.collect::<Vec<_>>());
        let svg = svg.map_err(|error| Failure::refused(format!("cannot draw a plot: {error}")))?;
        report.plot(group, title, svg);
        Ok(())
    }
}

/// Groups of variants that share a plot, and its heading.
const GROUPS: [(&str, &str); 5] = [
    ("bare", "Bare algorithms against the minimal tree"),
    ("table", "With a transposition table"),
    ("all", "With all exact enhancements"),
    ("other", "With other enhancements"),
    ("inexact", "With forward pruning and the like, which is not exact"),
];

/// Searches of several positions, added up.
struct Sum {
    nodes: f64,
    time: Duration,
    /// The scores that are no mates, centipawns.
    value: i64,
    won: usize,
    lost: usize,
    scores: Vec<Score>,
}

impl Sum {
    fn of(searches: &[Measured]) -> Sum {
        let scores: Vec<Score> = searches.iter().map(|search| search.score).collect();
        let quiet = scores.iter().filter(|score| !score.is_decisive());
        Sum {
            nodes: searches.iter().map(|search| search.nodes as f64).sum(),
            time: searches.iter().map(|search| search.time).sum(),
            value: quiet.map(|score| i64::from(score.raw())).sum(),
            won: scores.iter().filter(|score| score.is_win()).count(),
            lost: scores.iter().filter(|score| score.is_loss()).count(),
            scores,
        }
    }

    /// The score in words: mates are not pawns.
    fn score(&self) -> String {
        if let [score] = self.scores[..] {
            return score.to_string();
        }
        let pawns = self.value as f64 / 100.0;
        let counted = [(self.won, "won"), (self.lost, "lost")];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        let counted = counted.map(|(count, word)| format!(", {count} {word}"));
        format!("{pawns:+.2}{}", counted.collect::<String>())
    }
}

impl Compared {
    /// What was added to the algorithm, as its name says.
    fn group(&self) -> &str {
        match self.variant.name.split_once('+') {
            None => "bare",
            Some(_) if !self.variant.settings.is_exact() => "inexact",
            Some((_, "table")) => "table",
            Some((_, "all")) => "all",
            Some(_) => "other",
        }
    }

    fn to_json(&self) -> Value {
        let by_depth = self.depths.iter().map(|searches| {
            let Sum { nodes, time, value, won, lost, .. } = Sum::of(searches);
            let best: Vec<_> = searches.iter().map(|search| &search.best).collect();
            let values: Vec<_> = searches.iter().map(|search| search.score.raw()).collect();
            json!({
                "value": value, "won": won, "lost": lost,
                "nodes": nodes as u64, "seconds": time.as_secs_f64(),
                "positions": { "values": values, "best": best },
            })
        });
        let deepest = self.depths.last().map(|searches| Sum::of(searches));
        json!({
            "name": self.variant.name,
            "exact": self.variant.settings.is_exact(),
            "value": deepest.as_ref().map(|sum| sum.value),
            "won": deepest.as_ref().map(|sum| sum.won),
            "lost": deepest.as_ref().map(|sum| sum.lost),
            "nodes": deepest.as_ref().map(|sum| sum.nodes as u64),
            "depth": self.depths.len(),
            "by_depth": by_depth.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn comparison(depth: u32, limits: &Limits) -> Comparison {
        let names = ["minimax", "fail-soft+all", "mtd-two-bounds+all"];
        let chosen = names.map(|name| name.parse().unwrap()).to_vec();
        let mut comparison = Comparison::new(vec![Position::startpos()], chosen);
        for depth in 1..=depth {
            comparison.measure(&Limits { depth, ..limits.clone() }, &mut Progress::new(9, 0));
        }
        comparison
    }

    #[test]
    fn one_different_score_of_an_exact_variant_is_a_failure() {
        let mut comparison = comparison(2, &Limits::default());
        assert!(comparison.agree().is_ok());
        let search = &mut comparison.compared[2].depths[0][0];
        search.score = search.score + 1;
        let failure = comparison.agree().unwrap_err().to_string();
        let expected = "minimax and mtd-two-bounds+all are exact but differ at depth 1 on ";
        assert!(failure.starts_with(expected), "{failure}");
        comparison.compared[2].variant.settings.margin = 1;
        assert!(comparison.agree().is_ok(), "it is no longer exact");
    }

    #[test]
    fn mates_are_no_pawns() {
        let search = |score| Measured {
            depth: 1,
            score,
            best: String::new(),
            nodes: 1,
            time: Duration::ZERO,
        };
        let sum = |scores: &[Score]| {
            Sum::of(&scores.iter().map(|&score| search(score)).collect::<Vec<_>>())
        };
        let of = |scores: &[Score]| sum(scores).score();
        let [good, bad] = [120, -50].map(Score::from_centipawns);
        assert_eq!(of(&[good]), "+1.20");
        assert_eq!(of(&[Score::mate_in(3)]), "#3");
        assert_eq!(of(&[good, bad]), "+0.70");
        let all = [good, Score::mate_in(3), bad, Score::mated_in(4)];
        assert_eq!(of(&all), "+0.70, 1 won, 1 lost");
        let Sum { value, won, lost, .. } = sum(&all);
        assert_eq!((value, won, lost), (70, 1, 1));
    }

    #[test]
    fn json_has_the_deepest_search_and_all_others() {
        let json = comparison(2, &Limits::default()).to_json();
        let variant = &json["variants"][0];
        assert_eq!(variant["name"], "minimax");
        assert_eq!(variant["exact"], true);
        // the root, 44 moves, 44 replies to each
        assert_eq!(variant["nodes"], 1 + 44 + 44 * 44 - 16);
        assert_eq!(variant["nodes"], variant["by_depth"][1]["nodes"]);
        for other in json["variants"].as_array().unwrap() {
            assert!(other["value"].is_i64());
            assert_eq!(other["value"], variant["value"]);
        }
    }

    #[test]
    fn a_variant_that_needs_too_many_nodes_is_left_behind() {
        let limits = Limits { nodes: Some(1000), ..Limits::default() };
        let comparison = comparison(2, &limits);
        let depths: Vec<_> = comparison.compared.iter().map(|c| c.depths.len()).collect();
        assert_eq!(depths, [1, 2, 2]);
        let text = comparison.report().unwrap().to_text();
        assert!(text.contains("depth 2") && text.contains("minimal tree, leaves"), "{text}");
        assert!(comparison.agree().is_ok());
    }

    #[test]
    fn an_interrupted_comparison_keeps_what_it_has() {
        let mut comparison = comparison(2, &Limits::default());
        let stop = Arc::new(AtomicBool::new(true));
        let limits = Limits { depth: 3, stop, ..Limits::default() };
        comparison.measure(&limits, &mut Progress::new(9, 0));
        assert_eq!(comparison.depth(), 2);
        assert!(comparison.compared.iter().all(|compared| compared.is_out));
    }

    #[test]
    fn a_file_without_positions_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.csv");
        for (text, reason) in [
            ("id\n1\n", "no column 'fen'"),
            ("fen\n", "no positions"),
            ("fen\nnonsense\n", "record 1"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read_positions(&path).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn files_may_be_in_gbk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.csv");
        let start = Position::startpos();
        let text = [b"name, FEN\n\xb3\xb5,", start.to_fen().as_bytes(), b"\n"].concat();
        std::fs::write(&path, text).unwrap();
        assert_eq!(read_positions(&path).unwrap(), [start]);
    }
}
