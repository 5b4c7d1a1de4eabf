//! `hanxin sprt`: where a sequential test stands, and how often such tests err.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::arena::stats::{Model, Simulated, Simulation, Sprt, SprtState, Tally};
use crate::util::text_table;

use super::Failure;

/// Show where a sequential probability ratio test stands, or simulate many to
/// see how often they err and how long they take.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hanxin sprt --games 600,480,500 --elo0 0 --elo1 5
  hanxin sprt --simulate 1000 --elo1 20 --elo 0,10,20")]
pub struct Arguments {
    /// The difference in Elo of the hypothesis H0.
    #[arg(long, default_value_t = 0.0)]
    elo0: f64,
    /// The difference in Elo of the hypothesis H1.
    #[arg(long, default_value_t = 5.0)]
    elo1: f64,
    /// How probable it may be that H1 is accepted wrongly.
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// How probable it may be that H0 is accepted wrongly.
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// The scale of Elo: logistic or normalised.
    #[arg(long, default_value_t = Model::Logistic)]
    model: Model,
    /// Games won, lost and drawn, such as 120,100,180.
    #[arg(long, value_name = "W,L,D", value_parser = counts::<3>, conflicts_with = "pairs")]
    games: Option<[u64; 3]>,
    /// Pairs of games in which 0, 1/2, 1, 3/2 and 2 points were made, such as
    /// 3,40,90,50,7.
    #[arg(long, value_name = "LIST", value_parser = counts::<5>)]
    pairs: Option<[u64; 5]>,
    /// Simulate so many tests for each true difference.
    #[arg(long, value_name = "TESTS", conflicts_with_all = ["games", "pairs"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    simulate: Option<u64>,
    /// True differences to simulate; those of the hypotheses if there is none.
    #[arg(long, value_delimiter = ',', requires = "simulate")]
    elo: Vec<f64>,
    /// How many of the simulated games are drawn, 0 to 1.
    #[arg(long, default_value_t = 0.4, requires = "simulate")]
    draw_rate: f64,
    /// How much more one colour scores than the other one in a simulated
    /// opening, 0 to 1.
    #[arg(long, default_value_t = 0.2, requires = "simulate")]
    bias: f64,
    /// Determines the simulated games.
    #[arg(long, default_value_t = 1, requires = "simulate")]
    seed: u64,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Where a test stands, as JSON.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    state: SprtState,
    #[serde(flatten)]
    tally: Value,
}

fn counts<const N: usize>(text: &str) -> Result<[u64; N], Failure> {
    // few enough for sums and products to stay exact
    let number = |part: &str| part.trim().parse().ok().filter(|&count| count < 1 << 40);
    let numbers: Option<Vec<u64>> = text.split(',').map(number).collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    let fault = || Failure::Invalid(format!("want {N} counts with commas between them"));
    numbers.ok_or_else(fault)
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let Arguments { elo0, elo1, alpha, beta, model, .. } = self;
        let sprt = Sprt::new(elo0, elo1, alpha, beta, model).map_err(Failure::invalid)?;
        match self.simulate {
            Some(tests) => self.simulate(&sprt, tests, out),
            None => self.report(&sprt, out),
        }
    }

    /// Shows where the test of the given results stands.
    fn report(&self, sprt: &Sprt, out: &mut impl Write) -> Result<(), Failure> {
        let tally = match (self.games, self.pairs) {
            (Some([wins, losses, draws]), _) => Tally::of_games(wins, draws, losses),
            (None, Some(pairs)) => Tally::of_pairs(pairs),
            (None, None) => Tally::default(),
        };
        let state = sprt.state(&tally);
        // a pair of one point may be two draws, or a win and a loss
        let are_games_known = self.pairs.is_none();
        if self.json {
            let mut counts = tally.to_json();
            if !are_games_known {
                for key in ["wins", "draws", "losses", "draw_rate"] {
                    counts[key] = Value::Null;
                }
            }
            return Ok(writeln!(out, "{:#}", json!(Answer { tally: counts, state }))?);
        }
        if tally.games() > 0 {
            let line = if are_games_known { tally.elo_line() } else { tally.elo_text() };
            writeln!(out, "{line}")?;
        }
        if let Some(line) = tally.pairs_line() {
            writeln!(out, "{line}")?;
        }
        Ok(writeln!(out, "{state}")?)
    }

    fn simulate(&self, sprt: &Sprt, tests: u64, out: &mut impl Write) -> Result<(), Failure> {
        let Arguments { draw_rate, bias, model, seed, .. } = *self;
        let differences =
            if self.elo.is_empty() { sprt.hypotheses().to_vec() } else { self.elo.clone() };
        let mut results = Vec::new();
        for elo in differences {
            let players = Simulation { elo, model, draw_rate, bias };
            results.push((elo, players.run(sprt, tests, seed).map_err(Failure::invalid)?));
        }
        if self.json {
            let values: Vec<Value> = results.iter().map(|(elo, it)| to_json(*elo, it)).collect();
            return Ok(writeln!(out, "{:#}", json!(values))?);
        }
        let titles = ["true Elo", "tests", "H0 accepted", "H1 accepted", "games each"];
        let rows = results.iter().map(|(elo, simulated)| to_row(*elo, simulated));
        let rows = std::iter::once(titles.map(str::to_owned).to_vec()).chain(rows);
        Ok(writeln!(out, "{}", text_table(rows))?)
    }
}

