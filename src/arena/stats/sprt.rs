//! The sequential probability ratio test.

use serde::Serialize;

use super::elo::{Model, NORMALISED_UNIT, expected_score};
use super::likelihood::{Distribution, with_lead, with_mean};
use super::tally::{Sample, Tally};

/// A test that ends a match as soon as it has decided between two hypotheses:
/// H0, the first player is `elo0` stronger, and H1, it is `elo1` stronger.
///
/// It is the generalised test: the probabilities of the scores are unknown and
/// taken to be the likeliest ones under each hypothesis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    #[error("elo0 {0} and elo1 {1}: want two numbers between -1000 and 1000, elo0 the smaller one")]
    Hypotheses(f64, f64),
    #[error("{name} {value}: want a probability of error above 0 and below 0.5, such as 0.05")]
    ErrorRate { name: &'static str, value: f64 },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Continue,
    /// H0 is accepted: the first player is not `elo1` stronger.
    AcceptH0,
    /// H1 is accepted: the first player is more than `elo0` stronger.
    AcceptH1,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtState {
    /// The logarithm of the likelihood ratio of H1 to H0.
    pub llr: f64,
    /// H0 is accepted at or below this.
    pub lower: f64,
    /// H1 is accepted at or above this.
    pub upper: f64,
    pub verdict: Verdict,
}

/// What a score that was not observed yet counts.
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// A test that accepts H1 wrongly with probability `alpha` and H0 wrongly
    /// with probability `beta`.
    ///
    /// # Errors
    /// When the hypotheses are not ordered or the error rates not sensible.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Sprt, SprtError> {
        const WIDEST: f64 = 1000.0;
        if !(-WIDEST <= elo0 && elo0 < elo1 && elo1 <= WIDEST) {
            return Err(SprtError::Hypotheses(elo0, elo1));
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::ErrorRate { name, value });
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// The differences in Elo of H0 and H1.
    pub const fn hypotheses(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    pub const fn model(&self) -> Model {
        self.model
    }

    /// Wald's bounds of the logarithm of the likelihood ratio: H0 is accepted
    /// at the first and H1 at the second.
    pub fn bounds(&self) -> [f64; 2] {
        let Sprt { alpha, beta, .. } = self;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// The logarithm of the likelihood ratio; 0 where nothing was observed.
    pub fn llr(&self, tally: &Tally) -> f64 {
        let sample = tally.sample();
        if sample.size() == 0 {
            return 0.0;
        }
        let (observed, size) = regularised(&sample);
        let [likeliest0, likeliest1] =
            self.hypotheses().map(|elo| self.likeliest(&observed, elo, sample.games_each()));
        let ratios = observed.iter().zip(likeliest0.iter().zip(&likeliest1));
        size * ratios.map(|((_, p), ((_, p0), (_, p1)))| p * (p1 / p0).ln()).sum::<f64>()
    }

    /// The likeliest distribution under the hypothesis of this difference.
    fn likeliest(&self, observed: &[(f64, f64)], elo: f64, games: u32) -> Distribution {
        match self.model {
            Model::Logistic => with_mean(observed, expected_score(elo)),
            // the mean of a pair spreads less than a game
            Model::Normalised => {
                with_lead(observed, elo / NORMALISED_UNIT * f64::from(games).sqrt())
            }
        }
    }

    pub fn state(&self, tally: &Tally) -> SprtState {
        let llr = self.llr(tally);
        let [lower, upper] = self.bounds();
        let verdict = if llr >= upper {
            Verdict::AcceptH1
        } else if llr <= lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        };
        SprtState { llr, lower, upper, verdict }
    }
}

/// The observed distribution, each score with at least a trace, and how many
/// observations that makes.
fn regularised(sample: &Sample) -> (Distribution, f64) {
    let counts = sample.scores().map(|(score, count)| (score, (count as f64).max(UNSEEN)));
    let counts: Distribution = counts.collect();
    let size: f64 = counts.iter().map(|(_, count)| count).sum();
    (counts.into_iter().map(|(score, count)| (score, count / size)).collect(), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(model: Model) -> Sprt {
        Sprt::new(0.0, 5.0, 0.05, 0.05, model).unwrap()
    }

    #[test]
    fn bounds_are_those_of_wald() {
        let [lower, upper] = test(Model::Logistic).bounds();
        assert!((lower + 2.944_439).abs() < 1e-6 && (upper - 2.944_439).abs() < 1e-6);
        let [lower, upper] = Sprt::new(0.0, 5.0, 0.01, 0.1, Model::Logistic).unwrap().bounds();
        assert!((lower - (0.1f64 / 0.99).ln()).abs() < 1e-12);
        assert!((upper - 90f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn without_draws_it_is_the_ratio_of_binomials() {
        let [s0, s1] = [0.0, 5.0].map(expected_score);
        let exact = 5_200.0 * (s1 / s0).ln() + 4_800.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        let llr = test(Model::Logistic).llr(&Tally::of_games(5_200, 0, 4_800));
        assert!((llr - exact).abs() < 1e-3, "{llr} {exact}");
    }

    #[test]
    fn small_differences_follow_the_normal_approximation() {
        let tally = Tally::of_pairs([300, 2_000, 5_100, 2_200, 400]);
        let (mean, variance) = tally.sample().moments();
        let [s0, s1] = [0.0, 5.0].map(expected_score);
        let near = 10_000.0 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let llr = test(Model::Logistic).llr(&tally);
        assert!((llr / near - 1.0).abs() < 0.01, "{llr} {near}");

        let lead = (mean - 0.5) / variance.sqrt();
        let lead1 = 5.0 / NORMALISED_UNIT * 2f64.sqrt();
        let near = 10_000.0 * lead1 * (lead - lead1 / 2.0);
        let llr = test(Model::Normalised).llr(&tally);
        assert!((llr / near - 1.0).abs() < 0.01, "{llr} {near}");
    }

    /// The values come from another program, which looked for the likeliest
    /// distributions by bisection and, on the normalised scale, by trying all
    /// means with the variances that belong to them.
    #[test]
    fn ratios_are_those_of_an_independent_computation() {
        let tally = Tally::of_pairs([300, 2_000, 5_100, 2_200, 400]);
        for (model, expected) in [(Model::Logistic, 10.548_520), (Model::Normalised, 7.666_236)] {
            let llr = test(model).llr(&tally);
            assert!((llr - expected).abs() < 1e-5, "{model}: {llr}");
        }
    }

    #[test]
    fn verdicts_fall_at_the_bounds() {
        let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05, Model::Logistic).unwrap();
        assert_eq!(sprt.state(&Tally::default()).verdict, Verdict::Continue);
        assert_eq!(sprt.llr(&Tally::default()), 0.0);
        assert_eq!(sprt.state(&Tally::of_games(520, 500, 480)).verdict, Verdict::Continue);
        assert_eq!(sprt.state(&Tally::of_games(600, 500, 480)).verdict, Verdict::AcceptH1);
        assert_eq!(sprt.state(&Tally::of_games(480, 500, 520)).verdict, Verdict::AcceptH0);
    }

    #[test]
    fn lopsided_results_are_finite_and_decide() {
        for model in [Model::Logistic, Model::Normalised] {
            for [elo0, elo1] in [[0.0, 5.0], [-900.0, 1000.0], [-250.0, -3.0], [3.0, 1000.0]] {
                let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap();
                for (pairs, sign) in [([0, 0, 0, 0, 500], 1.0), ([500, 0, 0, 0, 0], -1.0)] {
                    let llr = sprt.llr(&Tally::of_pairs(pairs));
                    assert!(llr.is_finite() && llr * sign > 0.0, "{sprt:?} {pairs:?} {llr}");
                }
                assert!(sprt.llr(&Tally::of_pairs([0, 0, 1, 0, 0])).is_finite());
            }
        }
    }

    #[test]
    fn tests_that_make_no_sense_are_refused() {
        for (elo0, elo1, alpha, beta, complaint) in [
            (5.0, 5.0, 0.05, 0.05, "elo0 5 and elo1 5"),
            (f64::NAN, 5.0, 0.05, 0.05, "elo0 NaN"),
            (0.0, 2000.0, 0.05, 0.05, "between -1000 and 1000"),
            (0.0, 5.0, 0.0, 0.05, "alpha 0: want"),
            (0.0, 5.0, 0.05, 0.5, "beta 0.5: want"),
            (0.0, 5.0, f64::NAN, 0.05, "alpha NaN"),
        ] {
            let error = Sprt::new(elo0, elo1, alpha, beta, Model::Logistic).unwrap_err();
            assert!(error.to_string().contains(complaint), "{error}");
        }
    }
}
