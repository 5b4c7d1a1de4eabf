//! The messages between a dispatcher and its workers.

use std::time::Duration;

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Different from that of every other job.
    pub number: u32,
    /// What is to be done, for whoever does it.
    pub bytes: Vec<u8>,
}

/// How long ranks wait for one another.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Ranks say at least this often that they are alive.
    pub heartbeat: Duration,
    /// What has not been confirmed by then is sent again; several times the
    /// way there and back.
    pub resend: Duration,
    /// A rank not heard of for so long is given up; its jobs are given again.
    pub silence: Duration,
    /// How long a rank may take to begin, and how long a worker waits for a
    /// word from rank 0, which may have a slow disk.
    pub patience: Duration,
    /// How long rank 0 waits at the end for the others to leave.
    pub parting: Duration,
}

impl Timing {
    /// For ranks of one process ([`Local`](super::Local)): short, but a busy
    /// machine may keep a thread waiting for a second or two.
    pub const LOCAL: Timing = Timing {
        heartbeat: Duration::from_millis(20),
        resend: Duration::from_millis(500),
        silence: Duration::from_secs(3),
        patience: Duration::from_secs(8),
        parting: Duration::from_millis(300),
    };
}

impl Default for Timing {
    fn default() -> Timing {
        Timing {
            heartbeat: Duration::from_millis(500),
            resend: Duration::from_secs(3),
            silence: Duration::from_secs(10),
            patience: Duration::from_secs(60),
            parting: Duration::from_secs(3),
        }
    }
}

/// Kinds of messages. Numbers are four bytes, little endian.
pub mod tag {
    /// To rank 0: a [`Hello`](super::super::Hello), until it is answered.
    pub const HELLO: u8 = 1;
    /// To rank 0: the numbers of the jobs that the worker holds, results
    /// included that are not confirmed. From rank 0: nothing.
    pub const HEARTBEAT: u8 = 2;
    /// From rank 0: the number of a job and what it is.
    pub const JOB: u8 = 3;
    /// To rank 0: the number of a job and its result.
    pub const RESULT: u8 = 4;
    /// From rank 0: the number of a result that has arrived.
    pub const CONFIRM: u8 = 5;
    /// To rank 0: news that may be lost.
    pub const NOTE: u8 = 6;
    /// To rank 0: a line with the name of the host, and why the rank cannot
    /// work.
    pub const UNABLE: u8 = 7;
    /// From rank 0: there is no more to do.
    pub const STOP: u8 = 8;
    /// To rank 0: the answer to it, or that the rank is being ended.
    pub const LEAVE: u8 = 9;
}

/// A number with what belongs to it.
pub fn numbered(number: u32, bytes: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes(), bytes].concat()
}

/// Takes such a message apart; `None` if it is too short.
pub fn split(message: &[u8]) -> Option<(u32, &[u8])> {
    let (number, bytes) = message.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), bytes))
}

/// The numbers that a heartbeat carries.
pub fn numbers(message: &[u8]) -> impl Iterator<Item = u32> + '_ {
    message.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
}
