//! Whole files, read with a size limit and written atomically.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Why a file could not be read; the message follows the file's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum ReadError {
    #[error("no such file; correct the path or leave it out")]
    Missing,
    #[error("cannot be read ({0}); check the file and its permissions")]
    Unreadable(String),
    #[error("is a directory or a device; name a file")]
    NotAFile,
    #[error("has {bytes} bytes, more than such a file can have ({limit}); name another one")]
    TooLarge { bytes: u64, limit: u64 },
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// When it is missing, not a file, unreadable or larger.
pub fn read_whole(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let explain = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::Missing,
        _ => ReadError::Unreadable(error.to_string()),
    };
    let metadata = fs::metadata(path).map_err(explain)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    if metadata.len() > limit {
        return Err(ReadError::TooLarge { bytes: metadata.len(), limit });
    }
    fs::read(path).map_err(explain)
}

/// A path for messages: quoted, control characters escaped, at most 200
/// characters.
pub fn printable(path: &Path) -> String {
    const LENGTH: usize = 200;
    let text = path.to_string_lossy();
    let start: String = text.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    let rest = if text.chars().nth(LENGTH).is_some() { "…" } else { "" };
    format!("'{start}{rest}'")
}

/// Writes a file atomically: under a temporary name beside it, then renamed. If
/// anything fails the old file stays.
///
/// # Errors
/// When the directory is not writable or full, or the path has no file name.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut temporary_name = name.to_owned();
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let written = write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // the first error matters more than that of cleaning up
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.csv");
        for text in ["a longer text", "short"] {
            write_whole(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn read_errors_are_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.csv");
        assert_eq!(read_whole(&path, 9), Err(ReadError::Missing));
        assert_eq!(read_whole(folder.path(), 9), Err(ReadError::NotAFile));
        fs::write(&path, b"123456789").unwrap();
        assert_eq!(read_whole(&path, 9).as_deref(), Ok(&b"123456789"[..]));
        assert_eq!(read_whole(&path, 8), Err(ReadError::TooLarge { bytes: 9, limit: 8 }));
        let nul = read_whole(Path::new("a\0b"), 9);
        assert!(matches!(nul, Err(ReadError::Unreadable(_))), "{nul:?}");
    }

    #[test]
    fn failures_leave_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "kept").unwrap();
        assert!(write_whole(&path, b"x").is_err());
        assert!(write_whole(&folder.path().join("no/such/folder"), b"x").is_err());
        assert!(write_whole(&folder.path().join(".."), b"x").is_err());
        assert_eq!(fs::read_to_string(path.join("inside")).unwrap(), "kept");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
