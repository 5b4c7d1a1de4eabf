//! What an engine told about a search.

use crate::protocol::Info;
use crate::score::{Bound, Score};

/// The latest figures of one search; zero where the engine said nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchReport {
    /// The score, from the mover's view.
    pub score: Option<Score>,
    /// Plies searched.
    pub depth: u32,
    /// Plies of the longest line searched.
    pub seldepth: u32,
    /// Nodes searched.
    pub nodes: u64,
}

impl SearchReport {
    /// Whether a line of `info` has a score that counts: of several lines of
    /// play only the first one's does, and no mere bound. This only looks for
    /// words and is quick.
    pub fn has_score(line: &[u8]) -> bool {
        let words = || line.split(|&byte| byte <= b' ');
        let other_line = || {
            let number = words().skip_while(|word| *word != b"multipv").nth(1);
            number.is_some_and(|number| number != b"1")
        };
        let is_ignored =
            |word: &[u8]| [&b"lowerbound"[..], b"upperbound", b"string"].contains(&word);
        words().any(|word| word == b"score") && !words().any(is_ignored) && !other_line()
    }

    /// Takes in what a line says. A depth counts together with a score: some
    /// engines announce depths that they then do not reach.
    pub fn note(&mut self, info: &Info) {
        self.nodes = info.nodes.unwrap_or(self.nodes);
        if info.multipv.is_some_and(|line| line > 1) {
            return;
        }
        if let Some((score, Bound::Exact)) = info.score {
            self.score = Some(score);
            self.depth = info.depth.unwrap_or(self.depth);
            self.seldepth = info.seldepth.unwrap_or(self.seldepth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Dialect, Reply};

    fn report(lines: &[&str]) -> SearchReport {
        let mut report = SearchReport::default();
        for line in lines {
            let Reply::Info(info) = Reply::parse(line.as_bytes(), Dialect::UCI) else {
                panic!("{line}")
            };
            report.note(&info);
        }
        report
    }

    #[test]
    fn the_last_exact_score_of_the_first_line_counts() {
        let report = report(&[
            "info depth 8 seldepth 12 score cp 21 nodes 100",
            "info depth 9 seldepth 13 multipv 1 score cp 30 nodes 200 pv h2e2",
            "info depth 9 seldepth 14 multipv 2 score cp -5 nodes 210",
            "info depth 10 score cp 99 lowerbound nodes 300",
            "info depth 10 currmove h2e2 nodes 400",
            "info string depth 99",
        ]);
        let score = Some(Score::from_centipawns(30));
        assert_eq!(report, SearchReport { score, depth: 9, seldepth: 13, nodes: 400 });
    }
}
