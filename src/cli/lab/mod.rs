//! `hanxin lab`: the experiments of the course in game tree search.

mod compare;

use std::io::Write;

use clap::{Args, Subcommand};

use super::Failure;

/// Experiments with search algorithms, apart from the engine's own search.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    Compare(compare::Arguments),
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.experiment {
            Experiment::Compare(arguments) => arguments.run(out),
        }
    }
}
