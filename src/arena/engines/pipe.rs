//! Both ends of a conversation with a process. Nothing here can block for
//! ever, whatever the process does.
//!
//! Where the system can wait for a pipe for a limited time (Unix), the thread
//! that plays a game reads and writes by itself: to wake another thread takes
//! longer than all else that is done for a move. Elsewhere, and for an engine
//! that talks while nobody listens, threads of their own do it.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::system;

/// Longest line that is looked at, in bytes; of a longer one the rest is
/// passed over.
const LINE_LIMIT: usize = 1 << 16;
/// Bytes read at a time.
const BLOCK: usize = 1 << 14;
/// Events that wait to be taken. An engine that says more than anybody listens
/// to loses what is beyond.
const BACKLOG: usize = 1024;
/// Reads before a wait gives up: more than a pipe holds, since whoever writes
/// more while it is read never stops writing.
const MOST_READS: usize = 1 << 10;
/// How often a wait looks whether the match has been stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEvent {
    Timeout,
    /// The process has closed its output, most likely by ending.
    Closed,
    Stopped,
}

/// When the output of a process is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    Always,
    /// While somebody waits for an event, where the system allows that.
    WhenAsked,
}

/// Gets each line of the output, without its end, with the time of its
/// arrival, and returns the event that it is, if it is one.
pub type ParseLine<E> = Box<dyn FnMut(Instant, &[u8]) -> Option<E> + Send>;

#[derive(Debug)]
pub enum LineWriter {
    /// The pipe, as long as it has room.
    Pipe(ChildStdin),
    /// A thread that waits until the process reads.
    Thread(Sender<Vec<u8>>),
}

impl LineWriter {
    /// `None` if nothing can be written.
    pub fn new(input: ChildStdin) -> Option<LineWriter> {
        match system::set_nonblocking(&input, true) {
            true => Some(LineWriter::Pipe(input)),
            false => LineWriter::thread(input),
        }
    }

    fn thread(mut input: ChildStdin) -> Option<LineWriter> {
        let (sender, texts) = unbounded::<Vec<u8>>();
        let write = move || texts.iter().try_for_each(|text| input.write_all(&text));
        thread::Builder::new().spawn(write).ok()?;
        Some(LineWriter::Thread(sender))
    }

    /// Sends a text behind all earlier ones without waiting for it to be read.
    /// `None` if the process reads no more.
    pub fn write(self, text: &[u8]) -> Option<LineWriter> {
        match self {
            LineWriter::Pipe(input) => write_to_pipe(input, text),
            LineWriter::Thread(texts) => {
                texts.send(text.into()).is_ok().then_some(LineWriter::Thread(texts))
            }
        }
    }
}

/// Writes what the pipe has room for, and leaves the rest to a thread.
fn write_to_pipe(mut input: ChildStdin, mut text: &[u8]) -> Option<LineWriter> {
    while !text.is_empty() {
        match input.write(text) {
            Ok(count @ 1..) => text = &text[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let waits = system::set_nonblocking(&input, false);
                return waits.then(|| LineWriter::thread(input))??.write(text);
            }
            _ => return None,
        }
    }
    Some(LineWriter::Pipe(input))
}

pub enum EventReader<E> {
    /// The pipe, read by whoever waits.
    Pipe(LineReader<E>),
    /// A thread that reads all the time.
    Thread(Receiver<E>),
}

