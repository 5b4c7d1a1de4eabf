//! WXF: letters, digits and signs.

use super::Notation;
use super::error::NotationError;
use super::relative::{Alphabet, Direction, Disambiguation, Place, Tandem, describe};
use crate::board::{Color, Move, Piece, PieceKind, Position};

const ALPHABET: Alphabet = Alphabet { notation: Notation::Wxf, piece, place, number, direction };

/// Reads a move.
pub(super) fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    ALPHABET.parse(position, text)
}

/// Writes a legal move; `None` if it is not legal.
pub(super) fn write(position: &Position, m: Move) -> Option<String> {
    let (kind, standing, movement) = describe(position, m)?;
    let letter = letter(kind);
    let piece = match standing {
        Disambiguation::Alone { file } => format!("{letter}{file}"),
        Disambiguation::Tandem(Tandem { place: 1, count: 2, files: 1, .. }) => format!("{letter}+"),
        Disambiguation::Tandem(Tandem { count: 2, files: 1, .. }) => format!("{letter}-"),
        Disambiguation::Tandem(Tandem { place, file, .. }) => format!("{place}{file}"),
    };
    let sign = match movement.direction {
        Direction::Forward => '+',
        Direction::Backward => '-',
        Direction::Sideways => '=',
    };
    Some(format!("{piece}{sign}{}", movement.number))
}

/// The letter of a kind: H for the knight (horse) and E for the elephant.
fn letter(kind: PieceKind) -> char {
    match kind {
        PieceKind::Knight => 'H',
        PieceKind::Elephant => 'E',
        other => Piece::new(Color::Red, other).letter(),
    }
}

fn piece(letter: char) -> Option<PieceKind> {
    Piece::from_letter(letter).map(Piece::kind)
}

fn place(letter: char) -> Option<Place> {
    match letter {
        '+' => Some(Place::Front),
        '.' => Some(Place::Middle),
        '-' => Some(Place::Back),
        // 一 to 五 of the Chinese notation in the letters of the programs that
        // keep digits for files
        'a'..='e' => Some(Place::Nth(letter as u8 - b'a' + 1)),
        'A'..='E' => Some(Place::Nth(letter as u8 - b'A' + 1)),
        _ => None,
    }
}

/// Digits of files and distances.
pub(super) fn number(letter: char) -> Option<u8> {
    letter.to_digit(10).filter(|&digit| digit > 0).map(|digit| digit as u8)
}

fn direction(letter: char) -> Option<Direction> {
    match letter {
        '+' => Some(Direction::Forward),
        '-' => Some(Direction::Backward),
        '=' | '.' => Some(Direction::Sideways),
        _ => None,
    }
}
