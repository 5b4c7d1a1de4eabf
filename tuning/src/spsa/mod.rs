//! Tunes constants of the search by simultaneous perturbation (SPSA, Spall
//! 1992): all constants are moved at once by their steps, each in a random
//! direction; those values play against the opposite ones, and all constants
//! go a little towards the winner.

mod state;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use hanxin::arena::TimeControl;
use hanxin::eval::EvalKind;
use hanxin::link::{Dispatcher, Job, Ranks};
use hanxin::search::{ParamInfo, Params};
use hanxin::util::{check_output, crc32, read_text, stop_signal, write_whole};
use serde::{Deserialize, Serialize};

use crate::duel::{Couple, couples, play_pair};
use crate::numbers::{not_negative, positive};
use crate::progress::{bar, print_line};
use crate::ranks::{self, next_result};
use crate::saved;
use crate::selfplay::{Common, NodeClock};
use crate::workers::share;
use crate::{check_distinct, constants, interrupted};
use state::{Settings, State, rewrite};

const EXAMPLE: &str = "\
Example:
  hanxin-tuning spsa --constant rfp_margin --constant lmr_base --rounds 2000 --pairs 4 \\
      --threads 2 --out spsa.json

Ctrl-C ends it; the same command goes on.";

/// What to tune, and how.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// The constants to tune; if none is named all, those of the clock only with --clock
    #[arg(long = "constant")]
    constants: Vec<String>,
    /// Values to start from instead of the shipped ones, as name=value
    #[arg(long = "start", value_parser = crate::assignment)]
    start: Vec<(String, i32)>,
    /// Number of rounds; each moves all constants
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Openings of a round, each played twice with colours exchanged
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Widths that a constant moves for each point of the winner's lead, in the
    /// last round; with 0 values stay, and the table tells what each is worth
    #[arg(long, default_value_t = 0.02, value_parser = not_negative)]
    rate: f64,
    /// How many of its steps each constant is moved for the games of the last
    /// round; the fewer games there are, the more
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    width: f64,
    /// Nodes searched for each move
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Play on clocks instead, such as 10+0.1, so that the constants of the clock are
    /// tuned too; --nodes then judge openings only
    #[arg(long)]
    clock: Option<TimeControl>,
    /// Nodes that count as a millisecond of these clocks; with fewer than 40 a
    /// search may not look at its clock in time
    #[arg(long, default_value_t = 60, requires = "clock", value_parser = clap::value_parser!(u32).range(40..))]
    nodestime: u32,
    #[command(flatten)]
    common: Common,
    /// The file of the tuning; if it exists it is continued
    #[arg(long)]
    out: PathBuf,
    /// The source file where the constants are declared; it gets the new values
    /// at the end
    #[arg(long)]
    source: Option<PathBuf>,
}

/// Tunes until the last round, or until the user stops it, with games played
/// here or on the ranks that were started with this process.
///
/// # Errors
/// When a constant does not exist, a file cannot be used or a search cannot
/// run.
pub fn run(options: &Options) -> Result<()> {
    let eval = options.common.evaluation.open()?;
    let settings = options.settings(&eval)?;
    let plan = format!("spsa {:08x}", crc32(&serde_json::to_vec(&settings)?));
    let ranks = ranks::join(options.common.threads, &eval, &plan)?;
    let stop = stop_signal();
    match ranks {
        None => {
            let mut couples = options.couples(&eval)?;
            options.tune(settings, &stop, |state| play_round(&mut couples, state).map(Some))
        }
        Some(ranks) => {
            let done = options.run_on(&ranks, settings, &eval, &stop);
            ranks::leave(ranks, done)
        }
    }
}

impl Options {
    fn settings(&self, eval: &EvalKind) -> Result<Settings> {
        let Options { rounds, pairs, rate, width, nodes, common: Common { seed, .. }, .. } = *self;
        let start = starting_values(self)?;
        let clock = self.clock.map(|control| format!("{control} at {}", self.nodestime));
        let evaluation = eval.identity();
        Ok(Settings { start, rounds, pairs, rate, width, nodes, clock, seed, evaluation })
    }

