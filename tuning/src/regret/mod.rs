//! How much the moves that short searches choose give away, judged by deep
//! searches of the same positions; and which constants of the search that
//! depends on. Cheaper than games, and only as good as the deep search.

mod design;
mod judged;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use hanxin::board::Move;
use hanxin::engine::win_draw_loss;
use hanxin::rules::Game;
use hanxin::score::Score;
use hanxin::search::{Limits, ParamInfo, Params};
use hanxin::util::stop_signal;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::progress::{bar, print_line};
use crate::saved::{self, Autosave, Claim};
use crate::selfplay::{Common, Player};
use crate::workers::{lock, share};
use crate::{check_distinct, constants, interrupted};
use design::{Design, Screening};
use judged::{Judged, Settings, State};

const EXAMPLE: &str = "\
Example:
  hanxin-tuning regret --data games.hxg --threads 2 --judged judged.json --set lmr_factor=300
  hanxin-tuning regret --data games.hxg --threads 2 --judged judged.json --screen screen.json
  hanxin-tuning regret --data games.hxg --judged judged.json --together 2

Ctrl-C ends it; the same command goes on. What the deep searches found is kept in
JUDGED, so that other constants, or another build, are judged by the same.";

/// Which positions, which searches.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// Files that datagen has made
    #[arg(long = "data", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Positions to judge, each of another game
    #[arg(long, default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(2..))]
    positions: u32,
    /// Nodes of the searches that judge
    #[arg(long, default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(Judged::LINES as u64..))]
    deep: u64,
    /// Nodes of the searches that are judged
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Constants to judge instead of the shipped ones, as name=value
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = crate::assignment)]
    values: Vec<(String, i32)>,
    /// Judge also so many search threads that share the nodes of a search; --threads
    /// still counts the positions searched at the same time
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u32).range(2..=256))]
    together: Option<u32>,
    /// Before a position search so many before it in its game with the same side to
    /// move, so that table and histories are as in a game
    #[arg(long, value_name = "POSITIONS", default_value_t = 0)]
    lead: u32,
    /// Estimate the effect of each constant by an orthogonal design of runs, and
    /// keep them in this file; if it exists it is continued
    #[arg(long, value_name = "FILE")]
    screen: Option<PathBuf>,
    /// Steps by which a screened constant is moved up and down
    #[arg(long, default_value_t = 2, requires = "screen", value_parser = clap::value_parser!(i32).range(1..=20))]
    width: i32,
    /// The constants to screen; all if none is named
    #[arg(long = "constant", value_name = "NAME", requires = "screen")]
    constants: Vec<String>,
    #[command(flatten)]
    common: Common,
    /// The file of what the deep searches found; if it exists it is continued
    #[arg(long)]
    judged: PathBuf,
}

/// What a short search did in a position, in parts of a game won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Lapse {
    /// Expected points that its move gives away.
    regret: f64,
    /// How far its score is from that of the deep search.
    error: f64,
}

/// Judges, and prints what short searches give away.
///
/// # Errors
/// When the data or the file cannot be used, a constant does not exist, a search
/// thread has died or the user has stopped it.
pub fn run(options: &Options) -> Result<()> {
    let Options { positions, deep, common: Common { seed, .. }, .. } = *options;
    let changed = options.changed()?;
    let screened = options.screened()?;
    let _claims = options.claim()?;
    let eval = options.common.evaluation.open()?;
    let settings = Settings { positions, deep, seed, evaluation: Some(eval.identity()) };
    let mut state = State::open(&options.judged, settings, &options.files)?;
    let games = state.games()?;
    let mut players = Player::several(options.common.threads, options.nodes, &eval)?;
    let stop = stop_signal();
    let mut bench =
        Bench { players: &mut players, threads: 1, games: &games, options, stop: &stop };

    bench.judge(&mut state)?;
    let shipped = bench.lapses(&mut state, &Params::default())?;
    print_line!("shipped constants: {}", Summary::of(&shipped));
    if let Some(changed) = changed {
        compare("those given:", &bench.lapses(&mut state, &changed)?, &shipped);
    }
    if let Some(path) = &options.screen {
        let design = Design::new(screened, options.width, seed);
        let means = bench.screen(&mut state, &design, path)?;
        print_line!("{}", design.effects(&means).trim_end());
    }
    if let Some(threads) = options.together {
        bench.threads = threads;
        compare("together:", &bench.lapses(&mut state, &Params::default())?, &shipped);
    }
    Ok(())
}

