//! What is known of a node before its moves are searched: the table's entry,
//! the static evaluation, the trend; and how both are used and stored.

use crate::board::Move;
use crate::score::{Bound, MAX_PLY, Score};

use super::correction::{corrected, scale_by_move_limit};
use super::history::TriedMoves;
use super::peers::LEAST_DEPTH;
use super::searcher::Searcher;
use super::tt::Entry;

/// What kind of node is searched, known at compile time.
pub(super) trait NodeKind {
    /// On the principal variation: the window is open.
    const PV: bool;
    /// The root itself.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node whose exact score is wanted.
pub(super) struct Pv;
/// A node of which only "below alpha" or "above" is asked.
pub(super) struct NonPv;

impl NodeKind for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeKind for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeKind for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What is known of a node before its moves are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub ply: usize,
    pub depth: i32,
    /// A beta cut-off is expected.
    pub cut_node: bool,
    pub in_check: bool,
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    pub entry: Option<Entry>,
    /// The entry's score as seen from this path, where it may be used.
    pub table_score: Option<(Score, Bound)>,
    /// The static evaluation before correction, for the table.
    pub raw_eval: Option<Score>,
    /// The corrected static evaluation; minus infinity in check.
    pub static_eval: Score,
    /// The best guess of the score: the evaluation, or the table's bound.
    pub eval: Score,
    /// The evaluation is better than at our last move.
    pub improving: bool,
    /// The node is, or once was, on a principal variation.
    pub was_pv: bool,
    /// The table move captures.
    pub table_capture: bool,
    /// The lowest and the highest score that the endgame tables leave possible.
    pub possible: (Score, Score),
}

impl Node {
    /// What a search of so many plies found, for the table.
    pub(super) fn found(
        &self,
        best: Option<Move>,
        score: Score,
        bound: Bound,
        depth: i32,
    ) -> Entry {
        Entry { best, score, eval: self.raw_eval, depth, bound: Some(bound), was_pv: self.was_pv }
    }

    pub(super) fn table_move(&self) -> Option<Move> {
        self.entry.and_then(|entry| entry.best)
    }
}

/// The score and bound of a table entry as seen from `ply`; `None` if it says
/// nothing or rests on the path it was found on.
#[inline]
pub(super) fn usable_score(entry: &Entry, ply: usize) -> Option<(Score, Bound)> {
    let score = entry.score.seen_from_root(ply);
    entry.bound.filter(|_| !score.is_by_rule()).map(|bound| (score, bound))
}

/// An evaluation replaced by the table's score where that tells more.
#[inline]
pub(super) fn adjust_eval_by_tt(eval: Score, table_score: Option<(Score, Bound)>) -> Score {
    match table_score {
        Some((score, bound))
            if !score.is_decisive()
                && (bound == Bound::Exact || (bound == Bound::Lower) == (score > eval)) =>
        {
            score
        }
        _ => eval,
    }
}

/// Whether a stored score decides on which side of the window the node is.
#[inline]
pub(super) fn causes_cutoff(score: Score, bound: Bound, alpha: Score, beta: Score) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    }
}

/// The kind of a fail-soft score, `alpha` being that before the first move.
#[inline]
pub(super) fn bound_of<N: NodeKind>(score: Score, alpha: Score, beta: Score) -> Bound {
    if score >= beta {
        Bound::Lower
    } else if N::PV && score > alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}

/// Plies before the natural move limit from which on the table no longer cuts
/// off; few, since what is searched then is searched without its help.
const LATE_QUIET_PLIES: u16 = 4;

