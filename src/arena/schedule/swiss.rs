//! The Swiss system: in each round equals meet that have not met yet.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Assignment, Draft, Results, Schedule};

/// Attempts to pair a round without a second meeting, and with second meetings
/// once more, whatever their number.
const PATIENCE: u32 = 100_000;

/// The games known so far: those of the rounds whose predecessors are all
/// finished.
pub fn games(schedule: &Schedule, results: &Results) -> Vec<Assignment> {
    play_rounds(schedule, results).0.games
}

/// What an engine has in the final table of a Swiss system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwissPlace {
    pub engine: usize,
    /// From 1; engines with equal points share one.
    pub place: usize,
    /// Half points, those of byes included.
    pub points: u32,
    /// Rounds without an opponent, each worth an encounter won.
    pub byes: u32,
}

/// The final table, the best first; `None` while a round is not over.
pub fn final_table(schedule: &Schedule, results: &Results) -> Option<Vec<SwissPlace>> {
    let (_, table, rounds) = play_rounds(schedule, results);
    let place = |engine: usize| {
        let points = table.points[engine];
        let place = 1 + table.points.iter().filter(|&&other| other > points).count();
        SwissPlace { engine, place, points, byes: table.byes[engine] }
    };
    (rounds == schedule.rounds).then(|| table.order().into_iter().map(place).collect())
}

/// The games known so far, what came of them, and how many rounds are over.
fn play_rounds(schedule: &Schedule, results: &Results) -> (Draft, Table, u32) {
    let mut draft = Draft::new(*schedule);
    let mut table = Table {
        points: vec![0; schedule.engines],
        met: HashSet::new(),
        byes: vec![0; schedule.engines],
    };
    for round in 1..=schedule.rounds {
        let pairings = table.pair(round);
        let encounters: Vec<([usize; 2], Vec<u32>)> = pairings
            .iter()
            .map(|&two| (two, draft.encounter(round, two, schedule.games)))
            .collect();
        draft.next_openings(schedule.games);
        for (two, numbers) in encounters {
            let Some(points) = draft.points(two[0], &numbers, results) else {
                return (draft, table, round - 1);
            };
            table.enter(two, points);
        }
        table.give_bye(&pairings, 2 * schedule.games);
    }
    (draft, table, schedule.rounds)
}

struct Table {
    points: Vec<u32>,
    met: HashSet<[usize; 2]>,
    byes: Vec<u32>,
}

impl Table {
    /// The engines, those with more points first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|&engine| (Reverse(self.points[engine]), engine));
        order
    }

    /// The pairings of a round, each with the lower number first.
    fn pair(&self, round: u32) -> Vec<[usize; 2]> {
        let mut order = self.order();
        if order.len() % 2 == 1 {
            let out = order.iter().rposition(|&engine| self.byes[engine] == 0);
            order.remove(out.unwrap_or(order.len() - 1));
        }
        if round == 1 {
            let (top, bottom) = order.split_at(order.len() / 2);
            return top.iter().zip(bottom).map(|(&one, &other)| sorted(one, other)).collect();
        }
        let has_met = |two| self.met.contains(&two);
        let pairs = order.len() / 2;
        let pairings = (0..pairs).find_map(|again| {
            let patience = if again == 0 { PATIENCE } else { PATIENCE / pairs as u32 };
            pair_up(&order, &mut { patience }, again, &has_met)
        });
        pairings.unwrap_or_else(|| order.chunks(2).map(|two| sorted(two[0], two[1])).collect())
    }

    fn enter(&mut self, two: [usize; 2], points: [u32; 2]) {
        self.met.insert(two);
        for (engine, points) in two.into_iter().zip(points) {
            self.points[engine] += points;
        }
    }

    /// Who is not paired gets the points of an encounter won.
    fn give_bye(&mut self, pairings: &[[usize; 2]], points: u32) {
        let is_out = |engine: &usize| !pairings.iter().any(|two| two.contains(engine));
        if let Some(engine) = (0..self.points.len()).find(is_out) {
            self.points[engine] += points;
            self.byes[engine] += 1;
        }
    }
}

