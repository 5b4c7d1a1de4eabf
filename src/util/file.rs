//! Files that are either written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name beside it and renames it, so that
/// nobody ever reads half a file and the old one stays if anything fails.
///
/// # Errors
/// When the folder cannot be written to or is full, or the path names no file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut temporary_name = name.to_owned();
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let written = write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // that it failed is what the caller has to know, not that rubbish is left
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
