//! Ratings of many engines from the games they played with each other.
//!
//! The model is that of Bradley and Terry, "Rank analysis of incomplete block
//! designs", Biometrika 39 (1952): the expected score of a game is the logistic
//! function of the difference in rating. A draw counts as half a win and half
//! a loss, so that in a match of two the difference is the one that
//! [`Elo`](crate::arena::stats::Elo) gives.
//!
//! Draws and pairs make scores vary less than wins and losses alone would.
//! Their observed variance, divided by that of the model, is the dispersion by
//! which the inverse of the Fisher information is multiplied to give the
//! variances of the ratings (quasi-likelihood: McCullagh and Nelder,
//! "Generalized Linear Models", chapter 9).
//!
//! Ratings are finite only if no group of engines has won all its games
//! against the rest, and comparable only if games connect them (Ford, "Solution
//! of a ranking problem from binary comparisons", 1957). Where that is not so
//! each engine is given one more game, drawn with an engine of the mean
//! strength, and [`Ratings::groups`] says how many groups there are.

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::arena::stats::{Tally, quantile_95};

/// All games between two of the engines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Encounter {
    /// The engine from whose view the tally is.
    pub first: usize,
    pub second: usize,
    pub tally: Tally,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    /// Natural units: a difference of 1 is a ratio of wins to losses of e.
    strengths: DVector<f64>,
    covariance: DMatrix<f64>,
    groups: usize,
}

/// Elo points of a natural unit.
const UNIT: f64 = 400.0 / std::f64::consts::LN_10;
const MAX_STEPS: usize = 200;
/// Iteration ends when no strength changes more than this.
const PRECISION: f64 = 1e-10;
/// The largest change of a strength in one step.
const MAX_CHANGE: f64 = 2.0;

impl Ratings {
    /// The likeliest ratings of `engines` engines, their mean being 0.
    ///
    /// Engines are numbered from 0; encounters have games, and the numbers of two
    /// engines.
    pub fn of(engines: usize, encounters: &[Encounter]) -> Ratings {
        let groups = count_groups(engines, encounters);
        let fit = Fit { engines, encounters: encounters.to_vec(), has_prior: groups > 1 };
        let strengths = fit.strengths();
        let information = fit.information(&strengths);
        // the mean is fixed, not estimated: that direction has no variance
        let inverse = information.try_inverse().unwrap_or_else(|| DMatrix::zeros(engines, engines));
        let centre = fit.centring();
        let covariance = &centre * inverse * &centre * fit.dispersion(&strengths);
        Ratings { strengths, covariance, groups }
    }

    /// The rating of an engine above the mean of all, in Elo points.
    pub fn elo(&self, engine: usize) -> f64 {
        UNIT * self.strengths[engine]
    }

    /// Half the interval of 95 % of a rating.
    pub fn error(&self, engine: usize) -> f64 {
        quantile_95() * UNIT * self.covariance[(engine, engine)].max(0.0).sqrt()
    }

    /// How probable it is that the first of these engines is the stronger one,
    /// by the normal approximation.
    pub fn los(&self, first: usize, second: usize) -> f64 {
        let lead = self.strengths[first] - self.strengths[second];
        let cov = |a, b| self.covariance[(a, b)];
        let variance = cov(first, first) + cov(second, second) - 2.0 * cov(first, second);
        if lead == 0.0 || variance <= 0.0 {
            return 0.5;
        }
        Normal::standard().cdf(lead / variance.sqrt())
    }

    /// In how many groups the engines fall between which the results say how
    /// they compare; 1 if all can be compared. With more of them a drawn game
    /// was added for each engine, and ratings in different groups say little.
    pub const fn groups(&self) -> usize {
        self.groups
    }

    /// The engines, the strongest first.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.strengths.len()).collect();
        order.sort_by(|&a, &b| self.strengths[b].total_cmp(&self.strengths[a]));
        order
    }
}

struct Fit {
    engines: usize,
    encounters: Vec<Encounter>,
    /// Whether every engine has one drawn game with an engine of strength 0.
    has_prior: bool,
}

