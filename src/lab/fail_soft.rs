//! Alpha-beta, fail-soft (Fishburn, 1983): the best score is kept apart from
//! `alpha`, and so the answer may lie outside the window.
//!
//! A score of at most `alpha` is then an upper bound of the true one, a score of
//! at least `beta` a lower bound. The tree is that of [`fail_hard`]; but bounds
//! that say more give more hits in a transposition table, and MTD(f) lives on
//! them.
//!
//! [`fail_hard`]: super::fail_hard

use crate::score::Score;

use super::game::Game;
use super::node::{Best, Node};
use super::services::Search;
use super::window::Window;

/// The score of the position, `depth` plies deep, or a bound outside the window.
pub(super) fn search<G: Game>(search: &mut Search<G>, depth: i32, window: Window) -> Score {
    let node = match search.enter(depth, window) {
        Node::Scored(score) => return score,
        Node::Open(node) => node,
    };
    let mut best = Best::none();
    for &m in &node.moves {
        let score = search.child(m, node.depth - 1, window.raised_to(best.score));
        best.improve(m, score);
        if search.is_refuted(best, window) {
            break;
        }
    }
    search.leave(&node, best)
}
