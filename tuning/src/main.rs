//! Self-play data and tuning of hanxin's evaluation; README.md tells how they
//! are used.

mod datagen;
mod duel;
mod engine;
mod evaluate;
mod fit;
mod openings;
mod random;
mod record;
mod sample;
mod selfplay;
mod store;
mod texel;
mod verdict;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    /// Tune the classical evaluation on games and write its new weights
    Texel(texel::Options),
    /// Say how well the evaluation foretells the results of games
    Evaluate(evaluate::Options),
    /// Let two UCI engines play a match at fixed nodes
    Duel(duel::Options),
    /// Make a suite of balanced openings
    Openings(openings::Options),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Datagen(options) => datagen::run(&options),
        Command::Texel(options) => texel::run(&options),
        Command::Evaluate(options) => evaluate::run(&options),
        Command::Duel(options) => duel::run(&options),
        Command::Openings(options) => openings::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hanxin-tuning: {error:#}");
            ExitCode::FAILURE
        }
    }
}
