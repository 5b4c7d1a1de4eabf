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
    aspiration_delta: 27, 4..=60, 3;
    /// Deepest node where a static evaluation far above beta ends the search.
    rfp_depth: 9, 4..=14, 1;
    /// Reverse futility margin per ply of depth.
    rfp_margin: 68, 20..=160, 8;
    /// Taken off the reverse futility margin when the evaluation is improving.
    rfp_improving: 45, 0..=160, 8;
    /// Razoring: margin at depth 0.
    razor_base: 307, 80..=600, 30;
    /// Razoring: margin per squared ply of depth.
    razor_slope: 230, 40..=400, 20;
    /// Null move: depth reduction before the other terms, plies.
    null_base: 4, 2..=6, 1;
    /// Null move: plies of depth per extra ply of reduction.
    null_depth_divisor: 4, 2..=8, 1;
    /// Null move: centipawns above beta per extra ply of reduction.
    null_eval_divisor: 131, 80..=400, 20;
    /// Null move: depth from which a fail high is verified.
    null_verify_depth: 14, 8..=24, 1;
    /// ProbCut: margin above beta.
    probcut_margin: 124, 80..=400, 15;
    /// ProbCut: shallowest depth.
    probcut_depth: 5, 4..=8, 1;
    /// Late move pruning: moves searched at depth 0.
    lmp_base: 9, 1..=10, 1;
    /// Late move pruning: moves more per squared ply of depth, 1/1024.
    lmp_slope: 1342, 300..=3072, 100;
    /// Deepest node for futility pruning of quiet moves (reduced depth).
    futility_depth: 9, 4..=14, 1;
    /// Futility margin at depth 0.
    futility_base: 35, 20..=300, 15;
    /// Futility margin per ply of reduced depth.
    futility_margin: 38, 30..=200, 10;
    /// History pruning: limit per ply of depth, history units.
    history_prune: 7438, 1000..=16000, 400;
    /// SEE pruning of quiet moves: loss allowed per squared ply, centipawns.
    see_quiet: 23, 5..=80, 5;
    /// SEE pruning of captures: loss allowed per ply, centipawns.
    see_capture: 128, 30..=250, 15;
    /// SEE pruning of checks at the last ply: loss allowed, centipawns.
    see_check: 553, 50..=1000, 50;
    /// Late move reductions: constant part, 1/1024 ply.
    lmr_base: 310, 0..=2048, 80;
    /// Late move reductions: factor of log(depth) * log(moves), 1/1024 ply.
    lmr_factor: 250, 200..=900, 30;
    /// Late move reductions: history units per ply less.
    lmr_history: 13869, 3000..=20000, 700;
    /// Late move reductions: where a cut-off is expected, 1/1024 ply more.
    lmr_cut_node: 1810, 0..=3072, 150;
    /// Late move reductions: on what once was a principal variation, 1/1024 ply
    /// less.
    lmr_was_pv: 459, 0..=2560, 120;
    /// Late move reductions: on the principal variation, 1/1024 ply less.
    lmr_pv: 40, 0..=2048, 120;
    /// Late move reductions: if the evaluation is not improving, 1/1024 ply more.
    lmr_not_improving: 1185, 0..=1536, 120;
    /// Late move reductions: moves that give check, 1/1024 ply less.
    lmr_check: 231, 0..=2048, 120;
    /// Late move reductions: killers and counter moves, 1/1024 ply less.
    lmr_refutation: 1039, 0..=2560, 120;
    /// Late move reductions: if the children cut off often, 1/1024 ply more.
    lmr_cutoffs: 584, 0..=2048, 120;
    /// Late move reductions: if the table move is a capture, 1/1024 ply more.
    lmr_table_capture: 672, 0..=2048, 120;
    /// Singular extension: shallowest depth.
    singular_depth: 6, 4..=10, 1;
    /// Singular extension: margin per ply of depth, 1/16 centipawn.
    singular_margin: 39, 6..=48, 3;
    /// Double extension: centipawns below the singular margin.
    double_margin: 6, 0..=60, 4;
    /// Quiescence: what a capture may add to the static evaluation beyond the
    /// captured piece.
    qsearch_futility: 220, 60..=400, 20;
    /// Quiescence: exchange loss still searched, centipawns.
    qsearch_see: 45, 0..=150, 10;
    /// History bonus per ply of depth.
    bonus_slope: 113, 60..=300, 15;
    /// Largest history bonus.
    bonus_max: 1700, 800..=3000, 150;
    /// History malus per ply of depth.
    malus_slope: 226, 60..=600, 25;
    /// Largest history malus.
    malus_max: 1500, 500..=3000, 150;
    /// A reduced move this much above the best score is searched deeper.
    deeper_margin: 88, 0..=400, 8;
    /// A reduced move less than this above the best score is searched shallower.
    shallower_margin: 2, 0..=100, 3;
    /// Sum of both sides' evaluations beyond which a reduced node is searched
    /// shallower, centipawns.
    hindsight_margin: 162, 40..=1000, 15;
    /// Bonus per ply of depth of the quiet move that let all answers fail low.
    prior_slope: 117, 0..=300, 15;
    /// Largest bonus of such a move.
    prior_max: 1000, 0..=3000, 150;
    /// History units per centipawn that a quiet move changed the evaluation.
    gain_weight: 6, 0..=30, 2;
    /// Static evaluations fade by this share of 1/1024 towards the natural
    /// move limit.
    fade: 418, 0..=1024, 64;
    /// Weight of the correction of the static evaluation, 1/1024 of full.
    correction_weight: 931, 0..=2048, 100;
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
        assert_eq!(params.lmr_base, 2048);
        assert!(!params.set("no such constant", 1));
    }
}
