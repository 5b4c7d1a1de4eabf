//! A match as one HTML file that needs nothing else, neither network nor
//! server: tables, plots, and every game on a board to be played through.
//!
//! The file is a fixed page with a fixed script, which builds all tables from
//! data that stand in the page as JSON; only the plots are drawn here. So
//! nothing that an engine or a file has said becomes part of the page's own
//! text. A game takes about 2 kB, which leaves files of thousands of games
//! usable.

mod data;
mod plot;

use std::ops::Range;
use std::path::Path;

use serde_json::{Value, json};

use crate::util::{OutputError, write_whole};

use super::chart::PlotError;
use super::game::GameRecord;
use super::results::Summary;
use super::stats::{Elo, Model, Sprt};
use data::Games;

/// A report in the making: games are added as they end.
#[derive(Debug)]
pub struct Report {
    title: String,
    summary: Summary,
    outcome: Option<String>,
    games: Games,
    progress: Vec<Checkpoint>,
    next_checkpoint: u64,
}

/// An estimate with its interval of 95 %.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

/// Where the match stood after some games.
#[derive(Clone, PartialEq, Debug)]
struct Checkpoint {
    games: u64,
    /// The difference between two engines, or the rating of each of more.
    elo: Vec<Interval>,
    /// What the first of two has made of a game.
    score: Option<Interval>,
    llr: Option<f64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot draw a plot of the report: {0}")]
    Plot(#[from] PlotError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// The page; marks in comments say where the rest goes.
const PAGE: &str = include_str!("page.html");
/// How all pages look.
pub(crate) const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

impl Report {
    /// A report without games, of engines in this order; the test is about the
    /// first one against the second one.
    pub fn new<Name: AsRef<str>>(
        title: impl Into<String>,
        engines: impl IntoIterator<Item = Name>,
        sprt: Option<Sprt>,
    ) -> Report {
        Report {
            title: title.into(),
            summary: Summary::new(engines, sprt),
            outcome: None,
            games: Games::default(),
            progress: Vec::new(),
            next_checkpoint: 1,
        }
    }

    /// Adds a game. Games are to be added in the order in which they ended,
    /// which is that of the plots.
    pub fn add(&mut self, game: &GameRecord) {
        self.summary.add(game);
        self.games.add(game);
        if self.summary.games() >= self.next_checkpoint {
            self.progress.push(self.checkpoint());
            // about 300 points for 10,000 games
            self.next_checkpoint = self.summary.games() + 1 + self.summary.games() / 40;
        }
    }

    /// What the tournament has decided beside the results, in words.
    pub fn set_outcome(&mut self, outcome: Option<String>) {
        self.outcome = outcome;
    }

    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    fn checkpoint(&self) -> Checkpoint {
        let duel = self.summary.duel().map(|standing| *standing.tally());
        let elo = match duel {
            Some(tally) => {
                let elo = Elo::of(&tally, Model::Logistic);
                let elo = elo.map(|Elo { value, low, high }| Interval { value, low, high });
                elo.into_iter().filter(|elo| elo.low.is_finite() && elo.high.is_finite()).collect()
            }
            None => self.rated(),
        };
        let score = duel.map(|tally| {
            let Range { start: low, end: high } = tally.score_interval();
            Interval { value: tally.points() / tally.games().max(1) as f64, low, high }
        });
        let llr = self.summary.sprt().zip(duel).map(|(sprt, tally)| sprt.llr(&tally));
        Checkpoint { games: self.summary.games(), elo, score, llr }
    }

    fn rated(&self) -> Vec<Interval> {
        let ratings = self.summary.ratings();
        let interval = |engine| {
            let (value, error) = (ratings.elo(engine), ratings.error(engine));
            Interval { value, low: value - error, high: value + error }
        };
        (0..self.summary.engines().len()).map(interval).collect()
    }

    /// The page as text.
    ///
    /// # Errors
    /// When a plot cannot be drawn.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let mut progress = self.progress.clone();
        if progress.last().is_some_and(|last| last.games < self.summary.games()) {
            progress.push(self.checkpoint());
        }
        let plots = plot::all(&progress, &self.summary)?;
        // what comes from outside goes last, so that it cannot hold a mark that is still
        // to be replaced; that of the plots the data cannot hold either
        let page = PAGE.replacen("/*STYLE*/", STYLE, 1).replacen("/*SCRIPT*/", SCRIPT, 1);
        let page = page.replacen("/*DATA*/", &harmless(&self.to_json()), 1);
        Ok(page.replacen("<!--PLOTS-->", &plots, 1))
    }

    /// Writes the page.
    ///
    /// # Errors
    /// When a plot cannot be drawn or the file not written.
    pub fn save(&self, path: &Path) -> Result<(), ReportError> {
        let html = self.to_html()?;
        let written = write_whole(path, html.as_bytes());
        Ok(written.map_err(|error| OutputError::Unwritable { path: path.into(), error })?)
    }

    fn to_json(&self) -> Value {
        let duel = self.summary.duel();
        let duel = duel.map(|standing| standing.with_sprt(self.summary.sprt()).to_string());
        let standing = [duel, self.outcome.clone()].into_iter().flatten().collect::<Vec<_>>();
        json!({
            "title": self.title,
            "generator": concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
            "summary": self.summary.to_json(),
            "standing": standing,
            "games": self.games,
        })
    }
}

/// JSON that cannot end the script element that it stands in.
fn harmless(json: &Value) -> String {
    json.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game::example as game;
    use crate::arena::game::{GameResult, PlayedMove};
    use crate::score::Score;

    /// A report of so many games between so many engines.
    fn report(games: u32, engines: usize) -> Report {
        let names: Vec<String> = (0..engines).map(|n| format!("engine {n}")).collect();
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Logistic).unwrap();
        let mut report = Report::new("a match", &names, Some(sprt));
        let mut results =
            [GameResult::RedWins, GameResult::Draw, GameResult::BlackWins].into_iter().cycle();
        for number in 0..games {
            let pair = number / 2;
            let place = pair as usize % engines;
            let mut players = [names[place].clone(), names[(place + 1) % engines].clone()];
            if number % 2 == 1 {
                players.reverse();
            }
            let [red, black] = players;
            let result = results.next().unwrap();
            report.add(&GameRecord { number, pair, red, black, result, ..game() });
        }
        report
    }

