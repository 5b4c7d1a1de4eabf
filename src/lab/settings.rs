//! The switches of a search: one value, of which every combination runs.

/// What is done at a node of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Looks at every move: [`minimax`](super::minimax).
    Minimax,
    /// Alpha-beta that never answers outside its window:
    /// [`fail_hard`](super::fail_hard).
    FailHard,
    /// Alpha-beta that answers with the best bound it knows:
    /// [`fail_soft`](super::fail_soft).
    #[default]
    FailSoft,
    /// Alpha-beta that expects the first move to be the best:
    /// [`negascout`](super::negascout).
    NegaScout,
}

/// How the algorithm is called at the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Once, with the full window.
    #[default]
    FullWindow,
    /// With a window around the score expected, then with a wider one if it
    /// fails: [`aspiration`](super::aspiration).
    Aspiration {
        /// Centipawns on either side of the score expected.
        half_width: i32,
    },
    /// With null windows that halve the range: [`bisection`](super::bisection).
    Bisection,
    /// MTD(f) with one test value: [`mtd`](super::mtd).
    MtdOneValue,
    /// MTD(f) with two bounds: [`mtd`](super::mtd).
    MtdTwoBounds,
}

/// Which entries of the transposition table give their score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Table {
    /// There is no table.
    #[default]
    Off,
    /// Those of the same depth. The search stays exact.
    SameDepth,
    /// Those of the same depth or deeper, as in the thesis (section 2.2.3), where a
    /// new result takes the place of an old one only if it is deeper, or as deep
    /// with a greater score. The score may differ from that of the depth asked for.
    SameOrDeeper,
}

/// Where killer moves stand in the order of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Killers {
    /// Nowhere.
    #[default]
    Off,
    /// Before the captures.
    BeforeCaptures,
    /// After the captures that lose nothing.
    AfterCaptures,
}

/// Null move pruning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullMove {
    /// None.
    #[default]
    Off,
    /// A null move that fails high ends the node.
    Plain,
    /// It ends the node if a shallower search of the real moves fails high too.
    Verified,
}

/// All switches. The default is bare fail-soft alpha-beta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What is done at a node.
    pub algorithm: Algorithm,
    /// How it is called at the root.
    pub driver: Driver,
    /// An aspiration window that failed is opened by doubling the distance of the
    /// border that failed, instead of at once.
    pub gradual: bool,
    /// How far the centre of an aspiration window lies above the score expected, in
    /// centipawns.
    pub shift: i32,
    /// Search depth 1 first, then 2 and so on.
    pub deepening: bool,
    /// Where the table knows no move for a node, search that node two plies
    /// shallower first; needs a table whose move is tried first.
    pub internal_deepening: bool,
    /// The transposition table, for scores.
    pub table: Table,
    /// The best move that the table knows is tried first; needs a table.
    pub table_move: bool,
    /// Captures that seem to win something are tried first, best gain first.
    pub order_captures: bool,
    /// Two killer moves of each ply: the last ones that refuted there.
    pub killers: Killers,
    /// They are those that refuted there most often, as in the thesis (section
    /// 2.4.4).
    pub frequent_killers: bool,
    /// The history heuristic.
    pub history: bool,
    /// The [refutation table](super::refutation); it serves where a position is
    /// searched more than once, as in iterative deepening.
    pub refutations: bool,
    /// All moves are tried in the opposite order, the worst first.
    pub worst_first: bool,
    /// Leaves are resolved by captures before they are evaluated.
    pub quiescence: bool,
    /// The evaluation is rounded to multiples of so many centipawns, for the null
    /// windows of MTD(f), which need fewer steps then; 0 leaves it as it is.
    pub grain: i32,
    /// A reply to a check costs no depth.
    pub extend_checks: bool,
    /// A reply that is the only legal move costs no depth.
    pub extend_single_replies: bool,
    /// Null move pruning; not exact.
    pub null_move: NullMove,
    /// Forward pruning: a node is left when its best score is within this many
    /// centipawns of beta; not exact unless 0.
    pub margin: i32,
    /// The secondary search: the move found is searched this many plies deeper,
    /// and given up if it then falls behind another one; not exact unless 0.
    pub secondary: i32,
}

impl Settings {
    /// The engine of the lazyboy thesis: principal variation search with what its
    /// chapters 2 and 3 describe, but for the evaluation.
    pub fn thesis() -> Settings {
        Settings {
            algorithm: Algorithm::NegaScout,
            driver: Driver::FullWindow,
            gradual: false,
            shift: 0,
            deepening: true,
            internal_deepening: true,
            table: Table::SameOrDeeper,
            table_move: true,
            order_captures: true,
            killers: Killers::AfterCaptures,
            frequent_killers: true,
            history: true,
            refutations: false,
            worst_first: false,
            quiescence: true,
            grain: 0,
            extend_checks: true,
            extend_single_replies: true,
            null_move: NullMove::Verified,
            margin: 0,
            secondary: 0,
        }
    }

    /// The same with moves tried in the order in which they are generated.
    #[must_use]
    pub fn without_ordering(self) -> Settings {
        Settings {
            table_move: false,
            order_captures: false,
            killers: Killers::Off,
            history: false,
            refutations: false,
            ..self
        }
    }

    /// Whether the score is that of plain minimax with the same leaves
    /// (quiescence, grain) and the same depths (extensions).
    pub fn is_exact(&self) -> bool {
        self.table != Table::SameOrDeeper
            && self.null_move == NullMove::Off
            && self.margin == 0
            && self.secondary == 0
    }
}
