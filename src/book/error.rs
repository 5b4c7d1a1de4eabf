//! Errors of opening a book file.

use std::path::PathBuf;

use crate::util::{ReadError, printable};

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
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("is empty; get a complete copy")]
    Empty,
    #[error(
        "has {0} bytes, not a multiple of 8; not a BOOK.DAT, or truncated: get a complete copy"
    )]
    PartialRecord(u64),
    #[error("record {0} is out of order; not a BOOK.DAT, or damaged: get a fresh copy")]
    Unsorted(usize),
    #[error("is truncated; get a complete copy")]
    Truncated,
    #[error("is damaged (wrong checksum); get a fresh copy")]
    Damaged,
    #[error("is not a book of hanxin; name another file")]
    Foreign,
    #[error("has version {0} of the format, which this program cannot read; build it again")]
    Version(u32),
    #[error("was built by a version of hanxin with other keys of positions; build it again")]
    ForeignKeys,
    #[error("line {line}: {reason}; want a move, its weight and the position as FEN")]
    Line { line: usize, reason: String },
    #[error("is being written by another program; try again once that is done")]
    Busy,
    #[error("is damaged or cut short; get a fresh copy")]
    Broken,
    #[error("is a database without the tables of an XQB book ({0}); name another file")]
    Database(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_whatever_the_path() {
        for path in ["", "a\nb\0c", &"x".repeat(1_000_000)] {
            let error = BookError { path: path.into(), fault: ReadError::Missing.into() };
            let message = error.to_string();
            assert!(!message.contains(char::is_control) && message.len() < 400, "{message}");
        }
    }
}
