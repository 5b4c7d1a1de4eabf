//! A match as its organiser wants it.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::arena::engines::{EngineSpec, SpecError};
use crate::arena::game::Conditions;
use crate::arena::openings::{self, Opening, OpeningError, Source};
use crate::arena::schedule::Schedule;

/// Everything that decides which games are played, and how. Two runs with the
/// same plan are runs of the same match.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub engines: Vec<Arc<EngineSpec>>,
    pub schedule: Schedule,
    pub openings: Source,
    pub conditions: Conditions,
    pub seed: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("engine: {0}")]
    Engine(#[from] SpecError),
    #[error("a match needs at least two engines; name one more with --engine cmd=PROGRAM")]
    TooFewEngines,
    #[error("{0} rounds of {1} games each are too many")]
    TooManyGames(u32, u32),
    #[error(transparent)]
    Openings(#[from] OpeningError),
}

impl Plan {
    const MOST_GAMES: u64 = 10_000_000;

    /// Checks that it can be a match, gives engines of the same name numbers, and
    /// lets all know the rules.
    ///
    /// # Errors
    /// When there are too few engines or too many games.
    pub fn checked(mut self) -> Result<Plan, PlanError> {
        if self.engines.len() < 2 {
            return Err(PlanError::TooFewEngines);
        }
        let Schedule { rounds, games, .. } = self.schedule;
        let engines = self.engines.len() as u64;
        let most = (u64::from(rounds) * u64::from(games)).saturating_mul(engines * engines);
        if most > Plan::MOST_GAMES {
            return Err(PlanError::TooManyGames(rounds, games));
        }
        self.schedule.engines = self.engines.len();
        let names = distinct(self.engines.iter().map(|engine| &*engine.name).collect());
        for (engine, name) in self.engines.iter_mut().zip(names) {
            let engine = Arc::make_mut(engine);
            engine.rules = self.conditions.parameters;
            engine.name = name;
        }
        Ok(self)
    }

    /// How many openings the games want if none is to come again.
    pub fn openings_wanted(&self) -> usize {
        let Schedule { rounds, games, repeat, .. } = self.schedule;
        let each = if repeat { games.div_ceil(2) } else { games };
        rounds as usize * each as usize
    }

    /// Reads the openings, at least one.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read_openings(&self) -> Result<Vec<Opening>, OpeningError> {
        self.openings.read(self.openings_wanted(), self.seed)
    }

    /// The plan as a value that identifies the match. Openings count by their
    /// content, wherever their file lies.
    pub fn identity(&self) -> Value {
        // numbers, texts and lists of them can always be written
        let mut value = serde_json::to_value(self).unwrap_or_default();
        let content = self.openings.file.as_ref().and_then(|file| openings::contents(file).ok());
        value["openings"]["file"] = match content {
            Some(bytes) => format!("{:08x}", crate::util::crc32(&bytes)).into(),
            None => Value::Null,
        };
        value
    }
}

/// Names that tell engines apart: equal ones get the first numbers that make them
/// different from all others.
fn distinct(names: Vec<&str>) -> Vec<String> {
    let is_alone = |name: &str| names.iter().filter(|other| **other == name).count() == 1;
    let alone = names.iter().filter(|name| is_alone(name));
    let mut taken: HashSet<String> = alone.map(|&name| name.to_owned()).collect();
    let mut numbered = |name: &str| {
        let mut number = 1;
        while !taken.insert(format!("{name} {number}")) {
            number += 1;
        }
        format!("{name} {number}")
    };
    let name = |&name: &&str| if is_alone(name) { name.to_owned() } else { numbered(name) };
    names.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::schedule::Tournament;
    use crate::rules::RuleSet;

    fn plan(names: &[&str], rounds: u32) -> Plan {
        let engine = |name: &&str| {
            let mut spec = EngineSpec::default();
            [format!("cmd={name}"), "nodes=1".into()].iter().for_each(|s| spec.apply(s).unwrap());
            Arc::new(spec.finish().unwrap())
        };
        let tournament = Tournament::Gauntlet;
        Plan {
            engines: names.iter().map(engine).collect(),
            schedule: Schedule { tournament, engines: 0, rounds, games: 2, repeat: true },
            openings: Source::default(),
            conditions: Conditions::default(),
            seed: 1,
        }
    }

    #[test]
    fn names_are_unique() {
        let plan = plan(&["x", "y", "x"], 1).checked().unwrap();
        let names: Vec<&str> = plan.engines.iter().map(|engine| &engine.name[..]).collect();
        assert_eq!(names, ["x 1", "y", "x 2"]);
        assert_eq!(plan.schedule.engines, 3);
        assert_eq!(distinct(vec!["a", "a", "a 1"]), ["a 2", "a 3", "a 1"]);
        assert_eq!(distinct(vec!["a", "a", "a 1", "a 1"]), ["a 1", "a 2", "a 1 1", "a 1 2"]);
    }

    #[test]
    fn engines_know_the_rules_of_their_match() {
        let mut plan = plan(&["x", "y"], 1);
        plan.conditions.parameters = RuleSet::League.parameters();
        let plan = plan.checked().unwrap();
        assert!(plan.engines.iter().all(|engine| engine.rules.rules == RuleSet::League));
    }

    #[test]
    fn impossible_matches_are_refused() {
        let fault = |plan: Plan| plan.checked().unwrap_err().to_string();
        assert!(fault(plan(&["x"], 1)).contains("at least two engines"));
        assert!(fault(plan(&["x", "y"], u32::MAX)).contains("too many"));
    }

    #[test]
    fn the_identity_tells_matches_apart() {
        let one = plan(&["x", "y"], 1).identity();
        assert_eq!(one, plan(&["x", "y"], 1).identity());
        assert_ne!(one, plan(&["x", "y"], 2).identity());
        assert_ne!(one, Plan { seed: 2, ..plan(&["x", "y"], 1) }.identity());
        assert!(one.to_string().contains("\"nodes\":1"));
    }
}
