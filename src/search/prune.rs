//! The decisions of a node as pure functions, one per technique.
//!
//! Depths are plies, margins centipawns, reductions 1/1024 ply. All are
//! heuristics: they may cut away a good move, and pay for it in depth.

use std::sync::LazyLock;

use crate::score::Score;

use super::params::Params;

/// One ply in the unit of reductions.
pub(super) const PLY: i32 = 1024;

/// Reverse futility: the margin by which a static evaluation must exceed beta
/// for a shallow node to be given up as won.
#[inline]
pub(super) fn reverse_futility_margin(depth: i32, improving: bool, params: &Params) -> i32 {
    params.rfp_margin * depth - if improving { params.rfp_improving } else { 0 }
}

/// Razoring: the margin by which a static evaluation must stay below alpha
/// for the node to be left to quiescence.
#[inline]
pub(super) fn razor_margin(depth: i32, params: &Params) -> i32 {
    params.razor_base + params.razor_slope * depth * depth
}

/// Null move: how many plies the search after passing is shallower.
#[inline]
pub(super) fn null_reduction(depth: i32, above_beta: i32, params: &Params) -> i32 {
    params.null_base
        + depth / params.null_depth_divisor
        + (above_beta / params.null_eval_divisor).clamp(0, 4)
}

/// Late move pruning: how many moves are searched before quiet ones are left
/// out.
#[inline]
pub(super) fn late_move_count(depth: i32, improving: bool, params: &Params) -> usize {
    let count = params.lmp_base + params.lmp_slope * depth * depth / 1024;
    (if improving { count } else { count / 2 }) as usize
}

/// Futility: what a quiet move may add to the static evaluation at most.
#[inline]
pub(super) fn futility_margin(depth: i32, params: &Params) -> i32 {
    params.futility_base + params.futility_margin * depth
}

/// Exchange loss at which a move is left out.
#[inline]
pub(super) fn see_margin(depth: i32, is_quiet: bool, params: &Params) -> i32 {
    if is_quiet { -params.see_quiet * depth * depth } else { -params.see_capture * depth }
}

/// Singular extension: what every other move must stay below for the table
/// move to count as the only good one.
#[inline]
pub(super) fn singular_beta(table_score: Score, depth: i32, params: &Params) -> Score {
    table_score - params.singular_margin * depth / 16
}

/// A static evaluation on the way to the natural move limit, which makes a
/// draw of it: `fade` / 1024 of it is gone there.
#[inline]
pub(super) fn faded(eval: Score, quiet_plies: u16, quiet_limit: u16, params: &Params) -> Score {
    let limit = i32::from(quiet_limit.max(1));
    let share = i32::from(quiet_plies.min(quiet_limit)) * params.fade / limit;
    Score::from_centipawns(eval.raw() - eval.raw() * share / 1024)
}

/// Late move reductions by depth and number of the move.
pub(super) struct Reductions([[i32; 64]; 64]);

/// Natural logarithms: short searches must not compute them anew.
static LN: LazyLock<[f64; 64]> = LazyLock::new(|| std::array::from_fn(|n| (n as f64).ln()));

impl Reductions {
    pub(super) fn new(params: &Params) -> Reductions {
        let ln = &*LN;
        let mut table = [[0; 64]; 64];
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, reduction) in row.iter_mut().enumerate().skip(1) {
                let product = ln[depth] * ln[number];
                *reduction = params.lmr_base + (product * f64::from(params.lmr_factor)) as i32;
            }
        }
        Reductions(table)
    }

    /// The reduction before the circumstances of the move.
    #[inline]
    pub(super) fn base(&self, depth: i32, number: usize) -> i32 {
        self.0[depth.clamp(0, 63) as usize][number.min(63)]
    }
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
    fn evaluations_fade_towards_the_limit_however_far_it_is() {
        let params = Params::default();
        for limit in [0, 1, 120, 1_000, u16::MAX] {
            for eval in [-15_000, -300, 0, 40, 15_000].map(Score::from_centipawns) {
                let now = faded(eval, 0, limit, &params);
                let late = faded(eval, limit, limit, &params);
                assert_eq!(now, eval);
                assert!(late.raw().abs() <= eval.raw().abs() && late.raw() * eval.raw() >= 0);
            }
        }
        let faded = |quiet| faded(Score::from_centipawns(1_000), quiet, 120, &params).raw();
        assert!(faded(30) > faded(60) && faded(60) > faded(119));
    }

    #[test]
    fn margins_grow_with_depth() {
        let params = Params::default();
        for depth in 1..20 {
            assert!(razor_margin(depth, &params) < razor_margin(depth + 1, &params));
            assert!(null_reduction(depth, 50, &params) <= null_reduction(depth + 1, 50, &params));
            assert!(
                late_move_count(depth, false, &params) <= late_move_count(depth, true, &params)
            );
            assert!(see_margin(depth, true, &params) > see_margin(depth + 1, true, &params));
        }
    }
}
