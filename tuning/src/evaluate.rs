//! How well evaluations foretell results and scores, by phase and by material.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use hanxin::board::Position;
use hanxin::eval::classical;
use hanxin::eval::nnue::features::output_bucket;
use hanxin::eval::nnue::{AccumulatorStack, Network};

use crate::curve::{expected, fit_scale};
use crate::data::{Data, Label, Mixture};
use crate::progress::say;

/// What to judge, and by what.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    target: Mixture,
    /// Nets to judge beside the classical evaluation
    #[arg(long = "net", num_args = 1..)]
    nets: Vec<PathBuf>,
}

/// The phases, by the least that is left on the board.
const PHASES: [(&str, i32); 4] =
    [("opening", 55), ("midgame", 40), ("late midgame", 22), ("endgame", 0)];
/// What the heads of a net are for.
const MATERIALS: [&str; 8] = [
    "0 R, 0-1 N C",
    "0 R, 2-8 N C",
    "1-2 R, 0-1 N C",
    "1-2 R, 2-3 N C",
    "1-2 R, 4-8 N C",
    "3-4 R, 0-4 N C",
    "3-4 R, 5-6 N C",
    "3-4 R, 7-8 N C",
];

/// A position of a game that is kept for validation, for the side to move.
struct Judged {
    /// What each evaluation says, centipawns.
    values: Vec<f64>,
    label: Label,
    /// What is left on the board, 0 to 66.
    midgame: i32,
    material: usize,
}

/// Prints a table of losses on the games that tuning and training leave out.
///
/// # Errors
/// When the data or a net are of no use.
pub fn run(options: &Options) -> Result<()> {
    let nets = options.nets.iter().map(|path| Ok(Arc::new(Network::open(path)?)));
    let nets = nets.collect::<Result<Vec<_>>>()?;
    let judged = options.data.load_validation(|| {
        let mut stacks: Vec<_> = nets.iter().map(accumulators).collect();
        move |position, label| judge(position, label, &mut stacks)
    })?;
    let scores: Vec<_> = judged
        .iter()
        .map(|judged| (f64::from(judged.label.score), f64::from(judged.label.points)))
        .collect();
    let score_scale = fit_scale(&scores);
    say!("K of scores: {score_scale:.1}");
    for which in 0..=nets.len() {
        let name = which.checked_sub(1).map(|net| options.nets[net].display().to_string());
        let table = Table::new(&judged, which, options.target.lambda, score_scale);
        table.print(&name.unwrap_or_else(|| "classical".to_owned()), &judged);
    }
    Ok(())
}

/// What [`net_value`] evaluates with.
pub fn accumulators(network: &Arc<Network>) -> AccumulatorStack {
    AccumulatorStack::new(Arc::clone(network), &Position::startpos())
}

/// What a net says, centipawns for the side to move.
pub fn net_value(stack: &mut AccumulatorStack, position: &Position) -> i32 {
    stack.reset(position);
    stack.evaluate(position)
}

fn judge(position: &Position, label: Label, stacks: &mut [AccumulatorStack]) -> Judged {
    let trace = classical::trace(position);
    let by_nets = stacks.iter_mut().map(|stack| f64::from(net_value(stack, position)));
    Judged {
        values: std::iter::once(f64::from(classical_value(position))).chain(by_nets).collect(),
        label: label.for_mover(position),
        midgame: trace.midgame(),
        material: output_bucket(position),
    }
}

/// What the classical evaluation says, centipawns for the side to move.
pub fn classical_value(position: &Position) -> i32 {
    classical::evaluate(position, &classical::PieceSquareSums::new(position))
}

/// One evaluation and how it is judged.
struct Table {
    /// Its place in [`Judged::values`].
    which: usize,
    lambda: f64,
    /// What stands for odds of e to 1, in its values and in scores.
    scales: [f64; 2],
}

impl Table {
    fn new(judged: &[Judged], which: usize, lambda: f64, score_scale: f64) -> Table {
        let pairs = judged.iter().map(|judged| (judged.values[which], judged.label.points.into()));
        let value_scale = fit_scale(&pairs.collect::<Vec<_>>());
        Table { which, lambda, scales: [value_scale, score_scale] }
    }

    fn squared_error(&self, judged: &Judged) -> f64 {
        let [value_scale, score_scale] = self.scales;
        let by_score = expected(f64::from(judged.label.score), score_scale);
        let target = self.lambda * f64::from(judged.label.points) + (1.0 - self.lambda) * by_score;
        (expected(judged.values[self.which], value_scale) - target).powi(2)
    }

    fn print(&self, name: &str, judged: &[Judged]) {
        say!("\n{name}, K {:.1}", self.scales[0]);
        say!("{:16}{:>10}{:>12}{:>12}", "", "positions", "mean |cp|", "loss");
        self.print_row("all", judged, |_| true);
        let mut above = i32::MAX;
        for (name, least) in PHASES {
            self.print_row(name, judged, |j| (least..above).contains(&j.midgame));
            above = least;
        }
        for (material, name) in MATERIALS.into_iter().enumerate() {
            self.print_row(name, judged, |judged| judged.material == material);
        }
    }

    fn print_row(&self, name: &str, judged: &[Judged], belongs: impl Fn(&Judged) -> bool) {
        let (mut count, mut size, mut error) = (0, 0.0, 0.0);
        for judged in judged.iter().filter(|judged| belongs(judged)) {
            count += 1;
            size += judged.values[self.which].abs();
            error += self.squared_error(judged);
        }
        let [size, error] = [size, error].map(|sum| sum / f64::from(count.max(1)));
        say!("{name:16}{count:>10}{size:>12.1}{error:>12.6}");
    }
}
