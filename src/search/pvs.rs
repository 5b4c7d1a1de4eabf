//! The main search: one node of the principal variation search.

use arrayvec::ArrayVec;

use crate::board::{CheckSquares, Move};
use crate::score::{Bound, Score};

use super::extensions::Extension;
use super::history::{QuietHistory, TriedMoves};
use super::movepick::{MovePicker, Scope, ScoredMove};
use super::node::{Node, NodeKind, NonPv, Pv, bound_of, causes_cutoff};
use super::pruning::PruneDecision;
use super::reductions::{LateMove, hindsight_reduces};
use super::searcher::{Searched, Searcher};

/// Nodes shallower than this, plies, cost less than looking after breadcrumbs.
const BREADCRUMB_DEPTH: i32 = 4;
/// Moves of a node that may wait for another thread at the same time.
const MAX_DEFERRED: usize = 24;

/// Where a node stands among its moves.
struct MoveLoop<'a> {
    picker: MovePicker,
    quiets: QuietHistory<'a>,
    check_squares: CheckSquares,
    /// Two killers and the counter move.
    refutations: [Option<Move>; 3],
    /// Legal moves so far.
    count: usize,
    /// Moves that another thread is searching: they come last.
    deferred: ArrayVec<ScoredMove, MAX_DEFERRED>,
}

