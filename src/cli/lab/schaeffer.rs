//! `hanxin lab schaeffer`: what each enhancement of alpha-beta is worth.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, value_parser};
use plotters::chart::SeriesLabelPosition;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::arena::chart::{
    Axis, BLUE, Frame, GREY, ORANGE, PlotError, draw_legend, draw_line, svg,
};
use crate::board::Position;
use crate::lab::schaeffer::{Combination, Enhancement, Gain, reductions};
use crate::lab::{Limits, Settings, Variant, Xiangqi};
use crate::score::Score;
use crate::util::stop_signal;

use super::experiment::{self, Results};
use super::report::{Report, Table, grouped};
use super::{Failure, positions};

const EXAMPLES: &str = "\
Examples:
  hanxin lab schaeffer --depth 3 --positions 2
  hanxin lab schaeffer --depth 4 --report schaeffer.md

All 256 combinations of eight enhancements are searched on the ten midgames of the
lazyboy thesis: seconds to depth 3, minutes to depth 5, each further ply five to ten
times as long. Ctrl-C interrupts; the same command goes on where it was, and a greater --depth
goes on from a smaller one.";

/// Measure all combinations of the enhancements of alpha-beta, as Schaeffer did.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Plies.
    #[arg(long, default_value_t = 4, value_parser = value_parser!(u32).range(1..=20))]
    depth: u32,
    /// Only so many of the ten midgames, the first ones.
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u32).range(1..=10))]
    positions: u32,
    /// Resolve the leaves by captures.
    #[arg(long)]
    quiescence: bool,
    /// Where the results are kept; a name of its own if none is given.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Save a report with plots: .html, or .md with SVG files beside it.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// One combination to one depth.
struct Step {
    combination: Combination,
    depth: u32,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "depth {}, {}", self.depth, name_of(self.combination))
    }
}

/// What the searches of all positions came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Searched {
    /// Of all positions together.
    nodes: u64,
    /// Of each position, as [`Score::raw`].
    values: Vec<i32>,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        self.report.iter().try_for_each(|path| Report::check(path, &self.journal))?;
        let steps: Vec<Step> = (1..=self.depth)
            .flat_map(|depth| {
                Combination::all().map(move |combination| Step { combination, depth })
            })
            .collect();
        let positions = positions::midgames().into_iter().take(self.positions as usize);
        let positions: Vec<Position> = positions.map(|midgame| midgame.position).collect();
        let plan = json!({
            "study": "schaeffer", "hanxin": env!("CARGO_PKG_VERSION"),
            "program": experiment::program(),
            "quiescence": self.quiescence,
            "positions": positions.iter().map(Position::to_fen).collect::<Vec<_>>(),
        });
        let default = || experiment::default_path("schaeffer", &plan);
        let path = self.journal.clone().unwrap_or_else(default);
        let stop = stop_signal();
        let limits = Limits { stop: Arc::clone(&stop), ..Limits::default() };
        let results = experiment::run(&path, &plan, &steps, &stop, |step| {
            let limits = Limits { depth: step.depth, ..limits.clone() };
            Ok(self.search(step.combination, &positions, &limits))
        })?;
        agree(&steps, &results.steps)?;
        let report = report(&results, positions.len())?;
        if let Some(path) = &self.report {
            report.save(path)?;
        }
        writeln!(out, "{}", report.to_text())?;
        results.check_end()
    }

    fn search(
        &self,
        combination: Combination,
        positions: &[Position],
        limits: &Limits,
    ) -> Option<Searched> {
        let leaves = Settings { quiescence: self.quiescence, ..Settings::default() };
        let settings = combination.settings(leaves);
        let variant = Variant { name: name_of(combination), settings };
        let mut searched = Searched { nodes: 0, values: Vec::new() };
        for position in positions {
            let measured = variant.measure(Xiangqi::new(position.clone()), limits)?;
            searched.nodes += measured.nodes;
            searched.values.push(measured.score.raw());
        }
        Some(searched)
    }
}

fn name_of(combination: Combination) -> String {
    let names: Vec<_> = combination.members().map(Enhancement::name).collect();
    if names.is_empty() { "plain alpha-beta".to_owned() } else { names.join(" + ") }
}

/// Fails if two combinations found different scores: all are exact.
fn agree(steps: &[Step], results: &[Option<Searched>]) -> Result<(), Failure> {
    let done = || steps.iter().zip(results).filter_map(|(step, r)| Some((step, r.as_ref()?)));
    for (step, searched) in done() {
        let first = done().find(|(other, _)| other.depth == step.depth);
        let Some((_, first)) = first else { continue };
        if let Some(index) =
            (0..first.values.len()).find(|&i| first.values[i] != searched.values[i])
        {
            let [one, other] = [first, searched].map(|s| Score::from_raw(s.values[index]));
            return Err(Failure::Refused(format!(
                "{step}: {other} on position {}, where plain alpha-beta has {one}",
                index + 1
            )));
        }
    }
    Ok(())
}

