//! Bisection: each null window search tells whether the score is above or at
//! most its test value, and so halves the range.
//!
//! The lectures show it on the way to MTD(f): the idea is right, but the range
//! of all scores takes about 16 searches, whatever they could say beyond yes or
//! no.

use crate::score::Score;

use super::game::Game;
use super::services::Search;
use super::trace::Cause;
use super::window::Window;

/// The score of the root.
pub(super) fn search<G: Game>(search: &mut Search<G>, depth: i32) -> Score {
    let Window { alpha: mut least, beta: mut most } = Window::full();
    while least < most {
        let middle = Score::from_raw((least.raw() + most.raw()).div_euclid(2));
        if search.visit(Cause::Root, depth, Window::above(middle)) > middle {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    least
}
