//! hanxin's own book format.
//!
//! A file is a header and an array of records, all numbers little-endian. The
//! records are in strictly ascending order of key and move, so that a position
//! is found by bisection, in memory or in a mapped file of any size.
//!
//! | bytes | header |
//! |---|---|
//! | 8 | `hanxinB\n` |
//! | 4 | version of the format, 1 |
//! | 4 | CRC-32 of all that follows |
//! | 8 | key of the initial position, which tells whether keys have changed |
//! | 8 | number of records |
//!
//! | bytes | record |
//! |---|---|
//! | 8 | key of the position |
//! | 2 | move ([`Move::to_bits`]) |
//! | 2 | weight; 0 for a move that is known but not played |
//! | 2 | score for the side that moves, centipawns; -32,768 if unknown |
//! | 1 | depth of the search behind the score, plies |
//! | 9 | games won, drawn and lost by the side that moves, 3 bytes each |
//!
//! A position and its mirror image share their records: under the smaller of
//! their keys ([`Position::key`]), with the moves of the image that has it. Of a
//! position that is its own image the smaller of two mirrored moves is kept.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::board::{Move, Position};
use crate::util::{ReadError, crc32, open_regular, read_whole, replace};

use super::error::BookFault;
use super::{Book, BookMove, Facts, sort};

pub(super) const MAGIC: &[u8; 8] = b"hanxinB\n";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 32;
/// Where the part begins that the checksum covers.
const CHECKED_FROM: usize = 16;
const RECORD_BYTES: usize = 24;
const NO_SCORE: i16 = i16::MIN;

/// A book of hanxin's own format.
pub struct HanxinBook {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
}

/// A move of a position, as the file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Key of the position, see [`Record::new`].
    pub key: u64,
    /// The move in the image of the position that has the key.
    pub mv: Move,
    /// Preference; 0 for a move that is known but not played.
    pub weight: u16,
    /// What is known of it. Counts of more than 2^24 - 1 are written as that.
    pub facts: Facts,
}

/// The weights of a position's moves as files keep them, in the same proportions;
/// none that says something becomes 0.
pub(super) fn in_16_bits(weights: impl Iterator<Item = u64> + Clone) -> Vec<u16> {
    let most = weights.clone().max().unwrap_or(0).max(u16::MAX.into());
    let share = |weight: u64| u128::from(weight) * u128::from(u16::MAX) / u128::from(most);
    weights.map(|weight| (share(weight) as u16).max(u16::from(weight > 0))).collect()
}

impl Record {
    /// The record of a move of a position.
    pub fn new(position: &Position, mv: Move, weight: u16, facts: Facts) -> Record {
        let image = Image::of(position);
        Record { key: image.key, mv: image.stored(mv), weight, facts }
    }

    fn encode(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.mv.to_bits().to_le_bytes());
        bytes[10..12].copy_from_slice(&self.weight.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.facts.score.unwrap_or(NO_SCORE).to_le_bytes());
        bytes[14] = self.facts.depth;
        for (count, bytes) in self.facts.results.iter().zip(bytes[15..].as_chunks_mut::<3>().0) {
            bytes.copy_from_slice(&count.min(&0xFF_FFFF).to_le_bytes()[..3]);
        }
        bytes
    }

    /// `None` if its move is impossible.
    fn decode(bytes: &[u8; RECORD_BYTES]) -> Option<Record> {
        let pair = |at: usize| [bytes[at], bytes[at + 1]];
        let score = i16::from_le_bytes(pair(12));
        let counts = bytes[15..].as_chunks::<3>().0;
        let facts = Facts {
            results: std::array::from_fn(|i| {
                let [low, middle, high] = counts[i];
                u32::from_le_bytes([low, middle, high, 0])
            }),
            score: (score != NO_SCORE).then_some(score),
            depth: bytes[14],
        };
        let mv = Move::from_bits(u16::from_le_bytes(pair(8)))?;
        Some(Record { key: key_of(bytes), mv, weight: u16::from_le_bytes(pair(10)), facts })
    }
}

fn key_of(bytes: &[u8; RECORD_BYTES]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[i]))
}

/// Which of a position and its mirror image has the smaller key.
#[derive(Clone, Copy)]
pub(super) struct Image {
    pub key: u64,
    is_mirrored: bool,
    /// The position is its own mirror image.
    pub is_symmetric: bool,
}

impl Image {
    pub fn of(position: &Position) -> Image {
        let (own, mirrored) = (position.key(), position.mirrored_key());
        Image { key: own.min(mirrored), is_mirrored: mirrored < own, is_symmetric: mirrored == own }
    }

