//! `hanxin egtb probe`: what tables know of a position.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value as Json, json};

use super::super::{Failure, position};
use super::tables;
use crate::board::Move;
use crate::egtb::{Known, Prober, Tables, Wdl};

/// Tell the result of a position and of each of its moves.
#[derive(Debug, Args)]
#[command(after_help = PROBE_EXAMPLES)]
pub struct Probe {
    /// The position.
    fen: String,
    /// A folder of tables, beside those inside the program.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

const PROBE_EXAMPLES: &str = "\
Examples:
  hanxin egtb probe '3k5/9/9/9/9/9/9/9/4R4/4K4 w'
  hanxin egtb probe --json --dir tables '3k5/9/9/9/9/9/9/9/4R4/4K4 w'

dtm is the distance to mate in plies; a win by perpetual check has none, nor have
most results of tables that know no distances (`hanxin egtb info`: wdl). A result
that depends on what the rules call a perpetual chase is unknown. The values of
moves are those for the side that makes them.";

impl Probe {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let mut position = position(&self.fen)?;
        let mut tables_at_hand = Tables::embedded().clone();
        if let Some(folder) = &self.dir {
            tables_at_hand = tables(folder, tables_at_hand)?;
        }
        let tables_at_hand = Arc::new(tables_at_hand);
        let mut prober = Prober::new(Arc::clone(&tables_at_hand));
        let (known, moves) = (prober.known(&mut position), prober.known_moves(&mut position));
        self.write(&known, &moves, out)?;
        let damaged: Vec<String> =
            tables_at_hand.damaged().iter().map(ToString::to_string).collect();
        if damaged.is_empty() { Ok(()) } else { Err(Failure::Refused(damaged.join("; "))) }
    }

    fn write(
        &self,
        known: &Known,
        moves: &[(Move, Known)],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        if self.json {
            let mut json = known_json(known);
            let moves = moves.iter().map(|(m, known)| {
                let mut json = known_json(known);
                json["move"] = json!(m.to_string());
                json
            });
            json["moves"] = moves.collect();
            return Ok(writeln!(out, "{json}")?);
        }
        writeln!(out, "{known}")?;
        for (m, known) in moves {
            writeln!(out, "{m}  {known}")?;
        }
        Ok(())
    }
}

fn known_json(known: &Known) -> Json {
    json!({ "result": known.result.map_or("unknown", Wdl::name), "dtm": known.dtm })
}
