//! The time manager: how long a search may take, and when going on no longer
//! pays.

use std::time::Duration;

use crate::board::Move;
use crate::score::Score;

use super::limits::{Clock, TimeLimit};
use super::params::Params;

/// The time of one search.
///
/// The soft limit is where a calm search ends between two iterations; it is
/// scaled by how the search goes. The hard limit is never passed.
#[derive(Clone, Debug)]
pub struct TimeManager {
    soft: Duration,
    hard: Duration,
    /// What is left of the time given after the hard limit, for delays.
    kept_back: Duration,
    /// Whether the time is given for this move alone: then it is used up.
    fixed: bool,
    /// Iterations in a row with the same best move.
    stable_iterations: u32,
    last_best: Option<Move>,
    /// Scores of the iterations so far, smoothed, centipawns.
    average_score: Option<f64>,
    /// How many times the soft limit the search deserves at present.
    scale: f64,
    params: Params,
}

/// What an iteration found.
#[derive(Clone, Copy, Debug)]
pub struct Iteration {
    /// The best move.
    pub best: Move,
    /// Its score.
    pub score: Score,
    /// Share of all nodes that went into the best move, 0 to 1.
    pub best_share: f64,
}

/// Longer times on a clock count as this: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);
/// Share of the clock that one move may take at most.
const HARD_SHARE: f64 = 0.55;
/// Below so many increments on the clock, less than the increment is spent: a
/// clock that runs on increments alone leaves nothing for a delay.
const KEPT_INCREMENTS: f64 = 8.0;
/// The same below so much, however short the increment is: the machine may
/// stand still for a tenth of a second.
const LEAST_KEPT: Duration = Duration::from_millis(400);
/// A calm search takes this share of the soft limit at least.
const LEAST_STABILITY: f64 = 0.2;

impl TimeManager {
    /// The time for a move.
    ///
    /// `overhead` is kept back for delays between engine and referee;
    /// `will_ponder` says that the opponent's time is used as well.
    pub fn new(
        limit: TimeLimit,
        overhead: Duration,
        will_ponder: bool,
        params: &Params,
    ) -> TimeManager {
        match limit {
            TimeLimit::PerMove(time) => {
                let spare = kept_back(time, overhead);
                let time = time.saturating_sub(spare);
                TimeManager { fixed: true, ..TimeManager::between(time, time, spare, params) }
            }
            TimeLimit::Clock(clock) => {
                let manager = TimeManager::from_clock(clock, overhead, will_ponder, params);
                let most = clock.most.map(|most| most.saturating_sub(kept_back(most, overhead)));
                let capped = |time: Duration| most.map_or(time, |most| most.min(time));
                TimeManager { soft: capped(manager.soft), hard: capped(manager.hard), ..manager }
            }
        }
    }

    fn between(
        soft: Duration,
        hard: Duration,
        kept_back: Duration,
        params: &Params,
    ) -> TimeManager {
        TimeManager {
            soft,
            hard,
            kept_back,
            fixed: false,
            stable_iterations: 0,
            last_best: None,
            average_score: None,
            scale: 1.0,
            params: params.clone(),
        }
    }

    fn from_clock(
        clock: Clock,
        overhead: Duration,
        will_ponder: bool,
        params: &Params,
    ) -> TimeManager {
        let clock = Clock {
            remaining: clock.remaining.min(LONGEST),
            increment: clock.increment.min(LONGEST),
            ..clock
        };
        let spare = kept_back(clock.remaining, overhead);
        let usable = clock.remaining.saturating_sub(spare);
        if clock.moves_to_go == Some(1) {
            return TimeManager::between(usable.mul_f64(0.8), usable, spare, params);
        }
        let horizon = f64::from(params.clock_horizon);
        let moves = clock.moves_to_go.map_or(horizon, |moves| f64::from(moves).min(horizon) + 1.0);
        let kept = clock.increment.mul_f64(KEPT_INCREMENTS).max(LEAST_KEPT);
        let gain = share_of(params.clock_increment) * usable.div_duration_f64(kept).min(1.0);
        let spent = clock.increment.mul_f64(gain);
        // the overhead falls due again with each of the moves to come; what is not
        // spent of their increments pays for it first
        let due = spare.saturating_sub(clock.increment.saturating_sub(spent));
        let owed = due.mul_f64(moves - 1.0).min(usable.mul_f64(0.7));
        let share = usable.saturating_sub(owed).mul_f64(1.0 / moves);
        let mut soft = share + spent;
        if will_ponder {
            soft = soft.mul_f64(1.25);
        }
        let hard = usable.mul_f64(HARD_SHARE).min(soft.mul_f64(share_of(params.clock_hard_factor)));
        TimeManager::between(soft.min(hard), hard, spare, params)
    }

    /// Whether the time that is never passed is over; times as in
    /// [`TimeManager::is_soft_limit_reached`].
    pub fn is_hard_limit_reached(&self, searched: Duration, on_clock: Duration) -> bool {
        self.hard <= if self.fixed { on_clock } else { searched }
    }

