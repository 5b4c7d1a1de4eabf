//! Journals: what a long run has found so far, safe against any end.
//!
//! A text file. The first line is the magic and the version. Every other line is
//! a checksum (CRC-32 of the rest without its line end, 8 hexadecimal digits), a
//! blank, and a line of JSON. The first of them is the header, which says what
//! the run is; each further one is a record. `cut -c10-` gives plain JSON lines.
//! Records are appended and flushed to the disk as they are found. A last line
//! without its line end is what a crash leaves, and is cut off. Anything else
//! that is not as it was written is an error, which leaves the file alone; only
//! line ends may have become `\r\n`, for the checksum shows that the lines
//! themselves are whole.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::board::excerpt;
use crate::util::{ReadError, open_regular};

/// Far more than the longest record takes; nothing longer is read.
const MAX_LINE: u64 = 1 << 26;

/// What a journal keeps.
pub trait Record: Serialize + DeserializeOwned {
    /// What the records belong to.
    type Header: Serialize + DeserializeOwned;
    /// The first line of the file: magic and version.
    const MAGIC: &'static str;
    /// What all records together are, for messages.
    const WHOLE: &'static str;
    /// What a record is, for messages.
    const PART: &'static str;

    /// Its place in the whole, from 0; no two records share it.
    fn number(&self) -> u32;
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
    #[error("another run is using it; wait for its end")]
    Locked,
    #[error("it is a journal of another kind, or none; name another file")]
    Foreign,
    #[error("it belongs to another {whole} ({difference}); name another file")]
    Other { whole: &'static str, difference: String },
    #[error(
        "line {0} is damaged; restore the file from a copy, or remove the line and run again what it holds"
    )]
    Damaged(usize),
    #[error("{part} {number} stands in line {first} and in line {second}; remove one of them")]
    Twice { part: &'static str, number: u32, first: usize, second: usize },
}

/// A journal that is being written; locked as long as it lives.
#[derive(Debug)]
pub struct Journal<R> {
    path: PathBuf,
    file: File,
    was_torn: bool,
    records: PhantomData<R>,
}

impl<R: Record> Journal<R> {
    /// Opens the journal of a run, or begins it. The records in it are given to
    /// `visit`, one by one.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, is damaged, or has another
    /// header. Then nothing has been visited.
    pub fn open(
        path: &Path,
        header: &R::Header,
        visit: impl FnMut(R),
    ) -> Result<Journal<R>, JournalError> {
        let fault = |fault| JournalError { path: path.into(), fault };
        let open = || {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            let mut file = open_regular(path, &options)?;
            lock(&file)?;
            let length = file.metadata()?.len();
            let start = format!("{}{}", R::MAGIC, line_of(header)?);
            if is_torn_start(&file, &start)? {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(start.as_bytes())?;
                file.sync_all()?;
                sync_folder(path);
                return Ok((file, length > 0));
            }
            let (found, _) = read_header::<R>(&file)?;
            check_same::<R>(&found, header)?;
            file.seek(SeekFrom::Start(0))?;
            let (_, whole) = read(&file, |_: R| {})?;
            file.seek(SeekFrom::Start(0))?;
            read(&file, visit)?;
            file.set_len(whole)?;
            file.seek(SeekFrom::Start(whole))?;
            Ok((file, whole < length))
        };
        let (file, was_torn) = open().map_err(fault)?;
        Ok(Journal { path: path.into(), file, was_torn, records: PhantomData })
    }

    /// Whether the end of an earlier run had torn the last line, which has been
    /// cut off.
    pub const fn was_torn(&self) -> bool {
        self.was_torn
    }

    /// Adds a record; it is on the disk when this returns.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub fn append(&mut self, record: &R) -> Result<(), JournalError> {
        let fault = |fault| JournalError { path: self.path.clone(), fault };
        let line = line_of(record).map_err(|error| fault(error.into()))?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| fault(error.into()))
    }

    /// Reads a journal, perhaps of a run that is still going on.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn read(path: &Path, visit: impl FnMut(R)) -> Result<R::Header, JournalError> {
        let fault = |fault| JournalError { path: path.into(), fault };
        let file = open_regular(path, File::options().read(true));
        let file = file.map_err(|error| fault(error.into()))?;
        let (header, _) = read(&file, visit).map_err(fault)?;
        Ok(header)
    }

    /// The text of a journal with these records.
    ///
    /// # Errors
    /// When something in it cannot be written as JSON.
    pub fn text<'a>(header: &R::Header, records: impl Iterator<Item = &'a R>) -> io::Result<String>
    where
        R: 'a,
    {
        let mut text = format!("{}{}", R::MAGIC, line_of(header)?);
        for record in records {
            text.push_str(&line_of(record)?);
        }
        Ok(text)
    }
}

/// Names the first setting in which two plans differ; `None` if they are the
/// same.
pub fn plan_difference(one: &Value, other: &Value) -> Option<String> {
    if one == other {
        return None;
    }
    let inner = |key: &str, one: &Value, other: &Value| {
        let rest = plan_difference(one, other)?;
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
        (Value::Array(one), Value::Array(other)) => {
            Some(format!(": {} of them there, {} here", one.len(), other.len()))
        }
        _ => None,
    }
    .or_else(|| {
        Some(format!(": {} there, {} here", excerpt(&one.to_string()), excerpt(&other.to_string())))
    })
}

fn check_same<R: Record>(found: &R::Header, wanted: &R::Header) -> Result<(), JournalFault> {
    let as_value = |header: &R::Header| serde_json::to_value(header).map_err(io::Error::from);
    let Some(difference) = plan_difference(&as_value(found)?, &as_value(wanted)?) else {
        return Ok(());
    };
    let whole = R::WHOLE;
    // the header may call its main part by the same name
    let inner = difference.strip_prefix(whole).and_then(|rest| rest.strip_prefix('.'));
    Err(JournalFault::Other { whole, difference: inner.unwrap_or(&difference).into() })
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
fn read<R: Record>(
    file: &File,
    mut visit: impl FnMut(R),
) -> Result<(R::Header, u64), JournalFault> {
    let (header, mut lines) = read_header::<R>(file)?;
    let mut numbers = HashMap::new();
    for number in 3.. {
        let Some(line) = lines.next()? else { break };
        let record = journal_line::<R>(line).ok_or(JournalFault::Damaged(number))?;
        if let Some(first) = numbers.insert(record.number(), number) {
            let (part, place) = (R::PART, record.number() + 1);
            return Err(JournalFault::Twice { part, number: place, first, second: number });
        }
        visit(record);
    }
    Ok((header, lines.end))
}

/// What the journal is about, and the lines that follow.
fn read_header<R: Record>(file: &File) -> Result<(R::Header, Lines<'_>), JournalFault> {
    let mut lines = Lines { reader: BufReader::new(file), line: Vec::new(), end: 0 };
    if lines.next()? != Some(R::MAGIC.trim_end().as_bytes()) {
        return Err(JournalFault::Foreign);
    }
    let header = lines.next()?.and_then(journal_line).ok_or(JournalFault::Damaged(2))?;
    Ok((header, lines))
}

/// What a line says, if its checksum is right.
pub(crate) fn journal_line<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
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
