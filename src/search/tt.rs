//! The transposition table: shared by all threads, without locks.
//!
//! An entry is one 64-bit word, so it is never torn; a cluster of three
//! entries and a word with their key checks fills half a cache line. A word
//! and its check are written one after the other, and two writers can undo
//! each other's checks; so a check is stored mixed with its entry (Hyatt and
//! Mann, "A Lock-less Transposition Table Implementation for Parallel Search",
//! ICGA Journal 2002): what does not belong together fits no position. What is
//! left are two positions with equal checks; a move from the table is
//! therefore tested for pseudo-legality.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use memmap2::{MmapMut, MmapRaw};

use crate::board::Move;
use crate::score::{Bound, MAX_PLY, Score};

const ENTRIES: usize = 3;
const CHECK_BITS: u32 = 21;
const CHECK_MASK: u64 = (1 << CHECK_BITS) - 1;
/// Ages count modulo this.
const AGES: u8 = 32;
const MEGABYTE: usize = 1 << 20;

#[repr(C, align(32))]
struct Cluster {
    entries: [AtomicU64; ENTRIES],
    checks: AtomicU64,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move found.
    pub best: Option<Move>,
    /// The score, distances counted from the stored position; with
    /// [`Entry::bound`] `None` it says nothing.
    pub score: Score,
    /// The static evaluation, uncorrected; `None` if in check.
    pub eval: Option<Score>,
    /// Remaining depth of the search, plies; 0 for quiescence.
    pub depth: i32,
    /// What the score means.
    pub bound: Option<Bound>,
    /// Whether the position has been on a principal variation.
    pub was_pv: bool,
}

impl Entry {
    /// The entry as a word, for a table of another process.
    pub fn to_word(&self) -> u64 {
        Packed::pack(self, 0).0
    }

    /// Reads such a word; `None` if no search can have found that.
    pub fn from_word(word: u64) -> Option<Entry> {
        let entry = Packed(word).unpack()?;
        let is_sane = |score: Score| score.raw().abs() <= Score::INFINITE.raw();
        let is_sound = is_sane(entry.score) && !entry.score.is_by_rule() && entry.bound.is_some();
        (is_sound && entry.depth <= MAX_PLY as i32).then_some(entry)
    }
}

/// A table of fixed size, shared by reference.
pub struct TranspositionTable {
    memory: MmapRaw,
    clusters: usize,
    age: AtomicU8,
    /// Mixed into the checks: entries stored with another one are forgotten.
    salt: AtomicU64,
}

/// The memory for a table could not be had.
#[derive(Debug, thiserror::Error)]
#[error("no memory for a hash table of {megabytes} MB ({source})")]
pub struct TableError {
    megabytes: usize,
    source: std::io::Error,
}

