//! A board one likes to look at, in plain text.

use crate::board::{Move, Piece, Position, Square};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// As on real pieces. Chinese characters fill two columns of a terminal.
    Chinese,
    /// The letters of a FEN, upper case for Red.
    Latin,
}

/// The pieces of Red and of Black in the order of their kinds. Where both have
/// the same one Black's is written in the traditional form, so that the sides
/// can be told apart without colours.
const CHINESE: [[char; 7]; 2] =
    [['帅', '仕', '相', '马', '车', '炮', '兵'], ['将', '士', '象', '馬', '車', '砲', '卒']];

const FILES: &str = "   a   b   c   d   e   f   g   h   i";
const PLAIN: &str = "   |   |   |   |   |   |   |   |   |";
/// The palace, where its diagonals come together and where they part.
const MEETING: &str = "   |   |   |   | \\ | / |   |   |   |";
const PARTING: &str = "   |   |   |   | / | \\ |   |   |   |";
const RIVER: &str = "   |       楚 河       汉 界       |";
const RIVER_IN_LATIN: &str = "   |             river             |";

/// Draws a position, Red below. The last move is marked: `[炮]` where it went,
/// `( )` where it came from.
pub fn draw(position: &Position, last: Option<Move>, pieces: Pieces) -> String {
    let mut text = format!("{FILES}\n");
    for rank in (0..10).rev() {
        text.push_str(&draw_rank(position, rank, last, pieces));
        text.push('\n');
        match rank {
            0 => {}
            2 | 9 => text.push_str(&format!("{MEETING}\n")),
            1 | 8 => text.push_str(&format!("{PARTING}\n")),
            5 if pieces == Pieces::Chinese => text.push_str(&format!("{RIVER}\n")),
            5 => text.push_str(&format!("{RIVER_IN_LATIN}\n")),
            _ => text.push_str(&format!("{PLAIN}\n")),
        }
    }
    text + FILES
}

/// A rank: four columns for each point, the piece in the middle two.
fn draw_rank(position: &Position, rank: u8, last: Option<Move>, pieces: Pieces) -> String {
    let mut line = format!("{rank} ");
    for square in (0..9).filter_map(|file| Square::new(file, rank)) {
        let (left, right) = match last {
            Some(m) if m.to() == square => ('[', ']'),
            Some(m) if m.from() == square => ('(', ')'),
            _ => (if square.file() == 0 { ' ' } else { '-' }, '-'),
        };
        let piece = position.piece_at(square).map(|piece| character(piece, pieces));
        let empty = if left == '(' { ' ' } else { '+' };
        line.extend([left, piece.unwrap_or(empty), right]);
        if piece.is_none() || pieces == Pieces::Latin {
            line.push('-');
        }
    }
    // no line leads on from the last file
    line.truncate(line.trim_end_matches('-').len());
    format!("{line} {rank}")
}

fn character(piece: Piece, pieces: Pieces) -> char {
    match pieces {
        Pieces::Chinese => CHINESE[piece.color().index()][piece.kind().index()],
        Pieces::Latin => piece.letter(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_cannon(pieces: Pieces) -> Vec<String> {
        let mut position = Position::startpos();
        let m: Move = "h2e2".parse().unwrap();
        position.make(m);
        draw(&position, Some(m), pieces).lines().map(str::to_owned).collect()
    }

    #[test]
    fn latin_boards_line_up() {
        let lines = after_cannon(Pieces::Latin);
        assert_eq!(lines.len(), 21);
        assert_eq!(lines[1], "9  r---n---b---a---k---a---b---n---r 9");
        assert_eq!(lines[15], "2  +---C---+---+--[C]--+---+--( )--+ 2");
        for line in &lines[2..20] {
            assert!("|+RPNBAKCrpnbakc".contains(line.chars().nth(3).unwrap()), "{line}");
        }
    }

    #[test]
    fn chinese_boards_tell_the_sides_apart() {
        let lines = after_cannon(Pieces::Chinese);
        assert_eq!(lines[1], "9  車--馬--象--士--将--士--象--馬--車 9");
        assert_eq!(lines[15], "2  +---炮--+---+--[炮]-+---+--( )--+ 2");
        assert_eq!(lines[19], "0  车--马--相--仕--帅--仕--相--马--车 0");
        // two columns for each Chinese character
        let width =
            |line: &str| -> usize { line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum() };
        assert_eq!(width(RIVER), RIVER_IN_LATIN.len());
        assert_eq!(RIVER_IN_LATIN.len(), PLAIN.len());
    }
}