    /// The part of this rank.
    fn run_on(
        &self,
        ranks: &Ranks,
        settings: Settings,
        eval: &EvalKind,
        stop: &AtomicBool,
    ) -> Result<()> {
        if !ranks.is_first() {
            return ranks::serve(ranks, self.couples(eval)?, stop, |couple, job| {
                let Task { round, pair, values } = serde_json::from_slice(&job.bytes)?;
                settings.set(couple, &values);
                Ok(play_numbered(couple, &settings, round, pair)?.to_le_bytes().into())
            });
        }
        let mut dispatcher = ranks.dispatcher();
        let tuned = self.tune(settings, stop, |state| gather(&mut dispatcher, state, stop));
        dispatcher.stop();
        tuned
    }

    /// As many couples of players as play at the same time.
    fn couples(&self, eval: &EvalKind) -> Result<Vec<Couple>> {
        let mut couples = couples(self.common.threads, self.nodes, eval)?;
        if let Some(control) = self.clock {
            let clock = NodeClock { control, rate: self.nodestime };
            couples.iter_mut().flatten().for_each(|player| player.set_clock(clock));
        }
        Ok(couples)
    }

    /// Tunes with rounds that `play` plays; it gives the points of the first
    /// players above those of the second ones, nothing if it was stopped.
    fn tune(
        &self,
        settings: Settings,
        stop: &AtomicBool,
        mut play: impl FnMut(&State) -> Result<Option<i32>>,
    ) -> Result<()> {
        let _claim = saved::claim("--out", &self.out, self.common.evaluation.file())?;
        // what was asked for must be what a file began with
        let mut given = settings.start.clone();
        given.retain(|(name, _)| self.start.iter().any(|(given, _)| given == name));
        let mut state = State::open(&self.out, settings)?;
        let is_kept = given.iter().all(|first| state.settings.start.contains(first));
        ensure!(is_kept, "{} began with other values: give another file", self.out.display());
        if let Some(path) = &self.source {
            // better now than after the last round
            check_output("--source", path, [&self.out])?;
            with_values(path, &state)?;
        }
        let bar = bar(u64::from(self.rounds));
        while state.round() < self.rounds && !stop.load(Ordering::Relaxed) {
            bar.set_position(u64::from(state.round()));
            let Some(points) = play(&state)? else { break };
            state.update(points);
            state.save(&self.out)?;
        }
        bar.finish_and_clear();
        let is_over = state.round() >= self.rounds;
        if !is_over {
            print_line!("after {} of {} rounds:", state.round(), self.rounds);
        }
        print_line!("{}", state.table().trim_end());
        match &self.source {
            _ if !is_over => Err(interrupted()),
            Some(path) => write_source(path, &state),
            None => Ok(()),
        }
    }
}

/// A pair of games for another rank.
#[derive(Serialize, Deserialize)]
struct Task {
    round: u32,
    /// Which pair of the round, from 0.
    pair: u32,
    /// The values of the constants of both players.
    values: [Vec<i32>; 2],
}

/// Has other ranks play a round; nothing if `stop` is set before its end.
fn gather(
    dispatcher: &mut Dispatcher<'_>,
    state: &State,
    stop: &AtomicBool,
) -> Result<Option<i32>> {
    let State { settings, .. } = state;
    let (round, values, mut points) = (state.round(), state.probe().values(state), 0);
    let mut pairs = 0..settings.pairs;
    while !pairs.is_empty() || !dispatcher.is_idle() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        dispatcher.deal(pairs.len(), || {
            let pair = pairs.next()?;
            let task = Task { round, pair, values: values.clone() };
            let number = round.wrapping_mul(settings.pairs).wrapping_add(pair);
            Some(vec![Job { number, bytes: serde_json::to_vec(&task).ok()? }])
        });
        if let Some((number, bytes)) = next_result(dispatcher)? {
            let lead = bytes.try_into().map_err(|_| anyhow!("pair {number} arrives damaged"))?;
            points += i32::from_le_bytes(lead);
        }
    }
    Ok(Some(points))
}

