//! Both ends of a conversation with a process. Nothing here can block for
//! ever, whatever the process does.
//!
//! Where the system can wait for a pipe for a limited time (Unix), the thread
//! that plays a game reads and writes by itself: to wake another thread takes
//! longer than all else that is done for a move. Elsewhere, and for an engine
//! that talks while nobody listens, threads of their own do it.

use std::collections::VecDeque;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::super::system;

/// Longest line that is looked at, in bytes; of a longer one the rest is
/// passed over.
const LINE_LIMIT: usize = 1 << 16;
/// Bytes read at a time.
const BLOCK: usize = 1 << 14;
/// Events that wait to be heard. An engine that talks more than anybody
/// listens to loses what is beyond.
const BACKLOG: usize = 1024;
/// How often a wait looks whether the match has been stopped.
const GLANCE: Duration = Duration::from_millis(100);

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

/// When the output of a process is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// All the time.
    Always,
    /// While somebody waits for an event, where the system allows that.
    WhenAsked,
}

/// Gets each line of the output, without its end, with the time of its
/// arrival, and says what of it is an event.
pub type Digest<E> = Box<dyn FnMut(Instant, &[u8]) -> Option<E> + Send>;

/// The input of a process.
#[derive(Debug)]
pub enum Voice {
    /// The pipe, as long as it has room.
    Pipe(ChildStdin),
    /// A thread that waits until the process reads.
    Thread(Sender<Vec<u8>>),
}

impl Voice {
    /// Takes hold of the input of a process.
    pub fn new(input: ChildStdin) -> Voice {
        if system::set_impatient(&input, true) {
            return Voice::Pipe(input);
        }
        Voice::thread(input)
    }

    fn thread(mut input: ChildStdin) -> Voice {
        let (sender, texts) = unbounded::<Vec<u8>>();
        thread::spawn(move || texts.iter().try_for_each(|text| input.write_all(&text)));
        Voice::Thread(sender)
    }

    /// Sends a text behind all earlier ones without waiting for it to be read.
    /// `None` if the process reads no more.
    pub fn say(self, text: &[u8]) -> Option<Voice> {
        match self {
            Voice::Pipe(input) => write_to_pipe(input, text),
            Voice::Thread(texts) => texts.send(text.into()).is_ok().then_some(Voice::Thread(texts)),
        }
    }
}

/// Writes what the pipe has room for, and leaves the rest to a thread.
fn write_to_pipe(mut input: ChildStdin, mut text: &[u8]) -> Option<Voice> {
    while !text.is_empty() {
        match input.write(text) {
            Ok(count @ 1..) => text = &text[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let is_patient = system::set_impatient(&input, false);
                return is_patient.then(|| Voice::thread(input)).and_then(|voice| voice.say(text));
            }
            _ => return None,
        }
    }
    Some(Voice::Pipe(input))
}

/// The output of a process, as events.
pub enum Ear<E> {
    /// Reads when it is asked.
    Direct(DirectEar<E>),
    /// A thread reads all the time.
    Thread(Receiver<E>),
}

impl<E> fmt::Debug for Ear<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ear")
    }
}

