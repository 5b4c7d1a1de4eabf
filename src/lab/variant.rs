//! Variants: settings by name, and the experiment that the lectures ask for, all
//! of them on one position by depth, with the nodes and the time of each.

use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::score::Score;

use super::game::Game;
use super::limits::Limits;
use super::services::Search;
use super::settings::{Algorithm, Driver, Killers, NullMove, Settings, Table};

/// Settings with a name: an algorithm or a driver, then `+` and what is added to
/// it, as often as wanted, in this order: `fail-soft`, `negascout+table+killers`,
/// `negascout+aspiration`. A part that has a figure takes another one after a colon:
/// `aspiration:25`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name.
    pub name: String,
    /// The switches.
    pub settings: Settings,
}

/// Why a text names no variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseVariantError {
    /// It does not begin with an algorithm or a driver.
    #[error("no algorithm '{0}': there are {known}", known = names(&ALGORITHMS))]
    Algorithm(String),
    /// It adds something that is not known.
    #[error("nothing to add that is called '{0}': there are {known}", known = names(&ADDITIONS))]
    Addition(String),
    /// A figure is out of range.
    #[error("'{0}': want a figure from {1} to {MOST} after the colon")]
    Figure(String, i32),
    /// A figure of what has none.
    #[error("'{0}': {1} has no figure")]
    NoFigure(String, &'static str),
}

/// The greatest figure of a part.
const MOST: i32 = 9999;

/// What a name is made of.
struct Part {
    name: &'static str,
    /// The usual figure, where the part has one.
    figure: Option<i32>,
    /// The least figure.
    least: i32,
    /// Changes the settings, by the figure.
    apply: fn(Settings, i32) -> Settings,
}

const fn part(name: &'static str, apply: fn(Settings, i32) -> Settings) -> Part {
    Part { name, figure: None, least: 1, apply }
}

const fn measured(name: &'static str, figure: i32, apply: fn(Settings, i32) -> Settings) -> Part {
    Part { name, figure: Some(figure), least: 1, apply }
}

/// Algorithms and drivers. The usual half width of aspiration windows is half a
/// pawn, as the lectures suggest.
const ALGORITHMS: [Part; 8] = [
    part("minimax", |s, _| Settings { algorithm: Algorithm::Minimax, ..s }),
    part("fail-hard", |s, _| Settings { algorithm: Algorithm::FailHard, ..s }),
    part("fail-soft", |s, _| Settings { algorithm: Algorithm::FailSoft, ..s }),
    part("negascout", |s, _| Settings { algorithm: Algorithm::NegaScout, ..s }),
    measured("aspiration", 50, |s, half_width| Settings {
        driver: Driver::Aspiration { half_width },
        ..s
    }),
    part("bisection", |s, _| Settings { driver: Driver::Bisection, ..s }),
    part("mtd-one-value", |s, _| Settings { driver: Driver::MtdOneValue, ..s }),
    part("mtd-two-bounds", |s, _| Settings { driver: Driver::MtdTwoBounds, ..s }),
];

/// What can be added.
const ADDITIONS: [Part; 17] = [
    part("table", |s, _| with_table(s)),
    part("deeper-entries", |s, _| Settings { table: Table::SameOrDeeper, ..with_table(s) }),
    part("deepening", |s, _| Settings { deepening: true, ..s }),
    part("internal-deepening", |s, _| Settings { internal_deepening: true, ..s }),
    part("captures", |s, _| Settings { order_captures: true, ..s }),
    part("killers", |s, _| Settings { killers: Killers::AfterCaptures, ..s }),
    part("frequent-killers", |s, _| Settings {
        killers: Killers::AfterCaptures,
        frequent_killers: true,
        ..s
    }),
    part("history", |s, _| Settings { history: true, ..s }),
    part("refutations", |s, _| Settings { refutations: true, ..s }),
    part("all", |s, _| with_all(s)),
    part("worst-first", |s, _| Settings { worst_first: true, ..s }),
    part("null-move", |s, _| Settings { null_move: NullMove::Plain, ..s }),
    part("verified-null-move", |s, _| Settings { null_move: NullMove::Verified, ..s }),
    measured("margin", 25, |s, margin| Settings { margin, ..s }),
    measured("secondary", 2, |s, secondary| Settings { secondary, ..s }),
    part("gradual", |s, _| Settings { gradual: true, ..s }),
    Part { least: -MOST, ..measured("shift", 25, |s, shift| Settings { shift, ..s }) },
];

/// The table for scores of the same depth, its move first.
fn with_table(settings: Settings) -> Settings {
    Settings { table: Table::SameDepth, table_move: true, ..settings }
}

