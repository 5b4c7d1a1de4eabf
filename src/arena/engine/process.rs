//! A process and its pipes. Nothing here can block for ever, whatever the
//! process does.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use parking_lot::Mutex;

/// Longest line that is looked at, in bytes; of a longer one the rest is
/// passed over.
const LINE_LIMIT: usize = 1 << 16;
/// Events that wait to be heard. An engine that talks more than anybody
/// listens to loses what is beyond.
const BACKLOG: usize = 1024;
/// How often a wait looks whether the match has been stopped.
const GLANCE: Duration = Duration::from_millis(100);
/// How much of the standard error is kept, in bytes.
const LAST_WORDS: usize = 200;

/// A running process that is spoken to in lines. It is killed when dropped.
#[derive(Debug)]
pub struct Process<E> {
    child: Child,
    orders: Option<Sender<String>>,
    events: Receiver<E>,
    errors: Arc<Mutex<Vec<u8>>>,
}

/// Why nothing was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The time was over.
    Timeout,
    /// The process has closed its output, most likely by ending.
    Closed,
    /// The match has been stopped.
    Stopped,
}

impl<E: Send + 'static> Process<E> {
    /// Starts a program. `digest` gets each line of its output, without the
    /// line end, with the time of its arrival, and says what of it is an
    /// event. It works on a thread of its own.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(
        mut command: Command,
        digest: impl FnMut(Instant, &[u8]) -> Option<E> + Send + 'static,
    ) -> io::Result<Process<E>> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        detach(&mut command);
        let mut child = command.spawn()?;
        let (orders, lines) = unbounded();
        let (sender, events) = bounded(BACKLOG);
        let errors = Arc::new(Mutex::new(Vec::new()));
        if let Some(input) = child.stdin.take() {
            thread::spawn(move || write_lines(input, &lines));
        }
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read_lines(output, &sender, digest));
        }
        if let Some(mut output) = child.stderr.take() {
            let errors = errors.clone();
            thread::spawn(move || keep_last_words(&mut output, &errors));
        }
        Ok(Process { child, orders: Some(orders), events, errors })
    }

    /// Sends lines, in order, without waiting for them to be read.
    pub fn say(&self, lines: String) {
        if let Some(orders) = &self.orders {
            // if the writer has ended the process has too, which will be heard
            let _ = orders.send(lines);
        }
    }

    /// The next event; waits for it until `deadline` and while `stop` is not
    /// set.
    ///
    /// # Errors
    /// When there is none.
    pub fn hear(&self, deadline: Option<Instant>, stop: &AtomicBool) -> Result<E, Silence> {
        loop {
            let left = deadline.map_or(GLANCE, |end| end.saturating_duration_since(Instant::now()));
            match self.events.recv_timeout(left.min(GLANCE)) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Closed),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Silence::Timeout),
                Err(RecvTimeoutError::Timeout) if stop.load(Relaxed) => {
                    return Err(Silence::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// An event that has been there already.
    pub fn overheard(&self) -> Option<E> {
        self.events.try_recv().ok()
    }

    /// Whether the process has not ended.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the process to end by itself; `None` if it has not in time.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }

    /// Closes its input, gives it some time to end by itself and kills it
    /// after that. Returns how it ended, `None` if it had to be killed.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.orders = None;
        let status = self.wait(patience);
        self.kill();
        status
    }

    /// Kills it at once, if it is still running.
    pub fn kill(&mut self) {
        // both fail only if it has ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The end of what it wrote to the standard error, in printable text.
    pub fn last_words(&self) -> String {
        let bytes = self.errors.lock();
        let text = String::from_utf8_lossy(&bytes);
        let printable: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        printable.trim().into()
    }
}

impl<E> Drop for Process<E> {
    fn drop(&mut self) {
        // both fail only if it has ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps an interrupt at the terminal, which is meant for the match, from
/// ending its engines in the middle of their games.
#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// As on other systems; a window of its own is not wanted either.
#[cfg(windows)]
fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
}

#[cfg(not(any(unix, windows)))]
fn detach(_command: &mut Command) {}

fn write_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    for text in lines {
        if input.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

fn read_lines<E>(
    output: ChildStdout,
    events: &Sender<E>,
    mut digest: impl FnMut(Instant, &[u8]) -> Option<E>,
) {
    let mut output = BufReader::with_capacity(1 << 14, output);
    let mut line = Vec::new();
    loop {
        let Ok(bytes) = output.fill_buf() else { return };
        if bytes.is_empty() {
            return;
        }
        let arrival = Instant::now();
        let count = bytes.len();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let text = piece.strip_suffix(b"\n");
            let part = text.unwrap_or(piece);
            line.extend_from_slice(&part[..part.len().min(LINE_LIMIT - line.len())]);
            if text.is_some() {
                if let Some(event) = digest(arrival, &line) {
                    // more than anybody listens to is lost
                    let _ = events.try_send(event);
                }
                line.clear();
            }
        }
        output.consume(count);
    }
}

fn keep_last_words(output: &mut impl Read, kept: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = output.read(&mut bytes) {
        let mut kept = kept.lock();
        kept.extend_from_slice(&bytes[..count]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
}
