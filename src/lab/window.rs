//! The window of scores that a search is interested in.

use std::ops::Neg;

use crate::score::Score;

/// The scores between `alpha` and `beta`, both outside.
///
/// A search with this window finds the true score if it lies inside; else only
/// that it is at most `alpha` (the search fails low) or at least `beta` (it
/// fails high).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What the side to move has already.
    pub alpha: Score,
    /// What the other side will not let it exceed.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub fn full() -> Window {
        Window { alpha: -Score::INFINITE, beta: Score::INFINITE }
    }

    /// The null window that asks: is the score greater than `test`?
    pub fn above(test: Score) -> Window {
        Window { alpha: test, beta: test + 1 }
    }

    /// The null window that asks: is the score less than `test`?
    pub fn below(test: Score) -> Window {
        Window { alpha: test - 1, beta: test }
    }

    /// The scores within `half_width` centipawns of `center`.
    pub fn around(center: Score, half_width: i32) -> Window {
        let full = Window::full();
        let alpha = full.alpha.max(center - half_width);
        Window { alpha, beta: full.beta.min(center + half_width) }
    }

    /// The window that remains when a move of score `best` is known.
    #[must_use]
    pub fn raised_to(self, best: Score) -> Window {
        Window { alpha: self.alpha.max(best), ..self }
    }

    /// The score itself if it is inside, else the nearer border.
    pub fn clamp(self, score: Score) -> Score {
        score.clamp(self.alpha, self.beta)
    }
}

impl Neg for Window {
    type Output = Window;

    /// The same window from the other side's view.
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}
