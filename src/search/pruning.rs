//! What a node leaves out: each technique's margin beside its decision.
//!
//! Depths are plies, margins centipawns. All are heuristics: they may cut away
//! a good move, and pay for it in depth.

use crate::board::{Color, PieceKind, Position};
use crate::score::{Bound, Score};

use super::history::PieceTo;
use super::movepick::{MovePicker, Scope, ScoredMove};
use super::node::{Node, NonPv};
use super::params::Params;
use super::searcher::{Searcher, Stopped};

/// Whether a move is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PruneDecision {
    Keep,
    PruneMove,
    /// This move and all quiet ones after it.
    PruneQuiets,
}

impl Searcher<'_> {
    /// Pruning before any move is tried.
    pub(super) fn prune_node(
        &mut self,
        node: &Node,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        if self.reverse_futility_holds(node, beta) {
            let share = self.shared.options.params.rfp_eval_share;
            let sum = share * node.eval.raw() + (1024 - share) * beta.raw();
            return Ok(Some(Score::from_raw(sum / 1024)));
        }
        if let Some(score) = self.try_null_move(node, beta)? {
            return Ok(Some(score));
        }
        self.try_probcut(node, beta)
    }

    /// Reverse futility: a shallow node whose evaluation is far above beta is
    /// given up as won. Not while a null move is verified: it supposes as much,
    /// that there is a move that does no harm.
    fn reverse_futility_holds(&self, node: &Node, beta: Score) -> bool {
        let params = &self.shared.options.params;
        let quiet_table_move = node.table_move().is_some_and(|m| !self.position.is_capture(m));
        node.depth <= params.rfp_depth
            && node.ply >= self.null_min_ply
            && !node.was_pv
            && !quiet_table_move
            && !beta.is_loss()
            && !node.eval.is_decisive()
            && node.eval - reverse_futility_margin(node, params) >= beta
    }

    /// Null move: if passing still holds beta, a real move will.
    ///
    /// Stalemate loses in Xiangqi, so zugzwang is real: a side without an
    /// attacker never passes, and deep fail highs are verified.
    fn try_null_move(&mut self, node: &Node, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = &self.shared.options.params;
        let ply = node.ply;
        let allowed = self.stack.before(ply, 1).played != PieceTo::NONE
            && node.depth >= 3
            && node.eval >= beta
            && node.static_eval + null_gate(node.depth, params) >= beta
            && !beta.is_loss()
            && ply >= self.null_min_ply
            && has_attacker(&self.position, self.position.side_to_move());
        if !allowed {
            return Ok(None);
        }
        let depth = node.depth - null_reduction(node.depth, node.eval - beta, params);
        self.make_null(ply);
        let score = -self.pvs::<NonPv>(-beta, -beta + 1, depth, ply + 1, !node.cut_node)?;
        self.unmake();
        if score < beta {
            return Ok(None);
        }
        let score = if score.is_decisive() { beta } else { score };
        if self.null_min_ply > 0 || node.depth < params.null_verify_depth {
            return Ok(Some(score));
        }
        // quiescence would stand pat, which is another null move
        let depth = depth.max(1);
        self.null_min_ply = ply + (3 * depth as usize) / 4 + 1;
        // the same node once more: the reduction of its move is accounted for
        let reduction = std::mem::take(&mut self.stack.at_mut(ply - 1).reduction);
        let verified = self.pvs::<NonPv>(beta - 1, beta, depth, ply, false);
        self.stack.at_mut(ply - 1).reduction = reduction;
        self.null_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut: a good capture that holds beta by a margin in a shallow search
    /// will hold beta in a deep one.
    fn try_probcut(&mut self, node: &Node, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = &self.shared.options.params;
        let target = beta + params.probcut_margin;
        let table_denies = node.entry.is_some_and(|entry| {
            entry.depth >= node.depth - 3
                && node.table_score.is_some_and(|(score, _)| score < target)
        });
        if node.depth < params.probcut_depth || beta.is_decisive() || table_denies {
            return Ok(None);
        }
        let ply = node.ply;
        let depth = node.depth - params.probcut_reduction;
        let threshold = target - node.static_eval;
        let mut picker = MovePicker::new(
            &self.position,
            Scope::Captures,
            node.table_move(),
            [None; 3],
            threshold,
        );
        let quiets = self.histories.quiets(&self.position, &self.stack.continuation(ply), params);
        let check_squares = self.position.check_squares();
        loop {
            let next = picker.next(&self.picker_context(&quiets, &check_squares));
            let Some(m) = next else { return Ok(None) };
            self.prefetch_after(m);
            if !self.position.leaves_king_safe(m) {
                continue;
            }
            self.make(ply, m);
            let mut score = -self.qsearch::<NonPv>(-target, -target + 1, ply + 1, true)?;
            if score >= target && depth > 0 {
                score = -self.pvs::<NonPv>(-target, -target + 1, depth, ply + 1, !node.cut_node)?;
            }
            self.unmake();
            if score >= target {
                self.store_tt(ply, node.found(Some(m), score, Bound::Lower, depth + 1));
                return Ok(Some(if score.is_decisive() { score } else { beta }));
            }
        }
    }

    /// Pruning of a single move before it is searched.
    pub(super) fn prune_move(
        &self,
        node: &Node,
        scored: &ScoredMove,
        alpha: Score,
    ) -> PruneDecision {
        let position = &self.position;
        if scored.number == 1 || !has_attacker(position, position.side_to_move()) {
            return PruneDecision::Keep;
        }
        let params = &self.shared.options.params;
        let reduced = (node.depth - self.reductions.base_plies(node.depth, scored.number)).max(0);
        if scored.gives_check {
            prune_check(position, scored, reduced, params)
        } else if scored.is_capture {
            prune_capture(position, scored, node.depth, params)
        } else {
            prune_quiet(position, node, scored, reduced, alpha, params)
        }
    }
}

