//! The time manager: how long a search may take, and when going on no longer
//! pays.

use std::time::Duration;

use super::limits::{Clock, TimeLimit};

/// The time budget of one search.
///
/// The soft limit is where a calm search ends between two iterations; it is
/// scaled by how the search goes. The hard limit is never passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    soft: Duration,
    hard: Duration,
    /// Whether the time is given for this move alone: then it is used up.
    fixed: bool,
}

/// How the search stands after an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Iterations in a row with the same best move.
    pub stable_iterations: u32,
    /// How far the score fell below that of earlier iterations, centipawns;
    /// negative if it rose.
    pub score_drop: i32,
    /// Share of the nodes that went into the best move, 0 to 1.
    pub best_share: f64,
    /// Whether the best move is the only legal one.
    pub forced: bool,
}

/// Moves that a clock without a next time control should last for.
const HORIZON: f64 = 32.0;
/// Share of the clock that one move may take at most.
const HARD_SHARE: f64 = 0.55;
/// How many times the soft limit the hard one may be.
const HARD_FACTOR: f64 = 5.0;
/// Time for an easy or forced move, as a share of the soft limit.
const FORCED_SHARE: f64 = 0.05;

impl Budget {
    /// A budget for a move.
    ///
    /// `overhead` is kept back for the way of the answer to the referee;
    /// `will_ponder` says that the opponent's time is used as well.
    pub fn new(limit: TimeLimit, overhead: Duration, will_ponder: bool) -> Budget {
        match limit {
            TimeLimit::PerMove(time) => {
                let time = time.saturating_sub(kept_back(time, overhead));
                Budget { soft: time, hard: time, fixed: true }
            }
            TimeLimit::Clock(clock) => Budget::from_clock(clock, overhead, will_ponder),
        }
    }

    fn from_clock(clock: Clock, overhead: Duration, will_ponder: bool) -> Budget {
        let spare = kept_back(clock.remaining, overhead);
        let usable = clock.remaining.saturating_sub(spare);
        if clock.moves_to_go == Some(1) {
            return Budget { soft: usable.mul_f64(0.8), hard: usable, fixed: false };
        }
        let moves = clock.moves_to_go.map_or(HORIZON, |moves| f64::from(moves).min(HORIZON) + 1.0);
        // the overhead falls due again with each of the moves to come
        let owed = spare.mul_f64(moves - 1.0).min(usable.mul_f64(0.7));
        let share = usable.saturating_sub(owed).mul_f64(1.0 / moves);
        let mut soft = share + clock.increment.mul_f64(0.75);
        if will_ponder {
            soft = soft.mul_f64(1.25);
        }
        let hard = usable.mul_f64(HARD_SHARE).min(soft.mul_f64(HARD_FACTOR));
        Budget { soft: soft.min(hard), hard, fixed: false }
    }

    /// The time that is never passed.
    pub const fn hard(&self) -> Duration {
        self.hard
    }

    /// Whether another iteration should not be begun, `elapsed` since the
    /// clock began to run.
    pub fn is_spent(&self, elapsed: Duration, progress: &Progress) -> bool {
        if self.fixed {
            return elapsed >= self.hard;
        }
        let scale = if progress.forced { FORCED_SHARE } else { scale(progress) };
        elapsed >= self.soft.mul_f64(scale).min(self.hard)
    }
}

/// What is kept back of this time for the way of the answer: the overhead,
/// less if there is little time. A thread that is woken late is late by
/// milliseconds, however short the move is.
fn kept_back(time: Duration, overhead: Duration) -> Duration {
    let most = (time / 5).max(Duration::from_millis(5)).min(time / 2);
    overhead.min(most).max(Duration::from_millis(1))
}

/// How many times the soft limit this search deserves: about once when it is
/// calm, several times in trouble.
fn scale(progress: &Progress) -> f64 {
    let stability = 2.4 - 0.125 * f64::from(progress.stable_iterations.min(10));
    let drop = (1.0 + f64::from(progress.score_drop) / 90.0).clamp(0.75, 1.7);
    let share = (1.55 - progress.best_share).clamp(0.6, 1.4);
    stability * drop * share
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeLimit {
        TimeLimit::Clock(Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
            opponent: None,
        })
    }

    #[test]
    fn the_hard_limit_stays_inside_the_clock() {
        for remaining in [0, 1, 5, 20, 100, 1_000, 10_000, 3_600_000] {
            for increment in [0, 10, 1_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(1000)] {
                    for overhead in [0, 30, 5_000] {
                        let limit = clock(remaining, increment, moves_to_go);
                        let budget = Budget::new(limit, MS * overhead, true);
                        assert!(budget.hard <= Duration::from_millis(remaining), "{budget:?}");
                        assert!(budget.soft <= budget.hard);
                    }
                }
            }
        }
    }

    #[test]
    fn a_single_move_keeps_some_time_back() {
        for (time, left) in [(1, 0), (10, 5), (20, 15), (50, 40), (1_000, 970)] {
            let budget = Budget::new(TimeLimit::PerMove(MS * time), 30 * MS, false);
            assert_eq!(budget.hard, MS * left, "{time} ms");
        }
        assert_eq!(Budget::new(TimeLimit::PerMove(MS * 10), Duration::ZERO, false).hard, MS * 9);
    }

    #[test]
    fn a_game_on_the_clock_never_runs_out() {
        let mut remaining = 1_000 * MS;
        for _ in 0..500 {
            let limit = clock(remaining.as_millis() as u64, 50, None);
            let budget = Budget::new(limit, 30 * MS, false);
            let used = budget.hard + 15 * MS; // late by a busy machine
            assert!(used < remaining, "{remaining:?} {budget:?}");
            remaining = remaining - used + 50 * MS;
        }
    }

    #[test]
    fn a_calm_game_uses_most_of_its_clock() {
        let calm = Progress { stable_iterations: 8, score_drop: 0, best_share: 0.8, forced: false };
        let mut remaining = 10_000 * MS;
        for _ in 0..60 {
            let limit = clock(remaining.as_millis() as u64, 100, None);
            let budget = Budget::new(limit, 30 * MS, false);
            let used = (0..).map(|ms| ms * MS).find(|&elapsed| budget.is_spent(elapsed, &calm));
            remaining = remaining - used.unwrap() + 100 * MS;
        }
        assert!(remaining < 3_000 * MS, "{remaining:?}");
        assert!(remaining > 500 * MS, "{remaining:?}");
    }

    #[test]
    fn trouble_gets_more_time_and_a_forced_move_little() {
        let budget = Budget::new(clock(60_000, 0, None), 10 * MS, false);
        let calm =
            Progress { stable_iterations: 10, score_drop: 0, best_share: 0.9, forced: false };
        let trouble = Progress { stable_iterations: 0, score_drop: 80, best_share: 0.3, ..calm };
        let at = budget.soft;
        assert!(budget.is_spent(at, &calm));
        assert!(!budget.is_spent(at, &trouble));
        assert!(budget.is_spent(at / 10, &Progress { forced: true, ..calm }));
        assert!(budget.is_spent(budget.hard, &trouble));
    }
}
