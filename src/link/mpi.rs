//! Ranks of an MPI program.
//!
//! One thread, the courier, makes all calls of the MPI library: it is enough
//! that the library allows one thread to call it (`MPI_THREAD_FUNNELED`), and
//! its blocking calls, which spin, are not used.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Sender, bounded};
use mpi::Threading;
use mpi::request::{self, Request};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};

use super::mailbox::Mailbox;
use super::{JoinError, Link, Message};

/// How long the courier sleeps when there is nothing to carry: at first so long,
const NAP: Duration = Duration::from_micros(500);
/// and twice as long each time, up to this, since every look costs time of a
/// core that searches.
const LONGEST_NAP: Duration = Duration::from_millis(4);

/// A message to be sent.
struct Parcel {
    to: usize,
    tag: u8,
    bytes: Vec<u8>,
}

/// A rank of an MPI program. Dropping it waits for the other ranks to leave.
pub struct Mpi {
    rank: usize,
    size: usize,
    post: Arc<Post>,
    courier: Option<JoinHandle<()>>,
    detached: AtomicBool,
}

/// What the courier has in common with those for whom it works.
#[derive(Default)]
struct Post {
    /// What is to be sent.
    outbox: Mailbox<Parcel>,
    /// What has arrived.
    inbox: Mailbox<Message>,
    /// Nothing more will be sent.
    is_closed: AtomicBool,
    /// The exit code with which all ranks are to be ended.
    aborted: OnceLock<u8>,
}

impl Mpi {
    /// Starts the MPI library.
    ///
    /// # Errors
    /// When it is not usable. Many faults end the process instead, with the
    /// library's own message.
    pub fn start() -> Result<Mpi, JoinError> {
        let (ready, is_ready) = bounded(1);
        let post = Arc::new(Post::default());
        let theirs = Arc::clone(&post);
        let courier = thread::Builder::new().name("courier".into());
        let courier = courier.spawn(move || theirs.carry(&ready));
        let courier = courier.map_err(|error| JoinError::Mpi(error.to_string()))?;
        let ended = |_| JoinError::Mpi("the thread for it has ended".into());
        let (rank, size) = is_ready.recv().map_err(ended)??;
        Ok(Mpi { rank, size, post, courier: Some(courier), detached: AtomicBool::new(false) })
    }
}

impl Link for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, to: usize, tag: u8, bytes: &[u8]) {
        self.post.outbox.put(Instant::now(), Parcel { to, tag, bytes: bytes.to_vec() });
    }

    fn backlog(&self) -> usize {
        self.post.outbox.len()
    }

    fn poll(&self, wait: Duration) -> Option<Message> {
        self.post.inbox.take(Instant::now() + wait)
    }

    fn abort(&self, code: u8) {
        // of two codes the first one
        let _ = self.post.aborted.set(code);
    }

    fn detach(&self) {
        self.detached.store(true, Relaxed);
    }

    fn is_detached(&self) -> bool {
        self.detached.load(Relaxed)
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        self.post.is_closed.store(true, Relaxed);
        if let Some(courier) = self.courier.take() {
            // a courier that panicked has said so
            let _ = courier.join();
        }
    }
}

impl Post {
    /// Carries messages until nobody has any more, then leaves the MPI program
    /// in order.
    fn carry(&self, ready: &Sender<Result<(usize, usize), JoinError>>) {
        let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
            let fault = "it has been started before".to_owned();
            let _ = ready.send(Err(JoinError::Mpi(fault)));
            return;
        };
        let world = universe.world();
        let _ = ready.send(Ok((world.rank() as usize, world.size() as usize)));
        let mut nap = NAP;
        loop {
            // what was sent before the end is in the outbox by now
            let is_closed = self.is_closed.load(Relaxed);
            let first = self.outbox.take(Instant::now() + nap);
            let rest = std::iter::from_fn(|| self.outbox.take(Instant::now()));
            let batch: Vec<Parcel> = first.into_iter().chain(rest).collect();
            self.deliver(&world, &batch);
            let is_any = self.receive(&world) || !batch.is_empty();
            nap = if is_any { NAP } else { (2 * nap).min(LONGEST_NAP) };
            self.abort_if_asked(&world);
            if is_closed && batch.is_empty() {
                break;
            }
        }
    }

    /// Sends a batch of messages. Takes in what arrives until all have been
    /// taken over: two ranks that send each other much would otherwise wait for
    /// ever. A rank that is dead may never take its message, so that this is
    /// also where the program can be ended.
    fn deliver(&self, world: &SimpleCommunicator, batch: &[Parcel]) {
        request::scope(|scope| {
            let mut open: Vec<Request<'_, [u8], _>> = Vec::new();
            for Parcel { to, tag, bytes } in batch {
                let rank = world.process_at_rank(*to as i32);
                open.push(rank.immediate_send_with_tag(scope, &bytes[..], i32::from(*tag)));
            }
            loop {
                open = open.into_iter().filter_map(|request| request.test().err()).collect();
                if open.is_empty() {
                    break;
                }
                self.abort_if_asked(world);
                if !self.receive(world) {
                    thread::sleep(NAP);
                }
            }
        });
    }

    /// Takes in what has arrived; whether that is anything.
    fn receive(&self, world: &SimpleCommunicator) -> bool {
        let mut is_any = false;
        while let Some(matched) = world.any_process().immediate_matched_probe() {
            let (bytes, status) = matched.matched_receive_vec::<u8>();
            let (from, tag) = (status.source_rank() as usize, status.tag() as u8);
            self.inbox.put(Instant::now(), Message { from, tag, bytes });
            is_any = true;
        }
        is_any
    }

    /// Ends the processes of all ranks if that is wanted.
    fn abort_if_asked(&self, world: &SimpleCommunicator) {
        if let Some(code) = self.aborted.get() {
            world.abort(i32::from(*code));
        }
    }
}