/// The constants to tune with the values to start from.
fn starting_values(options: &Options) -> Result<Vec<(String, f64)>> {
    let named = constants("--constant", &options.constants)?;
    if let (None, Some(info)) = (options.clock, named.iter().find(|info| info.is_of_clock())) {
        bail!("{} matters on a clock alone: give --clock", info.name);
    }
    let is_wanted = |info: &&ParamInfo| match &named[..] {
        [] => options.clock.is_some() || !info.is_of_clock(),
        named => named.iter().any(|named| named.name == info.name),
    };
    let tuned: Vec<&ParamInfo> = Params::INFO.iter().filter(is_wanted).collect();
    check_distinct("--start", options.start.iter().map(|(name, _)| name.as_str()))?;
    let is_tuned = |name: &str| tuned.iter().any(|info| info.name == name);
    if let Some((name, _)) = options.start.iter().find(|(name, _)| !is_tuned(name)) {
        bail!("--start: {name} is not tuned: give --constant {name} too, or leave it out");
    }
    let value = |info: &&ParamInfo| {
        let start = options.start.iter().find(|(name, _)| name == info.name);
        let value = start.map_or(info.default, |&(_, value)| value);
        (info.name.to_owned(), f64::from(value))
    };
    Ok(tuned.iter().map(value).collect())
}

/// Plays the pairs of a round and gives the points of the first players above
/// those of the second ones.
fn play_round(couples: &mut [Couple], state: &State) -> Result<i32> {
    let State { settings, .. } = state;
    let (round, values) = (state.round(), state.probe().values(state));
    couples.iter_mut().for_each(|couple| settings.set(couple, &values));
    // a round is played to its end: half of it says nothing
    let (points, never) = (AtomicI32::new(0), AtomicBool::new(false));
    share(couples, 0..settings.pairs, &never, |couple, pair| {
        points.fetch_add(play_numbered(couple, settings, round, pair)?, Ordering::Relaxed);
        Ok(())
    })?;
    Ok(points.into_inner())
}

/// Plays a pair of a round and gives the points of the first player above
/// those of the second one.
fn play_numbered(couple: &mut Couple, settings: &Settings, round: u32, pair: u32) -> Result<i32> {
    let number = u64::from(round) * u64::from(settings.pairs) + u64::from(pair);
    let points = play_pair(couple, settings.seed, number)?;
    Ok(points.iter().map(|&points| points as i32 - 1).sum())
}

/// The source file of the constants with the values of a tuning.
fn with_values(path: &Path, state: &State) -> Result<String> {
    let name = path.display();
    let text = read_text(path, u64::MAX).with_context(|| format!("cannot read {name}"))?;
    rewrite(&text, &state.rounded()).with_context(|| format!("{name} stays as it is"))
}