/// Prints what other searches do, and how that differs from the shipped constants.
fn compare(name: &str, lapses: &[Lapse], shipped: &[Lapse]) {
    let more: Vec<Lapse> = lapses.iter().zip(shipped).map(|(new, old)| *new - *old).collect();
    print_line!("{name:19}{}", Summary::of(lapses));
    print_line!("difference:        {}", Summary::of(&more));
}

impl Options {
    /// Claims the files that are written.
    fn claim(&self) -> Result<Vec<Claim>> {
        let data = || self.files.iter().map(PathBuf::as_path);
        let judged = saved::claim("--judged", &self.judged, data())?;
        let inputs = data().chain([self.judged.as_path()]);
        let screen =
            self.screen.as_ref().map(|path| saved::claim("--screen", path, inputs)).transpose()?;
        Ok([judged].into_iter().chain(screen).collect())
    }

    /// The constants to judge beside the shipped ones, if any were given.
    fn changed(&self) -> Result<Option<Params>> {
        check_distinct("--set", self.values.iter().map(|(name, _)| name.as_str()))?;
        let mut params = Params::default();
        for (name, value) in &self.values {
            params.set(name, *value);
        }
        Ok((!self.values.is_empty()).then_some(params))
    }

    /// The constants to screen: those named, or all that act when nodes are
    /// counted.
    fn screened(&self) -> Result<Vec<&'static ParamInfo>> {
        if self.constants.is_empty() {
            return Ok(Params::INFO.iter().filter(|info| !info.is_of_clock()).collect());
        }
        constants("--constant", &self.constants)
    }
}

/// Players that search positions.
struct Bench<'a> {
    players: &'a mut [Player],
    /// Those of a short search; a deep one, which judges them, has one.
    threads: u32,
    games: &'a [Game],
    options: &'a Options,
    stop: &'a AtomicBool,
}

impl Bench<'_> {
    /// Searches deep what has not been searched yet; an error if the user stopped
    /// it, as of the others.
    fn judge(&mut self, state: &mut State) -> Result<()> {
        let left: Vec<usize> =
            (0..state.judged.len()).filter(|&i| state.judged[i].lines.is_empty()).collect();
        let bar = bar(left.len() as u64);
        let (games, deep, path) = (self.games, self.options.deep, &self.options.judged);
        let shared = Mutex::new(Autosave::new(state, path));
        self.players.iter_mut().for_each(|player| player.set_params(Params::default()));
        let result = share(self.players, left, self.stop, |player, i| {
            let lines = deep_lines(player, &games[i], deep, &[]);
            let mut shared = lock(&shared)?;
            shared.state.judged[i].lines = lines;
            bar.inc(1);
            shared.save_if_due()
        });
        bar.finish_and_clear();
        saved::save(path, state)?;
        result?;
        let is_done = state.judged.iter().all(|judged| !judged.lines.is_empty());
        if is_done { Ok(()) } else { Err(interrupted()) }
    }

    /// What short searches with these constants do in each position.
    fn lapses(&mut self, state: &mut State, params: &Params) -> Result<Vec<Lapse>> {
        let lapses = Mutex::new(vec![Lapse::default(); self.games.len()]);
        let shared = Mutex::new(Autosave::new(state, &self.options.judged));
        let Options { nodes, deep, lead: turns, .. } = *self.options;
        let (games, threads) = (self.games, self.threads);
        share(self.players, 0..games.len(), self.stop, |player, i| {
            player.set_threads(threads)?;
            player.set_params(params.clone());
            player.clear();
            for earlier in lead(&games[i], turns) {
                player.outcome(&earlier, limits(nodes), 1);
            }
            let found = player.outcome(&games[i], limits(nodes), 1);
            let chosen = found.best.context("the search found no move")?;
            let judged = lock(&shared)?.state.judged[i].clone();
            let score = match judged.score_of(chosen) {
                Some(score) => score,
                None => {
                    player.set_threads(1)?;
                    player.set_params(Params::default());
                    let share = deep / Judged::LINES as u64;
                    let lines = deep_lines(player, &games[i], share, &[chosen]);
                    let mut shared = lock(&shared)?;
                    let score = shared.state.judged[i].add(chosen, &lines);
                    shared.save_if_due()?;
                    score
                }
            };
            let [best, chosen, claimed] =
                [judged.best(), score, found.score].map(|score| expected(&games[i], score));
            let regret = (best - chosen).max(0.0);
            lock(&lapses)?[i] = Lapse { regret, error: (claimed - best).abs() };
            Ok(())
        })?;
        saved::save(&self.options.judged, state)?;
        let all = lapses.into_inner().map_err(|_| anyhow!("a worker has panicked"))?;
        if self.stop.load(Ordering::Relaxed) { Err(interrupted()) } else { Ok(all) }
    }

    /// What is searched, how long and by which evaluation.
    fn searches(&self, state: &State) -> Result<String> {
        let Options { nodes, lead, common, .. } = self.options;
        let evaluation = common.evaluation.open()?.identity();
        let positions = state.checksum();
        Ok(format!("{nodes} nodes, {lead} before, {evaluation}, positions {positions:08x}"))
    }

    /// The mean lapse in each run of a design. The runs are kept in a file.
    fn screen(&mut self, state: &mut State, design: &Design, path: &Path) -> Result<Vec<Lapse>> {
        let mut screening = Screening::open(path, design, self.searches(state)?)?;
        let bar = bar(design.runs() as u64);
        for run in screening.means.len()..design.runs() {
            bar.set_position(run as u64);
            let lapses = self.lapses(state, &design.params(run))?;
            screening.means.push(Summary::of(&lapses).mean);
            saved::save(path, &screening)?;
        }
        bar.finish_and_clear();
        Ok(screening.means)
    }
}

