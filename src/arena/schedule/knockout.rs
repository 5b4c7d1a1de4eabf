//! The cup: the loser of an encounter is out.

use super::{Assignment, Draft, Results, Schedule};

/// Pairs of games to break a tie, after which the better seed goes on.
const TIE_BREAKS: usize = 5;

/// The games known so far. Engines are seeded in their order: the first meets
/// the last, and the two best meet in the final. Where their number is no
/// power of two the best ones have a bye.
pub fn games(schedule: &Schedule, results: &Results) -> Vec<Assignment> {
    play_rounds(schedule, results).0.games
}

/// Who has won a cup; points are half ones, those of the winner first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CupWinner {
    pub winner: usize,
    pub runner_up: usize,
    /// Of the final, without tie-breaks.
    pub points: [u32; 2],
    pub decision: Decision,
}

/// What decided a final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The points of its games.
    Score,
    /// The pair of games with this number, from 1.
    TieBreak { number: usize, points: [u32; 2] },
    /// Nothing but the order of the engines.
    Seed,
}

/// The winner; `None` while the final is not over.
pub fn winner(schedule: &Schedule, results: &Results) -> Option<CupWinner> {
    let (draft, alive) = play_rounds(schedule, results);
    let [Some(winner)] = alive[..] else { return None };
    let last = draft.games.last()?;
    let runner_up = if last.red == winner { last.black } else { last.red };
    let games = draft.games.iter().filter(|game| game.round == last.round);
    let numbers: Vec<u32> = games.map(|game| game.number).collect();
    let (first, ties) = numbers.split_at((schedule.games * schedule.rounds) as usize);
    let points = draft.points(winner, first, results)?;
    let last_tie = ties.chunks(2).enumerate().next_back();
    let decision = match last_tie {
        None => Decision::Score,
        Some((index, numbers)) => match draft.points(winner, numbers, results)? {
            [own, other] if own == other => Decision::Seed,
            points => Decision::TieBreak { number: index + 1, points },
        },
    };
    Some(CupWinner { winner, runner_up, points, decision })
}

/// The rounds known so far, and who is left: one engine if all are over.
fn play_rounds(schedule: &Schedule, results: &Results) -> (Draft, Vec<Option<usize>>) {
    let mut draft = Draft::new(*schedule);
    let mut alive = bracket(schedule.engines);
    for round in 1.. {
        if alive.len() < 2 {
            break;
        }
        match play_round(&mut draft, round, &alive, results) {
            Some(winners) => alive = winners,
            None => break,
        }
    }
    (draft, alive)
}

/// Seeds in the order of the bracket, `None` for a bye.
fn bracket(engines: usize) -> Vec<Option<usize>> {
    let mut seeds = vec![0];
    while seeds.len() < engines {
        let size = 2 * seeds.len();
        seeds = seeds.iter().flat_map(|&seed| [seed, size - 1 - seed]).collect();
    }
    seeds.into_iter().map(|seed| (seed < engines).then_some(seed)).collect()
}

/// The winners of a round, `None` while one is not known.
fn play_round(
    draft: &mut Draft,
    round: u32,
    alive: &[Option<usize>],
    results: &Results,
) -> Option<Vec<Option<usize>>> {
    let games = draft.schedule.games * draft.schedule.rounds;
    let mut winners = vec![None; alive.len() / 2];
    let mut open: Vec<(usize, [usize; 2])> = Vec::new();
    for (place, two) in alive.chunks(2).enumerate() {
        match *two {
            [Some(first), Some(second)] => {
                open.push((place, [first.min(second), first.max(second)]));
            }
            [first, second] => winners[place] = first.or(second),
            _ => {}
        }
    }
    for attempt in 0..=TIE_BREAKS {
        let count = if attempt == 0 { games } else { 2 };
        let numbers: Vec<Vec<u32>> =
            open.iter().map(|&(_, two)| draft.encounter(round, two, count)).collect();
        draft.next_openings(count);
        let mut tied = Vec::new();
        let mut complete = true;
        for (&(place, two), numbers) in open.iter().zip(&numbers) {
            match draft.points(two[0], numbers, results) {
                None => complete = false,
                Some([one, other]) if one == other => tied.push((place, two)),
                Some([one, other]) => winners[place] = Some(two[usize::from(one < other)]),
            }
        }
        if !complete {
            return None;
        }
        open = tied;
        if open.is_empty() {
            break;
        }
    }
    open.into_iter().for_each(|(place, two)| winners[place] = Some(two[0]));
    Some(winners)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{play_out, schedule};
    use super::super::{GameResult, Tournament, TournamentOutcome};
    use super::*;

    #[test]
    fn the_best_win_and_the_first_two_meet_last() {
        for engines in 2..=9 {
            let (games, _) = play_out(schedule(Tournament::Knockout, engines, 1));
            assert_eq!(games.len(), 2 * (engines - 1), "{engines} engines");
            let last = games.last().unwrap();
            assert_eq!([last.red.min(last.black), last.red.max(last.black)], [0, 1]);
        }
        assert_eq!(bracket(5).iter().filter(|seed| seed.is_none()).count(), 3);
    }

    #[test]
    fn ties_are_broken_and_end() {
        let schedule = schedule(Tournament::Knockout, 2, 1);
        let mut results = Results::new();
        let mut rounds = 0;
        while let Some(game) =
            schedule.games(&results).iter().find(|game| !results.contains_key(&game.number))
        {
            assert_eq!(winner(&schedule, &results), None);
            results.insert(game.number, GameResult::Draw);
            rounds = game.round;
        }
        assert_eq!((results.len(), rounds), (2 + 2 * TIE_BREAKS, 1));
        let cup = |points, decision| Some(CupWinner { winner: 0, runner_up: 1, points, decision });
        assert_eq!(winner(&schedule, &results), cup([2, 2], Decision::Seed));
        // the second engine has Red in the second game of a pair
        let mut results: Results = (0..6).map(|number| (number, GameResult::Draw)).collect();
        results.insert(5, GameResult::BlackWins);
        let decision = Decision::TieBreak { number: 2, points: [3, 1] };
        assert_eq!(winner(&schedule, &results), cup([2, 2], decision));
    }

    #[test]
    fn the_winner_of_the_final_has_the_cup() {
        let schedule = schedule(Tournament::Knockout, 5, 1);
        let (_, results) = play_out(schedule);
        let decision = Decision::Score;
        let expected = CupWinner { winner: 0, runner_up: 1, points: [4, 0], decision };
        assert_eq!(schedule.outcome(&results), Some(TournamentOutcome::Knockout(expected)));
        let other = Schedule { tournament: Tournament::RoundRobin, ..schedule };
        assert_eq!(other.outcome(&results), None);
    }
}