/// A depth that all combinations have been searched to.
struct Depth {
    depth: u32,
    /// Nodes of a position on average, by combination.
    nodes: Vec<f64>,
}

impl Depth {
    fn all(results: &[Option<Searched>], positions: usize) -> Vec<Depth> {
        let depths = (1..).zip(results.chunks(Combination::all().count()));
        let whole = depths.filter_map(|(depth, searched)| {
            let nodes = searched.iter().map(|s| Some(s.as_ref()?.nodes as f64 / positions as f64));
            Some(Depth { depth, nodes: nodes.collect::<Option<_>>()? })
        });
        whole.collect()
    }

    fn of(&self, combination: Combination) -> f64 {
        self.nodes[combination.index()]
    }

    /// The combination of so many enhancements with the fewest nodes, or with
    /// the most.
    fn extreme(&self, size: usize, fewest: bool) -> Option<Combination> {
        let sign = if fewest { 1.0 } else { -1.0 };
        let sized = Combination::all().filter(|combination| combination.size() == size);
        sized.min_by(|&a, &b| (sign * self.of(a)).total_cmp(&(sign * self.of(b))))
    }
}

fn report(results: &Results<Searched>, positions: usize) -> Result<Report, Failure> {
    let mut report =
        Report::new("The lab: what the enhancements of alpha-beta are worth", results.time);
    report.text(&format!(
        "Fail-soft alpha-beta with all 256 combinations of eight enhancements, after \
         J. Schaeffer, The history heuristic and alpha-beta search enhancements in practice \
         (1989). Positions: {positions} of the midgames of the lazyboy thesis. Nodes are means of \
         a position, those of shallower iterations included. All combinations found the same \
         scores."
    ));
    let depths = Depth::all(&results.steps, positions);
    report.heading("Nodes by depth");
    report.table(nodes_table(&depths));
    for depth in depths.iter().filter(|depth| depth.depth > 1) {
        gains(&mut report, depth);
    }
    if let Some(deepest) = depths.last() {
        best(&mut report, deepest);
        let svg = draw(deepest);
        let svg = svg.map_err(|error| Failure::refused(format!("cannot draw a plot: {error}")))?;
        report.plot("sizes", "Combinations by size", svg);
    }
    Ok(report)
}

fn nodes_table(depths: &[Depth]) -> Table {
    let titles = depths.iter().map(|depth| format!("depth {}", depth.depth));
    let mut table = vec![[String::from("enhancements")].into_iter().chain(titles).collect()];
    let mut row = |name: String, combination: Combination| {
        let cells = depths.iter().map(|depth| grouped(depth.of(combination)));
        table.push([name].into_iter().chain(cells).collect());
    };
    row("none".into(), Combination::NONE);
    for single in Combination::all().filter(|combination| combination.size() == 1) {
        row(format!("only {}", name_of(single)), single);
    }
    for combination in Combination::all().filter(|c| c.size() + 1 == Enhancement::ALL.len()) {
        let out = Combination::FULL.without(combination).map(Enhancement::name);
        row(format!("all but {}", out.collect::<String>()), combination);
    }
    row("all".into(), Combination::FULL);
    table
}

/// The share of the possible reduction of each enhancement, at a depth.
fn gains(report: &mut Report, depth: &Depth) {
    for (in_factors, unit) in [(false, "nodes"), (true, "factors")] {
        report.heading(&format!(
            "Depth {}: share of the possible reduction in percent, by {unit}",
            depth.depth
        ));
        report.text(match in_factors {
            false => {
                "The possible reduction is from plain alpha-beta to the best combination. What an \
                 enhancement adds to it depends on those that were there before: first (to none), \
                 last (to all others), on average over all orders, and at least and at most of all \
                 combinations of the others."
            }
            true => {
                "The same by the logarithm of the nodes: halving the tree counts the same whether it \
                 is large or small."
            }
        });
        let gains = Gain::of_each(&reductions(&depth.nodes, in_factors));
        let titles = ["enhancement", "first", "last", "mean of all orders", "least", "most"];
        let mut table = vec![titles.map(str::to_owned).to_vec()];
        for (enhancement, gain) in Enhancement::ALL.into_iter().zip(gains) {
            let cells = [gain.first, gain.last, gain.mean, gain.least, gain.most];
            let cells = cells.map(|share| format!("{:.1}", 100.0 * share));
            table.push([enhancement.name().to_owned()].into_iter().chain(cells).collect());
        }
        report.table(table);
    }
}

