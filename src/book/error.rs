//! What can be wrong with a book file.

use std::path::{Path, PathBuf};

/// A book that could not be opened: which file, and why. The message is one
/// line with a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("book {}: {fault}", printable(.path))]
pub struct BookError {
    /// The file as it was named.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: BookFault,
}

/// What is wrong with a book file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum BookFault {
    #[error("no such file; correct the path or leave it out")]
    Missing,
    #[error("cannot be read ({0}); check the file and its permissions")]
    Unreadable(String),
    #[error("is a directory or a device; name a file")]
    NotAFile,
    #[error("is empty; get a complete copy")]
    Empty,
    #[error("has {0} bytes, more than a book can have ({max}); name a BOOK.DAT", max = super::elephanteye::MAX_BYTES)]
    TooLarge(u64),
    #[error(
        "has {0} bytes, not a multiple of 8; it is no BOOK.DAT or cut off, get a complete copy"
    )]
    PartialRecord(u64),
    #[error("record {0} is out of order; it is no BOOK.DAT or damaged, get a fresh copy")]
    Unsorted(usize),
}

/// A path in quotes, of bounded length, with control characters escaped.
fn printable(path: &Path) -> String {
    const LENGTH: usize = 200;
    let text = path.to_string_lossy();
    let start: String = text.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    let rest = if text.chars().nth(LENGTH).is_some() { "…" } else { "" };
    format!("'{start}{rest}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_whatever_the_path() {
        for path in ["", "a\nb\0c", &"x".repeat(1_000_000)] {
            let error = BookError { path: path.into(), fault: BookFault::Missing };
            let message = error.to_string();
            assert!(!message.contains(char::is_control) && message.len() < 400, "{message}");
        }
    }
}
