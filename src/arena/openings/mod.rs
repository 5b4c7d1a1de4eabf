//! Openings: where the games of a match begin.

mod book;
mod lines;
mod pgn;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rand::seq::SliceRandom;
use serde::Serialize;
use strum::{Display, EnumString, VariantArray};

use super::names::UnknownName;
use super::pgn::PgnError;
use crate::board::{FenError, Move, ParseMoveError, Position};
use crate::book::{self as books, BookFault};
use crate::rules::{Game, Outcome, PlayError, RuleSet};
use crate::util::{Random, ReadError, read_whole, seeded};

/// A start with some first moves, which nobody thinks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    pub name: Option<String>,
    pub start: Position,
    /// Its moves, legal, and none of them after the end of a game.
    pub moves: Vec<Move>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The file; `builtin` is the suite that comes with the program, none the
    /// start of a game alone.
    pub file: Option<PathBuf>,
    /// What kind of file it is; none: as its name says.
    pub format: Option<Format>,
    pub random: bool,
    /// The most plies taken of each.
    pub plies: Option<usize>,
    /// The place of the first one, from 0.
    pub first: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display, EnumString, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = UnknownName::of::<Format>)]
pub enum Format {
    /// A FEN on each line, perhaps with `moves` after it.
    Fen,
    /// The same with EPD's operations.
    Epd,
    Pgn,
    Book,
}

/// The name of the suite that comes with the program.
const BUILT_IN: &str = "builtin";
/// Its text; see `openings/README.md`.
const SUITE: &[u8] = include_bytes!("../../../openings/balanced.epd");

/// Millions of openings. A larger file is a mistake that should not eat the
/// memory.
const MAX_BYTES: u64 = 1 << 30;

/// Plies of a line from a book or a game if nobody says how many.
const USUAL_PLIES: usize = 8;

/// Why there are no openings; one line with the file and the place in it.
#[derive(Debug, thiserror::Error)]
#[error("openings {}: {fault}", file.display())]
pub struct OpeningError {
    file: PathBuf,
    fault: OpeningFault,
}

#[derive(Debug, thiserror::Error)]
pub enum OpeningFault {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Book(#[from] BookFault),
    #[error("there are none in it")]
    Empty,
    #[error("a book, not lines of FEN or EPD; `match --openings` takes it with format=book")]
    IsBook,
    #[error("start={start} is beyond the last of them, number {there}; lower it")]
    Start { start: usize, there: usize },
    #[error("line {0}: {1}")]
    Line(usize, Box<OpeningFault>),
    #[error("game {0}: {1}")]
    Game(usize, Box<OpeningFault>),
    #[error(transparent)]
    Pgn(#[from] PgnError),
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("the game is over at its end ({0})")]
    Over(Outcome),
}

impl Opening {
    pub fn usual() -> Opening {
        Opening { name: None, start: Position::startpos(), moves: Vec::new() }
    }

    /// An opening whose moves have been checked.
    ///
    /// # Errors
    /// When a move is illegal, or the game is over before or after it.
    pub fn checked(
        name: Option<String>,
        start: Position,
        moves: Vec<Move>,
    ) -> Result<Opening, OpeningFault> {
        let game = Game::replay(start.clone(), RuleSet::default(), &moves)?;
        match game.outcome() {
            Some(outcome) => Err(OpeningFault::Over(outcome)),
            None => Ok(Opening { name, start, moves }),
        }
    }

    /// The position after its moves.
    pub fn end(&self) -> Position {
        let mut position = self.start.clone();
        for &mv in &self.moves {
            position.make(mv);
        }
        position
    }
}

impl Source {
    /// Reads the openings, at least one, in the order of play. `wanted` is how
    /// many a book should give; `seed` shuffles.
    ///
    /// # Errors
    /// When the file cannot be read, one of its openings cannot be played, or
    /// it does not have the first one.
    pub fn read(&self, wanted: usize, seed: u64) -> Result<Vec<Opening>, OpeningError> {
        let Some(file) = &self.file else {
            return Ok(vec![Opening::usual()]);
        };
        let mut rng = seeded(seed, 0);
        let refused = |fault| OpeningError { file: file.clone(), fault };
        let wanted = wanted.saturating_add(self.first);
        let mut openings = self.read_file(file, wanted, &mut rng).map_err(refused)?;
        let there = openings.len();
        if self.first >= there {
            return Err(refused(OpeningFault::Start { start: self.first + 1, there }));
        }
        if self.random && !self.is_book() {
            openings.shuffle(&mut rng);
        }
        openings.rotate_left(self.first);
        Ok(openings)
    }

    /// Whether the file is a book, of which lines are drawn.
    pub fn is_book(&self) -> bool {
        self.file.as_ref().is_some_and(|file| self.format_of(file) == Format::Book)
    }

