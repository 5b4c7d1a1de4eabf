//! Tests that are known to be right or wrong: how often they err.

use rand::RngExt;

use super::elo::{Model, NORMALISED_UNIT, expected_score};
use super::sprt::{Sprt, Verdict};
use super::tally::{Points, Tally};
use crate::util::{Random, seeded};

/// Pairs of games between players whose difference is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Simulation {
    /// How much stronger the first player is, in Elo points on `model`'s scale.
    pub elo: f64,
    pub model: Model,
    /// How probable a draw is, 0 to 1.
    pub draw_rate: f64,
    /// How much better Red scores than Black from an opening, as a score of a
    /// game; openings favour Red and Black equally often by this much.
    pub bias: f64,
}

/// What became of simulated tests.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Simulated {
    pub accepted_h0: u64,
    pub accepted_h1: u64,
    /// Pairs played in all of them.
    pub pairs: u64,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "a difference of {elo} Elo with {draw_rate} draws and a bias of {bias} needs probabilities \
     outside 0 to 1; lower the draws or the bias"
)]
pub struct SimulationError {
    elo: f64,
    draw_rate: f64,
    bias: f64,
}

impl Simulation {
    /// Runs a test until it accepts a hypothesis, `tests` times.
    ///
    /// # Errors
    /// When there are no such players.
    pub fn run(&self, sprt: &Sprt, tests: u64, seed: u64) -> Result<Simulated, SimulationError> {
        let mean = self.mean()?;
        let mut random = seeded(seed, 0);
        let mut simulated = Simulated::default();
        for _ in 0..tests {
            let mut tally = Tally::default();
            loop {
                tally.add_pair(self.pair(mean, &mut random));
                simulated.pairs += 1;
                match sprt.state(&tally).verdict {
                    Verdict::Continue => {}
                    Verdict::AcceptH0 => break simulated.accepted_h0 += 1,
                    Verdict::AcceptH1 => break simulated.accepted_h1 += 1,
                }
            }
        }
        Ok(simulated)
    }

    /// One opening played twice.
    fn pair(&self, mean: f64, random: &mut Random) -> [Points; 2] {
        let lead = if random.random_bool(0.5) { self.bias } else { -self.bias };
        [mean + lead / 2.0, mean - lead / 2.0].map(|score| self.game(score, random))
    }

    /// A game with this expected score.
    fn game(&self, score: f64, random: &mut Random) -> Points {
        let draw = random.random_bool(self.draw_rate);
        if draw {
            Points::Draw
        } else if random.random_bool(self.wins_of_decided(score)) {
            Points::Win
        } else {
            Points::Loss
        }
    }

    /// The part of the decided games that is won.
    fn wins_of_decided(&self, score: f64) -> f64 {
        ((score - self.draw_rate / 2.0) / (1.0 - self.draw_rate)).clamp(0.0, 1.0)
    }

    /// The expected score of a game.
    fn mean(&self) -> Result<f64, SimulationError> {
        let mean = match self.model {
            Model::Logistic => expected_score(self.elo),
            Model::Normalised => 0.5 + self.lead(),
        };
        let [low, high] = [self.draw_rate / 2.0, 1.0 - self.draw_rate / 2.0];
        let reach = self.bias.abs() / 2.0;
        if (0.0..1.0).contains(&self.draw_rate) && mean - reach >= low && mean + reach <= high {
            return Ok(mean);
        }
        let Simulation { elo, draw_rate, bias, .. } = *self;
        Err(SimulationError { elo, draw_rate, bias })
    }

    /// The lead over an even score that is as many standard deviations as
    /// wanted.
    ///
    /// Given its expectation e the score of a game has the variance
    /// e (1 - e) - d/4, d being the rate of draws. In both games of a pair the
    /// expectations are m ± b/2, so the variance of a pair's mean, times two
    /// for a game, is V = m (1 - m) - b²/4 - d/4. With the lead l = m - 1/2 this
    /// is V = 1/4 - l² - b²/4 - d/4, and l = t √V gives
    /// l² = t²/(1 + t²) · (1 - b² - d)/4.
    fn lead(&self) -> f64 {
        let t = self.elo / NORMALISED_UNIT;
        let even = (1.0 - self.bias.powi(2) - self.draw_rate).max(0.0) / 4.0;
        t * (even / (1.0 + t * t)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn players(model: Model) -> Simulation {
        Simulation { elo: 0.0, model, draw_rate: 0.4, bias: 0.3 }
    }

    #[test]
    fn players_are_as_strong_as_wanted() {
        for model in [Model::Logistic, Model::Normalised] {
            let players = Simulation { elo: 60.0, ..players(model) };
            let mean = players.mean().unwrap();
            let mut random = seeded(5, 0);
            let mut tally = Tally::default();
            for _ in 0..200_000 {
                tally.add_pair(players.pair(mean, &mut random));
            }
            let elo = super::super::Elo::of(&tally, model).unwrap();
            assert!((elo.value - 60.0).abs() < 1.5 * elo.error(), "{model}: {elo:?}");
            assert!(elo.error() < 1.5 && (tally.draw_rate() - 0.4).abs() < 0.005, "{tally:?}");
        }
    }

    #[test]
    fn impossible_players_are_refused() {
        for players in [
            Simulation { draw_rate: 1.0, ..players(Model::Logistic) },
            Simulation { draw_rate: 0.9, ..players(Model::Logistic) },
            Simulation { bias: 0.9, ..players(Model::Normalised) },
            Simulation { elo: 900.0, ..players(Model::Logistic) },
            Simulation { elo: f64::NAN, ..players(Model::Logistic) },
        ] {
            assert!(players.mean().is_err(), "{players:?}");
        }
    }

    /// Of 1,500 tests as many are wrong as promised, give or take three
    /// standard errors of counting; `hanxin sprt --simulate 10000` takes more.
    #[test]
    fn error_rates_are_as_promised() {
        const TESTS: u64 = 1_500;
        for model in [Model::Logistic, Model::Normalised] {
            let sprt = Sprt::new(0.0, 25.0, 0.05, 0.1, model).unwrap();
            let rate = |elo, seed| {
                let players = Simulation { elo, ..players(model) };
                let simulated = players.run(&sprt, TESTS, seed).unwrap();
                assert_eq!(simulated.accepted_h0 + simulated.accepted_h1, TESTS);
                simulated.accepted_h1 as f64 / TESTS as f64
            };
            let allowed = |rate: f64| rate + 3.0 * (rate * (1.0 - rate) / TESTS as f64).sqrt();
            let [false_positives, false_negatives] = [rate(0.0, 1), 1.0 - rate(25.0, 2)];
            assert!(false_positives < allowed(0.05), "{model}: {false_positives}");
            assert!(false_negatives < allowed(0.1), "{model}: {false_negatives}");
            // nor is it so cautious that games are wasted
            assert!(false_positives > 0.02 && false_negatives > 0.05, "{model}");
            // halfway between the hypotheses it is a toss-up
            assert!((0.4..0.7).contains(&rate(12.5, 3)), "{model}");
        }
    }
}
