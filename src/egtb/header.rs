//! What a table's file says of itself before its values.

use crate::util::crc32;

use super::index::Index;
use super::material::Material;
use super::solution::Counts;

const MAGIC: &[u8; 8] = b"HANXINET";
const VERSION: u32 = 1;
/// The values hold under every rule set.
const ANY_RULES: u8 = 1;
/// They hold where perpetual check loses, however a perpetual chase is judged.
const PERPETUAL_CHECK_LOSES: u8 = 2;
/// Bytes before the list of blocks.
const FIXED: usize = 152;
const COUNTS: usize = 48;
/// The file's mark of a longest distance that does not exist.
const NO_PLIES: u16 = u16::MAX;
const MAX_BLOCK: u32 = 1 << 20;

/// What a value tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Win, draw or loss.
    Wdl = 1,
    /// The same with the distance to mate in plies.
    Dtm = 2,
}

/// Why a file is not a table that can be used; the message follows its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum TableError {
    #[error("{0}")]
    Unreadable(#[from] crate::util::ReadError),
    #[error("is not an endgame table of this program; delete it and generate it again")]
    NotATable,
    #[error("is of version {0}, which this program does not know; use a newer program")]
    Version(u32),
    #[error("is damaged or cut short; delete it and generate it again")]
    Damaged,
    #[error("holds the table of {0}, which is not what its name says; rename it")]
    OtherMaterial(Material),
    #[error("has not the values that are needed here; delete it and generate it again")]
    Incomplete,
}

/// What a table's file says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The material, canonical.
    pub material: Material,
    /// What a value tells.
    pub metric: Metric,
    /// Whether positions with this side to move are in it.
    pub sides: [bool; 2],
    /// Numbers of a block.
    pub block: usize,
    /// Numbers of a side.
    pub size: usize,
    /// By side to move.
    pub counts: [Counts; 2],
}

impl Header {
    /// Under which rules the values are exact.
    pub fn rules(&self) -> &'static str {
        match rules_of(self.material) {
            ANY_RULES => "under all rule sets",
            _ => "where perpetual check loses, whatever is a chase",
        }
    }

    /// Whether the distances of both sides are in it, as the generator needs them.
    pub fn is_whole(&self) -> bool {
        self.metric == Metric::Dtm && self.sides == [true; 2]
    }

    /// Blocks of a side.
    pub fn blocks_of_side(&self) -> usize {
        self.size.div_ceil(self.block)
    }

    /// Blocks in all.
    pub fn blocks(&self) -> usize {
        self.blocks_of_side() * self.sides.iter().filter(|&&side| side).count()
    }

    /// Where the values begin.
    pub fn length(&self) -> usize {
        FIXED + 8 * (self.blocks() + 1) + 4 * self.blocks()
    }

    /// The header of these compressed blocks.
    pub fn to_bytes(&self, blocks: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        let sides = u8::from(self.sides[0]) | u8::from(self.sides[1]) << 1;
        bytes.extend_from_slice(&[self.metric as u8, sides, rules_of(self.material), 0]);
        bytes.extend_from_slice(&(self.block as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.size as u64).to_le_bytes());
        bytes.extend_from_slice(self.material.to_string().as_bytes());
        bytes.resize(56, 0);
        self.counts.iter().for_each(|counts| write_counts(counts, &mut bytes));
        let mut at = self.length() as u64;
        bytes.extend_from_slice(&at.to_le_bytes());
        for block in blocks {
            at += block.len() as u64;
            bytes.extend_from_slice(&at.to_le_bytes());
        }
        blocks.iter().for_each(|block| bytes.extend_from_slice(&crc32(block).to_le_bytes()));
        let sum = crc32(&bytes[16..]);
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file and checks it; with it the length of the
    /// table, which is not longer than the file.
    ///
    /// # Errors
    /// When it is not that of a whole table this program can use.
    pub fn read(file: &[u8]) -> Result<(Header, usize), TableError> {
        if !file.starts_with(MAGIC) {
            return Err(TableError::NotATable);
        }
        let number = |at| u32_at(file, at).ok_or(TableError::Damaged);
        match number(8)? {
            VERSION => {}
            version => return Err(TableError::Version(version)),
        }
        let header = Header::read_fixed(file).ok_or(TableError::Damaged)?;
        let checked = file.get(16..header.length()).ok_or(TableError::Damaged)?;
        let ends = block_start(file, header.blocks()).ok_or(TableError::Damaged)?;
        let is_whole = crc32(checked) == number(12)? && ends <= file.len();
        if is_whole { Ok((header, ends)) } else { Err(TableError::Damaged) }
    }

    fn read_fixed(file: &[u8]) -> Option<Header> {
        let fixed = file.get(..FIXED)?;
        let metric = match fixed[16] {
            1 => Metric::Wdl,
            2 => Metric::Dtm,
            _ => return None,
        };
        let name = std::str::from_utf8(&fixed[32..56]).ok()?.trim_end_matches('\0');
        let material: Material = name.parse().ok()?;
        let sides = [fixed[17] & 1 != 0, fixed[17] & 2 != 0];
        let block = u32_at(fixed, 20).filter(|block| (1..=MAX_BLOCK).contains(block))?;
        let size = usize::try_from(u64_at(fixed, 24)?).ok()?;
        // the index of a material with many attackers would take long to make
        let is_known = fixed[18] == rules_of(material)
            && sides.contains(&true)
            && material.canonical() == material
            && material.is_supported()
            && Index::size_of(material) == size;
        let counts = [0, 1].map(|side| read_counts(&fixed[56 + side * COUNTS..]));
        let [Some(red), Some(black)] = counts else { return None };
        let header =
            Header { material, metric, sides, block: block as usize, size, counts: [red, black] };
        Some(header).filter(|_| is_known)
    }
}

/// The rules of the table of a material.
fn rules_of(material: Material) -> u8 {
    if material.is_two_sided() { PERPETUAL_CHECK_LOSES } else { ANY_RULES }
}

/// Where a block of the file begins.
pub fn block_start(file: &[u8], block: usize) -> Option<usize> {
    usize::try_from(u64_at(file, FIXED + 8 * block)?).ok()
}

/// The CRC-32 of one of so many blocks.
pub fn block_sum(file: &[u8], block: usize, blocks: usize) -> Option<u32> {
    u32_at(file, FIXED + 8 * (blocks + 1) + 4 * block)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

fn write_counts(counts: &Counts, bytes: &mut Vec<u8>) {
    let Counts { legal, wins, draws, losses, ended, longest_win, longest_loss } = *counts;
    for count in [legal, wins, draws, losses, ended] {
        bytes.extend_from_slice(&count.to_le_bytes());
    }
    for plies in [longest_win, longest_loss, None, None] {
        bytes.extend_from_slice(&plies.unwrap_or(NO_PLIES).to_le_bytes());
    }
}

fn read_counts(bytes: &[u8]) -> Option<Counts> {
    let plies = |at: usize| {
        let plies = bytes.get(at..)?.first_chunk().map(|chunk| u16::from_le_bytes(*chunk));
        plies.filter(|&plies| plies != NO_PLIES)
    };
    Some(Counts {
        legal: u64_at(bytes, 0)?,
        wins: u64_at(bytes, 8)?,
        draws: u64_at(bytes, 16)?,
        losses: u64_at(bytes, 24)?,
        ended: u64_at(bytes, 32)?,
        longest_win: plies(40),
        longest_loss: plies(42),
    })
}
