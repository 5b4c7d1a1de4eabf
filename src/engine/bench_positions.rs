//! The positions of the benchmark.

/// Openings, middle games and endings.
pub const POSITIONS: &[&str] =
    &["rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"];
