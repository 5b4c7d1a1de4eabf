//! The command line: arguments in, tables out. One file for each subcommand.

mod bench;
mod book;
mod csv_table;
mod egtb;
mod lab;
mod match_command;
mod mate;
mod options;
mod perft;
mod progress;
mod ranks;
mod rules;
mod scaling;
mod sprt;
mod suite;

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::board::Position;
use crate::engine::{self, Engine};
use crate::front;
use crate::link::{Link, Ranks, Timing};
use crate::rules::RuleSet;
use crate::util::{OutputError, printable};

/// A Xiangqi engine.
///
/// Without a subcommand it speaks UCCI or UCI, whichever the other side opens,
/// and has a console for people.
#[derive(Debug, Parser)]
#[command(name = "hanxin", version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Arguments),
    Book(book::Arguments),
    Egtb(egtb::Arguments),
    Lab(lab::Arguments),
    Match(Box<match_command::Arguments>),
    Mate(mate::Arguments),
    Options(options::Arguments),
    Perft(perft::Arguments),
    Rules(rules::Arguments),
    Sprt(sprt::Arguments),
    Suite(suite::Arguments),
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The output is closed, which is not a fault.
    #[error("the output is closed")]
    Closed,
    /// What was asked for cannot be done; one line for the user.
    #[error("{0}")]
    Refused(String),
    /// What was given makes no sense, like an argument that is not declared;
    /// one line for the user.
    #[error("{0}")]
    Invalid(String),
}

impl Failure {
    fn refused(reason: impl Display) -> Failure {
        Failure::Refused(reason.to_string())
    }

    fn invalid(reason: impl Display) -> Failure {
        Failure::Invalid(reason.to_string())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Failure::Closed => 0,
            Failure::Refused(_) => 1,
            Failure::Invalid(_) => 2,
        }
    }
}

impl From<io::Error> for Failure {
    /// Of an error of the standard output.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::refused(format!("cannot write the output: {error}")),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Failure {
        match error {
            OutputError::Taken { .. } => Failure::invalid(error),
            OutputError::Unwritable { .. } => Failure::refused(error),
        }
    }
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    let mut link = None;
    let result = arguments().and_then(|arguments| match arguments.command {
        None => converse(&mut link),
        Some(command) => command.run(&mut io::stdout().lock(), &mut link),
    });
    let code = match result {
        Ok(()) | Err(Failure::Closed) => 0,
        Err(failure) => {
            remark(&failure);
            failure.exit_code()
        }
    };
    if let Some(link) = link {
        ranks::leave(link, code);
    }
    code.into()
}

/// The arguments of the process. What does not match the declaration ends the
/// program.
fn arguments() -> Result<Arguments, Failure> {
    let words = match_command::with_two_hyphens(env::args_os())?;
    let matches = declaration().get_matches_from(words);
    Ok(Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()))
}

fn declaration() -> clap::Command {
    with_negative_numbers(Arguments::command().after_long_help(options::help()))
}

/// Takes `-1` for a value everywhere, so that who gives one to an option that wants none
/// below zero is told which.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let numbers = |argument: clap::Arg| {
        let takes_values = argument.get_action().takes_values();
        argument.allow_negative_numbers(takes_values)
    };
    command.mut_args(numbers).mut_subcommands(with_negative_numbers)
}

/// Tells the user something beside the output, on the standard error.
fn remark(text: impl Display) {
    // whoever closed the standard error does not want to know
    let _ = writeln!(io::stderr(), "hanxin: {text}");
}

/// The position of a FEN from the command line.
fn position(fen: &str) -> Result<Position, Failure> {
    Position::from_fen(fen).map_err(|error| Failure::Invalid(format!("bad FEN: {error}")))
}

/// The same, or the start of a game if there is none.
fn position_or_start(fen: Option<&str>) -> Result<Position, Failure> {
    fen.map_or_else(|| Ok(Position::startpos()), position)
}

/// A file that makes no sense, with the reason.
fn invalid_file(path: &Path, reason: impl Display) -> Failure {
    Failure::Invalid(format!("{}: {reason}", path.display()))
}

/// An output that cannot be written, with the reason.
fn cannot_write(path: &Path, error: impl Display) -> Failure {
    Failure::Refused(format!("cannot write {}: {error}", printable(path)))
}

/// Nodes per second.
fn nps(nodes: u64, time: Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(1e-9)) as u64
}

/// Talks to whoever has started the program; as a rank above 0, to rank 0.
fn converse(link: &mut Option<Arc<dyn Link>>) -> Result<(), Failure> {
    *link = ranks::join()?;
    let engine = match link {
        None => Engine::new(),
        Some(link) => {
            let hello = ranks::hello(1, RuleSet::default().name(), "search");
            let ranks = Ranks { link: Arc::clone(link), hello, timing: Timing::default() };
            if !ranks.is_first() {
                return engine::follow(ranks).map_err(Failure::refused);
            }
            Engine::leading(ranks)
        }
    };
    let engine = engine.map_err(Failure::refused)?;
    let person = io::stdin().is_terminal();
    front::converse(engine, io::stdin(), io::stdout(), person).map_err(Failure::refused)
}

impl Command {
    /// Runs the command. One that works with other ranks leaves its link to
    /// them in `link`, which is closed when all has been said.
    fn run(self, out: &mut impl Write, link: &mut Option<Arc<dyn Link>>) -> Result<(), Failure> {
        match self {
            Command::Bench(arguments) => arguments.run(out),
            Command::Book(arguments) => arguments.run(out),
            Command::Egtb(arguments) => arguments.run(out),
            Command::Lab(arguments) => arguments.run(out),
            Command::Match(arguments) => arguments.run(out, link),
            Command::Mate(arguments) => arguments.run(out),
            Command::Options(arguments) => arguments.run(out),
            Command::Perft(arguments) => arguments.run(out),
            Command::Rules(arguments) => arguments.run(out),
            Command::Sprt(arguments) => arguments.run(out),
            Command::Suite(arguments) => arguments.run(out),
        }
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    /// What the program prints, given these arguments.
    pub fn run(line: &str) -> Result<String, Failure> {
        let words = ["hanxin"].into_iter().chain(line.split(' '));
        let matches = declaration().try_get_matches_from(words).map_err(Failure::refused)?;
        let arguments = Arguments::from_arg_matches(&matches).map_err(Failure::refused)?;
        let mut out = Vec::new();
        arguments.command.expect("a subcommand").run(&mut out, &mut None)?;
        Ok(String::from_utf8(out).expect("text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_fit_together() {
        declaration().debug_assert();
    }

    #[test]
    fn a_number_below_zero_is_told_from_an_option() {
        for (line, option) in [
            ("match --engine cmd=a --rounds -1", "--rounds"),
            ("book expand --nodes -2", "--nodes"),
            ("bench --depth -3", "--depth"),
            ("perft -1", "DEPTH"),
        ] {
            let fault = testing::run(line).unwrap_err().to_string();
            assert!(fault.contains(option) && fault.contains("invalid value '-"), "{fault}");
        }
    }
}
