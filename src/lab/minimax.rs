//! Minimax: the score of a position is that of its best move, and a move is worth
//! what the opponent's best reply leaves of it.
//!
//! Written for the side to move (negamax: Knuth and Moore, 1975): what is good
//! for one side is as bad for the other, so one function serves both. It visits
//! all *b^d* lines of a tree with *b* moves at each node and depth *d*. All the
//! other algorithms of this course find the same score with fewer nodes.

use crate::score::Score;

use super::game::Game;
use super::node::{Best, Node};
use super::services::Search;
use super::window::Window;

/// The score of the position, `depth` plies deep. The window is ignored.
pub(super) fn search<G: Game>(search: &mut Search<G>, depth: i32, _window: Window) -> Score {
    let node = match search.enter(depth, Window::full()) {
        Node::Scored(score) => return score,
        Node::Open(node) => node,
    };
    let mut best = Best::none();
    for &m in &node.moves {
        let score = search.child(m, node.depth - 1, Window::full());
        best.improve(m, score);
    }
    search.leave(&node, best)
}