    /// What is left of the time given after the hard limit, at least.
    pub const fn kept_back(&self) -> Duration {
        self.kept_back
    }

    /// Takes an iteration into account: a calm search deserves about once the
    /// soft limit, one in trouble several times as much.
    pub fn update(&mut self, iteration: &Iteration) {
        let is_stable = self.last_best == Some(iteration.best);
        self.stable_iterations = if is_stable { self.stable_iterations + 1 } else { 0 };
        self.last_best = Some(iteration.best);
        let score = f64::from(iteration.score.raw());
        let average = self.average_score.unwrap_or(score);
        self.average_score = Some(0.6 * average + 0.4 * score);
        let params = &self.params;
        let stability = share_of(params.clock_instability)
            - share_of(params.clock_stability) * f64::from(self.stable_iterations.min(10));
        let drop = (average - score).clamp(-500.0, 500.0).trunc() / f64::from(params.clock_drop);
        let drop = (1.0 + drop).clamp(0.75, 1.7);
        let share =
            (1.0 + share_of(params.clock_best_share) - iteration.best_share).clamp(0.6, 1.4);
        // constants at their bounds must not make it negative
        self.scale = stability.max(LEAST_STABILITY) * drop * share;
    }

    /// Whether another iteration should not be begun: `searched` since the
    /// search began, `on_clock` of it since the clock began to run. They differ
    /// after a ponder hit: what was searched before it counts, but a move that
    /// has its own time gets all of it.
    pub fn is_soft_limit_reached(&self, searched: Duration, on_clock: Duration) -> bool {
        match self.fixed {
            true => on_clock >= self.hard,
            false => searched >= self.soft.mul_f64(self.scale).min(self.hard),
        }
    }
}

/// A number in 1/1024.
fn share_of(number: i32) -> f64 {
    f64::from(number) / 1024.0
}

/// What a search has if the overhead is longer than the time, or nearly so; half
/// of the time if that is less. A thread that is woken late is late by
/// milliseconds, however short the move is.
const LEAST_TIME: Duration = Duration::from_millis(20);

