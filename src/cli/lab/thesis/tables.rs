//! The tables of the thesis with our results beside its own.

use std::fmt;
use std::time::Duration;

use crate::arena::GameRecord;
use crate::board::Color;
use crate::score::Score;

use super::super::report::{Report, Table as Cells, grouped};
use super::Table;
use super::figures::{GAMES, NODES, Nodes, PUZZLES};
use super::step::{Counted, Engine, Found, Laboratory, Step};

/// What has been found, by step.
pub struct Results<'a> {
    steps: &'a [Step],
    found: &'a [Option<Found>],
}

impl<'a> Results<'a> {
    pub fn new(steps: &'a [Step], found: &'a [Option<Found>]) -> Results<'a> {
        Results { steps, found }
    }

    fn of(&self, step: Step) -> Option<&'a Found> {
        let place = self.steps.iter().position(|other| *other == step)?;
        self.found[place].as_ref()
    }

    fn game(&self, step: Step) -> Option<&'a GameRecord> {
        match self.of(step)? {
            Found::Game(record) => Some(record),
            _ => None,
        }
    }
}

/// The report of these tables; `time` is what all steps took.
pub fn report(
    laboratory: &Laboratory<'_>,
    wanted: &[Table],
    results: &Results<'_>,
    time: Duration,
) -> Report {
    let mut report = Report::new("The lab: the lazyboy thesis' experiments again", time);
    report.text(&format!(
        "`lab` is the lab's search with the settings of the thesis (principal variation search, \
         table, iterative and internal deepening, verified null move, quiescence, extensions) and \
         hanxin's classical evaluation; `hanxin` is the engine itself with one thread. The thesis \
         gave its engine 20 s for a move; here a move has {}.",
        laboratory.budget
    ));
    for table in wanted {
        match table {
            Table::Ordering => ordering(&mut report, laboratory, results),
            Table::Killers => killers(&mut report, laboratory, results),
            Table::Midgames => midgames(&mut report, laboratory, results),
            Table::Checks => puzzles(&mut report, laboratory, results, 1),
            Table::Quiet => puzzles(&mut report, laboratory, results, 2),
            Table::Games => games(&mut report, laboratory, results),
        }
    }
    report
}

fn titled(titles: &[&str]) -> Cells {
    vec![titles.iter().map(|&title| title.to_owned()).collect()]
}

fn ordering(report: &mut Report, laboratory: &Laboratory<'_>, results: &Results<'_>) {
    report.heading("Table 2-5: mean nodes of ten midgames, moves ordered or not");
    nodes(
        report,
        laboratory,
        results,
        ("unordered", Counted::Unordered, |thesis| thesis.unordered),
        "ordered",
    );
}

fn killers(report: &mut Report, laboratory: &Laboratory<'_>, results: &Results<'_>) {
    report.heading("Table 2-6: mean nodes of ten midgames, killers before or after captures");
    nodes(
        report,
        laboratory,
        results,
        ("killers first", Counted::KillersFirst, |thesis| thesis.killers_first),
        "killers after",
    );
}

