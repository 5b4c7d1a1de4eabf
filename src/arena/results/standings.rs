//! The standings of a match of two, while it is played and after.

use std::collections::HashMap;
use std::fmt;

use serde_json::{Value, json};

use crate::board::Color;

use crate::arena::game::GameRecord;
use crate::arena::stats::{Elo, Model, Points, Sprt, SprtState, Tally, Verdict};

#[derive(Clone, Debug)]
pub struct Standings {
    players: [String; 2],
    tally: Tally,
    /// The first player's games with Red and with Black.
    by_color: [Tally; 2],
    /// The first games of pairs of which the second one is not over yet.
    waiting: HashMap<u32, Points>,
}

impl Standings {
    /// The standings before the first game, from the view of
    /// `first`.
    pub fn new(first: impl Into<String>, second: impl Into<String>) -> Standings {
        Standings {
            players: [first.into(), second.into()],
            tally: Tally::default(),
            by_color: [Tally::default(); 2],
            waiting: HashMap::new(),
        }
    }

    /// Counts a game, in whatever order games end; a game of others changes
    /// nothing.
    pub fn add(&mut self, game: &GameRecord) {
        let [first, second] = &self.players;
        let (Some(points), Some(_)) = (game.points_of(first), game.points_of(second)) else {
            return;
        };
        let color = if game.red == *first { Color::Red } else { Color::Black };
        self.tally.add(points);
        self.by_color[color.index()].add(points);
        match self.waiting.remove(&game.pair) {
            Some(other) => self.tally.complete([other, points]),
            None => {
                self.waiting.insert(game.pair, points);
            }
        }
    }

    /// The engines, the first one being that from whose view all counts.
    pub fn players(&self) -> [&str; 2] {
        self.players.each_ref().map(String::as_str)
    }

    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The first player's games with this colour.
    pub const fn with_color(&self, color: Color) -> &Tally {
        &self.by_color[color.index()]
    }

    /// The first line: `Score of A vs B: 3 - 1 - 2  [0.667] 6`, which is won,
    /// lost, drawn, the mean score and the number of games.
    pub fn score_line(&self) -> String {
        let [first, second] = &self.players;
        format!("Score of {first} vs {second}: {}", self.tally.score_text())
    }

    /// All that the lines say, as JSON; `null` for what cannot be said yet.
    pub fn to_json(&self, sprt: Option<&Sprt>) -> Value {
        let mut json = self.tally.to_json();
        json["players"] = json!(self.players);
        json["sprt"] = json!(sprt.map(|sprt| sprt.state(&self.tally)));
        json
    }

    /// The lines as one text, for a match with or without a test.
    pub fn with_sprt<'a>(&'a self, sprt: Option<&'a Sprt>) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            writeln!(f, "{}", self.score_line())?;
            for (color, name) in [(Color::Red, "Red"), (Color::Black, "Black")] {
                let [first, _] = &self.players;
                let score = self.with_color(color).score_text();
                writeln!(f, "...      {first} playing {name}: {score}")?;
            }
            write!(f, "{}", self.tally.elo_line())?;
            if let Some(line) = self.tally.pairs_line() {
                write!(f, "\n{line}")?;
            }
            if let Some(sprt) = sprt {
                write!(f, "\n{}", sprt.state(&self.tally))?;
            }
            Ok(())
        })
    }
}

impl Tally {
    /// The counts and what follows from them, as JSON; `null` for what cannot be
    /// said yet.
    pub fn to_json(&self) -> Value {
        json!({
            "games": self.games(),
            "wins": self.wins(),
            "draws": self.draws(),
            "losses": self.losses(),
            "pairs": self.pairs(),
            "points": self.points(),
            "draw_rate": self.draw_rate(),
            "los": self.los(),
            "elo": Elo::of(self, Model::Logistic),
            "normalised_elo": Elo::of(self, Model::Normalised),
        })
    }

    /// `3 - 1 - 2  [0.667] 6`: won, lost, drawn, the mean score and the number
    /// of games.
    pub fn score_text(&self) -> String {
        let [wins, losses, draws, games] = [self.wins(), self.losses(), self.draws(), self.games()];
        let mean = if games == 0 { 0.5 } else { self.points() / games as f64 };
        format!("{wins} - {losses} - {draws}  [{mean:.3}] {games}")
    }

    /// `Elo difference: 35.2 +/- 20.1, LOS: 99.9 %`. The error is half the
    /// interval of 95 %.
    pub fn elo_text(&self) -> String {
        format!("Elo difference: {}, LOS: {:.1} %", elo(self, Model::Logistic), 100.0 * self.los())
    }

    /// The same with `, DrawRatio: 40.0 %`.
    pub fn elo_line(&self) -> String {
        format!("{}, DrawRatio: {:.1} %", self.elo_text(), 100.0 * self.draw_rate())
    }

    /// `Normalised Elo: 50.3 +/- 28.0, Pairs(0-2): [1, 5, 20, 9, 2]`; `None`
    /// before the first pair is complete.
    pub fn pairs_line(&self) -> Option<String> {
        let pairs = self.pairs();
        let elo = elo(self, Model::Normalised);
        (pairs != [0; 5]).then(|| format!("Normalised Elo: {elo}, Pairs(0-2): {pairs:?}"))
    }
}

