//! Mates by checks: before each iteration the first thread asks the
//! [`mate`](crate::mate) room whether the root is one.
//!
//! It goes on with that question for a small share of the nodes of the search,
//! so that a long search also finds the mates that are hard to prove. A mate
//! proved is the least that the root is worth: lines are reported with it until
//! the search finds a better one.

use crate::mate::{MateLimits, MateOutcome, Verdict};
use crate::score::{Bound, Score};

use super::searcher::{RootMove, Searcher};

/// Nodes of the first attempt; most positions are refuted with fewer than 50.
const FIRST_NODES: u64 = 512;
/// One of so many nodes goes into mates. They take less than half the time of
/// others: no evaluation, few moves.
const SHARE: u64 = 16;
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
        self.is_settled = outcome.verdict == Verdict::NoMate || outcome.is_shortest();
        let (Verdict::Mate(line), Some(moves)) = (&outcome.verdict, outcome.mate_in) else {
            return;
        };
        let plies = 2 * usize::from(moves) - 1;
        // only some moves may be wanted
        if let Some(root) = allowed.iter().find(|root| line.first() == Some(&root.first())) {
            let score = Score::mate_in(plies);
            let (bound, pv) = (Bound::Exact, line.clone());
            self.proved = Some(RootMove { score, bound, pv, seldepth: plies, ..root.clone() });
        }
    }
}

impl Searcher<'_> {
    /// Looks for a mate by checks; whether one is known that ends the search.
    pub(super) fn ends_with_mate(&mut self) -> bool {
        self.look_for_mate();
        let Searcher { shared, main: Some(main), .. } = self else { return false };
        let Some(proved) = &main.mate.proved else { return false };
        let limits = &shared.limits;
        // a depth asked for is searched
        if limits.infinite || limits.depth.is_some() || !shared.is_short_enough(proved.score) {
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
            0 => mates.prove(root, &history, limits, is_stopped),
            _ => mates.resume(root, &history, limits, is_stopped),
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