/// The first column of a table of nodes, whose second one is the thesis' order.
type First = (&'static str, Counted, fn(&Nodes) -> u64);

fn nodes(
    report: &mut Report,
    laboratory: &Laboratory<'_>,
    results: &Results<'_>,
    (name, counted, of_thesis): First,
    second: &str,
) {
    report.text(&format!(
        "Nodes are those of a search from the beginning, shallower iterations and quiescence \
         included; > where a search was ended at {} nodes. Percentages are computed from the nodes.",
        grouped(laboratory.nodes as f64)
    ));
    let of_lab = |name: &str| format!("lab: {name}");
    let (first, last) = (of_lab(name), of_lab(second));
    let mut table = titled(&["depth", name, second, "%", &first, &last, "%", "hanxin"]);
    for depth in 1..=laboratory.depth {
        let thesis = NODES.get(depth as usize - 1);
        let thesis = thesis.map(|row| [of_thesis(row) as f64, row.ordered as f64]);
        let means = [counted, Counted::Ordered, Counted::Hanxin]
            .map(|counted| Mean::of(laboratory, results, counted, depth));
        let [first, last, own] = &means;
        let whole = [first, last].map(|mean| mean.as_ref().and_then(Mean::whole));
        let cell = |mean: &Option<Mean>| mean.as_ref().map_or(String::new(), ToString::to_string);
        table.push(vec![
            depth.to_string(),
            thesis.map_or(String::new(), |[first, _]| grouped(first)),
            thesis.map_or(String::new(), |[_, last]| grouped(last)),
            change(thesis),
            cell(first),
            cell(last),
            change(whole[0].zip(whole[1]).map(<[f64; 2]>::from)),
            cell(own),
        ]);
    }
    report.table(table);
}

/// By how many percent the second is more or less than the first.
fn change(pair: Option<[f64; 2]>) -> String {
    pair.map_or(String::new(), |[first, last]| format!("{:+.0}", 100.0 * (last / first - 1.0)))
}

/// A mean over the midgames.
struct Mean {
    nodes: f64,
    /// Whether limits have ended some of the searches.
    is_limited: bool,
}

impl Mean {
    /// The mean at a depth; none if not all midgames are done, or if limits have
    /// ended the searches of all before that.
    fn of(
        laboratory: &Laboratory<'_>,
        results: &Results<'_>,
        counted: Counted,
        depth: u32,
    ) -> Option<Mean> {
        let count = laboratory.midgames.len();
        let searched =
            (0..count).map(|midgame| match results.of(Step::Nodes { counted, midgame })? {
                Found::Nodes(nodes) => Some(nodes.get(depth as usize - 1).copied()),
                _ => None,
            });
        let searched: Vec<Option<u64>> = searched.collect::<Option<_>>()?;
        let is_limited = searched.iter().any(Option::is_none);
        let sum: u64 = searched.iter().map(|nodes| nodes.unwrap_or(laboratory.nodes)).sum();
        let is_there = searched.iter().any(Option::is_some);
        is_there.then(|| Mean { nodes: sum as f64 / count as f64, is_limited })
    }

    fn whole(&self) -> Option<f64> {
        (!self.is_limited).then_some(self.nodes)
    }
}

impl fmt::Display for Mean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_limited { "> " } else { "" }, grouped(self.nodes))
    }
}

fn midgames(report: &mut Report, laboratory: &Laboratory<'_>, results: &Results<'_>) {
    report.heading("Table 3-1: ten midgames");
    report.text(
        "A move in brackets is not the one wanted. The difference is the score of the wanted move, \
         searched alone to the same depth, less that of the move found: in pawns, those of the \
         thesis in its own units, of which a pawn has about 21.",
    );
    let titles = "midgame wanted thesis depth difference lab depth score difference hanxin depth \
                  score difference";
    let mut table = titled(&titles.split(' ').collect::<Vec<_>>());
    let mut columns: [Column; 3] = Default::default();
    for (index, midgame) in laboratory.midgames.iter().enumerate() {
        let expected = midgame.expected.to_string();
        let [thesis, engines @ ..] = &mut columns;
        let mut row = vec![midgame.id.to_string(), expected.clone()];
        row.extend(thesis.cells(&midgame.thesis_move.to_string(), &expected, midgame.thesis_depth));
        row.push(midgame.thesis_difference.to_string());
        for (column, engine) in engines.iter_mut().zip(Engine::ALL) {
            match results.of(Step::Midgame { engine, midgame: index }) {
                Some(Found::Midgame { depth, best, score, wanted, .. }) => {
                    let [score, wanted] = [*score, *wanted].map(Score::from_raw);
                    row.extend(column.cells(best, &expected, *depth));
                    row.extend([score.to_string(), difference(wanted, score)]);
                }
                _ => row.extend([const { String::new() }; 4]),
            }
        }
        table.push(row);
    }
    let mut last = vec!["solved, mean depth".to_owned(), String::new()];
    for (column, after) in columns.iter().zip([1, 2, 2]) {
        last.extend(column.sums());
        last.extend(vec![String::new(); after]);
    }
    table.push(last);
    report.table(table);
}

/// The midgames of one engine, added up.
#[derive(Default)]
struct Column {
    solved: u32,
    searched: u32,
    plies: u32,
}

impl Column {
    /// The cells of a move and of the depth of its search.
    fn cells(&mut self, m: &str, expected: &str, depth: u32) -> [String; 2] {
        let is_solved = m == expected;
        self.solved += u32::from(is_solved);
        self.searched += 1;
        self.plies += depth;
        [if is_solved { m.to_owned() } else { format!("({m})") }, depth.to_string()]
    }

    /// How many are solved, and the mean depth.
    fn sums(&self) -> [String; 2] {
        let mean = f64::from(self.plies) / f64::from(self.searched.max(1));
        [self.solved.to_string(), format!("{mean:.1}")]
    }
}

