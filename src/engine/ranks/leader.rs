//! The side of rank 0: tells the others what to search and gathers what they
//! find.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::link::{Message, Ranks};
use crate::search::{Peers, ThreadResult, TranspositionTable};

use super::exchange::Exchange;
use super::message::{Order, Report, Task, tag};

/// An order that is not confirmed is sent again after this, or after two round
/// trips if they take longer.
const RETRY: Duration = Duration::from_millis(20);
/// How long the link is listened to at a time when nothing is searched.
const NAP: Duration = Duration::from_millis(5);
/// What gathering votes takes beside the way of the messages: the others stop,
/// and threads are woken.
const WAKING: Duration = Duration::from_millis(5);

/// The other ranks, as rank 0 has them. Dropping it has them leave.
pub struct Leader {
    shared: Arc<Shared>,
    courier: Option<JoinHandle<()>>,
}

/// What the threads of the engine and the one that listens have in common.
struct Shared {
    ranks: Ranks,
    exchange: Exchange,
    began: Instant,
    state: Mutex<State>,
    /// A rank has been heard.
    heard: Condvar,
    /// Nodes of the others in the present search.
    nodes: AtomicU64,
    is_answered: AtomicBool,
    is_over: AtomicBool,
}

struct State {
    order: Order,
    /// The number of the last search.
    search: u32,
    /// The ranks from 1.
    peers: Vec<Peer>,
    /// What the user should know.
    remarks: Vec<String>,
    /// When silence was last looked for.
    looked: Instant,
}

#[derive(Clone)]
struct Peer {
    presence: Presence,
    host: String,
    heard: Instant,
    /// When it was last sent the order.
    sent: Instant,
    /// The last order that it has carried out.
    confirmed: u32,
    /// The way there and back.
    round_trip: Option<Duration>,
    nodes: u64,
    result: Option<ThreadResult>,
    fault: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// It has not said anything yet.
    Starting,
    Working,
    Silent,
    /// It has left, or must not take part.
    Gone,
}

impl Leader {
    /// Begins to listen for the other ranks, which are to use these options,
    /// that lead to this evaluation.
    ///
    /// # Errors
    /// When the system gives no thread for it.
    pub fn new(ranks: Ranks, options: Vec<(String, String)>, net: String) -> io::Result<Leader> {
        let now = Instant::now();
        let peer = Peer {
            presence: Presence::Starting,
            host: String::new(),
            heard: now,
            sent: now,
            confirmed: 0,
            round_trip: None,
            nodes: 0,
            result: None,
            fault: String::new(),
        };
        let peers = vec![peer; ranks.link.size() - 1];
        let order = Order { number: 1, options, net, ..Order::default() };
        let shared = Arc::new(Shared {
            exchange: Exchange::new(Arc::clone(&ranks.link)),
            ranks,
            began: now,
            state: Mutex::new(State { order, search: 0, peers, remarks: Vec::new(), looked: now }),
            heard: Condvar::new(),
            nodes: AtomicU64::new(0),
            is_answered: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        });
        let listener = Arc::clone(&shared);
        let builder = thread::Builder::new().name("ranks".into());
        let courier = Some(builder.spawn(move || listener.listen())?);
        Ok(Leader { shared, courier })
    }

    /// Has all ranks use these options, which lead to this evaluation; it is
    /// only asked for if they are new, or a rank could not set some of them.
    pub fn configure(&self, options: Vec<(String, String)>, net: impl FnOnce() -> String) {
        let state = self.shared.state.lock();
        let has_fault = state.peers.iter().any(|peer| !peer.fault.is_empty());
        let has_changed = state.order.options != options;
        drop(state);
        if has_changed || has_fault {
            let net = net();
            self.shared.want(|order| (order.options, order.net) = (options, net));
        }
    }

    /// Has all ranks forget what they have learnt.
    pub fn forget(&self) {
        self.shared.want(|order| order.forgotten += 1);
    }

    /// Waits until all ranks are ready, or known not to be.
    pub fn settle(&self) {
        let deadline = Instant::now() + self.shared.ranks.timing.silence;
        drop(self.shared.wait(deadline, |peer, order| {
            peer.presence == Presence::Starting || peer.is_awaited(order)
        }));
    }

