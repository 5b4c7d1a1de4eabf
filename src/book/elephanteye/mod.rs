//! BOOK.DAT: the book of ElephantEye, XQWizard and XQWLight.
//!
//! The file is an array of records of 8 bytes, all numbers little-endian: the
//! position's key (`lock`, u32), the move (u16: square it starts from, then
//! square it goes to, one byte each), and its weight (u16). The records are in
//! strictly ascending order of key and move. A position and its left-right
//! mirror image share their records, under the key of either.

mod lock;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use super::error::BookFault;
use super::native::in_16_bits;
use super::{Book, BookMove, Facts, sort, walk};
use crate::board::{Move, Position, Square};
use crate::util::read_whole;

use lock::{lock, square_byte, square_from_byte};

/// Thousands of times the usual size; a larger file is certainly a mistake.
const MAX_BYTES: u64 = 1 << 29;

const RECORD_BYTES: usize = 8;

/// A BOOK.DAT in memory.
pub struct ElephantEyeBook {
    records: Vec<Record>,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    lock: u32,
    code: u16,
    weight: u16,
}

impl fmt::Debug for ElephantEyeBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ElephantEye's format, {} records", self.records.len())
    }
}

impl ElephantEyeBook {
    /// Reads a file whole.
    ///
    /// # Errors
    /// When it is missing, not a file, unreadable or far too large, and as
    /// [`from_bytes`](ElephantEyeBook::from_bytes).
    pub fn open(path: &Path) -> Result<ElephantEyeBook, BookFault> {
        ElephantEyeBook::from_bytes(&read_whole(path, MAX_BYTES)?)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When they are empty, end within a record or are not sorted. Illegal moves
    /// are ignored by [`probe`](Book::probe).
    pub fn from_bytes(bytes: &[u8]) -> Result<ElephantEyeBook, BookFault> {
        if bytes.is_empty() {
            return Err(BookFault::Empty);
        }
        let (chunks, rest) = bytes.as_chunks::<RECORD_BYTES>();
        if !rest.is_empty() {
            return Err(BookFault::PartialRecord(bytes.len() as u64));
        }
        let records: Vec<Record> = chunks.iter().map(Record::from_bytes).collect();
        let order = |record: &Record| (record.lock, record.code);
        match records.windows(2).position(|pair| order(&pair[0]) >= order(&pair[1])) {
            Some(index) => Err(BookFault::Unsorted(index + 1)),
            None => Ok(ElephantEyeBook { records }),
        }
    }

    /// The file of what can be reached in a book from these positions. Of two
    /// positions with the same key the first one met is kept.
    pub fn export(book: &dyn Book, starts: impl IntoIterator<Item = Position>) -> Vec<u8> {
        let mut records: BTreeMap<(u32, u16), u16> = BTreeMap::new();
        for visit in walk(book, starts) {
            let images = [|square| square, Square::mirror] as [fn(Square) -> Square; 2];
            let keys = images.map(|view| lock(&visit.position, view));
            let view = images[usize::from(keys[1] < keys[0])];
            let key = keys[0].min(keys[1]);
            if records.range((key, 0)..=(key, u16::MAX)).next().is_some() {
                continue;
            }
            let weights = in_16_bits(visit.moves.iter().map(|found| found.weight.into()));
            for (found, weight) in visit.moves.iter().zip(weights) {
                let code = [found.mv.from(), found.mv.to()].map(|square| square_byte(view(square)));
                records.insert((key, u16::from_le_bytes(code)), weight);
            }
        }
        let bytes = records.into_iter().flat_map(|((lock, code), weight)| {
            let [a, b, c, d] = lock.to_le_bytes();
            let [[from, to], [low, high]] = [code.to_le_bytes(), weight.to_le_bytes()];
            [a, b, c, d, from, to, low, high]
        });
        bytes.collect()
    }

    /// Number of records, each a move of a position. Never 0.
    #[allow(clippy::len_without_is_empty)] // an empty book is an error
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// The records of a key.
    fn find(&self, lock: u32) -> &[Record] {
        let start = self.records.partition_point(|record| record.lock < lock);
        let rest = &self.records[start..];
        &rest[..rest.partition_point(|record| record.lock == lock)]
    }

    /// The legal moves under the key of the position as seen through `view`,
    /// which must be its own inverse.
    fn look_up(&self, position: &Position, view: fn(Square) -> Square) -> Vec<BookMove> {
        self.find(lock(position, view))
            .iter()
            .filter_map(|record| {
                let (from, to) = record.squares()?;
                let mv = Move::new(view(from), view(to))?;
                let weight = u32::from(record.weight);
                Some(BookMove { mv, weight, facts: Facts::default() })
            })
            // keys of 32 bits collide
            .filter(|found| position.is_legal(found.mv))
            .collect()
    }
}

impl Book for ElephantEyeBook {
    fn all(&self, position: &Position) -> Vec<BookMove> {
        let mut moves = self.look_up(position, |square| square);
        // weight 0 disables a move
        if moves.iter().all(|found| found.weight == 0) {
            moves.extend(self.look_up(position, Square::mirror));
        }
        moves.sort_unstable_by_key(|found| (found.mv, Reverse(found.weight)));
        moves.dedup_by_key(|found| found.mv);
        sort(&mut moves);
        moves
    }
}

impl Record {
    fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Record {
        let [a, b, c, d, from, to, low, high] = *bytes;
        Record {
            lock: u32::from_le_bytes([a, b, c, d]),
            code: u16::from_le_bytes([from, to]),
            weight: u16::from_le_bytes([low, high]),
        }
    }

