//! XQB: the book format of fisherfan's xqbook, a database of SQLite.
//!
//! The key of a position is a string of bits from which the position can be
//! read, as seen by the side to move and by the one of two mirror images that
//! the format prefers.

use std::cmp::Reverse;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::board::{Color, Move, Orientation, PieceKind, Position, Square};
use crate::util::open_regular;

use super::error::BookFault;
use super::{Book, BookMove, Facts, sort};

/// How a database of SQLite begins.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

const QUERY: &str = "SELECT move, score, win, draw, lost FROM book WHERE key = ?1 AND valid = 1";

/// An XQB book, read as it is asked.
pub struct XqbBook {
    database: Mutex<Connection>,
}

impl XqbBook {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// When it is missing, not a file, or not a database with the table of a
    /// book.
    pub fn open(path: &Path) -> Result<XqbBook, BookFault> {
        // asks first what kind of file it is
        open_regular(path, File::options().read(true))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(path, flags).map_err(fault)?;
        // nobody waits on a clock for another program that is writing
        database.busy_timeout(Duration::ZERO).map_err(fault)?;
        let book = XqbBook { database: Mutex::new(database) };
        // any position shows whether the pages are whole
        book.rows(&View::of(&Position::startpos()).key).map_err(fault)?;
        Ok(book)
    }

    /// The rows of a position: move, score (0 if there is none), results.
    fn rows(&self, key: &[u8]) -> rusqlite::Result<Vec<(u16, i64, Facts)>> {
        let database = self.database.lock();
        let mut statement = database.prepare_cached(QUERY)?;
        let row = |row: &rusqlite::Row<'_>| {
            let score = whole(row, 1)?;
            let count = |at| Ok::<_, rusqlite::Error>(whole(row, at)?.try_into().unwrap_or(0));
            let results = [count(2)?, count(3)?, count(4)?];
            let code = whole(row, 0)?.try_into().ok();
            Ok(code.map(|code| (code, score, Facts { results, ..Facts::default() })))
        };
        statement.query_map([key], row)?.filter_map(Result::transpose).collect()
    }
}

/// A number of a row; 0 for what is none.
fn whole(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<i64> {
    Ok(match row.get_ref(at)? {
        ValueRef::Integer(number) => number,
        ValueRef::Real(number) => number as i64,
        _ => 0,
    })
}

fn fault(error: rusqlite::Error) -> BookFault {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase};
    match error.sqlite_error_code() {
        Some(DatabaseBusy | DatabaseLocked) => BookFault::Busy,
        Some(DatabaseCorrupt | NotADatabase) => BookFault::Broken,
        _ => BookFault::Database(error.to_string()),
    }
}

impl Book for XqbBook {
    fn all(&self, position: &Position) -> Vec<BookMove> {
        let view = View::of(position);
        // a book that fails or is being written knows nothing
        let rows = self.rows(&view.key).unwrap_or_default();
        let mut moves: Vec<BookMove> = rows
            .into_iter()
            .filter_map(|(code, score, facts)| {
                let mv = view.decode(code).filter(|&mv| position.is_legal(mv))?;
                // what is valid is played, however little its score
                let weight = score.clamp(1, i64::from(u32::MAX)) as u32;
                Some(BookMove { mv, weight, facts })
            })
            .collect();
        moves.sort_unstable_by_key(|found| (found.mv, Reverse(found.weight)));
        moves.dedup_by_key(|found| found.mv);
        sort(&mut moves);
        moves
    }
}

impl fmt::Debug for XqbBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("XQB")
    }
}

/// How the format sees a position.
struct View {
    key: Vec<u8>,
    orientation: Orientation,
}

impl View {
    fn of(position: &Position) -> View {
        let is_swapped = position.side_to_move() == Color::Black;
        let own = Orientation { is_mirrored: false, is_swapped }.position(position);
        let is_mirrored = squares()
            .filter(|square| square.file() < 4)
            .map(|square| (code(&own, square), code(&own, square.mirror())))
            .find(|(left, right)| left != right)
            .is_some_and(|(left, right)| right > left);
        let orientation = Orientation { is_mirrored, is_swapped };
        View { key: key(&orientation.position(position)), orientation }
    }

    /// The move of a row: the halves of each byte are row and column, from the
    /// top left.
    fn decode(&self, code: u16) -> Option<Move> {
        let square = |byte: u8| {
            let (row, column) = (byte >> 4, byte & 15);
            Square::new(column, 9u8.checked_sub(row)?)
        };
        let [from, to] = code.to_be_bytes();
        Some(self.orientation.image(Move::new(square(from)?, square(to)?)?))
    }
}

/// All squares, row by row from the top left.
fn squares() -> impl Iterator<Item = Square> {
    (0..10).rev().flat_map(|rank| (0..9).filter_map(move |file| Square::new(file, rank)))
}

/// What stands on a square, seen by the side to move at the bottom; 0 if
/// nothing does.
fn code(position: &Position, square: Square) -> u8 {
    position.piece_at(square).map_or(0, |piece| {
        let kind = match piece.kind() {
            PieceKind::Rook => 1,
            PieceKind::Knight => 2,
            PieceKind::Elephant => 3,
            PieceKind::Advisor => 4,
            PieceKind::King => 5,
            PieceKind::Cannon => 6,
            PieceKind::Pawn => 7,
        };
        if piece.color() == position.side_to_move() { kind } else { kind + 8 }
    })
}

