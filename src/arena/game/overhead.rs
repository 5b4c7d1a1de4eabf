//! What the match runner itself takes of the time.

use std::fmt;
use std::iter::Sum;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The time between moves, when no engine has been asked to search, next to the
/// time in which one has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overhead {
    /// Moves that followed another one of the same game.
    pub moves: u64,
    /// From the arrival of a move until the opponent's time begins.
    pub between: Duration,
    /// From there to the arrival of its move.
    pub thinking: Duration,
    /// The games from their beginnings to their ends, in which engines get
    /// ready too.
    pub games: Duration,
    /// Processor time of this program, where the system knows it.
    pub processor: Option<Duration>,
}

impl Overhead {
    /// Counts a move that began at `begin` and took `time`, after one that
    /// arrived at `previous`.
    pub fn note(&mut self, previous: Option<Instant>, begin: Instant, time: Duration) {
        self.thinking += time;
        if let Some(previous) = previous {
            self.moves += 1;
            self.between += begin.saturating_duration_since(previous);
        }
    }

    /// The time of a move that is the runner's; `None` before there is one.
    pub fn per_move(&self) -> Option<Duration> {
        (self.moves > 0).then(|| self.between.div_f64(self.moves as f64))
    }

    /// The part of the games' time that is the runner's, 0 to 1.
    pub fn share(&self) -> f64 {
        self.part(self.between)
    }

    fn part(&self, time: Duration) -> f64 {
        let all = self.games.as_secs_f64();
        if all > 0.0 { time.as_secs_f64() / all } else { 0.0 }
    }

    /// The same figures as JSON: `share` and `processor_share` are parts of
    /// the games' time, 0 to 1.
    pub fn to_json(&self) -> Value {
        json!({
            "moves": self.moves,
            "us_per_move": self.per_move().map(|time| time.as_secs_f64() * 1e6),
            "share": self.share(),
            "thinking_s": self.thinking.as_secs_f64(),
            "games_s": self.games.as_secs_f64(),
            "processor_s": self.processor.map(|time| time.as_secs_f64()),
            "processor_share": self.processor.map(|time| self.part(time)),
        })
    }
}

impl Sum for Overhead {
    fn sum<I: Iterator<Item = Overhead>>(all: I) -> Overhead {
        all.fold(Overhead::default(), |sum, one| Overhead {
            moves: sum.moves + one.moves,
            between: sum.between + one.between,
            thinking: sum.thinking + one.thinking,
            games: sum.games + one.games,
            processor: sum.processor.into_iter().chain(one.processor).reduce(|a, b| a + b),
        })
    }
}

impl fmt::Display for Overhead {
    /// `Runner: 7.1 µs a move (0.98 % of the time), processor 2.10 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(time) = self.per_move() else {
            return f.write_str("Runner: no moves");
        };
        let [time, share] = [time.as_secs_f64() * 1e6, 100.0 * self.share()];
        write!(f, "Runner: {time:.1} µs a move ({share:.2} % of the time)")?;
        match self.processor {
            Some(time) => write!(f, ", processor {:.2} %", 100.0 * self.part(time)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_between_moves_is_the_runners() {
        let begin = Instant::now();
        let at = |milliseconds| begin + Duration::from_millis(milliseconds);
        let mut overhead = Overhead::default();
        assert_eq!(overhead.to_string(), "Runner: no moves");
        overhead.note(None, at(0), Duration::from_millis(5));
        overhead.note(Some(at(5)), at(6), Duration::from_millis(3));
        overhead.note(Some(at(9)), at(10), Duration::from_millis(10));
        assert_eq!(overhead.per_move(), Some(Duration::from_millis(1)));
        overhead.games = Duration::from_millis(25);
        assert_eq!(overhead.share(), 0.08);
        let with_processor =
            Overhead { processor: Some(Duration::from_millis(5)), ..Overhead::default() };
        let sum: Overhead = [overhead, with_processor, overhead].into_iter().sum();
        let text = "Runner: 1000.0 µs a move (8.00 % of the time), processor 10.00 %";
        assert_eq!(sum.to_string(), text);
        assert_eq!(sum.to_json()["moves"], 4);
    }
}
