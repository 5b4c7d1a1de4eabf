//! The root: iterative deepening, the driver of each iteration, the secondary
//! search.
//!
//! Deepening looks wasteful, since each iteration repeats the one before. But an
//! iteration costs little beside the next one, and leaves it the first move to
//! try, a table full of moves, and a score to expect.

use crate::score::Score;

use super::game::Game;
use super::limits::{Budget, Limits};
use super::services::Search;
use super::settings::{Driver, Settings};
use super::trace::{Cause, Trace, Visit};
use super::window::Window;
use super::{aspiration, bisection, mtd};

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The score of the root.
    pub score: Score,
    /// The best move; `None` if the game is over or the depth 0.
    pub best: Option<M>,
    /// Positions looked at, those of shallower iterations included.
    pub nodes: u64,
    /// The depth of the last iteration that came to its end; 0 if a limit ended
    /// the first one, and then there is no move and the score is the static
    /// evaluation.
    pub depth: u32,
}

/// Searches `game` to `depth` plies.
pub fn search<G: Game>(game: G, settings: Settings, depth: u32) -> Found<G::Move> {
    Search::new(game, settings).run(&Limits::to_depth(depth))
}

/// Searches and records every visit of a node; for small trees. There is one
/// visit of the root for each call that the driver made.
pub fn search_traced<G: Game>(
    game: G,
    settings: Settings,
    limits: &Limits,
) -> (Found<G::Move>, Vec<Visit>) {
    let mut search = Search::new(game, settings);
    search.trace = Some(Trace::default());
    let found = search.run(limits);
    (found, search.trace.take().unwrap_or_default().done)
}

impl<G: Game> Search<G> {
    /// Searches the position it is at until a limit is reached, and returns what
    /// the last whole iteration has found.
    pub fn run(&mut self, limits: &Limits) -> Found<G::Move> {
        self.budget = Budget::new(limits);
        let depth = limits.depth.min(super::MAX_DEPTH) as i32;
        let mut found = Found { score: self.evaluate(), best: None, nodes: 0, depth: 0 };
        for iteration in if self.settings.deepening { 1.min(depth) } else { depth }..=depth {
            let score = self.drive(iteration, found.score);
            self.adopt(&mut found, score, iteration);
        }
        if self.settings.secondary > 0 {
            let score = self.verify_best(depth, found.score);
            self.adopt(&mut found, score, depth);
        }
        Found { nodes: self.nodes(), ..found }
    }

    /// Takes the score and the move of an iteration, unless a limit has cut it
    /// short.
    fn adopt(&self, found: &mut Found<G::Move>, score: Score, depth: i32) {
        if !self.budget.is_spent() {
            let best = self.best_at_root;
            *found = Found { score, best, depth: depth.unsigned_abs(), ..*found };
        }
    }

    /// One iteration.
    fn drive(&mut self, depth: i32, expected: Score) -> Score {
        match self.settings.driver {
            Driver::FullWindow => self.visit(Cause::Root, depth, Window::full()),
            Driver::Aspiration { half_width } => {
                aspiration::search(self, depth, expected, half_width)
            }
            Driver::Bisection => bisection::search(self, depth),
            Driver::MtdOneValue => mtd::one_value(self, depth, expected),
            Driver::MtdTwoBounds => mtd::two_bounds(self, depth, expected),
        }
    }

    /// The secondary search, against surprises beyond the horizon: searches the
    /// best move deeper, and if it falls behind a move that was not, takes that.
    fn verify_best(&mut self, depth: i32, score: Score) -> Score {
        let Some(best) = self.best_at_root else { return score };
        let deeper = depth - 1 + self.settings.secondary;
        let mut verified = self.child(best, deeper, Window::full());
        if verified >= score {
            return verified;
        }
        for m in self.game.moves().into_iter().filter(|m| *m != best) {
            let other = self.child(m, depth - 1, Window::full().raised_to(verified));
            if other > verified {
                (verified, self.best_at_root) = (other, Some(m));
            }
        }
        verified
    }
}
