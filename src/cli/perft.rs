//! `hanxin perft`: counts of move paths.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use serde_json::{Map, Value, json};

use crate::board::{MAX_PERFT_DEPTH, Move, Position, divide};
use crate::util;

use super::{Failure, nps, position_or_start};

/// Count the paths of legal moves to a depth.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin perft 4 --divide --threads 0")]
pub struct Arguments {
    /// Plies.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_PERFT_DEPTH)))]
    depth: u32,
    /// The position; the start of a game if there is none.
    #[arg(long)]
    fen: Option<String>,
    /// Show the count of each move.
    #[arg(long)]
    divide: bool,
    /// Threads; 0: one per processor core.
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let position = position_or_start(self.fen.as_deref())?;
        let threads = if self.threads == 0 { util::cores() } else { self.threads.into() };
        let began = Instant::now();
        let never = AtomicBool::new(false);
        let moves = divide(&position, self.depth, threads, &never).unwrap_or_default();
        let time = began.elapsed();
        // the one path of no moves begins with no move
        let nodes = if self.depth == 0 { 1 } else { moves.iter().map(|(_, nodes)| nodes).sum() };
        let moves = if self.divide { moves } else { Vec::new() };
        if self.json {
            let json = self.to_json(&position, nodes, &moves, time);
            return Ok(writeln!(out, "{json:#}")?);
        }
        for (m, nodes) in &moves {
            writeln!(out, "{m}: {nodes}")?;
        }
        let seconds = time.as_secs_f64();
        writeln!(out, "{nodes} nodes {seconds:.3} s {} nps", nps(nodes, time))?;
        Ok(())
    }

    fn to_json(
        &self,
        position: &Position,
        nodes: u64,
        moves: &[(Move, u64)],
        time: Duration,
    ) -> Value {
        let mut json = json!({
            "fen": position.to_fen(),
            "depth": self.depth,
            "nodes": nodes,
            "seconds": time.as_secs_f64(),
            "nps": nps(nodes, time),
        });
        if self.divide {
            let counts: Map<String, Value> =
                moves.iter().map(|(m, nodes)| (m.to_string(), json!(nodes))).collect();
            json["moves"] = counts.into();
        }
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_position_is_invalid_input() {
        let fen = Some("x".to_owned());
        let arguments = Arguments { depth: 3, fen, divide: false, threads: 1, json: false };
        let failure = arguments.run(&mut Vec::new()).unwrap_err();
        assert!(failure.exit_code() == 2 && failure.to_string().starts_with("bad FEN"));
    }
}
