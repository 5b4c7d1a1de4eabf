//! The side of the other ranks: searches what rank 0 wants to have searched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};

use crate::engine::{Engine, EngineError, OptionId};
use crate::link::{Message, Ranks};
use crate::search::{self, Outcome, ThreadResult};

use super::exchange::Exchange;
use super::message::{Order, Report, Task, tag};

/// Why a rank has stopped to take part.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The engine cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Rank 0 does not want it.
    #[error("{0}")]
    Refused(String),
    /// Rank 0 has not been heard of for long.
    #[error("rank 0 does not answer any more; start all ranks again")]
    Orphaned,
}

/// Searches for rank 0 until it ends.
///
/// # Errors
/// When this rank cannot take part or rank 0 is lost. The link is detached then.
pub fn follow(ranks: Ranks) -> Result<(), FollowError> {
    let link = Arc::clone(&ranks.link);
    let followed = Follower::new(ranks).and_then(Follower::run);
    if matches!(followed, Err(FollowError::Engine(_) | FollowError::Orphaned)) {
        link.detach();
    }
    followed
}

struct Follower {
    ranks: Ranks,
    engine: Engine,
    exchange: Arc<Exchange>,
    /// The last order that was carried out.
    order: Order,
    /// Those of its options that could not be set.
    refused: Vec<(String, String)>,
    /// What rank 0 is told.
    report: Report,
    /// Whether the evaluation is that of rank 0.
    is_able: bool,
    is_searching: bool,
    sender: Sender<Outcome>,
    outcomes: Receiver<Outcome>,
    heard: Instant,
    spoke: Instant,
}

impl Follower {
    fn new(ranks: Ranks) -> Result<Follower, FollowError> {
        let engine = Engine::new()?;
        let (sender, outcomes) = unbounded();
        let now = Instant::now();
        let order = Order { options: engine.settings.of_search(), ..Order::default() };
        let mut follower = Follower {
            exchange: Arc::new(Exchange::new(Arc::clone(&ranks.link))),
            ranks,
            engine,
            order,
            refused: Vec::new(),
            report: Report::default(),
            is_able: true,
            is_searching: false,
            sender,
            outcomes,
            heard: now,
            spoke: now,
        };
        follower.greet();
        Ok(follower)
    }

    fn run(mut self) -> Result<(), FollowError> {
        let mut shipped = Instant::now();
        loop {
            let interval = self.exchange.interval();
            let until_due = interval.saturating_sub(shipped.elapsed());
            let wait = if self.is_searching { until_due } else { self.ranks.timing.heartbeat / 4 };
            let mut message = self.ranks.link.poll(wait);
            while let Some(arrived) = message {
                self.handle(&arrived)?;
                if self.report.has_left {
                    return Ok(());
                }
                message = self.ranks.link.poll(Duration::ZERO);
            }
            if let Ok(outcome) = self.outcomes.try_recv() {
                self.end_search(&outcome);
                self.say();
            }
            if shipped.elapsed() >= interval {
                shipped = Instant::now();
                self.exchange.ship(self.engine.pool.nodes());
            }
            if self.spoke.elapsed() >= self.ranks.timing.heartbeat {
                if self.report.order > 0 { self.say() } else { self.greet() }
            }
            if self.heard.elapsed() > self.ranks.timing.patience {
                return Err(FollowError::Orphaned);
            }
        }
    }

    /// Takes a message in.
    fn handle(&mut self, message: &Message) -> Result<(), FollowError> {
        if message.tag == tag::ENTRIES {
            // of another search they are of no use
            let _ = self.exchange.take(&message.bytes);
        }
        if message.from != 0 {
            return Ok(());
        }
        self.heard = Instant::now();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        match message.tag {
            tag::ORDER => {
                let Some((stamp, bytes)) = message.bytes.split_first_chunk() else { return Ok(()) };
                self.report.stamp = u64::from_le_bytes(*stamp);
                if let Some(order) = Order::decode(&text(bytes)) {
                    self.carry_out(order);
                }
                self.say();
                Ok(())
            }
            tag::REFUSAL => Err(FollowError::Refused(text(&message.bytes))),
            _ => Ok(()),
        }
    }

    /// Carries an order out, unless it is an old one.
    fn carry_out(&mut self, order: Order) {
        if order.number <= self.order.number {
            return;
        }
        let task = order.task.as_ref().filter(|task| task.search != self.report.search);
        let goes_on = order.task.is_some() && task.is_none();
        if !goes_on {
            self.exchange.end();
            self.engine.stop();
            self.engine.wait();
            // a search that has ended in order has said so once
            if self.is_searching
                && let Ok(outcome) = self.outcomes.try_recv()
            {
                self.end_search(&outcome);
            }
        }
        let has_changed = order.options != self.order.options || order.net != self.order.net;
        // what could not be had may be there now; no search waits for that
        if has_changed || (task.is_none() && !self.refused.is_empty()) {
            self.configure(&order);
        }
        if order.forgotten != self.order.forgotten {
            self.engine.new_game();
        }
        if let Some(task) = task {
            self.begin(task);
        }
        self.report.order = order.number;
        self.report.has_left = order.quit;
        self.order = order;
    }

    /// Sets what is not as rank 0 has it.
    fn configure(&mut self, order: &Order) {
        let (mut faults, refused) = (Vec::new(), std::mem::take(&mut self.refused));
        let is_set = |option| self.order.options.contains(option) && !refused.contains(option);
        for option in order.options.iter().filter(|option| !is_set(option)) {
            let (name, value) = option;
            if let Err(error) = self.engine.set_option(name, Some(value)) {
                faults.push(error.to_string());
                self.refused.push(option.clone());
            }
        }
        faults.extend(self.engine.take_remarks());
        let net = self.engine.evaluation().identity();
        self.is_able = net == order.net;
        if !self.is_able {
            let theirs = &order.net;
            faults.push(format!("it has the net {net}, rank 0 has {theirs}, and does not search"));
        }
        self.report.fault = faults.join("; ");
    }

    /// Begins a search, if it can be done here.
    fn begin(&mut self, task: &Task) {
        (self.report.search, self.report.result) = (task.search, None);
        let is_set = self.engine.set_position(Some(&task.start), &task.moves);
        if let Err(error) = is_set {
            self.report.fault = error.to_string();
        } else if self.is_able {
            let sender = self.sender.clone();
            let observer = Arc::new(move |event| {
                if let search::Event::Done(outcome) = event {
                    // the rank may have left
                    let _ = sender.send(outcome);
                }
            });
            let peers = Arc::clone(&self.exchange) as _;
            self.exchange.begin(task.search, Arc::clone(self.engine.pool.table()));
            let lines = self.engine.settings.count(OptionId::MultiPv);
            self.is_searching = true;
            self.engine.search(Instant::now(), task.limits.clone(), lines, Some(peers), observer);
        }
    }

    /// The search is over.
    fn end_search(&mut self, outcome: &Outcome) {
        self.is_searching = false;
        self.report.result = ThreadResult::of(outcome);
    }

    fn say(&mut self) {
        self.spoke = Instant::now();
        self.report.nodes = self.engine.pool.nodes();
        self.ranks.link.send(0, tag::REPORT, self.report.encode().as_bytes());
        // what is said without being asked is not a measure of the way
        self.report.stamp = 0;
    }

    fn greet(&mut self) {
        self.spoke = Instant::now();
        self.ranks.link.send(0, tag::HELLO, &self.ranks.hello.encode());
    }
}
