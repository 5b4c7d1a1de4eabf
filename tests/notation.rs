//! Move names in the shared test positions. Master games and a second opinion
//! are the business of `notation_oracle.py`.

use std::collections::HashSet;

use hanxin::board::Position;
use hanxin::notation::{Notation, parse_any};

/// The positions of a file of the shared data, in whose lines `fen` finds them.
fn positions(name: &str, fen: impl Fn(&str) -> Option<&str>) -> Vec<Position> {
    let path = format!("{}/../shared/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("the shared test data is missing: {path}: {error}"));
    text.lines()
        .filter_map(fen)
        .map(|fen| Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")))
        .collect()
}

/// The field of a comma-separated line that is a FEN, if any.
fn fen_field(line: &str) -> Option<&str> {
    line.split(',').find(|field| field.matches('/').count() == 9)
}

#[test]
fn names_are_unique_and_lead_back() {
    let mut tested = 0;
    for (name, least) in
        [("puzzles_dev.csv", 100), ("mates_dev.csv", 100), ("thesis_puzzles.csv", 20)]
    {
        let positions = positions(name, fen_field);
        assert!(positions.len() >= least, "only {} positions in {name}", positions.len());
        tested += positions.iter().map(check).sum::<usize>();
    }
    tested += positions("openings.fen", |line| (!line.starts_with('#')).then_some(line))
        .iter()
        .map(check)
        .sum::<usize>();
    assert!(tested > 10_000, "only {tested} moves");
}

/// Checks the position and its images; gives the number of legal moves.
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