/// The first of the order with the next it may meet, and so on with the rest; at
/// most so many pairs meet `again`.
fn pair_up(
    order: &[usize],
    patience: &mut u32,
    again: usize,
    has_met: &impl Fn([usize; 2]) -> bool,
) -> Option<Vec<[usize; 2]>> {
    let Some((&first, rest)) = order.split_first() else {
        return Some(Vec::new());
    };
    for (index, &other) in rest.iter().enumerate() {
        *patience = patience.checked_sub(1)?;
        let two = sorted(first, other);
        let Some(again) = again.checked_sub(usize::from(has_met(two))) else { continue };
        let left = [&rest[..index], &rest[index + 1..]].concat();
        if let Some(mut pairings) = pair_up(&left, patience, again, has_met) {
            pairings.insert(0, two);
            return Some(pairings);
        }
    }
    None
}

fn sorted(one: usize, other: usize) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

#[cfg(test)]
mod tests {
    use super::super::tests::{play_out, schedule};
    use super::super::{GameResult, Tournament};
    use super::*;

    #[test]
    fn nobody_meets_twice_while_that_is_possible() {
        for (engines, rounds) in [(8, 3), (8, 7), (7, 7), (2, 1), (3, 3)] {
            let (games, _) = play_out(schedule(Tournament::Swiss, engines, rounds));
            assert_eq!(games.len() as u32, rounds * 2 * (engines as u32 / 2));
            let met: HashSet<_> = games.iter().map(|game| sorted(game.red, game.black)).collect();
            assert_eq!(met.len() * 2, games.len(), "{engines} engines, {rounds} rounds");
        }
    }

    #[test]
    fn leaders_meet() {
        let (games, _) = play_out(schedule(Tournament::Swiss, 8, 3));
        let meets = |one, other| games.iter().any(|g| sorted(g.red, g.black) == [one, other]);
        assert!(meets(0, 1) || meets(0, 2), "the best have met after three rounds");
    }

    #[test]
    fn the_final_table_counts_byes_as_encounters_won() {
        let three = schedule(Tournament::Swiss, 3, 3);
        let (_, mut results) = play_out(three);
        let place = |(engine, place, points)| SwissPlace { engine, place, points, byes: 1 };
        let expected = [(0, 1, 12), (1, 2, 8), (2, 3, 4)].map(place);
        assert_eq!(final_table(&three, &results).unwrap(), expected);
        results.pop_last();
        assert_eq!(final_table(&three, &results), None);
        let drawn: Results = results.keys().map(|&number| (number, GameResult::Draw)).collect();
        let one = Schedule { rounds: 1, ..three };
        let table = final_table(&one, &drawn).unwrap();
        let told: Vec<_> = table.iter().map(|at| (at.engine, at.place, at.points)).collect();
        assert_eq!(told, [(2, 1, 4), (0, 2, 2), (1, 2, 2)]);
    }

    #[test]
    fn no_more_meet_again_than_must() {
        // all have met but 0-1 and 2-3, then all but 0-3
        let met = |free: &[[usize; 2]], two: [usize; 2]| !free.contains(&two);
        for (free, again) in [(&[[0, 1], [2, 3]][..], 0), (&[[0, 3]], 1), (&[], 2)] {
            let mut fewest = (0..3).filter_map(|again| {
                let found = pair_up(&[0, 1, 2, 3], &mut 1000, again, &|two| met(free, two))?;
                Some((again, found.iter().filter(|&&two| met(free, two)).count()))
            });
            assert_eq!(fewest.next(), Some((again, again)), "{free:?}");
        }
    }

    #[test]
    fn more_rounds_than_opponents_end_too() {
        let (games, _) = play_out(schedule(Tournament::Swiss, 4, 6));
        assert_eq!(games.len(), 6 * 4);
    }
}
