//! Trace of the evaluation: a table of terms to read, and the coefficient of
//! every weight for a tuner.

use std::fmt;

use crate::board::{Color, Position};

use super::material::{self, Factors, PHASE_TOTAL, PieceSquareSums, STANCE_TOTAL};
use super::weights::{Blend, INDICES, Pair, Weights};
use super::{Sink, WEIGHTS, evaluate, positional};

/// An evaluation with its terms; see [`trace`].
#[derive(Clone, Debug)]
pub struct Trace {
    features: Vec<(Color, u16)>,
    factors: Factors,
    rows: Vec<Row>,
    side: Color,
    value: i32,
}

/// All features that share one name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// The name of the weights, as in [`Weights`].
    pub name: &'static str,
    /// What the two values mean.
    pub blend: Blend,
    /// Both values summed over Red's features.
    pub red: [i32; 2],
    /// Both values summed over Black's features.
    pub black: [i32; 2],
    /// What the row adds to the evaluation: Red's minus Black's, in centipawns.
    pub total: f64,
}

/// The coefficient of one value of one weight in a position's evaluation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Coefficient {
    /// The place of the value in [`Weights::to_flat`].
    pub index: usize,
    /// By how much the evaluation for Red grows with the value.
    pub factor: f64,
}

/// Evaluates a position and records every term.
pub fn trace(position: &Position) -> Trace {
    let sums = PieceSquareSums::new(position);
    let mut sink = TraceSink { features: Vec::new() };
    material::score(position, &mut sink);
    positional(position, &mut sink);
    let factors = sums.factors();
    Trace {
        rows: rows(&sink.features, factors),
        features: sink.features,
        factors,
        side: position.side_to_move(),
        value: evaluate(position, &sums),
    }
}

impl Trace {
    /// The evaluation in centipawns for the side to move.
    pub const fn value(&self) -> i32 {
        self.value
    }

    /// The terms one by one.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// K mid of the thesis: 66 at the start of a game, 0 with bare kings.
    pub const fn midgame(&self) -> i32 {
        self.factors.midgame
    }

    /// Occurrences of this weight's feature for Red minus those for Black.
    pub fn count(&self, field: &str, entry: usize) -> i32 {
        let place = INDICES
            .fields()
            .find(|candidate| candidate.name == field)
            .and_then(|found| found.entries.get(entry).copied());
        let signs = self.features.iter().map(
            |&(color, index)| {
                if Some(index) == place { sign(color) } else { 0 }
            },
        );
        signs.sum()
    }

    /// The values that this position depends on, in the order of the flat
    /// vector. The products with those values add up to the evaluation for
    /// Red, before it is rounded towards zero.
    pub fn coefficients(&self) -> Vec<Coefficient> {
        let blends: Vec<Blend> = INDICES
            .fields()
            .flat_map(|field| std::iter::repeat_n(field.blend, field.entries.len()))
            .collect();
        let mut factors = vec![[0.0; 2]; blends.len()];
        for &(color, index) in &self.features {
            let index = usize::from(index);
            let shares = shares(self.factors, blends[index], color);
            for (factor, share) in factors[index].iter_mut().zip(shares) {
                *factor += f64::from(sign(color)) * share;
            }
        }
        let numbered = factors.into_iter().flatten().enumerate();
        numbered
            .filter(|&(_, factor)| factor != 0.0)
            .map(|(index, factor)| Coefficient { index, factor })
            .collect()
    }
}

const fn sign(color: Color) -> i32 {
    match color {
        Color::Red => 1,
        Color::Black => -1,
    }
}

/// The shares of a weight's two values that a side gets.
fn shares(factors: Factors, blend: Blend, color: Color) -> [f64; 2] {
    let (first, second, whole) = match blend {
        Blend::Phase => (factors.midgame, factors.endgame(), PHASE_TOTAL),
        Blend::Stance => {
            let attack = factors.attack;
            (attack[color.index()], attack[(!color).index()], STANCE_TOTAL)
        }
    };
    [first, second].map(|share| f64::from(share) / f64::from(whole))
}

fn rows(features: &[(Color, u16)], factors: Factors) -> Vec<Row> {
    let row = |(numbers, values): (super::Field<'_, u16>, super::Field<'_, Pair>)| {
        let mut sums = [[0; 2]; 2];
        for &(color, index) in features {
            if let Ok(place) = numbers.entries.binary_search(&index) {
                let pair = values.entries[place];
                sums[color.index()][0] += pair.first();
                sums[color.index()][1] += pair.second();
            }
        }
        let total = Color::ALL.map(|color| {
            let shares = shares(factors, numbers.blend, color);
            let sum = sums[color.index()].map(f64::from);
            f64::from(sign(color)) * (shares[0] * sum[0] + shares[1] * sum[1])
        });
        let [red, black] = sums;
        Row { name: numbers.name, blend: numbers.blend, red, black, total: total[0] + total[1] }
    };
    INDICES.fields().zip(WEIGHTS.fields()).map(row).collect()
}

