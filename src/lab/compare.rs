//! The experiment that the lectures ask for: all variants on one position, by
//! depth, with the nodes and the time of each.

use std::time::{Duration, Instant};

use crate::score::Score;

use super::game::Game;
use super::limits::Limits;
use super::services::Search;
use super::settings::{Algorithm, Driver, Killers, NullMove, Settings, Table};

/// Half the width of the aspiration windows compared, in centipawns: half a pawn,
/// as the lectures suggest.
pub(super) const HALF_WIDTH: i32 = 50;
/// The margin of the forward pruning compared, in centipawns.
const MARGIN: i32 = 25;

/// Settings with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The algorithm or driver, `+` and what was added to it.
    pub name: String,
    /// The switches.
    pub settings: Settings,
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

/// The variants compared, all with the leaves and the depths of `leaves`
/// (quiescence, extensions): each algorithm and each driver bare, with a table,
/// and with all enhancements that are exact; then the inexact ones.
pub fn variants(leaves: Settings) -> Vec<Variant> {
    let bare = bare(leaves);
    let mut all = bare.to_vec();
    all.extend(bare.iter().map(|variant| variant.plus("table", with_table)));
    all.extend(bare.iter().map(|variant| variant.plus("all", with_all)));
    all.extend(inexact(leaves));
    all
}

fn bare(leaves: Settings) -> [Variant; 8] {
    let algorithm = |algorithm| Settings { algorithm, ..leaves };
    let driver = |driver| Settings { driver, ..leaves };
    [
        ("minimax", algorithm(Algorithm::Minimax)),
        ("fail-hard", algorithm(Algorithm::FailHard)),
        ("fail-soft", algorithm(Algorithm::FailSoft)),
        ("negascout", algorithm(Algorithm::NegaScout)),
        ("aspiration", driver(Driver::Aspiration { half_width: HALF_WIDTH })),
        ("bisection", driver(Driver::Bisection)),
        ("mtd-one-value", driver(Driver::MtdOneValue)),
        ("mtd-two-bounds", driver(Driver::MtdTwoBounds)),
    ]
    .map(|(name, settings)| Variant { name: name.to_owned(), settings })
}

/// Forward pruning and the like, each alone, on top of NegaScout with all that is
/// exact.
fn inexact(leaves: Settings) -> [Variant; 5] {
    let settings = with_all(Settings { algorithm: Algorithm::NegaScout, ..leaves });
    let full = Variant { name: "negascout+all".to_owned(), settings };
    [
        full.plus("deeper-entries", |s| Settings { table: Table::SameOrDeeper, ..s }),
        full.plus("null-move", |s| Settings { null_move: NullMove::Plain, ..s }),
        full.plus("verified-null-move", |s| Settings { null_move: NullMove::Verified, ..s }),
        full.plus("margin", |s| Settings { margin: MARGIN, ..s }),
        full.plus("secondary", |s| Settings { secondary: 2, ..s }),
    ]
}

/// The table for scores of the same depth, its move first.
pub(super) fn with_table(settings: Settings) -> Settings {
    Settings { table: Table::SameDepth, table_move: true, ..settings }
}

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

impl Variant {
    fn plus(&self, name: &str, change: impl Fn(Settings) -> Settings) -> Variant {
        Variant { name: format!("{}+{name}", self.name), settings: change(self.settings) }
    }

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
