//! The state of a tuning: values, rounds, and its file.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use hanxin::search::{ParamInfo, Params};
use serde::{Deserialize, Serialize};

use hanxin::util::seeded;
use rand::RngExt;

use crate::duel::Couple;
use crate::estimate::Estimate;
use crate::saved;

/// Everything that determines a tuning, besides the program.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Settings {
    /// The constants and their first values.
    pub start: Vec<(String, f64)>,
    /// Number of rounds.
    pub rounds: u32,
    /// Openings of a round.
    pub pairs: u32,
    /// Widths that a constant moves for a point, in the last round.
    pub rate: f64,
    /// How many of its declared steps a constant is moved in the last round.
    pub width: f64,
    /// Nodes searched for each move.
    pub nodes: u32,
    /// The clock that is played on instead, and its nodes per millisecond.
    #[serde(default)]
    pub clock: Option<String>,
    /// Determines directions and openings.
    pub seed: u64,
    /// What evaluates.
    pub evaluation: String,
}

/// A tuning between two rounds.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// What it depends on.
    pub settings: Settings,
    /// The values before each round, and the present ones at the end.
    path: Vec<Vec<f64>>,
    /// By how many points each round was won.
    points: Vec<i32>,
}

/// What the file of a tuning says; all values follow from it.
#[derive(Serialize, Deserialize)]
struct Saved {
    settings: Settings,
    points: Vec<i32>,
}

/// Elo for each point (1 a win, -1 a loss) that a game is won by on average,
/// where chances are nearly even.
const ELO_PER_POINT: f64 = 800.0 / std::f64::consts::LN_10;

/// The directions of a round.
pub struct Probe {
    /// 1 or -1 for each constant.
    directions: Vec<f64>,
    /// How many of its steps each constant is moved.
    width: f64,
}

/// Exponents recommended by Spall: decay of the perturbation (gamma) and of the
/// step size (alpha) with the rounds.
const GAMMA: f64 = 0.101;
const ALPHA: f64 = 0.602;
/// Spall's A as a share of the rounds; it keeps the first steps small.
const STABILITY_SHARE: f64 = 0.1;

impl State {
    /// The tuning of a file, or a new one if there is none. A file keeps the first
    /// values that it has, whatever is shipped by now.
    ///
    /// # Errors
    /// When the file is not a tuning or has other settings.
    pub fn open(path: &Path, mut settings: Settings) -> Result<State> {
        let found = saved::load(path, "tuning", |Saved { settings: begun, .. }| {
            let mut wanted = settings.clone();
            if begun.names().eq(wanted.names()) {
                wanted.start.clone_from(&begun.start);
            }
            saved::difference(begun, &wanted)
        })?;
        if let Some(saved) = &found {
            settings.start.clone_from(&saved.settings.start);
        }
        let first = settings.start.iter().map(|(_, value)| *value).collect();
        let mut state = State { settings, path: vec![first], points: Vec::new() };
        found.iter().flat_map(|saved| &saved.points).for_each(|&points| state.update(points));
        Ok(state)
    }

