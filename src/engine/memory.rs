//! Threads and the hash table: as much of them as there is memory for.

use crate::util::{self, Memory};

use super::{Engine, EngineError};

/// If the engine may choose, the hash table takes this share of the memory,
/// but not more than that many megabytes, and these if nobody knows.
const CHOSEN_SHARE: usize = 8;
pub(super) const CHOSEN_MAX: usize = 1024;
const CHOSEN_HASH: usize = 64;
/// Memory of a search thread, the tables of its group of threads included.
const THREAD_MEGABYTES: usize = 7;

impl Engine {
    /// Has so many threads search, as many as there are cores if it is 0.
    pub(super) fn set_threads(&mut self, threads: i64, pinned: bool) -> Result<(), EngineError> {
        let wanted = usize::try_from(threads).ok().filter(|&threads| threads > 0);
        let wanted = wanted.unwrap_or_else(util::cores);
        let kept = self.pool.threads();
        let room = Memory::ask().map(|memory| kept + memory.available / THREAD_MEGABYTES);
        if let Some(room) = room.filter(|&room| wanted > room) {
            return Err(EngineError::TooManyThreads { wanted, room, kept });
        }
        Ok(self.pool.set_threads(wanted, pinned)?)
    }

    /// Replaces the hash table; 0: by one that fits the memory.
    pub(super) fn set_hash(&mut self, megabytes: i64) -> Result<(), EngineError> {
        let kept = self.pool.table().megabytes();
        let memory = Memory::ask();
        // the old table can make room for the new one
        let room = memory.map(|memory| memory.available + kept);
        let chosen = || room.map_or(CHOSEN_HASH, |room| room / CHOSEN_SHARE).min(CHOSEN_MAX);
        let wanted =
            usize::try_from(megabytes).ok().filter(|&wanted| wanted > 0).unwrap_or_else(chosen);
        match memory {
            _ if wanted == kept => Ok(()),
            Some(memory) if wanted > memory.available + kept => {
                let room = memory.available + kept;
                Err(EngineError::HashTooLarge { wanted, room, kept })
            }
            Some(memory) if wanted > memory.available => self.exchange_hash(wanted, kept),
            _ => Ok(self.pool.set_hash(wanted)?),
        }
    }

    /// Gives the old table back before the new one is made.
    fn exchange_hash(&mut self, wanted: usize, kept: usize) -> Result<(), EngineError> {
        self.pool.set_hash(1)?;
        let result = self.pool.set_hash(wanted);
        if result.is_err() {
            self.pool.set_hash(kept)?;
        }
        Ok(result?)
    }
}
