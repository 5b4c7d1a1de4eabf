//! A clock that counts nodes instead of time (option `nodestime`), so that
//! games under a time control can be repeated on any machine, however busy.
//!
//! The first clock of a game says how much there is; from then on the own
//! count goes by the nodes searched, whatever the interface's clock shows
//! (UCI-Xiangqi, section 3).

use std::time::Duration;

use crate::search::{Clock, TimeLimit};

/// What is left on the clock of the game, once it runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeClock {
    left: Option<Duration>,
    /// What the move being thought about had at its beginning.
    given: Option<Duration>,
}

impl NodeClock {
    /// The limit of the next move by this clock. Time for a single move is not
    /// a clock and stays as it is.
    pub fn limit(&mut self, limit: Option<TimeLimit>) -> Option<TimeLimit> {
        let Some(TimeLimit::Clock(shown)) = limit else {
            self.given = None;
            return limit;
        };
        let remaining = self.left.map_or(shown.remaining, |left| left + shown.increment);
        self.given = Some(remaining);
        Some(TimeLimit::Clock(Clock { remaining, ..shown }))
    }

    /// The move has been made and took so much, if it was on this clock.
    pub fn spend(&mut self, time: Duration) {
        if let Some(given) = self.given.take() {
            self.left = Some(given.saturating_sub(time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_moves_made_and_increments_change_the_clock() {
        let seconds = Duration::from_secs;
        let shown = |remaining| {
            Some(TimeLimit::Clock(Clock {
                remaining: seconds(remaining),
                increment: seconds(1),
                ..Clock::default()
            }))
        };
        let mut clock = NodeClock::default();
        clock.spend(seconds(1)); // a fixed number of nodes before any clock
        assert_eq!(clock.limit(shown(60)), shown(60));
        clock.spend(seconds(5));
        clock.spend(seconds(9)); // a search without a clock
        assert_eq!(clock.limit(shown(7)), shown(56)); // pondered on in vain
        assert_eq!(clock.limit(shown(7)), shown(56));
        clock.spend(Duration::ZERO);
        let single = Some(TimeLimit::PerMove(seconds(3)));
        assert_eq!(clock.limit(single), single);
        clock.spend(seconds(3));
        assert_eq!(clock.limit(shown(7)), shown(57));
        clock.spend(Duration::MAX);
        assert_eq!(clock.limit(shown(7)), shown(1));
    }
}
