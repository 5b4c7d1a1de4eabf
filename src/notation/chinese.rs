//! Chinese: four characters.

use super::Notation;
use super::error::NotationError;
use super::relative::{Alphabet, Direction, Disambiguation, Place, Tandem, describe};
use super::wxf;
use crate::board::{Color, Move, PieceKind, Position};

const NUMERALS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
const WIDE_DIGITS: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];

const ALPHABET: Alphabet =
    Alphabet { notation: Notation::Chinese, piece, place, number, direction };

/// Reads a move.
pub(super) fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    ALPHABET.parse(position, text)
}

/// Writes a legal move in simplified characters; `None` if it is not legal.
pub(super) fn write(position: &Position, m: Move) -> Option<String> {
    let (kind, standing, movement) = describe(position, m)?;
    let us = position.side_to_move();
    let name = name(us, kind);
    let digit = |number: u8| {
        let digits = if us == Color::Red { NUMERALS } else { WIDE_DIGITS };
        digits[usize::from(number) - 1]
    };
    let piece = match standing {
        Disambiguation::Alone { file } => [name, digit(file)],
        Disambiguation::Tandem(tandem) => [place_name(tandem), name],
    };
    let sign = match movement.direction {
        Direction::Forward => '进',
        Direction::Backward => '退',
        Direction::Sideways => '平',
    };
    Some(piece.into_iter().chain([sign, digit(movement.number)]).collect())
}

/// 前, 中 and 后, or a number where these would be ambiguous.
fn place_name(tandem: Tandem) -> char {
    match tandem {
        Tandem { place: 1, count: 2 | 3, files: 1, .. } => '前',
        Tandem { place: 2, count: 3, files: 1, .. } => '中',
        Tandem { count: 2 | 3, files: 1, .. } => '后',
        Tandem { overall, .. } => NUMERALS[usize::from(overall) - 1],
    }
}

const fn name(color: Color, kind: PieceKind) -> char {
    match (color, kind) {
        (Color::Red, PieceKind::King) => '帅',
        (Color::Black, PieceKind::King) => '将',
        (Color::Red, PieceKind::Advisor) => '仕',
        (Color::Black, PieceKind::Advisor) => '士',
        (Color::Red, PieceKind::Elephant) => '相',
        (Color::Black, PieceKind::Elephant) => '象',
        (_, PieceKind::Knight) => '马',
        (_, PieceKind::Rook) => '车',
        (_, PieceKind::Cannon) => '炮',
        (Color::Red, PieceKind::Pawn) => '兵',
        (Color::Black, PieceKind::Pawn) => '卒',
    }
}

fn piece(letter: char) -> Option<PieceKind> {
    match letter {
        '帅' | '帥' | '将' | '將' => Some(PieceKind::King),
        '仕' | '士' => Some(PieceKind::Advisor),
        '相' | '象' => Some(PieceKind::Elephant),
        '马' | '馬' | '傌' => Some(PieceKind::Knight),
        '车' | '車' | '俥' => Some(PieceKind::Rook),
        '炮' | '砲' | '包' => Some(PieceKind::Cannon),
        '兵' | '卒' => Some(PieceKind::Pawn),
        _ => None,
    }
}

fn place(letter: char) -> Option<Place> {
    match letter {
        '前' => Some(Place::Front),
        '中' => Some(Place::Middle),
        '后' | '後' => Some(Place::Back),
        _ => None,
    }
}

fn number(letter: char) -> Option<u8> {
    let numeral = NUMERALS.iter().position(|&numeral| numeral == letter);
    numeral.map(|index| index as u8 + 1).or_else(|| wxf::number(letter))
}

fn direction(letter: char) -> Option<Direction> {
    match letter {
        '进' | '進' => Some(Direction::Forward),
        '退' => Some(Direction::Backward),
        '平' => Some(Direction::Sideways),
        _ => None,
    }
}
