//! What an engine may spend on its moves.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use serde_with::{DurationSecondsWithFrac, SerializeDisplay, serde_as};

use crate::board::excerpt;

/// The limits of one engine. Several may be given: the first that is reached
/// ends a search.
#[serde_as]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    pub clock: Option<TimeControl>,
    /// Time for each move, none of it kept for later.
    #[serde_as(as = "Option<DurationSecondsWithFrac<f64>>")]
    pub per_move: Option<Duration>,
    /// Depth of each search, plies.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
}

/// The clock of one player, as match runners write it: `40/60+0.6` gives 60
/// seconds for each 40 moves and 0.6 seconds more after every move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay)]
pub struct TimeControl {
    /// Moves after which `base` is given again; none: `base` is for the game.
    pub moves: Option<u32>,
    pub base: Duration,
    pub increment: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a time control (want seconds as in 10+0.1, 40/60 or 5:00+3)")]
pub struct BadTimeControl(String);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a time in seconds (want 0.5 or 60)")]
pub struct BadTime(String);

impl Limits {
    /// Whether there is nothing that would ever end a search.
    pub fn is_empty(&self) -> bool {
        *self == Limits::default()
    }

    /// Whether time is measured, so that an engine can be too late.
    pub const fn is_timed(&self) -> bool {
        self.clock.is_some() || self.per_move.is_some()
    }
}

impl fmt::Display for Limits {
    /// `10+0.1 nodes 500`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.clock.map(|clock| clock.to_string()),
            self.per_move.map(|time| format!("{} s a move", time.as_secs_f64())),
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("nodes {nodes}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(" "))
    }
}

impl FromStr for TimeControl {
    type Err = BadTimeControl;

    /// Reads `[moves/]time[+increment]`, times in seconds or `minutes:seconds`.
    fn from_str(text: &str) -> Result<TimeControl, BadTimeControl> {
        let read = || {
            let (moves, times) = match text.split_once('/') {
                // no moves stand for all of them
                Some((moves, times)) => (Some(moves.parse().ok()?).filter(|&n| n > 0), times),
                None => (None, text),
            };
            let (base, increment) = times.split_once('+').unwrap_or((times, "0"));
            let (base, increment) = (minutes(base)?, seconds(increment).ok()?);
            let any = !base.is_zero() || !increment.is_zero();
            any.then_some(TimeControl { moves, base, increment })
        };
        read().ok_or_else(|| BadTimeControl(excerpt(text)))
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// Reads seconds with decimals, up to 31 years of them.
///
/// # Errors
/// When the text is not such a number.
pub fn seconds(text: &str) -> Result<Duration, BadTime> {
    const MOST: f64 = 1e9;
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = text.parse::<f64>().ok().filter(|number| plain && (0.0..=MOST).contains(number));
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.ok_or_else(|| BadTime(excerpt(text)))
}

/// Reads `5:00`, or seconds.
fn minutes(text: &str) -> Option<Duration> {
    let Some((minutes, rest)) = text.split_once(':') else {
        return seconds(text).ok();
    };
    let minutes = minutes.parse::<u32>().ok()?;
    Some(Duration::from_secs(60).saturating_mul(minutes) + seconds(rest).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_read_and_write() {
        for (text, moves, base, increment) in [
            ("10", None, 10_000, 0),
            ("10+0.1", None, 10_000, 100),
            ("40/60+0.6", Some(40), 60_000, 600),
            ("1:30+2", None, 90_000, 2_000),
            ("0+1", None, 0, 1_000),
            ("0/7", None, 7_000, 0),
        ] {
            let control: TimeControl = text.parse().unwrap();
            let [base, increment] = [base, increment].map(Duration::from_millis);
            assert_eq!(control, TimeControl { moves, base, increment }, "{text}");
            assert_eq!(control.to_string().parse(), Ok(control));
        }
        for text in
            ["", "0", "x", "-1", "1+", "-1/5", "/5", "1e5", "5:", "inf", "1+-1", "9999999999"]
        {
            let error = text.parse::<TimeControl>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("'{text}' is not a time")), "{error}");
        }
    }

    #[test]
    fn limits_are_told_in_words() {
        let limits = Limits {
            clock: "40/60+0.6".parse().ok(),
            per_move: Some(Duration::from_millis(1500)),
            depth: Some(9),
            nodes: Some(500),
        };
        assert_eq!(limits.to_string(), "40/60+0.6 1.5 s a move depth 9 nodes 500");
        assert!(Limits::default().is_empty() && !limits.is_empty());
    }
}
