//! Aspiration search: a window around the score expected, which cuts off more
//! than the full one; if the score is not inside, the side that failed is opened
//! and the search repeated.

use crate::score::Score;

use super::game::Game;
use super::services::Search;
use super::trace::Cause;
use super::window::Window;

/// The score of the root, where `expected` is thought likely.
pub(super) fn search<G: Game>(
    search: &mut Search<G>,
    depth: i32,
    expected: Score,
    half_width: i32,
) -> Score {
    let mut window = Window::around(expected, half_width);
    loop {
        let score = search.visit(Cause::Root, depth, window);
        if score <= window.alpha && window.alpha > Window::full().alpha {
            window.alpha = Window::full().alpha;
        } else if score >= window.beta && window.beta < Window::full().beta {
            window.beta = Window::full().beta;
        } else {
            return score;
        }
    }
}
