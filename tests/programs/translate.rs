//! Translates moves between notations.
//!
//! Each line of the input is a FEN, a tab, and moves in any notation with
//! spaces between them. For each move a line goes out: the move in ICCS, WXF
//! and Chinese with tabs between them, or `error: ` and what is wrong.
//!
//! ```text
//! $ printf 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\th2e2 马二进三\n' |
//!     cargo run -q --example translate
//! H2-E2   C2=5    炮二平五
//! H0-G2   H2+3    马二进三
//! ```

use std::io::{self, BufRead, BufWriter, Write};

use hanxin::board::Position;
use hanxin::notation::{Notation, parse_any};

fn main() -> io::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (fen, moves) = line.split_once('\t').unwrap_or((&line, ""));
        let position = Position::from_fen(fen);
        for text in moves.split(' ').filter(|text| !text.is_empty()) {
            let names = match &position {
                Ok(position) => translate(position, text),
                Err(error) => Err(format!("position: {error}")),
            };
            match names {
                Ok(names) => writeln!(output, "{}", names.join("\t"))?,
                Err(error) => writeln!(output, "error: {error}")?,
            }
        }
    }
    output.flush()
}

/// The names of a move in all notations.
fn translate(position: &Position, text: &str) -> Result<[String; 3], String> {
    let m = parse_any(position, text).map_err(|error| error.to_string())?;
    Ok(Notation::ALL.map(|notation| notation.write(position, m)))
}
