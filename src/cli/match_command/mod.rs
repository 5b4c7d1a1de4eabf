//! `hanxin match`: matches between engines.

mod arguments;
mod check;
mod config;
mod course;
mod files;
mod hyphens;
mod pairs;
mod plan;
mod progress;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use core_affinity::CoreId;
use parking_lot::Mutex;

use super::{Failure, cannot_write, ranks, remark};
use crate::arena::report::Report;
use crate::arena::{
    self, Assignment, End, EngineSpec, Header, Journal, Opening, Plan, Results, Setup, Summary,
    TrafficLog, stats::Sprt,
};
use crate::link::{Link, Ranks, Timing};
use crate::util::{check_output, open_output, stop_signal};
use arguments::MatchArguments;
use course::Course;
use files::Files;
pub use hyphens::with_two_hyphens;
use progress::Progress;

/// Play matches between engines, with the words of cutechess-cli.
///
/// hanxin match --engine cmd=hanxin --engine cmd=fairy-stockfish proto=uci
/// rank=1 --each tc=10+0.1 --rounds 50 --concurrency 2 --pgnout games.pgn
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_long_help = format!("A file for --config:\n\n{}", config::EXAMPLE))]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    arguments: MatchArguments,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Put the parts of a match together that were played with --shard.
    #[command(after_help = "Example:\n  hanxin match merge 1.journal 2.journal --out all.journal")]
    Merge {
        /// The journals.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The journal to write.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
}

impl Arguments {
    pub fn run(
        self,
        out: &mut impl Write,
        link: &mut Option<Arc<dyn Link>>,
    ) -> Result<(), Failure> {
        match self.action {
            Some(Action::Merge { files, out: merged }) => merge(&files, &merged, out),
            None => play(&config::with_layers(self.arguments)?, out, link),
        }
    }
}

fn play(
    arguments: &MatchArguments,
    out: &mut impl Write,
    link: &mut Option<Arc<dyn Link>>,
) -> Result<(), Failure> {
    if let Some(words) = &arguments.check {
        return check::run(arguments, words, &stop_signal(), out);
    }
    // whoever plays a shard plays it alone
    if arguments.shard.is_none() {
        *link = ranks::join()?;
    }
    // MPI handles signals too: ours come last
    let stop = stop_signal();
    match link {
        Some(link) if link.rank() > 0 => Match::prepare(arguments)?.serve(link, &stop),
        link => Match::prepare(arguments)?.play(link.as_ref(), &stop, out),
    }
}

fn merge(files: &[PathBuf], merged: &Path, out: &mut impl Write) -> Result<(), Failure> {
    check_output("--out", merged, files)?;
    let missing = arena::merge(files, merged).map_err(Failure::refused)?;
    if missing.is_empty() {
        return Ok(writeln!(out, "{} has all games of the match", merged.display())?);
    }
    let numbers: Vec<String> = missing.iter().map(|number| (number + 1).to_string()).collect();
    let (count, merged) = (missing.len(), merged.display());
    let first = numbers[..numbers.len().min(10)].join(", ");
    Err(Failure::refused(format!("{merged} is written, but {count} games are missing: {first}")))
}

/// More engines than that no system starts.
const MOST_GAMES_AT_A_TIME: usize = 4096;

struct Match<'a> {
    arguments: &'a MatchArguments,
    plan: Plan,
    openings: Vec<Opening>,
    sprt: Option<Sprt>,
    header: Header,
    path: PathBuf,
}

