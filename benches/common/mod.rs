//! What the benches share: positions, and how long each of them may take.

// each bench is a program of its own and takes what it needs
#![allow(dead_code)]

use std::time::Duration;

use criterion::Criterion;
use hanxin::board::Position;

/// The start, four midgames and an ending with rooks and cannons.
pub const FENS: [&str; 6] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w",
    "r1bak2nr/4a4/1cn1b2c1/p1p1p3p/6p2/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 w",
    "1C2kab2/4a4/4b1n2/p4r2p/4p1p1c/3N5/P3P1PnP/2NCB4/2R1A4/1c2KAB2 w",
    "r3kabr1/4a4/c1n1b2c1/p1p1p3p/2P4R1/3n5/P1C1P1p1P/N3C1N2/9/1RBAKAB2 w",
    "4kab2/4a4/3cb3c/R3C3p/5C3/2P1r4/P4p2P/4B4/4A4/4KAB2 w",
];

/// The positions of [`FENS`].
pub fn positions() -> Vec<Position> {
    let read = |fen: &&str| Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    FENS.iter().map(read).collect()
}

/// Few samples, so that all benches together take about two minutes; the
/// options of Criterion's command line go before them.
pub fn quick() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_millis(2000))
}