    /// A move of the position as it is stored.
    pub fn stored(self, mv: Move) -> Move {
        match self {
            Image { is_mirrored: true, .. } => mv.mirror(),
            Image { is_symmetric: true, .. } => mv.min(mv.mirror()),
            _ => mv,
        }
    }

    /// Whether a move is its own mirror image in a position that is so too, where
    /// a stored move stands for two in general.
    pub fn stands_alone(self, mv: Move) -> bool {
        self.is_symmetric && mv == mv.mirror()
    }

    /// The moves of the position that a stored one stands for.
    pub fn moves(self, stored: Move) -> impl Iterator<Item = Move> {
        let first = if self.is_mirrored { stored.mirror() } else { stored };
        let second = first.mirror();
        let has_second = self.is_symmetric && second != first;
        std::iter::once(first).chain(has_second.then_some(second))
    }
}

/// The book inside the program; `openings/README.md` says how it was made.
static EMBEDDED: &[u8] = include_bytes!("embedded.hxb");

impl HanxinBook {
    /// The book inside the program.
    pub fn embedded() -> HanxinBook {
        // a test shows that it is whole
        HanxinBook { bytes: Box::new(EMBEDDED) }
    }

    /// Reads a file into memory: whatever is done to it later, the book stays.
    ///
    /// # Errors
    /// When it is missing, not a file, unreadable, truncated, damaged, or of
    /// another version.
    pub fn open(path: &Path) -> Result<HanxinBook, BookFault> {
        HanxinBook::from_bytes(read_whole(path, u64::MAX)?)
    }

    /// Uses the bytes of a file.
    ///
    /// # Errors
    /// When they are truncated, damaged, or of another version.
    pub fn from_bytes(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<HanxinBook, BookFault> {
        check(bytes.as_ref())?;
        Ok(HanxinBook { bytes: Box::new(bytes) })
    }

    /// Number of records, each a move of a position.
    pub fn len(&self) -> usize {
        self.raw().len()
    }

    /// Whether it has no records.
    pub fn is_empty(&self) -> bool {
        self.raw().is_empty()
    }

    fn raw(&self) -> &[[u8; RECORD_BYTES]] {
        let bytes = (*self.bytes).as_ref().get(HEADER_BYTES..).unwrap_or_default();
        bytes.as_chunks().0
    }

    /// The records of a key.
    fn find(&self, key: u64) -> impl Iterator<Item = Record> {
        let records = self.raw();
        let start = records.partition_point(|bytes| key_of(bytes) < key);
        let same = records[start..].iter().take_while(move |bytes| key_of(bytes) == key);
        same.filter_map(Record::decode)
    }
}

impl Book for HanxinBook {
    fn all(&self, position: &Position) -> Vec<BookMove> {
        let image = Image::of(position);
        let mut moves: Vec<BookMove> = self
            .find(image.key)
            .flat_map(|record| {
                let weight = u32::from(record.weight);
                image.moves(record.mv).map(move |mv| BookMove { mv, weight, facts: record.facts })
            })
            .filter(|found| position.is_legal(found.mv))
            .collect();
        sort(&mut moves);
        moves
    }

    fn records(&self) -> Box<dyn Iterator<Item = Record> + '_> {
        Box::new(self.raw().iter().filter_map(Record::decode))
    }
}

impl fmt::Debug for HanxinBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hanxin's format, {} records", self.len())
    }
}

/// The records of a file one after another, with no more of it in memory than a
/// buffer. The last item is an error if the file turns out to be damaged.
pub(super) struct RecordReader {
    file: BufReader<File>,
    /// Of what has been read.
    body: crc32fast::Hasher,
    checksum: u32,
    left: u64,
}

impl RecordReader {
    /// Opens a file.
    ///
    /// # Errors
    /// As [`HanxinBook::open`], but for damage, which shows at its end.
    pub fn open(path: &Path) -> Result<RecordReader, BookFault> {
        let mut file = BufReader::new(open_regular(path, File::options().read(true))?);
        let length = file.get_ref().metadata().map_err(ReadError::from)?.len();
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header).map_err(|_| BookFault::Truncated)?;
        let Header { checksum, records } = Header::read(&header, length)?;
        let mut body = crc32fast::Hasher::new();
        body.update(&header[CHECKED_FROM..]);
        Ok(RecordReader { file, body, checksum, left: records })
    }

    fn read(&mut self) -> Result<Record, BookFault> {
        let mut bytes = [0; RECORD_BYTES];
        self.file.read_exact(&mut bytes).map_err(ReadError::from)?;
        self.body.update(&bytes);
        let is_damaged = self.left == 0 && self.body.clone().finalize() != self.checksum;
        Record::decode(&bytes).filter(|_| !is_damaged).ok_or(BookFault::Damaged)
    }
}

