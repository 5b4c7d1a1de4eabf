//! Files of games, in pieces that several threads can read at a time.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::arena::training::{self, Fault};
use crate::arena::{GameRecord, GameResult, journal_line, pgn};
use crate::board::{Color, Move, Position};
use crate::util::{decoded, fnv1a_64, open_regular, printable, without_mark};

use super::super::Failure;

/// Bytes of a piece, more or less.
const PIECE: usize = 1 << 20;
/// No game takes as many.
const LONGEST_GAME: usize = 1 << 26;

/// A game of any source.
pub struct SourceGame {
    pub start: Position,
    pub moves: Vec<Move>,
    /// `None` if the file does not say.
    pub result: Option<GameResult>,
    /// The lower rating of both sides, if the file says it.
    pub rating: Option<u32>,
    /// The names of Red and Black, if the file says both.
    pub players: Option<[String; 2]>,
}

impl SourceGame {
    /// Who won; `None` if it is drawn, or if nobody knows.
    pub fn winner(&self) -> Option<Color> {
        match self.result? {
            GameResult::RedWins => Some(Color::Red),
            GameResult::BlackWins => Some(Color::Black),
            GameResult::Draw => None,
        }
    }

    /// The same for games of the same players with the same start, moves and result.
    /// `None` without names: the games of many strangers may go alike.
    pub fn identity(&self) -> Option<u64> {
        let [red, black] = self.players.as_ref()?;
        let result = self.result.map_or("*", GameResult::score_text);
        let mut bytes = format!("{red}\n{black}\n{result}\n").into_bytes();
        bytes.extend(self.start.key().to_le_bytes());
        bytes.extend(self.moves.iter().flat_map(|m| m.to_bits().to_le_bytes()));
        Some(fnv1a_64(&bytes))
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Pgn,
    /// Of a match: a checksum and a record as JSON on each line.
    Journal,
    /// Of self-play.
    Training,
    /// A result and the moves from the initial position on each line.
    Lines,
}

/// A part of a file that ends between two games.
pub struct Piece {
    format: Format,
    bytes: Vec<u8>,
}

/// A file that is read piece by piece.
pub struct Source {
    path: PathBuf,
    format: Format,
    file: BufReader<File>,
    /// What was read and belongs to the next piece.
    rest: Vec<u8>,
}

impl Source {
    pub fn open(path: &Path) -> Result<Source, Failure> {
        let file = open_regular(path, File::options().read(true));
        let file = file.map_err(|error| refused(path, error))?;
        let mut file = BufReader::new(file);
        let start = file.fill_buf().map_err(|error| refused(path, error))?;
        let start = without_mark(start).trim_ascii_start();
        let format = match start {
            [] => return Err(refused(path, "has no games; name another file")),
            [b'[' | b'{' | b'%' | b';', ..] | [b'1', b'.', ..] => Format::Pgn,
            start if start.starts_with(training::Header::MAGIC) => Format::Training,
            start if start.starts_with(b"hanxin-match 1") => Format::Journal,
            start
                if start
                    .iter()
                    .take(200)
                    .all(|&byte| byte >= b' ' || byte.is_ascii_whitespace()) =>
            {
                Format::Lines
            }
            _ => {
                return Err(refused(
                    path,
                    "is not a file of games; want PGN, a journal, training games or lines of moves",
                ));
            }
        };
        let mut source = Source { path: path.into(), format, file, rest: Vec::new() };
        source.skip_header()?;
        Ok(source)
    }

    fn skip_header(&mut self) -> Result<(), Failure> {
        let mut skipped = Vec::new();
        let read = match self.format {
            Format::Training => {
                let header = (&mut self.file).take(training::Header::BYTES as u64);
                let read = { header }.read_to_end(&mut skipped);
                training::Header::decode(&skipped).map_err(|fault| refused(&self.path, fault))?;
                read
            }
            // the magic, and the plan of the match
            Format::Journal => (0..2).map(|_| self.file.read_until(b'\n', &mut skipped)).sum(),
            Format::Pgn | Format::Lines => Ok(0),
        };
        read.map(drop).map_err(|error| refused(&self.path, error))
    }

    /// The next piece; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Piece>, Failure> {
        let mut bytes = std::mem::take(&mut self.rest);
        loop {
            let before = bytes.len();
            let read = (&mut self.file).take(PIECE as u64).read_to_end(&mut bytes);
            read.map_err(|error| refused(&self.path, error))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let is_end = bytes.len() == before;
            // at the end of the file all that is left belongs to the last game
            let end = if is_end { Some(bytes.len()) } else { self.last_end(&bytes)? };
            if let Some(end) = end {
                self.rest = bytes.split_off(end);
                return Ok(Some(Piece { format: self.format, bytes }));
            }
            if bytes.len() > LONGEST_GAME {
                return Err(refused(&self.path, "is not a file of games, or a damaged one"));
            }
        }
    }