    fn read_file(
        &self,
        file: &Path,
        wanted: usize,
        rng: &mut Random,
    ) -> Result<Vec<Opening>, OpeningFault> {
        let plies = self.plies.unwrap_or(USUAL_PLIES);
        let openings = match self.format_of(file) {
            Format::Fen | Format::Epd => {
                let openings = lines::read(&contents(file)?, self.plies.unwrap_or(usize::MAX));
                // one fault of a line says little of a book without the usual name
                openings.map_err(|fault| match books::open(file) {
                    Ok(_) => OpeningFault::IsBook,
                    Err(_) => fault,
                })?
            }
            Format::Pgn => pgn::read(&contents(file)?, plies)?,
            Format::Book => book::read(file, plies, wanted, rng)?,
        };
        if openings.is_empty() {
            return Err(OpeningFault::Empty);
        }
        Ok(openings)
    }

    fn format_of(&self, file: &Path) -> Format {
        let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let named = match ending.as_deref() {
            Some("pgn") => Format::Pgn,
            Some("epd") => Format::Epd,
            None if file == Path::new(BUILT_IN) => Format::Epd,
            Some("dat" | "hxb" | "xqb") => Format::Book,
            _ => Format::Fen,
        };
        self.format.unwrap_or(named)
    }
}

/// The bytes of a file or of the suite that comes with the program.
///
/// # Errors
/// When the file cannot be read.
pub fn contents(file: &Path) -> Result<Cow<'static, [u8]>, ReadError> {
    if file == Path::new(BUILT_IN) {
        return Ok(Cow::Borrowed(SUITE));
    }
    read_whole(file, MAX_BYTES).map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn source(text: &str, name: &str) -> (tempfile::TempDir, Source) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        (folder, Source { file: Some(file), ..Source::default() })
    }

    fn many() -> String {
        let position = Position::startpos();
        let line = |m: &Move| format!("{} moves {m}\n", position.to_fen());
        position.legal_moves().iter().map(line).collect()
    }

    #[test]
    fn the_order_is_that_of_the_file_or_of_the_seed() {
        let (_folder, source) = source(&many(), "x.fen");
        let read = |source: &Source, seed| source.read(0, seed).unwrap();
        let plain = read(&source, 1);
        assert_eq!(plain.len(), 44);
        assert_eq!(plain, read(&source, 2));
        let later = read(&Source { first: 3, ..source.clone() }, 1);
        assert_eq!((&later[0], &later[43]), (&plain[3], &plain[2]));
        let random = Source { random: true, ..source };
        assert_eq!(read(&random, 7), read(&random, 7));
        assert_ne!(read(&random, 7), read(&random, 8));
    }

    #[test]
    fn the_first_opening_has_to_be_there() {
        let (_folder, source) = source(&many(), "x.fen");
        let from = |first| Source { first, ..source.clone() }.read(1, 1);
        assert_eq!(from(43).unwrap()[0], source.read(1, 1).unwrap()[43]);
        let message = from(44).unwrap_err().to_string();
        assert!(
            message.ends_with("start=45 is beyond the last of them, number 44; lower it"),
            "{message}"
        );
    }

    #[test]
    fn books_with_other_names_are_recognised() {
        let start = Position::startpos().to_fen();
        let (_folder, book) = source(&format!("# by hand\nh2e2 7 {start}\n"), "book.txt");
        let message = book.read(1, 0).unwrap_err().to_string();
        assert!(
            message.contains("book.txt: a book") && message.contains("format=book"),
            "{message}"
        );
        let named = Source { format: Some(Format::Book), ..book };
        assert_eq!(named.read(1, 0).unwrap()[0].moves.len(), 1);
    }

    #[test]
    fn faults_name_the_file() {
        let (_folder, empty) = source("# nothing\n", "empty.fen");
        let message = empty.read(1, 0).unwrap_err().to_string();
        assert!(message.ends_with("empty.fen: there are none in it"), "{message}");
        let missing = Source { file: Some("no/such/file".into()), ..Source::default() };
        assert!(missing.read(1, 0).unwrap_err().to_string().contains("no/such/file"));
        assert_eq!(Source::default().read(9, 9).unwrap(), [Opening::usual()]);
        assert!("pdf".parse::<Format>().unwrap_err().to_string().contains("want fen, epd"));
    }

    #[test]
    fn the_suite_that_comes_along_can_be_played() {
        let source = Source { file: Some(BUILT_IN.into()), ..Source::default() };
        let openings = source.read(0, 0).unwrap();
        assert_eq!(openings.len(), 1_000, "as README promises");
        assert!(openings.iter().all(|opening| opening.name.is_some()));
    }

    #[test]
    fn the_name_of_a_file_tells_its_format() {
        let format = |name: &str| Source::default().format_of(Path::new(name)).to_string();
        assert_eq!(
            ["a.PGN", "b.epd", "BOOK.DAT", "c.hxb", "d.xqb", "e.txt", "f"].map(format),
            ["pgn", "epd", "book", "book", "book", "fen", "fen"]
        );
    }
}
