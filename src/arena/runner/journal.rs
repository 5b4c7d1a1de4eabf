//! The journal of a match: what has been played, safe against any end.
//!
//! A text file. The first line is `hanxin-match 1`: magic and version. Every
//! other line is a checksum (CRC-32 of the rest without its line end, 8
//! hexadecimal digits), a blank, and a line of JSON. The first of them is the
//! [`Header`], each further one a [`GameRecord`]; `cut -c10-` gives plain JSON
//! lines. Records are appended and flushed to the disk as games finish. A torn
//! last line is what a crash leaves, and is cut off; damage anywhere else is
//! an error.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shard::Shard;
use crate::arena::game::GameRecord;
use crate::protocol::excerpt;

const MAGIC: &str = "hanxin-match 1\n";

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
    #[error("another run of the match is using it; wait for its end")]
    Locked,
    #[error("it is not the journal of a match; name another file")]
    Foreign,
    #[error("it belongs to another match ({0}); name another file")]
    OtherMatch(String),
    #[error("line {0} is damaged; restore the file from a copy or start the match anew")]
    Damaged(usize),
}

/// A journal that is being written; locked as long as it lives.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of a match, or begins it. What has been played is
    /// given to `visit`, game by game.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, is damaged, or belongs to
    /// another match.
    pub fn open(
        path: &Path,
        header: &Header,
        visit: impl FnMut(GameRecord),
    ) -> Result<Journal, JournalError> {
        let fault = |fault| JournalError { path: path.into(), fault };
        let open = || {
            let mut options = OpenOptions::new();
            let mut file =
                options.read(true).write(true).create(true).truncate(false).open(path)?;
            lock(&file)?;
            let start = format!("{MAGIC}{}", line_of(header)?);
            if is_torn_start(&file, &start)? {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(start.as_bytes())?;
                file.sync_all()?;
                sync_folder(path);
                return Ok(file);
            }
            let (found, length) = read(&file, visit)?;
            check_same(&found, header)?;
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))?;
            Ok(file)
        };
        Ok(Journal { path: path.into(), file: open().map_err(fault)? })
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
        let file = File::open(path).map_err(|error| fault(error.into()))?;
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
    io::Read::read_to_end(&mut file, &mut text)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(start.as_bytes().starts_with(&text))
}

/// Reads from the start of the file: the header, and up to where it is whole.
fn read(file: &File, mut visit: impl FnMut(GameRecord)) -> Result<(Header, u64), JournalFault> {
    let mut lines = Lines { reader: BufReader::new(file), bytes: Vec::new() };
    if lines.next()? != Some(MAGIC.as_bytes()) {
        return Err(JournalFault::Foreign);
    }
    let mut length = MAGIC.len() as u64;
    let mut header = None;
    let mut damaged = None;
    for number in 2.. {
        let Some(line) = lines.next()? else { break };
        let count = line.len() as u64;
        let Some(json) = content(line) else {
            damaged = damaged.or(Some(number));
            continue;
        };
        if let Some(number) = damaged {
            return Err(JournalFault::Damaged(number));
        }
        let broken = |_| JournalFault::Damaged(number);
        if header.is_none() {
            header = Some(serde_json::from_slice(json).map_err(broken)?);
        } else {
            visit(serde_json::from_slice(json).map_err(broken)?);
        }
        length += count;
    }
    Ok((header.ok_or(JournalFault::Damaged(2))?, length))
}

/// The JSON of a line whose checksum is right and whose end is there.
fn content(line: &[u8]) -> Option<&[u8]> {
    let (sum, json) = line.strip_suffix(b"\n")?.split_at_checked(9)?;
    let sum = str::from_utf8(sum).ok()?.strip_suffix(' ')?;
    (u32::from_str_radix(sum, 16).ok()? == crate::util::crc32(json)).then_some(json)
}

struct Lines<'a> {
    reader: BufReader<&'a File>,
    bytes: Vec<u8>,
}

impl Lines<'_> {
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.bytes.clear();
        let count = self.reader.read_until(b'\n', &mut self.bytes)?;
        Ok((count > 0).then_some(&self.bytes[..]))
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

    #[test]
    fn damage_inside_is_not_cut_off() {
        let (_folder, path) = folder();
        let text = Journal::text(&header(), [numbered(0), numbered(1)].iter()).unwrap();
        fs::write(&path, text.replacen("h9g7", "h9g8", 1)).unwrap();
        assert!(open(&path).unwrap_err().contains("line 3 is damaged"));
        let mut numbers = Vec::new();
        fs::write(&path, text).unwrap();
        assert_eq!(Journal::read(&path, |record| numbers.push(record.number)).unwrap(), header());
        assert_eq!(numbers, [0, 1]);
    }
}
