//! Endings that books name, against the tables inside the program.

mod common;

use std::sync::Arc;

use hanxin::board::{Color, Position};
use hanxin::egtb::{Prober, Tables, Wdl};

#[test]
#[ignore = "needs HANXIN_CASES: endings of books"]
fn endings_of_books_have_the_results_that_theory_gives_them() {
    let path = common::larger("egtb/named_endings.csv");
    let mut prober = Prober::new(Arc::new(Tables::embedded().clone()));
    let mut known = 0;
    for [name, fen, expected] in common::rows(&path, ["name", "fen", "expected"]) {
        let mut position = Position::from_fen(&fen).unwrap();
        let Some(result) = prober.wdl(&mut position) else { continue };
        let for_red = match position.side_to_move() {
            Color::Red => result,
            Color::Black => result.before_move(),
        };
        let wanted = match expected.as_str() {
            "win" => Wdl::Win,
            "draw" => Wdl::Draw,
            other => panic!("{name}: '{other}' is no result"),
        };
        assert_eq!(for_red, wanted, "{name}: {fen}");
        known += 1;
    }
    assert!(known >= 70, "only {known} endings are in the tables");
}
