//! Openings of a text with one on each line: FEN or EPD.

use super::{Opening, OpeningFault};
use crate::board::{Move, Position};

/// Reads the openings of all lines; what follows a `#` or `;` is a remark, but
/// for EPD's `id`, which is the name.
///
/// # Errors
/// The first line that is not an opening, with its number.
pub fn read(text: &str, plies: usize) -> Result<Vec<Opening>, OpeningFault> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            let opening = opening(line, plies);
            openings.push(opening.map_err(|fault| OpeningFault::Line(number, Box::new(fault)))?);
        }
    }
    Ok(openings)
}

fn opening(line: &str, plies: usize) -> Result<Opening, OpeningFault> {
    let position = line.split(';').next().unwrap_or_default();
    let (fen, moves) = position.split_once(" moves ").unwrap_or((position, ""));
    let start = match fen.trim() {
        "startpos" => Position::startpos(),
        fen => Position::from_fen(fen)?,
    };
    let moves = moves.split_whitespace().take(plies).map(str::parse::<Move>);
    let moves = moves.collect::<Result<_, _>>()?;
    Opening::checked(id(line), start, moves)
}

/// The operand of EPD's operation `id`.
fn id(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(" id \"")?;
    let (name, _) = rest.split_once('"')?;
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_have_moves_names_and_remarks() {
        let start = Position::startpos().to_fen();
        let text = format!(
            "# a suite\r\n\n{start} moves h2e2 h9g7\r\nstartpos moves b0c2 # knight\n\
             {start} ce -22; id \"A00 first\"; c0 \"x\";\n{start} ; 5 plies\n"
        );
        let openings = read(&text, 1).unwrap();
        let shown: Vec<_> =
            openings.iter().map(|opening| (opening.moves.len(), opening.name.as_deref())).collect();
        assert_eq!(shown, [(1, None), (1, None), (0, Some("A00 first")), (0, None)]);
    }

    #[test]
    fn faults_name_the_line() {
        for (text, message) in [
            ("\nrubbish", "line 2: the board has 1 ranks"),
            ("startpos moves h2h8", "line 1: move 1 (h2h8) is illegal"),
            ("startpos moves x", "line 1: 'x' is not a move"),
            ("3k5/R8/1R7/9/9/9/9/9/9/4K4 b", "line 1: the game is over"),
        ] {
            let error = read(text, 9).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
