//! A searcher outside its thread, for the tests of the parts.

use std::sync::Arc;

use crate::board::Position;
use crate::eval::EvalKind;
use crate::rules::Game;
use crate::score::Score;

use super::limits::Limits;
use super::movepick::ScoredMove;
use super::node::Node;
use super::params::Params;
use super::searcher::{Searcher, SharedHistories, ThreadState};
use super::threads::ThreadPool;

/// Calls `test` with a searcher that stands at the root, in an iteration of
/// this depth, with the classical evaluation.
pub fn with_searcher<T>(
    fen: &str,
    params: Params,
    depth: i32,
    test: impl FnOnce(&mut Searcher<'_>) -> T,
) -> T {
    with_searcher_of(1, fen, params, depth, test)
}

/// The same with the first of so many searchers, of which the others do nothing.
pub fn with_searcher_of<T>(
    threads: usize,
    fen: &str,
    params: Params,
    depth: i32,
    test: impl FnOnce(&mut Searcher<'_>) -> T,
) -> T {
    let mut pool = ThreadPool::new(threads, 1).unwrap();
    pool.options.eval = EvalKind::Classical;
    pool.options.params = params;
    let game = Game::from(Position::from_fen(fen).unwrap());
    let shared = pool.shared_state(std::time::Instant::now(), &game, Limits::default(), None, None);
    let mut state = ThreadState::new(Arc::new(SharedHistories::new().unwrap()));
    let mut searcher = Searcher::new(0, &shared, &mut state);
    searcher.depth = depth;
    test(&mut searcher)
}

/// Constants with which a search to depth 3 leaves nothing out where neither
/// side has a rook, knight or cannon.
pub fn full_width() -> Params {
    let mut params = Params {
        rfp_depth: 0,
        probcut_depth: 100,
        singular_depth: 100,
        internal_reduction_depth: 100,
        qsearch_futility: 100_000,
        correction_weight: 0,
        fade: 0,
        ..Params::default()
    };
    params.switch_off_reductions();
    params
}

/// A node of this depth where nothing stands out.
pub(super) fn node(depth: i32) -> Node {
    Node {
        ply: 3,
        depth,
        cut_node: true,
        in_check: false,
        excluded: None,
        entry: None,
        table_score: None,
        raw_eval: None,
        static_eval: Score::from_centipawns(0),
        eval: Score::from_centipawns(0),
        improving: true,
        was_pv: false,
        table_capture: false,
        possible: (-Score::INFINITE, Score::INFINITE),
    }
}

/// A quiet move of which nothing but this is known.
pub(super) fn quiet(m: &str, number: usize, history: i32) -> ScoredMove {
    ScoredMove {
        m: m.parse().unwrap(),
        number,
        is_capture: false,
        gives_check: false,
        history,
        is_refutation: false,
    }
}