impl Iterator for RecordReader {
    type Item = Result<Record, BookFault>;

    fn next(&mut self) -> Option<Result<Record, BookFault>> {
        self.left = self.left.checked_sub(1)?;
        let record = self.read();
        if record.is_err() {
            self.left = 0;
        }
        Some(record)
    }
}

/// What a header says, but for what is always the same.
struct Header {
    checksum: u32,
    records: u64,
}

impl Header {
    /// Reads that of a file of `length` bytes.
    fn read(header: &[u8; HEADER_BYTES], length: u64) -> Result<Header, BookFault> {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        if !header.starts_with(MAGIC) {
            return Err(BookFault::Foreign);
        }
        if word(8) != VERSION {
            return Err(BookFault::Version(word(8)));
        }
        if long(16) != Position::startpos().key() {
            return Err(BookFault::ForeignKeys);
        }
        let records = long(24);
        let body = records.checked_mul(RECORD_BYTES as u64);
        if body.and_then(|body| body.checked_add(HEADER_BYTES as u64)) != Some(length) {
            return Err(BookFault::Truncated);
        }
        Ok(Header { checksum: word(12), records })
    }
}

fn check(bytes: &[u8]) -> Result<(), BookFault> {
    let header = bytes.first_chunk().ok_or(BookFault::Truncated)?;
    if Header::read(header, bytes.len() as u64)?.checksum != crc32(&bytes[CHECKED_FROM..]) {
        return Err(BookFault::Damaged);
    }
    Ok(())
}

/// Writes a book of these records, which must be in strictly ascending order of
/// key and move; returns their number. The file appears when it is whole.
///
/// # Errors
/// As [`replace`], and when the records are out of order.
pub fn write(
    path: &Path,
    records: impl IntoIterator<Item = io::Result<Record>>,
) -> io::Result<u64> {
    replace(path, |file| {
        let mut output = BufWriter::new(&mut *file);
        output.write_all(&[0; HEADER_BYTES])?;
        let mut body = crc32fast::Hasher::new();
        let (mut count, mut last) = (0u64, None);
        for record in records {
            let record = record?;
            let place = Some((record.key, record.mv));
            if place <= last {
                return Err(io::Error::other("records of the book are out of order"));
            }
            let bytes = record.encode();
            body.update(&bytes);
            output.write_all(&bytes)?;
            (last, count) = (place, count + 1);
        }
        output.flush()?;
        drop(output);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header(count, &body))?;
        Ok(count)
    })
}