/// Puts the values into the source file of the constants.
fn write_source(path: &Path, state: &State) -> Result<()> {
    let name = path.display();
    let text = with_values(path, state)?;
    write_whole(path, text.as_bytes()).with_context(|| format!("cannot write {name}"))?;
    print_line!("{name} written");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hanxin::link::{Hello, Local, Network, Timing};

    use super::*;
    use crate::selfplay::Evaluation;

    fn options(out: &Path) -> Options {
        Options {
            constants: vec!["rfp_margin".into(), "lmr_base".into()],
            start: Vec::new(),
            rounds: 2,
            pairs: 3,
            rate: 0.5,
            width: 1.0,
            nodes: 20,
            clock: None,
            nodestime: 60,
            common: Common { threads: 1, seed: 1, evaluation: Evaluation::default() },
            out: out.to_owned(),
            source: None,
        }
    }

    #[test]
    fn a_clock_of_nodes_gives_the_same_games_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(&folder.path().join("clock"));
        options.clock = Some("1+0.01".parse().unwrap());
        let settings = options.settings(&EvalKind::Classical).unwrap();
        assert_eq!(settings.clock.as_deref(), Some("1+0.01 at 60"));
        let play = |pair| {
            let mut couples = options.couples(&EvalKind::Classical).unwrap();
            play_numbered(&mut couples[0], &settings, 0, pair).unwrap()
        };
        assert_eq!([play(0), play(1)], [play(0), play(1)]);
    }

    #[test]
    fn a_file_that_began_with_other_values_than_asked_for_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(&folder.path().join("begun"));
        let mut go_on = |value| {
            options.start = vec![("lmr_base".into(), value)];
            let settings = options.settings(&EvalKind::Classical).unwrap();
            let begun = State::open(&options.out, settings.clone()).unwrap();
            begun.save(&options.out).unwrap();
            let gone_on = options.tune(settings, &AtomicBool::new(true), |_| Ok(None));
            gone_on.unwrap_err().to_string()
        };
        assert!(go_on(900).starts_with("interrupted"));
        assert!(go_on(901).contains("began with other values"));
    }

    #[test]
    fn constants_that_would_be_ignored_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let fault = |constants: &[&str], start: &[(&str, i32)], clock: Option<&str>| {
            let options = Options {
                constants: constants.iter().map(|&name| name.into()).collect(),
                start: start.iter().map(|&(name, value)| (name.into(), value)).collect(),
                clock: clock.map(|text| text.parse().unwrap()),
                ..options(&folder.path().join("out"))
            };
            let settings = options.settings(&EvalKind::Classical);
            settings.err().map(|error| error.to_string()).unwrap_or_default()
        };
        let clock = Params::INFO.iter().find(|info| info.is_of_clock()).unwrap().name;
        assert_eq!(fault(&["lmr_base"], &[("lmr_base", 900)], None), "");
        assert_eq!(fault(&[clock], &[], Some("1+0.01")), "");
        let refused = fault(&[clock], &[], None);
        assert!(refused.contains("matters on a clock alone: give --clock"), "{refused}");
        let refused = fault(&["lmr_base"], &[("rfp_margin", 70)], None);
        assert!(refused.contains("rfp_margin is not tuned"), "{refused}");
        let refused = fault(&["lmr_base", "LMR_base"], &[], None);
        assert!(refused.contains("--constant names lmr_base twice"), "{refused}");
        let refused = fault(&["lmr_base"], &[("lmr_base", 900), ("lmr_base", 901)], None);
        assert!(refused.contains("--start names lmr_base twice"), "{refused}");
    }

    #[test]
    fn a_source_that_does_not_declare_the_constants_is_refused_before_the_rounds() {
        let folder = tempfile::tempdir().unwrap();
        let [out, source] = ["spsa.json", "params.rs"].map(|name| folder.path().join(name));
        let mut options = options(&out);
        let mut refusal = |path: &Path| {
            options.source = Some(path.to_owned());
            let settings = options.settings(&EvalKind::Classical).unwrap();
            let never = AtomicBool::new(false);
            let tuned = options.tune(settings, &never, |_| panic!("a round is played"));
            format!("{:#}", tuned.unwrap_err())
        };
        assert!(refusal(&source).contains("no such file"));
        std::fs::write(&source, "    rfp_margin: 71, 20..=160, 8;\n").unwrap();
        let refused = refusal(&source);
        assert!(refused.contains("no declaration of lmr_base"), "{refused}");
        assert!(refusal(&out).contains("name another one"));
    }

    fn run_on(options: &Options, ranks: &Ranks) {
        let settings = options.settings(&EvalKind::Classical).unwrap();
        let stop = AtomicBool::new(false);
        options.run_on(ranks, settings, &EvalKind::Classical, &stop).unwrap();
    }

    #[test]
    fn ranks_tune_as_one_process_does() {
        let folder = tempfile::tempdir().unwrap();
        let [alone, together] = ["alone", "together"].map(|name| folder.path().join(name));
        let options_alone = options(&alone);
        let mut couples = options_alone.couples(&EvalKind::Classical).unwrap();
        let settings = options_alone.settings(&EvalKind::Classical).unwrap();
        let play = |state: &State| play_round(&mut couples, state).map(Some);
        let interrupted =
            options_alone.tune(settings.clone(), &AtomicBool::new(true), |_| Ok(None));
        assert!(interrupted.unwrap_err().to_string().starts_with("interrupted"));
        options_alone.tune(settings, &AtomicBool::new(false), play).unwrap();

        let rank = |link| Ranks {
            link: Arc::new(link),
            hello: Hello::new("here".into(), 1, &[]),
            timing: Timing::default(),
        };
        let ranks: Vec<Ranks> = Local::group(3, Network::default()).into_iter().map(rank).collect();
        std::thread::scope(|scope| {
            let together = &together;
            for ranks in &ranks {
                scope.spawn(move || run_on(&options(together), ranks));
            }
        });
        let [one, other] = [alone, together].map(|path| std::fs::read(path).unwrap());
        assert!(one == other);
    }
}
