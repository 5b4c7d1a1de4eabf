//! A process: started, spoken to, ended.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use parking_lot::Mutex;

use super::pipe::{EventReader, LineWriter, NoEvent, ParseLine, ReadMode};
use super::system;

/// How much of the standard error is kept, in bytes.
const ERROR_TAIL: usize = 200;
/// How often a wait looks whether the process still runs.
const ALIVE_INTERVAL: Duration = Duration::from_millis(500);

/// A running process that is spoken to in lines. It is killed when dropped.
pub struct Process<E> {
    child: Child,
    writer: Option<LineWriter>,
    reader: EventReader<E>,
    errors: Arc<Mutex<Vec<u8>>>,
    /// Reads the standard error until that is closed.
    error_reader: Option<JoinHandle<()>>,
}

impl<E: Send + 'static> Process<E> {
    /// Starts a program, on this core alone if there is one. `parse` gets
    /// each line of its output.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(
        mut command: Command,
        core: Option<CoreId>,
        mode: ReadMode,
        parse: ParseLine<E>,
    ) -> io::Result<Process<E>> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        system::detach(&mut command);
        let mut child = spawn(command, core)?;
        let errors = Arc::new(Mutex::new(Vec::new()));
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let listen = || {
            let error_reader = stderr.map(|mut output| {
                let errors = errors.clone();
                thread::Builder::new().spawn(move || keep_tail(&mut output, &errors))
            });
            let output = stdout.ok_or_else(|| io::Error::other("it has no output"))?;
            Ok((error_reader.transpose()?, EventReader::new(output, mode, parse)?))
        };
        let (error_reader, reader) = listen().inspect_err(|_: &io::Error| kill(&mut child))?;
        let writer = stdin.and_then(LineWriter::new);
        Ok(Process { child, writer, reader, errors, error_reader })
    }

    /// Sends lines, in order, without waiting for them to be read. If the
    /// process has ended this does nothing; that will be noticed by reading.
    pub fn write(&mut self, lines: &str) {
        self.writer = self.writer.take().and_then(|writer| writer.write(lines.as_bytes()));
    }

    /// The next event; waits for it until `deadline` and while `stop` is not
    /// set. A process that has ended says no more, even if others that it has
    /// started hold its output.
    ///
    /// # Errors
    /// When there is none.
    pub fn next(&mut self, deadline: Option<Instant>, stop: &AtomicBool) -> Result<E, NoEvent> {
        loop {
            let look = Instant::now() + ALIVE_INTERVAL;
            let end = deadline.filter(|&deadline| deadline <= look);
            match self.reader.next(Some(end.unwrap_or(look)), stop) {
                Err(NoEvent::Timeout) if system::has_ended(&mut self.child) => {
                    return self.try_next().ok_or(NoEvent::Closed);
                }
                Err(NoEvent::Timeout) if end.is_none() => {}
                next => return next,
            }
        }
    }

    pub fn try_next(&mut self) -> Option<E> {
        self.reader.try_next()
    }

    pub fn is_alive(&mut self) -> bool {
        !system::has_ended(&mut self.child)
    }

    /// Waits for the process to end by itself; `None` if it has not in time.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        while !system::has_ended(&mut self.child) {
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
        system::kill_group(&self.child);
        self.child.wait().ok()
    }

    /// Closes its input, gives it some time to end by itself and kills it
    /// after that. Returns how it ended, `None` if it had to be killed.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.writer = None;
        let status = self.wait(patience);
        self.kill();
        status
    }

    pub fn kill(&mut self) {
        kill(&mut self.child);
    }

    /// How it ended, in words, with its last ones; for a process that says no more.
    pub fn post_mortem(&mut self, patience: Duration) -> String {
        let end = match self.wait(patience) {
            None => "it closed its output".into(),
            Some(status) => format!("its process ended ({status})"),
        };
        match self.error_tail() {
            words if words.is_empty() => end,
            words => format!("{end}: {words}"),
        }
    }

    /// The end of what it wrote to the standard error, in printable text; waits
    /// a little for what is on its way.
    pub fn error_tail(&self) -> String {
        let deadline = Instant::now() + Duration::from_millis(100);
        let is_coming = || self.error_reader.as_ref().is_some_and(|reader| !reader.is_finished());
        while is_coming() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        let bytes = self.errors.lock();
        let text = String::from_utf8_lossy(&bytes);
        let printable: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        printable.trim().into()
    }
}

impl<E> Drop for Process<E> {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// Starts a program in a thread that may only use this core: the process
/// inherits that, and nothing else does.
fn spawn(mut command: Command, core: Option<CoreId>) -> io::Result<Child> {
    let Some(core) = core else {
        return command.spawn();
    };
    let start = move || {
        core_affinity::set_for_current(core);
        command.spawn()
    };
    let started = thread::Builder::new().spawn(start)?.join();
    started.unwrap_or_else(|_| Err(io::Error::other("the thread that starts it has ended")))
}

/// Kills a process, and with it what it has started: the engine may be behind
/// a script.
fn kill(child: &mut Child) {
    system::kill_group(child);
    // both fail only if it has ended already
    let _ = child.kill();
    let _ = child.wait();
}

fn keep_tail(output: &mut impl Read, kept: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = output.read(&mut bytes) {
        let mut kept = kept.lock();
        kept.extend_from_slice(&bytes[..count]);
        let surplus = kept.len().saturating_sub(ERROR_TAIL);
        kept.drain(..surplus);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_leaves_behind_neither_speaks_for_it_nor_stays() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & echo started; exit 9"]);
        let parse: ParseLine<Vec<u8>> = Box::new(|_, line| Some(line.to_vec()));
        let mut process = Process::start(command, None, ReadMode::WhenAsked, parse).unwrap();
        let stop = AtomicBool::new(false);
        let patience = || Some(Instant::now() + Duration::from_secs(60));
        assert_eq!(process.next(patience(), &stop), Ok(b"started".to_vec()));
        assert_eq!(process.next(patience(), &stop), Err(NoEvent::Closed));
        assert_eq!(process.wait(Duration::ZERO).and_then(|status| status.code()), Some(9));
        // its pipe closes as `sleep` ends
        assert_eq!(process.reader.next(patience(), &stop), Err(NoEvent::Closed));
    }
}
