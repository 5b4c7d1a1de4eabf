//! The journal of a match: what has been played, safe against any end.
//!
//! A text file. The first line is `hanxin-match 1`: magic and version. Every
//! other line is a checksum (CRC-32 of the rest without its line end, 8
//! hexadecimal digits), a blank, and a line of JSON. The first of them is the
//! [`Header`], each further one a [`GameRecord`]; `cut -c10-` gives plain JSON
//! lines. Records are appended and flushed to the disk as games finish. A last
//! line without its line end is what a crash leaves, and is cut off. Anything
//! else that is not as it was written is an error, which leaves the file alone;
//! only line ends may have become `\r\n`, for the checksum shows that the lines
//! themselves are whole.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shard::Shard;
use crate::arena::game::GameRecord;
use crate::protocol::excerpt;
use crate::util::{ReadError, open_regular};

const MAGIC: &str = "hanxin-match 1\n";
/// Far more than the longest game takes; nothing longer is read.
const MAX_LINE: u64 = 1 << 26;

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

#[derive(Debug, thiserror::Error)]
#[error("journal {}: {fault}", path.display())]
pub struct JournalError {
    path: PathBuf,
    fault: JournalFault,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalFault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("another run of the match is using it; wait for its end")]
    Locked,
    #[error("it is not the journal of a match; name another file")]
    Foreign,
    #[error("it belongs to another match ({0}); name another file")]
    OtherMatch(String),
    #[error("line {0} is damaged; restore the file from a copy or start the match anew")]
    Damaged(usize),
    #[error("game {game} stands in line {first} and in line {second}; remove one of them")]
    Twice { game: u32, first: usize, second: usize },
}

/// A journal that is being written; locked as long as it lives.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    was_torn: bool,
}

impl Journal {
    /// Opens the journal of a match, or begins it. What has been played is
    /// given to `visit`, game by game.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, is damaged, or belongs to
    /// another match. Then nothing has been visited.
    pub fn open(
        path: &Path,
        header: &Header,
        visit: impl FnMut(GameRecord),
    ) -> Result<Journal, JournalError> {
        let fault = |fault| JournalError { path: path.into(), fault };
        let open = || {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            let mut file = open_regular(path, &options)?;
            lock(&file)?;
            let length = file.metadata()?.len();
            let start = format!("{MAGIC}{}", line_of(header)?);
            if is_torn_start(&file, &start)? {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(start.as_bytes())?;
                file.sync_all()?;
                sync_folder(path);
                return Ok((file, length > 0));
            }
            let (found, whole) = read(&file, |_| {})?;
            check_same(&found, header)?;
            file.seek(SeekFrom::Start(0))?;
            read(&file, visit)?;
            file.set_len(whole)?;
            file.seek(SeekFrom::Start(whole))?;
            Ok((file, whole < length))
        };
        let (file, was_torn) = open().map_err(fault)?;
        Ok(Journal { path: path.into(), file, was_torn })
    }

    /// Whether the end of an earlier run had torn the last line, which has been
    /// cut off.
    pub const fn was_torn(&self) -> bool {
        self.was_torn
    }

    /// Adds a game; it is on the disk when this returns.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), JournalError> {
        let fault = |fault| JournalError { path: self.path.clone(), fault };
        let line = line_of(record).map_err(|error| fault(error.into()))?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| fault(error.into()))
    }

    /// Reads a journal, perhaps of a match that is still going on.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn read(path: &Path, visit: impl FnMut(GameRecord)) -> Result<Header, JournalError> {
        let fault = |fault| JournalError { path: path.into(), fault };
        let file = open_regular(path, File::options().read(true));
        let file = file.map_err(|error| fault(error.into()))?;
        let (header, _) = read(&file, visit).map_err(fault)?;
        Ok(header)
    }

    /// The text of a journal with these games.
    ///
    /// # Errors
    /// When something in it cannot be written as JSON.
    pub fn text<'a>(
        header: &Header,
        records: impl Iterator<Item = &'a GameRecord>,
    ) -> io::Result<String> {
        let mut text = format!("{MAGIC}{}", line_of(header)?);
        for record in records {
            text.push_str(&line_of(record)?);
        }
        Ok(text)
    }
}

