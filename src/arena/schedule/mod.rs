//! Who plays whom: gauntlets, round robins, knockouts and Swiss systems.
//!
//! A schedule is a function of the results so far. It gives the games known so
//! far, always the same ones under the same numbers, so that a match can be
//! taken up again from its results alone.

mod knockout;
mod swiss;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

use super::game::GameResult;
use super::names::UnknownName;
use crate::board::Color;

pub use knockout::{CupWinner, Decision};
pub use swiss::SwissPlace;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(Display, EnumString, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Tournament>)]
pub enum Tournament {
    /// The first engine against each of the others.
    #[default]
    Gauntlet,
    /// Everybody against everybody.
    RoundRobin,
    /// The loser of an encounter is out.
    Knockout,
    /// Equals against equals.
    Swiss,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Schedule {
    pub tournament: Tournament,
    /// How many engines there are, at least two.
    pub engines: usize,
    /// How often everything is played; in a Swiss system the number of rounds.
    pub rounds: u32,
    /// Games of an encounter, with colours exchanged after each.
    pub games: u32,
    /// Whether two games with colours exchanged share an opening and so make
    /// a pair.
    pub repeat: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Its number, from 0.
    pub number: u32,
    /// The pair it belongs to, from 0.
    pub pair: u32,
    /// The round, from 1.
    pub round: u32,
    pub red: usize,
    pub black: usize,
    /// Its opening, from 0, to be taken modulo the openings there are.
    pub opening: usize,
}

/// What a tournament decides beside the results of its games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TournamentOutcome {
    Knockout(CupWinner),
    /// The final table, the best first.
    Swiss(Vec<SwissPlace>),
}

/// The results so far, by the numbers of the games.
pub type Results = BTreeMap<u32, GameResult>;

impl Schedule {
    /// The games that are known by now, those played already included.
    /// Later calls with more results only add to them.
    pub fn games(&self, results: &Results) -> Vec<Assignment> {
        match self.tournament {
            Tournament::Gauntlet => self.fixed(|first, _| first == 0),
            Tournament::RoundRobin => self.fixed(|_, _| true),
            Tournament::Knockout => knockout::games(self, results),
            Tournament::Swiss => swiss::games(self, results),
        }
    }

    /// What has been decided; `None` before the end, and of tournaments in which
    /// the games alone count.
    pub fn outcome(&self, results: &Results) -> Option<TournamentOutcome> {
        match self.tournament {
            Tournament::Knockout => {
                knockout::winner(self, results).map(TournamentOutcome::Knockout)
            }
            Tournament::Swiss => swiss::final_table(self, results).map(TournamentOutcome::Swiss),
            Tournament::Gauntlet | Tournament::RoundRobin => None,
        }
    }

    /// Whether all games are known from the start.
    pub const fn is_fixed(&self) -> bool {
        matches!(self.tournament, Tournament::Gauntlet | Tournament::RoundRobin)
    }

    /// All pairings that are wanted, again in each round. Pairings of a round
    /// have the same openings, so that results compare.
    fn fixed(&self, is_wanted: impl Fn(usize, usize) -> bool) -> Vec<Assignment> {
        let mut draft = Draft::new(*self);
        for round in 1..=self.rounds {
            for first in 0..self.engines {
                for second in first + 1..self.engines {
                    if is_wanted(first, second) {
                        draft.encounter(round, [first, second], self.games);
                    }
                }
            }
            draft.next_openings(self.games);
        }
        draft.games
    }
}

struct Draft {
    schedule: Schedule,
    games: Vec<Assignment>,
    pairs: u32,
    first_opening: usize,
    /// Of each engine, by how many games it has had Red more often than Black.
    reds: Vec<i32>,
}

impl Draft {
    fn new(schedule: Schedule) -> Draft {
        let reds = vec![0; schedule.engines];
        Draft { schedule, games: Vec::new(), pairs: 0, first_opening: 0, reds }
    }

    /// Adds the games of an encounter and returns their numbers. Red is first who
    /// has had it less often; of equals the first engine in odd rounds, or if there
    /// is an even number of games in each.
    fn encounter(&mut self, round: u32, engines: [usize; 2], count: u32) -> Vec<u32> {
        let earlier = u64::from(round - 1) * u64::from(count);
        let [first, second] = engines.map(|engine| self.reds[engine]);
        let begins_swapped = first > second || first == second && earlier % 2 == 1;
        let mut numbers = Vec::new();
        for game in 0..count {
            let is_new_pair = !self.schedule.repeat || game % 2 == 0;
            self.pairs += u32::from(is_new_pair);
            let swapped = begins_swapped != (game % 2 == 1);
            let [red, black] = if swapped { [engines[1], engines[0]] } else { engines };
            let within = if self.schedule.repeat { game / 2 } else { game };
            let number = self.games.len() as u32;
            let opening = self.first_opening + within as usize;
            let pair = self.pairs - 1;
            self.games.push(Assignment { number, pair, round, red, black, opening });
            numbers.push(number);
            self.reds[red] += 1;
            self.reds[black] -= 1;
        }
        numbers
    }

