//! A table as it lies in a file: values in blocks, each compressed on its own,
//! so that one can be read without the others.
//!
//! Numbers are little-endian.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `HANXINET` |
//! | 8 | 4 | version: 1 |
//! | 12 | 4 | CRC-32 of what follows, up to the first block |
//! | 16 | 1 | metric: 1 result alone, 2 distance to mate in plies |
//! | 17 | 1 | sides to move: 1 Red, 2 Black, 3 both |
//! | 18 | 1 | rules: 1 the values hold under every rule set |
//! | 20 | 4 | numbers of a block |
//! | 24 | 8 | numbers of a side |
//! | 32 | 24 | name of the material, then zeros |
//! | 56 | 2 × 48 | counts of Red, of Black to move: positions, wins, draws, losses, mates and stalemates (8 bytes each), longest win, longest loss (2 bytes each, 65535: none) |
//! | 152 | 8 × (n + 1) | where each of the n blocks begins, those of Red first, and where the last one ends |
//! | | 4 × n | CRC-32 of each block |
//! | | | the blocks: zstd frames of one byte a number |
//!
//! A byte is the distance in plies, even if lost and odd if won, or 253 for a
//! draw; without distances, 0 is lost and 1 won. A number that is not a
//! position has the value of the number before it, which costs next to nothing.
//! zstd (RFC 8878) makes blocks a third of the size of lz4 and is no slower to
//! read: about 10 µs for 16,384 numbers.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use zstd::bulk::{Compressor, Decompressor};

use crate::board::Color;
use crate::util::{Mapped, crc32};

use super::header::{Header, Metric, TableError, block_start, block_sum};
use super::index::Index;
use super::parallel::for_each;
use super::solution::{Counts, Solution};
use super::value::{DRAW, ILLEGAL, Value};

/// Which values of a solution a table keeps, and how.
#[derive(Clone, Copy, Debug)]
pub struct Packing {
    /// What a value tells.
    pub metric: Metric,
    /// Whether positions with this side to move are in it.
    pub sides: [bool; 2],
    /// Numbers of a block: the more, the smaller the file and the longer it
    /// takes to read one value.
    pub block: usize,
    /// Effort of the compression, 1 to 22.
    pub level: i32,
}

impl Packing {
    /// Files of their own: level 19 makes them 8 % smaller in ten times the time.
    pub const FILE: Packing =
        Packing { metric: Metric::Dtm, sides: [true; 2], block: 1 << 14, level: 9 };
    /// Inside the program: as small as can be. One side to move is enough, the
    /// values of the other follow from it.
    pub const EMBEDDED: Packing =
        Packing { metric: Metric::Wdl, sides: [true, false], block: 1 << 16, level: 19 };
}

/// A table that is read block by block.
pub struct Table {
    /// Different for each table opened by this process.
    id: u64,
    index: Index,
    header: Header,
    file: Box<dyn AsRef<[u8]> + Send + Sync>,
    is_damaged: AtomicBool,
}

impl Table {
    /// Maps a file; its blocks are checked when they are read.
    ///
    /// # Errors
    /// When it is not a whole table.
    pub fn open(path: &Path) -> Result<Table, TableError> {
        Table::new(Mapped::open(path)?)
    }

    /// The table of these bytes of a file.
    ///
    /// # Errors
    /// When they are not a whole table.
    pub fn new(file: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Table, TableError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let header = Header::read(file.as_ref())?;
        let index = Index::new(header.material);
        Ok(Table {
            id: NEXT.fetch_add(1, Relaxed),
            index,
            header,
            file: Box::new(file),
            is_damaged: AtomicBool::new(false),
        })
    }

