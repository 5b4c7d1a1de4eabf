//! Tunes constants of the search by simultaneous perturbation (SPSA, Spall
//! 1992): all constants are moved at once by their steps, each in a random
//! direction; those values play against the opposite ones, and all constants
//! go a little towards the winner.

mod state;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use hanxin::arena::{Adjudication, Assignment, Conditions, GameRecord, Opening, play_game};
use hanxin::board::{Color, Position};
use hanxin::search::Params;
use hanxin::util::{read_text, write_whole};

use crate::progress::{bar, print_line};
use crate::selfplay::{Evaluation, Player};
use hanxin::util::seeded;
use state::{Settings, State, rewrite};

/// What to tune, and how.
#[derive(Args)]
pub struct Options {
    /// The constants to tune; all if none is named
    #[arg(long = "constant")]
    constants: Vec<String>,
    /// Values to start from instead of the shipped ones, as name=value
    #[arg(long = "start", value_parser = assignment)]
    start: Vec<(String, i32)>,
    /// Number of rounds; each moves all constants
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Openings of a round, each played twice with colours exchanged
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Steps that a constant moves for each point of the winner's lead, in the
    /// last round
    #[arg(long, default_value_t = 0.02)]
    rate: f64,
    /// Nodes searched for each move
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Games played at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Determines directions and openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    evaluation: Evaluation,
    /// The file of the tuning; if it exists it is continued
    #[arg(long)]
    out: PathBuf,
    /// The source file where the constants are declared; it gets the new values
    /// at the end
    #[arg(long)]
    source: Option<PathBuf>,
}

/// Moves of each side after which a game is drawn.
const MAX_MOVES: u32 = 200;

fn assignment(text: &str) -> Result<(String, i32)> {
    let (name, value) = text.split_once('=').context("want name=value")?;
    let value = value.parse().with_context(|| format!("'{value}' is not a number"))?;
    Ok((name.to_owned(), value))
}

/// Tunes until the last round, or until the user stops it.
///
/// # Errors
/// When a constant does not exist, a file cannot be used or a search cannot
/// run.
pub fn run(options: &Options) -> Result<()> {
    let settings = Settings {
        start: starting_values(options)?,
        rounds: options.rounds,
        pairs: options.pairs,
        rate: options.rate,
        nodes: options.nodes,
        seed: options.seed,
    };
    let mut state = State::open(&options.out, settings)?;
    let eval = options.evaluation.open()?;
    let player = || Player::new(u64::from(options.nodes), eval.clone());
    let couple = |_| Ok([player()?, player()?]);
    let mut pairs = (0..options.threads).map(couple).collect::<Result<Vec<_>>>()?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopper = Arc::clone(&stop);
    let handler = move || stopper.store(true, Ordering::Relaxed);
    ctrlc::set_handler(handler).context("cannot watch for Ctrl-C")?;
    let bar = bar(u64::from(options.rounds));
    while state.round < options.rounds && !stop.load(Ordering::Relaxed) {
        bar.set_position(u64::from(state.round));
        let probe = state.probe();
        let [plus, minus] = probe.params(&state);
        for [first, second] in &mut pairs {
            first.set_params(plus.clone());
            second.set_params(minus.clone());
        }
        let points = play_round(&mut pairs, &state)?;
        state.update(&probe, points);
        state.save(&options.out)?;
    }
    bar.finish_and_clear();
    print_line!("{}", state.table().trim_end());
    match &options.source {
        Some(path) if state.round == options.rounds => write_source(path, &state),
        _ => Ok(()),
    }
}

/// The constants to tune with the values to start from.
fn starting_values(options: &Options) -> Result<Vec<(String, f64)>> {
    let named = options.constants.iter().chain(options.start.iter().map(|(name, _)| name));
    for name in named {
        let known = Params::INFO.iter().any(|info| info.name == name);
        ensure!(known, "there is no constant '{name}'; src/search/params.rs declares them");
    }
    let constants = Params::INFO.iter().filter(|info| {
        options.constants.is_empty() || options.constants.iter().any(|n| n == info.name)
    });
    let value = |info: &hanxin::search::ParamInfo| {
        let start = options.start.iter().find(|(name, _)| name == info.name);
        let value = start.map_or(info.default, |&(_, value)| value.clamp(info.min, info.max));
        (info.name.to_owned(), f64::from(value))
    };
    Ok(constants.map(value).collect())
}

/// Plays the pairs of a round and gives the points of the first players above
/// those of the second ones.
fn play_round(workers: &mut [[Player; 2]], state: &State) -> Result<i32> {
    let count = workers.len();
    let pairs = state.settings.pairs as usize;
    let played = std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .enumerate()
            .map(|(worker, players)| {
                let numbers = (worker..pairs).step_by(count);
                scope.spawn(move || {
                    numbers.map(|number| play_numbered(players, state, number)).sum::<Result<i32>>()
                })
            })
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<i32>>| {
            thread.join().map_err(|_| anyhow!("a worker has panicked"))?
        };
        threads.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    Ok(played.into_iter().sum())
}

fn play_numbered([first, second]: &mut [Player; 2], state: &State, number: usize) -> Result<i32> {
    let stream = u64::from(state.round) * u64::from(state.settings.pairs) + number as u64;
    let mut random = seeded(state.settings.seed, stream);
    let moves = first.opening(&mut random)?;
    let opening = Opening::checked(None, Position::startpos(), moves)?;
    let as_red = play(first, second, &opening)?.result.points_of(Color::Red);
    let as_black = play(second, first, &opening)?.result.points_of(Color::Black);
    Ok([as_red, as_black].iter().map(|&points| points as i32 - 1).sum())
}

/// Plays one game in this process: searches take milliseconds, and the constants
/// change in every round, so separate processes would cost more than they play.
fn play(red: &mut Player, black: &mut Player, opening: &Opening) -> Result<GameRecord> {
    let adjudication = Adjudication { max_moves: Some(MAX_MOVES), ..Adjudication::default() };
    let conditions = Conditions { adjudication, ..Conditions::default() };
    let assignment = Assignment { number: 0, pair: 0, round: 1, red: 0, black: 1, opening: 0 };
    let go_on = AtomicBool::new(false);
    let played = play_game(&assignment, opening, &conditions, [red, black], &go_on, &|_, _| {});
    let (record, _) = played.context("the game was stopped")?;
    ensure!(!record.termination.is_failure(), "{}", record.reason);
    Ok(record)
}

/// Puts the values into the source file of the constants.
fn write_source(path: &Path, state: &State) -> Result<()> {
    let name = path.display();
    let text = read_text(path, u64::MAX).with_context(|| format!("cannot read {name}"))?;
    let text =
        rewrite(&text, &state.rounded()).with_context(|| format!("{name} stays as it is"))?;
    write_whole(path, text.as_bytes()).with_context(|| format!("cannot write {name}"))?;
    print_line!("{name} written");
    Ok(())
}