    /// Origin and target square, if both are on the board.
    fn squares(self) -> Option<(Square, Square)> {
        let [from, to] = self.code.to_le_bytes();
        Some((square_from_byte(from)?, square_from_byte(to)?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashSet, VecDeque};
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::util::ReadError;

    const OWN_BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/book.dat");
    const OWN_TABLE: &str = include_str!("../../../tests/data/book.csv");

    fn own_book() -> ElephantEyeBook {
        ElephantEyeBook::open(Path::new(OWN_BOOK)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The book that comes with ElephantEye, from the folder of larger cases.
    fn elephanteyes_book() -> ElephantEyeBook {
        let folder = std::env::var_os("HANXIN_CASES").expect("HANXIN_CASES names a folder");
        let path = Path::new(&folder).join("data/elephanteye-book.dat");
        ElephantEyeBook::open(&path).unwrap_or_else(|error| panic!("{error}"))
    }

    fn after(moves: &str) -> Position {
        let mut position = Position::startpos();
        for text in moves.split_whitespace() {
            let m = text.parse().unwrap();
            assert!(position.is_legal(m), "{text} of {moves}");
            position.make(m);
        }
        position
    }

    fn moves(book: &ElephantEyeBook, position: &Position) -> String {
        let moves = book.probe(position);
        let texts: Vec<String> =
            moves.iter().map(|found| format!("{} {}", found.mv, found.weight)).collect();
        texts.join(", ")
    }

    fn itself(square: Square) -> Square {
        square
    }

    /// The rows of the table: the position, the move, its weight.
    fn table() -> impl Iterator<Item = (Position, Move, u16)> {
        OWN_TABLE.lines().skip(1).map(|row| {
            let [line, m, weight] = row.split(',').collect::<Vec<_>>()[..] else {
                panic!("{row}: not three columns")
            };
            (after(line), m.parse().unwrap(), weight.parse().unwrap())
        })
    }

    /// The bytes of a book of these records.
    fn bytes_of(records: &[(u32, u16, u16)]) -> Vec<u8> {
        let bytes = records.iter().flat_map(|&(lock, code, weight)| {
            let [a, b, c, d] = lock.to_le_bytes();
            let [[from, to], [low, high]] = [code.to_le_bytes(), weight.to_le_bytes()];
            [a, b, c, d, from, to, low, high]
        });
        bytes.collect()
    }

    fn book_of(records: &[(u32, u16, u16)]) -> Result<ElephantEyeBook, BookFault> {
        ElephantEyeBook::from_bytes(&bytes_of(records))
    }

    /// A position is stored under the smaller of its key and its mirror's.
    #[test]
    fn the_file_is_the_table() {
        let record = |(position, m, weight): (Position, Move, u16)| {
            let keys = [itself as fn(Square) -> Square, Square::mirror]
                .map(|view| (lock(&position, view), view));
            let (key, view) = keys[usize::from(keys[1].0 < keys[0].0)];
            let code = [m.from(), m.to()].map(|square| square_byte(view(square)));
            (key, u16::from_le_bytes(code), weight)
        };
        let mut records: Vec<_> = table().map(record).collect();
        records.sort_unstable();
        assert!(fs::read(OWN_BOOK).unwrap() == bytes_of(&records), "book.dat is not book.csv");
    }

    #[test]
    fn an_export_of_what_can_be_reached_comes_back_the_same() {
        let export = |book: &dyn Book| ElephantEyeBook::export(book, [Position::startpos()]);
        let exported = export(&own_book());
        assert!(exported == fs::read(OWN_BOOK).unwrap(), "all of our own book can be reached");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.hxb");
        crate::book::write(&path, own_book().records().map(Ok)).unwrap();
        let native = crate::book::open(&path).unwrap();
        assert!(export(&*native) == exported);
    }

    #[test]
    fn positions_are_found_directly_or_through_the_mirror() {
        let book = own_book();
        let mut looked_up = [0, 0];
        for (position, m, weight) in table() {
            let facts = Facts::default();
            let expected = BookMove { mv: m, weight: weight.into(), facts };
            assert!(book.probe(&position).contains(&expected), "{m} in {}", position.to_fen());
            let expected = BookMove { mv: m.mirror(), ..expected };
            assert!(book.probe(&position.mirror()).contains(&expected), "{m} mirrored");
            looked_up[usize::from(book.find(lock(&position, itself)).is_empty())] += 1;
        }
        assert!(looked_up.iter().all(|&count| count > 20), "{looked_up:?}");
        assert_eq!(moves(&book, &Position::startpos()), "b0c2 556, h0g2 556, b2e2 444, h2e2 444");
        let black = Position::from_fen(&Position::startpos().to_fen().replace('w', "b")).unwrap();
        assert_eq!(book.probe(&black), []);
    }

    #[test]
    #[ignore = "needs HANXIN_CASES: ElephantEye's own book"]
    fn elephanteyes_book_has_the_documented_contents() {
        let book = elephanteyes_book();
        assert_eq!(book.len(), 12_081);
        let name = |record: Record| {
            let (from, to) = record.squares().unwrap();
            (record.lock, record.code, format!("{from}{to}"), record.weight)
        };
        assert_eq!(name(book.records[0]), (0x0006_3240, 0x85b5, "c1c4".to_owned(), 6));
        assert_eq!(name(book.records[12_080]), (0xfd20_2f49, 0xa5c4, "b0c2".to_owned(), 1));
        let weights = book.records.iter().map(|record| u32::from(record.weight));
        assert_eq!(weights.sum::<u32>(), 39_913);
        let keys: HashSet<u32> = book.records.iter().map(|record| record.lock).collect();
        assert_eq!(keys.len(), 10_841);
        assert_eq!(
            moves(&book, &Position::startpos()),
            "b2e2 1473, h2e2 1473, c3c4 546, g3g4 546, c0e2 311, g0e2 311, b0c2 89, h0g2 89, \
             h2d2 42, b2f2 42, b2d2 37, h2f2 37, b0a2 18, h0i2 18, h2c2 2, b2g2 2"
        );
    }

    /// All that can be reached from the start by book moves.
    #[test]
    #[ignore = "needs HANXIN_CASES: ElephantEye's own book"]
    fn a_walk_meets_legal_moves_only_and_the_documented_numbers() {
        let book = elephanteyes_book();
        let (mut keys, mut records, mut asymmetric, mut last_ply) = (HashSet::new(), 0, 0, 0);
        let mut queue = VecDeque::from([Position::startpos()]);
        while let Some(position) = queue.pop_front() {
            let locks = [lock(&position, itself), lock(&position, Square::mirror)];
            let Some(&stored) = locks.iter().find(|&&lock| !book.find(lock).is_empty()) else {
                continue;
            };
            if !keys.insert(stored) {
                continue;
            }
            if locks[0] != locks[1] {
                asymmetric += 1;
                assert!(stored <= locks[0].min(locks[1]), "{}", position.to_fen());
            }
            let moves = book.probe(&position);
            assert_eq!(moves.len(), book.find(stored).len(), "{}", position.to_fen());
            records += moves.len();
            last_ply = last_ply.max(position.ply());
            for found in moves {
                let mut next = position.clone();
                next.make(found.mv);
                queue.push_back(next);
            }
        }
        assert_eq!((keys.len(), records, asymmetric), (2_880, 3_932, 2_879));
        assert_eq!(last_ply, 76);
    }

    #[test]
    fn moves_that_are_no_moves_are_dropped() {
        let start = lock(&Position::startpos(), itself);
        let book = book_of(&[
            (start, 0x0000, 9), // off the board
            (start, 0x8595, 0), // c3c4, switched off
            (start, 0x85AA, 9), // h2c4, which no cannon does
            (start, 0xA7AA, 2), // h2e2
            (start, 0xAAAA, 9), // h2h2
            (start, 0xFFFF, 9), // off the board
        ])
        .unwrap();
        assert_eq!(moves(&book, &Position::startpos()), "h2e2 2");
    }

    #[test]
    fn a_collision_does_not_hide_the_mirror() {
        let position = after("h2e2");
        let mut records = [
            (lock(&position, itself), 0x0000, 9),
            (lock(&position, Square::mirror), 0x5534, 7), // b9c7, mirrored h9g7
        ];
        records.sort_unstable();
        assert_eq!(moves(&book_of(&records).unwrap(), &position), "h9g7 7");
    }

    #[test]
    fn broken_bytes_are_refused() {
        let fault = |bytes: &[u8]| ElephantEyeBook::from_bytes(bytes).unwrap_err();
        assert_eq!(fault(&[]), BookFault::Empty);
        assert_eq!(fault(&[0; 7]), BookFault::PartialRecord(7));
        assert_eq!(fault(&[0; 17]), BookFault::PartialRecord(17));
        for (records, expected) in [
            ([(1, 1, 1), (1, 1, 2), (2, 0, 0)], Some(BookFault::Unsorted(1))),
            ([(1, 1, 1), (1, 2, 2), (1, 1, 0)], Some(BookFault::Unsorted(2))),
            ([(1, 1, 1), (3, 2, 2), (2, 3, 0)], Some(BookFault::Unsorted(2))),
            ([(1, 1, 1), (1, 2, 1), (2, 0, 1)], None),
        ] {
            assert_eq!(book_of(&records).err(), expected, "{records:?}");
        }
    }

    #[test]
    fn files_that_are_no_books_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| -> PathBuf {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        let huge = file("huge", b"");
        fs::OpenOptions::new().write(true).open(&huge).unwrap().set_len(MAX_BYTES + 8).unwrap();
        for (path, fault) in [
            (folder.path().join("none"), ReadError::Missing.into()),
            (folder.path().to_owned(), ReadError::NotAFile.into()),
            (file("empty", b""), BookFault::Empty),
            (file("text", b"h2e2 5895 rnbak"), BookFault::PartialRecord(15)),
            (huge.clone(), ReadError::TooLarge { bytes: MAX_BYTES + 8, limit: MAX_BYTES }.into()),
        ] {
            assert_eq!(ElephantEyeBook::open(&path).unwrap_err(), fault);
        }
        let nul = ElephantEyeBook::open(Path::new("a\0b")).unwrap_err();
        assert!(matches!(nul, BookFault::Read(ReadError::Unreadable(_))), "{nul}");
    }
}
