//! Self-play data and tuning of hanxin's evaluation.

fn main() {}
