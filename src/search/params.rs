//! Every constant of the search that tuning may want, declared once.

/// One tunable constant: its name, bounds and the step with which a tuner
/// should move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// The name, as the field of [`Params`].
    pub name: &'static str,
    /// The shipped value.
    pub default: i32,
    /// The lowest sensible value.
    pub min: i32,
    /// The highest sensible value.
    pub max: i32,
    /// A change that should be just noticeable.
    pub step: i32,
}

impl ParamInfo {
    /// Whether it matters on a clock alone, not where nodes are counted.
    pub fn is_of_clock(&self) -> bool {
        self.name.starts_with("clock_")
    }
}

macro_rules! params {
    ($($(#[doc = $doc:literal])+ $name:ident: $default:literal, $min:literal..=$max:literal, $step:literal;)+) => {
        /// The constants of the search; centipawns, plies or history units as
        /// said at each. [`Params::default`] is what is shipped.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[doc = $doc])+ pub $name: i32,)+
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $default,)+ }
            }
        }

        impl Params {
            /// All constants in the order of their declaration.
            pub const INFO: &'static [ParamInfo] = &[
                $(ParamInfo {
                    name: stringify!($name),
                    default: $default,
                    min: $min,
                    max: $max,
                    step: $step,
                },)+
            ];

            /// Names and values of all constants, in the order of
            /// [`Params::INFO`].
            pub fn values(&self) -> impl Iterator<Item = (&'static str, i32)> {
                [$((stringify!($name), self.$name)),+].into_iter()
            }

            /// Sets a constant by name, case ignored, limited to its bounds.
            /// Returns whether there is one of that name.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                $(if name.eq_ignore_ascii_case(stringify!($name)) {
                    self.$name = value.clamp($min, $max);
                    return true;
                })+
                false
            }
        }
    };
}

