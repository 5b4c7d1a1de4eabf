//! Conversations in memory: scripts for both protocols, the console, and
//! garbage.

mod console;
mod garbage;
mod ranks;
mod ucci;
mod uci;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};
use parking_lot::{Condvar, Mutex};

use super::converse;
use crate::engine::Engine;

/// Far longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The reading end of a stream whose writing end is a channel.
struct Stream {
    chunks: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            // a closed channel is the end of the stream
            self.rest = self.chunks.recv().unwrap_or_default();
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// What was written so far, and whether nothing more can be.
#[derive(Clone, Default)]
pub(super) struct Screen(Arc<(Mutex<Vec<u8>>, Condvar, AtomicBool)>);

impl Screen {
    pub(super) fn is_stuck(&self) -> &AtomicBool {
        &self.0.2
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.0.lock().clone()
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while self.is_stuck().load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        self.0.0.lock().extend(bytes);
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A conversation with the engine.
struct Talk {
    input: Option<Sender<Vec<u8>>>,
    screen: Screen,
    /// Bytes of the screen that were read.
    read: usize,
    session: Option<JoinHandle<()>>,
}

impl Talk {
    /// A conversation in which nothing was said yet.
    fn new(person: bool) -> Talk {
        Talk::with(Engine::new().unwrap(), person)
    }

    /// The same with another engine.
    fn with(engine: Engine, person: bool) -> Talk {
        let (input, chunks) = unbounded();
        let screen = Screen::default();
        let output = screen.clone();
        let session = thread::spawn(move || {
            let input = Stream { chunks, rest: Vec::new() };
            converse(engine, input, output, person).unwrap();
        });
        Talk { input: Some(input), screen, read: 0, session: Some(session) }
    }

    /// A conversation opened with `ucci`, `uci` or `ucicyclone`.
    fn open(protocol: &str) -> Talk {
        Talk::new(false).opened(protocol)
    }

    fn opened(mut self, protocol: &str) -> Talk {
        let talk = &mut self;
        talk.say(protocol);
        talk.expect(if protocol == "ucci" { "ucciok" } else { "uciok" });
        self
    }

    fn say(&mut self, line: &str) {
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    fn say_bytes(&mut self, bytes: &[u8]) {
        self.input.as_ref().unwrap().send(bytes.to_vec()).unwrap();
    }

    /// The next line, if it comes in time.
    fn next_line(&mut self, within: Duration) -> Option<String> {
        let deadline = Instant::now() + within;
        let mut bytes = self.screen.0.0.lock();
        loop {
            if let Some(end) = bytes[self.read..].iter().position(|&byte| byte == b'\n') {
                let line = bytes[self.read..self.read + end].to_vec();
                self.read += end + 1;
                return Some(String::from_utf8(line).unwrap());
            }
            if self.screen.0.1.wait_until(&mut bytes, deadline).timed_out() {
                return None;
            }
        }
    }

    /// The lines up to the first that begins like this, which is the last.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.next_line(PATIENCE);
            let line = line.unwrap_or_else(|| panic!("no `{start}` after {lines:#?}"));
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// The next line that begins like this; lines before it are skipped.
    fn expect(&mut self, start: &str) -> String {
        self.until(start).pop().unwrap()
    }

    /// The move in the next `bestmove`.
    fn best_move(&mut self) -> String {
        self.expect("bestmove ").split(' ').nth(1).unwrap().to_owned()
    }

    /// Checks that whatever was said last has no answer, by asking for another
    /// one.
    fn expect_nothing(&mut self) {
        self.say("isready");
        assert_eq!(self.until("readyok"), ["readyok"]);
    }

    fn expect_silence(&mut self, time: Duration) {
        assert_eq!(self.next_line(time), None);
    }

    /// Ends the input and returns the lines up to the end.
    fn finish(mut self) -> Vec<String> {
        self.input = None;
        let deadline = Instant::now() + PATIENCE;
        while !self.session.as_ref().unwrap().is_finished() {
            assert!(Instant::now() < deadline, "the session does not end");
            thread::sleep(Duration::from_millis(1));
        }
        self.session.take().unwrap().join().unwrap();
        std::iter::from_fn(|| self.next_line(Duration::ZERO)).collect()
    }
}

/// The number behind a keyword of a line.
fn number(line: &str, keyword: &str) -> i64 {
    let mut words = line.split(' ').skip_while(|word| *word != keyword).skip(1);
    let number = words.next().and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no number after {keyword} in: {line}"))
}

#[test]
fn a_listener_who_is_gone_ends_the_session() {
    /// Takes a few bytes, then is closed.
    struct Closing(usize);
    impl Write for Closing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for (work, bytes) in [("uci\ngo infinite", 2500), ("go perft 20", 0), ("bench 60", 0)] {
        let (input, chunks) = unbounded();
        input.send(format!("{work}\n").into_bytes()).unwrap();
        let session = thread::spawn(move || {
            let input = Stream { chunks, rest: Vec::new() };
            converse(Engine::new().unwrap(), input, Closing(bytes), false).unwrap();
        });
        let deadline = Instant::now() + PATIENCE;
        while !session.is_finished() {
            assert!(Instant::now() < deadline, "{work}: it goes on talking");
            thread::sleep(Duration::from_millis(1));
        }
        drop(input);
    }
}

#[test]
fn the_end_is_obeyed_whatever_is_done() {
    for work in ["go perft 20", "bench 60", "go infinite"] {
        let mut talk = Talk::open("ucci");
        talk.say(work);
        talk.say("position startpos moves h2e2");
        talk.say("quit");
        talk.expect("bye");
        talk.finish();
        let mut talk = Talk::open("uci");
        talk.say(work);
        talk.finish();
    }
}

#[test]
fn the_end_is_obeyed_though_nobody_reads() {
    let end_with = |last| {
        let mut talk = Talk::open("uci");
        talk.screen.is_stuck().store(true, Relaxed);
        talk.say(&"d\nmoves\nuci\n".repeat(100));
        talk.say("go infinite");
        talk.say(last);
        talk.finish();
    };
    // each waits for its reader
    thread::scope(|scope| {
        for last in ["quit", ""] {
            scope.spawn(move || end_with(last));
        }
    });
}
