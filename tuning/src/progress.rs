//! Progress on the terminal.

use std::fmt;
use std::io::{Write, stdout};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar with counts, a message and the remaining time.
pub fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} ETA {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Like `println!`, but ignores a closed pipe.
macro_rules! print_line {
    ($($text:tt)*) => { $crate::progress::write_line(format_args!($($text)*)) };
}
pub(crate) use print_line;

/// What [`print_line!`] does.
pub fn write_line(text: fmt::Arguments<'_>) {
    let _ = writeln!(stdout().lock(), "{text}");
}