impl fmt::Display for Trace {
    /// A table: both values of each term for both sides, and centipawns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:16}{:>16}{:>18}{:>12}", "", "red", "black", "total cp")?;
        for (blend, [first, second]) in
            [(Blend::Phase, ["midgame", "endgame"]), (Blend::Stance, ["attack", "defence"])]
        {
            let head = format!("{first:>8}{second:>8}");
            writeln!(f, "{:16}{head}  {head}", "")?;
            for row in self.rows.iter().filter(|row| row.blend == blend) {
                let name = row.name.replace('_', " ");
                let [red, black] = [row.red, row.black].map(|[a, b]| format!("{a:8}{b:8}"));
                writeln!(f, "{name:16}{red}  {black}{:>+12.1}", row.total)?;
            }
        }
        let [red, black] = self.factors.attack;
        writeln!(
            f,
            "weights: midgame {}/{PHASE_TOTAL}, attack of red {red}/{STANCE_TOTAL}, \
             of black {black}/{STANCE_TOTAL}",
            self.factors.midgame
        )?;
        let side = self.side.name();
        write!(f, "evaluation: {:+} cp for {side}, who is to move", self.value)
    }
}

/// Records which side has which weights.
struct TraceSink {
    features: Vec<(Color, u16)>,
}

impl Sink for TraceSink {
    type Weight = u16;

    fn weights(&self) -> &'static Weights<u16> {
        &INDICES
    }

    fn phase(&mut self, color: Color, weight: u16) {
        self.features.push((color, weight));
    }

    fn stance(&mut self, color: Color, weight: u16) {
        self.features.push((color, weight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_positions;

    #[test]
    fn coefficients_and_rows_add_up_to_the_evaluation() {
        let flat = WEIGHTS.to_flat();
        let mut seen = vec![false; flat.len()];
        for position in random_positions(60) {
            let trace = trace(&position);
            let value = trace.value() * sign(position.side_to_move());
            let products = trace.coefficients().into_iter().map(|coefficient| {
                seen[coefficient.index] = true;
                coefficient.factor * f64::from(flat[coefficient.index])
            });
            let sum: f64 = products.sum();
            let total: f64 = trace.rows().iter().map(|row| row.total).sum();
            assert!((sum - total).abs() < 1e-6, "{}", position.to_fen());
            // the evaluation is the sum without its fraction
            let rounded = (sum.signum() * (sum.abs() + 1e-6)).trunc();
            assert_eq!(rounded as i32, value, "{}", position.to_fen());
        }
        // all but some squares and rare patterns occur in random games
        let share = seen.iter().filter(|&&seen| seen).count() as f64 / flat.len() as f64;
        assert!(share > 0.6, "{share}");
    }

    /// Each weight is noted in the way its field declares.
    #[test]
    fn weights_are_blended_as_declared() {
        struct Check;
        impl Sink for Check {
            type Weight = u16;
            fn weights(&self) -> &'static Weights<u16> {
                &INDICES
            }
            fn phase(&mut self, _: Color, weight: u16) {
                assert_eq!(blend(weight), Blend::Phase);
            }
            fn stance(&mut self, _: Color, weight: u16) {
                assert_eq!(blend(weight), Blend::Stance);
            }
        }
        fn blend(weight: u16) -> Blend {
            INDICES.fields().find(|field| field.entries.contains(&weight)).unwrap().blend
        }
        for position in random_positions(10) {
            material::score(&position, &mut Check);
            positional(&position, &mut Check);
        }
    }

    #[test]
    fn the_table_shows_every_term_and_the_value() {
        let text = trace(&Position::startpos()).to_string();
        for field in WEIGHTS.fields() {
            assert!(text.contains(&field.name.replace('_', " ")), "{}", field.name);
        }
        assert!(text.contains("midgame 66/66"), "{text}");
        let tempo = WEIGHTS.tempo[0].first();
        assert!(text.ends_with(&format!("{tempo:+} cp for red, who is to move")), "{text}");
        let width = text.lines().map(str::len).max();
        assert!(width <= Some(72), "{text}");
    }
}
