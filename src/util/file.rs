//! The opener of all files: whole files read with a size limit or written
//! atomically, files that are kept open, outputs that grow. It never waits for
//! the other end of a pipe, nor reads from a device that never ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Why a file could not be opened or read; the message follows the file's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum ReadError {
    #[error("no such file; correct the path or leave it out")]
    Missing,
    #[error("cannot be read ({0}); check the file and its permissions")]
    Unreadable(String),
    #[error("cannot be written ({0}); check the file and its permissions")]
    Unwritable(String),
    #[error("is a directory or a device; name a file")]
    NotAFile,
    #[error("has {bytes} bytes, more than such a file can have ({limit}); name another one")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("is not text in UTF-8; name another one")]
    NotText,
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            _ => ReadError::Unreadable(error.to_string()),
        }
    }
}

/// Opens a file, or begins it if the options say so.
///
/// # Errors
/// When it is missing, not a file, or cannot be opened.
pub fn open_regular(path: &Path, options: &OpenOptions) -> Result<File, ReadError> {
    // asked first: the mere opening of a pipe or a device can wait or do harm
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(ReadError::NotAFile),
        _ => options.open(path).map_err(|error| open_fault(path, error)),
    }
}

/// Why a file could not be opened: if reading alone would do, it is the writing.
fn open_fault(path: &Path, error: io::Error) -> ReadError {
    let is_for_writing = match File::open(path) {
        Ok(_) => true,
        // nor could it be begun, then
        Err(fault) => fault.kind() == io::ErrorKind::NotFound && error.kind() != fault.kind(),
    };
    if is_for_writing { ReadError::Unwritable(error.to_string()) } else { error.into() }
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// When it is missing, not a file, unreadable or larger.
pub fn read_whole(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = open_regular(path, File::options().read(true))?;
    let length = file.metadata()?.len();
    if length > limit {
        return Err(ReadError::TooLarge { bytes: length, limit });
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(length).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(room).map_err(io::Error::from)?;
    // not what it grows by meanwhile: some files of the system never end
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text of at most `limit` bytes; a byte order mark is left out.
///
/// # Errors
/// As [`read_whole`], and when it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    let text = String::from_utf8(read_whole(path, limit)?).map_err(|_| ReadError::NotText)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Opens or begins an output, to write at its end: a file, a terminal, the
/// null device, or a pipe that somebody reads. If a pipe is full, a write
/// `waits` for its reader or fails.
///
/// # Errors
/// When it is none of these or cannot be written.
#[cfg(feature = "cli")]
pub fn open_output(path: &Path, waits: bool) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        if fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo()) {
            // without a reader this is an error, which would otherwise be waited for
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
            let explain = |_| io::Error::other("nobody reads from this pipe");
            let pipe = options.open(path).map_err(explain)?;
            rustix::io::ioctl_fionbio(&pipe, !waits)?;
            return Ok(pipe);
        }
    }
    let _ = waits;
    options.open(path)
}

/// A path for messages: quoted, control characters escaped, at most 200
/// characters.
pub fn printable(path: &Path) -> String {
    const LENGTH: usize = 200;
    let text = path.to_string_lossy();
    let mut start = String::new();
    for c in text.chars().take(LENGTH) {
        // backslashes of Windows stay single
        if c.is_control() { start.extend(c.escape_debug()) } else { start.push(c) }
    }
    let rest = if text.chars().nth(LENGTH).is_some() { "…" } else { "" };
    format!("'{start}{rest}'")
}

/// Writes a file atomically: under a temporary name beside it, then renamed. If
/// anything fails the old file stays.
///
/// # Errors
/// When the directory is not writable or full, or the path is not that of a
/// file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |file| file.write_all(bytes))
}

