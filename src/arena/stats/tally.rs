//! What was scored.

use std::ops::Range;

use statrs::distribution::{ContinuousCDF, Normal};

use super::elo::quantile_95;

/// What the first player made of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Points {
    Loss,
    Draw,
    Win,
}

/// The results of games from the first player's view.
///
/// Every game counts in wins, draws and losses; those played in pairs count in
/// the pairs too, once both games are over.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Losses, draws and wins.
    games: [u64; 3],
    /// Pairs by the half points that the first player made in them.
    pairs: [u64; 5],
}

impl Tally {
    /// The tally of games that were counted elsewhere, not in pairs.
    pub const fn of_games(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { games: [losses, draws, wins], pairs: [0; 5] }
    }

    /// The tally of pairs that were counted elsewhere, by half points. What
    /// became of single games is not known then: those of pairs of one point
    /// count as drawn.
    pub const fn of_pairs(pairs: [u64; 5]) -> Tally {
        let losses = 2 * pairs[0] + pairs[1];
        let wins = 2 * pairs[4] + pairs[3];
        let draws = pairs[1] + 2 * pairs[2] + pairs[3];
        Tally { games: [losses, draws, wins], pairs }
    }

    pub fn add(&mut self, points: Points) {
        self.games[points as usize] += 1;
    }

    /// Counts a pair whose games have been [added](Tally::add) before.
    pub fn complete(&mut self, pair: [Points; 2]) {
        self.pairs[pair[0] as usize + pair[1] as usize] += 1;
    }

    pub fn add_pair(&mut self, pair: [Points; 2]) {
        self.extend(pair);
        self.complete(pair);
    }

    pub const fn wins(&self) -> u64 {
        self.games[2]
    }

    pub const fn draws(&self) -> u64 {
        self.games[1]
    }

    pub const fn losses(&self) -> u64 {
        self.games[0]
    }

    pub fn games(&self) -> u64 {
        self.games.iter().sum()
    }

    /// The pentanomial counts: pairs by the half points made in them, 0 to 4.
    pub const fn pairs(&self) -> [u64; 5] {
        self.pairs
    }

    /// Points made in all games, half of one for a draw.
    pub fn points(&self) -> f64 {
        self.wins() as f64 + self.draws() as f64 / 2.0
    }

    /// The part of the games that was drawn; 0 without games.
    pub fn draw_rate(&self) -> f64 {
        self.draws() as f64 / self.games().max(1) as f64
    }

    /// What statistics rest on: the pairs if there are any, else the games.
    pub fn sample(&self) -> Sample {
        if self.pairs == [0; 5] {
            Sample { counts: self.games.to_vec(), games: 1 }
        } else {
            Sample { counts: self.pairs.to_vec(), games: 2 }
        }
    }

    /// The interval of 95 % of the score of a game, from 0 to 1, by Wilson's
    /// formula (1927). It needs no spread, so that it says something of matches
    /// too in which one side has won every game; draws make it wider than it
    /// need be.
    pub fn score_interval(&self) -> Range<f64> {
        let (games, reach) = (self.games().max(1) as f64, quantile_95().powi(2));
        let mean = self.points() / games;
        let middle = mean + reach / (2.0 * games);
        let margin =
            (reach * (mean * (1.0 - mean) + reach / (4.0 * games)) / games).max(0.0).sqrt();
        let scale = 1.0 + reach / games;
        (middle - margin) / scale..(middle + margin) / scale
    }

    /// The likelihood of superiority: how probable it is that the first player
    /// is the stronger one, by the normal approximation and without prior
    /// knowledge. Observations that are all the same say nothing about their
    /// spread; then the games that were not drawn count alone, each won or lost
    /// like a coin is tossed. One half where nothing differs.
    pub fn los(&self) -> f64 {
        let sample = self.sample();
        let (mean, variance) = sample.moments();
        let error = (variance / sample.size().max(1) as f64).sqrt();
        match (mean - 0.5, error) {
            (0.0, _) => 0.5,
            (_, 0.0) => {
                let [wins, losses] = [self.wins() as f64, self.losses() as f64];
                Normal::standard().cdf((wins - losses) / (wins + losses).sqrt())
            }
            (lead, error) => Normal::standard().cdf(lead / error),
        }
    }
}

