//! `hanxin book probe`, `info` and `dump`: what is in a book.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::board::{Move, Position};
use crate::book::{self, Book, BookMove, Facts, HanxinBook, opening_name, walk};
use crate::front::console::book_table;
use crate::notation::{self, Notation};
use crate::protocol::Ranks;
use crate::util::printable;

use super::super::{Failure, position_or_start};
use super::starts::Starts;

const PROBE_EXAMPLE: &str = "\
Examples:
  hanxin book probe --moves 'b2e2 h9g7'
  hanxin book probe --book my.hxb --fen '...' --json

JSON: fen, opening (english and chinese; null if it has no name), and moves: move,
wxf, chinese, weight, share, score (centipawns, for the side that moves), depth,
won, drawn, lost.";

/// Show what a book says of a position.
#[derive(Debug, Args)]
#[command(after_help = PROBE_EXAMPLE)]
pub struct ProbeArguments {
    /// The book, of any format; the one inside the program if none is given.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// The position before the first move; the start of a game if there is none.
    #[arg(long)]
    fen: Option<String>,
    /// Moves with spaces between them, in coordinates or in any notation.
    #[arg(long, default_value = "", hide_default_value = true)]
    moves: String,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Tell the size of a book: its positions and moves, as far as its own moves
/// lead to them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin book info my.hxb")]
pub struct InfoArguments {
    /// The book, of any format; the one inside the program if none is given.
    book: Option<PathBuf>,
    #[command(flatten)]
    starts: Starts,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Write every move of a book that its own moves lead to, as CSV; those of weight
/// 0 are never played.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin book dump my.hxb > my.csv")]
pub struct DumpArguments {
    /// The book, of any format; the one inside the program if none is given.
    book: Option<PathBuf>,
    #[command(flatten)]
    starts: Starts,
}

pub(super) fn open(path: &Path) -> Result<Box<dyn Book>, Failure> {
    book::open(path).map_err(Failure::refused)
}

/// The book of this file, or the one inside the program.
fn open_any(path: Option<&PathBuf>) -> Result<Box<dyn Book>, Failure> {
    path.map_or_else(|| Ok(Box::new(HanxinBook::embedded()) as Box<dyn Book>), |path| open(path))
}

/// Why a walk through a book meets nothing; begins with the name of the book.
pub(super) fn nothing_met(path: Option<&PathBuf>) -> String {
    let name = path.map_or("the book inside the program".into(), |path| printable(path));
    format!("{name} has no move where lines begin; name the openings of its games with --from")
}

impl ProbeArguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let book = open_any(self.book.as_ref())?;
        let mut position = position_or_start(self.fen.as_deref())?;
        let mut line = Vec::new();
        for text in self.moves.split_whitespace() {
            let mv = notation::parse_any(&position, text).map_err(Failure::invalid)?;
            position.make(mv);
            line.push(mv);
        }
        let name = self.fen.is_none().then(|| opening_name(&line)).flatten();
        let moves = book.probe(&position);
        if self.json {
            let name = name.map(|name| json!({"english": name.english, "chinese": name.chinese}));
            let moves: Vec<Value> =
                moves.iter().map(|found| to_json(&position, &moves, found)).collect();
            let answer = json!({"fen": position.to_fen(), "opening": name, "moves": moves});
            return Ok(writeln!(out, "{answer:#}")?);
        }
        if let Some(name) = name {
            writeln!(out, "{} {}", name.chinese, name.english)?;
        }
        if moves.is_empty() && !book.all(&position).is_empty() {
            let text = "the book has moves of this position, but all are of weight 0, like those \
                        that only lost; none is played";
            return Ok(writeln!(out, "{text}")?);
        }
        Ok(writeln!(out, "{}", book_table(&position, &moves, Ranks::Zero))?)
    }
}

fn share(moves: &[BookMove], found: &BookMove) -> f64 {
    let sum: f64 = moves.iter().map(|found| f64::from(found.weight)).sum();
    f64::from(found.weight) / sum
}

fn to_json(position: &Position, moves: &[BookMove], found: &BookMove) -> Value {
    let Facts { results: [won, drawn, lost], score, depth } = found.facts;
    json!({
        "move": found.mv.to_string(),
        "wxf": Notation::Wxf.write(position, found.mv),
        "chinese": Notation::Chinese.write(position, found.mv),
        "weight": found.weight,
        "share": share(moves, found),
        "score": score,
        "depth": (depth > 0).then_some(depth),
        "won": won, "drawn": drawn, "lost": lost,
    })
}

impl InfoArguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let book = open_any(self.book.as_ref())?;
        let starts = self.starts.positions()?;
        let (mut positions, mut moves, mut unplayed, mut longest) = (0u64, 0u64, 0u64, 0);
        let mut by_ply: Vec<u64> = Vec::new();
        for visit in walk(&*book, starts.iter().cloned()) {
            positions += 1;
            moves += visit.moves.len() as u64;
            unplayed += visit.moves.iter().filter(|found| found.weight == 0).count() as u64;
            longest = longest.max(visit.line.len() + 1);
            by_ply.resize(by_ply.len().max(visit.line.len() + 1), 0);
            by_ply[visit.line.len()] += 1;
        }
        if self.json {
            let answer = json!({
                "book": self.book, "kind": format!("{book:?}"), "positions": positions,
                "moves": moves, "never_played": unplayed, "longest_line": longest, "positions_by_ply": by_ply,
            });
            return Ok(writeln!(out, "{answer:#}")?);
        }
        writeln!(out, "{book:?}")?;
        if positions == 0 {
            return Ok(writeln!(out, "{}", nothing_met(self.book.as_ref()))?);
        }
        writeln!(
            out,
            "{positions} positions that its lines lead to, with {moves} moves ({unplayed} of weight 0, \
             never played), lines of up to {longest} plies"
        )?;
        let by_ply: Vec<String> = by_ply.iter().map(u64::to_string).collect();
        Ok(writeln!(out, "positions by ply: {}", by_ply.join(" "))?)
    }
}

impl DumpArguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let book = open_any(self.book.as_ref())?;
        let starts = self.starts.positions()?;
        let mut visits = walk(&*book, starts.iter().cloned()).peekable();
        if visits.peek().is_none() {
            return Err(Failure::refused(nothing_met(self.book.as_ref())));
        }
        let mut csv = csv::Writer::from_writer(out);
        let head = ["line", "fen", "move", "weight", "score", "depth", "won", "drawn", "lost"];
        csv.write_record(head).map_err(output)?;
        for visit in visits {
            let line: Vec<String> = visit.line.iter().map(Move::to_string).collect();
            for found in &visit.moves {
                let Facts { results: [won, drawn, lost], score, depth } = found.facts;
                csv.write_record([
                    line.join(" "),
                    visit.position.to_fen(),
                    found.mv.to_string(),
                    found.weight.to_string(),
                    score.map_or(String::new(), |score| score.to_string()),
                    depth.to_string(),
                    won.to_string(),
                    drawn.to_string(),
                    lost.to_string(),
                ])
                .map_err(output)?;
            }
        }
        Ok(csv.flush()?)
    }
}

fn output(error: csv::Error) -> Failure {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        kind => Failure::refused(format!("{kind:?}")),
    }
}
