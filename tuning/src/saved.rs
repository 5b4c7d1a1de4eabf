//! Files from which interrupted work goes on; most are JSON. They are replaced as
//! a whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use hanxin::arena::plan_difference;
use hanxin::util::{check_output, read_whole, write_whole};
use same_file::Handle;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Keeps other runs from writing a file, until it is dropped. As the file itself
/// is replaced, the lock is on a hidden one beside it, which goes with it; what a
/// killed run leaves of it does no harm.
#[derive(Debug)]
pub struct Claim {
    place: PathBuf,
    /// Locked while it is open.
    _lock: Handle,
}

/// Checks before the work that the file of an option can be written and is none of
/// the `inputs`, and claims it for this run.
///
/// # Errors
/// When it cannot, is one of them, or another run writes it.
pub fn claim(
    option: &str,
    path: &Path,
    inputs: impl IntoIterator<Item: AsRef<Path>>,
) -> Result<Claim> {
    check_output(option, path, inputs)?;
    lock(path)
}

fn lock(path: &Path) -> Result<Claim> {
    let place = place_of_lock(path);
    let name = place.display();
    loop {
        let file = File::options().create(true).append(true).open(&place);
        let lock = Handle::from_file(file.with_context(|| format!("cannot open {name}"))?)
            .with_context(|| format!("cannot lock {name}"))?;
        let locked = lock.as_file().try_lock();
        locked.with_context(|| format!("another run writes {}", path.display()))?;
        // a run that has just ended may have removed it meanwhile
        if Handle::from_path(&place).is_ok_and(|there| there == lock) {
            return Ok(Claim { place, _lock: lock });
        }
    }
}

/// Where the lock of a file is, whatever link names the file.
fn place_of_lock(path: &Path) -> PathBuf {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".lock");
    path.with_file_name(name)
}

impl Drop for Claim {
    fn drop(&mut self) {
        // before it is unlocked, lest another run lock it and lose it; one that stays
        // does no harm
        let _ = fs::remove_file(&self.place);
    }
}

/// What a file holds if it belongs to the same work; `None` if there is no
/// file. `what` names its kind, `difference` a setting in which it is other work.
///
/// # Errors
/// When it cannot be read, is of another kind or belongs to other work.
pub fn load<T: DeserializeOwned>(
    path: &Path,
    what: &str,
    difference: impl FnOnce(&T) -> Result<Option<String>>,
) -> Result<Option<T>> {
    if !path.exists() {
        return Ok(None);
    }
    let name = path.display();
    let text = read_whole(path, u64::MAX).with_context(|| format!("cannot read {name}"))?;
    let found = serde_json::from_slice(&text).with_context(|| format!("{name} is no {what}"))?;
    match difference(&found)? {
        None => Ok(Some(found)),
        Some(difference) => {
            bail!("{name} is another {what} ({difference}): give its settings, or another file")
        }
    }
}

/// Names the first setting that differs from those of a file, with both values.
///
/// # Errors
/// When a setting cannot be written as JSON.
pub fn difference<S: Serialize>(there: &S, here: &S) -> Result<Option<String>> {
    Ok(plan_difference(&serde_json::to_value(there)?, &serde_json::to_value(here)?))
}

/// Writes the file.
///
/// # Errors
/// When it cannot be written.
pub fn save(path: &Path, state: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec(state)?;
    write_whole(path, &text).with_context(|| format!("cannot write {}", path.display()))
}

/// How much work a killed run loses at most.
const INTERVAL: Duration = Duration::from_secs(5);

/// A state that grows, and is saved now and then.
pub struct Autosave<'a, T> {
    pub state: &'a mut T,
    path: &'a Path,
    saved: Instant,
}

impl<'a, T: Serialize> Autosave<'a, T> {
    /// Of the state of a file.
    pub fn new(state: &'a mut T, path: &'a Path) -> Autosave<'a, T> {
        Autosave { state, path, saved: Instant::now() }
    }

    /// Saves the state if that was long ago.
    ///
    /// # Errors
    /// As [`save`].
    pub fn save_if_due(&mut self) -> Result<()> {
        if self.saved.elapsed() < INTERVAL {
            return Ok(());
        }
        save(self.path, self.state)?;
        self.saved = Instant::now();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_state_is_saved_when_that_was_long_ago() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let mut state = 1;
        let mut autosave = Autosave::new(&mut state, &path);
        autosave.save_if_due().unwrap();
        assert!(!path.exists());
        autosave.saved -= INTERVAL;
        for number in [2, 3] {
            *autosave.state = number;
            autosave.save_if_due().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "2", "once an interval");
        }
    }

    #[test]
    fn only_one_run_claims_a_file_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spsa.json");
        let claim = || claim("--out", &path, None::<&Path>);
        let first = claim().unwrap();
        let refused = claim().unwrap_err().to_string();
        assert!(refused.contains("another run writes") && refused.ends_with("spsa.json"));
        save(&path, &1).unwrap();
        assert!(claim().is_err(), "the file is another one by now");
        drop(first);
        drop(claim().unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn runs_that_follow_one_another_never_share_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spsa.json");
        let owners = AtomicU32::new(0);
        let work = || {
            for _ in 0..3_000 {
                let Ok(claim) = lock(&path) else { continue };
                assert_eq!(owners.fetch_add(1, Ordering::SeqCst), 0);
                std::thread::yield_now();
                owners.fetch_sub(1, Ordering::SeqCst);
                drop(claim);
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    }

    #[test]
    fn what_cannot_be_written_is_known_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/folder/spsa.json");
        let refused = claim("--out", &path, None::<&Path>).unwrap_err().to_string();
        assert!(refused.starts_with("cannot write '"), "{refused}");
        let refused = claim("--out", folder.path(), None::<&Path>).unwrap_err().to_string();
        assert!(refused.contains("name a file"), "{refused}");
    }
}