    /// What it says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The numbering.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        (*self.file).as_ref().len()
    }

    /// Whether a block could not be read.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Relaxed)
    }

    /// The value of a number that is a position; `None` if this side to move is
    /// not in the table or the file is damaged. Without distances a win takes 1
    /// ply and a loss 0.
    #[inline]
    pub fn value(&self, number: usize, side: Color, cache: &mut Cache) -> Option<Value> {
        let bytes = cache.block(self, side, number / self.header.block)?;
        Value::from_byte(*bytes.get(number % self.header.block)?)
    }

    /// Reads a block into `bytes`.
    fn read_block(
        &self,
        side: Color,
        block: usize,
        decompressor: &mut Decompressor<'_>,
        bytes: &mut Vec<u8>,
    ) -> Option<()> {
        let header = &self.header;
        if !header.sides[side.index()] || block >= header.blocks_of_side() {
            return None;
        }
        let is_second = side == Color::Black && header.sides[0];
        let number = block + if is_second { header.blocks_of_side() } else { 0 };
        let file = (*self.file).as_ref();
        let packed = file.get(block_start(file, number)?..block_start(file, number + 1)?)?;
        if crc32(packed) != block_sum(file, number, header.blocks())? {
            return None;
        }
        let length = header.block.min(header.size - block * header.block);
        bytes.resize(length, 0);
        let written = decompressor.decompress_to_buffer(packed, &mut bytes[..]).ok()?;
        (written == length).then_some(())
    }

    /// All values, for the generator and its proof.
    ///
    /// # Errors
    /// When the file is damaged or has not the distances of both sides.
    pub fn unpack(&self, threads: usize) -> Result<Solution, TableError> {
        if self.header.metric != Metric::Dtm || self.header.sides != [true; 2] {
            return Err(TableError::Incomplete);
        }
        let [red, black] = Color::ALL.map(|side| self.unpack_side(side, threads));
        Ok(Solution { index: Index::new(self.header.material), bytes: [red?, black?] })
    }

    fn unpack_side(&self, side: Color, threads: usize) -> Result<Vec<u8>, TableError> {
        let blocks: Vec<OnceLock<Vec<u8>>> =
            (0..self.header.blocks_of_side()).map(|_| OnceLock::new()).collect();
        for_each(
            blocks.len(),
            threads,
            || Decompressor::new().ok(),
            |decompressor, block| {
                let mut bytes = Vec::new();
                let decompressor = decompressor.as_mut();
                let read = decompressor.and_then(|d| self.read_block(side, block, d, &mut bytes));
                if read.is_some() {
                    let _ = blocks[block].set(bytes);
                }
            },
        );
        let mut all = Vec::with_capacity(self.header.size);
        for block in blocks {
            all.extend(block.into_inner().ok_or(TableError::Damaged)?);
        }
        Ok(all)
    }
}

/// The bytes of a table's file.
///
/// # Errors
/// When there is no memory to compress in.
pub fn pack(
    solution: &Solution,
    counts: [Counts; 2],
    packing: &Packing,
    threads: usize,
) -> std::io::Result<Vec<u8>> {
    let header = Header {
        material: solution.index.material(),
        metric: packing.metric,
        sides: packing.sides,
        block: packing.block,
        size: solution.index.size(),
        counts,
    };
    let mut blocks = Vec::with_capacity(header.blocks());
    for side in Color::ALL.into_iter().filter(|side| packing.sides[side.index()]) {
        let values: Vec<&[u8]> = solution.bytes[side.index()].chunks(packing.block).collect();
        let packed: Vec<OnceLock<std::io::Result<Vec<u8>>>> =
            values.iter().map(|_| OnceLock::new()).collect();
        let compressor = || Compressor::new(packing.level);
        for_each(values.len(), threads, compressor, |compressor, block| {
            let bytes = match compressor {
                Ok(compressor) => compressor.compress(&without_gaps(values[block], packing.metric)),
                Err(_) => Err(std::io::ErrorKind::OutOfMemory.into()),
            };
            let _ = packed[block].set(bytes);
        });
        for block in packed {
            blocks.push(block.into_inner().unwrap_or(Err(std::io::ErrorKind::OutOfMemory.into()))?);
        }
    }
    let mut file = header.to_bytes(&blocks);
    blocks.iter().for_each(|block| file.extend_from_slice(block));
    Ok(file)
}

/// The values as a table keeps them: what is not a position repeats the one
/// before.
fn without_gaps(bytes: &[u8], metric: Metric) -> Vec<u8> {
    let mut last = DRAW;
    let keep = |&byte: &u8| {
        if byte < ILLEGAL {
            last = if metric == Metric::Wdl && byte != DRAW { byte % 2 } else { byte };
        }
        last
    };
    bytes.iter().map(keep).collect()
}

/// Blocks that a thread has read, so that values near each other are read
/// once. Each block has one place; a newer one takes it.
pub struct Cache {
    /// The key of the block in each place, 0 if there is none.
    keys: Vec<u64>,
    blocks: Vec<Vec<u8>>,
    decompressor: Option<Decompressor<'static>>,
}

impl Cache {
    /// A cache of so many blocks, at least one.
    pub fn new(blocks: usize) -> Cache {
        let blocks = blocks.max(1);
        Cache { keys: vec![0; blocks], blocks: vec![Vec::new(); blocks], decompressor: None }
    }

    #[inline]
    fn block(&mut self, table: &Table, side: Color, block: usize) -> Option<&[u8]> {
        /// 2^64 divided by the golden ratio (Knuth, volume 3, section 6.4).
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let key = table.id << 33 | (block as u64) << 1 | side.index() as u64;
        let place = (key.wrapping_mul(SPREAD) >> 32) as usize % self.keys.len();
        if self.keys[place] != key {
            self.keys[place] = 0;
            if self.decompressor.is_none() {
                self.decompressor = Decompressor::new().ok();
            }
            let (decompressor, bytes) = (self.decompressor.as_mut()?, &mut self.blocks[place]);
            if table.read_block(side, block, decompressor, bytes).is_none() {
                table.is_damaged.fetch_or(table.header.sides[side.index()], Relaxed);
                return None;
            }
            self.keys[place] = key;
        }
        Some(&self.blocks[place])
    }
}
