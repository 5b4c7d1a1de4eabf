//! What a whole match comes to: who beat whom, how fast the engines were and
//! how games ended.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::board::Color;

use super::rating::{Encounter, Ratings};
use super::standings::Standings;
use crate::arena::game::{GameRecord, PlayedMove, Termination};
use crate::arena::stats::{Points, Sprt, Tally, Verdict};
use crate::util::text_table;

/// The sum of all games of a match; it takes no more room with more games in pairs.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The test that may end a match of two.
    sprt: Option<Sprt>,
    engines: Vec<EngineTotals>,
    /// By the places of both engines, the smaller one first.
    standings: BTreeMap<(usize, usize), Standings>,
    terminations: BTreeMap<Termination, u64>,
    lengths: BTreeMap<usize, u64>,
    /// From Red's view.
    red: Tally,
}

#[derive(Clone, Debug, Default)]
pub struct EngineTotals {
    pub name: String,
    /// Its games against all others; pairs are not counted here.
    pub tally: Tally,
    /// How its games ended: losses, draws and wins by reason.
    pub terminations: BTreeMap<Termination, [u64; 3]>,
    pub moves: u64,
    /// The longest time of a move by the referee's clock.
    pub longest_time: Duration,
    time: Duration,
    /// The sum of the depths of its searches, and how many of them are known.
    depths: (u64, u64),
    /// Nodes and the time they took, of moves of which both are known.
    nodes: (u64, Duration),
}

impl EngineTotals {
    fn new(name: &str) -> EngineTotals {
        EngineTotals { name: name.to_owned(), ..EngineTotals::default() }
    }

    /// Mean depth of its searches, plies; `None` if it never said.
    pub fn mean_depth(&self) -> Option<f64> {
        let (sum, count) = self.depths;
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// Nodes per second; `None` if it never said how many it searched.
    pub fn nodes_per_second(&self) -> Option<f64> {
        let (nodes, time) = self.nodes;
        (!time.is_zero()).then(|| nodes as f64 / time.as_secs_f64())
    }

    /// Mean time of a move by the referee's clock; `None` without moves.
    pub fn mean_time(&self) -> Option<Duration> {
        (self.moves > 0).then(|| self.time.div_f64(self.moves as f64))
    }

    /// Games lost because the program failed.
    pub fn failures(&self) -> u64 {
        let failures = self.terminations.iter().filter(|(reason, _)| reason.is_failure());
        failures.map(|(_, [losses, ..])| losses).sum()
    }

    fn add_game(&mut self, points: Points, termination: Termination) {
        self.tally.add(points);
        self.terminations.entry(termination).or_default()[points as usize] += 1;
    }

    fn add_move(&mut self, played: &PlayedMove) {
        if played.from_book {
            return;
        }
        self.moves += 1;
        self.time += played.time;
        self.longest_time = self.longest_time.max(played.time);
        if played.depth > 0 {
            self.depths.0 += u64::from(played.depth);
            self.depths.1 += 1;
        }
        if played.nodes > 0 {
            self.nodes.0 = self.nodes.0.saturating_add(played.nodes);
            self.nodes.1 += played.time;
        }
    }
}

impl Summary {
    /// The summary of no games, of engines in this order. Others that play are
    /// added at the end. A test is about the first engine against the second.
    pub fn new<Name: AsRef<str>>(
        engines: impl IntoIterator<Item = Name>,
        sprt: Option<Sprt>,
    ) -> Summary {
        let engines = engines.into_iter().map(|name| EngineTotals::new(name.as_ref())).collect();
        Summary { engines, sprt, ..Summary::default() }
    }

