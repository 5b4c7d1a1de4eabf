//! `hanxin book`: opening books, looked into, built, merged and grown.

mod build;
mod convert;
mod expand;
mod look;
mod sources;
mod starts;

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
    Build(build::Arguments),
    Dump(look::DumpArguments),
    Expand(expand::Arguments),
    Export(convert::ExportArguments),
    Info(look::InfoArguments),
    Merge(convert::MergeArguments),
    Probe(look::ProbeArguments),
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.command {
            Command::Build(arguments) => arguments.run(out),
            Command::Dump(arguments) => arguments.run(out),
            Command::Expand(arguments) => arguments.run(out),
            Command::Export(arguments) => arguments.run(out),
            Command::Info(arguments) => arguments.run(out),
            Command::Merge(arguments) => arguments.run(out),
            Command::Probe(arguments) => arguments.run(out),
        }
    }
}
