//! Progress on the terminal.

use std::fmt;
use std::io::{self, Write, stderr, stdout};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Error, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar with counts, a message and the remaining time.
pub fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} ETA {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Like `println!`, but ignores a closed pipe and leaves other errors to
/// [`check_output`].
macro_rules! print_line {
    ($($text:tt)*) => { $crate::progress::write_line(format_args!($($text)*)) };
}
pub(crate) use print_line;

/// Why the first line that was lost could not be written.
static FAULT: OnceLock<io::Error> = OnceLock::new();

/// What [`print_line!`] does.
pub fn write_line(text: fmt::Arguments<'_>) {
    let written = writeln!(stdout().lock(), "{text}");
    if let Some(error) = written.err().filter(|error| error.kind() != io::ErrorKind::BrokenPipe) {
        // the first one says it
        let _ = FAULT.set(error);
    }
}

/// Says on the standard error why a run has failed; if nobody reads it, the exit
/// status still is.
pub fn complain(error: &Error) {
    let _ = writeln!(stderr(), "hanxin-tuning: {}", in_one_line(error));
}

/// An error and its causes; those that name theirs themselves say it once.
fn in_one_line(error: &Error) -> String {
    let mut line = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !line.ends_with(&cause) {
            line += &format!(": {cause}");
        }
    }
    line
}

/// # Errors
/// When lines were lost, not to a closed pipe.
pub fn check_output() -> Result<()> {
    FAULT.get().map_or(Ok(()), |error| Err(anyhow!("cannot write the output: {error}")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use anyhow::Context;
    use hanxin::egtb::Tables;

    use super::*;

    #[test]
    fn a_reason_is_said_once() {
        let fault = Tables::default().add_folder(Path::new("/nonexistent")).unwrap_err();
        let line = in_one_line(&Error::from(fault).context("cannot begin"));
        assert!(line.starts_with("cannot begin: endgame tables: "), "{line}");
        assert_eq!(line.matches("no such file").count(), 1, "{line}");
        let fault: Result<()> = Err(anyhow!("full")).context("cannot write a");
        assert_eq!(in_one_line(&fault.unwrap_err()), "cannot write a: full");
    }
}
