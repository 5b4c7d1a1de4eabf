//! Entries of the transposition table on their way between ranks.

use std::sync::Arc;
use std::time::Duration;

use crossbeam::queue::ArrayQueue;
use parking_lot::Mutex;

use crate::link::Link;
use crate::search::{Peers, TranspositionTable};

use super::message::{Batch, tag};

/// Entries that may wait to be sent: more than fifty threads find in a
/// millisecond. Further ones are dropped.
const MOST_WAITING: usize = 4096;
/// Messages that may wait in the link before no entries are added to them.
const MOST_BACKLOG: usize = 64;
/// Every rank sends to every other one. To one of up to so many others it does
/// that each millisecond; if there are more, all the less often.
const OTHERS: usize = 8;

/// What a rank sends and takes in.
pub struct Exchange {
    link: Arc<dyn Link>,
    outbox: ArrayQueue<(u64, u64)>,
    /// The search that is running, by number, and its table.
    current: Mutex<Option<(u32, Arc<TranspositionTable>)>>,
}

impl Exchange {
    pub fn new(link: Arc<dyn Link>) -> Exchange {
        Exchange { link, outbox: ArrayQueue::new(MOST_WAITING), current: Mutex::default() }
    }

    /// Time between two batches.
    pub fn interval(&self) -> Duration {
        Duration::from_millis(self.link.size().div_ceil(OTHERS + 1) as u64)
    }

    /// From now on entries belong to this search.
    pub fn begin(&self, search: u32, table: Arc<TranspositionTable>) {
        while self.outbox.pop().is_some() {}
        *self.current.lock() = Some((search, table));
    }

    /// The search is over.
    pub fn end(&self) {
        *self.current.lock() = None;
    }

    /// Whether a search is running.
    pub fn is_open(&self) -> bool {
        self.current.lock().is_some()
    }

    /// Sends what has gathered, and how many nodes were searched.
    pub fn ship(&self, nodes: u64) {
        let Some(search) = self.current.lock().as_ref().map(|(search, _)| *search) else { return };
        if self.link.backlog() > MOST_BACKLOG {
            return;
        }
        let entries = std::iter::from_fn(|| self.outbox.pop()).take(MOST_WAITING).collect();
        let batch = Batch { search, nodes, entries };
        let bytes = batch.encode();
        for rank in (0..self.link.size()).filter(|&rank| rank != self.link.rank()) {
            // rank 0 wants to know the nodes
            if rank == 0 || !batch.entries.is_empty() {
                self.link.send(rank, tag::ENTRIES, &bytes);
            }
        }
    }

    /// Takes entries of another rank into the table; the nodes that it has
    /// searched. `None` if they belong to another search.
    pub fn take(&self, bytes: &[u8]) -> Option<u64> {
        let batch = Batch::decode(bytes)?;
        let current = self.current.lock();
        let (_, table) = current.as_ref().filter(|(search, _)| *search == batch.search)?;
        batch.found().for_each(|(key, entry)| table.store(key, entry));
        Some(batch.nodes)
    }
}

impl Peers for Exchange {
    fn post(&self, key: u64, word: u64) {
        // a full outbox has enough to send
        let _ = self.outbox.push((key, word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Local, Network};
    use crate::score::{Bound, Score};
    use crate::search::Entry;

    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn entries_arrive_in_the_other_table_with_its_age() {
        let mut ranks = Local::group(2, Network::default()).into_iter();
        let mut exchange = || Exchange::new(Arc::new(ranks.next().unwrap()));
        let (one, other) = (exchange(), exchange());
        let table = || Arc::new(TranspositionTable::new(1).unwrap());
        let (own, theirs) = (table(), table());
        theirs.new_search();
        one.begin(4, Arc::clone(&own));
        other.begin(4, Arc::clone(&theirs));
        let entry = Entry {
            best: "h2e2".parse().ok(),
            score: Score::from_centipawns(31),
            eval: None,
            depth: 9,
            bound: Some(Bound::Lower),
            was_pv: true,
        };
        // they fill the first clusters, which the sample of `hashfull` sees
        (0..900).for_each(|key| one.post(key << 40, entry.to_word()));
        one.post(u64::MAX, u64::MAX);
        one.ship(77);
        let bytes = other.link.poll(LATE).unwrap().bytes;
        assert_eq!(other.take(&bytes), Some(77));
        assert_eq!((theirs.probe(5 << 40), own.probe(5 << 40)), (Some(entry), None));
        assert_eq!(theirs.probe(u64::MAX), None, "no search finds that");
        assert!(theirs.hashfull() > 0, "entries of the present search");
        other.begin(5, Arc::clone(&theirs));
        assert_eq!(other.take(&bytes), None, "of an earlier search");
        other.end();
        assert_eq!(other.take(&bytes), None);
    }

    #[test]
    fn what_nobody_sends_does_not_pile_up() {
        let link = Local::group(2, Network::default()).remove(0);
        let exchange = Exchange::new(Arc::new(link));
        (0..10_000).for_each(|key| exchange.post(key, 1));
        assert_eq!(exchange.outbox.len(), MOST_WAITING);
        exchange.begin(1, Arc::new(TranspositionTable::new(1).unwrap()));
        assert_eq!(exchange.outbox.len(), 0, "of an earlier search");
    }
}