/// Replaces a file by what `write` writes, atomically like [`write_whole`]; the new
/// one has the permissions of the old one.
///
/// # Errors
/// As [`write_whole`], and those of `write`.
pub fn replace<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let path = &followed(path);
    let temporary = temporary(path)?;
    let written = File::create(&temporary).and_then(|mut file| {
        let written = write(&mut file)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        Ok(written)
    });
    if written.is_err() {
        // the first error matters more than that of cleaning up
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Whether [`replace`] could write a file now.
///
/// # Errors
/// As [`write_whole`].
#[cfg(feature = "cli")]
pub(super) fn check_replaceable(path: &Path) -> io::Result<()> {
    let temporary = temporary(&followed(path))?;
    File::create(&temporary)?;
    fs::remove_file(temporary)
}

/// The file that a link names, which is replaced in its stead.
fn followed(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The name under which a file is written before it replaces the old one.
fn temporary(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::other(ReadError::NotAFile));
    }
    let mut temporary_name = name.to_owned();
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(temporary_name))
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
    fn names_are_shown_as_they_are_typed() {
        assert_eq!(printable(Path::new("C:\\new\\it's 棋")), "'C:\\new\\it's 棋'");
        assert_eq!(printable(Path::new("a\nb")), "'a\\nb'");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["figures.csv", "link.csv"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn read_errors_are_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.csv");
        assert_eq!(read_whole(&path, 9), Err(ReadError::Missing));
        assert_eq!(read_whole(folder.path(), 9), Err(ReadError::NotAFile));
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 9), Err(ReadError::NotText));
        fs::write(&path, b"123456789").unwrap();
        assert_eq!(read_whole(&path, 9).as_deref(), Ok(&b"123456789"[..]));
        assert_eq!(read_whole(&path, 8), Err(ReadError::TooLarge { bytes: 9, limit: 8 }));
        let nul = read_whole(Path::new("a\0b"), 9);
        assert!(matches!(nul, Err(ReadError::Unreadable(_))), "{nul:?}");
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert_eq!(read_whole(path, u64::MAX), Err(ReadError::NotAFile), "{path:?}");
            let journal = open_regular(path, File::options().read(true).write(true).create(true));
            assert!(matches!(journal, Err(ReadError::NotAFile)), "{path:?}");
            let error = write_whole(path, b"x").unwrap_err().to_string();
            assert!(error.contains("name a file") && !fs::metadata(path).unwrap().is_file());
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_can_be_read_but_not_written_is_said_so() {
        let mut options = File::options();
        options.read(true).write(true).create(true);
        // even root cannot write these
        for path in ["/sys/kernel/uevent_seqnum", "/sys/none"].map(Path::new) {
            let fault = open_regular(path, &options).unwrap_err();
            assert!(matches!(fault, ReadError::Unwritable(_)), "{path:?}: {fault}");
        }
        let nowhere = open_regular(Path::new("/sys/none/none"), &options);
        assert_eq!(nowhere.unwrap_err(), ReadError::Missing);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_the_system_without_a_length_are_empty() {
        assert_eq!(read_whole(Path::new("/proc/self/stat"), 9), Ok(Vec::new()));
    }

    #[cfg(all(unix, feature = "cli"))]
    #[test]
    fn outputs_grow_and_pipes_need_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let [file, pipe] = ["file", "pipe"].map(|name| folder.path().join(name));
        for text in [&b"one "[..], b"two"] {
            open_output(&file, true).unwrap().write_all(text).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "one two");
        open_output(Path::new("/dev/null"), true).unwrap().write_all(b"x").unwrap();
        assert!(open_output(folder.path(), true).is_err());
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(open_output(&pipe, true).unwrap_err().to_string().contains("nobody reads"));
        let reader = File::options().read(true).write(true).open(&pipe).unwrap();
        let mut output = open_output(&pipe, false).unwrap();
        let full = (0..100).find_map(|_| output.write_all(&[0; 1 << 16]).err());
        assert_eq!(full.unwrap().kind(), io::ErrorKind::WouldBlock);
        drop(reader);
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
