//! The positions of a suite and what is wanted in them.

use std::fmt;
use std::path::Path;

use crate::board::{Move, Position};
use crate::cli::csv_table::{CsvTable, Row};
use crate::notation::{NotationError, parse_any};
use crate::util::{decoded, read_whole};

/// What a position asks for, of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To win.
    Win,
    /// Not to lose.
    Draw,
    /// To announce a mate in at most so many moves.
    Mate(u32),
    /// To play one of these moves.
    Moves(Vec<Move>),
}

/// A position with its goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    /// What the suite calls it; its line if it has no name.
    pub name: String,
    pub position: Position,
    pub goal: Goal,
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Win => f.write_str("win"),
            Goal::Draw => f.write_str("draw"),
            Goal::Mate(moves) => write!(f, "mate in {moves}"),
            Goal::Moves(moves) => {
                let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
                f.write_str(&moves.join(" "))
            }
        }
    }
}

impl Goal {
    /// `win`, `draw`, `mate in 5`, or moves of the position in any notation.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(position: &Position, text: &str) -> Result<Goal, String> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if let Some(moves) = lower.strip_prefix("mate") {
            let moves = moves.trim().trim_start_matches("in").trim();
            return mate(moves);
        }
        match &lower[..] {
            "win" => Ok(Goal::Win),
            "draw" => Ok(Goal::Draw),
            "" => Err("no goal: want win, draw, mate in N or moves".to_owned()),
            _ => {
                let moves = text.split_whitespace().map(|word| parse_any(position, word));
                let moves: Result<Vec<Move>, NotationError> = moves.collect();
                moves.map(Goal::Moves).map_err(|fault| {
                    format!("goal '{text}': want win, draw, mate in N or moves ({fault})")
                })
            }
        }
    }
}

fn mate(moves: &str) -> Result<Goal, String> {
    let number = moves.parse().ok().filter(|&number| number > 0);
    number.map(Goal::Mate).ok_or_else(|| format!("'{moves}' is not a number of moves"))
}

/// Larger files are not suites, bytes.
const LARGEST: u64 = 256 << 20;

/// Reads a suite: CSV with a header, or EPD.
///
/// # Errors
/// What is wrong, and in which line.
pub fn read(path: &Path) -> Result<Vec<Puzzle>, String> {
    let bytes = read_whole(path, LARGEST).map_err(|error| error.to_string())?;
    if [[0xFF, 0xFE], [0xFE, 0xFF]].iter().any(|mark| bytes.starts_with(mark)) {
        return Err("no column 'fen' can be read: it is UTF-16; save it as UTF-8".to_owned());
    }
    parse(&decoded(&bytes))
}

fn parse(text: &str) -> Result<Vec<Puzzle>, String> {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#')).ok_or("is empty")?;
    let has_column = first.split(',').any(|cell| cell.trim().eq_ignore_ascii_case("fen"));
    // or the header of another table: each line of EPD has the ranks of a board
    let is_csv = has_column || (first.contains([',', ';', '\t']) && !first.contains('/'));
    let puzzles = if is_csv { parse_csv(text)? } else { parse_epd(text)? };
    if puzzles.is_empty() { Err("has no positions".to_owned()) } else { Ok(puzzles) }
}

/// Columns that say what is wanted; of those that are filled in the first counts.
const GOALS: [&str; 6] =
    ["goal", "mate_in", "expected_move", "best_move", "bm", "reference_best_move"];

fn parse_csv(text: &str) -> Result<Vec<Puzzle>, String> {
    CsvTable::parse(text, &["fen"])?.rows().map(|row| puzzle(&row)).collect()
}

fn puzzle(row: &Row<'_>) -> Result<Puzzle, String> {
    let line = row.line;
    let column = GOALS.into_iter().find(|column| !row.cell(column).is_empty());
    let column =
        column.ok_or_else(|| format!("line {line}: no goal (columns goal, mate_in, best_move)"))?;
    let position = position(line, row.cell("fen"))?;
    let goal = match (column, row.cell(column)) {
        ("mate_in", text) => mate(text),
        (_, text) => Goal::parse(&position, text),
    };
    let goal = goal.map_err(|fault| format!("line {line}: {fault}"))?;
    let name = ["id", "name"].map(|column| row.cell(column)).join(" ");
    Ok(Puzzle { name: name_of(line, &name), position, goal })
}

/// EPD: a FEN, and after it operations `bm` with moves in any notation, `dm` with the moves to
/// mate, `id` with a name or `goal` with a goal, each ended by a semicolon.
fn parse_epd(text: &str) -> Result<Vec<Puzzle>, String> {
    let lines = text.lines().enumerate().map(|(number, line)| (number as u64 + 1, line.trim()));
    let wanted = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    wanted.map(|(number, line)| parse_epd_line(number, line)).collect()
}

