//! How much deeper than usual a move is searched.

use crate::board::Move;
use crate::score::{Bound, Score};

use super::movepick::ScoredMove;
use super::node::{Node, NodeKind, NonPv};
use super::params::Params;
use super::searcher::{Searcher, Stopped};

/// How deep a move is searched, or that it need not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    /// So many plies deeper; negative: shallower.
    By(i32),
    /// The node fails high with this score.
    Cutoff(Score),
}

impl Searcher<'_> {
    /// The extension of a move; `is_forced` says that it is the only answer to
    /// a check.
    pub(super) fn extension<N: NodeKind>(
        &mut self,
        node: &Node,
        scored: &ScoredMove,
        is_forced: bool,
        beta: Score,
    ) -> Result<Extension, Stopped> {
        let has_room = node.ply < 2 * self.depth as usize;
        if N::ROOT || !has_room {
            return Ok(Extension::By(0));
        }
        if node.excluded.is_none()
            && node.table_move() == Some(scored.m)
            && let Some(extension) = self.singular_extension::<N>(node, scored.m, beta)?
        {
            return Ok(extension);
        }
        let inherited = self.stack.before(node.ply, 1).double_extensions;
        self.stack.at_mut(node.ply).double_extensions = inherited;
        // off the principal variation that costs half a ply of depth in endings
        let extends_check = N::PV && scored.gives_check && self.position.see_ge(scored.m, 0);
        Ok(Extension::By(i32::from(is_forced || extends_check)))
    }

    /// Singular extension: the table move is searched deeper if no other move
    /// comes near its score, and shallower if several do.
    fn singular_extension<N: NodeKind>(
        &mut self,
        node: &Node,
        table_move: Move,
        beta: Score,
    ) -> Result<Option<Extension>, Stopped> {
        let params = &self.shared.options.params;
        let Some(table_score) = singular_candidate(node, params) else { return Ok(None) };
        let ply = node.ply;
        let target = singular_beta(table_score, node.depth, params);
        let (double_margin, double_count) =
            (params.double_margin, params.double_count.cast_unsigned());
        self.stack.at_mut(ply).excluded = Some(table_move);
        // quiescence would not leave the table move out
        let depth = ((node.depth - 1) * params.singular_share / 1024).max(1);
        let score = self.pvs::<NonPv>(target - 1, target, depth, ply, node.cut_node);
        self.stack.at_mut(ply).excluded = None;
        let score = score?;
        if score < target {
            let entry = self.stack.at_mut(ply);
            let is_double =
                !N::PV && score < target - double_margin && entry.double_extensions < double_count;
            entry.double_extensions += u32::from(is_double);
            return Ok(Some(Extension::By(1 + i32::from(is_double))));
        }
        if score >= beta && !score.is_decisive() {
            // multi-cut: two moves hold beta
            return Ok(Some(Extension::Cutoff(score)));
        }
        let negative = match table_score {
            _ if table_score >= beta => -2,
            _ if node.cut_node => -1,
            _ => 0,
        };
        Ok(Some(Extension::By(negative)))
    }

    /// Whether the side to move is in check with one legal answer.
    pub(super) fn has_forced_reply<N: NodeKind>(&self, node: &Node) -> bool {
        !N::ROOT && node.in_check && self.position.has_single_legal_move()
    }
}

/// The table's score if it promises that its move holds up, deep enough for a
/// verification to mean something.
fn singular_candidate(node: &Node, params: &Params) -> Option<Score> {
    let (entry, (score, bound)) = (node.entry?, node.table_score?);
    let is_candidate = node.depth >= params.singular_depth + i32::from(node.was_pv)
        && !score.is_decisive()
        && bound != Bound::Upper
        && entry.depth >= node.depth - params.singular_entry_depth;
    is_candidate.then_some(score)
}

/// What every other move must stay below for the table move to count as the
/// only good one.
#[inline]
fn singular_beta(table_score: Score, depth: i32, params: &Params) -> Score {
    table_score - params.singular_margin * depth / 16
}
