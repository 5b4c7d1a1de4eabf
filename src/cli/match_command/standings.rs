//! Who leads, and whether a test has decided.

use serde_json::{Value, json};

use crate::arena::stats::{Sprt, Verdict};
use crate::arena::{GameRecord, Plan, Standings, Summary};

/// The summary of a match, with the test that may end it.
pub struct MatchStandings {
    summary: Summary,
    sprt: Option<Sprt>,
}

impl MatchStandings {
    pub fn new(plan: &Plan, sprt: Option<Sprt>) -> MatchStandings {
        MatchStandings {
            summary: Summary::new(plan.engines.iter().map(|engine| &engine.name)),
            sprt,
        }
    }

    pub fn add(&mut self, record: &GameRecord) {
        self.summary.add(record);
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.summary.games()
    }

    /// Whether the test has decided.
    pub fn is_decided(&self) -> bool {
        let test = self.sprt.zip(self.summary.duel());
        test.is_some_and(|(sprt, standings)| {
            sprt.state(standings.tally()).verdict != Verdict::Continue
        })
    }

    /// Where it stands, in a few lines.
    pub fn text(&self) -> String {
        match self.summary.duel() {
            Some(standings) => standings.with_sprt(self.sprt.as_ref()).to_string(),
            None => self.summary.to_string().trim_end().to_owned(),
        }
    }

    /// All of it, when it is over.
    pub fn full_text(&self) -> String {
        let summary = self.summary.to_string();
        match self.summary.duel() {
            Some(_) => format!("{}\n\n{}", self.text(), summary.trim_end()),
            None => summary.trim_end().to_owned(),
        }
    }

    /// The same in a part of a line; nothing for more than two engines.
    pub fn brief(&self) -> String {
        let Some(tally) = self.summary.duel().map(Standings::tally) else {
            return String::new();
        };
        let counts = format!("+{} ={} -{}", tally.wins(), tally.draws(), tally.losses());
        match &self.sprt {
            Some(sprt) => format!("{counts}  {}", sprt.state(tally)),
            None => counts,
        }
    }

    /// Where it stands, as JSON.
    pub fn to_json(&self) -> Value {
        let duel = self.summary.duel().map(|standings| standings.to_json(self.sprt.as_ref()));
        json!({ "event": "standing", "duel": duel, "summary": self.summary.to_json() })
    }
}
