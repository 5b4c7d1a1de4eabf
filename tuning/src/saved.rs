//! Files in JSON from which interrupted work goes on.

use std::path::Path;

use anyhow::{Context, Result, bail};
use hanxin::arena::plan_difference;
use hanxin::util::{read_whole, write_whole};
use serde::Serialize;
use serde::de::DeserializeOwned;

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
