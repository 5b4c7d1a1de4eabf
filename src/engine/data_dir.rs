//! Where data files are looked for.

use std::path::{Path, PathBuf};

/// The folder of the running program, where its data files lie.
pub fn data_dir() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.to_owned())
}

/// The place of a file: a relative name is looked for in `folder`, then in the
/// working folder.
pub fn locate(name: &str, folder: Option<&Path>) -> PathBuf {
    locate_if(name, folder, Path::is_file)
}

/// The place of a folder, looked for like a file.
pub fn locate_folder(name: &str, folder: Option<&Path>) -> PathBuf {
    locate_if(name, folder, Path::is_dir)
}

fn locate_if(name: &str, folder: Option<&Path>, fits: impl Fn(&Path) -> bool) -> PathBuf {
    let beside = folder.map(|folder| folder.join(name));
    beside.filter(|path| fits(path)).unwrap_or_else(|| name.into())
}