/// What is kept back of this time: the overhead, less only where hardly any time
/// would be left.
fn kept_back(time: Duration, overhead: Duration) -> Duration {
    let most = time.saturating_sub(LEAST_TIME.min(time / 2));
    overhead.min(most).max(Duration::from_millis(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn manager(limit: TimeLimit, overhead: Duration, will_ponder: bool) -> TimeManager {
        TimeManager::new(limit, overhead, will_ponder, &Params::default())
    }

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeLimit {
        TimeLimit::Clock(Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
            most: None,
        })
    }

    fn iteration(best: &str, score: i32, best_share: f64) -> Iteration {
        let score = Score::from_centipawns(score);
        Iteration { best: best.parse().unwrap(), score, best_share }
    }

    #[test]
    fn the_hard_limit_stays_inside_the_clock() {
        for remaining in [0, 1, 5, 20, 100, 1_000, 10_000, 3_600_000] {
            for increment in [0, 10, 1_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(1000)] {
                    for overhead in [0, 30, 5_000] {
                        let limit = clock(remaining, increment, moves_to_go);
                        let time = manager(limit, MS * overhead, true);
                        let given = Duration::from_millis(remaining);
                        assert!(time.hard + time.kept_back <= given.max(MS), "{time:?}");
                        assert!(time.soft <= time.hard);
                    }
                }
            }
        }
    }

    #[test]
    fn clocks_may_be_as_long_as_there_are_numbers_for() {
        let most = Duration::MAX;
        let clock =
            Clock { remaining: most, increment: most, moves_to_go: Some(u32::MAX), most: None };
        let shorter = [
            Clock { remaining: Duration::from_secs(1), ..clock },
            Clock { increment: Duration::ZERO, moves_to_go: None, ..clock },
        ];
        for clock in shorter.into_iter().chain([clock]) {
            let limit = manager(TimeLimit::Clock(clock), most, true);
            assert!(!limit.is_hard_limit_reached(Duration::ZERO, Duration::ZERO));
        }
    }

    #[test]
    fn a_single_move_keeps_some_time_back() {
        for (given, left) in [(1, 0), (10, 5), (20, 10), (40, 20), (50, 20), (1_000, 970)] {
            let time = manager(TimeLimit::PerMove(MS * given), 30 * MS, false);
            assert_eq!(time.hard, MS * left, "{given} ms");
        }
        // a delay of a second is kept back of a move too that has not much more
        for (given, left) in [(900, 20), (1_500, 500), (3_000, 2_000)] {
            let time = manager(TimeLimit::PerMove(MS * given), 1_000 * MS, false);
            assert_eq!(time.hard, MS * left, "{given} ms");
            let time = manager(clock(given.into(), 0, Some(1)), 1_000 * MS, false);
            assert_eq!(time.hard, MS * left, "{given} ms on the clock");
        }
        let time = manager(TimeLimit::PerMove(MS * 10), Duration::ZERO, false);
        assert_eq!(time.hard, MS * 9);
    }

    #[test]
    fn time_for_the_move_caps_what_the_clock_allows() {
        let TimeLimit::Clock(minute) = clock(60_000, 0, None) else { panic!("no clock") };
        let capped = |most| manager(TimeLimit::Clock(Clock { most, ..minute }), 30 * MS, false);
        let time = capped(Some(1_000 * MS));
        assert_eq!((time.soft, time.hard), (970 * MS, 970 * MS));
        assert_eq!(capped(Some(60_000 * MS)).hard, capped(None).hard);
    }

    #[test]
    fn constants_at_their_bounds_leave_the_time_positive() {
        let params = Params { clock_instability: 1200, clock_stability: 240, ..Params::default() };
        let mut time = TimeManager::new(clock(60_000, 0, None), 30 * MS, false, &params);
        (0..20).for_each(|_| time.update(&iteration("h2e2", 10, 0.9)));
        assert!(!time.is_soft_limit_reached(Duration::ZERO, Duration::ZERO));
        assert!(time.is_soft_limit_reached(time.soft, time.soft));
    }

    #[test]
    fn a_game_on_the_clock_never_runs_out() {
        let mut remaining = 1_000 * MS;
        for _ in 0..500 {
            let limit = clock(remaining.as_millis() as u64, 50, None);
            let time = manager(limit, 30 * MS, false);
            let used = time.hard + 15 * MS; // late by a busy machine
            assert!(used < remaining, "{remaining:?} {time:?}");
            remaining = remaining - used + 50 * MS;
        }
    }

    #[test]
    fn a_clock_with_increments_keeps_some_of_them() {
        let mut remaining = 1_000 * MS;
        for _ in 0..200 {
            let limit = clock(remaining.as_millis() as u64, 20, None);
            let mut time = manager(limit, 30 * MS, false);
            time.update(&iteration("h2e2", 10, 0.5));
            let used = (0..).map(|ms| ms * MS).find(|&at| time.is_soft_limit_reached(at, at));
            remaining = remaining - used.unwrap() + 20 * MS;
        }
        assert!(remaining > 150 * MS, "{remaining:?}");
    }

    #[test]
    fn increments_pay_for_the_overhead_of_later_moves() {
        let params = Params { clock_increment: 768, ..Params::default() };
        let soft = |increment, overhead| {
            let limit = clock(10_000, increment, None);
            TimeManager::new(limit, MS * overhead, false, &params).soft
        };
        let costs = |increment| soft(increment, 0) - soft(increment, 30);
        // a quarter of the increment is not spent
        assert!(costs(0) > 20 * MS, "{:?}", costs(0));
        assert!(costs(100) > 4 * MS && costs(100) < 6 * MS, "{:?}", costs(100));
        assert!(costs(200) < 2 * MS, "{:?}", costs(200));
        // so a game with such delays goes on for ever
        let mut remaining = 10_000 * MS;
        for _ in 0..1_000 {
            let used = manager(clock(remaining.as_millis() as u64, 100, None), 30 * MS, false).soft;
            remaining = remaining - used - 30 * MS + 100 * MS;
        }
        assert!(remaining > 200 * MS, "{remaining:?}");
    }

    #[test]
    fn a_calm_game_uses_most_of_its_clock() {
        let mut remaining = 10_000 * MS;
        for _ in 0..60 {
            let limit = clock(remaining.as_millis() as u64, 100, None);
            let mut time = manager(limit, 30 * MS, false);
            (0..9).for_each(|_| time.update(&iteration("h2e2", 10, 0.8)));
            let used = (0..)
                .map(|ms| ms * MS)
                .find(|&elapsed| time.is_soft_limit_reached(elapsed, elapsed));
            remaining = remaining - used.unwrap() + 100 * MS;
        }
        assert!(remaining < 3_000 * MS, "{remaining:?}");
        assert!(remaining > 500 * MS, "{remaining:?}");
    }

    #[test]
    fn time_searched_before_a_ponder_hit_counts_unless_the_move_has_its_own() {
        let game = manager(clock(60_000, 0, None), 10 * MS, true);
        assert!(game.is_soft_limit_reached(game.soft, Duration::ZERO));
        let single = manager(TimeLimit::PerMove(1_000 * MS), 10 * MS, true);
        assert!(!single.is_soft_limit_reached(5_000 * MS, 500 * MS));
        assert!(single.is_soft_limit_reached(5_000 * MS, 990 * MS));
    }

    #[test]
    fn trouble_gets_more_time() {
        let fresh = manager(clock(60_000, 0, None), 10 * MS, false);
        let at = fresh.soft;
        let mut calm = fresh.clone();
        (0..11).for_each(|_| calm.update(&iteration("h2e2", 10, 0.9)));
        assert!(calm.is_soft_limit_reached(at, at));
        let mut trouble = fresh.clone();
        trouble.update(&iteration("h2e2", 100, 0.3));
        trouble.update(&iteration("b2e2", -60, 0.3));
        assert!(!trouble.is_soft_limit_reached(2 * at, 2 * at));
        assert!(trouble.is_soft_limit_reached(fresh.hard, fresh.hard));
    }
}
