//! Ranks of an MPI program.
//!
//! One thread, the courier, makes all calls of the MPI library: it is enough
//! that the library allows one thread to call it (`MPI_THREAD_FUNNELED`), and
//! its blocking calls, which spin, are not used.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use mpi::Threading;
use mpi::request::{self, Request};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};

use super::{JoinError, Link, Message};

/// How long the courier sleeps when there is nothing to carry.
const NAP: Duration = Duration::from_micros(500);

/// What the courier is asked to do.
enum Errand {
    Send { to: usize, tag: u8, bytes: Vec<u8> },
    Abort(u8),
}

/// A rank of an MPI program. Dropping it waits for the other ranks to leave.
pub struct Mpi {
    rank: usize,
    size: usize,
    errands: Option<Sender<Errand>>,
    inbox: Receiver<Message>,
    courier: Option<JoinHandle<()>>,
    detached: AtomicBool,
}

impl Mpi {
    /// Starts the MPI library.
    ///
    /// # Errors
    /// When it is not usable. Many faults end the process instead, with the
    /// library's own message.
    pub fn start() -> Result<Mpi, JoinError> {
        let (errands, work) = unbounded();
        let (letters, inbox) = unbounded();
        let (ready, is_ready) = bounded(1);
        let courier = thread::Builder::new().name("courier".into());
        let courier = courier.spawn(move || run_courier(&work, &letters, &ready));
        let courier = courier.map_err(|error| JoinError::Mpi(error.to_string()))?;
        let ended = |_| JoinError::Mpi("the thread for it has ended".into());
        let (rank, size) = is_ready.recv().map_err(ended)??;
        let courier = Some(courier);
        let detached = AtomicBool::new(false);
        Ok(Mpi { rank, size, errands: Some(errands), inbox, courier, detached })
    }

    fn ask(&self, errand: Errand) {
        if let Some(errands) = &self.errands {
            // the courier works until the last sender has gone
            let _ = errands.send(errand);
        }
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
        self.ask(Errand::Send { to, tag, bytes: bytes.to_vec() });
    }

    fn poll(&self, wait: Duration) -> Option<Message> {
        self.inbox.recv_timeout(wait).ok()
    }

    fn abort(&self, code: u8) {
        self.ask(Errand::Abort(code));
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
        self.errands = None;
        if let Some(courier) = self.courier.take() {
            // a courier that panicked has said so
            let _ = courier.join();
        }
    }
}

/// Carries messages until nobody can ask for that any more, then leaves the
/// MPI program in order.
fn run_courier(
    errands: &Receiver<Errand>,
    letters: &Sender<Message>,
    ready: &Sender<Result<(usize, usize), JoinError>>,
) {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        let fault = "it has been started before".to_owned();
        let _ = ready.send(Err(JoinError::Mpi(fault)));
        return;
    };
    let world = universe.world();
    let _ = ready.send(Ok((world.rank() as usize, world.size() as usize)));
    loop {
        let first = match errands.recv_timeout(NAP) {
            Ok(errand) => Some(errand),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let batch: Vec<Errand> = first.into_iter().chain(errands.try_iter()).collect();
        deliver(&world, &batch, letters);
        receive(&world, letters);
    }
}

/// Sends a batch of messages. Takes in what arrives until all have been taken
/// over: two ranks that send each other much would otherwise wait for ever.
fn deliver(world: &SimpleCommunicator, batch: &[Errand], letters: &Sender<Message>) {
    request::scope(|scope| {
        let mut open: Vec<Request<'_, [u8], _>> = Vec::new();
        for errand in batch {
            match errand {
                Errand::Send { to, tag, bytes } => {
                    let rank = world.process_at_rank(*to as i32);
                    open.push(rank.immediate_send_with_tag(scope, &bytes[..], i32::from(*tag)));
                }
                Errand::Abort(code) => world.abort(i32::from(*code)),
            }
        }
        loop {
            open = open.into_iter().filter_map(|request| request.test().err()).collect();
            if open.is_empty() {
                break;
            }
            if !receive(world, letters) {
                thread::sleep(NAP);
            }
        }
    });
}

/// Takes in what has arrived; whether that is anything.
fn receive(world: &SimpleCommunicator, letters: &Sender<Message>) -> bool {
    let mut is_any = false;
    while let Some(matched) = world.any_process().immediate_matched_probe() {
        let (bytes, status) = matched.matched_receive_vec::<u8>();
        let (from, tag) = (status.source_rank() as usize, status.tag() as u8);
        // the inbox is there as long as the courier
        let _ = letters.send(Message { from, tag, bytes });
        is_any = true;
    }
    is_any
}
