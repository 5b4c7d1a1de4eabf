//! The tables inside the program against another solver and against books.

mod common;

use std::sync::Arc;

use hanxin::board::Position;
use hanxin::egtb::{Prober, Tables};

fn prober() -> Prober {
    Prober::new(Arc::new(Tables::embedded().clone()))
}

#[test]
fn results_are_those_of_another_solver() {
    let rows = common::rows(&common::small("egtb_positions.csv"), ["fen", "stm_result"]);
    assert!(rows.len() > 100, "only {} positions", rows.len());
    let mut prober = prober();
    for [fen, expected] in rows {
        let result = prober.wdl(&mut Position::from_fen(&fen).unwrap());
        assert_eq!(result.map(|result| result.name()), Some(expected.as_str()), "{fen}");
    }
}

#[test]
#[ignore = "needs HANXIN_CASES: endings of books"]
fn endings_of_books_have_the_results_that_theory_gives_them() {
    let path = common::larger("egtb/named_endings.csv");
    let (mut prober, mut known) = (prober(), 0);
    for [name, fen, expected] in common::rows(&path, ["name", "fen", "expected"]) {
        // Red is to move in all of them
        let Some(result) = prober.wdl(&mut Position::from_fen(&fen).unwrap()) else { continue };
        assert_eq!(result.name(), expected, "{name}: {fen}");
        known += 1;
    }
    assert!(known >= 70, "only {known} endings are in the tables");
}
