//! Who leads, in a match of any number of engines.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::arena::rating::{Encounter, Ratings};
use crate::arena::stats::{Sprt, Verdict};
use crate::arena::{GameRecord, Plan, Standing, Termination};

/// The standings of all encounters, with what has gone wrong.
pub struct Score {
    names: Vec<String>,
    standings: BTreeMap<[usize; 2], Standing>,
    sprt: Option<Sprt>,
    games: u64,
    terminations: BTreeMap<Termination, u64>,
}

impl Score {
    pub fn new(plan: &Plan, sprt: Option<Sprt>) -> Score {
        let names = plan.engines.iter().map(|engine| engine.name.clone()).collect();
        Score { names, standings: BTreeMap::new(), sprt, games: 0, terminations: BTreeMap::new() }
    }

    pub fn add(&mut self, record: &GameRecord) {
        let place = |name: &str| self.names.iter().position(|other| other == name);
        let (Some(red), Some(black)) = (place(&record.red), place(&record.black)) else {
            return;
        };
        let two = [red.min(black), red.max(black)];
        let [first, second] = two.map(|engine| self.names[engine].clone());
        self.standings.entry(two).or_insert_with(|| Standing::new(first, second)).add(record);
        self.games += 1;
        *self.terminations.entry(record.termination).or_default() += 1;
    }

    /// Games counted.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Whether the test has decided.
    pub fn is_decided(&self) -> bool {
        let state = self.sprt.zip(self.standings.values().next());
        state.is_some_and(|(sprt, standing)| {
            sprt.state(standing.tally()).verdict != Verdict::Continue
        })
    }

    /// All of it in a few lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let [standing] = self.standings.values().collect::<Vec<_>>()[..] {
            let _ = write!(text, "{}", standing.with_sprt(self.sprt.as_ref()));
        } else {
            text.push_str(&self.table());
        }
        text
    }

    /// How the games ended.
    pub fn terminations(&self) -> String {
        let parts = self.terminations.iter().map(|(how, count)| format!("{how} {count}"));
        format!("Ended by: {}", parts.collect::<Vec<_>>().join(", "))
    }

    /// A few words for a line that changes: the match of the first engine.
    pub fn brief(&self) -> String {
        let mut standings = self.standings.values();
        match (standings.next(), standings.next()) {
            (Some(standing), None) => {
                let tally = standing.tally();
                let mut text = format!("+{} ={} -{}", tally.wins(), tally.draws(), tally.losses());
                if let Some(sprt) = &self.sprt {
                    let _ = write!(text, "  {}", sprt.state(tally));
                }
                text
            }
            _ => String::new(),
        }
    }

    /// Engines by rating.
    fn table(&self) -> String {
        let ratings = self.ratings();
        let mut text =
            String::from("Rank Engine                          Elo   +/-   Points Games");
        for (rank, engine) in (1..).zip(ratings.order()) {
            let (points, games) = self.points(engine);
            let name: String = self.names[engine].chars().take(28).collect();
            let (elo, error) = (ratings.elo(engine), ratings.error(engine));
            let _ =
                write!(text, "\n{rank:4} {name:28} {elo:7.1} {error:5.1} {points:8.1} {games:5}");
        }
        text
    }

    fn ratings(&self) -> Ratings {
        let encounter = |(two, standing): (&[usize; 2], &Standing)| Encounter {
            first: two[0],
            second: two[1],
            tally: *standing.tally(),
        };
        let encounters: Vec<Encounter> = self.standings.iter().map(encounter).collect();
        Ratings::of(self.names.len(), &encounters)
    }

    fn points(&self, engine: usize) -> (f64, u64) {
        let mut sum = (0.0, 0);
        for (two, standing) in &self.standings {
            let tally = standing.tally();
            let (points, games) = (tally.points(), tally.games());
            match two.iter().position(|&one| one == engine) {
                Some(0) => sum = (sum.0 + points, sum.1 + games),
                Some(_) => sum = (sum.0 + games as f64 - points, sum.1 + games),
                None => {}
            }
        }
        sum
    }

    pub fn to_json(&self) -> Value {
        let standings = self.standings.values().map(|s| s.to_json(self.sprt.as_ref()));
        let terminations: serde_json::Map<String, Value> =
            self.terminations.iter().map(|(how, &n)| (how.to_string(), n.into())).collect();
        json!({
            "event": "standing",
            "games": self.games,
            "encounters": standings.collect::<Vec<_>>(),
            "terminations": terminations,
        })
    }
}