impl Fit {
    /// Newton's method; the likelihood is concave.
    fn strengths(&self) -> DVector<f64> {
        let mut strengths = DVector::zeros(self.engines);
        for _ in 0..MAX_STEPS {
            let gradient = self.gradient(&strengths);
            let Some(cholesky) = self.information(&strengths).cholesky() else {
                break;
            };
            let mut step = cholesky.solve(&gradient);
            let largest = step.amax();
            if largest > MAX_CHANGE {
                step *= MAX_CHANGE / largest;
            }
            strengths += step;
            if largest < PRECISION {
                break;
            }
        }
        &self.centring() * strengths
    }

    /// The derivative of the logarithm of the likelihood: points made less
    /// points expected.
    fn gradient(&self, strengths: &DVector<f64>) -> DVector<f64> {
        let mut gradient = DVector::zeros(self.engines);
        for encounter in &self.encounters {
            let lead = encounter.tally.points()
                - encounter.tally.games() as f64 * encounter.expected(strengths);
            gradient[encounter.first] += lead;
            gradient[encounter.second] -= lead;
        }
        if self.has_prior {
            gradient += strengths.map(|strength| 0.5 - logistic(strength));
        }
        gradient
    }

    /// The Fisher information, which is also the second derivative with the
    /// sign changed. As only differences count, a constant is added that makes
    /// it regular and moves nothing.
    fn information(&self, strengths: &DVector<f64>) -> DMatrix<f64> {
        let mut information = DMatrix::from_element(self.engines, self.engines, 1.0);
        for encounter in &self.encounters {
            let weight = encounter.information(strengths);
            let Encounter { first, second, .. } = *encounter;
            for (row, column, sign) in [
                (first, first, 1.0),
                (second, second, 1.0),
                (first, second, -1.0),
                (second, first, -1.0),
            ] {
                information[(row, column)] += sign * weight;
            }
        }
        if self.has_prior {
            let own = strengths.map(|strength| logistic(strength) * (1.0 - logistic(strength)));
            information += DMatrix::from_diagonal(&own);
        }
        information
    }

    /// How the observed variance compares with that of wins and losses alone;
    /// one game that agrees with the model is added, lest nothing varies.
    fn dispersion(&self, strengths: &DVector<f64>) -> f64 {
        const ONE_GAME: f64 = 0.25;
        let (mut observed, mut expected) = (ONE_GAME, ONE_GAME);
        for encounter in &self.encounters {
            let sample = encounter.tally.sample();
            let mean = encounter.expected(strengths);
            let square = |(score, count): (f64, u64)| (score - mean).powi(2) * count as f64;
            let variance = sample.scores().map(square).sum::<f64>() / sample.size().max(1) as f64;
            let games = encounter.tally.games() as f64;
            observed += games * f64::from(sample.games_each()) * variance;
            expected += encounter.information(strengths);
        }
        observed / expected
    }

    /// The projection that takes the mean away.
    fn centring(&self) -> DMatrix<f64> {
        let part = 1.0 / self.engines.max(1) as f64;
        DMatrix::identity(self.engines, self.engines)
            - DMatrix::from_element(self.engines, self.engines, part)
    }
}

impl Encounter {
    /// The expected score of a game of the first engine.
    fn expected(&self, strengths: &DVector<f64>) -> f64 {
        logistic(strengths[self.first] - strengths[self.second])
    }

    /// The variance of the first engine's points if no game were drawn.
    fn information(&self, strengths: &DVector<f64>) -> f64 {
        let expected = self.expected(strengths);
        self.tally.games() as f64 * expected * (1.0 - expected)
    }
}

fn logistic(lead: f64) -> f64 {
    1.0 / (1.0 + (-lead).exp())
}

