//! Alpha-beta, fail-hard: the search of the lectures' first page.
//!
//! `alpha` is what the side to move has already, `beta` what the opponent has:
//! a move that reaches `beta` refutes the opponent's last move, and how much
//! better it might be no longer matters. With the best move first at every node
//! the tree has about 2 *b*^(*d*/2) leaves instead of *b^d* (Knuth and Moore,
//! 1975).
//!
//! Fail-hard means that the answer never leaves the window: `alpha` says "at
//! most alpha", `beta` "at least beta".

use crate::score::Score;

use super::game::Game;
use super::node::{Best, Node};
use super::services::Search;
use super::window::Window;

/// The score of the position, `depth` plies deep, clamped to the window.
pub(super) fn search<G: Game>(search: &mut Search<G>, depth: i32, window: Window) -> Score {
    let node = match search.enter(depth, window) {
        Node::Scored(score) => return window.clamp(score),
        Node::Open(node) => node,
    };
    let mut best = Best::at(window.alpha);
    for &m in &node.moves {
        let score = search.child(m, node.depth - 1, window.raised_to(best.score));
        best.improve(m, score);
        if search.is_refuted(best, window) {
            break;
        }
    }
    window.clamp(search.leave(&node, best))
}