    /// Where the last game that is whole for certain ends.
    fn last_end(&self, bytes: &[u8]) -> Result<Option<usize>, Failure> {
        let end = match self.format {
            Format::Pgn => last_tags(bytes),
            Format::Journal | Format::Lines => {
                bytes.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1)
            }
            Format::Training => {
                let mut end = 0;
                loop {
                    match training::Record::decode(&bytes[end..]) {
                        Ok((_, length)) => end += length,
                        Err(Fault::Torn) => break (end > 0).then_some(end),
                        Err(Fault::Broken) => {
                            return Err(refused(&self.path, "is damaged; get a fresh copy"));
                        }
                    }
                }
            }
        };
        Ok(end.filter(|&end| end > 0))
    }
}

/// Where the last game of a PGN text begins: the last tag that follows something
/// else than a tag.
fn last_tags(bytes: &[u8]) -> Option<usize> {
    let (mut tag, mut start) = (None, bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n').rev() {
        start -= line.len();
        match tag {
            _ if pgn::is_tag(line) => tag = Some(start),
            Some(at) if !line.trim_ascii().is_empty() => return Some(at),
            _ => {}
        }
    }
    None
}

fn refused(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::refused(format!("games {}: {reason}", printable(path)))
}

impl Piece {
    /// Bytes of the file.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The games, and how many could not be read.
    pub fn games(&self) -> (Vec<SourceGame>, usize) {
        let games: Vec<Option<SourceGame>> = match self.format {
            Format::Pgn => {
                // nothing to learn from a game without moves
                let has_moves = |game: &Option<SourceGame>| {
                    game.as_ref().is_none_or(|game| !game.moves.is_empty())
                };
                let games = pgn::games(&self.bytes).into_iter();
                games.map(|game| game.ok().map(from_pgn)).filter(has_moves).collect()
            }
            Format::Journal => self.lines().map(from_journal).collect(),
            Format::Lines => self.lines().map(from_line).collect(),
            Format::Training => from_training(&self.bytes),
        };
        let all = games.len();
        let games: Vec<SourceGame> = games.into_iter().flatten().collect();
        let faulty = all - games.len();
        (games, faulty)
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty())
    }
}

fn from_pgn(game: pgn::PgnGame) -> SourceGame {
    let rating = |name| game.tag(name)?.trim().parse::<u32>().ok();
    let red = rating("RedElo").or_else(|| rating("WhiteElo"));
    let rating = red.zip(rating("BlackElo")).map(|(red, black)| red.min(black));
    let name = |name| game.tag(name).map(str::trim).filter(|name| !["", "?"].contains(name));
    let red = name("Red").or_else(|| name("White"));
    let players = red.zip(name("Black")).map(|(red, black)| [red.to_owned(), black.to_owned()]);
    SourceGame { rating, players, start: game.start, moves: game.moves, result: game.result }
}

fn from_journal(line: &[u8]) -> Option<SourceGame> {
    let game: GameRecord = journal_line(line)?;
    Some(SourceGame {
        start: Position::from_fen(&game.start_fen).ok()?,
        moves: game.moves.iter().map(|played| played.m).collect(),
        result: Some(game.result),
        rating: None,
        players: Some([game.red, game.black]),
    })
}

/// A result such as `1-0`, if there is one, then moves in coordinates.
fn from_line(line: &[u8]) -> Option<SourceGame> {
    let line = decoded(line);
    let mut words = line.split_whitespace().peekable();
    let result = words.next_if(|word| !word.starts_with(|c: char| c.is_ascii_lowercase()));
    let result = result.and_then(|word| match word {
        "1-0" => Some(GameResult::RedWins),
        "0-1" => Some(GameResult::BlackWins),
        "1/2-1/2" => Some(GameResult::Draw),
        _ => None,
    });
    let moves = words.map(|word| word.parse().ok()).collect::<Option<Vec<Move>>>()?;
    let start = Position::startpos();
    let game = SourceGame { start, moves, result, rating: None, players: None };
    Some(game).filter(|game| !game.moves.is_empty())
}

fn from_training(mut bytes: &[u8]) -> Vec<Option<SourceGame>> {
    let mut games = Vec::new();
    while let Ok((record, length)) = training::Record::decode(bytes) {
        bytes = &bytes[length..];
        games.push(Some(SourceGame {
            start: record.start.position(),
            moves: record.moves().collect(),
            result: Some(record.result),
            rating: None,
            players: None,
        }));
    }
    // a torn game at the end of a file is what an interrupt leaves
    if bytes.get(1..).is_some_and(training::Record::is_within) {
        games.push(None);
    }
    games
}