impl Match<'_> {
    fn prepare(arguments: &MatchArguments) -> Result<Match<'_>, Failure> {
        let plan = plan::plan_from_args(arguments)?;
        let openings = plan.read_openings().map_err(Failure::refused)?;
        let is_fixed = plan.schedule.is_fixed();
        if arguments.shard.is_some() && !is_fixed {
            let fault = "--shard: the games of this tournament depend on one another";
            return Err(Failure::Invalid(fault.into()));
        }
        let games = plan.schedule.games(&Results::new()).len() as u32;
        let header = Header {
            plan: plan.identity(),
            games: is_fixed.then_some(games),
            shard: arguments.shard,
        };
        let path = arguments.journal.clone().unwrap_or_else(|| default_path(&header));
        let sprt = plan::sprt_from_args(arguments)?;
        Ok(Match { arguments, plan, openings, sprt, header, path })
    }

    /// Plays games for rank 0.
    fn serve(&self, link: &Arc<dyn Link>, stop: &AtomicBool) -> Result<(), Failure> {
        let setup = self.setup(Some(link))?;
        let ranks = self.ranks(link, setup.concurrency);
        arena::serve(&self.plan, &self.openings, &setup, &ranks, stop).map_err(Failure::refused)
    }

    fn ranks(&self, link: &Arc<dyn Link>, games: usize) -> Ranks {
        let rules = self.plan.conditions.parameters.rules.name();
        let plan = format!("{:08x}", crate::util::crc32(self.header.plan.to_string().as_bytes()));
        let hello = ranks::hello(games, rules, &plan);
        Ranks { link: Arc::clone(link), hello, timing: Timing::default() }
    }

    fn play(
        &self,
        link: Option<&Arc<dyn Link>>,
        stop: &AtomicBool,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let begun = self.begin(link);
        if let Some(link) = link.filter(|_| !begun.as_ref().is_ok_and(|(_, c)| !self.is_over(c))) {
            // the other ranks wait for games
            self.ranks(link, 1).dispatcher().stop();
        }
        let (setup, mut course) = begun?;
        let (json, interval) = (self.arguments.json, self.arguments.ratinginterval.unwrap_or(10));
        let mut progress = Progress::new(out, &self.plan, self.total(), json, interval);
        if course.journal.was_torn() {
            let path = self.path.display();
            progress.remark(&format!("{path}: the last line was torn and has been cut off"));
        }
        progress.resume(&course.summary)?;
        if self.is_over(&course) {
            return self.report_over(course, &mut progress);
        }
        self.warn(&setup, &course, &mut progress);
        if setup.ranks.is_none() {
            self.check_engines(&mut progress, stop)?;
        }
        let before = arena::processor_time();
        let (plan, known) = (&self.plan, course.results.clone());
        let watch = |event| course.note(event, &mut progress);
        let end = arena::run(plan, &self.openings, &setup, known, stop, watch);
        let end = end.map_err(|failure| match failure {
            // a script must not take a match for finished whose reader has gone
            Failure::Closed => stopped("nobody reads the output any more", &self.path),
            other => other,
        })?;
        let after = arena::processor_time().filter(|_| setup.ranks.is_none());
        course.overhead.processor =
            after.zip(before).map(|(after, before)| after.saturating_sub(before));
        self.report_end(&end, course, &mut progress)
    }

    /// What rank 0 needs before the first game.
    fn begin(&self, link: Option<&Arc<dyn Link>>) -> Result<(Setup, Course), Failure> {
        let files = Files::new(self.arguments, &self.plan)?;
        files.check(self.arguments, &self.plan, &self.path)?;
        let setup = self.setup_of_first(link)?;
        let summary = Summary::new(self.engine_names(), self.sprt);
        Ok((setup, Course::take_up(&self.path, &self.header, summary, files)?))
    }

    /// Whether nothing is left to play.
    fn is_over(&self, Course { summary, results, .. }: &Course) -> bool {
        summary.is_decided() || self.games(results).all(|game| results.contains_key(&game.number))
    }

    /// Shows a match that earlier runs have played to its end.
    fn report_over(
        &self,
        course: Course,
        progress: &mut Progress<'_, impl Write>,
    ) -> Result<(), Failure> {
        let Course { journal, results, summary, .. } = course;
        drop(journal);
        progress.set_outcome(self.plan.schedule.outcome(&results));
        let path = self.path.display();
        let hint = "remove it or change --srand for another match";
        progress.end(
            &summary,
            None,
            &format!("The match is over; it is kept in {path} ({hint})"),
        )?;
        self.report(progress)
    }

    /// Says how the match has ended, and writes the report.
    fn report_end(
        &self,
        end: &End,
        course: Course,
        progress: &mut Progress<'_, impl Write>,
    ) -> Result<(), Failure> {
        let Course { journal, results, summary, overhead, .. } = course;
        // some systems let nobody read a file that is locked
        drop(journal);
        progress.set_outcome(self.plan.schedule.outcome(&results));
        let reason = match end {
            End::Complete => "Finished match",
            End::Stopped if summary.is_decided() => "Finished match: the test has decided",
            End::Stopped | End::Unable(_) => "Stopped",
        };
        progress.end(&summary, Some(&overhead), reason)?;
        self.report(progress)?;
        match end {
            End::Unable(fault) => Err(Failure::refused(format!("the match cannot go on: {fault}"))),
            End::Stopped if !summary.is_decided() => Err(stopped("stopped", &self.path)),
            _ => Ok(()),
        }
    }

    fn report(&self, progress: &Progress<'_, impl Write>) -> Result<(), Failure> {
        let Some(path) = &self.arguments.report else {
            return Ok(());
        };
        let mut report = Report::new(self.arguments.event_name(), self.engine_names(), self.sprt);
        Journal::read(&self.path, |record| report.add(&record)).map_err(Failure::refused)?;
        report.set_outcome(progress.outcome_text());
        report.save(path).map_err(Failure::refused)
    }

    /// Names what the organiser may not have meant.
    fn warn(&self, setup: &Setup, course: &Course, progress: &mut Progress<'_, impl Write>) {
        let changed = |engine: &&Arc<EngineSpec>| {
            course.last_start.is_some_and(|time| engine.has_changed_since(time))
        };
        for engine in self.plan.engines.iter().filter(changed) {
            progress.remark(&format!(
                "{}: the file of the program is newer than games that are played; another match \
                 wants another --journal",
                engine.name
            ));
        }
        let (there, wanted) = (self.openings.len(), self.plan.openings_wanted());
        if there > 1 && there < wanted {
            progress
                .remark(&format!("{there} openings where {wanted} are wanted: some come again"));
        }
        let (games, cores) = (setup.concurrency, crate::util::cores());
        if games > cores && self.plan.engines.iter().any(|engine| engine.limits.is_timed()) {
            progress.remark(&format!(
                "{games} games at a time, but only {cores} cores: engines may be too late; lower \
                 --concurrency"
            ));
        }
    }

    /// Tries the engines before the first game, unless the match is to go on
    /// whatever they do.
    fn check_engines(
        &self,
        progress: &mut Progress<'_, impl Write>,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        if self.arguments.recover {
            return Ok(());
        }
        let remarks = arena::check_engines(&self.plan, stop).map_err(Failure::refused)?;
        remarks.iter().for_each(|remark| progress.remark(remark));
        Ok(())
    }

    /// How the games are played, for whoever keeps the journal.
    fn setup_of_first(&self, link: Option<&Arc<dyn Link>>) -> Result<Setup, Failure> {
        let Some(link) = link else { return self.setup(None) };
        let recover = self.arguments.recover;
        Ok(Setup { ranks: Some(self.ranks(link, 0)), recover, ..Setup::default() })
    }

    /// How games are played here, alone or for rank 0: then, unless something
    /// else is asked for, one on each core.
    fn setup(&self, link: Option<&Arc<dyn Link>>) -> Result<Setup, Failure> {
        let arguments = self.arguments;
        let usual = if link.is_some() { crate::util::cores() } else { 1 };
        let concurrency = arguments.concurrency.map_or(usual, |games| games.get() as usize);
        if concurrency > MOST_GAMES_AT_A_TIME {
            let fault = format!("--concurrency {concurrency}: at most {MOST_GAMES_AT_A_TIME}");
            return Err(Failure::Invalid(fault));
        }
        Ok(Setup {
            concurrency,
            cores: if arguments.pin { cores(2 * concurrency)? } else { Vec::new() },
            shard: arguments.shard,
            recover: arguments.recover,
            pause: Duration::from_millis(arguments.wait.unwrap_or(0).into()),
            traffic_log: self.debug_path(link).as_deref().map(traffic_log).transpose()?,
            report_moves: arguments.board,
            ranks: None,
        })
    }

    /// Where the conversations are written; ranks that share a disk have a file
    /// each, named by their number.
    fn debug_path(&self, link: Option<&Arc<dyn Link>>) -> Option<PathBuf> {
        let mut path = self.arguments.debug.clone()?.into_os_string();
        if let Some(link) = link {
            path.push(format!(".{}", link.rank()));
        }
        Some(path.into())
    }

    fn engine_names(&self) -> impl Iterator<Item = &String> {
        self.plan.engines.iter().map(|engine| &engine.name)
    }

    /// The games of this run and earlier ones together.
    fn total(&self) -> Option<u64> {
        self.plan.schedule.is_fixed().then(|| self.games(&Results::new()).count() as u64)
    }

    /// The games of this part of the match that are known after these results.
    fn games(&self, results: &Results) -> impl Iterator<Item = Assignment> {
        let shard = self.arguments.shard;
        let games = self.plan.schedule.games(results).into_iter();
        games.filter(move |game| shard.is_none_or(|shard| shard.has(game)))
    }
}

