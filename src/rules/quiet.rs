//! The counter of the natural move limit (自然限着).

use crate::board::{Color, Position};

use super::ruleset::Parameters;

/// Counts plies without a capture as the natural move limit does.
///
/// After a side's first `check_cap` checks since the last capture its further
/// checks, and the replies to them, are not counted; only captures reset the
/// count. With a cap of 0 no check and no reply counts, which is the league's
/// rule (4.5 there); 10 is that of the Asian and national rules.
///
/// It is small and `Copy` so that a search keeps one per ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietCounter {
    counted: u16,
    checks: [u8; 2],
    check_cap: u8,
    /// Whether the last move was a check too many, so that the reply is free.
    reply_is_free: bool,
}

/// Counted at the most: less than the limit that stands for none.
const MOST: u16 = u16::MAX - 1;

impl QuietCounter {
    /// The counter of a game that begins with `start`: at the plies that its
    /// FEN counts, none of them taken for a check. One that stands is too many
    /// only with a cap of 0.
    pub const fn new(parameters: &Parameters, start: &Position) -> QuietCounter {
        QuietCounter {
            counted: if start.quiet_plies() < MOST { start.quiet_plies() } else { MOST },
            checks: [0; 2],
            check_cap: parameters.check_cap,
            reply_is_free: start.in_check() && parameters.check_cap == 0,
        }
    }

    /// Plies counted so far.
    #[inline]
    pub const fn counted(&self) -> u16 {
        self.counted
    }

    /// Whether the limit of these parameters is reached.
    #[inline]
    pub const fn is_exhausted(&self, parameters: &Parameters) -> bool {
        self.counted >= parameters.quiet_limit
    }

    /// The counter after a move of `mover`.
    #[inline]
    #[must_use]
    pub const fn advance(self, captured: bool, gave_check: bool, mover: Color) -> QuietCounter {
        let mut next = self;
        if captured {
            next.counted = 0;
            next.checks = [0; 2];
            next.reply_is_free = gave_check && self.check_cap == 0;
            return next;
        }
        let beyond_cap = gave_check && self.checks[mover.index()] >= self.check_cap;
        if gave_check && !beyond_cap {
            next.checks[mover.index()] += 1;
        }
        if !beyond_cap && !self.reply_is_free {
            next.counted = if self.counted < MOST { self.counted + 1 } else { MOST };
        }
        next.reply_is_free = beyond_cap;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::ruleset::RuleSet;
    use super::*;

    const QUIET: &str = "3k5/9/9/9/4R4/9/9/9/9/5K3 w";
    const CHECK: &str = "4k4/9/9/9/4R4/9/9/9/9/3K5 b";

    fn counter(rules: RuleSet, fen: &str, counted: u16) -> QuietCounter {
        let start = Position::from_fen(&format!("{fen} - - {counted} 60")).unwrap();
        QuietCounter::new(&rules.parameters(), &start)
    }

    fn quiet(counter: QuietCounter, mover: Color) -> QuietCounter {
        counter.advance(false, false, mover)
    }

    #[test]
    fn ten_checks_count_and_further_ones_do_not() {
        let start = counter(RuleSet::Cxa, QUIET, 0);
        let mut counter = start;
        for _ in 0..15 {
            counter = quiet(counter.advance(false, true, Color::Red), Color::Black);
        }
        assert_eq!(counter.counted(), 20);
        // the other side has its own ten, and quiet plies always count
        counter = quiet(counter.advance(false, true, Color::Black), Color::Red);
        assert_eq!(counter.counted(), 22);
        counter = counter.advance(true, false, Color::Black);
        assert_eq!(counter, start);
    }

    #[test]
    fn without_a_limit_no_count_exhausts_it() {
        let unlimited = Parameters { quiet_limit: u16::MAX, ..RuleSet::Axf.parameters() };
        let mut counter = counter(RuleSet::Axf, QUIET, u16::MAX);
        for mover in [Color::Red, Color::Black, Color::Red] {
            assert!(!counter.is_exhausted(&unlimited));
            counter = quiet(counter, mover);
        }
    }

    #[test]
    fn the_league_counts_no_check_and_no_reply() {
        let mut counter = counter(RuleSet::League, QUIET, 98);
        counter = quiet(counter.advance(false, true, Color::Black), Color::Red);
        assert_eq!(counter.counted(), 98);
        counter = quiet(quiet(counter, Color::Black), Color::Red);
        assert!(counter.is_exhausted(&RuleSet::League.parameters()));
        counter = quiet(counter.advance(true, true, Color::Black), Color::Red);
        assert_eq!(counter.counted(), 0);
    }

    #[test]
    fn the_first_reply_to_a_check_is_free_in_the_league() {
        let reply = |rules| quiet(counter(rules, CHECK, 98), Color::Black).counted();
        assert_eq!(RuleSet::ALL.map(reply), [99, 99, 98]);
    }
}