fn header(records: u64, body: &crc32fast::Hasher) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[16..24].copy_from_slice(&Position::startpos().key().to_le_bytes());
    header[24..].copy_from_slice(&records.to_le_bytes());
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&header[CHECKED_FROM..]);
    checksum.combine(body);
    header[12..16].copy_from_slice(&checksum.finalize().to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::util::ReadError;

    fn m(text: &str) -> Move {
        text.parse().unwrap()
    }

    fn after(moves: &str) -> Position {
        let mut position = Position::startpos();
        for text in moves.split_whitespace() {
            position.make(m(text));
        }
        position
    }

    fn book_of(mut records: Vec<Record>) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        records.sort_by_key(|record| (record.key, record.mv));
        write(&path, records.into_iter().map(Ok)).unwrap();
        fs::read(path).unwrap()
    }

    const FACTS: Facts = Facts { results: [3, 70_000, 1 << 30], score: Some(-35), depth: 17 };

    #[test]
    fn moves_come_back_with_what_is_known_of_them() {
        let position = after("h2e2");
        let book = HanxinBook::from_bytes(book_of(vec![
            Record::new(&position, m("h9g7"), 9, FACTS),
            Record::new(&position, m("b9c7"), 20, Facts::default()),
            Record::new(&position, m("a9a8"), 0, FACTS),
        ]))
        .unwrap();
        let facts = Facts { results: [3, 70_000, 0xFF_FFFF], ..FACTS };
        let expected = [
            BookMove { mv: m("b9c7"), weight: 20, facts: Facts::default() },
            BookMove { mv: m("h9g7"), weight: 9, facts },
        ];
        assert_eq!(book.probe(&position), expected);
        let mirrored: Vec<Move> = book.probe(&after("b2e2")).iter().map(|f| f.mv).collect();
        assert_eq!(mirrored, [m("h9g7"), m("b9c7")]);
        assert_eq!(book.probe(&Position::startpos()), []);
        assert_eq!((book.len(), book.records().count()), (3, 3));
        let weights = book.all(&position).iter().map(|found| found.weight).collect::<Vec<_>>();
        assert_eq!((weights, book.all(&Position::startpos())), (vec![20, 9, 0], vec![]));
        let lost = Record::new(&position, m("h9g7"), 0, FACTS);
        let book = HanxinBook::from_bytes(book_of(vec![lost])).unwrap();
        assert_eq!((book.probe(&position).len(), book.all(&position).len()), (0, 1));
    }

    #[test]
    fn a_symmetric_position_offers_a_move_and_its_mirror_image() {
        let start = Position::startpos();
        let records = ["h2e2", "b2e2"].map(|text| Record::new(&start, m(text), 7, FACTS));
        assert_eq!(records[0], records[1]);
        let book = HanxinBook::from_bytes(book_of(vec![records[0]])).unwrap();
        let moves: Vec<String> = book.probe(&start).iter().map(|f| f.mv.to_string()).collect();
        assert_eq!(moves, ["b2e2", "h2e2"]);
        let middle =
            HanxinBook::from_bytes(book_of(vec![Record::new(&start, m("e3e4"), 7, FACTS)]));
        assert_eq!(middle.unwrap().probe(&start).len(), 1);
    }

    proptest! {
        #[test]
        fn a_position_and_its_image_share_their_moves(seed: u64, plies in 0usize..30) {
            let mut rng = crate::util::seeded(seed, 0);
            let mut position = Position::startpos();
            let mut records = Vec::new();
            for _ in 0..plies {
                let moves = position.legal_moves();
                let Some(&mv) = rand::seq::IndexedRandom::choose(&moves[..], &mut rng) else { break };
                records.push((position.clone(), mv));
                position.make(mv);
            }
            let mut stored: Vec<Record> =
                records.iter().map(|(at, mv)| Record::new(at, *mv, 5, FACTS)).collect();
            stored.sort_by_key(|record| (record.key, record.mv));
            stored.dedup_by_key(|record| (record.key, record.mv));
            let book = HanxinBook::from_bytes(book_of(stored)).unwrap();
            for (at, mv) in &records {
                prop_assert!(book.probe(at).iter().any(|found| found.mv == *mv));
                prop_assert!(book.probe(&at.mirror()).iter().any(|found| found.mv == mv.mirror()));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_book_are_refused() {
        let bytes = book_of(vec![Record::new(&after("h2e2"), m("h9g7"), 9, FACTS)]);
        let fault = |bytes: &[u8]| HanxinBook::from_bytes(bytes.to_vec()).unwrap_err();
        for length in 0..bytes.len() {
            assert_eq!(fault(&bytes[..length]), BookFault::Truncated, "{length}");
        }
        assert_eq!(fault(&[&bytes[..], b"x"].concat()), BookFault::Truncated);
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fault(&damaged);
        }
        let mut newer = bytes.clone();
        newer[8] = 2;
        assert_eq!(fault(&newer), BookFault::Version(2));
        let mut other_keys = bytes.clone();
        other_keys[16] ^= 1;
        assert_eq!(fault(&other_keys), BookFault::ForeignKeys);
        assert_eq!(fault(&[b'x'; 56]), BookFault::Foreign);
        assert!(HanxinBook::from_bytes(book_of(Vec::new())).unwrap().is_empty());
    }

    #[test]
    fn the_book_inside_the_program_is_whole_and_knows_the_start() {
        assert_eq!(check(EMBEDDED), Ok(()));
        assert!(!HanxinBook::embedded().probe(&Position::startpos()).is_empty());
    }

    #[test]
    fn a_book_that_is_open_outlives_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        fs::write(&path, EMBEDDED).unwrap();
        let book = HanxinBook::open(&path).unwrap();
        fs::write(&path, b"").unwrap();
        let start = Position::startpos();
        assert_eq!(book.probe(&start), HanxinBook::embedded().probe(&start));
    }

    #[test]
    fn files_are_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let record = Record::new(&after("h2e2"), m("h9g7"), 9, FACTS);
        assert!(write(&path, [Ok(record), Ok(record)]).is_err());
        assert!(write(&path, [Ok(record), Err(io::Error::other("gone"))]).is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let none = HanxinBook::open(&path).unwrap_err();
        assert_eq!(none, BookFault::Read(ReadError::Missing));
    }
}
