//! The side of the other ranks: takes jobs and gives results back.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::protocol::{Job, Timing, numbered, split, tag};
use super::{Hello, Link, Message};

/// What rank 0 wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// A job to do, to be answered by [`Worker::finish`].
    Job(Job),
    /// There is nothing more to do.
    Stop,
    /// Rank 0 has not been heard of for long.
    Orphaned,
}

/// Takes jobs from rank 0.
pub struct Worker<'a> {
    link: &'a dyn Link,
    hello: Hello,
    timing: Timing,
    /// Jobs by number; those that are done with their results, until rank 0
    /// has confirmed them.
    held: BTreeMap<u32, Option<Done>>,
    /// Whether rank 0 has answered the hello.
    is_welcome: bool,
    heard: Instant,
    next_heartbeat: Instant,
}

struct Done {
    result: Vec<u8>,
    sent: Instant,
}

impl<'a> Worker<'a> {
    /// A worker of the rank of this link.
    pub fn new(link: &'a dyn Link, hello: Hello, timing: Timing) -> Worker<'a> {
        let now = Instant::now();
        let (held, is_welcome) = (BTreeMap::new(), false);
        Worker { link, hello, timing, held, is_welcome, heard: now, next_heartbeat: now }
    }

    /// The next order; waits for it. `None` after `wait`.
    pub fn next(&mut self, wait: Duration) -> Option<Order> {
        let deadline = Instant::now() + wait;
        loop {
            self.tick(Instant::now());
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.link.poll(left.min(self.timing.heartbeat));
            match message {
                Some(message) => {
                    self.heard = Instant::now();
                    self.is_welcome = true;
                    if let Some(order) = self.handle(message) {
                        return Some(order);
                    }
                }
                None if self.is_orphaned() => return Some(Order::Orphaned),
                None if left.is_zero() => return None,
                None => {}
            }
        }
    }

    /// Sends the result of a job, until it has arrived.
    pub fn finish(&mut self, number: u32, result: Vec<u8>) {
        self.link.send(0, tag::RESULT, &numbered(number, &result));
        self.held.insert(number, Some(Done { result, sent: Instant::now() }));
    }

    /// Sends news, once.
    pub fn note(&self, bytes: &[u8]) {
        self.link.send(0, tag::NOTE, bytes);
    }

    /// Says that this rank is being ended; its jobs go to others.
    pub fn leave(&self) {
        self.link.send(0, tag::LEAVE, &[]);
    }

    /// Says why this rank cannot work.
    pub fn refuse(&self, reason: &str) {
        let text = format!("{}\n{reason}", self.hello.host);
        self.link.send(0, tag::UNABLE, text.as_bytes());
    }

    fn handle(&mut self, message: Message) -> Option<Order> {
        match message.tag {
            tag::JOB => {
                let (number, bytes) = split(&message.bytes)?;
                let is_new = !self.held.contains_key(&number);
                self.held.entry(number).or_default();
                is_new.then(|| Order::Job(Job { number, bytes: bytes.to_vec() }))
            }
            tag::CONFIRM => {
                let (number, _) = split(&message.bytes)?;
                self.held.remove(&number);
                None
            }
            tag::STOP => {
                self.leave();
                Some(Order::Stop)
            }
            _ => None,
        }
    }

    fn is_orphaned(&self) -> bool {
        self.heard.elapsed() > self.timing.patience
    }

    fn tick(&mut self, now: Instant) {
        if now < self.next_heartbeat {
            return;
        }
        self.next_heartbeat = now + self.timing.heartbeat;
        if !self.is_welcome {
            return self.link.send(0, tag::HELLO, &self.hello.encode());
        }
        let numbers: Vec<u8> = self.held.keys().flat_map(|number| number.to_le_bytes()).collect();
        self.link.send(0, tag::HEARTBEAT, &numbers);
        for (number, done) in &mut self.held {
            let Some(done) = done else { continue };
            if now.saturating_duration_since(done.sent) > self.timing.resend {
                done.sent = now;
                self.link.send(0, tag::RESULT, &numbered(*number, &done.result));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use parking_lot::Mutex;

    use super::super::{Dispatcher, Event, Local, Network};
    use super::*;

    /// However long a busy machine keeps a thread waiting, nobody is silent.
    const TIMING: Timing = Timing {
        heartbeat: Duration::from_millis(10),
        resend: Duration::from_millis(300),
        silence: Duration::from_secs(60),
        patience: Duration::from_secs(60),
        parting: Duration::from_secs(60),
    };
    /// Where a rank dies.
    const SHORT: Timing = Timing {
        silence: Duration::from_millis(1_000),
        parting: Duration::from_millis(500),
        ..TIMING
    };
    const WAIT: Duration = Duration::from_millis(5);
    const JOBS: u32 = 60;

    fn hello() -> Hello {
        Hello { slots: 2, ..Hello::default() }
    }

    /// Squares numbers; dies when it takes the job out of `fatal`.
    fn work(rank: &Local, fatal: &Mutex<Option<u32>>) {
        let mut worker = Worker::new(rank, hello(), TIMING);
        loop {
            match worker.next(WAIT) {
                Some(Order::Job(job)) => {
                    if fatal.lock().take_if(|number| *number == job.number).is_some() {
                        return rank.kill();
                    }
                    worker.note(&[1]);
                    worker.finish(job.number, (job.number * job.number).to_le_bytes().into());
                }
                Some(Order::Stop | Order::Orphaned) => return,
                None => {}
            }
        }
    }

    /// Has all numbers squared by the other ranks, of which one dies if there is a
    /// `fatal` number; the results, sorted, and the ranks that fell silent.
    fn squares(
        ranks: &[Local],
        timing: Timing,
        fatal: Option<u32>,
    ) -> (Vec<(u32, u32)>, Vec<usize>) {
        let (mut results, mut silent) = (Vec::new(), Vec::new());
        let fatal = Mutex::new(fatal);
        thread::scope(|scope| {
            let fatal = &fatal;
            ranks[1..].iter().for_each(|rank| drop(scope.spawn(move || work(rank, fatal))));
            let mut dispatcher = Dispatcher::new(&ranks[0], hello(), timing);
            let mut numbers = 0..JOBS;
            while results.len() < JOBS as usize {
                let remaining = numbers.len();
                dispatcher.deal(remaining, || {
                    numbers.next().map(|number| vec![Job { number, bytes: Vec::new() }])
                });
                match dispatcher.next(WAIT) {
                    Some(Event::Result { number, bytes, .. }) => {
                        results.push((number, u32::from_le_bytes(bytes.try_into().unwrap())));
                    }
                    Some(Event::Silent { rank, .. }) => silent.push(rank),
                    Some(Event::Fault(text)) => panic!("{text}"),
                    _ => {}
                }
            }
            // a rank that was late to join may still be announced
            let mut late = std::iter::from_fn(|| dispatcher.next(Duration::ZERO));
            assert!(late.all(|event| !matches!(event, Event::Result { .. } | Event::Fault(_))));
            assert!(dispatcher.is_idle());
            dispatcher.stop();
        });
        results.sort_unstable();
        (results, silent)
    }

    fn expected() -> Vec<(u32, u32)> {
        (0..JOBS).map(|number| (number, number * number)).collect()
    }

    #[test]
    fn every_result_comes_once_whatever_the_delay() {
        for delay in [0, 20, 100].map(Duration::from_millis) {
            let ranks = Local::group(4, Network { delay, ..Network::default() });
            assert_eq!(squares(&ranks, TIMING, None), (expected(), vec![]));
            assert!(!ranks[0].is_detached());
        }
    }

    #[test]
    fn lost_and_doubled_messages_change_no_result() {
        let ranks = Local::group(3, Network { loss: 20, doubled: 20, ..Network::default() });
        assert_eq!(squares(&ranks, SHORT, None).0, expected());
    }

    #[test]
    fn a_killed_rank_loses_nothing() {
        let delay = Duration::from_millis(20);
        let ranks = Local::group(4, Network { delay, ..Network::default() });
        let (results, silent) = squares(&ranks, SHORT, Some(0));
        assert_eq!(results, expected());
        let killed = ranks.iter().position(Local::is_dead).unwrap();
        assert!(killed > 0 && silent.contains(&killed) && ranks[0].is_detached());
    }

    #[test]
    fn a_worker_without_rank_0_gives_up() {
        let ranks = Local::group(2, Network::default());
        ranks[0].send(1, tag::HEARTBEAT, &[]);
        let timing = Timing { patience: Duration::from_millis(30), ..TIMING };
        let mut worker = Worker::new(&ranks[1], hello(), timing);
        let mut orders = std::iter::from_fn(|| Some(worker.next(WAIT)));
        assert_eq!(orders.find_map(|order| order), Some(Order::Orphaned));
    }
}