    pub fn add(&mut self, game: &GameRecord) {
        let players = Color::ALL.map(|color| self.place(game.player(color)));
        for (color, place) in Color::ALL.into_iter().zip(players) {
            if let Some(points) = game.points_of(game.player(color)) {
                self.engines[place].add_game(points, game.termination);
            }
        }
        // who moves first alternates with the plies
        let red_begins = game.start_fen.split_ascii_whitespace().nth(1) != Some("b");
        let order = if red_begins { players } else { [players[1], players[0]] };
        for (played, place) in game.moves.iter().zip(order.into_iter().cycle()) {
            self.engines[place].add_move(played);
        }
        let [first, second] = [players[0].min(players[1]), players[0].max(players[1])];
        let names = [first, second].map(|place| self.engines[place].name.clone());
        let [first_name, second_name] = names;
        let new = || Standings::new(first_name, second_name);
        self.standings.entry((first, second)).or_insert_with(new).add(game);
        self.red.extend(game.points_of(&game.red));
        *self.terminations.entry(game.termination).or_default() += 1;
        *self.lengths.entry(game.moves.len()).or_default() += 1;
    }

    fn place(&mut self, name: &str) -> usize {
        let known = self.engines.iter().position(|engine| engine.name == name);
        known.unwrap_or_else(|| {
            self.engines.push(EngineTotals::new(name));
            self.engines.len() - 1
        })
    }

    /// The engines, in the order in which they were named.
    pub fn engines(&self) -> &[EngineTotals] {
        &self.engines
    }

    pub fn games(&self) -> u64 {
        self.red.games()
    }

    pub const fn red(&self) -> &Tally {
        &self.red
    }

    pub const fn terminations(&self) -> &BTreeMap<Termination, u64> {
        &self.terminations
    }

    pub const fn lengths(&self) -> &BTreeMap<usize, u64> {
        &self.lengths
    }

    /// The standings between two engines that have met, from the view of the
    /// one named earlier; the order of the arguments does not matter.
    pub fn standings(&self, one: usize, other: usize) -> Option<&Standings> {
        self.standings.get(&(one.min(other), one.max(other)))
    }

    pub const fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    pub fn is_decided(&self) -> bool {
        let test = self.sprt.zip(self.duel());
        test.is_some_and(|(sprt, standings)| {
            sprt.state(standings.tally()).verdict != Verdict::Continue
        })
    }

    /// The standings in a few lines: of a match of two as users of other match
    /// runners know them, otherwise the whole summary.
    pub fn standings_text(&self) -> String {
        match self.duel() {
            Some(standings) => standings.with_sprt(self.sprt()).to_string(),
            None => self.to_string().trim_end().to_owned(),
        }
    }

    /// The standings in a part of a line; nothing for more than two engines.
    pub fn brief(&self) -> String {
        let Some(tally) = self.duel().map(Standings::tally) else {
            return String::new();
        };
        let counts = format!("+{} ={} -{}", tally.wins(), tally.draws(), tally.losses());
        match &self.sprt {
            Some(sprt) => format!("{counts}  {}", sprt.state(tally)),
            None => counts,
        }
    }

    /// The standings between the engines if they are two.
    pub fn duel(&self) -> Option<&Standings> {
        if self.engines.len() == 2 { self.standings(0, 1) } else { None }
    }

    /// The likeliest ratings of the engines, numbered as they are here.
    pub fn ratings(&self) -> Ratings {
        let encounter = |(&(first, second), standing): (&(usize, usize), &Standings)| Encounter {
            first,
            second,
            tally: *standing.tally(),
        };
        let encounters: Vec<Encounter> = self.standings.iter().map(encounter).collect();
        Ratings::of(self.engines.len(), &encounters)
    }

    /// Wins, draws and losses of one engine against another one.
    pub fn score(&self, one: usize, other: usize) -> Option<[u64; 3]> {
        let tally = self.standings(one, other)?.tally();
        let [first, second] = [tally.wins(), tally.losses()];
        let [wins, losses] = if one <= other { [first, second] } else { [second, first] };
        Some([wins, tally.draws(), losses])
    }