/// A sacrifice with check may mate: only hopeless ones are left out.
fn prune_check(
    position: &Position,
    scored: &ScoredMove,
    reduced: i32,
    params: &Params,
) -> PruneDecision {
    prune_if(reduced <= 1 && !position.see_ge(scored.m, -params.see_check))
}

/// Captures that lose too much by exchanges.
fn prune_capture(
    position: &Position,
    scored: &ScoredMove,
    depth: i32,
    params: &Params,
) -> PruneDecision {
    let margin =
        see_margin(depth, false, params) - scored.history.max(0) / params.see_capture_history;
    prune_if(depth <= params.see_capture_depth && !position.see_ge(scored.m, margin))
}

/// Late move pruning, history pruning, futility and exchange loss, in this
/// order; `reduced` is the depth after the usual reduction.
fn prune_quiet(
    position: &Position,
    node: &Node,
    scored: &ScoredMove,
    reduced: i32,
    alpha: Score,
    params: &Params,
) -> PruneDecision {
    let history = scored.history;
    if scored.number > late_move_count(node, params) {
        return PruneDecision::PruneQuiets;
    }
    if reduced <= params.history_prune_depth && history < -params.history_prune * reduced.max(1) {
        return PruneDecision::PruneMove;
    }
    if !node.in_check
        && reduced <= params.futility_depth
        && node.static_eval + futility_margin(reduced, params) + history / params.futility_history
            <= alpha
    {
        return PruneDecision::PruneQuiets;
    }
    prune_if(
        reduced <= params.see_quiet_depth
            && !position.see_ge(scored.m, see_margin(reduced, true, params)),
    )
}

fn prune_if(condition: bool) -> PruneDecision {
    if condition { PruneDecision::PruneMove } else { PruneDecision::Keep }
}

/// Whether a side has a rook, knight or cannon.
fn has_attacker(position: &Position, color: Color) -> bool {
    let kinds = [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon];
    kinds.into_iter().any(|kind| !position.pieces_of(color, kind).is_empty())
}

#[inline]
fn reverse_futility_margin(node: &Node, params: &Params) -> i32 {
    let improving = if node.improving { params.rfp_improving } else { 0 };
    params.rfp_margin * node.depth - improving
}

/// How far below beta the static evaluation of a side that passes may be.
#[inline]
fn null_gate(depth: i32, params: &Params) -> i32 {
    params.null_gate_base + params.null_gate_slope * depth
}

/// How many plies the search after passing is shallower.
#[inline]
fn null_reduction(depth: i32, above_beta: i32, params: &Params) -> i32 {
    (params.null_base + params.null_slope * depth) / 1024
        + (above_beta / params.null_eval_divisor).clamp(0, params.null_eval_max)
}

/// How many moves are searched before quiet ones are left out.
#[inline]
fn late_move_count(node: &Node, params: &Params) -> usize {
    let count = params.lmp_base + params.lmp_slope * node.depth * node.depth / 1024;
    let share = if node.improving { 1024 } else { params.lmp_not_improving };
    (count * share / 1024) as usize
}

/// What a quiet move may add to the static evaluation at most.
#[inline]
fn futility_margin(depth: i32, params: &Params) -> i32 {
    params.futility_base + params.futility_margin * depth
}

