//! `hanxin egtb shares`: how often each side wins.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::super::Failure;
use super::tables;
use crate::board::Color;
use crate::egtb::{Counts, Header, Tables};

/// Write how often each side wins the endings of a folder.
///
/// In thousandths of the positions with the other side to move. The evaluation
/// is made with this list: src/eval/win_shares.csv.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin egtb shares --dir tables > shares.csv")]
pub struct Shares {
    /// The folder of the tables.
    #[arg(long, default_value = "egtb")]
    dir: PathBuf,
}

impl Shares {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out, "material,red,black")?;
        for table in tables(&self.dir, Tables::default())?.all() {
            let Header { material, counts: [red, black], .. } = table.header();
            let share = |counts: &Counts| 1000 * counts.losses / counts.legal.max(1);
            if material.attackers(Color::Red) > 0 {
                writeln!(out, "{material},{},{}", share(black), share(red))?;
            }
        }
        Ok(())
    }
}
