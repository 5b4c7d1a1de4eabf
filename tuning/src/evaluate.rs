//! Losses of evaluations against results and scores, by phase and by material.

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
use crate::progress::print_line;

const EXAMPLE: &str = "\
Example:
  hanxin-tuning evaluate --data games-3.hxg --net net.nnue";

/// The nets to evaluate, and the data.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    target: Mixture,
    /// Nets to evaluate beside the classical evaluation
    #[arg(long = "net", num_args = 1..)]
    nets: Vec<PathBuf>,
}

/// The phases, by the least K mid of the thesis.
const PHASES: [(&str, i32); 4] =
    [("opening", 55), ("midgame", 40), ("late midgame", 22), ("endgame", 0)];
/// The output buckets of a net.
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

/// A validation position, for the side to move.
struct Evaluated {
    /// The value of each evaluation, centipawns.
    values: Vec<f64>,
    label: Label,
    /// K mid of the thesis, 0 to 66.
    midgame: i32,
    material: usize,
}

/// Prints a table of losses on the games that tuning and training leave out.
///
/// # Errors
/// When the data or a net cannot be used.
pub fn run(options: &Options) -> Result<()> {
    let nets = options.nets.iter().map(|path| Ok(Arc::new(Network::open(path)?)));
    let nets = nets.collect::<Result<Vec<_>>>()?;
    let evaluated = options.data.load_validation(|| {
        let mut stacks: Vec<_> = nets.iter().map(accumulators).collect();
        move |position, label| evaluate(position, label, &mut stacks)
    })?;
    let scores: Vec<_> = evaluated
        .iter()
        .map(|evaluated| (f64::from(evaluated.label.score), f64::from(evaluated.label.points)))
        .collect();
    let score_scale = fit_scale(&scores);
    print_line!("K of scores: {score_scale:.1}");
    for which in 0..=nets.len() {
        let name = which.checked_sub(1).map(|net| options.nets[net].display().to_string());
        let table = Table::new(&evaluated, which, options.target.lambda, score_scale);
        table.print(&name.unwrap_or_else(|| "classical".to_owned()), &evaluated);
    }
    Ok(())
}

/// The state for [`net_value`].
pub fn accumulators(network: &Arc<Network>) -> AccumulatorStack {
    AccumulatorStack::new(Arc::clone(network), &Position::startpos())
}

/// A net's evaluation, centipawns for the side to move.
pub fn net_value(stack: &mut AccumulatorStack, position: &Position) -> i32 {
    stack.reset(position);
    stack.evaluate(position)
}

fn evaluate(position: &Position, label: Label, stacks: &mut [AccumulatorStack]) -> Evaluated {
    let trace = classical::trace(position);
    let by_nets = stacks.iter_mut().map(|stack| f64::from(net_value(stack, position)));
    Evaluated {
        values: std::iter::once(f64::from(classical_value(position))).chain(by_nets).collect(),
        label: label.for_mover(position),
        midgame: trace.midgame(),
        material: output_bucket(position),
    }
}

/// The classical evaluation, centipawns for the side to move.
pub fn classical_value(position: &Position) -> i32 {
    classical::evaluate(position, &classical::PieceSquareSums::new(position))
}

/// The losses of one evaluation.
struct Table {
    /// Its place in [`Evaluated::values`].
    which: usize,
    /// What stands for odds of e to 1 in its values: where the loss is least.
    value_scale: f64,
    /// The squared error of each position.
    errors: Vec<f64>,
}

impl Table {
    fn new(evaluated: &[Evaluated], which: usize, lambda: f64, score_scale: f64) -> Table {
        let target = |evaluated: &Evaluated| {
            let by_score = expected(f64::from(evaluated.label.score), score_scale);
            lambda * f64::from(evaluated.label.points) + (1.0 - lambda) * by_score
        };
        let pairs: Vec<_> = evaluated
            .iter()
            .map(|evaluated| (evaluated.values[which], target(evaluated)))
            .collect();
        let value_scale = fit_scale(&pairs);
        let error = |(value, target): (f64, f64)| (expected(value, value_scale) - target).powi(2);
        Table { which, value_scale, errors: pairs.into_iter().map(error).collect() }
    }

    fn print(&self, name: &str, evaluated: &[Evaluated]) {
        print_line!("\n{name}, K {:.1}", self.value_scale);
        print_line!("{:16}{:>10}{:>12}{:>12}", "", "positions", "mean |cp|", "loss");
        self.print_row("all", evaluated, |_| true);
        let mut above = i32::MAX;
        for (name, least) in PHASES {
            self.print_row(name, evaluated, |j| (least..above).contains(&j.midgame));
            above = least;
        }
        for (material, name) in MATERIALS.into_iter().enumerate() {
            self.print_row(name, evaluated, |evaluated| evaluated.material == material);
        }
    }

    fn print_row(&self, name: &str, evaluated: &[Evaluated], belongs: impl Fn(&Evaluated) -> bool) {
        let (mut count, mut size, mut error) = (0, 0.0, 0.0);
        let rows = evaluated.iter().zip(&self.errors);
        for (evaluated, squared) in rows.filter(|(evaluated, _)| belongs(evaluated)) {
            count += 1;
            size += evaluated.values[self.which].abs();
            error += squared;
        }
        let [size, error] = [size, error].map(|sum| sum / f64::from(count.max(1)));
        print_line!("{name:16}{count:>10}{size:>12.1}{error:>12.6}");
    }
}
