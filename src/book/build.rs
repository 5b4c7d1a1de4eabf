//! Books from games: how often a move was played, and how well it did.
//!
//! The moves of many games do not fit into memory. They are collected until
//! there is no more room, sorted and added up, and written as a *run*: a book
//! whose weights only mark the moves that stand alone. In the end all runs are
//! merged (external sorting; Knuth, volume 3, section 5.4).

use std::cell::RefCell;
use std::io;
use std::iter;
use std::path::Path;

use crate::board::{Color, Move, Position};

use super::native::{Image, Record, RecordReader, in_16_bits, write};
use super::{BookFault, Facts, merge};

/// Which moves of the games a book keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Plies from the start of a game; later ones do not count.
    pub plies: usize,
    /// Games in which a move was played; rarer ones are left out.
    pub games: u32,
}

/// Moves of games, until there is no more room for them.
#[derive(Debug)]
pub struct Collector {
    moves: Vec<Played>,
    room: usize,
    plies: usize,
}

/// A move that was played: the position's key, the move, how the game ended
/// for the side that moves, 0 won, 1 drawn, 2 lost, and whether the move stands
/// alone where others stand for two ([`Image::stands_alone`]).
type Played = (u64, Move, u8, bool);

impl Collector {
    /// Takes no more memory than so many bytes, but room for some moves.
    pub fn new(memory: usize, filter: Filter) -> Collector {
        let room = (memory / size_of::<Played>()).max(1000);
        Collector { moves: Vec::with_capacity(room), room, plies: filter.plies }
    }

    /// Takes the moves of a game that `winner` has won, or that is drawn, as far
    /// as they are legal; returns how many.
    pub fn add(
        &mut self,
        start: &Position,
        moves: impl IntoIterator<Item = Move>,
        winner: Option<Color>,
    ) -> usize {
        let before = self.moves.len();
        let mut position = start.clone();
        for mv in moves.into_iter().take(self.plies) {
            if !position.is_legal(mv) {
                break;
            }
            let result = winner.map_or(1, |w| if w == position.side_to_move() { 0 } else { 2 });
            let image = Image::of(&position);
            self.moves.push((image.key, image.stored(mv), result, image.stands_alone(mv)));
            position.make(mv);
        }
        self.moves.len() - before
    }

    /// Whether a run should be written before another game is added.
    pub fn is_full(&self) -> bool {
        self.moves.len() >= self.room
    }

    /// Writes what was collected and forgets it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_run(&mut self, path: &Path) -> io::Result<u64> {
        self.moves.sort_unstable();
        let groups = self.moves.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
        let records = groups.map(|group| {
            let mut results = [0; 3];
            for &(_, _, result, _) in group {
                results[usize::from(result)] += 1;
            }
            let (key, mv, _, stands_alone) = group[0];
            let facts = Facts { results, ..Facts::default() };
            Ok(Record { key, mv, weight: stands_alone.into(), facts })
        });
        let count = write(path, records)?;
        self.moves.clear();
        Ok(count)
    }
}

/// Why runs could not be made into a book.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A run is gone or damaged.
    #[error("a part of the build, {0}: {1}")]
    Run(String, BookFault),
    /// No move was played often enough.
    #[error("no move was played in {0} games or more; ask for fewer")]
    Empty(u32),
    /// The book cannot be written.
    #[error("cannot write the book: {0}")]
    Write(#[from] io::Error),
}

/// Writes the book of these runs; returns its number of moves.
///
/// A move weighs twice the games won with it, and those drawn, so that its share
/// of a position's weight is that of its points. In a position that is its own
/// mirror image a move and its image have their points together, and a move that
/// is its own image weighs twice as much.
///
/// # Errors
/// When a run cannot be read, no move is left or the book cannot be written; an
/// older book stays as it is then.
pub fn build(runs: &[impl AsRef<Path>], filter: Filter, book: &Path) -> Result<u64, BuildError> {
    let fault = RefCell::new(None);
    let mut parts = Vec::new();
    for run in runs {
        let name = run.as_ref().display().to_string();
        match RecordReader::open(run.as_ref()) {
            Ok(records) => parts.push(until_fault(records, name, &fault)),
            Err(fault) => return Err(BuildError::Run(name, fault)),
        }
    }
    let moves =
        merge(parts).filter(|record| record.facts.results.iter().sum::<u32>() >= filter.games);
    let mut moves = moves.peekable();
    let is_empty = moves.peek().is_none() && fault.borrow().is_none();
    if is_empty {
        return Err(BuildError::Empty(filter.games));
    }
    // a book with moves missing must not appear
    let end = iter::from_fn(|| fault.borrow().is_some().then(|| Err(io::Error::other("stopped"))));
    let written = write(book, weighted(moves).map(Ok).chain(end));
    match fault.take() {
        Some((name, fault)) => Err(BuildError::Run(name, fault)),
        None => Ok(written?),
    }
}

