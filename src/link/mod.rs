//! Several processes that work together, called ranks, mostly on different
//! machines: messages between them, and work that rank 0 gives to the others.
//!
//! A [`Link`] carries messages. [`Local`] does it inside one process, with
//! delay, loss and death as a test wants them; with the feature `mpi` there is
//! one over MPI, which [`join`] returns in a process that `mpirun` or `srun`
//! has started. Nothing here knows what the messages are about.
//!
//! [`Dispatcher`] and [`Worker`] share numbered jobs out: rank 0 has the
//! dispatcher, every other rank a worker. A job that is lost on the way, or
//! given to a rank that falls silent, is given again; its result counts once.

mod dispatcher;
mod hello;
mod launcher;
mod local;
mod mailbox;
#[cfg(feature = "mpi")]
mod mpi;
mod protocol;
mod worker;

use std::sync::Arc;
use std::time::Duration;

pub use dispatcher::{Dispatcher, Event};
pub use hello::Hello;
pub use launcher::{JoinError, hide_launcher, join};
pub use local::{Local, Network};
pub use protocol::{Job, Timing};
pub use worker::{Order, Worker};

/// A message from another rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The rank that sent it.
    pub from: usize,
    /// Its kind, as the two sides have agreed.
    pub tag: u8,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// The ranks that work together, as one of them has them.
#[derive(Clone)]
pub struct Ranks {
    /// What carries messages to the others.
    pub link: Arc<dyn Link>,
    /// What this rank says about itself. Its slots are what it works on at the
    /// same time.
    pub hello: Hello,
    /// How long they wait for one another.
    pub timing: Timing,
}

impl Ranks {
    /// Whether this is rank 0.
    pub fn is_first(&self) -> bool {
        self.link.rank() == 0
    }

    /// What gives jobs to the others, on rank 0.
    pub fn dispatcher(&self) -> Dispatcher<'_> {
        Dispatcher::new(&*self.link, self.hello.clone(), self.timing)
    }

    /// What takes jobs from rank 0, on the others.
    pub fn worker(&self) -> Worker<'_> {
        Worker::new(&*self.link, self.hello.clone(), self.timing)
    }
}

/// What carries messages between ranks. Messages from one rank to another
/// arrive in the order in which they were sent, if they arrive.
pub trait Link: Send + Sync {
    /// The number of this rank, below [`Link::size`].
    fn rank(&self) -> usize;

    /// How many ranks there are, this one included.
    fn size(&self) -> usize;

    /// Sends a message without waiting for its arrival.
    fn send(&self, to: usize, tag: u8, bytes: &[u8]);

    /// How many messages wait for earlier ones to be on their way: what need
    /// not be sent had better wait as well.
    fn backlog(&self) -> usize;

    /// The next message; waits for one if there is none. `None` after `wait`.
    fn poll(&self, wait: Duration) -> Option<Message>;

    /// Ends the processes of all ranks, this one included, with this exit code.
    /// It may return before that has happened.
    fn abort(&self, code: u8);

    /// Remembers that another rank does not answer, so that an orderly end,
    /// which waits for all, is not possible.
    fn detach(&self);

    /// Whether [`Link::detach`] has been called.
    fn is_detached(&self) -> bool;
}
