//! How much stronger one player is.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};
use strum::{Display, EnumString, VariantArray};

use super::tally::Tally;
use crate::arena::names::UnknownName;

/// The scale on which strength is measured; see the [module](super).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Model>)]
pub enum Model {
    /// The usual scale, of the expected score.
    #[default]
    Logistic,
    /// The expected lead in standard deviations of a game.
    #[strum(to_string = "normalised", serialize = "normalized")]
    Normalised,
}

/// Elo points of one standard deviation on the normalised scale.
pub(super) const NORMALISED_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// An estimated difference in strength, in Elo points from the first player's
/// view. What is infinite becomes null in JSON, which has no word for it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Elo {
    /// The difference that explains the score best; infinite when every game
    /// was won or every game lost.
    pub value: f64,
    /// The lower end of the interval of 95 %.
    pub low: f64,
    pub high: f64,
}

impl Elo {
    /// The estimate from a tally; `None` while all observations are the same
    /// and say nothing about their spread.
    pub fn of(tally: &Tally, model: Model) -> Option<Elo> {
        let sample = tally.sample();
        let (mean, variance) = sample.moments();
        if variance == 0.0 {
            return None;
        }
        let error = quantile_95() * (variance / sample.size() as f64).sqrt();
        let deviation = (variance * f64::from(sample.games_each())).sqrt();
        let elo = |score: f64| match model {
            Model::Logistic => logistic(score),
            Model::Normalised => (score - 0.5) / deviation * NORMALISED_UNIT,
        };
        Some(Elo { value: elo(mean), low: elo(mean - error), high: elo(mean + error) })
    }

    /// Half the length of the interval.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// How many standard deviations an interval of 95 % reaches to either side.
pub(crate) fn quantile_95() -> f64 {
    Normal::standard().inverse_cdf(0.975)
}

/// The difference in Elo at which a score between 0 and 1 is expected,
/// infinite at and beyond these.
pub(crate) fn logistic(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// The score expected at a difference in Elo.
pub(crate) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::super::tally::Points;
    use super::*;

    #[test]
    fn the_logistic_scale_is_symmetric_and_has_its_known_values() {
        assert_eq!(logistic(0.5), 0.0);
        assert!((logistic(0.75) - 190.848_5).abs() < 1e-4);
        assert!((logistic(0.75) + logistic(0.25)).abs() < 1e-9);
        assert_eq!([logistic(0.0), logistic(1.1)], [f64::NEG_INFINITY, f64::INFINITY]);
        for elo in [-300.0, -1.5, 0.0, 20.0, 700.0] {
            assert!((logistic(expected_score(elo)) - elo).abs() < 1e-9, "{elo}");
        }
    }

    #[test]
    fn intervals_are_those_of_the_mean() {
        // 55 %, error of the mean sqrt(0.2475 / 100)
        let elo = Elo::of(&Tally::of_games(55, 0, 45), Model::Logistic).unwrap();
        assert!((elo.value - 34.86).abs() < 0.01, "{elo:?}");
        assert!((elo.low - logistic(0.55 - 0.097_51)).abs() < 0.01, "{elo:?}");
        assert!((elo.high - logistic(0.55 + 0.097_51)).abs() < 0.01, "{elo:?}");
        assert!((elo.error() - (elo.high - elo.low) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_scales_agree_for_small_differences_without_draws() {
        let tally = Tally::of_games(50_500, 0, 49_500);
        let [logistic, normalised] =
            [Model::Logistic, Model::Normalised].map(|model| Elo::of(&tally, model).unwrap());
        assert!((logistic.value - normalised.value).abs() < 0.01, "{logistic:?} {normalised:?}");
        // draws do not change the lead but make it stand out
        let drawish = Elo::of(&Tally::of_games(25_500, 50_000, 24_500), Model::Normalised).unwrap();
        assert!((drawish.value / normalised.value - 2f64.sqrt()).abs() < 1e-3, "{drawish:?}");
    }

    #[test]
    fn pairs_that_balance_their_openings_are_precise() {
        let mut paired = Tally::default();
        for _ in 0..100 {
            paired.add_pair([Points::Win, Points::Loss]);
            paired.add_pair([Points::Win, Points::Draw]);
        }
        let games = Tally::of_games(paired.wins(), paired.draws(), paired.losses());
        let [paired, games] =
            [paired, games].map(|tally| Elo::of(&tally, Model::Logistic).unwrap());
        assert!((paired.value - games.value).abs() < 1e-9);
        assert!(paired.error() < games.error() / 2.0, "{paired:?} {games:?}");
    }

    #[test]
    fn without_spread_there_is_no_estimate() {
        for tally in [Tally::default(), Tally::of_games(4, 0, 0), Tally::of_games(0, 4, 0)] {
            assert_eq!(Elo::of(&tally, Model::Logistic), None);
        }
    }

    #[test]
    fn models_have_names() {
        for model in [Model::Logistic, Model::Normalised] {
            assert_eq!(model.to_string().to_uppercase().parse(), Ok(model));
        }
        assert_eq!("normalized".parse(), Ok(Model::Normalised));
        let message = "bayes\n".parse::<Model>().unwrap_err().to_string();
        assert_eq!(message, "'bayes?' is not known (want logistic, normalised)");
    }
}
