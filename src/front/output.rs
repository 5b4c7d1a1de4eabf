//! The writer: replies as lines of the language spoken, each sent at once, on
//! a thread of its own: a program that does not read for a while does not keep
//! the engine from hearing `stop` and `quit`. Only when more than
//! [`MOST_WAITING`] lines wait are commands left unread until some are taken.

use std::fs::File;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::board::excerpt;
use crate::protocol::{Dialect, Info, Reply};
use crate::util::open_output;

/// Lines that may wait to be read. Above that no line of a search is added,
/// and no command read.
const MOST_WAITING: usize = 1 << 16;
/// How long the end of the session waits for a reader who takes nothing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where replies go. Any error means that the output is closed.
pub struct Output {
    lines: Sender<String>,
    written: Arc<AtomicU64>,
    /// Ends when the output is closed.
    closed: Receiver<()>,
    pub dialect: Dialect,
    log: Option<Log>,
}

/// A copy of the conversation.
struct Log {
    name: String,
    file: File,
    /// Whether the user knows that lines are missing.
    has_failed: bool,
}

impl Output {
    /// # Errors
    /// When there is no thread to write on.
    pub fn new(stream: impl Write + Send + 'static) -> io::Result<Output> {
        let (lines, queue) = unbounded();
        let (open, closed) = bounded(0);
        let written = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&written);
        thread::Builder::new().spawn(move || {
            let _open: Sender<()> = open;
            write_lines(stream, &queue, &counter);
        })?;
        Ok(Output { lines, written, closed, dialect: Dialect::UCI, log: None })
    }

    pub fn reply(&mut self, reply: &Reply) -> io::Result<()> {
        if matches!(reply, Reply::Info(_)) && self.is_full() {
            return Ok(());
        }
        self.text(&reply.to_line(self.dialect))
    }

    pub fn message(&mut self, text: impl Into<String>) -> io::Result<()> {
        self.reply(&Reply::Info(Info::message(text)))
    }

    /// Writes lines that belong to no protocol.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.log_line('<', text)?;
        self.lines.send(format!("{text}\n")).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Whether nobody has read for long.
    pub fn is_full(&self) -> bool {
        self.lines.len() > MOST_WAITING
    }

    pub const fn closed(&self) -> &Receiver<()> {
        &self.closed
    }

    /// Waits until all is written, or the output closed, or nobody reads.
    pub fn finish(self) {
        let Output { lines, written, closed, .. } = self;
        drop(lines);
        let mut before = None;
        while before != Some(written.load(Relaxed)) {
            before = Some(written.load(Relaxed));
            if closed.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Disconnected) {
                break;
            }
        }
    }

    /// Appends the conversation to a file from now on; an empty name ends it.
    ///
    /// # Errors
    /// When the file cannot be written; the old one stays.
    pub fn log_to(&mut self, name: &str) -> io::Result<()> {
        self.log = match name {
            "" => None,
            name => {
                let file = open_output(name.as_ref(), false)?;
                Some(Log { name: name.to_owned(), file, has_failed: false })
            }
        };
        Ok(())
    }

    pub fn log_input(&mut self, line: &[u8]) -> io::Result<()> {
        if self.log.is_none() {
            return Ok(());
        }
        self.log_line('>', String::from_utf8_lossy(line).trim_end())
    }

    fn log_line(&mut self, direction: char, text: &str) -> io::Result<()> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let Err(error) = writeln!(log.file, "{direction} {text}") else { return Ok(()) };
        // a log on a full disk must not end the game
        if mem::replace(&mut log.has_failed, true) {
            return Ok(());
        }
        let name = excerpt(&log.name);
        self.message(format!("the log '{name}' cannot be written ({error}); it misses lines"))
    }
}

/// Writes lines as they come, until there are no more or the stream is closed.
fn write_lines(mut stream: impl Write, queue: &Receiver<String>, written: &AtomicU64) {
    for line in queue {
        if stream.write_all(line.as_bytes()).and_then(|()| stream.flush()).is_err() {
            break;
        }
        written.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Screen;
    use super::*;
    use crate::board::Move;
    use crate::protocol::BestMove;

    #[test]
    fn the_log_has_both_sides_of_the_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        let screen = Screen::default();
        let mut output = Output::new(screen.clone()).unwrap();
        output.reply(&Reply::UciOk).unwrap();
        output.log_to(&file.to_string_lossy()).unwrap();
        output.log_input(b"go \xff\r\n").unwrap();
        let best: Move = "h2e2".parse().unwrap();
        output.reply(&Reply::BestMove(BestMove::from(best))).unwrap();
        assert!(output.log_to("/no such folder/log").is_err());
        output.message("still there").unwrap();
        output.log_to("").unwrap();
        output.message("not noted").unwrap();
        output.finish();
        let noted = std::fs::read_to_string(file).unwrap();
        assert_eq!(noted, "> go \u{fffd}\n< bestmove h2e2\n< info string still there\n");
        assert!(screen.bytes().starts_with(b"uciok\nbestmove h2e2\n"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_log_that_cannot_be_written_is_told_once() {
        let screen = Screen::default();
        let mut output = Output::new(screen.clone()).unwrap();
        output.log_to("/dev/full").unwrap();
        output.log_input(b"isready").unwrap();
        output.reply(&Reply::ReadyOk).unwrap();
        output.finish();
        let text = String::from_utf8(screen.bytes()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let [remark, "readyok"] = lines[..] else { panic!("{text}") };
        assert!(remark.starts_with("info string the log '/dev/full' cannot be written"), "{text}");
    }

    #[test]
    fn what_nobody_reads_waits_and_lines_of_a_search_are_dropped() {
        let screen = Screen::default();
        screen.is_stuck().store(true, Relaxed);
        let mut output = Output::new(screen.clone()).unwrap();
        for _ in 0..2 * MOST_WAITING {
            output.message("depth 1").unwrap();
        }
        assert!(output.is_full());
        output.reply(&Reply::UciOk).unwrap();
        screen.is_stuck().store(false, Relaxed);
        output.finish();
        let text = String::from_utf8(screen.bytes()).unwrap();
        assert!(text.ends_with("uciok\n"));
        assert!((MOST_WAITING..MOST_WAITING + 9).contains(&text.lines().count()));
    }
}