/// The records of a run up to the first fault, which is kept with the run's name.
fn until_fault<'a>(
    mut records: RecordReader,
    name: String,
    fault: &'a RefCell<Option<(String, BookFault)>>,
) -> impl Iterator<Item = Record> + 'a {
    iter::from_fn(move || match records.next()? {
        Ok(record) => Some(record),
        Err(found) => {
            *fault.borrow_mut() = Some((name.clone(), found));
            None
        }
    })
}

/// Gives the moves of each position their weights.
fn weighted(moves: impl Iterator<Item = Record>) -> impl Iterator<Item = Record> {
    let mut moves = moves.peekable();
    let positions = std::iter::from_fn(move || {
        let first = moves.next()?;
        let mut position = vec![first];
        while let Some(same) = moves.next_if(|record| record.key == first.key) {
            position.push(same);
        }
        let points = |record: &Record| {
            let [wins, draws, _] = record.facts.results;
            let points = 2 * u64::from(wins) + u64::from(draws);
            if record.weight > 0 { 2 * points } else { points }
        };
        let weights = in_16_bits(position.iter().map(points));
        for (record, weight) in position.iter_mut().zip(weights) {
            record.weight = weight;
        }
        Some(position)
    });
    positions.flatten()
}

#[cfg(test)]
mod tests {
    use super::super::{Book, HanxinBook};
    use super::*;

    const FILTER: Filter = Filter { plies: 4, games: 1 };

    fn moves(text: &str) -> Vec<Move> {
        text.split_whitespace().map(|text| text.parse().unwrap()).collect()
    }

    /// The book of a red win, a black win and a draw, in runs of so many games.
    fn build_in(games_in_run: usize, filter: Filter) -> (tempfile::TempDir, HanxinBook) {
        let folder = tempfile::tempdir().unwrap();
        let games = [
            ("h2e2 h9g7 h0g2 i9h9 i0h0", Some(Color::Red)),
            ("b2e2 b9c7 b0c2 a9b9 i0i1", None),
            ("h2e2 b9c7 h0h9", Some(Color::Black)),
        ];
        let mut runs = Vec::new();
        for (number, chunk) in games.chunks(games_in_run).enumerate() {
            let mut collector = Collector::new(0, filter);
            for (game, winner) in chunk {
                collector.add(&Position::startpos(), moves(game), *winner);
            }
            let path = folder.path().join(number.to_string());
            collector.write_run(&path).unwrap();
            assert!(collector.moves.is_empty());
            runs.push(path);
        }
        let path = folder.path().join("book");
        build(&runs, filter, &path).unwrap();
        let book = HanxinBook::open(&path).unwrap();
        (folder, book)
    }

    #[test]
    fn results_are_added_up_over_runs_and_mirror_images() {
        for games_in_run in 1..=3 {
            let (_folder, book) = build_in(games_in_run, FILTER);
            let start = book.probe(&Position::startpos());
            let found: Vec<_> =
                start.iter().map(|f| (f.mv.to_string(), f.weight, f.facts.results)).collect();
            let expected = |mv: &str| (mv.to_owned(), 3, [1, 1, 1]);
            assert_eq!(found, [expected("b2e2"), expected("h2e2")]);
            let mut after = Position::startpos();
            after.make(moves("h2e2")[0]);
            let replies: Vec<_> =
                book.probe(&after).iter().map(|f| (f.mv.to_string(), f.weight)).collect();
            // of h9g7, one loss and one draw are worth a point
            assert_eq!(replies, [("b9c7".to_owned(), 2), ("h9g7".to_owned(), 1)]);
        }
    }

