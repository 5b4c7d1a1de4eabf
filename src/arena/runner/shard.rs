//! Parts of a match that are played apart, and what they make together.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::journal::{Header, Journal};
use crate::arena::game::GameRecord;
use crate::arena::journal::{JournalError, plan_difference};
use crate::arena::schedule::Assignment;
use crate::board::excerpt;
use crate::util::{OutputError, write_whole};

/// One of several parts of a match, which have no game in common and all of
/// them together. Games of a pair stay in one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub number: u32,
    pub of: u32,
}

impl Shard {
    pub const fn has(self, game: &Assignment) -> bool {
        game.pair % self.of == self.number - 1
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a part (want 1/4 to 4/4 for four parts)")]
pub struct BadShard(String);

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Shard, BadShard> {
        let read = || {
            let (number, of) = text.split_once('/')?;
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then_some(Shard { number, of })
        };
        read().ok_or_else(|| BadShard(excerpt(text)))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{} and {} belong to different matches ({difference})", one.display(), other.display())]
    OtherMatch { one: PathBuf, other: PathBuf, difference: String },
    #[error("{} games are in both {} and {}, the first is game {}; leave one file out",
        count, one.display(), other.display(), game + 1)]
    Overlap { count: usize, game: u32, one: PathBuf, other: PathBuf },
    #[error("{} has game {} too, which is in none of the files; add it to them, or name another \
        --out", path.display(), game + 1)]
    Lost { path: PathBuf, game: u32 },
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Makes one journal of several parts of a match, in the order of the games.
/// Returns the numbers of games that are in none of them; the match can be
/// taken up again to play these.
///
/// # Errors
/// When a journal cannot be read, is of another match than the first, or has
/// a game that another one has; when there is a file that is not an earlier merge of
/// them; and when the new one cannot be written.
pub fn merge(files: &[PathBuf], out: &Path) -> Result<Vec<u32>, MergeError> {
    let mut games: BTreeMap<u32, (usize, GameRecord)> = BTreeMap::new();
    let mut first: Option<Header> = None;
    for (index, file) in files.iter().enumerate() {
        let mut common: Vec<(u32, usize)> = Vec::new();
        let header = Journal::read(file, |record| {
            let number = record.number;
            if let Some((other, _)) = games.insert(number, (index, record)) {
                common.push((number, other));
            }
        })?;
        // games of different matches have the same numbers too
        let first = first.get_or_insert_with(|| header.clone());
        if let Some(difference) = plan_difference(&first.plan, &header.plan) {
            let (one, other) = (files[0].clone(), file.clone());
            return Err(MergeError::OtherMatch { one, other, difference });
        }
        if let Some(&(game, other)) = common.first() {
            let (one, other) = (files[other].clone(), file.clone());
            return Err(MergeError::Overlap { count: common.len(), game, one, other });
        }
    }
    let Some(header) = first.map(|header| Header { shard: None, ..header }) else {
        return Ok(Vec::new());
    };
    check_replaceable(out, &header, |number| games.contains_key(&number))?;
    let text = Journal::text(&header, games.values().map(|(_, record)| record));
    let written = text.and_then(|text| write_whole(out, text.as_bytes()));
    written.map_err(|error| OutputError::Unwritable { path: out.into(), error })?;
    let all = header.games.unwrap_or_else(|| games.keys().last().map_or(0, |last| last + 1));
    Ok((0..all).filter(|number| !games.contains_key(number)).collect())
}

/// Checks that a file that will be replaced, if there is one, is a journal of this
/// match which nobody writes and whose games all are kept.
fn check_replaceable(
    path: &Path,
    header: &Header,
    is_kept: impl Fn(u32) -> bool,
) -> Result<(), MergeError> {
    if !path.exists() {
        return Ok(());
    }
    let mut lost = None;
    Journal::open(path, header, |GameRecord { number, .. }| {
        lost = lost.or((!is_kept(number)).then_some(number));
    })?;
    lost.map_or(Ok(()), |game| Err(MergeError::Lost { path: path.into(), game }))
}

#[cfg(test)]
mod tests {
    use std::slice;

    use serde_json::json;

    use super::*;
    use crate::arena::game::example as game;

    #[test]
    fn parts_read_and_write() {
        let shard: Shard = "2/3".parse().unwrap();
        assert_eq!((shard.number, shard.of, shard.to_string()), (2, 3, "2/3".into()));
        for text in ["", "0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    /// Writes a journal with these games of a match of six.
    fn journal(folder: &Path, name: &str, rounds: u32, numbers: &[u32]) -> PathBuf {
        let shard = "1/2".parse().ok();
        let header = Header { plan: json!({"rounds": rounds}), games: Some(6), shard };
        let records: Vec<GameRecord> =
            numbers.iter().map(|&number| GameRecord { number, ..game() }).collect();
        let path = folder.join(name);
        std::fs::write(&path, Journal::text(&header, records.iter()).unwrap()).unwrap();
        path
    }

    #[test]
    fn parts_make_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let files = [journal(folder, "a", 3, &[4, 0, 1]), journal(folder, "b", 3, &[3])];
        let out = folder.join("whole");
        assert_eq!(merge(&files, &out).unwrap(), [2, 5]);
        let mut numbers = Vec::new();
        let header = Journal::read(&out, |record| numbers.push(record.number)).unwrap();
        assert_eq!((numbers, header.shard), (vec![0, 1, 3, 4], None));
    }

    #[test]
    fn no_game_is_lost_by_a_merge() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let [first, second] = [journal(folder, "a", 3, &[0, 1]), journal(folder, "b", 3, &[2, 5])];
        let out = folder.join("whole");
        assert_eq!(merge(slice::from_ref(&first), &out).unwrap(), [2, 3, 4, 5]);
        assert_eq!(merge(&[first.clone(), second], &out).unwrap(), [3, 4]);
        let fault = |file: PathBuf| merge(&[file], &out).unwrap_err().to_string();
        assert!(fault(first).contains("has game 3 too"));
        assert!(fault(journal(folder, "c", 4, &[0, 1])).contains("belongs to another match"));
        std::fs::write(&out, "something else").unwrap();
        assert!(fault(folder.join("a")).contains("of another kind"));
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "something else");
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let first = journal(folder, "a", 3, &[0, 1]);
        let out = folder.join("whole");
        let fault = |other| merge(&[first.clone(), other], &out).unwrap_err().to_string();
        let overlap = fault(journal(folder, "b", 3, &[2, 1, 0]));
        assert!(overlap.starts_with("2 games are in both"), "{overlap}");
        assert!(overlap.contains("the first is game 2;"), "counted from 1: {overlap}");
        let other = fault(journal(folder, "c", 4, &[0, 2]));
        assert!(
            other.ends_with("belong to different matches (rounds: 3 there, 4 here)"),
            "{other}"
        );
        assert!(fault(folder.join("missing")).contains("missing"));
        assert!(!out.exists());
    }
}