    /// Encounters to come have other openings.
    fn next_openings(&mut self, games: u32) {
        let used = if self.schedule.repeat { games.div_ceil(2) } else { games };
        self.first_opening += used as usize;
    }

    /// The points of the first engine in these games, two for a win, and
    /// those of the other one; `None` if one is not played yet.
    fn points(&self, first: usize, numbers: &[u32], results: &Results) -> Option<[u32; 2]> {
        let mut points = [0, 0];
        for &number in numbers {
            let game = &self.games[number as usize];
            let winner = results.get(&number)?.winner();
            let scorer =
                winner.map(|color| if color == Color::Red { game.red } else { game.black });
            match scorer {
                None => points = points.map(|points| points + 1),
                Some(engine) => points[usize::from(engine != first)] += 2,
            }
        }
        Some(points)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    pub(super) fn schedule(tournament: Tournament, engines: usize, rounds: u32) -> Schedule {
        Schedule { tournament, engines, rounds, games: 2, repeat: true }
    }

    /// Plays a tournament to its end in which the engine with the lower number
    /// always wins; every game is known once it may be played.
    pub(super) fn play_out(schedule: Schedule) -> (Vec<Assignment>, Results) {
        let mut results = Results::new();
        loop {
            let games = schedule.games(&results);
            let Some(game) = games.iter().find(|game| !results.contains_key(&game.number)) else {
                return (games, results);
            };
            let red_wins = game.red < game.black;
            let result = if red_wins { GameResult::RedWins } else { GameResult::BlackWins };
            results.insert(game.number, result);
        }
    }

    #[test]
    fn gauntlets_and_round_robins_are_complete() {
        for (tournament, encounters) in [(Tournament::Gauntlet, 3), (Tournament::RoundRobin, 6)] {
            let games = schedule(tournament, 4, 5).games(&Results::new());
            assert_eq!(games.len(), 5 * encounters * 2);
            for pair in games.chunks(2) {
                let [one, other] = pair else { panic!() };
                assert_eq!((one.red, one.black), (other.black, other.red));
                assert_eq!((one.pair, one.opening), (other.pair, other.opening));
                assert!(tournament == Tournament::RoundRobin || one.red == 0);
            }
            let different: HashSet<_> =
                games.iter().map(|game| (game.red, game.black, game.opening)).collect();
            assert_eq!(different.len(), games.len(), "no game is played twice");
            assert!((0..).zip(&games).all(|(number, game)| game.number == number));
        }
    }

    #[test]
    fn colours_are_even_with_single_games() {
        let schedule = Schedule { games: 1, ..schedule(Tournament::Gauntlet, 2, 10) };
        let games = schedule.games(&Results::new());
        assert_eq!(games.iter().filter(|game| game.red == 0).count(), 5);
        let no_repeat = Schedule { games: 4, repeat: false, rounds: 1, ..schedule };
        let games = no_repeat.games(&Results::new());
        assert_eq!(games.iter().map(|game| game.opening).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(games.iter().map(|game| game.pair).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn nobody_has_a_colour_much_more_often_with_single_games() {
        use Tournament::{Gauntlet, RoundRobin, Swiss};
        for (tournament, engines, rounds) in
            [(Gauntlet, 5, 3), (RoundRobin, 6, 1), (RoundRobin, 5, 3), (Swiss, 8, 7), (Swiss, 7, 5)]
        {
            let schedule = Schedule { games: 1, ..schedule(tournament, engines, rounds) };
            let (games, _) = play_out(schedule);
            for engine in 0..engines {
                let red = games.iter().filter(|game| game.red == engine).count();
                let black = games.iter().filter(|game| game.black == engine).count();
                assert!(red.abs_diff(black) <= 2, "{tournament} {engine}: {red} {black}");
            }
        }
    }

    #[test]
    fn names_round_trip() {
        for text in ["gauntlet", "round-robin", "knockout", "swiss"] {
            assert_eq!(text.parse::<Tournament>().unwrap().to_string(), text);
        }
        assert!("cup".parse::<Tournament>().is_err());
    }
}
