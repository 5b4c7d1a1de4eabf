//! Mates by checks: before each iteration the first thread asks the
//! [`mate`](crate::mate) room whether the root is one.
//!
//! It goes on with that question for a small share of the nodes of the search,
//! so that a long search also finds the mates that are hard to prove. A mate
//! proved is the least that the root is worth: lines are reported with it until
//! the search finds a better one.

use crate::mate::{MateLimits, MateOutcome, MateVerdict};
use crate::score::{Bound, Score};

use super::searcher::{RootMove, Searcher};

/// Nodes of the first attempt; most positions are refuted with fewer than 50.
const FIRST_NODES: u64 = 1024;
/// One of so many nodes may go into mates. They take less than half the time of
/// others (no evaluation, few moves), and in games the question is settled so
/// early that they are 0.3 % of 20,000 nodes.
const SHARE: u64 = 4;
/// The same if a mate is what was asked for.
const WANTED_NODES: u64 = 1 << 20;
const WANTED_SHARE: u64 = 2;

/// What is known of a mate by checks at the root.
#[derive(Default)]
pub(super) struct RootMate {
    /// Nodes spent on it.
    nodes: u64,
    /// Nothing is left to find out.
    is_settled: bool,
    /// The mate, as a root move.
    proved: Option<RootMove>,
}

impl RootMate {
    /// The mate, if it is worth more than `score`.
    pub(super) fn above(&self, score: Score) -> Option<&RootMove> {
        self.proved.as_ref().filter(|proved| proved.score > score)
    }

    fn record(&mut self, outcome: &MateOutcome, allowed: &[RootMove]) {
        self.nodes += outcome.nodes;
        self.is_settled = outcome.verdict == MateVerdict::NoMate || outcome.is_shortest();
        let (MateVerdict::Mate(line), Some(moves)) = (&outcome.verdict, outcome.mate_in) else {
            return;
        };
        let plies = 2 * usize::from(moves) - 1;
        let score = Score::mate_in(plies);
        let is_better = self.proved.as_ref().is_none_or(|proved| score > proved.score);
        // only some moves may be wanted
        let root = allowed.iter().find(|root| line.first() == Some(&root.first()));
        if let Some(root) = root.filter(|_| is_better) {
            let (bound, pv) = (Bound::Exact, line.clone());
            self.proved = Some(RootMove { score, bound, pv, seldepth: plies, ..root.clone() });
        }
    }
}

impl Searcher<'_> {
    /// Looks for a mate by checks; whether one is known that ends the search.
    pub(super) fn prove_mate(&mut self) -> bool {
        self.look_for_mate();
        let Searcher { shared, main: Some(main), .. } = self else { return false };
        let Some(proved) = &main.mate.proved else { return false };
        let limits = &shared.limits;
        // a depth asked for is searched, and a shorter mate may be found beside
        let is_enough = limits.mate.is_some() || main.mate.is_settled;
        let goes_on = limits.infinite || limits.depth.is_some() || !is_enough;
        if goes_on || !shared.is_short_enough(proved.score) {
            return false;
        }
        main.answer_on_hit = true;
        !shared.signals.is_pondering()
    }

    fn look_for_mate(&mut self) {
        let Searcher { shared, main: Some(main), mates: Some(mates), .. } = self else { return };
        // several lines have a score each, and this would be that of one
        if main.mate.is_settled || shared.options.lines > 1 {
            return;
        }
        let (first, share) = match shared.limits.mate {
            Some(_) => (WANTED_NODES, WANTED_SHARE),
            None => (FIRST_NODES, SHARE),
        };
        let earned = (first + self.nodes / share).saturating_sub(main.mate.nodes);
        let nodes = earned.min(self.node_limit.saturating_sub(self.nodes) / 4);
        let limits = MateLimits { nodes, moves: shared.longest_mate(), shortest: true };
        let (root, history) = (&shared.root, self.path.earlier_keys());
        let is_stopped = || shared.signals.is_stopped() || main.is_over(shared);
        let outcome = match main.mate.nodes {
            0 => mates.prove(root, history, limits, is_stopped),
            _ => mates.resume(root, history, limits, is_stopped),
        };
        main.mate.record(&outcome, &self.root_moves);
        self.add_nodes(outcome.nodes);
    }

    /// The best move of the root so far: the first one, or a mate by checks.
    pub(super) fn best_root_move(&self) -> &RootMove {
        let first = &self.root_moves[0];
        let mate = self.main.as_ref().and_then(|main| main.mate.above(first.score));
        mate.unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Move, Position};
    use crate::rules::Game;
    use crate::search::limits::Limits;
    use crate::search::threads::ThreadPool;

    /// Mate in 13 by checks.
    const LONG: &str = "3a5/3kC2n1/b3NP3/9/9/1r3pP2/4P2RN/2pA5/5c3/3K5 w";

    fn game() -> Game {
        Game::from(Position::from_fen(LONG).unwrap())
    }

    fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    #[test]
    fn a_long_mate_is_proved_and_ends_the_search() {
        for threads in [1, 3] {
            let mut pool = ThreadPool::new(threads, 4).unwrap();
            let outcome = pool.search(&game(), nodes(1_000_000));
            assert!(outcome.score >= Score::mate_in(25), "{outcome:?}");
            assert!(outcome.nodes < 500_000 && outcome.exact.is_some(), "{outcome:?}");
            assert!(outcome.depth >= 25 || outcome.score > Score::mate_in(25), "{outcome:?}");
            assert_eq!(outcome.best, Some(outcome.lines[0].pv[0]));
        }
    }

    #[test]
    fn a_depth_asked_for_is_searched_with_the_mate_as_the_least_score() {
        let mut pool = ThreadPool::new(1, 4).unwrap();
        pool.search(&game(), nodes(50_000));
        let outcome = pool.search(&game(), Limits { depth: Some(9), ..Limits::default() });
        assert_eq!(outcome.depth, 9);
        assert!(outcome.score >= Score::mate_in(25), "{outcome:?}");
        assert_eq!(outcome.exact, Some(outcome.score));
    }

    #[test]
    fn a_mate_wanted_is_proved_whatever_else_the_search_finds() {
        let mut pool = ThreadPool::new(1, 4).unwrap();
        let limits = Limits { mate: Some(13), ..Limits::default() };
        assert_eq!(pool.search(&game(), limits).score, Score::mate_in(25));
        // none so short: the search goes on to its limit
        let limits = Limits { mate: Some(3), ..nodes(20_000) };
        assert_eq!(pool.search(&game(), limits).nodes, 20_000);
    }

    #[test]
    fn only_moves_that_may_be_played_are_announced() {
        let mut pool = ThreadPool::new(1, 4).unwrap();
        let mating = pool.search(&game(), nodes(200_000)).best.unwrap();
        let others: Vec<Move> = game().position().legal_moves().to_vec();
        let search_moves: Vec<Move> = others.into_iter().filter(|&m| m != mating).collect();
        let outcome = pool.search(&game(), Limits { search_moves, ..nodes(20_000) });
        assert!(outcome.best.is_some_and(|best| best != mating));
    }

    #[test]
    fn a_mate_that_comes_too_late_for_the_move_limit_is_none() {
        let late = Position::from_fen(&format!("{LONG} - - 100 80")).unwrap();
        let mut pool = ThreadPool::new(1, 4).unwrap();
        assert!(!pool.search(&Game::from(late), nodes(50_000)).score.is_mate());
    }
}
