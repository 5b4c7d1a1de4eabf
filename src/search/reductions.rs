//! How much shallower a late move, or a node that turns out well, is searched.
//! Reductions are in 1/1024 ply.

use std::sync::LazyLock;

use crate::score::Score;

use super::movepick::ScoredMove;
use super::node::Node;
use super::params::Params;

/// One ply in the unit of reductions.
const PLY: i32 = 1024;
/// Depths and move numbers from this on count as one less.
const SIZE: usize = 64;

/// Natural logarithms: short searches must not compute them anew.
static LN: LazyLock<[f64; SIZE]> = LazyLock::new(|| std::array::from_fn(|n| (n as f64).ln()));

/// Late move reductions by depth and number of the move.
pub(super) struct Reductions([[i32; SIZE]; SIZE]);

/// What the reduction of a late move depends on.
#[derive(Clone, Copy)]
pub(super) struct LateMove<'a> {
    pub node: &'a Node,
    pub scored: &'a ScoredMove,
    /// On the principal variation now.
    pub is_pv: bool,
    pub alpha: Score,
    /// Beta cut-offs among the node's children.
    pub cutoffs: u32,
}

impl Params {
    /// Lets every late move be searched to full depth.
    pub fn switch_off_reductions(&mut self) {
        (self.lmr_base, self.lmr_factor, self.lmr_capture_share) = (0, 0, 0);
        (self.lmr_history, self.lmr_capture_history) = (i32::MAX, i32::MAX);
        (self.lmr_was_pv, self.lmr_table_above, self.lmr_pv) = (0, 0, 0);
        (self.lmr_cut_node, self.lmr_not_improving, self.lmr_check) = (0, 0, 0);
        (self.lmr_refutation, self.lmr_table_capture) = (0, 0);
        (self.lmr_cutoffs, self.lmr_all_node_cutoffs) = (0, 0);
    }
}

impl Reductions {
    pub(super) fn new(params: &Params) -> Reductions {
        let ln = &*LN;
        let mut table = [[0; SIZE]; SIZE];
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, reduction) in row.iter_mut().enumerate().skip(1) {
                let product = ln[depth] * ln[number];
                *reduction = params.lmr_base + (product * f64::from(params.lmr_factor)) as i32;
            }
        }
        Reductions(table)
    }

    #[inline]
    fn base(&self, depth: i32, number: usize) -> i32 {
        self.0[depth.clamp(0, SIZE as i32 - 1) as usize][number.min(SIZE - 1)]
    }

    /// The reduction in plies before the circumstances of the move.
    #[inline]
    pub(super) fn base_plies(&self, depth: i32, number: usize) -> i32 {
        self.base(depth, number) / PLY
    }

    /// The reduction in plies; negative: an extension.
    pub(super) fn plies(&self, late: &LateMove, params: &Params) -> i32 {
        let LateMove { node, scored, is_pv, alpha, cutoffs } = *late;
        let base = self.base(node.depth, scored.number);
        let by_history = if scored.is_capture {
            base * params.lmr_capture_share / PLY
                - scored.history * PLY / params.lmr_capture_history
        } else {
            base - scored.history * PLY / params.lmr_history
        };
        let is_all_node = !node.cut_node && !is_pv;
        let many_cutoffs = cutoffs > params.lmr_cutoff_count.cast_unsigned();
        let table_above = node.table_score.is_some_and(|(score, _)| score > alpha);
        let terms = [
            (node.was_pv, -params.lmr_was_pv),
            (node.was_pv && table_above, -params.lmr_table_above),
            (is_pv, -params.lmr_pv),
            (node.cut_node, params.lmr_cut_node),
            (!node.improving, params.lmr_not_improving),
            (scored.gives_check, -params.lmr_check),
            (scored.is_refutation, -params.lmr_refutation),
            (many_cutoffs, params.lmr_cutoffs),
            (many_cutoffs && is_all_node, params.lmr_all_node_cutoffs),
            (node.table_capture, params.lmr_table_capture),
        ];
        let circumstances: i32 = terms.map(|(holds, term)| i32::from(holds) * term).iter().sum();
        (by_history + circumstances) / PLY
    }
}

