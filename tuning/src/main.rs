//! Self-play data and tuning of hanxin's evaluation; README.md describes
//! their use.

mod ablation;
mod curve;
mod data;
mod datagen;
mod duel;
mod endings;
mod estimate;
mod evaluate;
mod fit;
mod loss_curves;
mod net;
mod numbers;
mod openings;
mod progress;
mod quantise;
mod ranks;
mod regret;
mod relabel;
mod sample;
mod saved;
mod selfplay;
mod spsa;
mod store;
mod texel;
mod thresholds;
mod train;
mod wdl;
mod workers;

use std::collections::HashSet;
use std::process::ExitCode;

use anyhow::{Context, Error, Result, anyhow, ensure};
use clap::{Parser, Subcommand};
use hanxin::search::{ParamInfo, Params};

/// Makes self-play games and tunes the evaluation of hanxin on them.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play games of the engine against itself
    Datagen(datagen::Options),
    /// Search positions of games anew, with more nodes, for their labels
    Relabel(relabel::Options),
    /// Tune the classical evaluation on games and write its new weights
    Texel(texel::Options),
    /// Train a net on games
    Train(train::Options),
    /// Quantise a trained net for the engine
    Quantise(quantise::Options),
    /// Print the losses of evaluations on games
    Evaluate(evaluate::Options),
    /// Fit the chances to win, draw and lose by score and material
    Wdl(wdl::Options),
    /// Print how games ended after scores that suggest to resign or to offer a draw
    Thresholds(thresholds::Options),
    /// Tune constants of the search by games of the engine against itself
    Spsa(spsa::Options),
    /// Measure by games what each technique of the search is worth
    Ablation(ablation::Options),
    /// Judge the moves of short searches by deep ones, and constants by them
    Regret(regret::Options),
    /// Make a suite of balanced openings
    Openings(openings::Options),
}

fn main() -> ExitCode {
    match Arguments::parse().command.run().and_then(|()| progress::check_output()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress::complain(&error);
            ExitCode::FAILURE
        }
    }
}

impl Command {
    fn run(&self) -> Result<()> {
        if !matches!(self, Command::Datagen(_) | Command::Spsa(_)) {
            ranks::check_alone()?;
        }
        match self {
            Command::Datagen(options) => datagen::run(options),
            Command::Relabel(options) => relabel::run(options),
            Command::Texel(options) => texel::run(options),
            Command::Train(options) => train::run(options),
            Command::Quantise(options) => quantise::run(options),
            Command::Evaluate(options) => evaluate::run(options),
            Command::Wdl(options) => wdl::run(options),
            Command::Thresholds(options) => thresholds::run(options),
            Command::Spsa(options) => spsa::run(options),
            Command::Ablation(options) => ablation::run(options),
            Command::Regret(options) => regret::run(options),
            Command::Openings(options) => openings::run(options),
        }
    }
}

/// A constant of the search and its value within its bounds, as name=value.
fn assignment(text: &str) -> Result<(String, i32)> {
    let (name, value) = text.split_once('=').context("want name=value")?;
    let value: i32 = value.parse().with_context(|| format!("'{value}' is not a number"))?;
    let ParamInfo { name, min, max, .. } = *constant(name)?;
    ensure!((min..=max).contains(&value), "{name} is from {min} to {max}");
    Ok((name.to_owned(), value))
}

/// The constant of the search with this name, case ignored.
fn constant(name: &str) -> Result<&'static ParamInfo> {
    let info = Params::INFO.iter().find(|info| info.name.eq_ignore_ascii_case(name));
    info.with_context(|| {
        format!("there is no constant '{name}'; src/search/params.rs declares them")
    })
}

/// The constants of these names.
///
/// # Errors
/// When one does not exist or is named twice.
fn constants(option: &str, names: &[String]) -> Result<Vec<&'static ParamInfo>> {
    let found = names.iter().map(|name| constant(name)).collect::<Result<Vec<_>>>()?;
    check_distinct(option, found.iter().map(|info| info.name))?;
    Ok(found)
}

/// Checks that an option names no constant twice, of which one would be ignored.
///
/// # Errors
/// When it does.
fn check_distinct<'a>(option: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        ensure!(seen.insert(name), "{option} names {name} twice: name it once");
    }
    Ok(())
}

/// The failure of a run that the user has ended, so that no script takes it for
/// finished.
fn interrupted() -> Error {
    anyhow!("interrupted; the same command goes on")
}

/// Hardware threads.
fn cores() -> u32 {
    hanxin::util::cores() as u32
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn constants_have_names_and_bounds() {
        let fault = |text| assignment(text).unwrap_err().to_string();
        assert_eq!(assignment("RFP_depth=14").unwrap(), ("rfp_depth".to_owned(), 14));
        assert_eq!(fault("rfp_depth=15"), "rfp_depth is from 4 to 14");
        assert_eq!(fault("rfp_depth=x"), "'x' is not a number");
        assert!(fault("rfp=4").starts_with("there is no constant 'rfp'"));
    }

    #[test]
    fn numbers_that_no_search_can_use_are_refused() {
        let parse = |line: &str| Arguments::try_parse_from(line.split_whitespace()).is_ok();
        let regret = "hanxin-tuning regret --data a --judged b";
        assert!(parse(&format!("{regret} --screen c --width 20 --constant rfp_margin")));
        for wrong in [
            "--width 3",
            "--constant rfp_margin",
            "--screen c --width 0",
            "--screen c --width 21",
            "--nodes 0",
            "--deep 4",
        ] {
            assert!(!parse(&format!("{regret} {wrong}")), "{wrong}");
        }
        assert!(!parse("hanxin-tuning openings --nodes 0"));
        assert!(!parse("hanxin-tuning datagen --positions 10 --nodes 19 --out a"));
    }

    #[test]
    fn every_subcommand_shows_an_example_that_it_accepts() {
        for subcommand in Arguments::command().get_subcommands() {
            let help = subcommand.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines = help.replace("\\\n", " ");
            let is_command = |line: &&str| line.trim().starts_with("hanxin-tuning");
            let examples: Vec<&str> = lines.lines().filter(is_command).collect();
            assert!(!examples.is_empty(), "{subcommand} has no example");
            for example in examples {
                let parsed = Arguments::try_parse_from(example.split_whitespace());
                let fault = parsed.err().map(|error| error.to_string());
                assert_eq!(fault, None, "{example}");
            }
        }
    }
}