/// Exchange loss at which a move is left out.
#[inline]
fn see_margin(depth: i32, is_quiet: bool, params: &Params) -> i32 {
    if is_quiet { -params.see_quiet * depth * depth } else { -params.see_capture * depth }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::{node, quiet, with_searcher};

    #[test]
    fn margins_grow_with_depth() {
        let params = Params::default();
        let count = |depth, improving| late_move_count(&Node { improving, ..node(depth) }, &params);
        for depth in 1..20 {
            assert!(futility_margin(depth, &params) < futility_margin(depth + 1, &params));
            assert!(see_margin(depth, true, &params) > see_margin(depth + 1, true, &params));
            assert!(see_margin(depth, false, &params) > see_margin(depth + 1, false, &params));
            assert!(count(depth, false) < count(depth, true));
            assert!(count(depth, true) < count(depth + 1, true));
        }
        // a ply for every four plies, and for a large surplus
        let params = Params { null_base: 3072, null_slope: 256, ..params };
        let null = |depth, above| null_reduction(depth, above, &params);
        assert_eq!([15, 16].map(|depth| null(depth, 0)), [6, 7]);
        assert_eq!(null(0, 2 * params.null_eval_divisor), 3 + 2);
        assert_eq!(null(0, 9 * params.null_eval_divisor), 3 + params.null_eval_max);
    }

    #[test]
    fn pawns_guards_and_kings_attack_nothing_far_away() {
        let attackers = |fen: &str| {
            let position = Position::from_fen(fen).unwrap();
            Color::ALL.map(|color| has_attacker(&position, color))
        };
        assert_eq!(attackers("3ak4/9/4b4/9/P8/9/9/9/9/4K3R w"), [true, false]);
        assert_eq!(attackers("3ak4/9/4b4/9/P7n/9/9/9/9/4K4 w"), [false, true]);
    }

    #[test]
    fn quiet_moves_are_left_out_late_with_bad_history_without_hope_or_losing_a_piece() {
        let position = Position::from_fen("3ak4/9/4b4/9/P7n/9/9/9/9/4K3R w").unwrap();
        let params = Params::default();
        let node = node(3);
        let decide = |scored: &ScoredMove, alpha: i32| {
            prune_quiet(&position, &node, scored, 2, Score::from_centipawns(alpha), &params)
        };
        assert_eq!(decide(&quiet("i0i1", 3, 0), 0), PruneDecision::Keep);
        assert_eq!(decide(&quiet("i0i1", 99, 0), 0), PruneDecision::PruneQuiets);
        assert_eq!(decide(&quiet("i0i1", 3, -40_000), -400), PruneDecision::PruneMove);
        assert_eq!(decide(&quiet("i0i1", 3, 0), 2_000), PruneDecision::PruneQuiets);
        // the knight on i4 takes the rook on h2
        let losing = Position::from_fen("3ak4/9/4b4/9/P8/8n/9/9/9/4K2R1 w").unwrap();
        let decide = |m: &str| {
            prune_quiet(&losing, &node, &quiet(m, 3, 0), 2, Score::from_centipawns(0), &params)
        };
        assert_eq!(decide("h0h2"), PruneDecision::PruneMove);
        assert_eq!(decide("h0h1"), PruneDecision::Keep);
    }

    #[test]
    fn the_verification_of_a_null_move_is_not_reduced_by_hindsight() {
        // Black has just lost a knight
        let fen = "rnbakab1r/9/1c2c1n2/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R b";
        // reductions that leave the verification some depth
        let params = Params {
            null_base: 3072,
            null_slope: 256,
            null_eval_max: 0,
            null_verify_depth: 4,
            ..Params::default()
        };
        let nodes = |reduction| {
            with_searcher(fen, params.clone(), 12, |searcher| {
                searcher.make(0, "a9a8".parse().unwrap());
                let eval = searcher.evaluate();
                let parent = searcher.stack.at_mut(0);
                (parent.eval, parent.reduction) = (Some(-eval + 300), reduction);
                let beta = eval - 150;
                let node = searcher.evaluate_node::<NonPv>(12, 1, true);
                assert!(searcher.try_null_move(&node, beta).unwrap().is_some());
                searcher.nodes
            })
        };
        assert_eq!(nodes(3), nodes(0));
    }

    #[test]
    fn a_verification_supposes_no_harmless_move() {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b";
        with_searcher(fen, Params::default(), 12, |searcher| {
            searcher.make(0, "a9a8".parse().unwrap());
            let beta = searcher.evaluate() - 800;
            for (null_min_ply, is_pruned) in [(0, true), (1, true), (2, false)] {
                searcher.null_min_ply = null_min_ply;
                let [shallow, deep] = [3, 12].map(|depth| Node {
                    was_pv: false,
                    ..searcher.evaluate_node::<NonPv>(depth, 1, true)
                });
                assert_eq!(searcher.reverse_futility_holds(&shallow, beta), is_pruned);
                assert_eq!(searcher.try_null_move(&deep, beta).unwrap().is_some(), is_pruned);
            }
        });
    }
}
