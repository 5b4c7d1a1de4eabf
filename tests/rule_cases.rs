//! The referee against the published and constructed cases of
//! `../shared/rules/cases.csv`, as they stand, with colours exchanged and
//! mirrored.

use std::path::Path;

use hanxin::board::{Color, Move, Position};
use hanxin::rules::{Game, Outcome, RuleSet};

struct Case {
    id: String,
    rules: RuleSet,
    start: Position,
    moves: Vec<Move>,
    expected: String,
    why: String,
}

/// The cases of the rule sets we know; `tiantian` rows are one platform's own.
fn cases(rules: RuleSet) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/rules/cases.csv");
    let mut reader = csv::Reader::from_path(&path)
        .unwrap_or_else(|error| panic!("shared rule cases missing at {}: {error}", path.display()));
    let records = reader.records().map(|record| record.unwrap());
    records
        .filter(|record| record[1].parse() == Ok(rules))
        .map(|record| Case {
            id: record[0].to_owned(),
            rules,
            start: Position::from_fen(&record[2]).unwrap(),
            moves: record[3].split_whitespace().map(|text| text.parse().unwrap()).collect(),
            expected: record[4].to_owned(),
            why: record[5].to_owned(),
        })
        .collect()
}

impl Case {
    fn verdict(&self) -> String {
        // not `Game::replay`: one case starts without any attacking piece
        let mut game = Game::new(self.start.clone(), self.rules);
        for &m in &self.moves {
            if let Err(error) = game.play(m) {
                return error.to_string();
            }
        }
        name(game.outcome()).to_owned()
    }

    fn mirrored(&self) -> Case {
        Case {
            id: format!("{} mirrored", self.id),
            start: self.start.mirror(),
            moves: self.moves.iter().map(|m| m.mirror()).collect(),
            expected: self.expected.clone(),
            why: self.why.clone(),
            ..*self
        }
    }

    fn colors_swapped(&self) -> Case {
        let swap = |m: &Move| Move::new(m.from().flip(), m.to().flip()).unwrap();
        let expected = match self.expected.as_str() {
            "red_wins" => "black_wins",
            "black_wins" => "red_wins",
            other => other,
        };
        Case {
            id: format!("{} with colours swapped", self.id),
            start: self.start.swap_colors(),
            moves: self.moves.iter().map(swap).collect(),
            expected: expected.to_owned(),
            why: self.why.clone(),
            ..*self
        }
    }
}

fn name(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(|outcome| outcome.winner) {
        None => "none",
        Some(None) => "draw",
        Some(Some(Color::Red)) => "red_wins",
        Some(Some(Color::Black)) => "black_wins",
    }
}

/// The cases judged otherwise, one line each.
fn misses(cases: &[Case]) -> Vec<String> {
    let miss = |case: &Case| {
        let verdict = case.verdict();
        (verdict != case.expected).then(|| format!("{}: {verdict}, not {}", case.id, case.why))
    };
    cases.iter().filter_map(miss).collect()
}

fn assert_all_right(cases: &[Case]) {
    let misses = misses(cases);
    assert!(misses.is_empty(), "{} of {}:\n{}", misses.len(), cases.len(), misses.join("\n"));
}

fn assert_symmetric(rules: RuleSet) {
    for case in cases(rules) {
        let verdict = case.verdict();
        assert_eq!(case.mirrored().verdict(), verdict, "{} mirrored", case.id);
        let as_is = Case { expected: verdict, ..case };
        let swapped = as_is.colors_swapped();
        assert_eq!(swapped.verdict(), swapped.expected, "{}", swapped.id);
    }
}

#[test]
fn every_asian_case() {
    assert_all_right(&cases(RuleSet::Axf));
}

#[test]
fn every_league_case() {
    assert_all_right(&cases(RuleSet::League));
}

#[test]
fn nineteen_of_twenty_national_cases() {
    let cases = cases(RuleSet::Cxa);
    let misses = misses(&cases);
    println!("{} of {} national cases missed:\n{}", misses.len(), cases.len(), misses.join("\n"));
    assert!(20 * misses.len() <= cases.len());
}

#[test]
fn colours_and_wings_are_alike() {
    RuleSet::ALL.into_iter().for_each(assert_symmetric);
}
