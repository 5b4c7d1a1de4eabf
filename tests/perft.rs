//! Move generation against counts that two independent engines agreed on.
//!
//! By default only counts up to a cap are done; `HANXIN_PERFT_NODES` raises it
//! (the whole file needs 200000000).

use hanxin::board::{Position, perft};

#[test]
fn shared_perft_counts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/perft.csv");
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("the shared test data is missing: {path}: {error}"));
    let cap: u64 = std::env::var("HANXIN_PERFT_NODES")
        .ok()
        .and_then(|cap| cap.parse().ok())
        .unwrap_or(5_000_000);
    let mut checked = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (depth, nodes): (u32, u64) = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        if nodes > cap {
            continue;
        }
        let mut position = Position::from_fen(fields[1]).unwrap();
        assert_eq!(perft(&mut position, depth), nodes, "depth {depth} of {}", fields[1]);
        checked += 1;
    }
    assert!(checked >= 90, "only {checked} counts were checked");
}