    /// Everything, as JSON; engines are in the order of their ratings.
    pub fn to_json(&self) -> Value {
        let ratings = self.ratings();
        let order = ratings.order();
        let engine = |&place: &usize| engine_to_json(&self.engines[place], place, &ratings);
        let cross = |&one: &usize| -> Vec<Option<[u64; 3]>> {
            order.iter().map(|&other| self.score(one, other)).collect()
        };
        json!({
            "games": self.games(),
            "engines": order.iter().map(engine).collect::<Vec<_>>(),
            "groups": ratings.groups(),
            "cross_table": order.iter().map(cross).collect::<Vec<_>>(),
            "red": [self.red.wins(), self.red.draws(), self.red.losses()],
            "terminations": self.terminations,
            "lengths": self.lengths,
        })
    }
}

fn engine_to_json(engine: &EngineTotals, place: usize, ratings: &Ratings) -> Value {
    let tally = &engine.tally;
    json!({
        "name": engine.name,
        "elo": ratings.elo(place),
        "error": ratings.error(place),
        "games": tally.games(),
        "wins": tally.wins(),
        "draws": tally.draws(),
        "losses": tally.losses(),
        "points": tally.points(),
        "moves": engine.moves,
        "mean_depth": engine.mean_depth(),
        "nodes_per_second": engine.nodes_per_second(),
        "mean_time_ms": engine.mean_time().map(|time| time.as_secs_f64() * 1e3),
        "longest_time_ms": engine.longest_time.as_secs_f64() * 1e3,
        "failures": engine.failures(),
        // losses, draws, wins
        "terminations": engine.terminations,
    })
}

impl fmt::Display for Summary {
    /// The ratings, the cross table, and how games ended.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratings = self.ratings();
        let order = ratings.order();
        writeln!(f, "{}", text_table(self.rating_rows(&ratings, &order)))?;
        if ratings.groups() > 1 {
            writeln!(
                f,
                "The results do not tie all engines together ({} groups), so each has been given \
                 a drawn game with an average engine.",
                ratings.groups()
            )?;
        }
        if order.len() > 2 {
            writeln!(f, "\n{}", text_table(self.cross_rows(&order)))?;
        }
        let rows = self.terminations.iter();
        let rows = rows.map(|(reason, count)| vec![reason.to_string(), count.to_string()]);
        writeln!(f, "\n{}", text_table(rows))
    }
}

impl Summary {
    fn rating_rows(&self, ratings: &Ratings, order: &[usize]) -> Vec<Vec<String>> {
        let header = [
            "Engine", "Rank", "Elo", "+/-", "Games", "Points", "%", "Draws", "LOS", "Depth",
            "kn/s", "ms/move", "Failures",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (rank, &place) in order.iter().enumerate() {
            let engine = &self.engines[place];
            let games = engine.tally.games().max(1) as f64;
            let known =
                |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.1}"));
            // how surely it is ahead of the next one
            let los = order.get(rank + 1).map(|&next| 100.0 * ratings.los(place, next));
            rows.push(vec![
                engine.name.clone(),
                (rank + 1).to_string(),
                format!("{:.1}", ratings.elo(place)),
                format!("{:.1}", ratings.error(place)),
                engine.tally.games().to_string(),
                format!("{:.1}", engine.tally.points()),
                format!("{:.1}", 100.0 * engine.tally.points() / games),
                format!("{:.1}", 100.0 * engine.tally.draw_rate()),
                known(los),
                known(engine.mean_depth()),
                known(engine.nodes_per_second().map(|nps| nps / 1e3)),
                known(engine.mean_time().map(|time| time.as_secs_f64() * 1e3)),
                engine.failures().to_string(),
            ]);
        }
        rows
    }