    /// Has all ranks begin a search, whose number is given to the task; their
    /// entries come into this table.
    pub fn begin(&self, task: Task, table: Arc<TranspositionTable>) -> Arc<dyn Peers> {
        let shared = &self.shared;
        let mut state = shared.state.lock();
        shared.nodes.store(0, Relaxed);
        shared.is_answered.store(false, Relaxed);
        state.search += 1;
        let search = state.search;
        state.peers.iter_mut().for_each(|peer| (peer.nodes, peer.result) = (0, None));
        drop(state);
        shared.exchange.begin(search, table);
        shared.want(|order| order.task = Some(Task { search, ..task }));
        Arc::clone(shared) as _
    }

    /// What the user should know of the ranks, a line each; once.
    pub fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state.lock().remarks)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        let shared = &self.shared;
        shared.exchange.end();
        shared.want(|order| (order.task, order.quit) = (None, true));
        let deadline = Instant::now() + shared.ranks.timing.parting;
        let is_expected =
            |peer: &Peer| matches!(peer.presence, Presence::Starting | Presence::Working);
        let state = shared.wait(deadline, |peer, _| is_expected(peer));
        if state.peers.iter().any(|peer| peer.presence != Presence::Gone) {
            shared.ranks.link.detach();
        }
        drop(state);
        shared.is_over.store(true, Relaxed);
        if let Some(courier) = self.courier.take() {
            // a thread that panicked has said so
            let _ = courier.join();
        }
    }
}

impl Peer {
    /// Whether it will carry the order out, but has not yet.
    fn is_awaited(&self, order: &Order) -> bool {
        self.presence == Presence::Working && self.confirmed < order.number
    }

    fn take(&mut self, report: Report, search: u32) {
        self.confirmed = self.confirmed.max(report.order);
        if report.search == search {
            self.nodes = self.nodes.max(report.nodes);
            self.result = report.result.or(self.result.take());
        }
        if report.has_left {
            self.presence = Presence::Gone;
        }
    }

    /// Takes a time that a message has been away into account. Most of what is
    /// longer than usual comes from threads that waited for a core.
    fn measure(&mut self, sample: Duration) {
        let old = self.round_trip.unwrap_or(sample);
        self.round_trip = Some(if sample < old { sample } else { old + (sample - old) / 8 });
    }
}

impl Shared {
    /// Changes what is wanted of the ranks, and says so.
    fn want(&self, change: impl FnOnce(&mut Order)) {
        let mut state = self.state.lock();
        change(&mut state.order);
        state.order.number += 1;
        (1..=state.peers.len()).for_each(|rank| self.send(&mut state, rank));
    }

    /// Sends the order to a rank that may take part.
    fn send(&self, state: &mut State, rank: usize) {
        let peer = &mut state.peers[rank - 1];
        if peer.presence == Presence::Working || state.order.quit {
            peer.sent = Instant::now();
            let stamp = self.began.elapsed().as_micros() as u64;
            let text = state.order.encode();
            let bytes = [&stamp.to_le_bytes(), text.as_bytes()].concat();
            self.ranks.link.send(rank, tag::ORDER, &bytes);
        }
    }

    /// Waits until this is true of no rank any more.
    fn wait(
        &self,
        deadline: Instant,
        is_awaited: impl Fn(&Peer, &Order) -> bool,
    ) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        while state.peers.iter().any(|peer| is_awaited(peer, &state.order)) {
            if self.heard.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        state
    }

    /// Takes messages in and sends what is due, until the engine ends.
    fn listen(&self) {
        let mut shipped = Instant::now();
        while !self.is_over.load(Relaxed) {
            let interval = self.exchange.interval();
            let until_due = interval.saturating_sub(shipped.elapsed());
            let wait = if self.exchange.is_open() { until_due } else { NAP };
            let first = self.ranks.link.poll(wait);
            let rest = std::iter::from_fn(|| self.ranks.link.poll(Duration::ZERO));
            first.into_iter().chain(rest).for_each(|message| self.handle(message));
            if shipped.elapsed() >= interval {
                shipped = Instant::now();
                self.exchange.ship(0);
            }
            self.tick(Instant::now());
        }
    }

