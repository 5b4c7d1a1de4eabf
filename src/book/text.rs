//! Books as lines of text: a move, its weight and the position.
//!
//! ElephantEye read such lines before version 2, for example
//! `b2e2 5895 rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1`.
//! Blank lines and those that begin with `#` or `;` are passed over. A line stands for its
//! mirror image too, unless that has a line of its own.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use crate::board::{Move, Position};
use crate::util::read_whole;

use super::error::BookFault;
use super::native::Image;
use super::{Book, BookMove, Facts, sort};

/// A book written by hand is small; a larger file is certainly a mistake.
const MAX_BYTES: u64 = 1 << 28;

/// Whether the first bytes of a file are those of a text.
pub(super) fn is_text(start: &[u8]) -> bool {
    let is_readable = |&byte: &u8| byte >= b' ' || matches!(byte, b'\t' | b'\r' | b'\n');
    // the bytes may end within a character
    let is_utf8 = str::from_utf8(start).err().is_none_or(|error| error.error_len().is_none());
    // else a remark in GBK
    let is_remark = start.starts_with(b"#") || start.starts_with(b";");
    !start.is_empty() && start.iter().all(is_readable) && (is_utf8 || is_remark)
}

/// A book of lines of text.
#[derive(Default)]
pub struct TextBook {
    /// By the smaller key of a position and its mirror image; the moves are those of the
    /// one that has it.
    positions: HashMap<u64, Vec<(Move, u32)>>,
}

impl fmt::Debug for TextBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lines of text, {} positions", self.positions.len())
    }
}

impl TextBook {
    /// Reads a file whole.
    ///
    /// # Errors
    /// When it is missing, not a file, unreadable or far too large, and as
    /// [`from_text`](TextBook::from_text).
    pub fn open(path: &Path) -> Result<TextBook, BookFault> {
        // only remarks hold anything but ASCII
        TextBook::from_text(&String::from_utf8_lossy(&read_whole(path, MAX_BYTES)?))
    }

    /// Reads the lines.
    ///
    /// # Errors
    /// The first line that is not a legal move, its weight and a position.
    pub fn from_text(text: &str) -> Result<TextBook, BookFault> {
        let mut book = TextBook::default();
        for (index, line) in text.trim_start_matches('\u{FEFF}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            let (position, mv, weight) =
                parse(line).map_err(|reason| BookFault::Line { line: index + 1, reason })?;
            let image = Image::of(&position);
            let moves = book.positions.entry(image.key).or_default();
            // the lines of a move and of its image may differ in weight
            let stored = if image.is_symmetric { mv } else { image.stored(mv) };
            if !moves.iter().any(|&(known, _)| known == stored) {
                moves.push((stored, weight));
            }
        }
        Ok(book)
    }
}

fn parse(line: &str) -> Result<(Position, Move, u32), String> {
    let field = |text: &str, missing: &str| {
        let (field, rest) =
            text.split_once(char::is_whitespace).ok_or(format!("without {missing}"))?;
        Ok::<_, String>((field.to_owned(), rest.trim_start().to_owned()))
    };
    let (mv, rest) = field(line, "a weight")?;
    let (weight, fen) = field(&rest, "a position")?;
    let weight = weight.parse().map_err(|_| format!("the weight is '{weight}'"))?;
    let position = Position::from_fen(fen.trim()).map_err(|error| error.to_string())?;
    let legal = mv.parse().ok().filter(|&mv| position.is_legal(mv));
    Ok((position, legal.ok_or(format!("'{mv}' is not a legal move"))?, weight))
}

impl Book for TextBook {
    fn all(&self, position: &Position) -> Vec<BookMove> {
        let image = Image::of(position);
        let stored = self.positions.get(&image.key).map_or(&[][..], Vec::as_slice);
        let has_line = |mv: Move| stored.iter().any(|&(stored, _)| stored == mv);
        let stands_for = |&(mv, weight): &(Move, u32)| {
            let images = image.moves(mv);
            let wanted =
                move |other: &Move| !image.is_symmetric || *other == mv || !has_line(*other);
            images.filter(wanted).map(move |mv| (mv, weight))
        };
        let mut moves: Vec<BookMove> = stored
            .iter()
            .flat_map(stands_for)
            .map(|(mv, weight)| BookMove { mv, weight, facts: Facts::default() })
            // keys can collide
            .filter(|found| position.is_legal(found.mv))
            .collect();
        sort(&mut moves);
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

    /// All moves of a position with their weights, as text.
    fn moves(book: &TextBook, position: &Position) -> String {
        let moves = book.all(position);
        let words = moves.iter().map(|found| format!("{} {}", found.mv, found.weight));
        words.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn lines_are_positions_with_weighted_moves() {
        let text = format!(
            "\u{FEFF}# by hand\r\nb2e2 5895 {START} w - - 0 1\r\n\r\ng3g4\t7  {START} w\n; end"
        );
        let book = TextBook::from_text(&text).unwrap();
        let expected = "b2e2 5895, h2e2 5895, c3c4 7, g3g4 7";
        assert_eq!(moves(&book, &Position::startpos()), expected);
        assert_eq!(book.probe(&Position::startpos()).len(), 4);
    }

    #[test]
    fn a_line_of_its_own_comes_before_a_mirror_image() {
        let text =
            format!("h2e2 10 {START} w\nb2e2 1 {START} w\nc3c4 5 {START} w\ng3g4 0 {START} w");
        let book = TextBook::from_text(&text).unwrap();
        let expected = "h2e2 10, c3c4 5, b2e2 1, g3g4 0";
        assert_eq!(moves(&book, &Position::startpos()), expected);
        // after a move to one side the image is another position
        let cannon = START.replace("1C5C1", "1C2C4");
        let text = format!("h9g7 3 {cannon} b\nb9c7 2 {cannon} b\na0a1 9 {START} w");
        let book = TextBook::from_text(&text).unwrap();
        let mut position = Position::startpos();
        position.make("b2e2".parse().unwrap());
        assert_eq!(moves(&book, &position), "b9c7 3, h9g7 2");
    }

    #[test]
    fn texts_may_be_in_gbk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.txt");
        let gbk = b"# \xd6\xd0\xc5\xda\xd6\xd0\xc5\xda\xd6\xd0\xc5\xda\r\nh2e2 7 ";
        std::fs::write(&path, [gbk, START.as_bytes(), b" w\r\n"].concat()).unwrap();
        assert_eq!(crate::book::open(&path).unwrap().probe(&Position::startpos()).len(), 2);
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, line, reason) in [
            ("h2e2", 1, "without a weight"),
            ("\nh2e2 7", 2, "without a position"),
            ("h2e2 x 4k4/9 w", 1, "the weight is 'x'"),
            (&format!("h2h3 1 {START} b"), 1, "not a legal move"),
            ("h2e2 1 nonsense w", 1, ""),
        ] {
            let fault = TextBook::from_text(text).unwrap_err();
            let BookFault::Line { line: found, reason: why } = &fault else { panic!("{fault}") };
            assert!(*found == line && why.contains(reason), "{fault}");
        }
    }

    #[test]
    fn only_texts_look_like_texts() {
        assert!(is_text(b"h2e2 5895 rnbaka"));
        assert!(is_text("\u{FEFF}# 象棋 ".as_bytes()));
        // 16 bytes end within a character
        assert!(is_text(&"# 象棋开局库".as_bytes()[..16]));
        assert!(!is_text(b""));
        assert!(!is_text(&[0x40, 0x32, 0x06, 0x00, 0xb5, 0x85, 0x06, 0x00]));
    }
}