/// `35.2 +/- 20.1`, or `not known yet`.
fn elo(tally: &Tally, model: Model) -> String {
    match Elo::of(tally, model) {
        Some(elo) if elo.error().is_finite() => format!("{:.1} +/- {:.1}", elo.value, elo.error()),
        Some(elo) => format!("{:.1} +/- inf", elo.value),
        None => "not known yet".into(),
    }
}

impl fmt::Display for SprtState {
    /// `SPRT: llr 1.52 (51.6%), lbound -2.94, ubound 2.94`, and the verdict
    /// when there is one; the percentage is the part of the way to the bound.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SprtState { llr, lower, upper, verdict } = self;
        let way = 100.0 * llr / if *llr < 0.0 { -lower } else { *upper };
        write!(f, "SPRT: llr {llr:.3} ({way:.1}%), lbound {lower:.2}, ubound {upper:.2}")?;
        match verdict {
            Verdict::Continue => Ok(()),
            Verdict::AcceptH0 => f.write_str(" - H0 was accepted"),
            Verdict::AcceptH1 => f.write_str(" - H1 was accepted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game::{GameResult, example as game};

    /// A game of a pair, "first" having Red in even ones.
    fn played(number: u32, result: GameResult) -> GameRecord {
        let mut record = GameRecord { number, pair: number / 2, result, ..game() };
        if number % 2 == 1 {
            std::mem::swap(&mut record.red, &mut record.black);
        }
        record
    }

    fn standings() -> Standings {
        use GameResult::{BlackWins, Draw, RedWins};
        let mut standing = Standings::new("first", "second");
        // pairs: 2, 1.5, 0.5 and half a pair; the order of a pair does not matter
        for (number, result) in [
            (0, RedWins),
            (3, Draw),
            (1, BlackWins),
            (2, RedWins),
            (4, BlackWins),
            (5, Draw),
            (6, Draw),
        ] {
            standing.add(&played(number, result));
        }
        standing
    }

    #[test]
    fn games_are_seen_from_the_first_player() {
        let standing = standings();
        let tally = standing.tally();
        assert_eq!([tally.wins(), tally.draws(), tally.losses()], [3, 3, 1]);
        assert_eq!(tally.pairs(), [0, 1, 0, 1, 1]);
        let red = standing.with_color(Color::Red);
        assert_eq!([red.wins(), red.draws(), red.losses()], [2, 1, 1]);
        let game = played(1, GameResult::RedWins);
        assert_eq!(game.points_of("second"), Some(Points::Win));
        assert_eq!(game.points_of("first"), Some(Points::Loss));
        assert_eq!(game.points_of("third"), None);
    }

    #[test]
    fn games_of_others_do_not_count() {
        let mut standing = standings();
        let before = *standing.tally();
        standing.add(&GameRecord { red: "third".into(), ..game() });
        assert_eq!(*standing.tally(), before);
    }

    #[test]
    fn lines_are_those_that_users_know() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Logistic).unwrap();
        let standing = standings();
        let text = standing.with_sprt(Some(&sprt)).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Score of first vs second: 3 - 1 - 3  [0.643] 7");
        assert_eq!(lines[1], "...      first playing Red: 2 - 1 - 1  [0.625] 4");
        assert_eq!(lines[2], "...      first playing Black: 1 - 0 - 2  [0.667] 3");
        assert!(lines[3].starts_with("Elo difference: 120.4 +/- "), "{text}");
        assert!(lines[3].ends_with("%, DrawRatio: 42.9 %"), "{text}");
        assert!(lines[4].ends_with("Pairs(0-2): [0, 1, 0, 1, 1]"), "{text}");
        assert!(lines[5].starts_with("SPRT: llr 0.0"), "{text}");
        assert!(lines[5].ends_with("%), lbound -2.94, ubound 2.94"), "{text}");
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn nothing_is_said_before_it_is_known() {
        let standing = Standings::new("a", "b");
        let text = standing.with_sprt(None).to_string();
        assert!(text.starts_with("Score of a vs b: 0 - 0 - 0  [0.500] 0\n"), "{text}");
        assert!(text.ends_with("Elo difference: not known yet, LOS: 50.0 %, DrawRatio: 0.0 %"));
        let json = standing.to_json(None);
        assert!(json["elo"].is_null() && json["sprt"].is_null());
    }

    #[test]
    fn verdicts_are_told() {
        let state = |llr, verdict| SprtState { llr, lower: -2.0, upper: 4.0, verdict };
        let text = state(4.0, Verdict::AcceptH1).to_string();
        assert_eq!(text, "SPRT: llr 4.000 (100.0%), lbound -2.00, ubound 4.00 - H1 was accepted");
        let text = state(-1.0, Verdict::Continue).to_string();
        assert_eq!(text, "SPRT: llr -1.000 (-50.0%), lbound -2.00, ubound 4.00");
        assert!(state(-2.5, Verdict::AcceptH0).to_string().ends_with("H0 was accepted"));
    }

    #[test]
    fn json_has_the_same_figures() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Logistic).unwrap();
        let json = standings().to_json(Some(&sprt));
        assert_eq!(json["players"], json!(["first", "second"]));
        assert_eq!((&json["wins"], &json["games"]), (&json!(3), &json!(7)));
        assert_eq!(json["pairs"], json!([0, 1, 0, 1, 1]));
        assert!(json["elo"]["value"].as_f64().unwrap() > 100.0);
        assert_eq!(json["sprt"]["verdict"], "continue");
    }
}
