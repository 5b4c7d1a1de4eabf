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
//! | 18 | 1 | rules: 1 the values hold under every rule set, 2 where perpetual check loses |
//! | 20 | 4 | numbers of a block |
//! | 24 | 8 | numbers of a side |
//! | 32 | 24 | name of the material, then zeros |
//! | 56 | 2 × 48 | counts of Red, of Black to move: positions, wins, draws, losses, mates and stalemates (8 bytes each), longest win, longest loss (2 bytes each, 65535: none) |
//! | 152 | 8 × (n + 1) | where each of the n blocks begins, those of Red first, and where the last one ends |
//! | | 4 × n | CRC-32 of each block |
//! | | | the blocks: zstd frames of one byte a number |
//!
//! A byte is the distance in plies, even if lost and odd if won, or 253 for a
//! draw; 252 is won and 251 lost by perpetual check, without a distance; 250 is
//! lost or drawn, 249 any result and 248 drawn or won, depending on what is a
//! perpetual chase. Without distances, 0 is lost and 1 won. A number that is not a
//! position has the value of the number before it, which costs next to nothing.
//! zstd (RFC 8878) makes blocks a third of the size of lz4 and is no slower to
//! read: about 10 µs for 16,384 numbers.

use std::path::{Path, PathBuf};
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

    /// As small as can be, for a program: the values of one side to move, from
    /// which those of the other follow.
    pub const fn small(metric: Metric, side: Color) -> Packing {
        let sides = [matches!(side, Color::Red), matches!(side, Color::Black)];
        Packing { metric, sides, block: 1 << 16, level: 19 }
    }
}

