//! Fits the chances to win, draw and lose by score and material.
//!
//! A side wins with the chance σ((score − even) / spread) and loses with
//! σ((−score − even) / spread); what is left is a draw. Both numbers grow or
//! fall with the number of pieces left.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use hanxin::board::Position;

use crate::curve::{expected, golden_section};
use crate::data::{Data, Label};
use crate::progress::print_line;

const EXAMPLE: &str = "\
Example:
  hanxin-tuning wdl --data games-3.hxg";

/// What to fit.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    #[command(flatten)]
    data: Data,
}

/// All pieces of the start.
const PIECES: f64 = 32.0;
/// Width of a bin of scores, centipawns.
const BIN: i16 = 20;
/// Rounds of the fit, each along every number.
const ROUNDS: usize = 40;

/// Positions of about one score and one number of pieces.
struct Bin {
    score: f64,
    /// Pieces on the board as a share of all.
    material: f64,
    /// Losses, draws and wins of the side to move.
    outcomes: [f64; 3],
}

/// The constants: at an empty board and what a full one adds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Model {
    /// The score at which a win is as likely as none, centipawns.
    even: [f64; 2],
    /// The score above it where the odds of a win are e to 1.
    spread: [f64; 2],
}

/// Prints the constants, with and without material, and their cross-entropy.
///
/// # Errors
/// When the data cannot be used.
pub fn run(options: &Options) -> Result<()> {
    let split = options.data.load(observe)?;
    let [training, validation] = [&split.training, &split.validation].map(|part| bins(part));
    print_line!("{:24}{:>12}{:>12}", "-ln(chance of outcome)", "training", "validation");
    for (name, by_material) in [("one curve", false), ("by pieces on the board", true)] {
        let model = Model::fit(&training, by_material);
        let [first, second] = [&training, &validation].map(|bins| model.cross_entropy(bins));
        print_line!("{name:24}{first:>12.5}{second:>12.5}");
        print_line!("  even   = {:8.1} {:+8.1} * pieces / 32", model.even[0], model.even[1]);
        print_line!("  spread = {:8.1} {:+8.1} * pieces / 32", model.spread[0], model.spread[1]);
    }
    Ok(())
}

/// Score, pieces and half points of the side to move.
fn observe(position: &Position, label: Label) -> (i16, u8, u8) {
    let label = label.for_mover(position);
    (label.score, position.occupied().len() as u8, (2.0 * label.points) as u8)
}

fn bins(observations: &[(i16, u8, u8)]) -> Vec<Bin> {
    let mut found = BTreeMap::new();
    for &(score, pieces, half_points) in observations {
        let outcomes: &mut [f64; 3] = found.entry((score.div_euclid(BIN), pieces)).or_default();
        outcomes[usize::from(half_points)] += 1.0;
    }
    let bin = |((bin, pieces), outcomes)| Bin {
        score: f64::from(BIN) * (f64::from(bin) + 0.5),
        material: f64::from(pieces) / PIECES,
        outcomes,
    };
    found.into_iter().map(bin).collect()
}

impl Model {
    /// Losses, draws and wins, each with its chance.
    fn chances(&self, score: f64, material: f64) -> [f64; 3] {
        let even = self.even[0] + self.even[1] * material;
        let spread = (self.spread[0] + self.spread[1] * material).max(1.0);
        let [loss, win] = [-score, score].map(|score| expected(score - even, spread));
        // with a negative even score the three would exceed 1
        [loss, (1.0 - win - loss).max(1e-9), win]
    }

    /// The mean negative logarithm of the chance of what happened.
    fn cross_entropy(&self, bins: &[Bin]) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for bin in bins {
            let chances = self.chances(bin.score, bin.material);
            for (outcomes, chance) in bin.outcomes.iter().zip(chances) {
                sum -= outcomes * chance.max(1e-9).ln();
                count += outcomes;
            }
        }
        sum / count
    }

    /// The most likely constants, by coordinate descent.
    fn fit(bins: &[Bin], by_material: bool) -> Model {
        let mut model = Model { even: [150.0, 0.0], spread: [100.0, 0.0] };
        let places = if by_material { 4 } else { 2 };
        for round in 0..ROUNDS {
            // the valley is narrow: small steps at the end
            let reach = 200.0 * 0.9f64.powi(round as i32);
            for place in 0..places {
                let centre = *model.at(place);
                let best = golden_section([centre - reach, centre + reach], |number| {
                    let mut moved = model;
                    *moved.at(place) = number;
                    moved.cross_entropy(bins)
                });
                *model.at(place) = best;
            }
        }
        model
    }

    /// One of the constants; the first two hold for any material.
    fn at(&mut self, place: usize) -> &mut f64 {
        match place {
            0 => &mut self.even[0],
            1 => &mut self.spread[0],
            2 => &mut self.even[1],
            _ => &mut self.spread[1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins_of(truth: &Model) -> Vec<Bin> {
        let mut bins = Vec::new();
        for score in (-1_500..=1_500).step_by(50).map(f64::from) {
            for material in [0.2, 0.5, 0.8, 1.0] {
                let outcomes = truth.chances(score, material).map(|chance| 1_000.0 * chance);
                bins.push(Bin { score, material, outcomes });
            }
        }
        bins
    }

    #[test]
    fn constants_are_found_again() {
        let truth = Model { even: [300.0, -120.0], spread: [90.0, 60.0] };
        let found = Model::fit(&bins_of(&truth), true);
        for place in 0..4 {
            let [found, truth] = [found, truth].map(|mut model| *model.at(place));
            assert!((found - truth).abs() < 5.0, "{found} for {truth}");
        }
        let truth = Model { even: [200.0, 0.0], spread: [80.0, 0.0] };
        let found = Model::fit(&bins_of(&truth), false);
        assert!((found.even[0] - 200.0).abs() < 1.0, "{found:?}");
        assert!((found.spread[0] - 80.0).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn positions_are_counted_by_score_and_pieces() {
        let bins = bins(&[(-1, 32, 0), (-20, 32, 2), (0, 32, 1), (5, 16, 1)]);
        let counts: Vec<_> =
            bins.iter().map(|bin| (bin.score, bin.material, bin.outcomes)).collect();
        let expected = [
            (-10.0, 1.0, [1.0, 0.0, 1.0]),
            (10.0, 0.5, [0.0, 1.0, 0.0]),
            (10.0, 1.0, [0.0, 1.0, 0.0]),
        ];
        assert_eq!(counts, expected);
    }
}