/// All that is exact, but for refutations, which a table knows as well.
fn with_all(settings: Settings) -> Settings {
    Settings {
        deepening: true,
        internal_deepening: true,
        order_captures: true,
        killers: Killers::AfterCaptures,
        history: true,
        ..with_table(settings)
    }
}

fn names(parts: &[Part]) -> String {
    let name = |part: &Part| match part.figure {
        Some(figure) => format!("{}:{figure}", part.name),
        None => part.name.to_owned(),
    };
    parts.iter().map(name).collect::<Vec<_>>().join(", ")
}

impl Part {
    /// The part among these of which this is the name, with a figure or without.
    fn find<'a>(parts: &'a [Part], text: &str) -> Option<&'a Part> {
        let name = text.split(':').next();
        parts.iter().find(|part| Some(part.name) == name)
    }

    /// Changes the settings as this text says, which names it.
    fn change(&self, settings: Settings, text: &str) -> Result<Settings, ParseVariantError> {
        let given = text.split_once(':').map(|(_, figure)| figure.parse());
        let figure = match (given, self.figure) {
            (None, usual) => usual.unwrap_or(0),
            (Some(_), None) => return Err(ParseVariantError::NoFigure(text.to_owned(), self.name)),
            (Some(Ok(figure)), Some(_)) if (self.least..=MOST).contains(&figure) => figure,
            _ => return Err(ParseVariantError::Figure(text.to_owned(), self.least)),
        };
        Ok((self.apply)(settings, figure))
    }
}

impl FromStr for Variant {
    type Err = ParseVariantError;

    fn from_str(text: &str) -> Result<Variant, ParseVariantError> {
        use ParseVariantError::Algorithm;
        let mut words = text.split('+');
        let first = words.next().unwrap_or_default();
        let part = Part::find(&ALGORITHMS, first).ok_or_else(|| Algorithm(first.to_owned()))?;
        let settings = words.try_fold(part.change(Settings::default(), first)?, plus)?;
        Ok(Variant { name: text.to_owned(), settings })
    }
}

/// The settings with what a word of a variant adds to them.
pub(super) fn plus(settings: Settings, word: &str) -> Result<Settings, ParseVariantError> {
    // a driver may follow the algorithm that it calls
    let part = Part::find(&ADDITIONS, word).or_else(|| Part::find(&ALGORITHMS, word));
    part.ok_or_else(|| ParseVariantError::Addition(word.to_owned()))?.change(settings, word)
}

/// Those of `hanxin lab compare`: each algorithm and each driver bare, with a
/// table, and with all enhancements that are exact; alpha-beta with single
/// enhancements; those that are inexact, each on top of NegaScout with all that
/// is exact.
pub fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    for added in ["", "+table", "+all"] {
        all.extend(ALGORITHMS.iter().map(|part| format!("{}{added}", part.name)));
    }
    let single = ["captures", "killers", "history", "deepening", "deepening+refutations"];
    all.extend(single.map(|added| format!("fail-soft+{added}")));
    all.push("fail-soft+all+worst-first".to_owned());
    let inexact = ["deeper-entries", "null-move", "verified-null-move", "margin", "secondary"];
    all.extend(inexact.map(|added| format!("negascout+all+{added}")));
    // that every name means something is tested
    all.iter().filter_map(|name| name.parse().ok()).collect()
}

/// One search of one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The depth searched.
    pub depth: u32,
    /// The score of the root.
    pub score: Score,
    /// The best move; empty if there is none.
    pub best: String,
    /// Positions looked at.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

impl Variant {
    /// Searches the game to the depth of `limits` with nothing learnt before;
    /// `None` if another limit ends it.
    pub fn measure<G: Game>(&self, game: G, limits: &Limits) -> Option<Measured> {
        let began = Instant::now();
        let found = Search::new(game, self.settings).run(limits);
        let best = found.best.map_or(String::new(), |m| m.to_string());
        let (depth, score, nodes) = (found.depth, found.score, found.nodes);
        let is_whole = depth == limits.depth.min(super::MAX_DEPTH);
        is_whole.then(|| Measured { depth, score, best, nodes, time: began.elapsed() })
    }
}

/// The leaves of the minimal tree of a uniform game with `branching` moves at
/// each node, `depth` plies deep: b^⌈d/2⌉ + b^⌊d/2⌋ - 1 (Knuth and Moore, 1975),
/// about 2 b^(d/2). A game that is over is one leaf.
pub fn minimal_leaves(branching: f64, depth: u32) -> f64 {
    if branching == 0.0 {
        return 1.0;
    }
    let power = |exponent: u32| branching.powf(exponent.into());
    power(depth.div_ceil(2)) + power(depth / 2) - 1.0
}