fn limits(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// The game at so many turns of the same side before its end, in their order;
/// fewer if it is shorter.
fn lead(game: &Game, turns: u32) -> Vec<Game> {
    let before = |later: &Game| {
        let mut earlier = later.clone();
        earlier.undo()?;
        earlier.undo()?;
        Some(earlier)
    };
    let mut games: Vec<Game> =
        std::iter::successors(before(game), before).take(turns as usize).collect();
    games.reverse();
    games
}

/// The best moves with their scores; of `only` if it names moves.
fn deep_lines(player: &mut Player, game: &Game, nodes: u64, only: &[Move]) -> Vec<(Move, Score)> {
    player.clear();
    let limits = Limits { search_moves: only.to_vec(), ..limits(nodes) };
    let lines = if only.is_empty() { Judged::LINES } else { 1 };
    let found = player.outcome(game, limits, lines);
    found.lines.iter().filter_map(|line| Some((*line.pv.first()?, line.score))).collect()
}

/// The points that the side to move expects of a score, 0 to 1.
fn expected(game: &Game, score: Score) -> f64 {
    let [win, draw, _] = win_draw_loss(game.position(), score).map(f64::from);
    (win + draw / 2.0) / 1000.0
}

impl std::ops::Sub for Lapse {
    type Output = Lapse;

    fn sub(self, other: Lapse) -> Lapse {
        Lapse { regret: self.regret - other.regret, error: self.error - other.error }
    }
}

/// The mean over positions and how far the truth may be from it with 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Summary {
    mean: Lapse,
    margin: Lapse,
}

