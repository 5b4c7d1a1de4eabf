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
}

impl NodeClock {
    /// The limit of the next move by this clock. Time for a single move is
    /// no clock and stays what it is.
    pub fn limit(&mut self, limit: TimeLimit) -> TimeLimit {
        let TimeLimit::Clock(shown) = limit else { return limit };
        let remaining = self.left.map_or(shown.remaining, |left| left + shown.increment);
        self.left = Some(remaining);
        TimeLimit::Clock(Clock { remaining, ..shown })
    }

    /// A move has taken so many nodes, `rate` of them to the millisecond.
    pub fn spend(&mut self, nodes: u64, rate: u64) {
        let spent = Duration::from_micros(nodes.saturating_mul(1000) / rate.max(1));
        self.left = self.left.map(|left| left.saturating_sub(spent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nodes_and_increments_change_the_clock() {
        let seconds = Duration::from_secs;
        let shown = |remaining| {
            TimeLimit::Clock(Clock {
                remaining: seconds(remaining),
                increment: seconds(1),
                ..Clock::default()
            })
        };
        let mut clock = NodeClock::default();
        clock.spend(1_000_000, 1_000); // a fixed number of nodes before any clock
        assert_eq!(clock.limit(shown(60)), shown(60));
        clock.spend(5_000_000, 1_000);
        assert_eq!(clock.limit(shown(7)), shown(56));
        clock.spend(u64::MAX, 1);
        assert_eq!(clock.limit(shown(7)), shown(1));
        let single = TimeLimit::PerMove(seconds(3));
        assert_eq!(clock.limit(single), single);
    }
}