    #[test]
    fn a_move_on_the_middle_file_has_its_share_in_a_symmetric_position() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut runs = Vec::new();
        for (number, games) in [["h2e2", "e3e4"], ["b2e2", "e3e4"]].into_iter().enumerate() {
            let mut collector = Collector::new(0, FILTER);
            for game in games {
                collector.add(&Position::startpos(), moves(game), None);
            }
            runs.push(path(&number.to_string()));
            collector.write_run(&runs[number]).unwrap();
        }
        build(&runs, FILTER, &path("book")).unwrap();
        let book = HanxinBook::open(&path("book")).unwrap();
        let found: Vec<_> = book
            .probe(&Position::startpos())
            .iter()
            .map(|f| (f.mv.to_string(), f.weight, f.facts.results))
            .collect();
        // each of them was played in two of the four games
        let expected = |mv: &str, weight| (mv.to_owned(), weight, [0, 2, 0]);
        assert_eq!(found, [expected("e3e4", 4), expected("b2e2", 2), expected("h2e2", 2)]);
    }

    #[test]
    fn late_and_rare_moves_and_illegal_ones_are_left_out() {
        let (_folder, all) = build_in(3, FILTER);
        let (_folder, early) = build_in(3, Filter { plies: 1, games: 1 });
        let (_folder, common) = build_in(3, Filter { plies: 9, games: 2 });
        assert_eq!((all.len(), early.len()), (5, 1));
        assert!(common.records().all(|record| record.facts.results.iter().sum::<u32>() >= 2));
        assert_eq!(common.len(), 4);
    }

    #[test]
    fn a_book_without_moves_replaces_none() {
        let (folder, book) = build_in(3, FILTER);
        let runs = [folder.path().join("0")];
        let path = folder.path().join("book");
        let refused = build(&runs, Filter { games: 9, ..FILTER }, &path);
        assert!(matches!(refused, Err(BuildError::Empty(9))), "{refused:?}");
        assert_eq!(HanxinBook::open(&path).unwrap().len(), book.len());
    }

    #[test]
    fn weights_keep_their_proportions_when_they_are_large() {
        let record = |mv: &str, wins| {
            let facts = Facts { results: [wins, 0, 0], ..Facts::default() };
            Record { key: 1, mv: mv.parse().unwrap(), weight: 0, facts }
        };
        let large = [record("a0a1", 1_000_000), record("a0a2", 500_000)];
        let weights: Vec<u16> = weighted(large.into_iter()).map(|record| record.weight).collect();
        assert_eq!(weights, [u16::MAX, u16::MAX / 2]);
    }

    #[test]
    fn a_collector_is_full_when_its_room_is_used() {
        let mut collector = Collector::new(0, Filter { plies: 100, games: 1 });
        let game = moves("h2e2 h9g7 e2h2 g7h9");
        while !collector.is_full() {
            collector.add(&Position::startpos(), game.iter().copied(), None);
        }
        assert_eq!(collector.moves.len(), 1000);
    }

    #[test]
    fn a_damaged_run_is_named_and_leaves_no_book() {
        let folder = tempfile::tempdir().unwrap();
        let (run, book) = (folder.path().join("run-3"), folder.path().join("book"));
        let mut collector = Collector::new(0, FILTER);
        collector.add(&Position::startpos(), moves("h2e2 h9g7 h0g2"), None);
        collector.write_run(&run).unwrap();
        let whole = std::fs::read(&run).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&run, bytes).unwrap();
            let error = build(&[&run], FILTER, &book).unwrap_err().to_string();
            assert!(error.contains("run-3") && !book.exists(), "{at}: {error}");
        }
        std::fs::write(&run, whole).unwrap();
        assert_eq!(build(&[&run], FILTER, &book).unwrap(), 3);
    }

    #[test]
    fn a_missing_run_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let runs = [folder.path().join("run-3")];
        let error = build(&runs, FILTER, &folder.path().join("book")).unwrap_err().to_string();
        assert!(error.contains("run-3") && error.contains("no such file"), "{error}");
    }
}