    /// Writes the file from which [`State::open`] goes on.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let State { settings, points, .. } = self.clone();
        saved::save(path, &Saved { settings, points })
    }

    /// How many rounds were played.
    pub fn round(&self) -> u32 {
        self.points.len() as u32
    }

    /// The present values.
    fn values(&self) -> &[f64] {
        self.path.last().map_or(&[], Vec::as_slice)
    }

    fn infos(&self) -> impl Iterator<Item = &'static ParamInfo> {
        self.settings.start.iter().filter_map(|(name, _)| info(name))
    }

    /// The directions of the next round.
    pub fn probe(&self) -> Probe {
        self.probe_of(self.round())
    }

    /// The directions of a round, from 0.
    fn probe_of(&self, round: u32) -> Probe {
        // a seed that the openings do not use
        let mut random = seeded(!self.settings.seed, u64::from(round));
        let directions = self
            .values()
            .iter()
            .map(|_| if random.random_range(0..2) == 0 { -1.0 } else { 1.0 })
            .collect();
        let left = f64::from(self.settings.rounds) / f64::from(round + 1);
        Probe { directions, width: self.settings.width * left.powf(GAMMA) }
    }

    /// Moves all values towards the winner of the next round, who is `points`
    /// ahead.
    pub fn update(&mut self, points: i32) {
        let probe = self.probe();
        let rounds = f64::from(self.settings.rounds);
        let offset = STABILITY_SHARE * rounds;
        let falling = ((offset + rounds) / (offset + f64::from(self.round()) + 1.0)).powf(ALPHA);
        let Settings { rate, width, .. } = self.settings;
        let length = rate * width * width * falling * f64::from(points) / probe.width;
        let moved = self.values().iter().zip(self.infos()).zip(&probe.directions);
        let moved = moved.map(|((value, info), direction)| {
            let value = value + length * f64::from(info.step) * direction;
            value.clamp(f64::from(info.min), f64::from(info.max))
        });
        self.path.push(moved.collect());
        self.points.push(points);
    }

    /// The result: the mean over the second half of the rounds, which varies less
    /// than the values of any round (Polyak and Juditsky 1992).
    fn averaged(&self) -> Vec<f64> {
        let late = &self.path[self.path.len() / 2..];
        let mean = |i: usize| late.iter().map(|values| values[i]).sum::<f64>() / late.len() as f64;
        (0..self.values().len()).map(mean).collect()
    }

    /// The constants with their values, rounded.
    pub fn rounded(&self) -> Vec<(&str, i32)> {
        self.settings
            .names()
            .zip(self.averaged().iter().map(|value| value.round() as i32))
            .collect()
    }

    /// What the larger values of each constant were worth against the smaller
    /// ones over all rounds, Elo. As all were moved at once, independently, every
    /// game tells of each of them.
    fn effects(&self) -> Vec<Estimate> {
        let elo = ELO_PER_POINT / f64::from(2 * self.settings.pairs);
        let mut leads = vec![Vec::new(); self.values().len()];
        for (round, points) in (0..).zip(&self.points) {
            for (leads, direction) in leads.iter_mut().zip(self.probe_of(round).directions) {
                leads.push(elo * direction * f64::from(*points));
            }
        }
        leads.iter().map(|leads| Estimate::of(leads)).collect()
    }

    /// Each constant: first value, settled value, its drift in steps, and what
    /// larger values were worth against smaller ones, Elo.
    pub fn table(&self) -> String {
        let [first, now, steps, elo] = ["first", "now", "steps", "Elo"];
        let mut table = format!("{:28}{first:>8}{now:>10}{steps:>8}{elo:>8}\n", "constant");
        let settled = self.averaged().into_iter().zip(self.infos()).zip(self.effects());
        for ((name, first), ((value, info), effect)) in self.settings.start.iter().zip(settled) {
            let steps = (value - first) / f64::from(info.step);
            // one round tells of no error; writing to a string cannot fail
            let Estimate { mean, margin } = effect;
            let elo =
                if margin.is_nan() { String::new() } else { format!("{mean:+8.1} ± {margin:.1}") };
            let _ = writeln!(table, "{name:28}{first:>8}{value:>10.1}{steps:>+8.1}{elo}");
        }
        table
    }
}

impl Probe {
    /// The perturbed values of both players, rounded and within their bounds.
    pub fn values(&self, state: &State) -> [Vec<i32>; 2] {
        [1.0, -1.0].map(|sign| {
            let moved = state.infos().zip(state.values().iter().zip(&self.directions));
            let moved = moved.map(|(info, (value, direction))| {
                let moved = value + sign * direction * self.width * f64::from(info.step);
                (moved.round() as i32).clamp(info.min, info.max)
            });
            moved.collect()
        })
    }
}

impl Settings {
    /// The names of the constants.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.start.iter().map(|(name, _)| name.as_str())
    }

    /// Gives both players their values of the constants.
    pub fn set(&self, players: &mut Couple, values: &[Vec<i32>; 2]) {
        for (player, values) in players.iter_mut().zip(values) {
            player.set_params(self.params(values));
        }
    }

    /// The constants with these values.
    fn params(&self, values: &[i32]) -> Params {
        let mut params = Params::default();
        for ((name, _), value) in self.start.iter().zip(values) {
            params.set(name, *value);
        }
        params
    }
}

fn info(name: &str) -> Option<&'static ParamInfo> {
    Params::INFO.iter().find(|info| info.name == name)
}

