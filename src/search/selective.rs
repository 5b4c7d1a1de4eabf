//! What a node leaves out, searches shallower or searches deeper: the places
//! where the decisions of [`prune`](super::prune) are asked for.

use crate::board::{Color, Move, PieceKind};
use crate::score::{Bound, Score};

use super::candidates::Candidate;
use super::history::PieceTo;
use super::node::{Node, NodeKind, NonPv};
use super::picker::{Context, Picker, Scope};
use super::prune::{
    PLY, futility_margin, late_move_count, null_reduction, razor_margin, reverse_futility_margin,
    see_margin, singular_beta,
};
use super::worker::{Stopped, Worker};

impl Worker<'_> {
    /// Pruning before any move is tried.
    pub(super) fn prune_node(
        &mut self,
        node: &Node,
        alpha: Score,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let params = &self.job.task.params;
        if node.depth <= 4 && node.eval + razor_margin(node.depth, params) < alpha {
            let score = self.quiesce_null(alpha, node.ply)?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }
        let quiet_table_move = node.table_move().is_some_and(|m| !self.position.is_capture(m));
        if node.depth <= params.rfp_depth
            && !node.was_pv
            && !quiet_table_move
            && !beta.is_loss()
            && !node.eval.is_decisive()
            && node.eval - reverse_futility_margin(node.depth, node.improving, params) >= beta
        {
            return Ok(Some(Score::from_raw((node.eval.raw() + beta.raw()) / 2)));
        }
        if let Some(score) = self.try_null_move(node, beta)? {
            return Ok(Some(score));
        }
        self.try_probcut(node, beta)
    }

    /// Null move: if passing still holds beta, a real move will.
    ///
    /// Stalemate loses in Xiangqi, so zugzwang is real: a side without an
    /// attacker never passes, and deep fail highs are verified.
    fn try_null_move(&mut self, node: &Node, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = &self.job.task.params;
        let ply = node.ply;
        let allowed = self.earlier(ply, 1).played != PieceTo::NONE
            && node.depth >= 3
            && node.eval >= beta
            && node.static_eval + 20 * node.depth - 120 >= beta
            && !beta.is_loss()
            && ply >= self.null_min_ply
            && self.has_attacker(self.position.side_to_move());
        if !allowed {
            return Ok(None);
        }
        let reduction = null_reduction(node.depth, node.eval - beta, params);
        let depth = node.depth - reduction;
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
        self.null_min_ply = ply + (3 * depth.max(1) as usize) / 4;
        let verified = self.pvs::<NonPv>(beta - 1, beta, depth, ply, false);
        self.null_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut: a good capture that holds beta by a margin in a shallow search
    /// will hold beta in a deep one.
    fn try_probcut(&mut self, node: &Node, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = &self.job.task.params;
        let target = beta + params.probcut_margin;
        let table_denies = node.entry.is_some_and(|entry| {
            entry.depth >= node.depth - 3
                && node.table_score.is_some_and(|(score, _)| score < target)
        });
        if node.depth < params.probcut_depth || beta.is_decisive() || table_denies {
            return Ok(None);
        }
        let ply = node.ply;
        let depth = node.depth - 4;
        let threshold = target - node.static_eval;
        let mut picker =
            Picker::new(&self.position, Scope::Captures, node.table_move(), [None; 3], threshold);
        let trail = self.trail(ply);
        let check_squares = self.position.check_squares();
        loop {
            let context = Context {
                position: &self.position,
                histories: self.histories,
                trail: &trail,
                check_squares: &check_squares,
            };
            let Some(m) = picker.next(&context) else { return Ok(None) };
            if !self.position.is_safe(m) {
                continue;
            }
            self.make(ply, m);
            let mut score = -self.quiesce_null(-target, ply + 1)?;
            if score >= target && depth > 0 {
                score = -self.pvs::<NonPv>(-target, -target + 1, depth, ply + 1, !node.cut_node)?;
            }
            self.unmake();
            if score >= target {
                self.remember(ply, node.found(Some(m), score, Bound::Lower, depth + 1));
                return Ok(Some(if score.is_decisive() { score } else { beta }));
            }
        }
    }

    /// Pruning of a single move before it is searched.
    pub(super) fn skip(&self, node: &Node, candidate: &Candidate, alpha: Score) -> Skip {
        let &Candidate { m, number, is_capture, gives_check, history, .. } = candidate;
        if number == 1 || !self.has_attacker(self.position.side_to_move()) {
            return Skip::No;
        }
        let params = &self.job.task.params;
        let reduction = self.reductions.base(node.depth, number) / PLY;
        let depth = (node.depth - reduction).max(0);
        if gives_check {
            // a sacrifice with check may mate: only hopeless ones are left out
            return if depth <= 1 && !self.position.see_ge(m, -params.see_check) {
                Skip::ThisMove
            } else {
                Skip::No
            };
        }
        if is_capture {
            let margin = see_margin(node.depth, false, params) - history.max(0) / 64;
            return if node.depth <= 8 && !self.position.see_ge(m, margin) {
                Skip::ThisMove
            } else {
                Skip::No
            };
        }
        if number > late_move_count(node.depth, node.improving, params) {
            return Skip::AllQuiets;
        }
        if depth <= 5 && history < -params.history_prune * depth.max(1) {
            return Skip::ThisMove;
        }
        if !node.in_check
            && depth <= params.futility_depth
            && node.static_eval + futility_margin(depth, params) + history / 300 <= alpha
        {
            return Skip::AllQuiets;
        }
        if depth <= 9 && !self.position.see_ge(m, see_margin(depth, true, params)) {
            return Skip::ThisMove;
        }
        Skip::No
    }

    /// How much deeper than usual a move is searched.
    pub(super) fn extension<N: NodeKind>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        forced: bool,
        beta: Score,
        excluded: Option<Move>,
    ) -> Result<Extension, Stopped> {
        let ply = node.ply;
        let room = ply < 2 * self.depth as usize;
        if N::ROOT || !room {
            return Ok(Extension::By(0));
        }
        if excluded.is_none()
            && node.table_move() == Some(candidate.m)
            && let Some(extension) = self.singular_extension::<N>(node, candidate.m, beta)?
        {
            return Ok(extension);
        }
        let checks = candidate.gives_check
            && (N::PV || node.depth <= 6)
            && self.position.see_ge(candidate.m, 0);
        Ok(Extension::By(i32::from(forced || checks)))
    }

    /// Singular extension: the table move is searched deeper if no other move
    /// comes near its score.
    fn singular_extension<N: NodeKind>(
        &mut self,
        node: &Node,
        table_move: Move,
        beta: Score,
    ) -> Result<Option<Extension>, Stopped> {
        let params = &self.job.task.params;
        let (Some(entry), Some((table_score, bound))) = (node.entry, node.table_score) else {
            return Ok(None);
        };
        if node.depth < params.singular_depth + i32::from(node.was_pv)
            || table_score.is_decisive()
            || bound == Bound::Upper
            || entry.depth < node.depth - 3
        {
            return Ok(None);
        }
        let ply = node.ply;
        let target = singular_beta(table_score, node.depth, params);
        let double_margin = params.double_margin;
        self.frame_mut(ply).excluded = Some(table_move);
        let score = self.pvs::<NonPv>(target - 1, target, (node.depth - 1) / 2, ply, node.cut_node);
        self.frame_mut(ply).excluded = None;
        let score = score?;
        if score < target {
            let double =
                !N::PV && score < target - double_margin && self.frame(ply).double_extensions < 12;
            self.frame_mut(ply).double_extensions += u32::from(double);
            return Ok(Some(Extension::By(1 + i32::from(double))));
        }
        if score >= beta && !score.is_decisive() {
            // multi-cut: two moves hold beta
            return Ok(Some(Extension::Cutoff(score)));
        }
        let negative = if table_score >= beta {
            -2
        } else if node.cut_node {
            -1
        } else {
            0
        };
        Ok(Some(Extension::By(negative)))
    }

    /// Late move reduction in plies.
    pub(super) fn reduction<N: NodeKind>(&self, node: &Node, candidate: &Candidate) -> i32 {
        let params = &self.job.task.params;
        let mut reduction = self.reductions.base(node.depth, candidate.number);
        if candidate.is_capture {
            reduction = reduction / 2 - candidate.history * PLY / 16_384;
        } else {
            reduction -= candidate.history * PLY / params.lmr_history;
        }
        if node.was_pv {
            reduction -= params.lmr_was_pv;
        }
        if N::PV {
            reduction -= params.lmr_pv;
        }
        if node.cut_node {
            reduction += params.lmr_cut_node;
        }
        if !node.improving {
            reduction += params.lmr_not_improving;
        }
        if candidate.gives_check {
            reduction -= params.lmr_check;
        }
        if candidate.is_refutation {
            reduction -= params.lmr_refutation;
        }
        if self.frame(node.ply + 1).cutoffs > 3 {
            reduction += params.lmr_cutoffs;
        }
        if node.table_move().is_some_and(|m| self.position_before_is_capture(m)) {
            reduction += params.lmr_table_capture;
        }
        reduction / PLY
    }

    /// Whether the table move of the node just left was a capture; the move
    /// being searched is already on the board.
    fn position_before_is_capture(&self, table_move: Move) -> bool {
        self.position
            .piece_at(table_move.to())
            .is_some_and(|piece| piece.color() == self.position.side_to_move())
    }

    /// Whether the side to move is in check with one legal answer.
    pub(super) fn is_forced_reply<N: NodeKind>(&self, node: &Node) -> bool {
        !N::ROOT && node.in_check && self.position.count_legal_moves() == 1
    }

    /// Whether a side has a rook, knight or cannon.
    fn has_attacker(&self, color: Color) -> bool {
        let kinds = [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon];
        kinds.into_iter().any(|kind| !self.position.pieces_of(color, kind).is_empty())
    }
}

/// Whether a move is left out.
pub(super) enum Skip {
    No,
    ThisMove,
    AllQuiets,
}

/// How deep a move is searched, or that it need not be.
pub(super) enum Extension {
    By(i32),
    Cutoff(Score),
}
