//! What a node teaches: which moves to try first elsewhere, and how far off
//! the static evaluation was.

use crate::board::Move;
use crate::score::{Bound, Score};

use super::history::Tried;
use super::node::Node;
use super::worker::Worker;

impl Worker<'_> {
    /// Learns how much the quiet move that led here changed the evaluation.
    pub(super) fn judge_previous_move(&mut self, node: &Node) {
        let (Some(m), Some(before)) = (self.path.last_quiet(), self.earlier(node.ply, 1).eval)
        else {
            return;
        };
        if !node.in_check {
            let gain = (-(before.raw() + node.static_eval.raw())).clamp(-200, 200);
            let weight = self.job.task.params.gain_weight;
            self.histories.judge_previous(!self.position.side_to_move(), m, gain * weight);
        }
    }

    /// A table move that is enough for a cut-off was good.
    pub(super) fn reward_table_move(&mut self, node: &Node) {
        if let Some(best) = node.table_move()
            && self.position.is_pseudo_legal(best)
            && !self.position.is_capture(best)
        {
            let trail = self.trail(node.ply);
            let none = Tried::default();
            let params = &self.job.task.params;
            self.histories.reward(&self.position, &trail, best, &none, node.depth, params);
        }
    }

    /// Updates killers and histories after a node.
    pub(super) fn learn(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        best: Score,
        beta: Score,
        tried: &Tried,
    ) {
        let Some(m) = best_move else { return self.praise_previous_move(node) };
        let trail = self.trail(node.ply);
        let depth = node.depth + i32::from(best > beta + 80);
        self.histories.reward(&self.position, &trail, m, tried, depth, &self.job.task.params);
        if best >= beta {
            let is_capture = self.position.is_capture(m);
            let frame = self.frame_mut(node.ply);
            frame.cutoffs += 1;
            if !is_capture && frame.killers[0] != Some(m) {
                frame.killers = [Some(m), frame.killers[0]];
            }
        }
    }

    /// The quiet move that led to a node where every answer fails low was good.
    fn praise_previous_move(&mut self, node: &Node) {
        if node.ply == 0 {
            return;
        }
        if let Some(m) = self.path.last_quiet() {
            let params = &self.job.task.params;
            let bonus = (params.prior_slope * node.depth).min(params.prior_max);
            let trail = self.trail(node.ply - 1);
            let played = self.earlier(node.ply, 1).played;
            self.histories.update_continuation(&trail, played, bonus);
            self.histories.judge_previous(!self.position.side_to_move(), m, bonus);
        }
    }

    /// Corrects the static evaluation by what the search found.
    pub(super) fn correct(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        best: Score,
        bound: Bound,
    ) {
        let off_in_bounds_direction = match bound {
            Bound::Exact => true,
            Bound::Lower => best > node.static_eval,
            Bound::Upper => best < node.static_eval,
        };
        let is_capture = best_move.is_some_and(|m| self.position.is_capture(m));
        if !node.in_check && !is_capture && !best.is_decisive() && off_in_bounds_direction {
            let trail = self.trail(node.ply);
            let error = best - node.static_eval;
            self.histories.correct(&self.position, &trail, error, node.depth);
        }
    }
}
