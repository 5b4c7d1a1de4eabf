//! Aspiration search: a window around the score expected, which cuts off more
//! than the full one; if the score is not inside, the side that failed is opened
//! and the search repeated. The window need not be centred on the score expected
//! ([`Settings::shift`](super::Settings::shift)), nor the side opened at once
//! ([`Settings::gradual`](super::Settings::gradual)).

use crate::score::Score;

use super::game::Game;
use super::services::Search;
use super::trace::Cause;
use super::window::Window;

/// How far from the centre a side that has failed may still have a border, in
/// centipawns.
const WIDEST: i32 = 1000;

/// The score of the root, where `expected` is thought likely.
pub(super) fn search<G: Game>(
    search: &mut Search<G>,
    depth: i32,
    expected: Score,
    half_width: i32,
) -> Score {
    let center = Window::full().clamp(expected + search.settings.shift);
    let gradual = search.settings.gradual;
    let mut window = Window::around(center, half_width);
    let (mut below, mut above) = (half_width, half_width);
    loop {
        let score = search.visit(Cause::Root, depth, window);
        if score <= window.alpha && window.alpha > Window::full().alpha {
            below *= 2;
            window.alpha = opened(center, below, gradual).alpha;
        } else if score >= window.beta && window.beta < Window::full().beta {
            above *= 2;
            window.beta = opened(center, above, gradual).beta;
        } else {
            return score;
        }
    }
}

/// The window of which the border that failed is taken.
fn opened(center: Score, half_width: i32, gradual: bool) -> Window {
    let has_border = gradual && half_width <= WIDEST;
    if has_border { Window::around(center, half_width) } else { Window::full() }
}
