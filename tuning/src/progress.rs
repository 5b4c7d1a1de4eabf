//! What long work tells, on the screen.

use std::fmt;
use std::io::{Write, stdout};
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

/// Writes a line of text to the standard output, like `println!`; but that
/// nobody reads it any more does not end the work.
macro_rules! say {
    ($($text:tt)*) => { $crate::progress::write_line(format_args!($($text)*)) };
}
pub(crate) use say;

/// What [`say!`] does.
pub fn write_line(text: fmt::Arguments<'_>) {
    // a closed pipe is the reader's wish
    let _ = writeln!(stdout().lock(), "{text}");
}
