//! The suite of openings is what its README says.

use std::collections::HashSet;

use hanxin::board::{Color, Move, PieceKind, Position, Square};
use hanxin::rules::{Game, RuleSet};

/// A line of the suite.
struct Opening {
    position: Position,
    score: i32,
    moves: Vec<Move>,
}

/// The value of an operation such as `ce -12` or `c0 "h2e2"`.
fn operand<'a>(operations: &[&'a str], code: &str) -> &'a str {
    let found = operations.iter().find_map(|operation| operation.strip_prefix(code));
    found.unwrap_or_else(|| panic!("no {code}")).trim().trim_matches('"')
}

fn suite() -> Vec<Opening> {
    let opening = |line: &'static str| {
        let operations: Vec<&str> = line.split(';').map(str::trim).collect();
        let (position, evaluation) = operations[0].split_once(" - - ").expect("EPD");
        let moves = operand(&operations, "c0").split(' ');
        Opening {
            position: Position::from_fen(position).expect("a position"),
            score: operand(&[evaluation], "ce").parse().expect("centipawns"),
            moves: moves.map(|text| text.parse().expect("a move")).collect(),
        }
    };
    include_str!("../openings/balanced.epd").lines().map(opening).collect()
}

/// The men on the board, mirrored or with colours exchanged if wanted.
fn men(position: &Position, mirror: bool, exchange: bool) -> Vec<(usize, usize)> {
    let mut men: Vec<(usize, usize)> = Square::all()
        .filter_map(|square| {
            let piece = position.piece_at(square)?;
            let square = if mirror { square.mirror() } else { square };
            let (square, color) = match exchange {
                true => (square.flip(), !piece.color()),
                false => (square, piece.color()),
            };
            Some((square.index(), 7 * color.index() + piece.kind().index()))
        })
        .collect();
    men.sort_unstable();
    men
}

#[test]
fn there_are_1000_different_openings() {
    let suite = suite();
    assert_eq!(suite.len(), 1_000); // README says so

    let mut seen = HashSet::new();
    for Opening { position, .. } in &suite {
        // exchanged where Black is to move, so that the mover is always Red
        let exchange = position.side_to_move() == Color::Black;
        let looks = [false, true].map(|mirror| men(position, mirror, exchange));
        assert!(seen.insert(looks.into_iter().min()), "twice: {}", position.to_fen());
    }
}

#[test]
fn every_opening_is_reached_by_its_moves() {
    for Opening { position, moves, .. } in suite() {
        assert!((6..=9).contains(&moves.len()), "{moves:?}");
        let game = Game::replay(Position::startpos(), RuleSet::Axf, &moves).expect("legal moves");
        assert_eq!(game.position().key(), position.key(), "{moves:?}");
        assert_eq!(men(game.position(), false, false), men(&position, false, false), "{moves:?}");
        assert!(game.outcome().is_none());
    }
}

#[test]
fn every_opening_is_balanced_and_quiet() {
    for Opening { position, score, .. } in suite() {
        let fen = position.to_fen();
        assert!(score.abs() <= 60, "{fen}: {score}");
        assert!(!position.in_check() && position.has_legal_move(), "{fen}");
        for kind in PieceKind::ALL {
            let [red, black] = Color::ALL.map(|color| position.pieces_of(color, kind).count());
            assert_eq!(red, black, "{fen}");
        }
        for &m in &position.legal_moves() {
            assert!(!position.is_capture(m) || !position.see_ge(m, 1), "{fen}: {m} wins");
        }
    }
}