/// The text of the source file with these values as the shipped ones.
///
/// # Errors
/// When a constant is not declared as expected.
pub fn rewrite(text: &str, values: &[(&str, i32)]) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (name, value) in values {
        let head = format!("    {name}: ");
        let line = lines.iter_mut().find(|line| line.starts_with(&head));
        let line = line.with_context(|| format!("no declaration of {name}"))?;
        let tail = line.find(',').with_context(|| format!("no bounds of {name}"))?;
        *line = format!("{head}{value}{}", &line[tail..]);
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(rounds: u32) -> Settings {
        let start = [("rfp_margin", 30.0), ("lmr_base", 850.0)];
        let start = start.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let (pairs, rate, width, evaluation) = (1, 0.05, 1.0, "classical".to_owned());
        Settings { start, rounds, pairs, rate, width, nodes: 100, clock: None, seed: 1, evaluation }
    }

    fn state(rounds: u32) -> State {
        State::open(Path::new("no/such/file"), settings(rounds)).unwrap()
    }

    /// Plays rounds whose points follow from how near the players are to a
    /// margin of 70.
    fn play(state: &mut State, rounds: u32) {
        for _ in 0..rounds {
            let values = state.probe().values(state);
            let params = values.map(|values| state.settings.params(&values));
            let [plus, minus] = params.map(|params| -f64::from((params.rfp_margin - 70).pow(2)));
            state.update(((plus - minus) / 200.0).round() as i32);
        }
    }

    #[test]
    fn a_wrong_constant_is_set_right() {
        let mut state = state(400);
        play(&mut state, 400);
        let values = state.rounded();
        assert!((values[0].1 - 70).abs() <= 8, "{values:?}");
        assert!(state.table().contains("rfp_margin"));
    }

    #[test]
    fn every_game_tells_of_each_constant() {
        let mut state =
            State { settings: Settings { rate: 0.0, pairs: 8, ..settings(400) }, ..state(400) };
        let mut noise = seeded(7, 0);
        for _ in 0..400 {
            // 20 Elo between the first constant's values, nothing between the second's
            let lead = state.probe().directions[0] * 16.0 * 20.0 / ELO_PER_POINT;
            state.update((lead + noise.random_range(-3.0..3.0)).round() as i32);
        }
        assert_eq!(state.values(), [30.0, 850.0]);
        let [first, second] = state.effects()[..] else { panic!("two constants") };
        assert!((first.mean - 20.0).abs() < first.margin, "{first:?}");
        assert!(second.mean.abs() < second.margin && second.margin < 6.0, "{second:?}");
    }

    #[test]
    fn an_interrupted_tuning_ends_like_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spsa.json");
        let mut whole = state(100);
        play(&mut whole, 100);
        let mut half = state(100);
        play(&mut half, 37);
        half.save(&path).unwrap();
        let mut resumed = State::open(&path, settings(100)).unwrap();
        assert_eq!(resumed, half);
        play(&mut resumed, 63);
        assert_eq!(resumed, whole);
        let mut others = settings(100);
        others.start[0].1 = 90.0;
        assert_eq!(State::open(&path, others).unwrap(), half, "shipped values may change");
        let refused = State::open(&path, settings(99)).unwrap_err().to_string();
        assert!(refused.contains("another tuning (rounds: 100 there, 99 here)"), "{refused}");
        let mut fewer = settings(100);
        fewer.start.pop();
        let refused = State::open(&path, fewer).unwrap_err().to_string();
        assert!(refused.contains("(start: 2 of them there, 1 here)"), "{refused}");
        std::fs::write(&path, "{}").unwrap();
        assert!(State::open(&path, settings(100)).is_err());
    }

    #[test]
    fn values_stay_within_their_bounds() {
        let mut state = state(10);
        for _ in 0..10 {
            state.update(1_000_000);
            for (value, info) in state.values().iter().zip(state.infos()) {
                let bounds = [info.min, info.max].map(f64::from);
                assert!(bounds.contains(value), "{} {value}", info.name);
            }
        }
    }

    #[test]
    fn the_source_gets_the_values() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/search/params.rs");
        let text = std::fs::read_to_string(source).unwrap();
        let all: Vec<_> = Params::INFO.iter().map(|info| (info.name, info.default)).collect();
        assert_eq!(rewrite(&text, &all).unwrap(), text);
        let changed = rewrite(&text, &[("rfp_margin", 71)]).unwrap();
        assert!(changed.contains("    rfp_margin: 71, 20..=160, 8;"));
        assert!(rewrite(&text, &[("nothing", 1)]).is_err());
    }
}