impl TranspositionTable {
    /// An empty table of so many megabytes (at least 1), on huge pages where
    /// the system gives them.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn new(megabytes: usize) -> Result<TranspositionTable, TableError> {
        let megabytes = megabytes.max(1);
        let bytes = megabytes.checked_mul(MEGABYTE).ok_or_else(|| TableError {
            megabytes,
            source: std::io::ErrorKind::OutOfMemory.into(),
        })?;
        let memory = MmapMut::map_anon(bytes).map_err(|source| TableError { megabytes, source })?;
        #[cfg(target_os = "linux")]
        // advice only: small pages serve as well, if slower
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(TranspositionTable {
            memory: memory.into(),
            clusters: bytes / size_of::<Cluster>(),
            age: AtomicU8::new(0),
            salt: AtomicU64::new(0),
        })
    }

    /// Size in megabytes.
    pub fn megabytes(&self) -> usize {
        self.memory.len() / MEGABYTE
    }

    #[inline]
    fn clusters(&self) -> &[Cluster] {
        // SAFETY: the mapping is writable, page-aligned (so 32-byte aligned), lives
        // as long as `self`, holds at least `clusters` clusters, and is only ever
        // accessed through these atomics, for which every bit pattern is valid.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().cast(), self.clusters) }
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters as u128) >> 64;
        &self.clusters()[index as usize]
    }

    /// Asks the processor to fetch the entries of a key.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let address: *const Cluster = self.cluster(key);
            // SAFETY: a prefetch changes nothing, whatever the address; this
            // one is inside the table.
            unsafe { _mm_prefetch(address.cast(), _MM_HINT_T0) };
        }
        #[cfg(target_arch = "aarch64")]
        {
            let address: *const Cluster = self.cluster(key);
            // SAFETY: as above; there is no stable intrinsic for it.
            unsafe {
                std::arch::asm!(
                    "prfm pldl1keep, [{}]",
                    in(reg) address,
                    options(nostack, preserves_flags, readonly)
                );
            }
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let _ = key;
    }

    /// The key under which a position is stored: another one after each
    /// [`forget`](TranspositionTable::forget), in the same cluster.
    #[inline]
    fn salted(&self, key: u64) -> u64 {
        key ^ self.salt.load(Relaxed)
    }

    /// Looks a position up.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let key = self.salted(key);
        let cluster = self.cluster(key);
        let checks = cluster.checks.load(Relaxed);
        (0..ENTRIES)
            .map(|i| (i, Packed(cluster.entries[i].load(Relaxed))))
            .filter(|&(i, entry)| entry.belongs_to(key, checks, i))
            .find_map(|(_, entry)| entry.unpack())
    }

    /// Stores what a search found out.
    ///
    /// The entry of the same position is kept, with the newer best move, if it
    /// is much deeper and of this age; otherwise the least useful entry of the
    /// cluster goes, shallow and old ones first. A known best move outlives a
    /// store without one.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        let key = self.salted(key);
        let cluster = self.cluster(key);
        let age = self.age.load(Relaxed);
        let checks = cluster.checks.load(Relaxed);
        let mut slot = 0;
        let mut least = i32::MAX;
        for i in 0..ENTRIES {
            let old = Packed(cluster.entries[i].load(Relaxed));
            if old.belongs_to(key, checks, i) {
                if old.is_worth_keeping(&entry, age) {
                    let newer = entry.best.filter(|&best| old.best() != Some(best));
                    if let Some((best, mut kept)) = newer.zip(old.unpack()) {
                        kept.best = Some(best);
                        write(cluster, i, key, Packed::pack(&kept, age));
                    }
                    return;
                }
                entry.best = entry.best.or(old.best());
                slot = i;
                break;
            }
            let worth = old.worth(age);
            if worth < least {
                least = worth;
                slot = i;
            }
        }
        write(cluster, slot, key, Packed::pack(&entry, age));
    }

    /// Begins a new search: entries of earlier ones are replaced first.
    pub fn new_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// Forgets all entries at once, however large the table: they stay where
    /// they are, but belong to no position any more, as far as a check can tell.
    pub fn forget(&self) {
        self.salt.store((self.salt.load(Relaxed) + 1) & CHECK_MASK, Relaxed);
    }

    /// Empties the table with so many threads.
    pub fn clear(&self, threads: usize) {
        let chunk = self.clusters.div_ceil(threads.max(1));
        std::thread::scope(|scope| {
            for part in self.clusters().chunks(chunk) {
                let spawned = std::thread::Builder::new().spawn_scoped(scope, || clear(part));
                if spawned.is_err() {
                    // the system gives no more threads
                    clear(part);
                }
            }
        });
        self.age.store(0, Relaxed);
        self.salt.store(0, Relaxed);
    }

    /// How much of the table the present search has filled, per mille, by a
    /// sample of a thousand entries.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = &self.clusters()[..self.clusters.min(1000 / ENTRIES)];
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster.entries)
            .map(|entry| Packed(entry.load(Relaxed)))
            .filter(|entry| entry.0 != 0 && entry.age() == age)
            .count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }
}

fn clear(clusters: &[Cluster]) {
    for cluster in clusters {
        cluster.entries.iter().for_each(|entry| entry.store(0, Relaxed));
        cluster.checks.store(0, Relaxed);
    }
}

/// An entry as a word, from the lowest bit: move 14, score 16, evaluation 16,
/// depth 8, bound 2, PV 1, age 5. Zero is an empty slot.
#[derive(Clone, Copy)]
struct Packed(u64);

/// Stands for "no evaluation".
const NO_EVAL: i16 = i16::MIN;

