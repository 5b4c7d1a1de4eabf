//! Files that must not be one: what a command writes is none of what it reads,
//! under whatever name. They are compared by what they are on the disk.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use same_file::Handle;

use super::file::{check_replaceable, open_regular, printable};

/// Why a file cannot be an output; one line for the user.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum OutputError {
    #[error("{option}: {} is the file of {other} too; name another one", printable(path))]
    Taken { option: String, path: PathBuf, other: String },
    #[error("cannot write {}: {error}", printable(path))]
    Unwritable { path: PathBuf, error: io::Error },
}

/// Checks before the work that a file can be replaced when it is done, and that
/// it is none of the `inputs`. Inputs that are not there are left to whoever
/// reads them.
///
/// # Errors
/// When it cannot, or is one of them.
pub fn check_output(
    option: &str,
    path: &Path,
    inputs: impl IntoIterator<Item: AsRef<Path>>,
) -> Result<(), OutputError> {
    if inputs.into_iter().any(|input| are_one(path, input.as_ref())) {
        let (option, path) = (option.to_owned(), path.to_owned());
        return Err(OutputError::Taken { option, path, other: "an input".to_owned() });
    }
    check_replaceable(path)
        .map_err(|error| OutputError::Unwritable { path: path.to_owned(), error })
}

/// Whether two paths name one file, or would if it were there.
fn are_one(one: &Path, other: &Path) -> bool {
    match [one, other].map(handle) {
        [Some(one), Some(other)] => one == other,
        [None, None] => place(one).is_some_and(|one| Some(one) == place(other)),
        _ => false,
    }
}

/// Where a file that is not there would be.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    path.file_name().filter(|_| !path.exists()).map(|name| folder.join(name))
}

/// The identity of a file; `None` for what is not there or not a file.
fn handle(path: &Path) -> Option<Handle> {
    let file = open_regular(path, File::options().read(true)).ok()?;
    Handle::from_file(file).ok()
}

/// Files of a command with the options that name them, no two of which are one.
/// A device or a pipe keeps nothing and may serve twice.
#[derive(Default)]
pub struct DistinctFiles(Vec<(String, Handle)>);

impl DistinctFiles {
    /// With the standard output and the standard error, where they are files.
    pub fn with_streams() -> DistinctFiles {
        let streams = [("standard output", Handle::stdout()), ("standard error", Handle::stderr())];
        let named = streams.into_iter().filter_map(|(name, stream)| {
            Some((name.to_owned(), stream.ok().filter(|stream| is_regular(stream.as_file()))?))
        });
        DistinctFiles(named.collect())
    }

    /// Adds a file that is open.
    ///
    /// # Errors
    /// When it is there already under another option.
    pub fn add(&mut self, option: &str, path: &Path, file: File) -> Result<(), OutputError> {
        if !is_regular(&file) {
            return Ok(());
        }
        let path = path.to_owned();
        let handle = match Handle::from_file(file) {
            Ok(handle) => handle,
            Err(error) => return Err(OutputError::Unwritable { path, error }),
        };
        if let Some((other, _)) = self.0.iter().find(|(_, known)| *known == handle) {
            let (option, other) = (option.to_owned(), other.clone());
            return Err(OutputError::Taken { option, path, other });
        }
        self.0.push((option.to_owned(), handle));
        Ok(())
    }

    /// The same for a file that need not be there.
    ///
    /// # Errors
    /// As [`add`](DistinctFiles::add).
    pub fn add_if_there(&mut self, option: &str, path: &Path) -> Result<(), OutputError> {
        match open_regular(path, File::options().read(true)) {
            Ok(file) => self.add(option, path, file),
            Err(_) => Ok(()),
        }
    }
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_output_is_none_of_the_inputs_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two, hard] = ["one", "two", "hard"].map(|name| folder.path().join(name));
        fs::write(&one, "1").unwrap();
        fs::write(&two, "2").unwrap();
        fs::hard_link(&one, &hard).unwrap();
        let inputs = [&one, &one];
        for output in [&one, &hard, &folder.path().join("./one")] {
            let error = check_output("--out", output, inputs).unwrap_err().to_string();
            assert!(error.starts_with("--out: '") && error.contains("an input too"), "{error}");
        }
        for output in [&two, &folder.path().join("new")] {
            check_output("--out", output, inputs).unwrap();
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        let missing = folder.path().join("missing");
        assert!(check_output("--out", &two, [&missing]).is_ok());
        // an input may be a file that the command begins
        let same = folder.path().join("./missing");
        assert!(check_output("--out", &same, [&missing]).is_err());
        check_output("--out", Path::new("missing"), [&missing]).unwrap();
    }

    #[test]
    fn an_output_that_cannot_be_written_is_known_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("no/such/folder"), folder.path().to_owned()] {
            let error = check_output("--out", &path, None::<&Path>).unwrap_err();
            assert!(matches!(error, OutputError::Unwritable { .. }), "{error}");
            assert!(error.to_string().starts_with("cannot write '"), "{error}");
        }
    }

    #[test]
    fn files_with_two_options_are_named_with_both() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let mut files = DistinctFiles::with_streams();
        files.add_if_there("--journal", &path).unwrap();
        files.add("--journal", &path, File::create(&path).unwrap()).unwrap();
        let error = files.add_if_there("--report", &path).unwrap_err().to_string();
        assert!(error.starts_with("--report: '") && error.contains("of --journal"), "{error}");
    }
}