fn parse_epd_line(number: u64, line: &str) -> Result<Puzzle, String> {
    const OPERATIONS: [&str; 4] = ["bm", "dm", "id", "goal"];
    let line = line.replace('\t', " ");
    let at = OPERATIONS.iter().filter_map(|name| line.find(&format!(" {name} "))).min();
    let (fen, operations) = line.split_at(at.unwrap_or(line.len()));
    let position = position(number, fen.trim())?;
    let (mut name, mut goal) = (String::new(), None);
    let mut is_quoted = false;
    let ends = |letter: char| {
        is_quoted ^= letter == '"';
        letter == ';' && !is_quoted
    };
    for operation in operations.split(ends) {
        let (key, value) = operation.trim().split_once(' ').unwrap_or_default();
        let value = value.trim().trim_matches('"');
        match key {
            "id" => value.clone_into(&mut name),
            // the first counts
            "dm" if goal.is_none() => goal = mate(value).ok(),
            "bm" | "goal" if goal.is_none() => {
                let parsed = Goal::parse(&position, value);
                goal = Some(parsed.map_err(|fault| format!("line {number}: {fault}"))?);
            }
            _ => {}
        }
    }
    let goal = goal.ok_or_else(|| format!("line {number}: no goal (bm, dm or goal)"))?;
    Ok(Puzzle { name: name_of(number, &name), position, goal })
}

fn position(line: u64, fen: &str) -> Result<Position, String> {
    Position::from_fen(fen).map_err(|error| format!("line {line}: {error}"))
}

fn name_of(line: u64, name: &str) -> String {
    match name.trim() {
        "" => format!("line {line}"),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "3k5/9/9/9/9/9/9/9/R8/1R2K4 w";

    fn goals(text: &str) -> Vec<String> {
        parse(text).unwrap().iter().map(|p| format!("{}: {}", p.name, p.goal)).collect()
    }

    #[test]
    fn tables_and_epd_are_read() {
        let table = format!(
            "id,name,FEN,goal,mate_in,best_move\n\
             7,rooks,{FEN},,2,a1a9\n\
             8,,{FEN},Win,,\n\
             ,,{FEN},,,a1a9 b0b9\n\
             ,,{FEN},,,R9+8 车八进九\n"
        );
        let expected = ["7 rooks: mate in 2", "8: win", "line 4: a1a9 b0b9", "line 5: a1a9 b0b9"];
        assert_eq!(goals(&table), expected);
        let epd = format!(
            "# comment\n{FEN} bm a1a9; id \"first\";\n\n{FEN} dm 3;\n{FEN} goal draw; id x;\n\
             {FEN} goal mate in 4\n{FEN}\tbm a1a9; c0 \"see; dm 3\"; id \"quoted; too\";"
        );
        let expected = [
            "first: a1a9",
            "line 4: mate in 3",
            "x: draw",
            "line 6: mate in 4",
            "quoted; too: a1a9",
        ];
        assert_eq!(goals(&epd), expected);
    }

    #[test]
    fn files_may_be_in_gbk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.csv");
        let row = [&b"id,fen,mate_in\n\xb3\xb5,"[..], FEN.as_bytes(), b",2\n"].concat();
        std::fs::write(&path, row).unwrap();
        assert_eq!(read(&path).unwrap()[0].name, "车");
    }

    #[test]
    fn another_encoding_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.csv");
        let text = "\u{feff}fen,goal\n".encode_utf16();
        std::fs::write(&path, text.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).unwrap();
        assert!(read(&path).unwrap_err().contains("no column 'fen' can be read: it is UTF-16"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let refused = |text: &str| parse(text).unwrap_err();
        assert_eq!(refused(" \n"), "is empty");
        assert_eq!(refused("fen,goal\n"), "has no positions");
        assert_eq!(refused(&format!("id,position,goal\n1,{FEN},win\n")), "no column 'fen'");
        assert!(refused(&format!("fen,goal\n{FEN},win\n{FEN},lose\n")).starts_with("line 3: goal"));
        let fault = refused(&format!("fen;goal\n{FEN};win\n"));
        assert_eq!(fault, "no column 'fen' (commas separate columns)");
        assert!(refused(&format!("fen,goal\n{FEN},\n")).starts_with("line 2: no goal"));
        assert!(refused("fen,goal\nhello,win\n").starts_with("line 2: "));
        assert!(refused(&format!("{FEN} bm a1a0 c0c1;")).contains("c0c1"));
        assert!(refused(&format!("{FEN} dm x;")).contains("no goal"));
        assert!(refused(FEN).contains("no goal"));
    }
}
