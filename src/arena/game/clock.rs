//! A player's clock, as the referee keeps it.

use std::time::Duration;

use crate::arena::engines::TimeControl;

/// What a player has left. The time of a move is measured outside the engine
/// with a monotonic clock; this only adds and takes away.
#[derive(Clone, Copy, Debug)]
pub struct GameClock {
    control: TimeControl,
    left: Duration,
    moves_to_go: Option<u32>,
}

impl GameClock {
    pub const fn new(control: TimeControl) -> GameClock {
        GameClock { control, left: control.base, moves_to_go: control.moves }
    }

    pub const fn left(&self) -> Duration {
        self.left
    }

    pub const fn increment(&self) -> Duration {
        self.control.increment
    }

    /// Moves until more time is given; none: it is never given.
    pub const fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// The same while a move goes on that has taken so much time.
    pub const fn running(self, time: Duration) -> GameClock {
        GameClock { left: self.left.saturating_sub(time), ..self }
    }

    /// Takes away the time of a move, which may exceed what was left by a
    /// tolerated margin, and gives what the control gives for the move.
    pub fn spend(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time) + self.control.increment;
        self.moves_to_go = self.moves_to_go.map(|moves| moves - 1);
        if self.moves_to_go == Some(0) {
            self.left += self.control.base;
            self.moves_to_go = self.control.moves;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(control: &str) -> GameClock {
        GameClock::new(control.parse().unwrap())
    }

    #[test]
    fn increments_are_given_after_the_move() {
        let mut clock = clock("10+0.5");
        clock.spend(Duration::from_secs(3));
        assert_eq!(clock.left(), Duration::from_millis(7_500));
        clock.spend(Duration::from_secs(8));
        assert_eq!(clock.left(), Duration::from_millis(500));
        assert_eq!(clock.moves_to_go(), None);
    }

    #[test]
    fn a_control_reached_gives_its_time_again() {
        let mut clock = clock("2/10");
        clock.spend(Duration::from_secs(4));
        assert_eq!((clock.moves_to_go(), clock.left()), (Some(1), Duration::from_secs(6)));
        clock.spend(Duration::from_secs(5));
        assert_eq!((clock.moves_to_go(), clock.left()), (Some(2), Duration::from_secs(11)));
    }
}