/// Writes an entry and its check.
#[inline]
fn write(cluster: &Cluster, slot: usize, key: u64, packed: Packed) {
    let shift = CHECK_BITS * slot as u32;
    let checks = cluster.checks.load(Relaxed) & !(CHECK_MASK << shift);
    cluster.entries[slot].store(packed.0, Relaxed);
    cluster.checks.store(checks | packed.check(key) << shift, Relaxed);
}

impl Packed {
    #[inline]
    fn pack(entry: &Entry, age: u8) -> Packed {
        let best = entry.best.map_or(0, Move::to_bits);
        let eval = entry.eval.map_or(NO_EVAL, |eval| eval.raw() as i16);
        let bound = match entry.bound {
            None => 0,
            Some(Bound::Upper) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Exact) => 3,
        };
        Packed(
            u64::from(best)
                | u64::from(entry.score.raw() as i16 as u16) << 14
                | u64::from(eval as u16) << 30
                | (entry.depth.clamp(0, 255) as u64) << 46
                | bound << 54
                | u64::from(entry.was_pv) << 56
                | u64::from(age) << 57,
        )
    }

    /// The check of this entry under a key.
    #[inline]
    const fn check(self, key: u64) -> u64 {
        (key ^ self.0 ^ self.0 >> CHECK_BITS ^ self.0 >> (2 * CHECK_BITS)) & CHECK_MASK
    }

    /// Whether the check of the entry in this slot is that of the key.
    #[inline]
    const fn belongs_to(self, key: u64, checks: u64, slot: usize) -> bool {
        checks >> (CHECK_BITS * slot as u32) & CHECK_MASK == self.check(key)
    }

    #[inline]
    fn unpack(self) -> Option<Entry> {
        if self.0 == 0 {
            return None;
        }
        let eval = (self.0 >> 30) as u16 as i16;
        Some(Entry {
            best: self.best(),
            score: Score::from_raw(i32::from((self.0 >> 14) as u16 as i16)),
            eval: (eval != NO_EVAL).then(|| Score::from_centipawns(i32::from(eval))),
            depth: self.depth(),
            bound: self.bound(),
            was_pv: self.0 >> 56 & 1 != 0,
        })
    }

    #[inline]
    fn best(self) -> Option<Move> {
        Move::from_bits((self.0 & 0x3FFF) as u16)
    }

    #[inline]
    fn depth(self) -> i32 {
        (self.0 >> 46 & 0xFF) as i32
    }

    #[inline]
    fn bound(self) -> Option<Bound> {
        match self.0 >> 54 & 3 {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }

    #[inline]
    fn age(self) -> u8 {
        (self.0 >> 57 & 31) as u8
    }

    #[inline]
    fn searches_ago(self, age: u8) -> i32 {
        i32::from((age + AGES - self.age()) % AGES)
    }

    /// The higher, the longer the entry should stay.
    #[inline]
    fn worth(self, age: u8) -> i32 {
        if self.0 == 0 { i32::MIN } else { self.depth() - 4 * self.searches_ago(age) }
    }

    /// Whether this entry of the same position tells more than a new one.
    #[inline]
    fn is_worth_keeping(self, new: &Entry, age: u8) -> bool {
        new.bound != Some(Bound::Exact)
            && self.age() == age
            && self.bound().is_some()
            && new.depth + 4 + 2 * i32::from(new.was_pv) <= self.depth()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(best: &str, score: i32, depth: i32, bound: Option<Bound>) -> Entry {
        Entry {
            best: best.parse().ok(),
            score: Score::from_raw(score),
            eval: (depth % 2 == 0).then(|| Score::from_centipawns(score / 4)),
            depth,
            bound,
            was_pv: depth % 3 == 0,
        }
    }

    #[test]
    fn what_goes_in_comes_out() {
        let table = TranspositionTable::new(1).unwrap();
        let bounds = [None, Some(Bound::Upper), Some(Bound::Lower), Some(Bound::Exact)];
        let mut key = 0x1234_5678_9ABC_DEF0u64;
        for depth in 0..200 {
            for bound in bounds {
                for score in [-32_000, -1, 0, 77, 32_000] {
                    key = key.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                    assert_eq!(table.probe(key), None);
                    let entry = entry("h2e2", score, depth, bound);
                    table.store(key, entry);
                    assert_eq!(table.probe(key), Some(entry));
                    table.clear(2);
                }
            }
        }
    }

    #[test]
    fn a_store_without_a_move_keeps_the_old_one_and_deep_entries_stay() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(5, entry("h2e2", 10, 4, Some(Bound::Lower)));
        table.store(5, entry("", 20, 4, Some(Bound::Lower)));
        assert_eq!(table.probe(5).unwrap().best, "h2e2".parse().ok());
        table.store(5, entry("b0c2", 30, 20, Some(Bound::Exact)));
        table.store(5, entry("a0a1", 40, 1, Some(Bound::Upper)));
        let kept = table.probe(5).unwrap();
        assert_eq!((kept.depth, kept.score.raw()), (20, 30));
        assert_eq!(kept.best, "a0a1".parse().ok(), "the newer move");
        table.store(5, entry("", 40, 1, Some(Bound::Upper)));
        assert_eq!(table.probe(5), Some(kept));
        table.new_search();
        table.store(5, entry("a0a1", 40, 1, Some(Bound::Upper)));
        assert_eq!(table.probe(5).unwrap().depth, 1);
    }

    #[test]
    fn a_full_cluster_gives_up_its_shallowest_entry() {
        let table = TranspositionTable::new(1).unwrap();
        for (key, depth) in [(1, 9), (2, 3), (3, 7), (4, 5)] {
            table.store(key, entry("h2e2", 0, depth, Some(Bound::Exact)));
        }
        assert_eq!([1, 2, 3, 4].map(|key| table.probe(key).is_some()), [true, false, true, true]);
    }

    #[test]
    fn words_of_other_processes_are_read_with_care() {
        let entry = entry("h2e2", 120, 7, Some(Bound::Lower));
        assert_eq!(Entry::from_word(entry.to_word()), Some(entry));
        let by_rule = Entry { score: Score::rule_loss_in(3), ..entry };
        let absurd = Entry { score: Score::from_raw(i32::from(i16::MAX)), ..entry };
        let absurd_eval = Entry { eval: Some(Score::mate_in(1)), ..entry };
        let empty = Entry { bound: None, ..entry };
        for entry in [by_rule, absurd, empty] {
            assert_eq!(Entry::from_word(entry.to_word()), None, "{entry:?}");
        }
        let read = Entry::from_word(absurd_eval.to_word()).unwrap();
        assert!(read.eval.is_some_and(|eval| !eval.is_decisive()), "{read:?}");
    }

    #[test]
    fn what_is_forgotten_is_found_no_more_and_makes_room() {
        let table = TranspositionTable::new(1).unwrap();
        // the first two share a cluster
        let keys = [0, 0x9_E377, u64::MAX, 0x1234_5678_9ABC_DEF0];
        let stored = entry("h2e2", 10, 8, Some(Bound::Exact));
        for _ in 0..100 {
            keys.iter().for_each(|&key| table.store(key, stored));
            assert!(keys.iter().all(|&key| table.probe(key) == Some(stored)));
            table.forget();
            table.new_search();
            assert!(keys.iter().all(|&key| table.probe(key).is_none()));
        }
        table.clear(1);
        table.store(5, stored);
        assert_eq!(table.probe(5), Some(stored));
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(TranspositionTable::new(usize::MAX).is_err());
    }

    #[test]
    fn writers_of_one_cluster_leave_no_entry_with_the_key_of_another() {
        let table = TranspositionTable::new(1).unwrap();
        // one cluster, checks that have nothing in common
        let key = |i: u64| 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(i + 1) & CHECK_MASK;
        let store = |i: u64, round: i32| {
            table.store(key(i), entry("h2e2", i as i32, 2 + round % 8, Some(Bound::Exact)));
        };
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let (table, key, store) = (&table, &key, &store);
                scope.spawn(move || {
                    for round in 0..100_000 {
                        let i = 4 * writer + round % 4;
                        store(i, round as i32);
                        let found = table.probe(key(i));
                        assert!(found.is_none_or(|found| found.score.raw() == i as i32));
                    }
                });
            }
        });
        let found = (0..16).filter_map(|i| Some((i, table.probe(key(i))?)));
        let found: Vec<_> = found.map(|(i, entry)| (i, entry.score.raw())).collect();
        assert!(
            !found.is_empty() && found.iter().all(|&(i, score)| score == i as i32),
            "{found:?}"
        );
    }
}
