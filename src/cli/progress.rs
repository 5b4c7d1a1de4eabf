//! How far long work has come.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::remark;

/// A bar on the standard error if that is a terminal, hidden elsewhere.
pub fn bar(total: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A bar at a terminal; elsewhere a line now and then, on the standard error.
pub struct Progress {
    bar: ProgressBar,
    total: usize,
    last_line: Instant,
}

/// Least time between two lines.
const INTERVAL: Duration = Duration::from_secs(60);

impl Progress {
    /// Of so many steps, some of which may be done already.
    pub fn new(total: usize, done: usize) -> Progress {
        let template = "[{elapsed_precise}] {bar:30} {pos}/{len} {msg} (left: {eta})";
        let bar = bar(Some(total as u64), template);
        bar.set_position(done as u64);
        bar.reset_eta();
        Progress { bar, total, last_line: Instant::now() }
    }

    /// Begins a step, counted from 0.
    pub fn begin(&mut self, number: usize, step: &str) {
        self.bar.set_position(number as u64);
        self.bar.set_message(step.to_owned());
        if self.bar.is_hidden() && self.last_line.elapsed() >= INTERVAL {
            self.last_line = Instant::now();
            remark(format!("step {} of {}: {step}", number + 1, self.total));
        }
    }

    /// Does something that writes to the terminal, without the bar.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
