//! Tunes the classical evaluation on games.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use hanxin::eval::classical::{Pair, WEIGHTS, Weights};
use hanxin::util::{check_output, write_whole};

use crate::data::Data;
use crate::fit::{Curve, Settings, fit};
use crate::numbers::{fraction, positive};
use crate::progress::print_line;
use crate::sample::Sample;

const EXAMPLE: &str = "\
Example:
  hanxin-tuning texel --data games-1.hxg games-2.hxg";

/// How to tune.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    #[command(flatten)]
    data: Data,
    /// How much of the target is the result of the game; the rest is the score
    /// of the search
    #[arg(long, default_value_t = 0.15, value_parser = fraction)]
    lambda: f64,
    /// Passes over the positions
    #[arg(long, default_value_t = 20)]
    epochs: u32,
    /// Step of the weights at the start, centipawns
    #[arg(long, default_value_t = 2.0, value_parser = positive)]
    rate: f64,
    /// Standard deviation of the prior around the present values, centipawns
    #[arg(long, default_value_t = 200.0, value_parser = positive)]
    prior: f64,
    /// Determines the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The source file of the weights
    #[arg(long, default_value = "src/eval/classical/values.rs")]
    out: PathBuf,
}

/// Fits the weights and writes them.
///
/// # Errors
/// When the data cannot be used or the file cannot be written.
pub fn run(options: &Options) -> Result<()> {
    check_output("--out", &options.out, options.data.files())?;
    let began = Instant::now();
    let samples = options.data.load(Sample::new)?;
    print_line!(
        "{} positions, {} more for validation ({:.1} s)",
        samples.training.len(),
        samples.validation.len(),
        began.elapsed().as_secs_f64()
    );
    let start: Vec<f64> = WEIGHTS.to_flat().into_iter().map(f64::from).collect();
    let curve = Curve::fit(&samples.training, &start, options.lambda);
    print_line!("K: {:.1} of values, {:.1} of scores", curve.value_scale, curve.score_scale);
    let losses = |weights: &[f64]| {
        let [training, validation] =
            [&samples.training, &samples.validation].map(|part| curve.loss(part, weights));
        format!("{training:.6} training, {validation:.6} validation")
    };
    print_line!("loss before: {}", losses(&start));

    let settings = Settings {
        epochs: options.epochs,
        rate: options.rate,
        prior: options.prior,
        seed: options.seed,
    };
    let weights = fit(&samples.training, &start, &curve, &settings, |epoch, weights| {
        if epoch % 5 == 0 {
            print_line!("epoch {epoch}: {}", losses(weights));
        }
    });
    print_line!("loss after: {} ({:.1} s)", losses(&weights), began.elapsed().as_secs_f64());

    let stretch = mean_size(&samples.training, &start) / mean_size(&samples.training, &weights);
    print_line!("values times {stretch:.4}, to be as large on average as before");
    let tuned = rounded(&weights, stretch)?;
    write_whole(&options.out, tuned.to_source().as_bytes())
        .with_context(|| format!("cannot write {}", options.out.display()))?;
    print_line!("{} written", options.out.display());
    Ok(())
}

/// The mean distance of the evaluation from zero.
fn mean_size(samples: &[Sample], weights: &[f64]) -> f64 {
    samples.iter().map(|sample| sample.value(weights).abs()).sum::<f64>() / samples.len() as f64
}

/// # Errors
/// When the fit has run away, to weights that the evaluation cannot have.
fn rounded(weights: &[f64], stretch: f64) -> Result<Weights<Pair>> {
    let range = f64::from(i16::MIN)..=f64::from(i16::MAX);
    let stretched: Vec<f64> = weights.iter().map(|weight| (weight * stretch).round()).collect();
    // weights that are all too large are small again when stretched; what is not a
    // number is in no range
    let is_sound = weights.iter().chain(&stretched).all(|weight| range.contains(weight));
    ensure!(is_sound, "the weights have run away: give a smaller --rate or a larger --prior");
    let flat: Vec<i16> = stretched.iter().map(|&weight| weight as i16).collect();
    Weights::from_flat(&flat).context("as many weights as before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::{SHUFFLE, file, game};

    #[test]
    fn weights_that_ran_away_are_not_written() {
        let len = WEIGHTS.to_flat().len();
        assert!(rounded(&vec![1.4; len], 2.0).is_ok());
        for (weight, stretch) in
            [(f64::NAN, 1.0), (1.0, f64::INFINITY), (40_000.0, 1.0), (1e9, 1e-8)]
        {
            let refused = rounded(&vec![weight; len], stretch).unwrap_err().to_string();
            assert!(refused.contains("give a smaller --rate"), "{refused}");
        }
    }

    #[test]
    fn weights_are_not_written_over_games() {
        let (folder, data) = file(&[game(SHUFFLE, &[])]);
        let out = folder.path().join("games-0");
        let options = Options { data, lambda: 0.5, epochs: 1, rate: 1.0, prior: 1.0, seed: 1, out };
        let error = run(&options).unwrap_err().to_string();
        assert!(error.contains("name another one"), "{error}");
    }
}
