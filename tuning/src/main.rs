//! Self-play data and tuning of hanxin's evaluation; README.md tells how they
//! are used.

mod datagen;
mod random;
mod record;
mod referee;
mod selfplay;
mod store;

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
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Datagen(options) => datagen::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hanxin-tuning: {error:#}");
            ExitCode::FAILURE
        }
    }
}