impl<E: Send + 'static> Ear<E> {
    /// Takes hold of the output of a process.
    pub fn new(output: ChildStdout, attention: Attention, digest: Digest<E>) -> Ear<E> {
        let lines = Lines { output, block: vec![0; BLOCK], line: Vec::new() };
        match attention {
            Attention::WhenAsked if system::CAN_WAIT => Ear::Direct(DirectEar::new(lines, digest)),
            _ => Ear::thread(lines, digest),
        }
    }

    fn thread(mut lines: Lines, mut digest: Digest<E>) -> Ear<E> {
        let (sender, events) = bounded(BACKLOG);
        let mut take = move |arrival: Instant, line: &[u8]| {
            if let Some(event) = digest(arrival, line) {
                // more than anybody listens to is lost
                let _ = sender.try_send(event);
            }
        };
        thread::spawn(move || while lines.read(&mut take) {});
        Ear::Thread(events)
    }

    /// The next event; waits for it until `deadline` and while `stop` is not
    /// set.
    ///
    /// # Errors
    /// When there is none.
    pub fn hear(&mut self, deadline: Option<Instant>, stop: &AtomicBool) -> Result<E, Silence> {
        loop {
            let left = deadline.map_or(GLANCE, |end| end.saturating_duration_since(Instant::now()));
            let patience = left.min(GLANCE);
            let heard = match self {
                Ear::Direct(ear) => ear.hear(patience),
                Ear::Thread(events) => events.recv_timeout(patience),
            };
            match heard {
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
    pub fn overheard(&mut self) -> Option<E> {
        match self {
            Ear::Direct(ear) => ear.hear(Duration::ZERO).ok(),
            Ear::Thread(events) => events.try_recv().ok(),
        }
    }
}

/// Reads a pipe while it is asked.
pub struct DirectEar<E> {
    lines: Lines,
    digest: Digest<E>,
    heard: VecDeque<E>,
    is_closed: bool,
}

impl<E> DirectEar<E> {
    fn new(lines: Lines, digest: Digest<E>) -> DirectEar<E> {
        DirectEar { lines, digest, heard: VecDeque::new(), is_closed: false }
    }

    /// The next event, if it comes in time. What has been there before is
    /// looked through whatever the time.
    fn hear(&mut self, patience: Duration) -> Result<E, RecvTimeoutError> {
        /// More than a pipe holds: who writes more while it is read never
        /// stops writing.
        const MOST_READS: usize = 1 << 10;
        let begin = Instant::now();
        for _ in 0..MOST_READS {
            if let Some(event) = self.heard.pop_front() {
                return Ok(event);
            }
            if self.is_closed {
                return Err(RecvTimeoutError::Disconnected);
            }
            let left = patience.saturating_sub(begin.elapsed());
            if !system::is_ready(&self.lines.output, left) {
                break;
            }
            self.read();
        }
        Err(RecvTimeoutError::Timeout)
    }

    fn read(&mut self) {
        let DirectEar { lines, digest, heard, is_closed } = self;
        let goes_on = lines.read(&mut |arrival, line: &[u8]| {
            if let Some(event) = digest(arrival, line).filter(|_| heard.len() < BACKLOG) {
                heard.push_back(event);
            }
        });
        *is_closed = !goes_on;
    }
}

/// The lines of an output.
struct Lines {
    output: ChildStdout,
    block: Vec<u8>,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
}

impl Lines {
    /// Reads once, waiting for something to read, and gives away the lines
    /// that are whole by now. False if nothing will ever come any more.
    fn read(&mut self, take: &mut impl FnMut(Instant, &[u8])) -> bool {
        let count = match self.output.read(&mut self.block) {
            Ok(count) => count,
            Err(error) => return error.kind() == ErrorKind::Interrupted,
        };
        let arrival = Instant::now();
        for piece in self.block[..count].split_inclusive(|&byte| byte == b'\n') {
            let whole = piece.strip_suffix(b"\n");
            if let Some(text) = whole.filter(|_| self.line.is_empty()) {
                take(arrival, text);
                continue;
            }
            let part = whole.unwrap_or(piece);
            self.line.extend_from_slice(&part[..part.len().min(LINE_LIMIT - self.line.len())]);
            if whole.is_some() {
                take(arrival, &self.line);
                self.line.clear();
            }
        }
        count > 0
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
        let voice = Voice::new(input).say(&vec![b'x'; 1 << 20]).unwrap();
        assert!(matches!(voice, Voice::Thread(_)));
        assert!(voice.say(b"more\n").is_some() && begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn everything_arrives_in_order() {
        for (attention, count) in [(Attention::Always, 900), (Attention::WhenAsked, 9_000)] {
            let (_program, input, output) = Program::start("cat", None);
            let digest = |_, line: &[u8]| Some(String::from_utf8_lossy(line).into_owned());
            let mut ear = Ear::new(output, attention, Box::new(digest));
            let lines: Vec<String> = (0..count).map(|n| format!("{n:40}")).collect();
            let mut voice = Voice::new(input);
            for line in &lines {
                voice = voice.say(format!("{line}\n").as_bytes()).unwrap();
            }
            for line in &lines {
                assert_eq!(ear.hear(soon(), &GO_ON).as_ref(), Ok(line));
            }
            assert_eq!(ear.overheard(), None);
            drop(voice);
            assert_eq!(ear.hear(soon(), &GO_ON), Err(Silence::Closed));
        }
    }

    #[test]
    fn who_never_stops_talking_is_not_waited_for() {
        for attention in [Attention::Always, Attention::WhenAsked] {
            let (_program, _input, output) = Program::start("yes", None);
            let mut ear: Ear<()> = Ear::new(output, attention, Box::new(|_, _: &[u8]| None));
            let begin = Instant::now();
            let deadline = begin + Duration::from_millis(50);
            assert_eq!(ear.hear(Some(deadline), &GO_ON), Err(Silence::Timeout));
            assert_eq!(ear.overheard(), None);
            let stopped = ear.hear(None, &AtomicBool::new(true));
            assert_eq!(stopped, Err(Silence::Stopped));
            assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        }
    }
}