params! {
    /// Half width of the first aspiration window, centipawns.
    aspiration_delta: 25, 4..=60, 3;
    /// An aspiration window that failed grows by this share, 1/1024.
    aspiration_growth: 377, 100..=2048, 150;
    /// Deepest node where a static evaluation far above beta ends the search.
    rfp_depth: 6, 4..=14, 1;
    /// Reverse futility margin per ply of depth.
    rfp_margin: 76, 20..=160, 8;
    /// Taken off the reverse futility margin when the evaluation is improving.
    rfp_improving: 46, 0..=160, 8;
    /// Reverse futility: share of the evaluation in the score returned, 1/1024;
    /// the rest is beta.
    rfp_eval_share: 519, 0..=1024, 120;
    /// Null move: depth reduction before the other terms, 1/1024 ply,
    null_base: 5208, 2048..=8192, 500;
    /// and for each ply of depth.
    null_slope: 458, 0..=1024, 80;
    /// Null move: centipawns above beta per extra ply of reduction.
    null_eval_divisor: 104, 40..=400, 25;
    /// Null move: extra plies of reduction at most.
    null_eval_max: 4, 0..=8, 1;
    /// Null move: the static evaluation may be so far below beta, centipawns,
    null_gate_base: -118, -400..=200, 15;
    /// and so much further per ply of depth.
    null_gate_slope: 19, 0..=60, 3;
    /// Null move: depth from which a fail high is verified.
    null_verify_depth: 14, 8..=24, 2;
    /// ProbCut: margin above beta.
    probcut_margin: 137, 80..=400, 15;
    /// ProbCut: shallowest depth.
    probcut_depth: 7, 4..=8, 1;
    /// ProbCut: plies that its search is shallower.
    probcut_reduction: 4, 2..=6, 1;
    /// Late move pruning: moves searched at depth 0.
    lmp_base: 11, 1..=20, 1;
    /// Late move pruning: moves more per squared ply of depth, 1/1024.
    lmp_slope: 1158, 300..=3072, 200;
    /// Late move pruning: share of these if the evaluation is not improving,
    /// 1/1024.
    lmp_not_improving: 632, 200..=1024, 100;
    /// Deepest node for futility pruning of quiet moves (reduced depth).
    futility_depth: 7, 4..=14, 1;
    /// Futility margin at depth 0.
    futility_base: 30, -100..=300, 15;
    /// Futility margin per ply of reduced depth.
    futility_margin: 50, 5..=200, 8;
    /// Futility: history units that count as a centipawn.
    futility_history: 143, 50..=2000, 60;
    /// History pruning: limit per ply of depth, history units.
    history_prune: 10659, 1000..=16000, 1200;
    /// Deepest node for history pruning (reduced depth).
    history_prune_depth: 5, 2..=12, 1;
    /// Deepest node for SEE pruning of quiet moves (reduced depth).
    see_quiet_depth: 8, 2..=20, 1;
    /// SEE pruning of quiet moves: loss allowed per squared ply, centipawns.
    see_quiet: 14, 5..=80, 5;
    /// SEE pruning of captures: loss allowed per ply, centipawns.
    see_capture: 115, 30..=250, 15;
    /// Deepest node for SEE pruning of captures.
    see_capture_depth: 6, 2..=20, 1;
    /// SEE pruning of captures: history units that count as a centipawn.
    see_capture_history: 58, 10..=400, 16;
    /// SEE pruning of checks at the last ply: loss allowed, centipawns.
    see_check: 687, 50..=1000, 100;
    /// Late move reductions: constant part, 1/1024 ply.
    lmr_base: 447, 0..=2048, 120;
    /// Late move reductions: factor of log(depth) * log(moves), 1/1024 ply.
    lmr_factor: 266, 80..=900, 30;
    /// Late move reductions: history units per ply less.
    lmr_history: 15160, 3000..=20000, 1500;
    /// Late move reductions: where a cut-off is expected, 1/1024 ply more.
    lmr_cut_node: 1491, 0..=3072, 150;
    /// Late move reductions: on what once was a principal variation, 1/1024 ply
    /// less.
    lmr_was_pv: 647, 0..=2560, 120;
    /// Late move reductions: there, if the table's score is above alpha, 1/1024 ply
    /// less.
    lmr_table_above: 504, 0..=2048, 150;
    /// Late move reductions: on the principal variation, 1/1024 ply less.
    lmr_pv: 139, 0..=2048, 120;
    /// Late move reductions: if the evaluation is not improving, 1/1024 ply more.
    lmr_not_improving: 1188, 0..=1536, 120;
    /// Late move reductions: moves that give check, 1/1024 ply less.
    lmr_check: 131, 0..=2048, 120;
    /// Late move reductions: killers and counter moves, 1/1024 ply less.
    lmr_refutation: 935, 0..=2560, 120;
    /// Late move reductions: if the children cut off often, 1/1024 ply more.
    lmr_cutoffs: 429, 0..=2048, 120;
    /// Late move reductions: the same where no cut-off is expected, beside it.
    lmr_all_node_cutoffs: 235, 0..=2048, 150;
    /// Late move reductions: if the table move is a capture, 1/1024 ply more.
    lmr_table_capture: 726, 0..=2048, 120;
    /// Late move reductions: share that holds for captures, 1/1024.
    lmr_capture_share: 75, 0..=1536, 150;
    /// Late move reductions: history units of captures per ply less.
    lmr_capture_history: 4972, 4000..=40000, 3000;
    /// Late move reductions: cut-offs of the children that are not many yet.
    lmr_cutoff_count: 3, 0..=8, 1;
    /// Shallowest node that is reduced for want of a table move.
    internal_reduction_depth: 3, 1..=10, 1;
    /// Singular extension: shallowest depth.
    singular_depth: 5, 4..=10, 1;
    /// Singular extension: margin per ply of depth, 1/16 centipawn.
    singular_margin: 39, 6..=48, 3;
    /// Singular extension: depth of the verification, 1/1024 of that of its moves.
    singular_share: 374, 300..=800, 50;
    /// Double extension: centipawns below the singular margin.
    double_margin: 11, 0..=60, 4;
    /// Singular extension: plies that the table's entry may be shallower.
    singular_entry_depth: 1, 1..=6, 1;
    /// Double extensions on one line at most.
    double_count: 3, 2..=40, 3;
    /// Quiescence: what a capture may add to the static evaluation beyond the
    /// captured piece.
    qsearch_futility: 181, 60..=400, 20;
    /// Quiescence: exchange loss still searched, centipawns.
    qsearch_see: 55, 0..=150, 10;
    /// Quiescence: evasions searched before the quiet ones left are given up.
    qsearch_evasions: 5, 1..=10, 1;
    /// Ordering: history units that a quiet check is worth,
    order_check: 19755, 0..=32000, 2500;
    /// that a check is worth that loses more than the next constant,
    order_sacrifice: 9335, 0..=32000, 2500;
    /// which is an exchange loss in centipawns;
    order_check_see: 116, 0..=400, 30;
    /// that fleeing is worth to a knight or a cannon,
    order_minor_threat: 10505, 0..=32000, 2500;
    /// and to a rook;
    order_rook_threat: 14269, 0..=32000, 2500;
    /// that a centipawn of a captured piece is worth;
    order_victim: 25, 4..=64, 4;
    /// weight of the history of captures, 1/1024.
    order_capture_history: 456, 0..=2048, 100;
    /// History bonus per ply of depth.
    bonus_slope: 110, 60..=300, 20;
    /// Largest history bonus.
    bonus_max: 1540, 800..=3000, 150;
    /// History malus per ply of depth.
    malus_slope: 225, 60..=600, 35;
    /// Largest history malus.
    malus_max: 1488, 500..=3000, 150;
    /// Share of bonus and malus that the history by pawns gets, 1/1024,
    bonus_pawn: 1011, 0..=3072, 150;
    /// those by the moves before,
    bonus_continuation: 1261, 0..=3072, 150;
    /// and that of captures.
    bonus_capture: 772, 0..=3072, 150;
    /// Share of its depth that a table move is praised for which is enough for a
    /// cut-off, 1/1024.
    bonus_table_move: 1235, 0..=3072, 150;
    /// A reduced move this much above the best score is searched deeper.
    deeper_margin: 87, 0..=400, 8;
    /// A reduced move less than this above the best score is searched shallower.
    shallower_margin: 30, 0..=100, 3;
    /// Sum of both sides' evaluations beyond which a reduced node is searched
    /// shallower, centipawns.
    hindsight_margin: 198, 40..=1000, 30;
    /// Weight of the history of quiet moves by pawns, 1/1024 of that by side,
    history_pawn_weight: 547, 0..=3072, 150;
    /// of that by the last move,
    history_last_weight: 975, 0..=3072, 150;
    /// by the own move before it,
    history_own_weight: 1110, 0..=3072, 150;
    /// by those four and six plies ago.
    history_far_weight: 545, 0..=1536, 150;
    /// A best score this far above beta counts as a ply of depth in histories.
    history_beta_margin: 39, 0..=400, 25;
    /// Bonus per ply of depth of the quiet move that let all answers fail low.
    prior_slope: 208, 0..=300, 25;
    /// Largest bonus of such a move.
    prior_max: 984, 0..=3000, 150;
    /// History units per centipawn that a quiet move changed the evaluation.
    gain_weight: 11, 0..=30, 2;
    /// Static evaluations fade by this share of 1/1024 towards the natural
    /// move limit.
    fade: 332, 0..=1024, 120;
    /// Weight of the correction of the static evaluation, 1/1024 of full.
    correction_weight: 569, 0..=2048, 100;
    /// Share in it of the correction by pawns, 1/1024,
    correction_pawn: 299, 0..=3072, 250;
    /// by advisors and elephants,
    correction_guard: 606, 0..=3072, 250;
    /// by the pieces of each side,
    correction_non_pawn: 928, 0..=3072, 250;
    /// by material,
    correction_material: 318, 0..=3072, 250;
    /// by the last move.
    correction_continuation: 1301, 0..=3072, 250;
    /// How fast corrections learn, 1/1024 of the error for each ply of depth.
    correction_rate: 195, 64..=1024, 40;
    /// Clock: moves that one without a next time control should last for.
    clock_horizon: 32, 12..=80, 3;
    /// Clock: share of the increment that a calm search spends, 1/1024.
    clock_increment: 768, 256..=1100, 60;
    /// Clock: how many times the time of a calm search may be taken, 1/1024.
    clock_hard_factor: 5120, 2048..=10240, 400;
    /// Clock: times the soft limit at the first sight of a best move, 1/1024.
    clock_instability: 2458, 1200..=4096, 120;
    /// Clock: less for each iteration that keeps it, 1/1024.
    clock_stability: 128, 0..=240, 12;
    /// Clock: centipawns of a falling score that double the time.
    clock_drop: 90, 30..=300, 10;
    /// Clock: share of nodes for the best move at which the time is not
    /// changed, 1/1024.
    clock_best_share: 563, 200..=900, 40;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_can_be_set_by_name_within_its_bounds() {
        let mut params = Params::default();
        for info in Params::INFO {
            assert!(info.min <= info.default && info.default <= info.max, "{}", info.name);
            assert!(info.step > 0);
            assert!(params.set(&info.name.to_uppercase(), i32::MAX));
        }
        let largest = Params::INFO.iter().map(|info| (info.name, info.max));
        assert!(params.values().eq(largest));
        assert_eq!(params.lmr_base, 2048);
        assert!(!params.set("no such constant", 1));
    }
}
