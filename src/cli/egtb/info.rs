//! `hanxin egtb info`: lists tables.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};

use super::super::Failure;
use super::tables;
use crate::board::Color;
use crate::egtb::{Table, Tables};

/// List the tables of a folder, or those inside the program.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin egtb info --dir tables --json")]
pub struct Info {
    /// A folder of tables; otherwise those inside the program.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

impl Info {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let tables = match &self.dir {
            Some(folder) => tables(folder, Tables::default())?.all(),
            None => Tables::embedded().all(),
        };
        if self.json {
            let list: Vec<Json> = tables.iter().map(|table| info_json(table)).collect();
            return Ok(writeln!(out, "{:#}", json!(list))?);
        }
        for table in &tables {
            writeln!(out, "{}", info_line(table))?;
        }
        let (bytes, numbers) = tables.iter().fold((0, 0), |(bytes, numbers), table| {
            (bytes + table.length(), numbers + table.header().size)
        });
        writeln!(out, "{} tables, {numbers} numbers, {bytes} bytes", tables.len())?;
        Ok(())
    }
}

fn info_line(table: &Table) -> String {
    let header = table.header();
    let [red, black] = header.counts;
    format!(
        "{:12} {} {:10} numbers {:9} bytes  Red to move: {} won, {} drawn, {} lost; \
         Black to move: {} won, {} drawn, {} lost; {} unclear; longest win {} plies; exact {}",
        header.material.to_string(),
        header.metric.extension(),
        header.size,
        table.length(),
        red.wins,
        red.draws,
        red.losses,
        black.wins,
        black.draws,
        black.losses,
        red.unclear() + black.unclear(),
        red.longest_win.max(black.longest_win).unwrap_or(0),
        header.rules(),
    )
}

fn info_json(table: &Table) -> Json {
    let header = table.header();
    let counts = |side: Color| {
        let counts = header.counts[side.index()];
        json!({
            "stored": header.sides[side.index()],
            "legal": counts.legal,
            "wins": counts.wins,
            "draws": counts.draws,
            "losses": counts.losses,
            "unclear": counts.unclear(),
            "ended": counts.ended,
            "longest_win": counts.longest_win,
            "longest_loss": counts.longest_loss,
        })
    };
    json!({
        "material": header.material.to_string(),
        "metric": header.metric.extension(),
        "rules": header.rules(),
        "numbers": header.size,
        "bytes": table.length(),
        "red_to_move": counts(Color::Red),
        "black_to_move": counts(Color::Black),
    })
}
