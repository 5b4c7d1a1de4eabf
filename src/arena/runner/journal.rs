//! The journal of a match: what has been played, safe against any end.
//!
//! A [journal](crate::arena::journal) whose magic is `hanxin-match 1`, whose
//! header is the [`Header`], and whose records are [`GameRecord`]s.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shard::Shard;
use crate::arena::game::GameRecord;
use crate::arena::journal::{self, Record};

/// What a journal belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Everything that decides which games are played, and how.
    #[serde(rename = "match")]
    pub plan: Value,
    /// The number of games of the whole match; none if it depends on results.
    pub games: Option<u32>,
    /// The part of the match that is played here.
    pub shard: Option<Shard>,
}

/// The journal of a match.
pub type Journal = journal::Journal<GameRecord>;

impl Record for GameRecord {
    type Header = Header;
    const MAGIC: &'static str = "hanxin-match 1\n";
    const WHOLE: &'static str = "match";
    const PART: &'static str = "game";

    fn number(&self) -> u32 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::*;
    use crate::arena::game::example as game;

    fn header() -> Header {
        Header { plan: json!({"rounds": 3, "engines": ["a", "b"]}), games: Some(6), shard: None }
    }

    fn numbered(number: u32) -> GameRecord {
        GameRecord { number, ..game() }
    }

    /// Opens the journal and returns the numbers of its games.
    fn open(path: &Path) -> Result<(Journal, Vec<u32>), String> {
        let mut numbers = Vec::new();
        let journal = Journal::open(path, &header(), |record| numbers.push(record.number));
        journal.map(|journal| (journal, numbers)).map_err(|error| error.to_string())
    }

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        (folder, path)
    }

    #[test]
    fn games_come_back_from_any_torn_end() {
        let (_folder, path) = folder();
        let (mut journal, _) = open(&path).unwrap();
        journal.append(&numbered(0)).unwrap();
        journal.append(&numbered(5)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let lengths: Vec<usize> = (0..=whole.len()).collect();
        for length in lengths.into_iter().step_by(7).chain([whole.len() - 1, whole.len()]) {
            fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, numbers) = open(&path).unwrap();
            let complete = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(numbers, [0, 5][..complete.saturating_sub(2)], "cut at {length}");
            let is_cut = length > 0 && whole[length - 1] != b'\n' || complete == 1;
            assert_eq!(journal.was_torn(), is_cut, "cut at {length}");
            journal.append(&numbered(7)).unwrap();
            drop(journal);
            assert_eq!(open(&path).unwrap().1.last(), Some(&7));
        }
    }

    #[test]
    fn two_runs_cannot_have_it() {
        let (_folder, path) = folder();
        let first = open(&path).unwrap();
        assert!(open(&path).unwrap_err().contains("another run is using it"));
        drop(first);
        assert!(open(&path).is_ok());
    }

    #[test]
    fn other_matches_and_other_files_are_refused() {
        let (_folder, path) = folder();
        drop(open(&path).unwrap());
        let mut other = header();
        other.plan["engines"][1] = json!("c");
        let error = Journal::open(&path, &other, |_| {}).unwrap_err().to_string();
        let expected = r#"another match (engines[1]: "b" there, "c" here)"#;
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        let shard = Header { shard: "1/2".parse().ok(), ..header() };
        assert!(Journal::open(&path, &shard, |_| {}).unwrap_err().to_string().contains("shard"));
        for text in ["", "hanxin-match 1\n00000000 {}\n", "a letter\n"] {
            fs::write(&path, text).unwrap();
            assert_eq!(open(&path).is_ok(), text.is_empty(), "{text}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "a letter\n");
    }

    fn text(numbers: &[u32]) -> String {
        let records: Vec<GameRecord> = numbers.iter().copied().map(numbered).collect();
        Journal::text(&header(), records.iter()).unwrap()
    }

    #[test]
    fn damage_is_not_cut_off_and_nothing_is_taken_from_it() {
        let (_folder, path) = folder();
        let whole = text(&[0, 1, 2]);
        let last = whole.rfind("h9g7").unwrap();
        let in_the_last = format!("{}h9g8{}", &whole[..last], &whole[last + 4..]);
        for (text, line) in [
            (whole.replacen("h9g7", "h9g8", 1), 3),
            (whole.replace("h9g7", "h9g8"), 3),
            (in_the_last.clone(), 5),
            (format!("{in_the_last}00000000 {{"), 5),
            (format!("{whole}\n"), 6),
            (whole.replace("\n", "\n\n").replacen("\n\n", "\n", 1), 3),
        ] {
            fs::write(&path, &text).unwrap();
            let mut visited = 0;
            let error = Journal::open(&path, &header(), |_| visited += 1).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line} is damaged; restore")), "{error}");
            assert_eq!((fs::read_to_string(&path).unwrap(), visited), (text, 0));
        }
    }

    #[test]
    fn other_line_ends_change_nothing() {
        let (_folder, path) = folder();
        fs::write(&path, text(&[0, 1]).replace('\n', "\r\n")).unwrap();
        let (mut journal, numbers) = open(&path).unwrap();
        assert_eq!((numbers, journal.was_torn()), (vec![0, 1], false));
        journal.append(&numbered(2)).unwrap();
        drop(journal);
        assert_eq!(open(&path).unwrap().1, [0, 1, 2]);
    }

    #[test]
    fn a_game_counts_once() {
        let (_folder, path) = folder();
        fs::write(&path, text(&[0, 3, 1, 3])).unwrap();
        let error = open(&path).unwrap_err();
        assert!(error.contains("game 4 stands in line 4 and in line 6; remove one"), "{error}");
        assert!(Journal::read(&path, |_| {}).unwrap_err().to_string().contains("game 4"));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_journals() {
        for path in ["/dev/full", "/dev/zero", "/dev/null"] {
            assert!(open(Path::new(path)).unwrap_err().contains("name a file"));
        }
    }

    #[test]
    fn a_journal_is_read_by_others() {
        let (_folder, path) = folder();
        let text = text(&[0, 1]);
        let mut numbers = Vec::new();
        fs::write(&path, text).unwrap();
        assert_eq!(Journal::read(&path, |record| numbers.push(record.number)).unwrap(), header());
        assert_eq!(numbers, [0, 1]);
    }
}
