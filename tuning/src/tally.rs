//! The standing of a match of pairs.

use std::fmt;

/// What the first player made of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Points {
    /// Nothing.
    Loss,
    /// Half a point.
    Draw,
    /// A point.
    Win,
}

/// The results of games played in pairs, both of a pair from one opening.
///
/// Games of a pair depend on each other, so the error is that of the mean of
/// pairs (the pentanomial model).
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Losses, draws and wins.
    games: [u32; 3],
    /// Pairs by the half points that the first player made in them.
    pairs: [u32; 5],
}

impl Tally {
    /// Counts both games of a pair.
    pub fn add(&mut self, pair: [Points; 2]) {
        for points in pair {
            self.games[points as usize] += 1;
        }
        self.pairs[pair[0] as usize + pair[1] as usize] += 1;
    }

    /// How many pairs were counted.
    pub fn pairs(&self) -> u32 {
        self.pairs.iter().sum()
    }

    /// The mean score of a game, 0 to 1, and its standard error.
    fn score(&self) -> (f64, f64) {
        let count = f64::from(self.pairs()).max(1.0);
        let moment = |power| -> f64 {
            let by_pairs = self.pairs.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0f64]);
            by_pairs.map(|(&pairs, score)| f64::from(pairs) * score.powi(power)).sum::<f64>()
                / count
        };
        let variance = moment(2) - moment(1).powi(2);
        (moment(1), (variance.max(0.0) / count).sqrt())
    }
}

/// The difference in Elo that explains a score.
fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(1e-6, 1.0 - 1e-6) - 1.0).log10()
}

impl fmt::Display for Tally {
    /// Wins, draws and losses, the score, Elo with an interval of 95 %, and the
    /// pairs by half points.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [losses, draws, wins] = self.games;
        let (score, error) = self.score();
        let [low, high] = [-1.96, 1.96].map(|errors| elo(score + errors * error));
        write!(
            f,
            "+{wins} ={draws} -{losses}, {:.1} %, Elo {:+.1} [{low:+.1}, {high:+.1}], pairs {:?}",
            100.0 * score,
            elo(score),
            self.pairs
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_are_right() {
        let mut tally = Tally::default();
        tally.add([Points::Win, Points::Draw]);
        tally.add([Points::Win, Points::Win]);
        tally.add([Points::Loss, Points::Win]);
        tally.add([Points::Draw, Points::Loss]);
        assert_eq!(tally.pairs(), 4);
        let (score, error) = tally.score();
        // pair scores 0.75, 1, 0.5, 0.25: variance 0.078125
        assert!((score - 0.625).abs() < 1e-12, "{score}");
        assert!((error - (0.078125f64 / 4.0).sqrt()).abs() < 1e-12, "{error}");
        let text = tally.to_string();
        assert!(text.starts_with("+4 =2 -2, 62.5 %, Elo +88.7 ["), "{text}");
        assert!(text.ends_with("pairs [0, 1, 1, 1, 1]"), "{text}");
    }

    #[test]
    fn elo_is_symmetric_and_finite() {
        assert_eq!(elo(0.5), 0.0);
        assert!((elo(0.75) - 190.85).abs() < 0.01);
        assert!((elo(0.75) + elo(0.25)).abs() < 1e-9);
        assert!(elo(1.0).is_finite() && elo(0.0).is_finite());
    }
}
