//! `hanxin mate`: proves a mate by checks, or that there is none.

use std::io::Write;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use crate::board::{Move, Position};
use crate::mate::{MateLimits, MateOutcome, MateSearch, MateVerdict};
use crate::notation::Notation;

use super::{Failure, nps, position};

const EXAMPLE: &str = "\
Example:
  hanxin mate '3a5/3kC2n1/b3NP3/9/9/1r3pP2/4P2RN/2pA5/5c3/3K5 w' --notation chinese

The proof covers every reply of the defender; the line shows those that last
longest. Mates with quiet moves are not looked for: `go mate` in a session
searches for these as well.

JSON: result (mate, none or unknown), mate_in and is_shortest (moves of the side
to move), ruled_out (mates in so many moves by checks; null: all), line,
nodes, seconds, nps. Exit code 0: a mate or none; 1: unknown, the nodes did not
suffice; 2: the input makes no sense.";

/// Entries in the table: 32 megabytes.
const ENTRIES: usize = 1 << 20;

/// Prove a mate in which every move gives check, or that there is none.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The position; its side to move is to mate.
    fen: String,
    /// Longest mate to look for, in moves.
    #[arg(long, default_value_t = MateLimits::MAX_MOVES,
        value_parser = clap::value_parser!(u16).range(1..=i64::from(MateLimits::MAX_MOVES)))]
    moves: u16,
    /// Positions to look at, for the proof and then for shorter mates.
    #[arg(long, default_value_t = 20_000_000)]
    nodes: u64,
    /// How the line is written: coordinates, iccs, wxf or chinese.
    #[arg(long, default_value = "coordinates")]
    notation: String,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let position = position(&self.fen)?;
        let notation = match self.notation.as_str() {
            "coordinates" => None,
            name => Some(name.parse::<Notation>().map_err(|_| {
                let wanted = "want coordinates, iccs, wxf or chinese";
                Failure::invalid(format!("--notation {name}: {wanted}"))
            })?),
        };
        let limits = MateLimits { nodes: self.nodes, moves: self.moves, shortest: true };
        let began = Instant::now();
        let found = MateSearch::new(ENTRIES).prove(&position, &[], limits, || false);
        let time = began.elapsed();
        let line = match &found.verdict {
            MateVerdict::Mate(line) => write_line(&position, line, notation),
            _ => Vec::new(),
        };
        if self.json {
            writeln!(out, "{:#}", to_json(&position, &found, &line, time))?;
        } else {
            self.write(out, &found, &line, time)?;
        }
        match found.verdict {
            MateVerdict::Unknown => Err(Failure::refused(format!(
                "no verdict after {} nodes; --nodes allows more",
                found.nodes
            ))),
            _ => Ok(()),
        }
    }

    fn write(
        &self,
        out: &mut impl Write,
        found: &MateOutcome,
        line: &[String],
        time: Duration,
    ) -> Result<(), Failure> {
        match found.mate_in {
            Some(moves) if found.is_shortest() => {
                writeln!(out, "mate in {moves}, the shortest by checks")?;
            }
            Some(moves) => writeln!(out, "mate in {moves}")?,
            None if found.refuted_moves == 0 => writeln!(out, "unknown")?,
            None if found.refuted_moves == u16::MAX => writeln!(out, "no mate by checks")?,
            None => writeln!(out, "no mate by checks in {} moves", found.refuted_moves)?,
        }
        if !line.is_empty() {
            writeln!(out, "{}", line.join(" "))?;
        }
        let (nodes, seconds) = (found.nodes, time.as_secs_f64());
        Ok(writeln!(out, "{nodes} nodes {seconds:.3} s {} nps", nps(nodes, time))?)
    }
}

fn write_line(position: &Position, line: &[Move], notation: Option<Notation>) -> Vec<String> {
    let mut position = position.clone();
    let write = |&m| {
        let text = notation.map_or_else(|| Move::to_string(&m), |n| n.write(&position, m));
        position.make(m);
        text
    };
    line.iter().map(write).collect()
}

fn to_json(position: &Position, found: &MateOutcome, line: &[String], time: Duration) -> Value {
    let result = match found.verdict {
        MateVerdict::Mate(_) => "mate",
        MateVerdict::NoMate => "none",
        MateVerdict::Unknown => "unknown",
    };
    json!({
        "fen": position.to_fen(),
        "result": result,
        "mate_in": found.mate_in,
        "is_shortest": found.mate_in.map(|_| found.is_shortest()),
        "ruled_out": (found.refuted_moves < u16::MAX).then_some(found.refuted_moves),
        "line": line,
        "nodes": found.nodes,
        "seconds": time.as_secs_f64(),
        "nps": nps(found.nodes, time),
    })
}
