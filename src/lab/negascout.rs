//! NegaScout (Reinefeld, 1983), also called principal variation search.
//!
//! It expects the first move to be the best. Every other move has only to prove
//! that it is no better, for which a null window will do; the rare move that is
//! better is searched again with the window that is left. It pays if the order
//! of moves is good.

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
    for (index, &m) in node.moves.iter().enumerate() {
        let left = window.raised_to(best.score);
        let scout = if index == 0 { left } else { Window::above(left.alpha) };
        let mut score = search.child(m, node.depth - 1, scout);
        if scout.beta <= score && score < left.beta {
            score = search.child(m, node.depth - 1, left.raised_to(score - 1));
        }
        best.improve(m, score);
        if search.is_refuted(best, window) {
            break;
        }
    }
    search.leave(&node, best)
}
