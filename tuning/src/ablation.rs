//! What each technique of the search is worth: the engine plays against itself
//! with the technique switched off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::Args;
use hanxin::arena::stats::{Elo, Model, Tally};
use hanxin::search::Params;
use hanxin::util::stop_signal;
use serde::{Deserialize, Serialize};

use crate::duel::{Couple, couples, play_pair};
use crate::interrupted;
use crate::progress::{bar, print_line};
use crate::saved;
use crate::selfplay::Common;
use crate::workers::{lock, share};

const EXAMPLE: &str = "\
Example:
  hanxin-tuning ablation --pairs 150 --nodes 5000 --threads 2 --out ablation.json

Ctrl-C ends it after the pairs that are being played; the same command goes on,
and one with more pairs plays the others. A positive difference in Elo is what
the technique is worth.";

/// What to switch off, and how long to play.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// The techniques to switch off; all if none is named
    #[arg(long = "technique", value_name = "NAME")]
    techniques: Vec<String>,
    /// Openings for each technique, each played twice with colours exchanged
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Nodes searched for each move
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    #[command(flatten)]
    common: Common,
    /// The file of the results; if it exists it is continued
    #[arg(long)]
    out: PathBuf,
}

/// A technique of the search by name, and what switches it off.
type Technique = (&'static str, fn(&mut Params));

/// Scores and counts that no search reaches.
const NEVER: i32 = 100_000;

/// The constants may leave the bounds within which tuning keeps them.
const TECHNIQUES: &[Technique] = &[
    ("aspiration-windows", |p| p.aspiration_delta = NEVER),
    ("reverse-futility", |p| p.rfp_depth = 0),
    ("null-move", |p| p.null_gate_base = -NEVER),
    ("null-verification", |p| p.null_verify_depth = NEVER),
    ("probcut", |p| p.probcut_depth = NEVER),
    ("late-move-pruning", |p| p.lmp_base = NEVER),
    ("futility", |p| p.futility_depth = -1),
    ("history-pruning", |p| p.history_prune_depth = -1),
    ("see-pruning-quiets", |p| p.see_quiet_depth = -1),
    ("see-pruning-captures", |p| p.see_capture_depth = 0),
    ("see-pruning-checks", |p| p.see_check = NEVER),
    ("late-move-reductions", Params::switch_off_reductions),
    ("reductions-by-history", |p| (p.lmr_history, p.lmr_capture_history) = (i32::MAX, i32::MAX)),
    ("reductions-cut-node", |p| p.lmr_cut_node = 0),
    ("reductions-was-pv", |p| (p.lmr_was_pv, p.lmr_table_above) = (0, 0)),
    ("reductions-not-improving", |p| p.lmr_not_improving = 0),
    ("reductions-check", |p| p.lmr_check = 0),
    ("reductions-refutation", |p| p.lmr_refutation = 0),
    ("reductions-child-cutoffs", |p| (p.lmr_cutoffs, p.lmr_all_node_cutoffs) = (0, 0)),
    ("reductions-table-capture", |p| p.lmr_table_capture = 0),
    ("reductions-of-captures", |p| (p.lmr_capture_share, p.lmr_capture_history) = (0, i32::MAX)),
    ("internal-reductions", |p| p.internal_reduction_depth = NEVER),
    ("hindsight-reductions", |p| p.hindsight_margin = NEVER),
    ("deeper-research", |p| p.deeper_margin = NEVER),
    ("shallower-research", |p| p.shallower_margin = -NEVER),
    ("singular-extensions", |p| p.singular_depth = NEVER),
    ("double-extensions", |p| p.double_margin = NEVER),
    ("quiescence-futility", |p| p.qsearch_futility = NEVER),
    ("quiescence-evasions", |p| p.qsearch_evasions = NEVER),
    ("ordering-checks", |p| (p.order_check, p.order_sacrifice) = (0, 0)),
    ("ordering-threats", |p| (p.order_minor_threat, p.order_rook_threat) = (0, 0)),
    ("history-far", |p| p.history_far_weight = 0),
    ("history-beta-margin", |p| p.history_beta_margin = NEVER),
    ("history-previous-move", |p| p.prior_slope = 0),
    ("history-eval-gain", |p| p.gain_weight = 0),
    ("correction", |p| p.correction_weight = 0),
    ("correction-pawn", |p| p.correction_pawn = 0),
    ("correction-guard", |p| p.correction_guard = 0),
    ("correction-non-pawn", |p| p.correction_non_pawn = 0),
    ("correction-material", |p| p.correction_material = 0),
    ("correction-continuation", |p| p.correction_continuation = 0),
    ("fading", |p| p.fade = 0),
];

/// Everything that determines the games, besides the program and the number of
/// pairs.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
struct Settings {
    nodes: u32,
    seed: u64,
    /// What evaluates.
    evaluation: String,
}

/// What has been played.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
struct State {
    settings: Settings,
    /// By technique and pair: the half points of the player that has it.
    half_points: BTreeMap<String, BTreeMap<u32, u8>>,
}

/// Plays until all pairs are played, or until the user stops it, and prints a
/// table.
///
/// # Errors
/// When a technique does not exist, a file cannot be used or a search cannot
/// run.
pub fn run(options: &Options) -> Result<()> {
    let techniques = chosen(&options.techniques)?;
    let Options { nodes, pairs, common: Common { threads, seed, evaluation }, .. } = options;
    let _claim = saved::claim("--out", &options.out, evaluation.file())?;
    let eval = evaluation.open()?;
    let settings = Settings { nodes: *nodes, seed: *seed, evaluation: eval.identity() };
    let mut state = State::open(&options.out, settings)?;
    let mut couples = couples(*threads, *nodes, &eval)?;
    let stop = stop_signal();
    let left = state.left(&techniques, *pairs);
    play(&mut couples, left, &mut state, &options.out, &stop)?;
    let left = state.left(&techniques, *pairs).len();
    if left > 0 {
        print_line!("without {left} of {} pairs:", techniques.len() * *pairs as usize);
    }
    print_line!("{}", state.table(&techniques).trim_end());
    if left > 0 { Err(interrupted()) } else { Ok(()) }
}

/// The techniques of these names, all for none.
fn chosen(names: &[String]) -> Result<Vec<Technique>> {
    if let Some(unknown) = names.iter().find(|name| TECHNIQUES.iter().all(|(n, _)| n != name)) {
        let known: Vec<_> = TECHNIQUES.iter().map(|(name, _)| *name).collect();
        bail!("there is no technique '{unknown}', only {}", known.join(", "));
    }
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    Ok(TECHNIQUES.iter().copied().filter(|(name, _)| is_chosen(name)).collect())
}

/// Plays the pairs that are left, and saves the state after each.
fn play(
    couples: &mut [Couple],
    left: Vec<(Technique, u32)>,
    state: &mut State,
    path: &Path,
    stop: &AtomicBool,
) -> Result<()> {
    let bar = bar(left.len() as u64);
    let (seed, state) = (state.settings.seed, Mutex::new(state));
    let result = share(couples, left, stop, |couple, ((name, switch_off), pair)| {
        let mut without = Params::default();
        switch_off(&mut without);
        couple[1].set_params(without);
        let points = play_pair(couple, seed, u64::from(pair))?;
        let mut state = lock(&state)?;
        let played = state.half_points.entry(name.to_owned()).or_default();
        played.insert(pair, points.iter().map(|&points| points as u8).sum());
        saved::save(path, &*state)?;
        bar.inc(1);
        Ok(())
    });
    bar.finish_and_clear();
    result
}

impl State {
    /// The results of a file, or none yet if there is no file.
    fn open(path: &Path, settings: Settings) -> Result<State> {
        let found = saved::load(path, "ablation", |state: &State| {
            saved::difference(&state.settings, &settings)
        })?;
        Ok(found.unwrap_or(State { settings, half_points: BTreeMap::new() }))
    }

    /// The pairs not yet played, of all techniques in turn so that their
    /// results become more certain together.
    fn left(&self, techniques: &[Technique], pairs: u32) -> Vec<(Technique, u32)> {
        let played = |name: &str, pair: u32| {
            self.half_points.get(name).is_some_and(|played| played.contains_key(&pair))
        };
        let all =
            (0..pairs).flat_map(|pair| techniques.iter().map(move |&technique| (technique, pair)));
        all.filter(|((name, _), pair)| !played(name, *pair)).collect()
    }

    fn tally(&self, name: &str) -> Tally {
        let mut pairs = [0; 5];
        for half_points in self.half_points.get(name).into_iter().flat_map(BTreeMap::values) {
            pairs[usize::from(*half_points).min(4)] += 1;
        }
        Tally::of_pairs(pairs)
    }

    /// Each technique with its games, what they say, and the interval of 95 %;
    /// the most valuable one first.
    fn table(&self, techniques: &[Technique]) -> String {
        let mut tallies: Vec<_> =
            techniques.iter().map(|(name, _)| (name, self.tally(name))).collect();
        let score = |tally: &Tally| tally.points() / tally.games().max(1) as f64;
        tallies.sort_by(|(_, one), (_, other)| score(other).total_cmp(&score(one)));
        let line = |(name, tally): &(&&str, Tally)| {
            let elo = Elo::of(tally, Model::Logistic).map_or_else(
                || "unknown".to_owned(),
                |elo| format!("{:+.0} ± {:.0}", elo.value, elo.error()),
            );
            format!("{name:26}{:6}  {elo:>12}\n", tally.games())
        };
        let head = format!("{:26}{:>6}  {:>12}\n", "technique", "games", "Elo");
        head + &tallies.iter().map(line).collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use hanxin::board::Position;
    use hanxin::eval::EvalKind;
    use hanxin::rules::Game;
    use hanxin::search::{Limits, ThreadPool};

    use super::*;

    #[test]
    fn every_technique_makes_a_difference() {
        // checks and sacrifices; an opening; an ending, searched deep enough
        // for null moves to be verified
        let fens = [
            ("3ak4/3Ra4/4N4/4p1C1p/p3c4/1c7/8P/1R2r3B/4Ar3/2N1KA3 w - - 70 40", 12),
            ("r1bakab1r/9/1cn1c1n2/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 b - - 0 4", 11),
            ("2bak4/4a4/4b4/p3n3p/9/4C4/P7P/4B4/4A4/3AK1B2 w - - 0 40", 18),
        ];
        let mut pool = ThreadPool::new(1, 8).unwrap();
        pool.options.eval = EvalKind::Classical;
        let mut nodes = |params: &Params, (fen, depth): (&str, u32), most: Option<u64>| {
            pool.options.params = params.clone();
            pool.clear();
            let game = Game::from(Position::from_fen(fen).unwrap());
            let limits = Limits { depth: Some(depth), nodes: most, ..Limits::default() };
            pool.search(&game, limits).nodes
        };
        let with = fens.map(|fen| nodes(&Params::default(), fen, None));
        for (name, switch_off) in TECHNIQUES {
            let mut params = Params::default();
            switch_off(&mut params);
            // one node more is a difference: without reductions all would take hours
            let mut differs = |(fen, with)| nodes(&params, fen, Some(with + 1)) != with;
            assert!(fens.into_iter().zip(with).any(&mut differs), "{name}");
        }
    }

    #[test]
    fn an_interrupted_run_goes_on_and_counts_pairs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ablation.json");
        let settings = Settings { nodes: 30, seed: 1, evaluation: "classical".into() };
        let techniques = chosen(&["null-move".into(), "futility".into()]).unwrap();
        let mut couples = couples(2, 30, &EvalKind::Classical).unwrap();
        let never = AtomicBool::new(false);
        let mut state = State::open(&path, settings.clone()).unwrap();
        let first = state.left(&techniques, 1);
        play(&mut couples, first, &mut state, &path, &never).unwrap();
        let mut state = State::open(&path, settings.clone()).unwrap();
        let rest = state.left(&techniques, 2);
        assert_eq!(rest.len(), 2);
        play(&mut couples, rest, &mut state, &path, &never).unwrap();
        assert_eq!(State::open(&path, settings.clone()).unwrap(), state);
        assert_eq!(state.tally("null-move").games(), 4);
        assert_eq!(state.table(&techniques).lines().count(), 3);

        let refused = State::open(&path, Settings { nodes: 31, ..settings }).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("another ablation (nodes: 30 there, 31 here)"), "{refused}");
        assert!(chosen(&["alchemy".into()]).is_err());
    }
}