/// A table that is read block by block.
pub struct Table {
    /// Different for each table opened by this process.
    id: u64,
    /// The file it was opened from, or how such a file would be called.
    path: PathBuf,
    /// Made when the first value is asked for.
    index: OnceLock<Index>,
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
        let table = Table::new(Mapped::open(path)?)?;
        Ok(Table { path: path.to_owned(), ..table })
    }

    /// The table of these bytes of a file.
    ///
    /// # Errors
    /// When they are not a whole table.
    pub fn new(file: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Table, TableError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (header, length) = Header::read(file.as_ref())?;
        if length != file.as_ref().len() {
            return Err(TableError::Damaged);
        }
        Ok(Table {
            id: NEXT.fetch_add(1, Relaxed),
            path: format!("{}.{}", header.material, header.metric.extension()).into(),
            index: OnceLock::new(),
            header,
            file: Box::new(file),
            is_damaged: AtomicBool::new(false),
        })
    }

    /// The tables of files that were joined, one after the other.
    ///
    /// # Errors
    /// When one of them is not a whole table.
    pub fn split(mut files: &'static [u8]) -> Result<Vec<Table>, TableError> {
        let mut tables = Vec::new();
        while !files.is_empty() {
            let (_, length) = Header::read(files)?;
            let (file, rest) = files.split_at(length);
            tables.push(Table::new(file)?);
            files = rest;
        }
        Ok(tables)
    }

    /// What it says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file it was opened from; of one that was in none, the name that such a
    /// file would have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbering.
    #[inline]
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.header.material))
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
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
        if !self.header.is_whole() {
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
            last = match Value::from_byte(byte).filter(|_| metric == Metric::Wdl) {
                Some(Value::Win { .. } | Value::RuleWin) => 1,
                Some(Value::Loss { .. } | Value::RuleLoss) => 0,
                _ => byte,
            };
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

impl Default for Cache {
    /// As many blocks as a thread keeps at hand: captures of neighbouring
    /// numbers lead to a few places of each smaller table.
    fn default() -> Cache {
        Cache::new(64)
    }
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

#[cfg(test)]
mod tests {
    use super::super::solution::{Source, Sources};
    use super::*;
    use crate::egtb::{Material, solve};

    /// The smallest tables, and the one of a material.
    fn solution(name: &str) -> Solution {
        let wanted: Material = name.parse().unwrap();
        let mut sources = Sources::new();
        for material in Material::closure(&[wanted]) {
            let solution = solve(material, &sources, 1).unwrap();
            if material == wanted {
                return solution;
            }
            sources.insert(material, Source::Held(std::sync::Arc::new(solution)));
        }
        unreachable!("a closure contains what it is of")
    }

    fn file(solution: &Solution, packing: &Packing) -> Vec<u8> {
        pack(solution, Color::ALL.map(|side| solution.counts(side)), packing, 2).unwrap()
    }

    #[test]
    fn values_and_counts_are_those_that_were_packed() {
        let solution = solution("KPKA");
        let mut cache = Cache::new(3);
        for metric in [Metric::Wdl, Metric::Dtm] {
            for sides in [[true, true], [true, false], [false, true]] {
                let packing = Packing { metric, sides, block: 700, level: 3 };
                let table = Table::new(file(&solution, &packing)).unwrap();
                for side in Color::ALL {
                    assert_eq!(table.header().counts[side.index()], solution.counts(side));
                    for number in 0..solution.index.size() {
                        let Some(value) = solution.value(number, side) else { continue };
                        let read = table.value(number, side, &mut cache);
                        match (sides[side.index()], metric) {
                            (false, _) => assert_eq!(read, None),
                            (true, Metric::Dtm) => assert_eq!(read, Some(value)),
                            (true, Metric::Wdl) => assert_eq!(read.unwrap().wdl(), value.wdl()),
                        }
                    }
                }
                assert!(!table.is_damaged());
            }
        }
    }

    #[test]
    fn joined_files_are_taken_apart() {
        let [one, two] = ["KPK", "KRK"]
            .map(solution)
            .map(|solution| file(&solution, &Packing::small(Metric::Dtm, Color::Red)));
        let joined = [one, two].concat().leak();
        let tables = Table::split(joined).unwrap();
        let names = tables.iter().map(|table| table.header().material.to_string());
        assert_eq!(names.collect::<Vec<_>>(), ["KPK", "KRK"]);
        assert!(Table::split(&joined[..joined.len() - 1]).is_err());
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let solution = solution("KPK");
        let whole = file(&solution, &Packing { block: 1 << 10, ..Packing::FILE });
        let is_noticed = |bytes: Vec<u8>| match Table::new(bytes) {
            Err(_) => true,
            Ok(table) => table.unpack(1).is_err(),
        };
        assert!(!is_noticed(whole.clone()));
        for length in 0..whole.len() {
            assert!(is_noticed(whole[..length].to_vec()), "cut to {length}");
        }
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(is_noticed(bytes), "bit {bit}");
        }
    }

    #[test]
    fn claims_beyond_all_bounds_are_refused_though_the_sum_is_right() {
        let solution = solution("KPK");
        let whole = file(&solution, &Packing { block: 1 << 10, ..Packing::FILE });
        let header = Header::read(&whole).unwrap().0.length();
        let names = ["KRRRRRK", "KPK", "KKKKK", "KPPPPPKPPPPP"];
        for (at, bytes) in
            [(16, &[9u8][..]), (17, &[0]), (18, &[7]), (20, &[255; 4]), (20, &[0; 4])]
                .into_iter()
                .chain([(24, &[255u8; 8][..]), (152, &[255; 8]), (160, &[255; 8])])
                .chain(
                    names.iter().filter(|name| **name != "KPK").map(|name| (32, name.as_bytes())),
                )
        {
            let mut damaged = whole.clone();
            damaged[at..at + bytes.len()].copy_from_slice(bytes);
            let sum = crc32(&damaged[16..header]);
            damaged[12..16].copy_from_slice(&sum.to_le_bytes());
            let refused = match Table::new(damaged) {
                Err(error) => error.to_string().contains("generate it again"),
                Ok(table) => table.unpack(1).is_err(),
            };
            assert!(refused, "{at} {bytes:?}");
        }
    }

    #[test]
    fn a_damaged_block_has_no_values_and_is_remembered() {
        let solution = solution("KPK");
        let mut bytes = file(&solution, &Packing { block: 1 << 10, ..Packing::FILE });
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let table = Table::new(bytes).unwrap();
        let mut cache = Cache::new(4);
        let (first, size) = (0, solution.index.size());
        assert!(table.value(first, Color::Red, &mut cache).is_some() && !table.is_damaged());
        assert_eq!(table.value(size - 1, Color::Black, &mut cache), None);
        assert!(table.is_damaged());
    }
}