    #[test]
    fn the_page_is_whole_and_needs_nothing_else() {
        let html = report(40, 2).to_html().unwrap();
        assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
        for mark in ["/*STYLE*/", "/*SCRIPT*/", "/*DATA*/", "<!--PLOTS-->"] {
            assert!(!html.contains(mark), "{mark}");
        }
        for outside in ["src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttp"] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert_eq!(html.matches("<svg").count() - PAGE.matches("<svg").count(), 4);
    }

    /// What the page holds for its script.
    fn data(html: &str) -> Value {
        let (_, rest) = html.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
        let (data, _) = rest.split_once("</script>").unwrap();
        serde_json::from_str(data).unwrap()
    }

    #[test]
    fn the_data_can_be_read_back() {
        let mut report = report(40, 3);
        report.set_outcome(Some("a wins the cup".into()));
        let data = data(&report.to_html().unwrap());
        assert_eq!(data["title"], "a match");
        assert_eq!(data["summary"]["engines"].as_array().unwrap().len(), 3);
        assert_eq!(data["games"]["list"].as_array().unwrap().len(), 40);
        assert_eq!(data["standing"], json!(["a wins the cup"]));
    }

    #[test]
    fn nothing_said_by_others_becomes_part_of_the_page() {
        let evil = "</script><img src=x onerror=alert(1)>/*DATA*/<!--PLOTS-->";
        let mut report = Report::new(evil, [evil, "other"], None);
        let record = GameRecord { red: evil.into(), black: "other".into(), ..game() };
        report.add(&GameRecord { reason: evil.into(), opening: Some(evil.into()), ..record });
        let html = report.to_html().unwrap();
        assert!(!html.contains("<img"), "{html}");
        let scripts = PAGE.matches("</script>").count();
        assert_eq!(html.matches("</script>").count(), scripts);
        assert_eq!(data(&html)["title"], evil);
    }

    #[test]
    fn a_match_without_a_draw_or_a_loss_shows_its_score() {
        let plot = |last: GameResult| {
            let mut report = Report::new("a match", ["a", "b"], None);
            for number in 0..20 {
                let mut names = ["a", "b"].map(str::to_owned);
                let result = match number {
                    19 => last,
                    _ if number % 2 == 1 => GameResult::BlackWins,
                    _ => GameResult::RedWins,
                };
                if number % 2 == 1 {
                    names.reverse();
                }
                let [red, black] = names;
                report.add(&GameRecord { number, pair: number / 2, red, black, result, ..game() });
            }
            report.to_html().unwrap()
        };
        let won = plot(GameResult::BlackWins);
        assert!(won.contains("Score of a over b") && !won.contains("Elo of a over b"));
        let html = report(40, 2).to_html().unwrap();
        assert!(html.contains("Elo of engine 0 over") && !html.contains("Score of engine 0 over"));
    }

    #[test]
    fn no_games_and_one_game_make_a_report_too() {
        for games in [0, 1] {
            for engines in [2, 5] {
                assert!(report(games, engines).to_html().is_ok(), "{games} {engines}");
            }
        }
    }

    #[test]
    fn a_thousand_games_stay_small() {
        let mut report = report(0, 2);
        let m = PlayedMove { score: Some(Score::from_centipawns(-123)), ..game().moves[0] };
        let moves = vec![m; 120];
        for number in 0..1_000 {
            let [red, black] = ["engine 0", "engine 1"].map(str::to_owned);
            let record = GameRecord { number, red, black, moves: moves.clone(), ..game() };
            report.add(&record);
        }
        let html = report.to_html().unwrap();
        assert!(html.len() < 3_000_000, "{} bytes", html.len());
        assert!(report.progress.len() < 300);
    }

    #[test]
    fn reports_are_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.html");
        report(4, 2).save(&path).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().contains("a match"));
        let error = report(4, 2).save(&folder.path().join("no/where")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains("where"), "{error}");
    }
}
