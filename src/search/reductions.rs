//! How much shallower a late move, or a node that turns out well, is searched.
//! Reductions are in 1/1024 ply.

use std::sync::LazyLock;

use super::node::FULL_BOARD;
use super::params::Params;

/// One ply in the unit of reductions.
const PLY: i32 = 1024;
/// Depths and move numbers beyond this count as this.
const SIZE: usize = 64;

/// Natural logarithms: short searches must not compute them anew.
static LN: LazyLock<[f64; SIZE]> = LazyLock::new(|| std::array::from_fn(|n| (n as f64).ln()));

/// Late move reductions by depth and number of the move.
pub(super) struct Reductions([[i32; SIZE]; SIZE]);

/// What the reduction of a late move depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LateMove {
    /// Depth of the node.
    pub depth: i32,
    /// Number of the move among the legal ones, from 1.
    pub number: usize,
    pub is_capture: bool,
    pub gives_check: bool,
    /// Whether it is a killer or the counter move.
    pub is_refutation: bool,
    /// Its history score.
    pub history: i32,
    /// On the principal variation now.
    pub is_pv: bool,
    /// On a principal variation now or once.
    pub was_pv: bool,
    pub cut_node: bool,
    pub improving: bool,
    /// Beta cut-offs among the node's children.
    pub cutoffs: u32,
    /// Whether the table move is a capture.
    pub table_capture: bool,
    /// Whether the table knows a move.
    pub table_move: bool,
    /// Whether the table's score is above alpha.
    pub table_above: bool,
    /// Whether the table's entry is as deep as the node.
    pub table_depth: bool,
    /// How much the evaluation was corrected, centipawns.
    pub correction: i32,
    /// Pieces that are no longer on the board.
    pub missing: i32,
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
        let base = self.base(late.depth, late.number);
        let by_history = if late.is_capture {
            base * params.lmr_capture_share / PLY - late.history * PLY / params.lmr_capture_history
        } else {
            base - late.history * PLY / params.lmr_history
        };
        let is_all_node = !late.cut_node && !late.is_pv;
        let many_cutoffs = late.cutoffs > params.lmr_cutoff_count.cast_unsigned();
        let terms = [
            (late.was_pv, -params.lmr_was_pv),
            (late.was_pv && late.table_above, -params.lmr_table_above),
            (late.was_pv && late.table_depth, -params.lmr_table_depth),
            (late.is_pv, -params.lmr_pv),
            (late.cut_node, params.lmr_cut_node),
            (late.cut_node && !late.table_move, params.lmr_no_table_move),
            (!late.improving, params.lmr_not_improving),
            (late.gives_check, -params.lmr_check),
            (late.is_refutation, -params.lmr_refutation),
            (many_cutoffs, params.lmr_cutoffs),
            (many_cutoffs && is_all_node, params.lmr_all_node_cutoffs),
            (late.table_capture, params.lmr_table_capture),
        ];
        let circumstances: i32 = terms.map(|(holds, term)| i32::from(holds) * term).iter().sum();
        let by_pieces = params.lmr_pieces * late.missing / FULL_BOARD;
        let by_correction = params.lmr_correction * late.correction;
        (by_history + circumstances + by_pieces - by_correction) / PLY
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

    #[test]
    fn promising_moves_are_reduced_less() {
        let params = Params::default();
        let reductions = Reductions::new(&params);
        let plain = LateMove { depth: 12, number: 20, improving: true, ..LateMove::default() };
        let usual = reductions.plies(&plain, &params);
        for (better, term) in [
            (LateMove { is_refutation: true, ..plain }, "refutation"),
            (LateMove { history: 30_000, ..plain }, "history"),
            (LateMove { is_capture: true, ..plain }, "capture"),
        ] {
            assert!(reductions.plies(&better, &params) < usual, "{term}");
        }
        for (worse, term) in [
            (LateMove { cut_node: true, ..plain }, "cut node"),
            (LateMove { improving: false, ..plain }, "not improving"),
            (LateMove { history: -30_000, ..plain }, "history"),
        ] {
            assert!(reductions.plies(&worse, &params) > usual, "{term}");
        }
    }

    #[test]
    fn what_the_table_knows_corrections_and_pieces_count() {
        let params = Params {
            lmr_table_above: 1024,
            lmr_table_depth: 2048,
            lmr_no_table_move: 3072,
            lmr_all_node_cutoffs: 1024,
            lmr_cutoffs: 0,
            lmr_correction: 16,
            lmr_pieces: 2048,
            ..Params::default()
        };
        let reductions = Reductions::new(&params);
        let pv = LateMove { depth: 30, number: 40, was_pv: true, ..LateMove::default() };
        let cut = LateMove { cut_node: true, table_move: true, ..pv };
        let many = LateMove { cutoffs: 99, ..pv };
        for (one, other, more) in [
            (pv, LateMove { table_above: true, ..pv }, -1),
            (pv, LateMove { table_depth: true, ..pv }, -2),
            (cut, LateMove { table_move: false, ..cut }, 3),
            (pv, many, 1),
            (cut, LateMove { cutoffs: 99, ..cut }, 0),
            (pv, LateMove { correction: 64, ..pv }, -1),
            (pv, LateMove { missing: 16, ..pv }, 1),
        ] {
            let [one, other] = [one, other].map(|late| reductions.plies(&late, &params));
            assert_eq!(other - one, more);
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