/// The engines fall into groups within which each has taken points from each
/// other, directly or over others; how many there are.
fn count_groups(engines: usize, encounters: &[Encounter]) -> usize {
    let mut reaches = vec![vec![false; engines]; engines];
    for (engine, reached) in reaches.iter_mut().enumerate() {
        reached[engine] = true;
    }
    for Encounter { first, second, tally } in encounters {
        reaches[*first][*second] |= tally.wins() + tally.draws() > 0;
        reaches[*second][*first] |= tally.losses() + tally.draws() > 0;
    }
    // Warshall's algorithm
    for middle in 0..engines {
        let onward = reaches[middle].clone();
        for from in reaches.iter_mut().filter(|from| from[middle]) {
            from.iter_mut().zip(&onward).for_each(|(reached, &further)| *reached |= further);
        }
    }
    let is_first_of_group = |&a: &usize| !(0..a).any(|b| reaches[a][b] && reaches[b][a]);
    (0..engines).filter(is_first_of_group).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arena::stats::{Elo, Model, Points};

    fn met(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Encounter {
        Encounter { first, second, tally: Tally::of_games(wins, draws, losses) }
    }

    #[test]
    fn a_match_of_two_has_the_difference_of_its_score() {
        let tally = Tally::of_games(500, 800, 300);
        let ratings = Ratings::of(2, &[Encounter { first: 0, second: 1, tally }]);
        let elo = Elo::of(&tally, Model::Logistic).unwrap();
        assert!((ratings.elo(0) - ratings.elo(1) - elo.value).abs() < 1e-6);
        assert!((ratings.elo(0) + ratings.elo(1)).abs() < 1e-9);
        assert!((2.0 * ratings.error(0) / elo.error() - 1.0).abs() < 0.01, "{}", ratings.error(0));
        assert!((ratings.los(0, 1) - tally.los()).abs() < 1e-3);
        assert_eq!((ratings.groups(), ratings.order()), (1, vec![0, 1]));
    }

    #[test]
    fn pairs_make_errors_smaller() {
        let mut paired = Tally::default();
        for _ in 0..200 {
            paired.add_pair([Points::Win, Points::Loss]);
            paired.add_pair([Points::Win, Points::Draw]);
        }
        let single = Tally::of_games(paired.wins(), paired.draws(), paired.losses());
        let [paired, single] = [paired, single]
            .map(|tally| Ratings::of(2, &[Encounter { first: 0, second: 1, tally }]));
        assert!((paired.elo(0) - single.elo(0)).abs() < 1e-6);
        assert!(paired.error(0) < 0.6 * single.error(0));
    }

    #[test]
    fn known_strengths_are_found() {
        // expected results at 100 points between neighbours: 0.6401 and 0.7597
        let games = 1_000_000f64;
        let share = |elo: f64| (games / (1.0 + 10f64.powf(-elo / 400.0))).round() as u64;
        let meet = |a, b, elo| met(a, b, share(elo), 0, 1_000_000 - share(elo));
        let ratings = Ratings::of(3, &[meet(0, 1, 100.0), meet(1, 2, 100.0), meet(2, 0, -200.0)]);
        for (engine, elo) in [(0, 100.0), (1, 0.0), (2, -100.0)] {
            assert!((ratings.elo(engine) - elo).abs() < 0.01, "{engine}: {}", ratings.elo(engine));
        }
    }

    #[test]
    fn all_wins_and_strangers_get_finite_ratings_and_are_told() {
        let swept = Ratings::of(3, &[met(0, 1, 10, 0, 0), met(1, 2, 5, 2, 5)]);
        assert_eq!(swept.groups(), 2);
        assert!(swept.elo(0) > swept.elo(1) + 100.0 && swept.elo(0) < 2_000.0, "{swept:?}");
        assert!((swept.elo(1) - swept.elo(2)).abs() < 60.0, "{swept:?}");

        let strangers = Ratings::of(4, &[met(0, 1, 6, 2, 2), met(2, 3, 6, 2, 2)]);
        assert_eq!(strangers.groups(), 2);
        assert!((strangers.elo(0) - strangers.elo(2)).abs() < 1e-6, "{strangers:?}");
        assert!(strangers.elo(0) > 20.0 && strangers.error(0).is_finite());

        let idle = Ratings::of(2, &[]);
        assert_eq!((idle.groups(), idle.elo(0), idle.los(0, 1)), (2, 0.0, 0.5));
        assert_eq!(Ratings::of(0, &[]).order(), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn expected_points_are_those_made(
            results in prop::collection::vec((1..40u64, 1..40u64, 1..40u64), 6)
        ) {
            let places = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let encounters: Vec<Encounter> = places.into_iter().zip(results)
                .map(|((a, b), (wins, draws, losses))| met(a, b, wins, draws, losses)).collect();
            let ratings = Ratings::of(4, &encounters);
            let fit = Fit { engines: 4, encounters, has_prior: false };
            prop_assert!(fit.gradient(&ratings.strengths).amax() < 1e-6);
            prop_assert!((0..4).map(|engine| ratings.elo(engine)).sum::<f64>().abs() < 1e-6);
            prop_assert!((0..4).all(|engine| ratings.error(engine) > 0.0));
        }
    }
}
