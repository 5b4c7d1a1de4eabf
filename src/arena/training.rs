//! Files of training games, which self-play writes and training and books read.
//!
//! A file is a [`Header`] and [`Record`]s one after another; `tuning/README.md`
//! shows the layout.

use crate::board::{Move, Position};
use crate::util::fnv1a_32;

use super::game::{GameResult, Termination};

/// What all games of a file have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Nodes of a move after which no iteration begins.
    pub nodes: u32,
    /// The seed of all games.
    pub seed: u64,
    /// How many in a hundred games begin with a random ending.
    pub endings: u8,
    /// How many in a hundred of the others begin with moves that are nearly best,
    /// instead of any moves.
    pub openings: u8,
    /// How many in a hundred games from the initial position have labels in the
    /// midgame only, and are played out for their result.
    pub midgames: u16,
    /// The [checksum](crate::eval::EvalKind::checksum) of what evaluates.
    pub evaluation: u32,
}

/// Why bytes are not the header of a file of training games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderFault {
    /// Fewer bytes than a header has.
    #[error("shorter than a header")]
    Short,
    /// Something else.
    #[error("not a file of games (wrong magic)")]
    Foreign,
    /// Another version of the format.
    #[error("version {0}, but only {VERSION} is known")]
    Version(u32),
}

const VERSION: u32 = 4;

impl Header {
    /// How a file begins.
    pub const MAGIC: &[u8; 8] = b"hanxinG\n";
    /// Length in a file.
    pub const BYTES: usize = 32;

    /// The bytes of the header.
    pub fn encode(self) -> [u8; Header::BYTES] {
        let mut bytes = [0; Header::BYTES];
        bytes[..8].copy_from_slice(Header::MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.nodes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.seed.to_le_bytes());
        bytes[24..26].copy_from_slice(&[self.endings, self.openings]);
        bytes[26..28].copy_from_slice(&self.midgames.to_le_bytes());
        bytes[28..].copy_from_slice(&self.evaluation.to_le_bytes());
        bytes
    }

    /// The header at the start of `bytes`.
    ///
    /// # Errors
    /// When there is none, or of another version.
    pub fn decode(bytes: &[u8]) -> Result<Header, HeaderFault> {
        let head: &[u8; Header::BYTES] = bytes.first_chunk().ok_or(HeaderFault::Short)?;
        if !head.starts_with(Header::MAGIC) {
            return Err(HeaderFault::Foreign);
        }
        let [_, _, version, nodes, low, high, shares, evaluation] =
            std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|b| head[4 * i + b])));
        match version {
            VERSION => Ok(Header {
                nodes,
                seed: u64::from(high) << 32 | u64::from(low),
                endings: shares as u8,
                openings: (shares >> 8) as u8,
                midgames: (shares >> 16) as u16,
                evaluation,
            }),
            _ => Err(HeaderFault::Version(version)),
        }
    }
}

/// One game of self-play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its number; with the seed of the file it determines the game.
    pub number: u32,
    /// The result for Red.
    pub result: GameResult,
    /// How it ended.
    pub termination: Termination,
    /// Where it began.
    pub start: Start,
    /// The random moves from there.
    pub opening: Vec<Move>,
    /// The searched moves.
    pub plies: Vec<Ply>,
}

/// Where a game begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Start {
    /// The initial position.
    #[default]
    Initial,
    /// Another one.
    Position(Box<Position>),
}

impl Start {
    /// The position.
    pub fn position(&self) -> Position {
        match self {
            Start::Initial => Position::startpos(),
            Start::Position(position) => (**position).clone(),
        }
    }

    /// The text in a file of games.
    fn text(&self) -> String {
        match self {
            Start::Initial => String::new(),
            Start::Position(position) => position.to_fen(),
        }
    }

    fn parse(text: &[u8]) -> Result<Start, Fault> {
        if text.is_empty() {
            return Ok(Start::Initial);
        }
        let text = str::from_utf8(text).map_err(|_| Fault::Broken)?;
        let position = Position::from_fen(text).map_err(|_| Fault::Broken)?;
        Ok(Start::Position(Box::new(position)))
    }
}

