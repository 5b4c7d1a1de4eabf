//! Move notations in openings, whole games, midgames and endings;
//! `notation_oracle.py` compares them with another implementation.

mod common;

use std::collections::HashSet;

use hanxin::board::{Move, Position};
use hanxin::notation::{Notation, parse_any};

/// The positions that a game from the initial position goes through.
fn positions_of(game: &str) -> Vec<Position> {
    let mut position = Position::startpos();
    let mut positions = vec![position.clone()];
    for text in game.split(' ') {
        let m: Move = text.parse().unwrap();
        assert!(position.is_legal(m), "{m} of {game}");
        position.make(m);
        positions.push(position.clone());
    }
    positions
}

fn from_fens(fens: Vec<[String; 1]>) -> Vec<Position> {
    fens.iter().map(|[fen]| Position::from_fen(fen).unwrap()).collect()
}

#[test]
fn names_are_unique_and_lead_back() {
    let games = common::rows(&common::small("games.csv"), ["moves"]);
    let mut positions: Vec<Position> =
        games.iter().flat_map(|[moves]| positions_of(moves)).collect();
    for name in ["midgames.csv", "mates.csv", "perft.csv"] {
        positions.extend(from_fens(common::rows(&common::small(name), ["fen"])));
    }
    let tested: usize = positions.iter().map(check).sum();
    assert!(tested > 50_000, "only {tested} moves");
}

#[test]
#[ignore = "needs HANXIN_CASES: puzzles and endings"]
fn names_in_puzzles_are_unique_and_lead_back() {
    for name in ["puzzles_dev.csv", "mates_dev.csv", "thesis_puzzles.csv"] {
        let path = common::larger("data").join(name);
        let tested: usize = from_fens(common::rows(&path, ["fen"])).iter().map(check).sum();
        assert!(tested > 1_000, "only {tested} moves in {name}");
    }
}

/// Checks the position and its images; returns the number of legal moves.
fn check(position: &Position) -> usize {
    let mut moves = 0;
    for image in [position.clone(), position.mirror(), position.swap_colors()] {
        let legal = image.legal_moves();
        moves += legal.len();
        for notation in Notation::ALL {
            let mut names = HashSet::new();
            for &m in &legal {
                let name = notation.write(&image, m);
                assert_eq!(notation.parse(&image, &name), Ok(m), "{name} in {}", image.to_fen());
                assert_eq!(parse_any(&image, &name), Ok(m), "{name} in {}", image.to_fen());
                assert!(
                    names.insert(name),
                    "{m} has the name of another move in {}",
                    image.to_fen()
                );
            }
        }
    }
    moves
}

#[test]
fn a_game_in_chinese_is_the_game_in_coordinates() {
    let game = [
        ("炮二平五", "h2e2"),
        ("马８进７", "h9g7"),
        ("马二进三", "h0g2"),
        ("车９平８", "i9h9"),
        ("车一平二", "i0h0"),
        ("马２进３", "b9c7"),
        ("兵七进一", "c3c4"),
        ("卒７进１", "g6g5"),
        ("车二进六", "h0h6"),
        ("炮８平９", "h7i7"),
        ("车二平三", "h6g6"),
        ("炮９退１", "i7i8"),
        ("炮八平六", "b2d2"),
        ("炮２进４", "b7b3"),
        ("炮五平六", "e2d2"),
    ];
    let mut position = Position::startpos();
    for (chinese, coordinates) in &game[..14] {
        let m = Notation::Chinese.parse(&position, chinese).unwrap();
        assert_eq!(m.to_string(), *coordinates);
        assert_eq!(Notation::Chinese.write(&position, m), *chinese);
        position.make(m);
    }
    let (chinese, _) = game[14];
    assert_eq!(
        Notation::Chinese.parse(&position, chinese).unwrap_err().to_string(),
        "'炮五平六': the red cannon on e2 has no such move"
    );
}