    fn handle(&self, message: Message) {
        let Message { from: rank, tag, bytes } = message;
        let mut state = self.state.lock();
        let State { search, peers, order, remarks, .. } = &mut *state;
        let Some(peer) = rank.checked_sub(1).and_then(|index| peers.get_mut(index)) else { return };
        peer.heard = Instant::now();
        if peer.presence == Presence::Silent && tag != tag::HELLO {
            peer.presence = Presence::Working;
        }
        match tag {
            tag::HELLO => self.greet(&mut state, rank, &bytes),
            tag::ENTRIES => {
                if let Some(nodes) = self.exchange.take(&bytes) {
                    peer.nodes = peer.nodes.max(nodes);
                }
            }
            tag::REPORT => {
                let text = String::from_utf8_lossy(&bytes);
                let Some(report) = Report::decode(&text) else { return };
                if !report.fault.is_empty() && report.fault != peer.fault {
                    remarks.push(format!("rank {rank} on {}: {}", peer.host, report.fault));
                }
                peer.fault.clone_from(&report.fault);
                // carrying an order out takes time, saying it again does not
                if report.order == peer.confirmed && report.stamp > 0 {
                    let sent = Duration::from_micros(report.stamp);
                    peer.measure(self.began.elapsed().saturating_sub(sent));
                }
                let is_end = report.search == *search && report.result.is_some();
                if is_end && order.task.is_some() {
                    self.is_answered.store(true, Relaxed);
                }
                peer.take(report, *search);
            }
            _ => {}
        }
        self.nodes.store(state.peers.iter().map(|peer| peer.nodes).sum(), Relaxed);
        self.heard.notify_all();
    }

    fn greet(&self, state: &mut State, rank: usize, bytes: &[u8]) {
        let peer = &mut state.peers[rank - 1];
        match self.ranks.hello.admit(rank, bytes) {
            Ok(_) if peer.presence == Presence::Gone => {}
            Ok(hello) => {
                (peer.host, peer.presence) = (hello.host, Presence::Working);
                self.send(state, rank);
            }
            Err(reason) => {
                self.ranks.link.send(rank, tag::REFUSAL, reason.as_bytes());
                if peer.presence != Presence::Gone {
                    peer.presence = Presence::Gone;
                    state.remarks.push(format!("{reason}; the search goes on without it"));
                }
            }
        }
    }

    /// Sends what is due again, and looks for silent ranks.
    fn tick(&self, now: Instant) {
        let timing = &self.ranks.timing;
        let mut state = self.state.lock();
        // whoever has slept, with the whole machine perhaps, cannot have heard
        let gap = now.saturating_duration_since(state.looked);
        if gap > timing.silence / 2 {
            state.peers.iter_mut().for_each(|peer| peer.heard += gap);
        }
        state.looked = now;
        for rank in 1..=state.peers.len() {
            let number = state.order.number;
            let peer = &mut state.peers[rank - 1];
            let retry = RETRY.max(2 * peer.round_trip.unwrap_or_default());
            let pause = if peer.confirmed < number { retry } else { timing.heartbeat };
            let is_due = now.saturating_duration_since(peer.sent) >= pause;
            let is_expected = matches!(peer.presence, Presence::Starting | Presence::Working);
            if is_expected && now.saturating_duration_since(peer.heard) > timing.silence {
                peer.presence = Presence::Silent;
                let on = if peer.host.is_empty() { "" } else { " on " };
                let text = format!("rank {rank}{on}{} does not answer", peer.host);
                state.remarks.push(format!("{text}; the search goes on without it"));
                self.heard.notify_all();
            } else if is_due {
                self.send(&mut state, rank);
            }
        }
    }
}

impl Peers for Shared {
    fn post(&self, key: u64, word: u64) {
        self.exchange.post(key, word);
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    fn is_answered(&self) -> bool {
        self.is_answered.load(Relaxed)
    }

    /// Two round trips to the farthest rank that works: one message may be
    /// lost.
    fn gathering_time(&self) -> Duration {
        let state = self.state.lock();
        let working = state.peers.iter().filter(|peer| peer.presence == Presence::Working);
        let farthest = working.filter_map(|peer| peer.round_trip).max();
        WAKING + 2 * farthest.unwrap_or_default()
    }

    fn end(&self, wait: Duration) -> Vec<ThreadResult> {
        let deadline = Instant::now() + wait;
        self.exchange.end();
        self.want(|order| order.task = None);
        let mut state = self.wait(deadline, Peer::is_awaited);
        state.peers.iter_mut().filter_map(|peer| peer.result.take()).collect()
    }
}