impl Extend<Points> for Tally {
    fn extend<Games: IntoIterator<Item = Points>>(&mut self, games: Games) {
        games.into_iter().for_each(|points| self.add(points));
    }
}

/// Observations that do not depend on each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// How often each score was observed, equally spaced from 0 to 1.
    counts: Vec<u64>,
    /// Games in an observation.
    games: u32,
}

impl Sample {
    pub fn size(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many games make one observation: 1, or 2 for pairs.
    pub const fn games_each(&self) -> u32 {
        self.games
    }

    /// The scores with how often each was observed.
    pub fn scores(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let highest = (self.counts.len() - 1) as f64;
        self.counts.iter().zip(0u32..).map(move |(&count, n)| (f64::from(n) / highest, count))
    }

    /// Mean and variance of an observation; an even mean and no variance where
    /// nothing was observed.
    pub fn moments(&self) -> (f64, f64) {
        let size = self.size() as f64;
        if size == 0.0 {
            return (0.5, 0.0);
        }
        let mean = self.scores().map(|(score, count)| score * count as f64).sum::<f64>() / size;
        let square = |(score, count): (f64, u64)| (score - mean).powi(2) * count as f64;
        (mean, self.scores().map(square).sum::<f64>() / size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn example() -> Tally {
        let mut tally = Tally::default();
        tally.add_pair([Points::Win, Points::Draw]);
        tally.add_pair([Points::Win, Points::Win]);
        tally.add_pair([Points::Loss, Points::Win]);
        tally.add_pair([Points::Draw, Points::Loss]);
        tally
    }

    #[test]
    fn games_and_pairs_are_counted() {
        let tally = example();
        assert_eq!([tally.wins(), tally.draws(), tally.losses()], [4, 2, 2]);
        assert_eq!((tally.games(), tally.points(), tally.draw_rate()), (8, 5.0, 0.25));
        assert_eq!(tally.pairs(), [0, 1, 1, 1, 1]);
        // pair scores 0.75, 1, 0.5, 0.25
        assert_eq!(tally.sample().moments(), (0.625, 0.078125));
        assert_eq!(tally.sample().games_each(), 2);
    }

    #[test]
    fn an_unfinished_pair_counts_as_a_game_only() {
        let mut tally = example();
        tally.add(Points::Loss);
        assert_eq!((tally.games(), tally.sample().size()), (9, 4));
    }

    #[test]
    fn games_alone_are_their_own_sample() {
        let tally = Tally::of_games(3, 4, 1);
        assert_eq!((tally.sample().size(), tally.sample().games_each()), (8, 1));
        assert_eq!(tally.sample().moments().0, 0.625);
        let paired = Tally::of_pairs([1, 2, 3, 4, 5]);
        assert_eq!((paired.games(), paired.points()), (30, 20.0));
        assert_eq!(paired.sample().moments().0, 20.0 / 30.0);
    }

    #[test]
    fn superiority_is_a_probability() {
        assert_eq!(Tally::default().los(), 0.5);
        assert_eq!(Tally::of_games(5, 3, 5).los(), 0.5);
        // a few games that are all won do not make it certain
        let [win, five] = [1, 5].map(|wins| Tally::of_games(wins, 0, 0).los());
        assert!((win - 0.841_34).abs() < 1e-5 && (five - 0.987_33).abs() < 1e-5, "{win} {five}");
        assert!((Tally::of_games(0, 0, 5).los() + five - 1.0).abs() < 1e-12);
        let pair = Tally::of_pairs([0, 0, 0, 0, 1]).los();
        assert!((pair - 0.921_35).abs() < 1e-5, "{pair}");
        // without draws: 60 of 100, error sqrt(0.24 / 100), 2.0412 errors above
        let los = Tally::of_games(60, 0, 40).los();
        assert!((los - 0.979_39).abs() < 1e-5, "{los}");
        let mirrored = Tally::of_games(40, 0, 60).los();
        assert!((los + mirrored - 1.0).abs() < 1e-12);
    }
}