impl Summary {
    fn of(lapses: &[Lapse]) -> Summary {
        let both = |value: fn(&Lapse) -> f64| {
            Estimate::of(&lapses.iter().map(value).collect::<Vec<f64>>())
        };
        let (regret, error) = (both(|lapse| lapse.regret), both(|lapse| lapse.error));
        Summary {
            mean: Lapse { regret: regret.mean, error: error.mean },
            margin: Lapse { regret: regret.margin, error: error.margin },
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [regret, error] = [self.mean.regret, self.mean.error].map(|share| 100.0 * share);
        let margins = [self.margin.regret, self.margin.error].map(|share| 100.0 * share);
        write!(
            f,
            "moves give away {regret:.3} ± {:.3} %, scores are {error:.3} ± {:.3} % off",
            margins[0], margins[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use hanxin::arena::training::Header;
    use hanxin::board::Position;
    use hanxin::eval::EvalKind;
    use hanxin::rules::Parameters;

    use super::*;
    use crate::selfplay::Evaluation;
    use crate::store::Store;

    fn options(folder: &std::path::Path) -> Options {
        Options {
            files: vec![folder.join("games.hxg")],
            positions: 4,
            deep: 2_000,
            nodes: 60,
            values: Vec::new(),
            together: Some(2),
            lead: 1,
            screen: None,
            width: 2,
            constants: vec!["rfp_margin".into()],
            common: Common { threads: 2, seed: 1, evaluation: Evaluation::default() },
            judged: folder.join("judged.json"),
        }
    }

    #[test]
    fn the_lead_is_the_turns_of_one_side() {
        let moves = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"].map(|text| text.parse().unwrap());
        let start = Position::startpos();
        let game = Game::replay(start.clone(), Parameters::default(), &moves).unwrap();
        let plies = |turns| lead(&game, turns).iter().map(Game::ply).collect::<Vec<_>>();
        assert_eq!([plies(0), plies(1), plies(9)], [vec![], vec![3], vec![1, 3]]);
        assert!(lead(&Game::new(start, Parameters::default()), 2).is_empty());
    }

    #[test]
    fn judgements_are_kept_and_short_searches_give_something_away() {
        let folder = tempfile::tempdir().unwrap();
        let header =
            Header { nodes: 30, seed: 1, endings: 0, openings: 0, midgames: 0, evaluation: 0 };
        let player = || Player::new(60, EvalKind::Classical).unwrap();
        let (mut store, _) = Store::open(&folder.path().join("games.hxg"), header).unwrap();
        (0..6).for_each(|number| store.append(&player().play(header, number).unwrap()).unwrap());

        let options = options(folder.path());
        // as before evaluations were noted
        let settings = Settings { positions: 4, deep: 2_000, seed: 1, evaluation: None };
        let open = || State::open(&options.judged, settings.clone(), &options.files);
        let mut state = open().unwrap();
        let games = state.games().unwrap();
        let (mut players, stop) = ([player(), player()], AtomicBool::new(true));
        let mut bench = Bench {
            players: &mut players,
            threads: 1,
            games: &games,
            options: &options,
            stop: &stop,
        };
        let stopped = bench.judge(&mut state).unwrap_err().to_string();
        assert!(stopped.starts_with("interrupted"), "{stopped}");
        stop.store(false, Ordering::Relaxed);
        bench.judge(&mut state).unwrap();
        let lapses = bench.lapses(&mut state, &Params::default()).unwrap();
        assert!(lapses.iter().all(|lapse| (0.0..=1.0).contains(&lapse.regret)));
        assert!(Summary::of(&lapses).mean.error > 0.0);
        assert_eq!(open().unwrap(), state);
        assert_eq!(bench.lapses(&mut state, &Params::default()).unwrap(), lapses);
        let design = Design::new(options.screened().unwrap(), 2, 1);
        let path = folder.path().join("screen.json");
        let means = bench.screen(&mut state, &design, &path).unwrap();
        assert_eq!(means.len(), 2);
        let searches = bench.searches(&state).unwrap();
        assert_eq!(Screening::open(&path, &design, searches.clone()).unwrap().means, means);
        let refused = Screening::open(&path, &design, "others".into()).err().unwrap().to_string();
        assert!(refused.contains("another screening (searches: "), "{refused}");
        let steps = Design::new(options.screened().unwrap(), 3, 1);
        let refused = Screening::open(&path, &steps, searches).err().unwrap().to_string();
        assert!(refused.contains("(width: 2 there, 3 here)"), "{refused}");

        run(&options).unwrap();
        let twice = vec![("rfp_margin".into(), 70), ("rfp_margin".into(), 71)];
        let refused = run(&Options { values: twice, ..self::options(folder.path()) });
        assert!(refused.unwrap_err().to_string().contains("--set names rfp_margin twice"));

        let other = Settings { deep: 1, ..settings.clone() };
        let refused = State::open(&options.judged, other, &options.files).unwrap_err().to_string();
        assert!(refused.contains("another judgement (deep: 2000 there, 1 here)"), "{refused}");
        let many = Settings { positions: 9, ..settings.clone() };
        assert!(State::open(&folder.path().join("new"), many, &options.files).is_err());

        let of =
            |evaluation: &str| Settings { evaluation: Some(evaluation.into()), ..settings.clone() };
        let path = folder.path().join("noted");
        let begun = State::open(&path, of("classical"), &options.files).unwrap();
        saved::save(&path, &begun).unwrap();
        let refused = State::open(&path, of("net 1"), &options.files).unwrap_err().to_string();
        assert!(refused.contains("(evaluation: \"classical\" there, \"net 1\" here)"), "{refused}");
        // the positions are in the file
        assert_eq!(State::open(&path, of("classical"), &["none.hxg".into()]).unwrap(), begun);
    }
}
