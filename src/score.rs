//! Scores: what a search says about a position, in bands that never overlap.
//!
//! | band | size | meaning |
//! |---|---|---|
//! | evaluation | up to 20,000 | centipawns |
//! | table | 21,000 to 24,000 | won or lost by an endgame table |
//! | rule | 25,000 to 28,000 | won or lost by the repetition rules |
//! | mate | 31,000 to 32,000 | won or lost by mate |
//!
//! In the three upper bands the distance from the band's top is the number of
//! plies from the root of the search.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// The deepest ply a search reaches, counted from its root.
pub const MAX_PLY: usize = 240;

const EVAL_MAX: i32 = 20_000;
const TABLE: i32 = 24_000;
const RULE: i32 = 28_000;
const MATE: i32 = 32_000;
const BAND: i32 = 3_000;
const MATE_BAND: i32 = 1_000;

/// A score from the side to move's view; fits 16 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// Which side of the truth a score stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
    /// The score is the true one.
    Exact,
}

/// What a score means, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is decided; centipawns.
    Evaluation(i32),
    /// An endgame table decides in so many plies; negative: lost.
    Table(i32),
    /// The repetition rules decide in so many plies; negative: lost.
    Rule(i32),
    /// Mate in so many plies; negative: mated. Mated now is 0.
    Mate(i32),
}

impl Score {
    /// Neither side stands better.
    pub const DRAW: Score = Score(0);
    /// Above every other score.
    pub const INFINITE: Score = Score(MATE + 1);

    /// An evaluation in centipawns, limited to its band.
    #[inline]
    pub fn from_centipawns(centipawns: i32) -> Score {
        Score(centipawns.clamp(-EVAL_MAX, EVAL_MAX))
    }

    /// Mated `ply` plies from the root.
    #[inline]
    pub const fn mated_in(ply: usize) -> Score {
        Score(ply as i32 - MATE)
    }

    /// Mates `ply` plies from the root.
    #[inline]
    pub const fn mate_in(ply: usize) -> Score {
        Score(MATE - ply as i32)
    }

    /// Loses by the repetition rules `ply` plies from the root.
    #[inline]
    pub const fn rule_loss_in(ply: usize) -> Score {
        Score(ply as i32 - RULE)
    }

    /// Won by an endgame table `ply` plies from the root.
    #[inline]
    pub const fn table_win_in(ply: usize) -> Score {
        Score(TABLE - ply as i32)
    }

    /// The number, for arithmetic and storage: from -32,001 to 32,001.
    #[inline]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The score of a number of [`raw`](Score::raw).
    #[inline]
    pub const fn from_raw(raw: i32) -> Score {
        Score(raw)
    }

    /// Whether it lies above the evaluation band on either side.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > EVAL_MAX
    }

    /// Whether it is a win above the evaluation band.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > EVAL_MAX
    }

    /// Whether it is a loss below the evaluation band.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < -EVAL_MAX
    }

    /// Whether it is a mate, given or taken.
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= MATE - MATE_BAND
    }

    /// Whether it rests on the repetition rules and so on the path to it.
    #[inline]
    pub const fn is_by_rule(self) -> bool {
        self.0.abs() > RULE - BAND && self.0.abs() <= RULE
    }

    /// What it means.
    pub const fn verdict(self) -> Verdict {
        let size = self.0.abs();
        let sign = self.0.signum();
        if size >= MATE - MATE_BAND {
            Verdict::Mate(sign * (MATE - size))
        } else if self.is_by_rule() {
            Verdict::Rule(sign * (RULE - size))
        } else if size > EVAL_MAX {
            Verdict::Table(sign * (TABLE - size))
        } else {
            Verdict::Evaluation(self.0)
        }
    }

    /// The score as the node `ply` plies below the root sees it: distances
    /// counted from there. For storing beyond the present path.
    #[inline]
    pub const fn seen_from(self, ply: usize) -> Score {
        self.shifted(ply as i32)
    }

    /// The inverse of [`seen_from`](Score::seen_from).
    #[inline]
    pub const fn seen_from_root(self, ply: usize) -> Score {
        self.shifted(-(ply as i32))
    }

    #[inline]
    const fn shifted(self, plies: i32) -> Score {
        if self.is_win() {
            Score(self.0 + plies)
        } else if self.is_loss() {
            Score(self.0 - plies)
        } else {
            self
        }
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    #[inline]
    fn add(self, centipawns: i32) -> Score {
        Score(self.0 + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    #[inline]
    fn sub(self, centipawns: i32) -> Score {
        Score(self.0 - centipawns)
    }
}

impl Sub for Score {
    type Output = i32;
    #[inline]
    fn sub(self, other: Score) -> i32 {
        self.0 - other.0
    }
}

impl fmt::Display for Score {
    /// `+0.35` in pawns, `#7` mate in plies, `rule 6`, `table 12`; a minus
    /// sign when the side to move is on the losing end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verdict() {
            Verdict::Evaluation(cp) => write!(f, "{:+.2}", f64::from(cp) / 100.0),
            Verdict::Mate(plies) => write!(f, "#{plies}"),
            Verdict::Rule(plies) => write!(f, "rule {plies}"),
            Verdict::Table(plies) => write!(f, "table {plies}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_overlap_at_any_ply() {
        for ply in 0..=MAX_PLY {
            let loss = Score::mated_in(ply);
            assert!(loss.is_mate() && loss.is_loss() && !loss.is_by_rule());
            assert_eq!(loss.verdict(), Verdict::Mate(-(ply as i32)));
            let rule = Score::rule_loss_in(ply);
            assert!(rule.is_by_rule() && rule.is_loss() && !rule.is_mate());
            assert_eq!((-rule).verdict(), Verdict::Rule(ply as i32));
            assert!(loss < rule);
            let table = Score::table_win_in(ply);
            assert!(table.is_win() && !table.is_by_rule() && !table.is_mate());
            assert_eq!(table.verdict(), Verdict::Table(ply as i32));
            assert!(table < -rule);
        }
        let best = Score::from_centipawns(1_000_000);
        assert!(!best.is_decisive());
        assert!(-Score::rule_loss_in(MAX_PLY) > best);
        assert!(Score::INFINITE > Score::mate_in(0));
        assert!(i16::try_from(Score::INFINITE.raw()).is_ok());
    }

    #[test]
    fn stored_distances_count_from_the_node() {
        let score = Score::mate_in(9);
        assert_eq!(score.seen_from(4), Score::mate_in(5));
        for raw in [-31_990, -27_000, -500, 0, 500, 27_000, 31_990] {
            let score = Score::from_raw(raw);
            assert_eq!(score.seen_from(6).seen_from_root(6), score);
        }
    }
}
