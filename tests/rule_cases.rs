//! The referee against the published and constructed cases of
//! `../shared/rules/cases.csv`, as they stand, with colours exchanged,
//! mirrored, and with their cycles begun elsewhere or gone through once more.

use std::path::Path;

use hanxin::board::{Color, Move, Position};
use hanxin::rules::{Game, Outcome, Parameters, PlayError, RuleSet, judge_cycle};

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
        match self.played(self.rules.parameters()) {
            Ok(game) => name(game.outcome()).to_owned(),
            Err(error) => error.to_string(),
        }
    }

    fn played(&self, parameters: Parameters) -> Result<Game, PlayError> {
        // not `Game::replay`: one case starts without any attacking piece
        let mut game = Game::new(self.start.clone(), parameters);
        self.moves.iter().try_for_each(|&m| game.play(m))?;
        Ok(game)
    }

    /// The game of the case if a repetition ends it.
    fn repeated(&self) -> Option<Game> {
        self.played(self.rules.parameters()).ok().filter(|game| game.repetition().is_some())
    }

    /// The game with the last round of its repetition played once more.
    fn prolonged(&self) -> Option<Case> {
        let (_, round) = self.repeated()?.cycle(2)?;
        Some(self.variant("prolonged", [self.moves.clone(), round].concat()))
    }

    fn variant(&self, how: &str, moves: Vec<Move>) -> Case {
        Case {
            id: format!("{} {how}", self.id),
            start: self.start.clone(),
            moves,
            expected: self.expected.clone(),
            why: self.why.clone(),
            ..*self
        }
    }

    fn mirrored(&self) -> Case {
        let moves = self.moves.iter().map(|m| m.mirror()).collect();
        Case { start: self.start.mirror(), ..self.variant("mirrored", moves) }
    }

    fn colors_swapped(&self) -> Case {
        let swap = |m: &Move| Move::new(m.from().flip(), m.to().flip()).unwrap();
        let expected = match self.expected.as_str() {
            "red_wins" => "black_wins",
            "black_wins" => "red_wins",
            other => other,
        };
        let moves = self.moves.iter().map(swap).collect();
        Case {
            start: self.start.swap_colors(),
            expected: expected.to_owned(),
            ..self.variant("with colours swapped", moves)
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
fn all_national_cases_but_one() {
    let cases = cases(RuleSet::Cxa);
    let misses = misses(&cases);
    println!("{} of {} national cases missed:\n{}", misses.len(), cases.len(), misses.join("\n"));
    // `cxa-065`: the documentation of the rules says why
    assert!(misses.len() <= 1 && misses.iter().all(|miss| miss.starts_with("cxa-065")));
}

#[test]
fn colours_and_wings_are_alike() {
    RuleSet::ALL.into_iter().for_each(assert_symmetric);
}

#[test]
fn the_verdict_does_not_depend_on_where_the_cycle_begins() {
    for case in RuleSet::ALL.into_iter().flat_map(cases) {
        let Some(game) = case.repeated() else { continue };
        let (mut start, mut moves) = game.cycle(game.parameters().fold).expect("it repeats");
        let offender = judge_cycle(case.rules, &start, &moves).offender;
        for plies in 1..=moves.len() {
            start.make(moves[0]);
            moves.rotate_left(1);
            let verdict = judge_cycle(case.rules, &start, &moves);
            assert_eq!(verdict.offender, offender, "{} begun {plies} plies later", case.id);
        }
    }
}

#[test]
fn the_verdict_does_not_depend_on_the_number_of_rounds() {
    for case in RuleSet::ALL.into_iter().flat_map(cases) {
        let Some(longer) = case.prolonged() else { continue };
        let own = case.rules.parameters();
        for fold in [own.fold, own.fold + 1] {
            let played = longer.played(Parameters { fold, ..own }).unwrap();
            assert_eq!(name(played.outcome()), case.verdict(), "{} with fold {fold}", longer.id);
        }
    }
}
