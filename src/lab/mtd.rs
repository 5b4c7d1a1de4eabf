//! MTD(f), the memory-enhanced test driver (Plaat, Schaeffer, Pijls and de Bruin,
//! 1996): null window searches only, each placed at the bound that the last one
//! returned, so that they converge on the score.
//!
//! It starts at a first guess *f*, in iterative deepening the score of the
//! iteration before. It needs [`fail_soft`](super::fail_soft), whose bounds lead
//! it in long steps (fail-hard moves by one centipawn), and a transposition
//! table, since it visits the same nodes many times.
//!
//! The lectures' version keeps one test value, and stops when a search returns
//! the value it tested. That is not sound: a search that fails low with just
//! that value has only shown that the score is no greater; and if the table
//! interferes (an entry of another depth answers another question) it may go to
//! and fro for ever. `one_value` therefore remembers on which side of the test
//! value the score lies, walks that way only, and has found it where a search
//! turns it back. `two_bounds` is Plaat's version, which ends where a lower and
//! an upper bound meet. Either gives up after 64 tests and asks with the
//! full window.

use crate::score::Score;

use super::game::Game;
use super::services::Search;
use super::trace::Cause;
use super::window::Window;

/// Tests of one call before it gives up.
const TESTS: usize = 64;

/// Where the score of the root lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// At the test value or above.
    AtLeast,
    /// At the test value or below.
    AtMost,
}

/// The score of the root, by one test value.
pub(super) fn one_value<G: Game>(search: &mut Search<G>, depth: i32, guess: Score) -> Score {
    let mut test = guess;
    let mut known = None;
    for _ in 0..TESTS {
        let rising = known == Some(Side::AtLeast);
        let window = if rising { Window::above(test) } else { Window::below(test) };
        let score = search.visit(Cause::Root, depth, window);
        let side = if score >= window.beta { Side::AtLeast } else { Side::AtMost };
        if known.is_some_and(|known| known != side) {
            return test;
        }
        (test, known) = (score, Some(side));
    }
    search.visit(Cause::Root, depth, Window::full())
}

/// The score of the root, by a lower and an upper bound.
pub(super) fn two_bounds<G: Game>(search: &mut Search<G>, depth: i32, guess: Score) -> Score {
    let Window { alpha: mut lower, beta: mut upper } = Window::full();
    let mut score = guess;
    for _ in 0..TESTS {
        if lower >= upper {
            return score;
        }
        let window = if score == lower { Window::above(score) } else { Window::below(score) };
        score = search.visit(Cause::Root, depth, window);
        if score < window.beta {
            upper = score;
        } else {
            lower = score;
        }
    }
    search.visit(Cause::Root, depth, Window::full())
}