/// How much more a move is worth than another one, in pawns; the score itself where
/// one of them decides the game.
fn difference(score: Score, other: Score) -> String {
    match score.is_decisive() || other.is_decisive() {
        true if score != other => score.to_string(),
        _ => format!("{:+.2}", f64::from(score - other) / 100.0),
    }
}

fn puzzles(report: &mut Report, laboratory: &Laboratory<'_>, results: &Results<'_>, class: u8) {
    let (number, kind) = match class {
        1 => ("4-1", "solved by checks alone"),
        _ => ("4-2", "that need quiet moves"),
    };
    report.heading(&format!("Table {number}: ten puzzles {kind}"));
    if laboratory.puzzles.is_empty() {
        return report.text("Left out: the positions were not given (--puzzles).");
    }
    let (slow, fast) = (laboratory.budget, laboratory.budget.fast());
    report.text(&format!(
        "Red attacks; the result and the plies of the game. The defender is {} with {slow} a \
         move (slow) and {fast} (fast); that of the thesis was ElephantEye.",
        laboratory.opponent.name
    ));
    let mut table = titled(&[
        "puzzle",
        "name",
        "thesis",
        "lab, slow",
        "lab, fast",
        "hanxin, slow",
        "hanxin, fast",
    ]);
    let mut won = [0; 4];
    let of_class = PUZZLES.iter().enumerate().filter(|(_, puzzle)| puzzle.class == class);
    for (index, puzzle) in of_class.clone() {
        let thesis = format!("{} {}", puzzle.result, puzzle.plies);
        let mut row = vec![puzzle.id.to_string(), puzzle.name.to_owned(), thesis];
        for (place, (engine, is_fast)) in paces().enumerate() {
            let record = results.game(Step::Puzzle { engine, is_fast, puzzle: index });
            let color = laboratory.puzzles[index].side_to_move();
            won[place] += u32::from(record.is_some_and(|record| result(record, color) == "won"));
            row.push(record.map_or(String::new(), |record| {
                format!("{} {}", result(record, color), record.moves.len())
            }));
        }
        table.push(row);
    }
    let of_thesis = of_class.filter(|(_, puzzle)| puzzle.result == "won").count();
    let mut row = vec!["won".to_owned(), String::new(), of_thesis.to_string()];
    row.extend(won.map(|count| count.to_string()));
    table.push(row);
    report.table(table);
}

/// Both engines against the slow and the fast defender.
fn paces() -> impl Iterator<Item = (Engine, bool)> {
    Engine::ALL.into_iter().flat_map(|engine| [(engine, false), (engine, true)])
}

/// What the side of this colour made of a game.
fn result(record: &GameRecord, color: Color) -> &'static str {
    match record.result.winner() {
        None => "drawn",
        Some(winner) if winner == color => "won",
        Some(_) => "lost",
    }
}

fn games(report: &mut Report, laboratory: &Laboratory<'_>, results: &Results<'_>) {
    report.heading("Table 4-3: games against an engine with limited depth");
    report.text(&format!(
        "Games won, drawn and lost against {} at a depth; that of the thesis was ElephantEye. The \
         games begin from openings of the built-in suite, with Red and Black in turns; a game is \
         given up where both sides have seen it lost by 10 pawns for four moves.",
        laboratory.opponent.name
    ));
    let mut table = titled(&["depth", "thesis", "lab", "hanxin"]);
    for (depth, won, lost) in GAMES {
        let mut row = vec![depth.to_string(), format!("+{won} =0 -{lost}")];
        row.extend(Engine::ALL.map(|engine| tally(results, engine, depth)));
        table.push(row);
    }
    report.table(table);
}

/// The games of an engine against a depth, as far as they have been played.
fn tally(results: &Results<'_>, engine: Engine, depth: u32) -> String {
    let mut counts = [0; 3];
    for number in 0.. {
        let step = Step::Game { engine, depth, number };
        if !results.steps.contains(&step) {
            break;
        }
        let Some(record) = results.game(step) else { continue };
        let place = match result(record, step.color()) {
            "won" => 0,
            "drawn" => 1,
            _ => 2,
        };
        counts[place] += 1;
    }
    let [won, drawn, lost] = counts;
    if counts == [0; 3] { String::new() } else { format!("+{won} ={drawn} -{lost}") }
}
