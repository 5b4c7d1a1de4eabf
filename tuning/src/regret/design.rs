//! Which constants are moved up and which down in each run, so that the effects
//! of all of them can be told apart.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use hanxin::search::{ParamInfo, Params};
use hanxin::util::seeded;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{Lapse, Summary};
use crate::saved;

/// An orthogonal design of two levels for each constant (Plackett and Burman
/// 1946, from Sylvester's matrices): any two constants move the same way in half
/// of the runs, so that the effect of one, taken from all runs, does not
/// contain that of another.
pub struct Design {
    constants: Vec<&'static ParamInfo>,
    /// The column of each constant in the matrix.
    columns: Vec<usize>,
    /// Steps up and down.
    width: i32,
}

impl Design {
    /// A design for these constants; `seed` says which constant has which column.
    pub fn new(constants: Vec<&'static ParamInfo>, width: i32, seed: u64) -> Design {
        let runs = (constants.len() + 1).next_power_of_two();
        // the first column is the same in all runs
        let mut columns: Vec<usize> = (1..runs).collect();
        columns.shuffle(&mut seeded(seed, 0));
        columns.truncate(constants.len());
        Design { constants, columns, width }
    }

    /// How many runs there are: the first power of two above the constants.
    pub fn runs(&self) -> usize {
        (self.constants.len() + 1).next_power_of_two()
    }

    /// 1 or -1: whether a constant goes up or down in a run.
    fn sign(&self, run: usize, constant: usize) -> i32 {
        if (run & self.columns[constant]).count_ones().is_multiple_of(2) { 1 } else { -1 }
    }

    /// The constants of a run, within their bounds.
    pub fn params(&self, run: usize) -> Params {
        let mut params = Params::default();
        for (number, info) in self.constants.iter().enumerate() {
            let moved = info.default + self.sign(run, number) * self.width * info.step;
            params.set(info.name, moved);
        }
        params
    }

    /// What going up changes, for each constant, from the means of all runs; the
    /// most harmful ones at the end.
    pub fn effects(&self, means: &[Lapse]) -> String {
        let of = |constant: usize| {
            let signed = |(run, mean): (usize, &Lapse)| {
                let sign = f64::from(self.sign(run, constant));
                Lapse { regret: sign * mean.regret, error: sign * mean.error }
            };
            Summary::of(&means.iter().enumerate().map(signed).collect::<Vec<_>>()).mean
        };
        let mut effects: Vec<_> = self
            .constants
            .iter()
            .enumerate()
            .map(|(number, info)| (info.name, of(number)))
            .collect();
        effects.sort_by(|(_, one), (_, other)| one.regret.total_cmp(&other.regret));
        let all = Summary::of(means);
        let mut table = format!(
            "{} runs: {all}\n{:26}{:>10}{:>10}\n",
            means.len(),
            format!("{} steps up", 2 * self.width),
            "given away",
            "score off"
        );
        for (name, effect) in effects {
            // writing to a string cannot fail; up against down is twice the effect
            let [regret, error] = [effect.regret, effect.error].map(|share| 200.0 * share);
            let _ = writeln!(table, "{name:26}{regret:>+10.3}{error:>+10.3}");
        }
        let margins = [all.margin.regret, all.margin.error].map(|share| 200.0 * share);
        let _ = writeln!(table, "{:26}{:>10.3}{:>10.3}", "each ± (95 %)", margins[0], margins[1]);
        table
    }
}

/// What determines the runs of a screening, besides the program.
#[derive(Clone, Serialize, Deserialize)]
struct Settings {
    /// What is searched.
    searches: String,
    /// Steps by which a constant is moved.
    width: i32,
    /// With their columns of the design.
    constants: Vec<(String, usize)>,
}

/// Runs of a design that were made, and their file.
#[derive(Serialize, Deserialize)]
pub struct Screening {
    settings: Settings,
    /// The mean lapse of each run so far.
    pub means: Vec<Lapse>,
}

impl Screening {
    /// The runs in a file, or none yet if there is no file; `searches` tells
    /// apart what was searched.
    ///
    /// # Errors
    /// When the file is not a screening, or one of other settings.
    pub fn open(path: &Path, design: &Design, searches: String) -> Result<Screening> {
        let names = design.constants.iter().map(|info| info.name.to_owned());
        let constants = names.zip(design.columns.iter().copied()).collect();
        let settings = Settings { searches, width: design.width, constants };
        let found = saved::load(path, "screening", |found: &Screening| {
            let (there, here) = (found.means.len(), design.runs());
            let difference = saved::difference(&found.settings, &settings)?;
            let too_many = || format!("runs: {there} there, {here} here");
            Ok(difference.or_else(|| (there > here).then(too_many)))
        })?;
        Ok(found.unwrap_or(Screening { settings, means: Vec::new() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_of_constants_are_told_apart() {
        let constants: Vec<&ParamInfo> = Params::INFO.iter().take(12).collect();
        let design = Design::new(constants.clone(), 1, 3);
        assert_eq!(design.runs(), 16);
        for one in 0..12 {
            for other in 0..12 {
                let same = (0..16).map(|run| design.sign(run, one) * design.sign(run, other));
                assert_eq!(same.sum::<i32>(), if one == other { 16 } else { 0 });
            }
        }
        // only the constants numbered 4 and 7 matter
        let mean = |run| {
            let [four, seven] = [4, 7].map(|number| f64::from(design.sign(run, number)));
            Lapse { regret: 0.02 + 0.001 * four - 0.002 * seven, error: 0.05 }
        };
        let table = design.effects(&(0..16).map(mean).collect::<Vec<_>>());
        let line = |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line(constants[4].name).contains("+0.200"), "{table}");
        assert!(line(constants[7].name).contains("-0.400"), "{table}");
        assert!(line(constants[5].name).contains("0.000"), "{table}");
    }

    #[test]
    fn constants_move_by_their_steps_within_their_bounds() {
        let design = Design::new(Params::INFO.iter().collect(), 1_000, 1);
        for run in 0..design.runs() {
            let params = design.params(run);
            for (info, (_, value)) in Params::INFO.iter().zip(params.values()) {
                assert!(value == info.min || value == info.max, "{} {value}", info.name);
            }
        }
    }
}