/// Names the first setting in which two plans differ; `None` if they are the
/// same.
pub fn difference(one: &Value, other: &Value) -> Option<String> {
    if one == other {
        return None;
    }
    let inner = |key: &str, one: &Value, other: &Value| {
        let rest = difference(one, other)?;
        let joint = if rest.starts_with('[') || rest.starts_with(": ") { "" } else { "." };
        Some(format!("{key}{joint}{rest}"))
    };
    match (one, other) {
        (Value::Object(one), Value::Object(other)) if one.len() == other.len() => {
            one.iter().find_map(|(key, value)| inner(key, value, other.get(key)?))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut items = one.iter().zip(other).enumerate();
            items.find_map(|(index, (one, other))| inner(&format!("[{index}]"), one, other))
        }
        _ => None,
    }
    .or_else(|| {
        Some(format!(": {} there, {} here", excerpt(&one.to_string()), excerpt(&other.to_string())))
    })
}

fn check_same(found: &Header, wanted: &Header) -> Result<(), JournalFault> {
    let as_value = |header: &Header| serde_json::to_value(header).map_err(io::Error::from);
    match difference(&as_value(found)?, &as_value(wanted)?) {
        None => Ok(()),
        Some(difference) => {
            let difference = difference.strip_prefix("match.").unwrap_or(&difference);
            Err(JournalFault::OtherMatch(difference.into()))
        }
    }
}

fn line_of(content: &impl Serialize) -> io::Result<String> {
    let json = serde_json::to_string(content)?;
    Ok(format!("{:08x} {json}\n", crate::util::crc32(json.as_bytes())))
}

/// Locks the file for this run. Right after another run was killed, a process
/// that it was just starting can still hold the lock for a moment.
fn lock(file: &File) -> Result<(), JournalFault> {
    const TRIES: u32 = 50;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(JournalFault::Locked)
}

/// Whether the file holds nothing, or a part of its start: the first write
/// was torn.
fn is_torn_start(mut file: &File, start: &str) -> io::Result<bool> {
    let length = file.metadata()?.len();
    if length >= start.len() as u64 {
        return Ok(false);
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(start.as_bytes().starts_with(&text))
}

/// Reads from the start of the file: the header, and the length without a torn
/// last line.
fn read(file: &File, mut visit: impl FnMut(GameRecord)) -> Result<(Header, u64), JournalFault> {
    let mut lines = Lines { reader: BufReader::new(file), line: Vec::new(), end: 0 };
    if lines.next()? != Some(MAGIC.trim_end().as_bytes()) {
        return Err(JournalFault::Foreign);
    }
    let header = lines.next()?.and_then(content).ok_or(JournalFault::Damaged(2))?;
    let mut numbers = HashMap::new();
    for number in 3.. {
        let Some(line) = lines.next()? else { break };
        let game = content::<GameRecord>(line).ok_or(JournalFault::Damaged(number))?;
        if let Some(first) = numbers.insert(game.number, number) {
            return Err(JournalFault::Twice { game: game.number + 1, first, second: number });
        }
        visit(game);
    }
    Ok((header, lines.end))
}

/// What a line says, if its checksum is right.
fn content<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let (sum, json) = line.split_at_checked(9)?;
    let sum = str::from_utf8(sum).ok()?.strip_suffix(' ')?;
    let is_right = u32::from_str_radix(sum, 16).ok()? == crate::util::crc32(json);
    serde_json::from_slice(json).ok().filter(|_| is_right)
}

/// The lines that have their ends.
struct Lines<'a> {
    reader: BufReader<&'a File>,
    line: Vec<u8>,
    /// Where the last line ended.
    end: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let count = (&mut self.reader).take(MAX_LINE).read_until(b'\n', &mut self.line)? as u64;
        let line = self.line.strip_suffix(b"\n").or((count == MAX_LINE).then_some(&self.line));
        self.end += line.map_or(0, |_| count);
        Ok(line.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

/// Makes the name of a new file as durable as its content, where the system
/// lets folders be flushed.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        assert!(open(&path).unwrap_err().contains("another run of the match is using it"));
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