impl<E: Send + 'static> EventReader<E> {
    /// # Errors
    /// When it takes a thread and there is none.
    pub fn new(
        output: ChildStdout,
        mode: ReadMode,
        parse: ParseLine<E>,
    ) -> io::Result<EventReader<E>> {
        let mut reader = LineReader::new(output, parse);
        if mode == ReadMode::WhenAsked && system::CAN_WAIT {
            return Ok(EventReader::Pipe(reader));
        }
        let (sender, events) = bounded(BACKLOG);
        thread::Builder::new().spawn(move || {
            while !reader.is_closed {
                if let Ok(event) = reader.next(Duration::from_secs(3600)) {
                    // more than anybody listens to is lost
                    let _ = sender.try_send(event);
                }
            }
        })?;
        Ok(EventReader::Thread(events))
    }

    /// The next event; waits for it until `deadline` and while `stop` is not
    /// set.
    ///
    /// # Errors
    /// When there is none.
    pub fn next(&mut self, deadline: Option<Instant>, stop: &AtomicBool) -> Result<E, NoEvent> {
        loop {
            let left =
                deadline.map_or(POLL_INTERVAL, |end| end.saturating_duration_since(Instant::now()));
            let patience = left.min(POLL_INTERVAL);
            let event = match self {
                EventReader::Pipe(reader) => reader.next(patience),
                EventReader::Thread(events) => events.recv_timeout(patience),
            };
            match event {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Disconnected) => return Err(NoEvent::Closed),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(NoEvent::Timeout),
                Err(RecvTimeoutError::Timeout) if stop.load(Relaxed) => {
                    return Err(NoEvent::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// An event that has been there already.
    pub fn try_next(&mut self) -> Option<E> {
        match self {
            EventReader::Pipe(reader) => reader.next(Duration::ZERO).ok(),
            EventReader::Thread(events) => events.try_recv().ok(),
        }
    }
}

pub struct LineReader<E> {
    output: ChildStdout,
    parse: ParseLine<E>,
    block: Vec<u8>,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    events: VecDeque<E>,
    is_closed: bool,
}

impl<E> LineReader<E> {
    fn new(output: ChildStdout, parse: ParseLine<E>) -> LineReader<E> {
        let (block, line, events) = (vec![0; BLOCK], Vec::new(), VecDeque::new());
        LineReader { output, parse, block, line, events, is_closed: false }
    }

    /// The next event, if it comes in time. What has been there before is
    /// looked through whatever the time.
    fn next(&mut self, patience: Duration) -> Result<E, RecvTimeoutError> {
        let begin = Instant::now();
        for _ in 0..MOST_READS {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            if self.is_closed {
                return Err(RecvTimeoutError::Disconnected);
            }
            if !system::is_ready(&self.output, patience.saturating_sub(begin.elapsed())) {
                break;
            }
            self.read();
        }
        Err(RecvTimeoutError::Timeout)
    }

    /// Reads once, waiting for something to read, and takes the lines that are
    /// whole by now.
    fn read(&mut self) {
        let count = match self.output.read(&mut self.block) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => return,
            Err(_) => 0,
        };
        self.is_closed = count == 0;
        let arrival = Instant::now();
        let LineReader { block, line, parse, events, .. } = self;
        let mut take = |line: &[u8]| {
            events.extend(parse(arrival, line).filter(|_| events.len() < BACKLOG));
        };
        for piece in block[..count].split_inclusive(|&byte| byte == b'\n') {
            let whole = piece.strip_suffix(b"\n");
            if let Some(text) = whole.filter(|_| line.is_empty()) {
                take(text);
                continue;
            }
            let part = whole.unwrap_or(piece);
            line.extend_from_slice(&part[..part.len().min(LINE_LIMIT - line.len())]);
            if whole.is_some() {
                take(line);
                line.clear();
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A program that has nothing to do with games, killed at the end.
    struct Program(Child);

    impl Program {
        fn start(name: &str, argument: Option<&str>) -> (Program, ChildStdin, ChildStdout) {
            let mut command = Command::new(name);
            command.args(argument).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
            (Program(child), input, output)
        }
    }

    impl Drop for Program {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(10))
    }

    static GO_ON: AtomicBool = AtomicBool::new(false);

    #[test]
    fn who_does_not_read_blocks_nobody() {
        let (_program, input, _output) = Program::start("sleep", Some("60"));
        let begin = Instant::now();
        let writer = LineWriter::new(input).unwrap().write(&vec![b'x'; 1 << 20]).unwrap();
        assert!(matches!(writer, LineWriter::Thread(_)));
        assert!(writer.write(b"more\n").is_some() && begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn everything_arrives_in_order() {
        for (mode, count) in [(ReadMode::Always, 900), (ReadMode::WhenAsked, 9_000)] {
            let (_program, input, output) = Program::start("cat", None);
            let parse = |_, line: &[u8]| Some(String::from_utf8_lossy(line).into_owned());
            let mut reader = EventReader::new(output, mode, Box::new(parse)).unwrap();
            let lines: Vec<String> = (0..count).map(|n| format!("{n:40}")).collect();
            let mut writer = LineWriter::new(input).unwrap();
            for line in &lines {
                writer = writer.write(format!("{line}\n").as_bytes()).unwrap();
            }
            for line in &lines {
                assert_eq!(reader.next(soon(), &GO_ON).as_ref(), Ok(line));
            }
            assert_eq!(reader.try_next(), None);
            drop(writer);
            assert_eq!(reader.next(soon(), &GO_ON), Err(NoEvent::Closed));
        }
    }

    #[test]
    fn who_never_stops_talking_is_not_waited_for() {
        for mode in [ReadMode::Always, ReadMode::WhenAsked] {
            let (_program, _input, output) = Program::start("yes", None);
            let parse = |_: Instant, _: &[u8]| None::<()>;
            let mut reader = EventReader::new(output, mode, Box::new(parse)).unwrap();
            let begin = Instant::now();
            let deadline = begin + Duration::from_millis(50);
            assert_eq!(reader.next(Some(deadline), &GO_ON), Err(NoEvent::Timeout));
            assert_eq!(reader.try_next(), None);
            let stopped = reader.next(None, &AtomicBool::new(true));
            assert_eq!(stopped, Err(NoEvent::Stopped));
            assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        }
    }
}