fn tests(simulated: &Simulated) -> f64 {
    (simulated.accepted_h0 + simulated.accepted_h1).max(1) as f64
}

fn to_row(elo: f64, simulated: &Simulated) -> Vec<String> {
    let tests = tests(simulated);
    let [h0, h1] = [simulated.accepted_h0, simulated.accepted_h1]
        .map(|accepted| 100.0 * accepted as f64 / tests);
    let games = 2.0 * simulated.pairs as f64 / tests;
    let percent = |part: f64| format!("{part:.2} %");
    vec![elo.to_string(), tests.to_string(), percent(h0), percent(h1), format!("{games:.0}")]
}

fn to_json(elo: f64, simulated: &Simulated) -> Value {
    json!({
        "elo": elo,
        "accepted_h0": simulated.accepted_h0,
        "accepted_h1": simulated.accepted_h1,
        "games_each": 2.0 * simulated.pairs as f64 / tests(simulated),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::run;

    #[test]
    fn the_state_of_a_test_is_shown() {
        let text = run("sprt --elo0 0 --elo1 10 --games 600,480,500").unwrap();
        assert!(text.starts_with("Elo difference: 26.4 +/- "), "{text}");
        assert!(text.trim_end().ends_with("H1 was accepted"), "{text}");
        let text = run("sprt --elo0 -5 --elo1 0 --pairs 3,40,90,50,7").unwrap();
        assert!(text.contains("Pairs(0-2): [3, 40, 90, 50, 7]\nSPRT: llr "), "{text}");
        assert!(!text.contains("DrawRatio"), "{text}");
        let json = run("sprt --elo0 -5 --elo1 0 --pairs 3,40,90,50,7 --json").unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!([&json["games"], &json["draws"]], [&json!(380), &Value::Null]);
        let bounds = run("sprt --json").unwrap();
        let json: Value = serde_json::from_str(&bounds).unwrap();
        assert_eq!((&json["llr"], &json["verdict"]), (&json!(0.0), &json!("continue")));
        let json: Value =
            serde_json::from_str(&run("sprt --json --elo1 10 --games 600,480,500").unwrap())
                .unwrap();
        assert_eq!((&json["verdict"], &json["draws"]), (&json!("accept-h1"), &json!(500)));
        assert!(json["los"].as_f64().unwrap() > 0.99 && json["elo"]["value"].is_f64(), "{json}");
    }

    #[test]
    fn simulations_are_shown() {
        let text = run("sprt --elo1 100 --simulate 50").unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        let cells = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        assert_eq!([cells(lines[1]), cells(lines[2])], ["0 50", "100 50"]);
        assert_eq!(lines[0].len(), lines[2].len());
        let json = run("sprt --elo1 100 --simulate 20 --elo 120 --bias 0.1 --json").unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json[0]["games_each"].as_f64().map(|games| games > 10.0), Some(true));
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "sprt --elo0 5 --elo1 5",
            "sprt --alpha 0.7",
            "sprt --games 1,2",
            "sprt --pairs 1,2,3,4,x",
            "sprt --pairs 1,2,3,4,99999999999999999999",
            "sprt --games 1,2,3 --simulate 5",
            "sprt --simulate 5 --draw-rate 1.5",
            "sprt --simulate 0",
            "sprt --model bayes",
        ] {
            assert!(run(line).is_err(), "{line}");
        }
    }
}
