//! The progress of long work, on the screen.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar with numbers, a message and the time that is left.
pub fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} ETA {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
