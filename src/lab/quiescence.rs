//! Quiescence search: a leaf in the middle of an exchange is not worth what its
//! pieces say, so captures go on until nothing is to be won.
//!
//! The side to move may stop at any time and take the static evaluation (it
//! stands pat). As in the thesis (section 3.3.1), only captures that seem to win
//! something are tried, best gain first.

use std::cmp::Reverse;

use crate::score::Score;

use super::game::Game;
use super::services::{MAX_PLY, Search};
use super::window::Window;

/// The score of a leaf that has `moves`, or a bound outside the window.
pub(super) fn resolve<G: Game>(search: &mut Search<G>, moves: &[G::Move], window: Window) -> Score {
    let mut best = search.evaluate();
    if search.ply >= MAX_PLY {
        return best;
    }
    for m in captures(&mut search.game, moves) {
        if best >= window.beta {
            break;
        }
        best = best.max(-child(search, m, -window.raised_to(best)));
    }
    best
}

/// The captures that seem to win something, best gain first.
fn captures<G: Game>(game: &mut G, moves: &[G::Move]) -> Vec<G::Move> {
    let gains = moves.iter().filter_map(|&m| Some((m, game.capture_gain(m)?)));
    let mut captures: Vec<_> = gains.filter(|(_, gain)| *gain > 0).collect();
    captures.sort_by_key(|(_, gain)| Reverse(*gain));
    captures.into_iter().map(|(m, _)| m).collect()
}

/// The score after a capture, from the other side's view; it means nothing where
/// the search has to end.
fn child<G: Game>(search: &mut Search<G>, m: G::Move, window: Window) -> Score {
    if !search.count_node() {
        return Score::DRAW;
    }
    search.make(m);
    let score = match search.game.moves() {
        moves if moves.is_empty() => search.game.final_score(search.ply),
        moves => resolve(search, &moves, window),
    };
    search.unmake();
    score
}
