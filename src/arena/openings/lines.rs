//! Openings of a text with one on each line: FEN or EPD.

use super::{Opening, OpeningFault};
use crate::board::{Move, Position};
use crate::util::decoded;

/// Reads the openings of all lines, each in an encoding of its own; what
/// follows a `#` or `;` is a remark, but for EPD's `id`, which is the name.
///
/// # Errors
/// The first line that is not an opening, with its number.
pub fn read(bytes: &[u8], plies: usize) -> Result<Vec<Opening>, OpeningFault> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = decoded(line);
        let line = without_remark(&line).trim();
        if !line.is_empty() && !line.starts_with(';') {
            let opening = opening(line, plies);
            openings.push(opening.map_err(|fault| OpeningFault::Line(number, Box::new(fault)))?);
        }
    }
    Ok(openings)
}

/// The line before its first `#`, unless that is part of a quoted name.
fn without_remark(line: &str) -> &str {
    let mut is_quoted = false;
    let end = line.find(|c| {
        is_quoted ^= c == '"';
        c == '#' && !is_quoted
    });
    &line[..end.unwrap_or(line.len())]
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
             ; all of it\n{start} ce -22; id \"A00 first\"; c0 \"x\";\n{start} ; 5 plies\n\
             {start} - - 0 1; id \"#2; C#\" # \"remark\"\n"
        );
        let openings = read(text.as_bytes(), 1).unwrap();
        let shown: Vec<_> =
            openings.iter().map(|opening| (opening.moves.len(), opening.name.as_deref())).collect();
        let named = [(0, Some("A00 first")), (0, None), (0, Some("#2; C#"))];
        assert_eq!(shown, [&[(1, None), (1, None)][..], &named].concat());
    }

    #[test]
    fn lines_may_be_in_the_encodings_of_chinese_programs() {
        let start = Position::startpos().to_fen();
        let line = |name: &[u8]| [start.as_bytes(), b"; id \"", name, b"\";\r\n"].concat();
        let gbk = line(b"\xd6\xd0\xc5\xda");
        // of files that have been joined
        let marked = [b"\xEF\xBB\xBF", &line("飞相".as_bytes())[..]].concat();
        let openings = read(&[marked.clone(), gbk, marked].concat(), 1).unwrap();
        let names: Vec<_> = openings.iter().filter_map(|opening| opening.name.as_deref()).collect();
        assert_eq!(names, ["飞相", "中炮", "飞相"]);
    }

    #[test]
    fn faults_name_the_line() {
        for (text, message) in [
            ("\nrubbish", "line 2: the board has 1 ranks"),
            ("startpos moves h2h8", "line 1: move 1 (h2h8) is illegal"),
            ("startpos moves x", "line 1: 'x' is not a move"),
            ("3k5/R8/1R7/9/9/9/9/9/9/4K4 b", "line 1: the game is over"),
        ] {
            let error = read(text.as_bytes(), 9).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