/// A name that the same match has every time and no other one has.
fn default_path(header: &Header) -> PathBuf {
    let sum = crate::util::crc32(header.plan.to_string().as_bytes());
    let part = header.shard.map_or(String::new(), |s| format!("-{}-of-{}", s.number, s.of));
    format!("match-{sum:08x}{part}.journal").into()
}

fn stopped(why: &str, journal: &Path) -> Failure {
    let journal = journal.display();
    Failure::refused(format!("{why}; the same command takes the match up again ({journal})"))
}

/// Cores for so many engines.
fn cores(engines: usize) -> Result<Vec<CoreId>, Failure> {
    if !arena::INHERITS_CORES {
        let fault = "--pin: on this system a process does not inherit the core of its parent";
        return Err(Failure::refused(fault));
    }
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    if cores.len() < engines {
        let fault = format!(
            "--pin: {engines} engines at a time, but only {} cores; lower --concurrency or leave \
             --pin out",
            cores.len()
        );
        return Err(Failure::refused(fault));
    }
    Ok(cores)
}

/// Writes the conversations to a file, after what it has.
fn traffic_log(path: &Path) -> Result<TrafficLog, Failure> {
    let opened = open_output(path, false).map_err(|error| cannot_write(path, error));
    let file = Mutex::new(opened?);
    let (began, path, has_failed) = (Instant::now(), path.to_owned(), AtomicBool::new(false));
    Ok(Arc::new(move |name: &str, is_engine, line: &[u8]| {
        let time = began.elapsed().as_secs_f64();
        let sign = if is_engine { '>' } else { '<' };
        let text =
            format!("{time:.4} {name} {sign} {}\n", String::from_utf8_lossy(line).trim_end());
        // a log that cannot be written does not end a match
        if let Err(error) = file.lock().write_all(text.as_bytes())
            && !has_failed.swap(true, Relaxed)
        {
            let fault = cannot_write(&path, error);
            remark(format!("{fault}; the log of --debug misses lines"));
        }
    }))
}
