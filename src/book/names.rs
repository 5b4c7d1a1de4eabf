//! What openings are called; the names stand in `names.txt`.

use std::sync::LazyLock;

use crate::board::{Move, Piece, Position, Square};

/// What an opening is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningName {
    /// In English, ASCII.
    pub english: &'static str,
    /// In Chinese.
    pub chinese: &'static str,
}

/// An opening by where men stand.
struct Pattern {
    /// It is looked for up to this ply.
    plies: usize,
    men: Vec<(Piece, Square)>,
    name: OpeningName,
}

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| lines().filter_map(Pattern::parse).collect());

/// What is not blank or a remark.
fn lines() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("names.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

impl Pattern {
    fn parse(line: &'static str) -> Option<Pattern> {
        let mut fields = line.split('|').map(str::trim);
        let plies = fields.next()?.parse().ok()?;
        let men = fields.next()?.split(' ').map(parse_man).collect::<Option<_>>()?;
        let name = OpeningName { english: fields.next()?, chinese: fields.next()? };
        Some(Pattern { plies, men, name })
    }

    fn fits(&self, position: &Position) -> bool {
        let stands = |square: fn(Square) -> Square| {
            self.men.iter().all(|&(piece, on)| position.piece_at(square(on)) == Some(piece))
        };
        stands(|square| square) || stands(Square::mirror)
    }
}

/// `Ce2`: a piece and its square.
fn parse_man(text: &str) -> Option<(Piece, Square)> {
    let (piece, square) = text.split_at_checked(1)?;
    Some((Piece::from_letter(piece.chars().next()?)?, square.parse().ok()?))
}

/// The name of the opening that these moves from the initial position make;
/// `None` where none is known. Moves in another order have the same name as
/// long as they lead to the same set-up.
///
/// ```
/// use hanxin::book::opening_name;
/// use hanxin::board::Move;
///
/// let moves = ["h2e2", "h9g7", "h0g2", "b9c7"].map(|text| text.parse::<Move>().unwrap());
/// assert_eq!(opening_name(&moves).unwrap().english, "Central Cannon vs Screen Horses");
/// assert_eq!(opening_name(&moves[..1]).unwrap().chinese, "中炮局");
/// ```
pub fn opening_name(moves: &[Move]) -> Option<OpeningName> {
    let longest = PATTERNS.iter().map(|pattern| pattern.plies).max()?;
    let mut position = Position::startpos();
    let mut positions = Vec::new();
    for &m in moves.iter().take(longest) {
        if !position.is_legal(m) {
            break;
        }
        position.make(m);
        positions.push(position.clone());
    }
    let fits = |pattern: &&Pattern| {
        positions.iter().take(pattern.plies).any(|position| pattern.fits(position))
    };
    PATTERNS.iter().find(fits).map(|pattern| pattern.name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::notation::Notation;

    /// The name after moves in WXF.
    fn name(moves: &str) -> &'static str {
        let mut position = Position::startpos();
        let play = |text: &str| {
            let m = Notation::Wxf.parse(&position, text).unwrap();
            position.make(m);
            m
        };
        let moves: Vec<Move> = moves.split(' ').map(play).collect();
        opening_name(&moves).map_or("", |name| name.chinese)
    }

    #[test]
    fn every_line_is_understood() {
        assert_eq!(PATTERNS.len(), lines().count());
        assert!(PATTERNS.len() > 60);
        for pattern in PATTERNS.iter() {
            let OpeningName { english, chinese } = pattern.name;
            assert!(english.is_ascii() && !english.is_empty(), "{english}");
            assert!(!chinese.is_empty() && !chinese.contains(' '), "{chinese}");
            assert!(!pattern.fits(&Position::startpos()), "{english}");
        }
    }

    #[test]
    fn well_known_openings_have_their_names() {
        for (moves, expected) in [
            ("C2=5 H8+7", "中炮局"),
            ("C2=5 H8+7 H2+3 H2+3", "中炮对屏风马"),
            ("C8=5 H2+3 H8+7 H8+7", "中炮对屏风马"),
            ("C2=5 H8+7 H2+3 R9=8 R1=2 H2+3 P7+1 P7+1 R2+6", "中炮过河车对屏风马"),
            ("C2=5 H8+7 H2+3 R9=8 R1=2 H2+3 H8+9 P7+1 C8=7", "五七炮对屏风马"),
            ("C2=5 H2+3 H2+3 C8=6 R1=2 H8+7", "中炮对反宫马"),
            ("C2=5 C8=5", "顺炮"),
            ("C2=5 C8=5 H2+3 H8+7 R1+1", "顺炮横车"),
            ("C2=5 C2=5", "列炮"),
            ("C2=5 H8+7 H2+3 R9=8 R1=2 C2=5", "半途列炮"),
            ("P7+1 C2=3", "仙人指路对卒底炮"),
            ("P3+1 C8=7", "仙人指路对卒底炮"),
            ("P7+1 P7+1", "对兵局"),
            ("B3+5 C8=5", "飞相对中炮"),
            ("B7+5", "飞相局"),
            ("H2+3 P7+1", "起马对进卒"),
            ("C2=4", "士角炮局"),
            ("C2=6", "过宫炮局"),
            ("C8=4", "过宫炮局"),
            ("K5+1", ""),
        ] {
            assert_eq!(name(moves), expected, "{moves}");
        }
    }

    #[test]
    fn no_name_is_hidden_by_another_one() {
        // a pattern that asks for less and longer would swallow those below it
        for (place, pattern) in PATTERNS.iter().enumerate() {
            let men: HashSet<_> = pattern.men.iter().collect();
            for above in &PATTERNS[..place] {
                let hides =
                    above.plies >= pattern.plies && above.men.iter().all(|man| men.contains(man));
                assert!(!hides, "{} hides {}", above.name.english, pattern.name.english);
            }
        }
    }

    #[test]
    fn illegal_moves_end_the_opening() {
        let moves = ["h2e2", "h2e2"].map(|text| text.parse().unwrap());
        assert_eq!(opening_name(&moves).unwrap().chinese, "中炮局");
        assert_eq!(opening_name(&moves[..0]), None);
    }
}