/// Hindsight: whether a node that was reduced by `reduction` plies stands so
/// well, now that its evaluation is known, that a ply less will do.
/// `eval_sum` is its evaluation plus the opponent's of the node before.
pub(super) fn hindsight_reduces(
    depth: i32,
    reduction: i32,
    eval_sum: i32,
    params: &Params,
) -> bool {
    reduction >= 2 && depth >= 2 && eval_sum > params.hindsight_margin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Bound;
    use crate::search::testing::{node, quiet};

    #[test]
    fn reductions_grow_with_depth_and_number() {
        let reductions = Reductions::new(&Params::default());
        assert_eq!(reductions.base(0, 5), 0);
        for depth in 2..63 {
            for number in 2..63 {
                assert!(reductions.base(depth, number) <= reductions.base(depth + 1, number));
                assert!(reductions.base(depth, number) <= reductions.base(depth, number + 1));
            }
        }
    }

    /// The reduction of a move of a node that is not on the principal variation.
    fn plies(node: &Node, scored: &ScoredMove, cutoffs: u32, params: &Params) -> i32 {
        let late = LateMove { node, scored, is_pv: false, alpha: Score::DRAW, cutoffs };
        Reductions::new(params).plies(&late, params)
    }

    #[test]
    fn promising_moves_are_reduced_less() {
        let params = Params::default();
        let (node, scored) = (Node { cut_node: false, ..node(12) }, quiet("i0i1", 20, 0));
        let usual = plies(&node, &scored, 0, &params);
        for (better, term) in [
            (ScoredMove { is_refutation: true, ..scored }, "refutation"),
            (ScoredMove { history: 30_000, ..scored }, "history"),
            (ScoredMove { is_capture: true, ..scored }, "capture"),
        ] {
            assert!(plies(&node, &better, 0, &params) < usual, "{term}");
        }
        assert!(plies(&node, &ScoredMove { history: -30_000, ..scored }, 0, &params) > usual);
        for (worse, term) in [
            (Node { cut_node: true, ..node }, "cut node"),
            (Node { improving: false, ..node }, "not improving"),
        ] {
            assert!(plies(&worse, &scored, 0, &params) > usual, "{term}");
        }
    }

    #[test]
    fn scores_of_the_table_and_cutoffs_at_all_nodes_count() {
        let params = Params {
            lmr_table_above: 1024,
            lmr_all_node_cutoffs: 1024,
            lmr_cutoffs: 0,
            ..Params::default()
        };
        let scored = quiet("i0i1", 40, 0);
        let all = Node { cut_node: false, was_pv: true, ..node(30) };
        let cut = Node { cut_node: true, ..all };
        let table_score = |cp| Some((Score::from_centipawns(cp), Bound::Lower));
        for (one, other, cutoffs, more) in [
            (all, Node { table_score: table_score(0), ..all }, [0, 0], 0),
            (all, Node { table_score: table_score(1), ..all }, [0, 0], -1),
            (all, all, [0, 99], 1),
            (cut, cut, [0, 99], 0),
        ] {
            let one = plies(&one, &scored, cutoffs[0], &params);
            assert_eq!(plies(&other, &scored, cutoffs[1], &params) - one, more);
        }
    }

    #[test]
    fn all_reductions_can_be_switched_off() {
        // every term alone is more than a ply
        let mut params = Params::default();
        for (name, _) in Params::default().values().filter(|(name, _)| name.starts_with("lmr_")) {
            params.set(name, i32::MAX);
        }
        params.switch_off_reductions();
        for bits in 0..1u32 << 9 {
            let [
                cut_node,
                improving,
                was_pv,
                table_capture,
                is_pv,
                is_capture,
                gives_check,
                is_refutation,
                above,
            ] = std::array::from_fn(|i| bits >> i & 1 != 0);
            let table_score = Some((Score::from_centipawns(i32::from(above)), Bound::Lower));
            let node = Node { cut_node, improving, was_pv, table_capture, table_score, ..node(30) };
            let history = 16_000 - 32_000 * i32::from(above);
            let quiet = quiet("i0i1", 40, history);
            let scored = ScoredMove { is_capture, gives_check, is_refutation, ..quiet };
            let late =
                LateMove { node: &node, scored: &scored, is_pv, alpha: Score::DRAW, cutoffs: 99 };
            assert_eq!(Reductions::new(&params).plies(&late, &params), 0, "{node:?} {scored:?}");
        }
    }

    #[test]
    fn only_reduced_nodes_are_reduced_in_hindsight() {
        let params = Params::default();
        let high = params.hindsight_margin + 1;
        assert!(hindsight_reduces(2, 2, high, &params));
        assert!(!hindsight_reduces(2, 1, high, &params));
        assert!(!hindsight_reduces(1, 2, high, &params));
        assert!(!hindsight_reduces(2, 2, high - 1, &params));
    }
}