/// A searched move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The best move, which was played.
    pub best: Move,
    /// The score for Red, as `Score::raw` counts: that of the last completed
    /// iteration, exact; `None` where the search has none.
    pub score: Option<i16>,
}

/// Why bytes are not a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Truncated.
    Torn,
    /// An impossible value, or a wrong checksum.
    Broken,
}

/// Bytes before the start: number, result, ending, opening plies, plies, length
/// of the start.
const GAME_HEADER_BYTES: usize = 10;
const CHECKSUM_BYTES: usize = 4;
/// More than any game has. A longer one is damaged, not torn: what follows it
/// must not be taken for its rest.
const MAX_PLIES: usize = 4096;
/// Stands for "no score".
const NO_SCORE: i16 = i16::MIN;

impl Record {
    /// The bytes of the game, checksum included.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(GAME_HEADER_BYTES + 2 * self.opening.len() + 4 * self.plies.len());
        let start = self.start.text();
        bytes.extend(self.number.to_le_bytes());
        bytes.push(result_code(self.result));
        bytes.push(termination_code(self.termination));
        bytes.push(self.opening.len() as u8);
        bytes.extend((self.plies.len() as u16).to_le_bytes());
        bytes.push(start.len() as u8);
        bytes.extend(start.as_bytes());
        for m in &self.opening {
            bytes.extend(m.to_bits().to_le_bytes());
        }
        for ply in &self.plies {
            bytes.extend(ply.best.to_bits().to_le_bytes());
            bytes.extend(ply.score.unwrap_or(NO_SCORE).to_le_bytes());
        }
        bytes.extend(fnv1a_32(&bytes).to_le_bytes());
        bytes
    }

    /// Whether a whole game begins anywhere in these bytes: then what is before it is
    /// not torn, but has a wrong length.
    pub fn is_within(bytes: &[u8]) -> bool {
        (0..bytes.len()).any(|start| Record::decode(&bytes[start..]).is_ok())
    }

    /// The moves of the game, from its start.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.opening.iter().copied().chain(self.plies.iter().map(|ply| ply.best))
    }

    /// How many positions have scores.
    pub fn scores(&self) -> u64 {
        self.plies.iter().filter(|ply| ply.score.is_some()).count() as u64
    }

    /// Decodes the game at the start of `bytes`; also returns its length.
    ///
    /// # Errors
    /// When they are truncated or not a game; legality is not checked.
    pub fn decode(bytes: &[u8]) -> Result<(Record, usize), Fault> {
        let head: &[u8; GAME_HEADER_BYTES] = bytes.first_chunk().ok_or(Fault::Torn)?;
        let [n0, n1, n2, n3, result, termination, opening, low, high, start] = *head;
        let start_end = GAME_HEADER_BYTES + usize::from(start);
        let opening_end = start_end + 2 * usize::from(opening);
        let plies = usize::from(u16::from_le_bytes([low, high]));
        if plies > MAX_PLIES {
            return Err(Fault::Broken);
        }
        let end = opening_end + 4 * plies;
        let sum = bytes.get(end..end + CHECKSUM_BYTES).ok_or(Fault::Torn)?;
        if sum != fnv1a_32(&bytes[..end]).to_le_bytes() {
            return Err(Fault::Broken);
        }
        let (pairs, _) = bytes[start_end..opening_end].as_chunks::<2>();
        let (quads, _) = bytes[opening_end..end].as_chunks::<4>();
        let game = Record {
            number: u32::from_le_bytes([n0, n1, n2, n3]),
            result: result_of(result).ok_or(Fault::Broken)?,
            termination: termination_of(termination).ok_or(Fault::Broken)?,
            start: Start::parse(&bytes[GAME_HEADER_BYTES..start_end])?,
            opening: pairs.iter().map(|&pair| move_of(pair)).collect::<Result<_, _>>()?,
            plies: quads.iter().map(|&quad| ply_of(quad)).collect::<Result<_, _>>()?,
        };
        Ok((game, end + CHECKSUM_BYTES))
    }
}