impl Searcher<'_> {
    /// The score of a node that is not searched: the game is over there, or
    /// the line is too long.
    #[inline]
    pub(super) fn terminal_score(&mut self, ply: usize) -> Option<Score> {
        if let Some(score) = self.path.game_over(&self.position, ply) {
            if self.path.take_has_judged() {
                self.poll();
            }
            return Some(if score == Score::DRAW { self.draw(ply) } else { score });
        }
        (ply >= MAX_PLY)
            .then(|| if self.position.in_check() { Score::DRAW } else { self.evaluate() })
    }

    /// What a draw by the rules is worth to the side to move at `ply`.
    fn draw(&self, ply: usize) -> Score {
        let contempt = self.shared.options.contempt;
        Score::from_centipawns(if ply.is_multiple_of(2) { -contempt } else { contempt })
    }

    /// Looks the position up in the table. While memory answers, the evaluation
    /// is prepared, which most positions need that are not in check.
    #[inline]
    pub(super) fn probe_tt(&mut self) -> Option<Entry> {
        if !self.position.in_check() {
            self.evaluator.prepare(&self.position);
        }
        self.shared.tt.probe(self.position.key())
    }

    /// Probes the table and evaluates the position.
    pub(super) fn evaluate_node<N: NodeKind>(
        &mut self,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Node {
        let in_check = self.position.in_check();
        let excluded = self.stack.at(ply).excluded;
        let entry = self.probe_tt();
        let table_score = entry.and_then(|entry| usable_score(&entry, ply));
        // a singular search knows the evaluation from the node it belongs to
        let known = self.stack.at(ply).eval.filter(|_| excluded.is_some());
        let (raw_eval, static_eval) = match known {
            _ if in_check => (None, -Score::INFINITE),
            Some(eval) => (None, eval),
            None => {
                let (raw, corrected) = self.static_evaluation(entry.as_ref(), ply);
                (Some(raw), corrected)
            }
        };
        self.stack.enter(ply, (!in_check).then_some(static_eval));
        if entry.is_none() && raw_eval.is_some() {
            self.store_evaluation(raw_eval);
        }
        let before = self.stack.own_eval_before(ply);
        Node {
            ply,
            depth,
            cut_node,
            in_check,
            excluded,
            entry,
            table_score,
            raw_eval,
            static_eval,
            eval: if in_check { static_eval } else { adjust_eval_by_tt(static_eval, table_score) },
            improving: !in_check && before.is_none_or(|before| static_eval > before),
            was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
            table_capture: entry
                .and_then(|entry| entry.best)
                .is_some_and(|best| self.position.is_capture(best)),
            possible: (-Score::INFINITE, Score::INFINITE),
        }
    }

    /// The static evaluation, uncorrected and corrected.
    #[inline]
    pub(super) fn static_evaluation(
        &mut self,
        entry: Option<&Entry>,
        ply: usize,
    ) -> (Score, Score) {
        let raw = entry.and_then(|entry| entry.eval).unwrap_or_else(|| self.evaluate());
        let params = &self.shared.options.params;
        let correction =
            self.corrections.correction(&self.position, &self.stack.continuation(ply), params);
        let quiet_limit = self.path.rules().quiet_limit;
        let scaled = scale_by_move_limit(raw, self.path.quiet_plies(), quiet_limit, params);
        (raw, corrected(scaled, correction, params))
    }

    /// Whether scores of the table hold here: it knows nothing of the natural
    /// move limit.
    #[inline]
    pub(super) fn is_far_from_quiet_limit(&self) -> bool {
        self.path.quiet_plies().saturating_add(LATE_QUIET_PLIES) < self.path.rules().quiet_limit
    }

    /// A score from the table that makes the search unnecessary.
    pub(super) fn table_cutoff(&mut self, node: &Node, alpha: Score, beta: Score) -> Option<Score> {
        let entry = node.entry?;
        let (score, bound) = node.table_score?;
        let cuts = entry.depth >= node.depth
            && causes_cutoff(score, bound, alpha, beta)
            && self.is_far_from_quiet_limit();
        if !cuts {
            return None;
        }
        if score >= beta {
            self.reward_table_move(node);
        }
        Some(score)
    }

    /// A table move that is enough for a cut-off was good.
    fn reward_table_move(&mut self, node: &Node) {
        if let Some(best) = node.table_move()
            && self.position.is_pseudo_legal(best)
            && !self.position.is_capture(best)
        {
            let continuation = self.stack.continuation(node.ply);
            let none = TriedMoves::default();
            let params = &self.shared.options.params;
            let depth = node.depth * params.bonus_table_move / 1024;
            self.histories.reward(&self.position, &continuation, best, &none, depth, params);
        }
    }

    /// Stores in the table what was found at `ply`. A score that rests on the
    /// repetition rules depends on the path and is not believed elsewhere.
    #[inline]
    pub(super) fn store_tt(&self, ply: usize, found: Entry) {
        let entry = Entry {
            score: found.score.seen_from(ply),
            bound: found.bound.filter(|_| !found.score.is_by_rule()),
            ..found
        };
        self.shared.tt.store(self.position.key(), entry);
        if entry.depth >= LEAST_DEPTH {
            self.shared.post(self.position.key(), &entry);
        }
    }

    /// Stores the evaluation of a position of which nothing else is known, for
    /// the nodes that are given up before any move of theirs is searched.
    fn store_evaluation(&self, eval: Option<Score>) {
        let (score, was_pv) = (Score::DRAW, false);
        let entry = Entry { best: None, score, eval, depth: 0, bound: None, was_pv };
        self.shared.tt.store(self.position.key(), entry);
    }

    /// Updates how much the quiet move that led here changed the evaluation.
    pub(super) fn update_eval_diff_history(&mut self, node: &Node) {
        let (Some(m), Some(before)) = (self.path.last_quiet(), self.stack.before(node.ply, 1).eval)
        else {
            return;
        };
        if !node.in_check {
            let gain = (-(before.raw() + node.static_eval.raw())).clamp(-200, 200);
            let weight = self.shared.options.params.gain_weight;
            let mover = !self.position.side_to_move();
            self.histories.update_butterfly(mover, m, gain * weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::board::Position;
    use crate::rules::Game;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::testing::with_searcher;
    use crate::search::threads::ThreadPool;

    fn cp(centipawns: i32) -> Score {
        Score::from_centipawns(centipawns)
    }

    #[test]
    fn a_bound_cuts_off_on_its_own_side_only() {
        let (alpha, beta) = (cp(10), cp(20));
        let cuts = |score, bound| causes_cutoff(cp(score), bound, alpha, beta);
        assert!(cuts(15, Bound::Exact));
        assert!(cuts(20, Bound::Lower) && !cuts(19, Bound::Lower));
        assert!(cuts(10, Bound::Upper) && !cuts(11, Bound::Upper));
    }

    #[test]
    fn a_table_score_replaces_the_evaluation_where_it_tells_more() {
        let adjusted = |score, bound| adjust_eval_by_tt(cp(50), Some((score, bound)));
        assert_eq!(adjusted(cp(80), Bound::Lower), cp(80));
        assert_eq!(adjusted(cp(30), Bound::Lower), cp(50));
        assert_eq!(adjusted(cp(30), Bound::Upper), cp(30));
        assert_eq!(adjusted(cp(80), Bound::Upper), cp(50));
        assert_eq!(adjusted(cp(-400), Bound::Exact), cp(-400));
        assert_eq!(adjusted(Score::mate_in(3), Bound::Exact), cp(50));
        assert_eq!(adjust_eval_by_tt(cp(50), None), cp(50));
    }

    #[test]
    fn an_evaluation_is_stored_where_no_move_is_searched() {
        let fen = "4k4/9/9/9/9/9/9/9/4A4/3AK2R1 w";
        with_searcher(fen, Params::default(), 6, |searcher| {
            // the side to move stands so well that no move is searched
            let beta = cp(-2000);
            searcher.pvs::<NonPv>(beta - 1, beta, 3, 1, false).unwrap();
            let entry = searcher.shared.tt.probe(searcher.position.key()).unwrap();
            assert_eq!((entry.bound, entry.eval), (None, Some(searcher.evaluate())));
        });
    }

    #[test]
    fn a_singular_search_knows_the_table_move_it_leaves_out() {
        let fen = "4k4/9/9/9/9/9/9/9/4A4/3AK2R1 w";
        with_searcher(fen, Params::default(), 6, |searcher| {
            let best: Option<Move> = "h0h9".parse().ok();
            let found = Entry {
                best,
                score: cp(300),
                eval: Some(cp(300)),
                depth: 9,
                bound: Some(Bound::Lower),
                was_pv: true,
            };
            searcher.shared.tt.store(searcher.position.key(), found);
            searcher.stack.at_mut(1).excluded = best;
            let node = searcher.evaluate_node::<NonPv>(8, 1, true);
            assert!(node.was_pv && node.table_move() == best);
        });
    }

    #[test]
    fn a_draw_is_below_even_for_the_side_that_has_contempt() {
        // nobody can mate
        let position = Position::from_fen("3k1a3/9/9/9/9/9/9/9/9/4KA3 w").unwrap();
        let score = |contempt| {
            let mut pool = ThreadPool::new(1, 1).unwrap();
            pool.options.contempt = contempt;
            let limits = Limits { depth: Some(4), ..Limits::default() };
            pool.search(&Game::from(position.clone()), limits).score
        };
        assert_eq!([score(0), score(25), score(-25)], [cp(0), cp(-25), cp(25)]);
        // analysis takes no side
        let mut pool = ThreadPool::new(1, 1).unwrap();
        pool.options.contempt = 25;
        let contempt = |infinite| {
            let limits = Limits { infinite, ..Limits::default() };
            pool.shared_state(Instant::now(), &Game::from(position.clone()), limits, None, None)
                .options
                .contempt
        };
        assert_eq!([contempt(false), contempt(true)], [25, 0]);
    }

    #[test]
    fn scores_by_rule_are_not_used_on_another_path() {
        let entry = |score| Entry {
            best: None,
            score,
            eval: None,
            depth: 3,
            bound: Some(Bound::Exact),
            was_pv: false,
        };
        assert_eq!(usable_score(&entry(Score::rule_loss_in(4)), 2), None);
        assert_eq!(usable_score(&entry(cp(7)), 2), Some((cp(7), Bound::Exact)));
        let mate = usable_score(&entry(Score::mate_in(3)), 2);
        assert_eq!(mate, Some((Score::mate_in(5), Bound::Exact)));
    }
}
