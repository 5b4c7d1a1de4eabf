//! The table of the mate search: proof and disproof numbers by position and
//! bound.

/// A number that is never reached: the opposite is proved.
pub(super) const INFINITE: u32 = 1 << 30;
/// A refutation that does not depend on the number of moves.
pub(super) const FOR_EVER: u16 = u16::MAX;

/// How far a node is from being proved or refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// Open leaves left for a mate, and for its refutation; the one is 0 when
    /// the other is infinite.
    pub left: [u32; 2],
    /// Moves of the attacker: of a mate, its length at most; of a refutation,
    /// how many are refuted; else the bound of the search.
    pub moves: u16,
}

impl Numbers {
    pub(super) const fn mate(moves: u16) -> Numbers {
        Numbers { left: [0, INFINITE], moves }
    }

    pub(super) const fn refuted(moves: u16) -> Numbers {
        Numbers { left: [INFINITE, 0], moves }
    }

    pub(super) const fn is_mate(self) -> bool {
        self.left[0] == 0
    }

    pub(super) const fn is_refuted(self) -> bool {
        self.left[1] == 0
    }

    /// Whether this settles the question of a mate within `moves`.
    const fn settles(self, moves: u16) -> bool {
        self.is_mate() && self.moves <= moves || self.is_refuted() && self.moves >= moves
    }
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    numbers: Numbers,
    /// The search that wrote it; 0: none.
    search: u16,
    /// Nodes searched below.
    work: u32,
}

const EMPTY: Entry =
    Entry { key: 0, numbers: Numbers { left: [1, 1], moves: 0 }, search: 0, work: 0 };
/// Entries that are looked through for a position.
const CLUSTER: usize = 4;

pub(super) struct Table {
    clusters: Vec<[Entry; CLUSTER]>,
    search: u16,
}

impl Table {
    /// A table of at least this many entries, at least one cluster.
    pub(super) fn new(entries: usize) -> Table {
        let clusters = entries.div_ceil(CLUSTER).max(1).next_power_of_two();
        Table { clusters: vec![[EMPTY; CLUSTER]; clusters], search: 0 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        match self.search.checked_add(1) {
            Some(next) => self.search = next,
            None => {
                self.clusters.fill([EMPTY; CLUSTER]);
                self.search = 1;
            }
        }
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.clusters.len() - 1)
    }

    /// What is known of a position with so many moves left. If that is only
    /// known with another bound, its numbers serve as a first estimate.
    pub(super) fn estimate(&self, key: u64, moves: u16) -> Option<Numbers> {
        let entries = || self.entries(key);
        let open = |numbers: &Numbers| !numbers.is_mate() && !numbers.is_refuted();
        let other_bound = || entries().find(open).map(|numbers| Numbers { moves, ..numbers });
        self.probe(key, moves).or_else(other_bound)
    }

    /// What is known of a position with so many moves left.
    pub(super) fn probe(&self, key: u64, moves: u16) -> Option<Numbers> {
        self.entries(key).find(|numbers| numbers.settles(moves) || numbers.moves == moves)
    }

    fn entries(&self, key: u64) -> impl Iterator<Item = Numbers> {
        let cluster = self.clusters[self.index(key)].iter();
        cluster
            .filter(move |entry| entry.key == key && entry.search == self.search)
            .map(|entry| entry.numbers)
    }

    /// Keeps what was found with `work` nodes.
    pub(super) fn store(&mut self, key: u64, numbers: Numbers, work: u64) {
        let search = self.search;
        let index = self.index(key);
        let cluster = &mut self.clusters[index];
        let same = |entry: &Entry| {
            let old = entry.numbers;
            let superseded = old.moves == numbers.moves
                || numbers.is_mate() && !old.is_refuted() && old.moves > numbers.moves
                || numbers.is_refuted() && !old.is_mate() && old.moves < numbers.moves;
            entry.key == key && entry.search == search && superseded
        };
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        let place = cluster.iter().position(same);
        // all entries of earlier searches are alike, so that nothing depends on them
        let least = |entry: &&mut Entry| match entry.search == search {
            true => (true, entry.work),
            false => (false, 0),
        };
        let entry = match place {
            Some(place) => Some(&mut cluster[place]),
            None => cluster.iter_mut().min_by_key(least),
        };
        if let Some(entry) = entry {
            *entry = Entry { key, numbers, search, work };
        }
    }
}
