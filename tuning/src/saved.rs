//! Files in JSON from which interrupted work goes on.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use hanxin::util::{read_whole, write_whole};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a file holds if it belongs to the same work; `None` if there is no
/// file. `what` names its kind.
///
/// # Errors
/// When it cannot be read, is of another kind or belongs to other work.
pub fn load<T: DeserializeOwned>(
    path: &Path,
    what: &str,
    is_same: impl FnOnce(&T) -> bool,
) -> Result<Option<T>> {
    if !path.exists() {
        return Ok(None);
    }
    let name = path.display();
    let text = read_whole(path, u64::MAX).with_context(|| format!("cannot read {name}"))?;
    let found = serde_json::from_slice(&text).with_context(|| format!("{name} is no {what}"))?;
    ensure!(is_same(&found), "{name} is another {what}: give its settings, or another file");
    Ok(Some(found))
}

/// Writes the file.
///
/// # Errors
/// When it cannot be written.
pub fn save(path: &Path, state: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec(state)?;
    write_whole(path, &text).with_context(|| format!("cannot write {}", path.display()))
}