impl<'a> Searcher<'a> {
    /// Searches a node with the window (`alpha`, `beta`), fail-soft.
    ///
    /// `cut_node` says that a beta cut-off is expected.
    pub(super) fn pvs<N: NodeKind>(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Searched {
        if depth <= 0 {
            return self.qsearch::<N>(alpha, beta, ply, true);
        }
        self.enter_node()?;
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
            self.stack.clear_pv(ply);
        }
        if !N::ROOT {
            if let Some(score) = self.terminal_score(ply) {
                return Ok(score);
            }
            // mate distance: nothing here can beat a mate already found
            alpha = alpha.max(Score::mated_in(ply));
            beta = beta.min(Score::mate_in(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        let mut possible = (-Score::INFINITE, Score::INFINITE);
        if !N::ROOT
            && self.stack.at(ply).excluded.is_none()
            && let Some((score, bound)) = self.probe_tables(ply)
        {
            if causes_cutoff(score, bound, alpha, beta) {
                return Ok(score);
            }
            match bound {
                Bound::Lower => {
                    possible.0 = score;
                    alpha = alpha.max(score);
                }
                _ => possible.1 = score,
            }
        }

        let mut node = self.evaluate_node::<N>(depth, ply, cut_node);
        node.possible = possible;
        let is_singular_search = node.excluded.is_some();
        if !N::ROOT && !is_singular_search {
            self.update_eval_diff_history(&node);
            node.depth -= i32::from(self.hindsight_reduces(&node));
        }
        if self.believes_table::<N>()
            && !is_singular_search
            && let Some(score) = self.table_cutoff(&node, alpha, beta)
        {
            return Ok(score);
        }
        if !N::PV
            && !node.in_check
            && !is_singular_search
            && let Some(score) = self.prune_node(&node, beta)?
        {
            return Ok(score);
        }
        // internal iterative reduction: without a table move the ordering is
        // poor, so a shallower search finds one first
        if node.depth >= self.shared.options.params.internal_reduction_depth
            && node.table_move().is_none()
            && (N::PV || cut_node)
        {
            node.depth -= 1;
        }
        self.search_moves::<N>(&node, alpha, beta)
    }

    /// Whether the table's score is enough. On the principal variation it comes
    /// without the moves that belong to it, which are worth a search, unless
    /// others have most likely just made that search.
    fn believes_table<N: NodeKind>(&self) -> bool {
        !N::PV || (!N::ROOT && !self.shared.is_alone())
    }

    fn hindsight_reduces(&self, node: &Node) -> bool {
        let parent = self.stack.before(node.ply, 1);
        let before = parent.eval.filter(|_| !node.in_check);
        before.is_some_and(|before| {
            let sum = node.static_eval.raw() + before.raw();
            hindsight_reduces(node.depth, parent.reduction, sum, &self.shared.options.params)
        })
    }

    /// Searches the moves of a node.
    fn search_moves<N: NodeKind>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
    ) -> Searched {
        let ply = node.ply;
        let old_alpha = alpha;
        let mut moves = self.move_loop(node);
        let is_forced = self.has_forced_reply::<N>(node);
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = TriedMoves::default();
        while let Some(scored) = self.next_move::<N>(&mut moves, node, alpha, best) {
            let extension = match self.extension::<N>(node, &scored, is_forced, beta)? {
                Extension::By(plies) => plies,
                Extension::Cutoff(score) => return Ok(score),
            };
            let before = self.nodes;
            self.make(ply, scored.m);
            let mark = self.mark_breadcrumb(node);
            let score = self.search_child::<N>(node, &scored, extension, alpha, beta, best)?;
            if let Some(key) = mark {
                self.shared.breadcrumbs.remove(key);
            }
            self.unmake();
            if N::ROOT {
                self.update_root_move(scored.number, score, (alpha, beta), before);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(scored.m);
                    if N::PV {
                        self.stack.update_pv(ply, scored.m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
            if best_move != Some(scored.m) {
                tried.add(scored.m, scored.is_capture);
            }
        }
        if moves.count == 0 {
            // checkmate and stalemate both lose; a singular search found no
            // second move
            return Ok(if node.excluded.is_some() { alpha } else { Score::mated_in(ply) });
        }
        let best = best.clamp(node.possible.0, node.possible.1);
        let bound = bound_of::<N>(best, old_alpha, beta);
        self.update_histories(node, best_move, best, beta, &tried);
        if node.excluded.is_none() {
            // without some of its moves the root is another position
            if !(N::ROOT && (self.line > 0 || self.shared.limits.leave_out_moves())) {
                self.update_corrections(node, best_move, best, bound);
                self.store_tt(ply, node.found(best_move, best, bound, node.depth));
            }
        }
        Ok(best)
    }

    /// Searches the position after a move: late moves reduced and with a null
    /// window first.
    fn search_child<N: NodeKind>(
        &mut self,
        node: &Node,
        scored: &ScoredMove,
        extension: i32,
        alpha: Score,
        beta: Score,
        best: Score,
    ) -> Searched {
        let params = &self.shared.options.params;
        let ply = node.ply + 1;
        let mut depth = node.depth - 1 + extension;
        let mut score = -Score::INFINITE;
        if node.depth >= 2 && scored.number > 1 + usize::from(N::ROOT) {
            let cutoffs = self.stack.at(ply).cutoffs;
            let late = LateMove { node, scored, is_pv: N::PV, alpha, cutoffs };
            let reduction = self.reductions.plies(&late, params);
            let reduced = (depth - reduction).clamp(1.min(depth), depth + 1);
            self.stack.at_mut(node.ply).reduction = depth - reduced;
            score = -self.pvs::<NonPv>(-alpha - 1, -alpha, reduced, ply, true)?;
            self.stack.at_mut(node.ply).reduction = 0;
            if score > alpha && reduced < depth {
                depth += i32::from(score > best + params.deeper_margin)
                    - i32::from(score < best + params.shallower_margin);
            }
            if score > alpha && reduced < depth {
                score = -self.pvs::<NonPv>(-alpha - 1, -alpha, depth, ply, !node.cut_node)?;
            }
        } else if !N::PV || scored.number > 1 {
            score = -self.pvs::<NonPv>(-alpha - 1, -alpha, depth, ply, !node.cut_node)?;
        }
        if N::PV && (scored.number == 1 || score > alpha) {
            score = -self.pvs::<Pv>(-beta, -alpha, depth, ply, false)?;
        }
        Ok(score)
    }

    fn move_loop(&self, node: &Node) -> MoveLoop<'a> {
        let continuation = self.stack.continuation(node.ply);
        let killers = self.stack.at(node.ply).killers;
        let refutations = [killers[0], killers[1], self.histories.counter(continuation[0])];
        let table_move = node.table_move();
        let params = &self.shared.options.params;
        MoveLoop {
            picker: MovePicker::new(&self.position, Scope::All, table_move, refutations, 0),
            quiets: self.histories.quiets(&self.position, &continuation, params),
            check_squares: self.position.check_squares(),
            refutations,
            count: 0,
            deferred: ArrayVec::new(),
        }
    }

    /// The next move to be searched, `alpha` being the score to be beaten and
    /// `best` the best so far.
    #[inline]
    fn next_move<N: NodeKind>(
        &mut self,
        moves: &mut MoveLoop<'_>,
        node: &Node,
        alpha: Score,
        best: Score,
    ) -> Option<ScoredMove> {
        while let Some(m) = self.pick::<N>(moves) {
            self.prefetch_after(m);
            if node.excluded == Some(m) || !self.position.leaves_king_safe(m) {
                continue;
            }
            moves.count += 1;
            if N::ROOT {
                self.announce(m, moves.count);
            }
            let scored = self.scored_move(m, moves);
            if !N::ROOT && !best.is_loss() {
                match self.prune_move(node, &scored, alpha) {
                    PruneDecision::Keep => {}
                    PruneDecision::PruneMove => continue,
                    PruneDecision::PruneQuiets => {
                        moves.picker.skip_quiets();
                        continue;
                    }
                }
            }
            if self.is_busy_elsewhere(node, &scored) && !moves.deferred.is_full() {
                moves.deferred.push(scored);
                continue;
            }
            return Some(scored);
        }
        moves.deferred.pop_at(0)
    }

    #[inline]
    fn pick<N: NodeKind>(&self, moves: &mut MoveLoop) -> Option<Move> {
        if N::ROOT {
            return self.root_moves.get(self.line + moves.count).map(|root| root.first());
        }
        moves.picker.next(&self.picker_context(&moves.quiets, &moves.check_squares))
    }

    #[inline]
    fn scored_move(&self, m: Move, moves: &MoveLoop<'_>) -> ScoredMove {
        let is_capture = self.position.is_capture(m);
        ScoredMove {
            m,
            number: moves.count,
            is_capture,
            gives_check: self.position.gives_check(m, &moves.check_squares),
            history: if is_capture {
                self.histories.capture(&self.position, m)
            } else {
                moves.quiets.score(&self.position, m)
            },
            is_refutation: moves.refutations.contains(&Some(m)),
        }
    }

    /// Whether another thread is searching what a late move leads to.
    #[inline]
    fn is_busy_elsewhere(&self, node: &Node, scored: &ScoredMove) -> bool {
        let breadcrumbs = &self.shared.breadcrumbs;
        breadcrumbs.are_used()
            && node.depth >= BREADCRUMB_DEPTH
            && scored.number > 1
            && breadcrumbs.is_marked(self.position.key_after(scored.m))
    }

    /// Tells the other threads that the position on the board, a child of
    /// `node`, is being searched; the key of the mark is to be removed.
    #[inline]
    fn mark_breadcrumb(&self, node: &Node) -> Option<u64> {
        let breadcrumbs = &self.shared.breadcrumbs;
        (breadcrumbs.are_used() && node.depth >= BREADCRUMB_DEPTH).then(|| {
            let key = self.position.key();
            breadcrumbs.mark(key);
            key
        })
    }

    /// Updates killers and histories after a node.
    fn update_histories(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        best: Score,
        beta: Score,
        tried: &TriedMoves,
    ) {
        let Some(m) = best_move else { return self.reward_previous_move(node) };
        let params = &self.shared.options.params;
        let continuation = self.stack.continuation(node.ply);
        let depth = node.depth + i32::from(best > beta + params.history_beta_margin);
        self.histories.reward(&self.position, &continuation, m, tried, depth, params);
        if best >= beta {
            let entry = self.stack.at_mut(node.ply);
            entry.cutoffs += 1;
            if !self.position.is_capture(m) {
                entry.add_killer(m);
            }
        }
    }

    /// The quiet move that led to a node where every answer fails low was good.
    fn reward_previous_move(&mut self, node: &Node) {
        if node.ply == 0 {
            return;
        }
        if let Some(m) = self.path.last_quiet() {
            let params = &self.shared.options.params;
            let bonus = (params.prior_slope * node.depth).min(params.prior_max);
            let continuation = self.stack.continuation(node.ply - 1);
            let played = self.stack.before(node.ply, 1).played;
            self.histories.update_continuation(&continuation, played, bonus, params);
            self.histories.update_butterfly(!self.position.side_to_move(), m, bonus);
        }
    }

    /// Updates the corrections by how far off the static evaluation was.
    fn update_corrections(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        best: Score,
        bound: Bound,
    ) {
        let tells_direction = match bound {
            Bound::Exact => true,
            Bound::Lower => best > node.static_eval,
            Bound::Upper => best < node.static_eval,
        };
        let is_capture = best_move.is_some_and(|m| self.position.is_capture(m));
        if !node.in_check && !is_capture && !best.is_decisive() && tells_direction {
            let continuation = self.stack.continuation(node.ply);
            let error = best - node.static_eval;
            let params = &self.shared.options.params;
            self.corrections.update(&self.position, &continuation, error, node.depth, params);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::Root;
    use crate::search::params::Params;
    use crate::search::testing::{full_width, quiet, with_searcher, with_searcher_of};
    use crate::search::tt::Entry;

    /// Endings without rooks, knights and cannons, where nothing is pruned.
    const PAWN_ENDINGS: [&str; 5] = [
        "3k5/4P4/9/9/2p6/9/9/6p2/9/4K4 w",
        "3ak4/4a4/4P4/3P5/9/9/9/3p5/4A4/3AK4 w",
        "2b1k4/3P5/4b4/5P3/9/9/4p4/4B4/9/3K2B2 b",
        "3a1k3/3P5/5a3/4P4/9/9/9/5p3/3p5/4K4 w",
        "4k4/3P1P3/9/9/9/9/9/3p1p3/9/3K5 b",
    ];

    /// Negamax to a depth with the search's extensions and its quiescence as
    /// leaves, each with an empty table: no window, no ordering.
    fn minimax(searcher: &mut Searcher<'_>, depth: i32, ply: usize) -> Score {
        if depth <= 0 {
            searcher.shared.tt.clear(1);
            return searcher.qsearch::<Pv>(-Score::INFINITE, Score::INFINITE, ply, true).unwrap();
        }
        if ply > 0
            && let Some(score) = searcher.terminal_score(ply)
        {
            return score;
        }
        let moves = searcher.position.legal_moves();
        let check_squares = searcher.position.check_squares();
        let is_forced = ply > 0 && searcher.position.in_check() && moves.len() == 1;
        let has_room = ply > 0 && ply < 2 * searcher.depth as usize;
        let mut best = Score::mated_in(ply);
        for &m in &moves {
            let checks =
                searcher.position.gives_check(m, &check_squares) && searcher.position.see_ge(m, 0);
            let extension = i32::from(has_room && (is_forced || checks));
            searcher.make(ply, m);
            best = best.max(-minimax(searcher, depth - 1 + extension, ply + 1));
            searcher.unmake();
        }
        best
    }

    #[test]
    fn the_open_window_gives_the_minimax_value_and_others_a_bound_of_it() {
        for fen in PAWN_ENDINGS {
            for depth in 1..=3 {
                let value =
                    with_searcher(fen, full_width(), depth, |searcher| minimax(searcher, depth, 0));
                let search = |alpha, beta| {
                    with_searcher(fen, full_width(), depth, |searcher| {
                        searcher.pvs::<Root>(alpha, beta, depth, 0, false).unwrap()
                    })
                };
                assert_eq!(search(-Score::INFINITE, Score::INFINITE), value, "{fen} {depth}");
                for offset in [-300, -20, -1, 0, 1, 20, 300] {
                    let alpha = value + offset;
                    let score = search(alpha, alpha + 1);
                    if score <= alpha {
                        assert!(value <= score, "{fen} {depth}: {value:?} above {score:?}");
                    } else {
                        assert!(value >= score, "{fen} {depth}: {value:?} below {score:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_singular_search_leaves_the_excluded_move_out() {
        let fen = "4k4/4a4/9/9/r8/9/9/9/R8/3AK4 w";
        let capture: Move = "a1a5".parse().unwrap();
        let score = |excluded| {
            with_searcher(fen, Params::default(), 2, |searcher| {
                searcher.stack.at_mut(1).excluded = excluded;
                searcher.pvs::<Pv>(-Score::INFINITE, Score::INFINITE, 1, 1, false).unwrap()
            })
        };
        assert!(score(None) > score(Some(capture)) + 500);
    }

    #[test]
    fn without_a_second_move_a_singular_search_fails_low() {
        // the rook can be taken, and the kings must not face each other
        let fen = "4k4/9/9/9/9/9/9/9/3r5/3K5 w";
        let only: Move = "d0d1".parse().unwrap();
        let position = crate::board::Position::from_fen(fen).unwrap();
        assert_eq!(position.legal_moves().to_vec(), [only]);
        let alpha = Score::from_centipawns(70);
        let score = with_searcher(fen, Params::default(), 4, |searcher| {
            searcher.stack.at_mut(1).excluded = Some(only);
            searcher.pvs::<NonPv>(alpha, alpha + 1, 2, 1, false).unwrap()
        });
        assert_eq!(score, alpha);
    }

    #[test]
    fn a_stop_leaves_the_searcher_at_the_first_node_that_noticed_it() {
        let fen = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w";
        with_searcher(fen, Params::default(), 8, |searcher| {
            searcher.completed_depth = 1;
            searcher.shared.signals.stop();
            let searched = searcher.pvs::<Root>(-Score::INFINITE, Score::INFINITE, 8, 0, false);
            assert!(searched.is_err());
            assert_eq!(searcher.nodes, 0);
        });
    }

    #[test]
    fn a_table_move_captures_also_when_another_move_takes_the_same_piece() {
        // the rook can be taken by rook and cannon
        let fen = "3ak4/9/9/9/r7R/9/n8/9/C8/3K5 w";
        let params = Params { lmr_table_capture: 2048, ..Params::default() };
        with_searcher(fen, params.clone(), 4, |searcher| {
            let [table_move, other] = ["i5a5", "a1a5"].map(|m| m.parse::<Move>().unwrap());
            let found = Entry {
                best: Some(table_move),
                score: Score::from_centipawns(0),
                eval: None,
                depth: 1,
                bound: Some(Bound::Lower),
                was_pv: false,
            };
            searcher.shared.tt.store(searcher.position.key(), found);
            let node = searcher.evaluate_node::<NonPv>(4, 1, false);
            assert!(searcher.position.is_legal(other));
            searcher.make(1, other);
            let scored = &ScoredMove { is_capture: true, ..quiet("a1a5", 2, 0) };
            let plies = |node: &Node| {
                let late = LateMove { node, scored, is_pv: false, alpha: Score::DRAW, cutoffs: 0 };
                searcher.reductions.plies(&late, &params)
            };
            assert_eq!(plies(&node) - plies(&Node { table_capture: false, ..node }), 2);
        });
    }

    #[test]
    fn a_variation_that_another_thread_has_searched_is_not_searched_again() {
        let fen = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w";
        let found = Entry {
            best: "b6c8".parse().ok(),
            score: Score::from_centipawns(77),
            eval: None,
            depth: 5,
            bound: Some(Bound::Exact),
            was_pv: true,
        };
        let nodes = |threads| {
            with_searcher_of(threads, fen, Params::default(), 6, |searcher| {
                searcher.shared.tt.store(searcher.position.key(), found);
                let all = (-Score::INFINITE, Score::INFINITE);
                let score = searcher.pvs::<Pv>(all.0, all.1, 5, 1, false).unwrap();
                assert_eq!(score == found.score, threads > 1);
                searcher.nodes
            })
        };
        assert_eq!(nodes(2), 0);
        assert!(nodes(1) > 100);
    }
}
