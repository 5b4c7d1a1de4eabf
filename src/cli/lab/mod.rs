//! `hanxin lab`: the experiments of the course in game tree search.

mod compare;
mod experiment;
mod positions;
mod report;
mod schaeffer;
mod thesis;
mod tree;

use std::io::Write;

use clap::{Args, Subcommand};

use crate::lab::Variant;

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
    Schaeffer(schaeffer::Arguments),
    Thesis(thesis::Arguments),
    Tree(tree::Arguments),
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.experiment {
            Experiment::Compare(arguments) => arguments.run(out),
            Experiment::Schaeffer(arguments) => arguments.run(out),
            Experiment::Thesis(arguments) => arguments.run(out),
            Experiment::Tree(arguments) => arguments.run(out),
        }
    }
}

/// The variant of that name.
fn variant(name: &str) -> Result<Variant, Failure> {
    name.parse().map_err(|error| Failure::Invalid(format!("'{name}' is not a variant: {error}")))
}