/// An empty square is a bit 0, a man a bit 1 and four bits of its code.
fn key(position: &Position) -> Vec<u8> {
    let mut bits = Vec::new();
    for square in squares() {
        match code(position, square) {
            0 => bits.push(0),
            code => bits.extend([1, code >> 3 & 1, code >> 2 & 1, code >> 1 & 1, code & 1]),
        }
    }
    let byte =
        |bits: &[u8]| bits.iter().zip((0..8).rev()).fold(0, |byte, (bit, at)| byte | bit << at);
    bits.chunks(8).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "ceb7cef37ac801e079f7df7df00002ebaebaeb02c004653a56939440";
    const AFTER_CANNON: &str = "ceb7cef37ac801e3c1f7df7df00002ebaebaeb02c004653a56939440";

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn after(moves: &str) -> Position {
        let mut position = Position::startpos();
        moves.split_whitespace().for_each(|m| {
            position.make(m.parse().unwrap());
        });
        position
    }

    /// A database with rows of key, move, score and whether they are valid.
    fn database(
        rows: &[(&Position, u16, Option<i64>, u8)],
    ) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.xqb");
        let database = Connection::open(&path).unwrap();
        database
            .execute_batch(
                "CREATE TABLE book (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB, move INTEGER, \
                 score INTEGER, win INTEGER, draw INTEGER, lost INTEGER, valid INTEGER, memo TEXT)",
            )
            .unwrap();
        let sql = "INSERT INTO book (key, move, score, win, draw, lost, valid) \
                   VALUES (?1, ?2, ?3, 5, 6, 7, ?4)";
        for (position, code, score, valid) in rows {
            let key = View::of(position).key;
            database.execute(sql, (key, code, score, valid)).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn keys_are_those_of_the_formats_sample() {
        let keys = ["", "h2e2", "b2e2"].map(|moves| hex(&View::of(&after(moves)).key));
        assert_eq!(keys, [START, AFTER_CANNON, AFTER_CANNON]);
    }

    #[test]
    fn moves_are_those_of_the_formats_sample() {
        for (moves, code, expected) in
            [("", 30580, "h2e2"), ("h2e2", 38774, "h9g7"), ("b2e2", 38774, "b9c7")]
        {
            let decoded = View::of(&after(moves)).decode(code).unwrap();
            assert_eq!(decoded.to_string(), expected, "{moves}");
        }
        assert_eq!(View::of(&after("")).decode(0xFFFF), None);
    }

    #[test]
    fn statistics_that_make_no_sense_cost_no_move() {
        let start = Position::startpos();
        let (_folder, path) = database(&[(&start, 30580, Some(3), 1), (&start, 0x9776, None, 1)]);
        let update = "UPDATE book SET win = -1, draw = 'x', lost = 1099511627776, score = 5.5 \
                      WHERE move = 30580";
        Connection::open(&path).unwrap().execute(update, ()).unwrap();
        let found = crate::book::open(&path).unwrap().probe(&start);
        let found: Vec<_> =
            found.iter().map(|m| (m.mv.to_string(), m.weight, m.facts.results)).collect();
        let expected = [("h2e2".to_owned(), 5, [0, 0, 0]), ("h0g2".to_owned(), 1, [5, 6, 7])];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_book_that_is_being_written_is_not_waited_for() {
        let start = Position::startpos();
        let (_folder, path) = database(&[(&start, 30580, Some(3), 1)]);
        let book = crate::book::open(&path).unwrap();
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let began = std::time::Instant::now();
        assert!(book.probe(&start).is_empty());
        assert_eq!(crate::book::open(&path).unwrap_err().fault, BookFault::Busy);
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        writer.execute_batch("COMMIT").unwrap();
        assert_eq!(book.probe(&start).len(), 1);
    }

    #[test]
    fn a_damaged_book_is_told_from_a_foreign_database() {
        let (_folder, path) = database(&[(&Position::startpos(), 30580, Some(3), 1)]);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[4096..].fill(0xA5);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(crate::book::open(&path).unwrap_err().fault, BookFault::Broken);
        std::fs::write(&path, &bytes[..1000]).unwrap();
        assert_eq!(crate::book::open(&path).unwrap_err().fault, BookFault::Broken);
    }

    #[test]
    fn valid_legal_moves_are_found_with_their_results() {
        let start = Position::startpos();
        // h2e2, an impossible move of a cannon, c3c4 switched off, h0g2, b2d2 without a score
        let rows = [
            (&start, 30580, Some(-4), 1),
            (&start, 0x7722, Some(9), 1),
            (&start, 0x6252, Some(9), 0),
            (&start, 0x9776, Some(30), 1),
            (&start, 0x7173, None, 1),
        ];
        let (_folder, path) = database(&rows);
        let book = crate::book::open(&path).unwrap();
        let found = book.probe(&start);
        let moves: Vec<_> = found.iter().map(|f| (f.mv.to_string(), f.weight)).collect();
        assert_eq!(moves, [("h0g2", 30), ("b2d2", 1), ("h2e2", 1)].map(|(m, w)| (m.to_owned(), w)));
        assert_eq!(found[0].facts.results, [5, 6, 7]);
        assert_eq!(book.probe(&after("h2e2")), []);
    }

    #[test]
    fn other_databases_and_damaged_ones_are_refused() {
        let (folder, path) = database(&[]);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..100]).unwrap();
        assert!(matches!(XqbBook::open(&path), Err(BookFault::Broken)));
        let other = folder.path().join("other.xqb");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE bhobk (id INTEGER)").unwrap();
        let error = crate::book::open(&other).unwrap_err().to_string();
        assert!(error.contains("other.xqb") && error.contains("no such table"), "{error}");
    }
}
