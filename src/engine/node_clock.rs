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
    /// Nodes to the millisecond while a search under the clock runs.
    running: Option<u64>,
}

impl NodeClock {
    /// The limit of the next move by this clock, `rate` nodes to the
    /// millisecond; the clock runs until they are spent. Time for a single
    /// move is not a clock and stays as it is.
    pub fn limit(&mut self, limit: TimeLimit, rate: u64) -> TimeLimit {
        let TimeLimit::Clock(shown) = limit else { return limit };
        self.running = Some(rate);
        let remaining = self.left.map_or(shown.remaining, |left| left + shown.increment);
        self.left = Some(remaining);
        TimeLimit::Clock(Clock { remaining, ..shown })
    }

    /// A search has taken so many nodes: the clock stops, if it ran.
    pub fn spend(&mut self, nodes: u64) {
        let Some(rate) = self.running.take() else { return };
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
        clock.spend(1_000_000); // a fixed number of nodes before any clock
        assert_eq!(clock.limit(shown(60), 1_000), shown(60));
        clock.spend(5_000_000);
        clock.spend(9_000_000); // a search without a clock
        assert_eq!(clock.limit(shown(7), 1_000), shown(56));
        clock.spend(u64::MAX);
        assert_eq!(clock.limit(shown(7), 1_000), shown(1));
        let single = TimeLimit::PerMove(seconds(3));
        assert_eq!(clock.limit(single, 1_000), single);
    }
}
