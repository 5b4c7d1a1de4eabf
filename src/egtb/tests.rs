//! Tables of a few pieces against a slow and plain solver, and against counts
//! and positions of other programs.

use std::collections::HashMap;
use std::sync::Arc;

use super::*;
use crate::board::{Color, Position};

const THREADS: usize = 2;

pub fn value(sources: &Sources, position: &Position) -> Option<Value> {
    look_up(sources, position, &mut Cache::new(1))
}

pub fn held<'a>(sources: &'a Sources, name: &str) -> &'a Solution {
    match &sources[&name.parse().unwrap()] {
        Source::Held(solution) => solution,
        Source::Packed(_) => panic!("{name} is packed"),
    }
}

/// Solves materials and all that captures lead to.
pub fn solve_all(names: &[&str]) -> Sources {
    let wanted: Vec<Material> = names.iter().map(|name| name.parse().unwrap()).collect();
    let mut solutions = Sources::new();
    for material in Material::closure(&wanted) {
        let solution = solve(material, &solutions, THREADS).unwrap();
        solutions.insert(material, Source::Held(Arc::new(solution)));
    }
    solutions
}

/// The values of all positions of a material by repeated minimax over a map
/// of FENs, mirror images and all: no index, no moves backwards.
fn solve_slowly(material: Material, smaller: &Sources) -> HashMap<String, Option<Value>> {
    let index = Index::new(material);
    let mut successors = HashMap::new();
    for number in 0..index.size() {
        for side in Color::ALL {
            let Some(position) = index.position(number, side) else { continue };
            for mut position in [position.mirror(), position] {
                let board = |position: &Position| {
                    position.to_fen().split(' ').take(2).collect::<Vec<_>>().join(" ")
                };
                let fen = board(&position);
                let mut after = Vec::new();
                for &m in &position.legal_moves() {
                    let undo = position.make(m);
                    let known = undo.captured().map(|_| value(smaller, &position).unwrap());
                    after.push((board(&position), known));
                    position.unmake(m, undo);
                }
                successors.insert(fen, after);
            }
        }
    }
    let mut values: HashMap<String, Option<Value>> =
        successors.keys().map(|fen| (fen.clone(), None)).collect();
    // what is decided in at most `plies`, for growing `plies`
    for plies in 0..60 {
        let decided = |fen: &String| {
            let after = successors[fen].iter();
            let known = after.map(|(fen, known)| known.or_else(|| values.get(fen).copied()?));
            let known: Vec<Option<Value>> = known.collect();
            let best = Value::best(known.iter().flatten().map(|value| value.before_move()));
            let is_certain = match best {
                Value::Loss { .. } => known.iter().all(Option::is_some),
                _ => true,
            };
            Some(best).filter(|best| is_certain && best.plies() == Some(plies))
        };
        let open = values.iter().filter(|(_, value)| value.is_none());
        let new: Vec<_> = open.map(|(fen, _)| (fen.clone(), decided(fen))).collect();
        values.extend(new.into_iter().filter(|(_, value)| value.is_some()));
    }
    values
}

#[test]
fn the_smallest_tables_equal_those_of_a_plain_solver() {
    let names = ["KK", "KAK", "KRK", "KPK", "KNK", "KCK", "KAKB"];
    let solutions = solve_all(&names);
    for name in names {
        let slow = solve_slowly(name.parse().unwrap(), &solutions);
        assert!(slow.len() > 100, "{name}");
        for (fen, value) in slow {
            let position = Position::from_fen(&fen).unwrap();
            let value = value.unwrap_or(Value::Draw);
            assert_eq!(super::tests::value(&solutions, &position), Some(value), "{name} {fen}");
        }
    }
}

#[test]
fn counts_and_longest_wins_are_those_of_another_solver() {
    let mut rows = csv::Reader::from_path("tests/data/egtb_counts.csv").unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let names: Vec<&str> = rows.iter().map(|row| &row[0]).collect();
    let solutions = solve_all(&names);
    assert!(rows.len() >= 10);
    for row in &rows {
        let side = if &row[1] == "w" { Color::Red } else { Color::Black };
        let counts = held(&solutions, &row[0]).counts(side);
        let number = |column: usize| row[column].parse::<u64>().ok();
        let expected = Counts {
            legal: number(2).unwrap(),
            wins: number(3).unwrap(),
            draws: number(4).unwrap(),
            losses: number(5).unwrap(),
            ended: number(6).unwrap(),
            longest_win: number(7).map(|plies| plies as u16),
            longest_loss: number(9).map(|plies| plies as u16),
        };
        assert_eq!(counts, expected, "{} {}", &row[0], &row[1]);
    }
    let mut positions = csv::Reader::from_path("tests/data/egtb_positions.csv").unwrap();
    let mut seen = 0;
    for row in positions.records().map(Result::unwrap) {
        let position = Position::from_fen(&row[1]).unwrap();
        let plies = row[3].parse().unwrap_or(0);
        let expected = match &row[2] {
            "win" => Value::Win { plies },
            "loss" => Value::Loss { plies },
            _ => Value::Draw,
        };
        assert_eq!(super::tests::value(&solutions, &position), Some(expected), "{}", &row[1]);
        seen += 1;
    }
    assert!(seen > 100);
}

#[test]
fn tables_prove_themselves_and_a_wrong_value_is_found() {
    // own advisors block the king, so that the side with the attacker can lose
    let mut solutions = solve_all(&["KNAAK", "KPPK", "KCAKB", "KRKAB"]);
    for material in solutions.keys() {
        let solution = held(&solutions, &material.to_string());
        let counts = Color::ALL.map(|side| solution.counts(side));
        assert_eq!(verify(solution, &solutions, THREADS), Ok(counts));
    }
    assert!(held(&solutions, "KNAAK").counts(Color::Black).wins > 0);
    let Some(Source::Held(mut wrong)) = solutions.remove(&"KRKAB".parse().unwrap()) else {
        panic!("it was solved");
    };
    let solution = Arc::get_mut(&mut wrong).unwrap();
    let byte = solution.bytes[0].iter_mut().find(|byte| **byte == 3).unwrap();
    *byte = 5;
    assert!(verify(solution, &solutions, THREADS).is_err());
}

#[test]
fn without_attackers_nobody_wins() {
    let solutions = solve_all(&["KAABKAB"]);
    for material in solutions.keys() {
        let solution = held(&solutions, &material.to_string());
        for counts in Color::ALL.map(|side| solution.counts(side)) {
            assert_eq!(counts.draws, counts.legal, "{material}");
        }
    }
}

#[test]
fn what_is_not_solved_exactly_is_refused() {
    let refusal = |name: &str| solve(name.parse().unwrap(), &Sources::new(), 1).err();
    assert!(matches!(refusal("KRK"), Some(SolveError::MissingTable(..))));
    assert!(matches!(refusal("KRRNNK"), Some(SolveError::TooManyAttackers(_))));
}
