//! How well the evaluation foretells results, by phase.

use anyhow::Result;
use clap::Args;
use hanxin::eval::classical::WEIGHTS;

use crate::fit::Curve;
use crate::sample::{Data, Sample};

/// What to judge by.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    data: Data,
}

/// The phases, by the least that is left on the board.
const PHASES: [(&str, i32); 4] =
    [("opening", 55), ("midgame", 40), ("late midgame", 22), ("endgame", 0)];

/// Prints a table of losses on the games that tuning leaves out.
///
/// # Errors
/// When the data are of no use.
pub fn run(options: &Options) -> Result<()> {
    let samples = options.data.load()?;
    let weights: Vec<f64> = WEIGHTS.to_flat().into_iter().map(f64::from).collect();
    let curve = Curve::fit(&samples.training, &weights, options.data.lambda);
    println!("K: {:.1} of values, {:.1} of scores", curve.value_scale, curve.score_scale);
    println!("{:14}{:>10}{:>12}{:>12}", "", "positions", "mean |cp|", "loss");
    let mut rest = samples.validation;
    print_row("all", &rest, &curve, &weights);
    for (name, least) in PHASES {
        let (phase, later): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|sample| sample.midgame >= least);
        print_row(name, &phase, &curve, &weights);
        rest = later;
    }
    Ok(())
}

fn print_row(name: &str, samples: &[Sample], curve: &Curve, weights: &[f64]) {
    let sizes: f64 = samples.iter().map(|sample| sample.value(weights).abs()).sum();
    let (count, loss) = (samples.len(), curve.loss(samples, weights));
    println!("{name:14}{count:>10}{:>12.1}{loss:>12.6}", sizes / count as f64);
}