fn move_of(bytes: [u8; 2]) -> Result<Move, Fault> {
    Move::from_bits(u16::from_le_bytes(bytes)).ok_or(Fault::Broken)
}

fn ply_of([m0, m1, s0, s1]: [u8; 4]) -> Result<Ply, Fault> {
    let score = i16::from_le_bytes([s0, s1]);
    Ok(Ply { best: move_of([m0, m1])?, score: (score != NO_SCORE).then_some(score) })
}

/// Results in the order of their codes: Red has lost, drawn, won.
const RESULTS: [GameResult; 3] = [GameResult::BlackWins, GameResult::Draw, GameResult::RedWins];

fn result_code(result: GameResult) -> u8 {
    RESULTS.iter().position(|&other| other == result).map_or(0, |code| code as u8)
}

fn result_of(code: u8) -> Option<GameResult> {
    RESULTS.get(usize::from(code)).copied()
}

/// Terminations by their codes. The file distinguishes fewer than matches do.
const TERMINATIONS: [Termination; 6] = [
    Termination::Checkmate,
    Termination::Repetition,
    Termination::NaturalLimit,
    Termination::MaxMoves,
    Termination::AdjudicatedWin,
    Termination::InsufficientMaterial,
];

fn termination_code(termination: Termination) -> u8 {
    match termination {
        Termination::Checkmate | Termination::Stalemate => 0,
        Termination::Repetition
        | Termination::PerpetualCheck
        | Termination::PerpetualChase
        | Termination::PerpetualAttack => 1,
        Termination::NaturalLimit => 2,
        Termination::MaxMoves => 3,
        Termination::InsufficientMaterial => 5,
        _ => 4,
    }
}

fn termination_of(code: u8) -> Option<Termination> {
    TERMINATIONS.get(usize::from(code)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDING: &str = "4k4/4a4/9/9/9/9/9/9/9/3K1R3 b - - 0 1";

    fn game() -> Record {
        let ply = |text: &str, score| Ply { best: text.parse().unwrap(), score };
        Record {
            number: 70_000,
            result: GameResult::BlackWins,
            termination: Termination::AdjudicatedWin,
            start: Start::Initial,
            opening: vec!["h2e2".parse().unwrap(), "h9g7".parse().unwrap()],
            plies: vec![ply("h0g2", Some(33)), ply("i9h9", None), ply("g2h0", Some(-32_000))],
        }
    }

    #[test]
    fn games_come_back() {
        let ending = Start::Position(Box::new(Position::from_fen(ENDING).unwrap()));
        for start in [Start::Initial, ending] {
            let game = Record { start, ..game() };
            let mut bytes = game.encode();
            let len = bytes.len();
            bytes.extend([1, 2, 3]);
            assert_eq!(Record::decode(&bytes), Ok((game, len)));
        }
    }

    #[test]
    fn torn_and_damaged_games_are_distinguished() {
        let bytes = game().encode();
        for len in 0..bytes.len() {
            assert_eq!(Record::decode(&bytes[..len]), Err(Fault::Torn), "{len}");
        }
        for place in GAME_HEADER_BYTES..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0x10;
            assert_eq!(Record::decode(&bytes), Err(Fault::Broken), "{place}");
        }
        let mut two = bytes.repeat(2);
        // the first one claims to be longer than both
        two[7] += 100;
        assert_eq!(Record::decode(&two), Err(Fault::Torn));
        assert!(Record::is_within(&two[1..]) && !Record::is_within(&bytes[1..]));
        let mut longer = bytes;
        // the high byte of the plies: a quarter of a megabyte would be torn off
        longer[8] = 0xFF;
        assert_eq!(Record::decode(&longer), Err(Fault::Broken));
    }
}