    fn cross_rows(&self, order: &[usize]) -> Vec<Vec<String>> {
        let mut rows = vec![vec![String::new()]];
        rows[0].extend((1..=order.len()).map(|rank| rank.to_string()));
        for (rank, &one) in (1..).zip(order) {
            let mut row = vec![format!("{rank} {}", self.engines[one].name)];
            row.extend(order.iter().map(|&other| match self.score(one, other) {
                Some([wins, draws, losses]) => format!("+{wins} ={draws} -{losses}"),
                None => "·".into(),
            }));
            rows.push(row);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game::{GameResult, example as game};

    fn played(red: &str, black: &str, result: GameResult) -> GameRecord {
        GameRecord { red: red.into(), black: black.into(), result, ..game() }
    }

    fn summary() -> Summary {
        use GameResult::{BlackWins, Draw, RedWins};
        let mut summary = Summary::new(["b", "a"], None);
        for (pair, (red, black, result)) in (0..).zip([
            ("a", "b", RedWins),
            ("b", "a", RedWins),
            ("a", "b", Draw),
            ("a", "c", BlackWins),
            ("c", "a", Draw),
        ]) {
            summary.add(&GameRecord { pair, ..played(red, black, result) });
        }
        summary
    }

    #[test]
    fn everybody_against_everybody() {
        let summary = summary();
        let names: Vec<&str> =
            summary.engines().iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        assert_eq!(summary.score(0, 1), Some([1, 1, 1]));
        assert_eq!(summary.score(1, 2), Some([0, 1, 1]));
        assert_eq!(summary.score(2, 1), Some([1, 1, 0]));
        assert_eq!(summary.score(0, 2), None);
        assert_eq!((summary.games(), summary.red().wins(), summary.red().losses()), (5, 2, 1));
        assert!(summary.duel().is_none() && summary.brief().is_empty());
        assert_eq!(summary.ratings().order()[0], 2);
        assert_eq!(summary.lengths(), &BTreeMap::from([(3, 5)]));
    }

    #[test]
    fn moves_are_those_of_the_mover() {
        let mut summary = Summary::new(["first", "second"], None);
        let mut record = game();
        record.moves[0].from_book = true;
        record.moves[1].depth = 20;
        record.moves[1].time = Duration::from_millis(100);
        record.moves[2].nodes = 0;
        summary.add(&record);
        let [first, second] = summary.engines() else { panic!() };
        // only the third ply, of which the nodes are not known
        assert_eq!((first.moves, first.mean_depth()), (1, Some(12.0)));
        assert_eq!(first.nodes_per_second(), None);
        assert_eq!((second.moves, second.mean_depth()), (1, Some(20.0)));
        assert_eq!(second.nodes_per_second(), Some(400_000.0));
        assert_eq!(second.mean_time(), Some(Duration::from_millis(100)));
        assert_eq!(second.longest_time, Duration::from_millis(100));
        // lost on time
        assert_eq!((first.failures(), second.failures()), (0, 1));

        record.start_fen = record.start_fen.replace(" w ", " b ");
        summary.add(&record);
        assert_eq!(summary.engines()[0].moves, 2);
        assert_eq!(summary.engines()[0].longest_time, Duration::from_millis(100));
    }

    #[test]
    fn the_text_has_a_line_for_each_engine() {
        let text = summary().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("Engine  Rank") && lines[0].ends_with("Failures"), "{text}");
        assert!(lines[1].starts_with("c          1"), "{text}");
        assert_eq!(lines[5], "            1         2         3", "{text}");
        assert!(text.contains("\n1 c         ·"), "{text}");
        assert!(text.ends_with("\n\ntime-forfeit  5\n"), "{text}");
    }

    #[test]
    fn engines_that_cannot_be_compared_are_told() {
        let mut summary = Summary::default();
        summary.add(&played("a", "b", GameResult::RedWins));
        assert!(summary.to_string().contains("(2 groups)"), "{summary}");
    }

    #[test]
    fn json_is_in_the_order_of_ratings() {
        let json = summary().to_json();
        assert_eq!(json["engines"][0]["name"], "c");
        assert_eq!(json["cross_table"][0][0], Value::Null);
        let places: Vec<&Value> = (0..3).map(|place| &json["engines"][place]["name"]).collect();
        let a = places.iter().position(|name| **name == "a").unwrap();
        assert_eq!(json["cross_table"][0][a], json!([1, 1, 0]));
        assert_eq!(json["terminations"]["time-forfeit"], 5);
        assert_eq!(json["engines"][0]["terminations"]["time-forfeit"], json!([0, 1, 1]));
    }
}
