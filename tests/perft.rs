//! Perft counts on which other engines agree.

mod common;

use std::path::Path;

use hanxin::board::{Position, perft};

/// Compares all counts of a file up to `most_nodes`; returns their number.
fn check(path: &Path, most_nodes: u64) -> usize {
    let mut checked = 0;
    for [fen, depth, nodes] in common::rows(path, ["fen", "depth", "nodes"]) {
        let (depth, nodes): (u32, u64) = (depth.parse().unwrap(), nodes.parse().unwrap());
        if nodes <= most_nodes {
            let mut position = Position::from_fen(&fen).unwrap();
            assert_eq!(perft(&mut position, depth), nodes, "depth {depth} of {fen}");
            checked += 1;
        }
    }
    checked
}

#[test]
fn counts_are_those_of_other_engines() {
    let checked = check(&common::small("perft.csv"), 5_000_000);
    assert!(checked >= 90, "only {checked} counts were checked");
}

#[test]
#[ignore = "needs HANXIN_CASES and some seconds"]
fn larger_counts_are_those_of_other_engines() {
    let checked = check(&common::small("perft.csv"), u64::MAX)
        + check(&common::larger("data/perft.csv"), u64::MAX);
    assert!(checked >= 200, "only {checked} counts were checked");
}