/// The best combination of each size.
fn best(report: &mut Report, depth: &Depth) {
    report.heading(&format!("Depth {}: the best combination of each size", depth.depth));
    let [by_nodes, by_factors] =
        [false, true].map(|in_factors| reductions(&depth.nodes, in_factors));
    let titles = ["enhancements", "nodes", "% by nodes", "% by factors"];
    let mut table = vec![titles.map(str::to_owned).to_vec()];
    for best in (0..=Enhancement::ALL.len()).filter_map(|size| depth.extreme(size, true)) {
        let share = |shares: &[f64]| format!("{:.1}", 100.0 * shares[best.index()]);
        table.push(vec![
            name_of(best),
            grouped(depth.of(best)),
            share(&by_nodes),
            share(&by_factors),
        ]);
    }
    report.table(table);
    let pair = Combination::of(&[Enhancement::Table, Enhancement::History]);
    report.text(&format!(
        "Schaeffer found that the transposition table and the history heuristic together give over \
         99 % of the possible reduction up to depth 8. Here, at depth {}, they give {:.1} % by \
         nodes and {:.1} % by factors.",
        depth.depth,
        100.0 * by_nodes[pair.index()],
        100.0 * by_factors[pair.index()]
    ));
}

/// Nodes of the best, the average and the worst combination of each size.
fn draw(depth: &Depth) -> Result<String, PlotError> {
    let sizes = 0..=Enhancement::ALL.len();
    let extreme = |fewest| {
        let found = sizes.clone().filter_map(move |size| depth.extreme(size, fewest));
        found.map(|combination| (combination.size() as f64, depth.of(combination)))
    };
    let mean = sizes.clone().map(|size| {
        let sized = Combination::all().filter(|combination| combination.size() == size);
        let logarithms: Vec<f64> = sized.map(|combination| depth.of(combination).ln()).collect();
        (size as f64, (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
    });
    let most = depth.nodes.iter().copied().fold(10.0, f64::max).log10().ceil() as i32;
    let fewest = depth.nodes.iter().copied().fold(f64::INFINITY, f64::min).max(1.0);
    let powers: Vec<f64> =
        (fewest.log10().floor() as i32..=most).map(|power| 10f64.powi(power)).collect();
    let frame = Frame {
        title: format!("Nodes to depth {} by number of enhancements", depth.depth),
        x_title: "enhancements",
        x: Axis::whole(0..Enhancement::ALL.len() as u32),
        y: Axis::logarithmic(powers[0]..10f64.powi(most), powers),
    };
    svg((620, 420), |area| {
        let mut chart = frame.draw(area)?;
        draw_line(&mut chart, extreme(false), ORANGE, "worst combination")?;
        draw_line(&mut chart, mean, GREY, "geometric mean of all")?;
        draw_line(&mut chart, extreme(true), BLUE, "best combination")?;
        draw_legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn arguments(folder: &std::path::Path) -> Arguments {
        let journal = folder.join("a.journal");
        let report = folder.join("a.md");
        let words = ["schaeffer", "--depth", "2", "--positions", "1", "--journal"];
        let words = words.map(std::ffi::OsString::from).into_iter();
        let words = words.chain([journal.into(), "--report".into(), report.into()]);
        Program::parse_from(words).arguments
    }

    #[test]
    fn a_small_study_has_all_tables_and_is_not_done_twice() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        arguments(folder.path()).run(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for part in ["all but history", "mean of all orders", "the best combination of each size"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let report = std::fs::read_to_string(folder.path().join("a.md")).unwrap();
        assert!(report.contains("a-sizes.svg") && folder.path().join("a-sizes.svg").exists());
        let journal = std::fs::read(folder.path().join("a.journal")).unwrap();
        let mut again = Vec::new();
        arguments(folder.path()).run(&mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), text);
        assert_eq!(std::fs::read(folder.path().join("a.journal")).unwrap(), journal);
    }

    #[test]
    fn a_different_score_is_a_failure() {
        let steps: Vec<Step> =
            Combination::all().map(|combination| Step { combination, depth: 1 }).collect();
        let mut results = vec![Some(Searched { nodes: 40, values: vec![7, 8] }); steps.len()];
        results[3] = None;
        assert!(agree(&steps, &results).is_ok());
        results[2] = Some(Searched { nodes: 40, values: vec![7, 9] });
        let error = agree(&steps, &results).unwrap_err().to_string();
        assert!(error.contains("transposition table: +0.09 on position 2"), "{error}");
    }
}
