//! Ranks inside one process, with the weather of a network.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::mailbox::Mailbox;
use super::{Link, Message};

/// What happens to messages on their way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network {
    /// The time of a message from one rank to another.
    pub delay: Duration,
    /// How many of a hundred messages are lost.
    pub loss: u32,
    /// How many of a hundred messages arrive twice.
    pub doubled: u32,
    /// Determines which.
    pub seed: u64,
}

/// A rank inside this process.
pub struct Local {
    rank: usize,
    network: Network,
    random: Mutex<Xoshiro256PlusPlus>,
    /// What is on its way to each rank.
    boxes: Arc<[Mailbox<Message>]>,
    dead: Arc<[AtomicBool]>,
    detached: AtomicBool,
}

impl Local {
    /// Ranks that know one another, in the order of their numbers.
    pub fn group(size: usize, network: Network) -> Vec<Local> {
        let boxes: Arc<[_]> = (0..size).map(|_| Mailbox::default()).collect();
        let dead: Arc<[AtomicBool]> = (0..size).map(|_| AtomicBool::new(false)).collect();
        let local = |rank| Local {
            rank,
            network,
            random: Mutex::new(Xoshiro256PlusPlus::seed_from_u64(network.seed + rank as u64)),
            boxes: Arc::clone(&boxes),
            dead: Arc::clone(&dead),
            detached: AtomicBool::new(false),
        };
        (0..size).map(local).collect()
    }

    /// Has this rank die: nothing comes from it any more, nor does anything
    /// reach it.
    pub fn kill(&self) {
        self.dead[self.rank].store(true, Relaxed);
    }

    /// Whether this rank has been killed or all have been aborted.
    pub fn is_dead(&self) -> bool {
        self.dead[self.rank].load(Relaxed)
    }

    /// How often a message arrives: 0, 1 or 2 times.
    fn copies(&self) -> usize {
        let fate = self.random.lock().random_range(0..100);
        let Network { loss, doubled, .. } = self.network;
        match fate {
            _ if fate < loss => 0,
            _ if fate < loss + doubled => 2,
            _ => 1,
        }
    }
}

impl Link for Local {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.boxes.len()
    }

    fn send(&self, to: usize, tag: u8, bytes: &[u8]) {
        if self.is_dead() {
            return;
        }
        for _ in 0..self.copies() {
            let message = Message { from: self.rank, tag, bytes: bytes.to_vec() };
            self.boxes[to].put(Instant::now() + self.network.delay, message);
        }
    }

    fn backlog(&self) -> usize {
        0
    }

    fn poll(&self, wait: Duration) -> Option<Message> {
        self.boxes[self.rank].take(Instant::now() + wait).filter(|_| !self.is_dead())
    }

    fn abort(&self, _code: u8) {
        self.dead.iter().for_each(|dead| dead.store(true, Relaxed));
    }

    fn detach(&self) {
        self.detached.store(true, Relaxed);
    }

    fn is_detached(&self) -> bool {
        self.detached.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(1);
    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn messages_arrive_in_order_and_not_before_their_time() {
        let delay = Duration::from_millis(30);
        let ranks = Local::group(3, Network { delay, ..Network::default() });
        let begin = Instant::now();
        (0..5).for_each(|number| ranks[0].send(2, number, &[number; 3]));
        for number in 0..5 {
            let message = ranks[2].poll(LATE).unwrap();
            assert_eq!(message, Message { from: 0, tag: number, bytes: vec![number; 3] });
        }
        assert!(begin.elapsed() >= delay);
        assert_eq!((ranks[1].poll(SOON), ranks[2].poll(SOON)), (None, None));
    }

    #[test]
    fn weather_is_seeded() {
        let arrived = |seed| {
            let network = Network { loss: 20, doubled: 20, seed, ..Network::default() };
            let ranks = Local::group(2, network);
            (0..100).for_each(|tag| ranks[1].send(0, tag, &[]));
            std::iter::from_fn(|| ranks[0].poll(SOON)).map(|m| m.tag).collect::<Vec<u8>>()
        };
        let first = arrived(1);
        assert_eq!(first, arrived(1));
        assert_ne!(first, arrived(2));
        let twice = first.windows(2).filter(|pair| pair[0] == pair[1]).count();
        let lost = (0..100).filter(|tag| !first.contains(tag)).count();
        assert!((5..40).contains(&twice) && (5..40).contains(&lost), "{twice}, {lost}");
    }

    #[test]
    fn the_dead_neither_speak_nor_hear() {
        let ranks = Local::group(2, Network::default());
        ranks[0].send(1, 1, &[]);
        ranks[1].kill();
        ranks[1].send(0, 1, &[]);
        assert_eq!((ranks[0].poll(SOON), ranks[1].poll(SOON)), (None, None));
        ranks[0].abort(0);
        assert!(ranks[0].is_dead());
    }
}
