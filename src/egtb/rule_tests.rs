//! Results that rest on perpetual check: against a solver of parity games that
//! shares nothing with the generator, against another program's counts, and
//! before the judge of the rules.

use std::sync::Arc;

use super::solution::{Source, Sources, look_up};
use super::table::Cache;
use super::tests::{held, solve_all, value};
use super::*;
use crate::board::{Color, Position};
use crate::rules::{Game, Reason};

const THREADS: usize = 2;

/// A parity game: the player wins plays in which the highest priority that
/// comes up again and again is even.
struct Arena {
    is_players: Vec<bool>,
    priorities: Vec<u8>,
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl Arena {
    /// What one side wins by rule: the positions of a table without a distance,
    /// after a won place, 0, and one that is not, 1.
    fn new(solution: &Solution, sources: &Sources, winner: Color) -> (Arena, Vec<Position>) {
        let index = &solution.index;
        let mut places = std::collections::HashMap::new();
        let mut positions = Vec::new();
        for number in 0..index.size() {
            for side in Color::ALL {
                let value = solution.value(number, side);
                if value.is_some_and(|value| value.plies().is_none()) {
                    places.insert((number, side), 2 + positions.len());
                    positions.push(index.position(number, side).unwrap());
                }
            }
        }
        let mut arena = Arena {
            is_players: vec![true, true],
            priorities: vec![2, 3],
            next: vec![vec![0], vec![1]],
            before: Vec::new(),
        };
        let mut cache = Cache::new(4);
        for position in &mut positions {
            let mover = position.side_to_move();
            let mut next = Vec::new();
            for &m in &position.legal_moves() {
                let undo = position.make(m);
                let number = index.number_of_position(position);
                let place = number.and_then(|number| places.get(&(number, !mover)).copied());
                let mut wins = || look_up_any(solution, sources, position, &mut cache);
                next.push(place.unwrap_or_else(|| {
                    let won = if mover == winner { Wdl::Loss } else { Wdl::Win };
                    usize::from(wins().wdl() != Some(won))
                }));
                position.unmake(m, undo);
            }
            arena.is_players.push(mover == winner);
            arena.priorities.push(match position.in_check() {
                true => 1,
                false if mover == winner => 3,
                false => 2,
            });
            arena.next.push(next);
        }
        arena.before = vec![Vec::new(); arena.next.len()];
        for (place, next) in arena.next.iter().enumerate() {
            next.iter().for_each(|&after| arena.before[after].push(place));
        }
        (arena, positions)
    }

    /// The places of a part from which one side gets to some of them.
    fn attract(&self, part: &[bool], to: Vec<usize>, player: bool) -> Vec<bool> {
        let mut reached = vec![false; part.len()];
        to.iter().for_each(|&place| reached[place] = true);
        let mut new = to;
        while let Some(place) = new.pop() {
            for &before in &self.before[place] {
                let mut next = self.next[before].iter().filter(|&&after| part[after]);
                let is_reached = part[before]
                    && !reached[before]
                    && (self.is_players[before] == player || next.all(|&after| reached[after]));
                if is_reached {
                    reached[before] = true;
                    new.push(before);
                }
            }
        }
        reached
    }

    /// What the player wins of a part that neither side can be made to leave
    /// (Zielonka 1998).
    fn solve(&self, part: &[bool]) -> Vec<bool> {
        let places = || (0..part.len()).filter(|&place| part[place]);
        let Some(highest) = places().map(|place| self.priorities[place]).max() else {
            return part.to_vec();
        };
        let player = highest % 2 == 0;
        let top = places().filter(|&place| self.priorities[place] == highest).collect();
        let without = |taken: &[bool]| -> Vec<bool> {
            part.iter().zip(taken).map(|(&part, &taken)| part && !taken).collect()
        };
        let rest = without(&self.attract(part, top, player));
        let won = self.solve(&rest);
        let lost: Vec<usize> =
            places().filter(|&place| rest[place] && won[place] != player).collect();
        if lost.is_empty() {
            return part.iter().map(|&part| part && player).collect();
        }
        let lost = self.attract(part, lost, !player);
        let won = self.solve(&without(&lost));
        won.iter().zip(&lost).map(|(&won, &lost)| won || lost && !player).collect()
    }
}

fn look_up_any(
    solution: &Solution,
    sources: &Sources,
    position: &Position,
    cache: &mut Cache,
) -> Value {
    let own = solution.index.number_of_position(position);
    let own = own.and_then(|number| solution.value(number, position.side_to_move()));
    own.or_else(|| look_up(sources, position, cache)).unwrap()
}

#[test]
fn wins_by_perpetual_check_are_those_of_a_plain_solver_of_parity_games() {
    let sources = solve_all(&["KRKN", "KPKP"]);
    for (name, decided) in [("KRKN", 3194), ("KPKP", 0)] {
        let solution = held(&sources, name);
        assert_eq!(solution.decided_by_rule(), decided, "{name}");
        for winner in Color::ALL {
            let (arena, positions) = Arena::new(solution, &sources, winner);
            let won = arena.solve(&vec![true; arena.next.len()]);
            for (position, &won) in positions.iter().zip(&won[2..]) {
                let value = value(&sources, position).unwrap();
                let is_winners = position.side_to_move() == winner;
                let by_rule = if is_winners { Value::RuleWin } else { Value::RuleLoss };
                assert_eq!(won, value == by_rule, "{}", position.to_fen());
            }
        }
    }
}

#[test]
fn tables_with_attackers_on_both_sides_prove_themselves_and_faults_are_found() {
    let mut sources = solve_all(&["KRKN"]);
    let name: Material = "KRKN".parse().unwrap();
    let Some(Source::Held(mut table)) = sources.remove(&name) else { panic!("held") };
    assert!(verify(&table, &sources, THREADS).is_ok());
    let solution = Arc::get_mut(&mut table).unwrap();
    let right = solution.bytes.clone();
    let replace = |bytes: &mut [Vec<u8>; 2], from: Value, to: Value| {
        let [from, to] = [from, to].map(|value| value.rule_byte().unwrap());
        let all = bytes.iter_mut().flatten().filter(|byte| **byte == from);
        all.for_each(|byte| *byte = to);
    };
    // wins that are wrong, though no move contradicts them
    for byte in solution.bytes.iter_mut().flatten() {
        if Some(*byte) == Value::RuleLoss.rule_byte() {
            *byte = Value::Draw.rule_byte().unwrap();
        }
    }
    assert!(matches!(verify(solution, &sources, THREADS), Err(Contradiction::Minimax { .. })));
    // wins that are not told, and again no move contradicts that
    solution.bytes = right.clone();
    replace(&mut solution.bytes, Value::RuleWin, Value::Draw);
    replace(&mut solution.bytes, Value::RuleLoss, Value::Draw);
    let fault = verify(solution, &sources, THREADS).unwrap_err();
    assert!(matches!(fault, Contradiction::Overlooked { .. }), "{fault}");
}

#[test]
fn a_win_by_perpetual_check_is_one_before_the_judge() {
    let sources = solve_all(&["KRKN"]);
    let solution = held(&sources, "KRKN");
    let mut judged = 0;
    for number in 0..solution.index.size() {
        if solution.value(number, Color::Black) != Some(Value::RuleLoss) {
            continue;
        }
        let mut game = Game::from(solution.index.position(number, Color::Black).unwrap());
        while game.outcome().is_none() && game.ply() < 200 {
            let mut position = game.position().clone();
            let moves = position.legal_moves();
            let mut best = None;
            for &m in &moves {
                let undo = position.make(m);
                let value = value(&sources, &position).unwrap().before_move();
                let score = match (position.side_to_move(), value) {
                    // in check the side with the rook only evades, else it
                    // takes the mate
                    (Color::Black, Value::RuleWin) if game.position().in_check() => 2000,
                    (Color::Black, Value::Win { plies }) => 1000 - i32::from(plies),
                    (Color::Black, Value::RuleWin) => 1,
                    (Color::Red, Value::RuleLoss) if position.in_check() => 2,
                    (Color::Red, Value::RuleLoss) => 1,
                    (Color::Red, Value::Loss { plies }) => i32::from(plies) - 1000,
                    _ => -5000,
                };
                best = best.max(Some((score, std::cmp::Reverse(m))));
                position.unmake(m, undo);
            }
            let (score, std::cmp::Reverse(m)) = best.unwrap();
            assert!(score > -5000, "{}", position.to_fen());
            game.play(m).unwrap();
        }
        let outcome = game.outcome();
        if let Some(outcome) = outcome {
            assert_eq!(outcome.winner, Some(Color::Red), "{outcome} {}", game.start().to_fen());
            judged += usize::from(matches!(outcome.reason, Reason::Repetition(_)));
        }
    }
    assert!(judged > 10, "{judged}");
}
