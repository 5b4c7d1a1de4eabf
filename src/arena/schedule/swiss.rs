//! The Swiss system: in each round equals meet that have not met yet.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Assignment, Draft, Results, Schedule};

/// Attempts to pair a round without a second meeting, before second meetings
/// are allowed.
const PATIENCE: u32 = 100_000;

/// The games known so far: those of the rounds whose predecessors are all
/// finished.
pub fn games(schedule: &Schedule, results: &Results) -> Vec<Assignment> {
    let mut draft = Draft::new(*schedule);
    let mut table = Table {
        points: vec![0; schedule.engines],
        met: HashSet::new(),
        had_bye: vec![false; schedule.engines],
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
                return draft.games;
            };
            table.enter(two, points);
        }
        table.give_bye(&pairings, 2 * schedule.games);
    }
    draft.games
}

struct Table {
    points: Vec<u32>,
    met: HashSet<[usize; 2]>,
    had_bye: Vec<bool>,
}

impl Table {
    /// The pairings of a round, each with the lower number first.
    fn pair(&self, round: u32) -> Vec<[usize; 2]> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|&engine| (Reverse(self.points[engine]), engine));
        if order.len() % 2 == 1 {
            let out = order.iter().rposition(|&engine| !self.had_bye[engine]);
            order.remove(out.unwrap_or(order.len() - 1));
        }
        if round == 1 {
            let (top, bottom) = order.split_at(order.len() / 2);
            return top.iter().zip(bottom).map(|(&one, &other)| sorted(one, other)).collect();
        }
        let mut patience = PATIENCE;
        let strict = pair_up(&order, &mut patience, &|two| !self.met.contains(&two));
        strict.unwrap_or_else(|| order.chunks(2).map(|two| sorted(two[0], two[1])).collect())
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
            self.had_bye[engine] = true;
        }
    }
}

/// The first of the order with the next it may meet, and so on with the rest.
fn pair_up(
    order: &[usize],
    patience: &mut u32,
    may_meet: &impl Fn([usize; 2]) -> bool,
) -> Option<Vec<[usize; 2]>> {
    let Some((&first, rest)) = order.split_first() else {
        return Some(Vec::new());
    };
    for (index, &other) in rest.iter().enumerate() {
        *patience = patience.checked_sub(1)?;
        let two = sorted(first, other);
        if may_meet(two) {
            let left = [&rest[..index], &rest[index + 1..]].concat();
            if let Some(mut pairings) = pair_up(&left, patience, may_meet) {
                pairings.insert(0, two);
                return Some(pairings);
            }
        }
    }
    None
}

fn sorted(one: usize, other: usize) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

#[cfg(test)]
mod tests {
    use super::super::Tournament;
    use super::super::tests::{play_out, schedule};
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
    fn more_rounds_than_opponents_end_too() {
        let (games, _) = play_out(schedule(Tournament::Swiss, 4, 6));
        assert_eq!(games.len(), 6 * 4);
    }
}
