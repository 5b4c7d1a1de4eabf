//! `hanxin book`: opening books, looked into, built, merged and grown.

mod expand;

use std::io::Write;

use clap::{Args, Subcommand};

use super::Failure;

/// Look into opening books, build them from games or by search, merge and export them.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Expand(expand::Arguments),
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.command {
            Command::Expand(arguments) => arguments.run(out),
        }
    }
}
