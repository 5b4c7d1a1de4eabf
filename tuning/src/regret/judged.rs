//! Positions with what deep searches found in them, and their file.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use hanxin::arena::training::Record;
use hanxin::board::{Move, Position};
use hanxin::rules::{Game, Parameters};
use hanxin::score::Score;
use hanxin::util::{Random, crc32, seeded};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::progress::print_line;
use crate::{saved, store};

/// Positions beyond this score are decided, centipawns.
const OPEN: i16 = 450;

/// What determines the positions and their judgements, besides the program and
/// the games.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Settings {
    pub positions: u32,
    /// Nodes of a deep search.
    pub deep: u64,
    pub seed: u64,
    /// What evaluates in the deep searches; a file from before it was noted does not
    /// say.
    #[serde(default)]
    pub evaluation: Option<String>,
}

/// The positions and what is known of them.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct State {
    settings: Settings,
    pub judged: Vec<Judged>,
}

/// A position of a game, with the moves that deep searches have judged.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Judged {
    /// Where the game began, as FEN.
    start: String,
    /// The moves up to the position.
    #[serde(with = "as_numbers::moves")]
    moves: Vec<Move>,
    /// The best moves, none before the search.
    #[serde(with = "as_numbers::lines")]
    pub lines: Vec<(Move, Score)>,
    /// Others that a short search has chosen.
    #[serde(with = "as_numbers::lines")]
    others: Vec<(Move, Score)>,
}

impl State {
    /// The judgements of a file, whose positions need no games; without one, positions
    /// of these games.
    ///
    /// # Errors
    /// When a file cannot be used, has other settings, or there are too few games.
    pub fn open(path: &Path, settings: Settings, data: &[PathBuf]) -> Result<State> {
        let difference = |State { settings: begun, .. }: &State| {
            let mut wanted = settings.clone();
            wanted.evaluation = wanted.evaluation.filter(|_| begun.evaluation.is_some());
            saved::difference(begun, &wanted)
        };
        if let Some(state) = saved::load(path, "judgement", difference)? {
            print_line!("the positions are those of {}: --data is not read", path.display());
            return Ok(state);
        }
        let mut games = Vec::new();
        for path in data {
            games.extend(store::read(path)?.games);
        }
        let mut random = seeded(settings.seed, 1);
        games.shuffle(&mut random);
        let open = games.iter().filter_map(|game| Judged::of(game, &mut random));
        let judged: Vec<Judged> = open.take(settings.positions as usize).collect();
        ensure!(
            judged.len() == settings.positions as usize,
            "there are only {} games with an open position: give more --data or fewer --positions",
            judged.len()
        );
        Ok(State { settings, judged })
    }

    /// Tells sets of positions apart.
    pub fn checksum(&self) -> u32 {
        let texts = self.judged.iter().map(|judged| format!("{} {:?}", judged.start, judged.moves));
        crc32(texts.collect::<String>().as_bytes())
    }

    /// The games up to the positions.
    ///
    /// # Errors
    /// When the file was tampered with.
    pub fn games(&self) -> Result<Vec<Game>> {
        let game = |judged: &Judged| {
            let start = Position::from_fen(&judged.start)?;
            Ok(Game::replay(start, Parameters::default(), &judged.moves)?)
        };
        self.judged.iter().map(game).collect()
    }
}

impl Judged {
    /// Best moves that a deep search looks for.
    pub const LINES: usize = 5;

    /// A random open position of a game, if there is one.
    fn of(game: &Record, random: &mut Random) -> Option<Judged> {
        let is_open = |score: Option<i16>| score.is_some_and(|score| score.abs() <= OPEN);
        let open: Vec<usize> =
            (0..game.plies.len()).filter(|&ply| is_open(game.plies[ply].score)).collect();
        let ply = *open.get(random.random_range(0..open.len().max(1)))?;
        Some(Judged {
            start: game.start.position().to_fen(),
            moves: game.moves().take(game.opening.len() + ply).collect(),
            lines: Vec::new(),
            others: Vec::new(),
        })
    }

    /// The score of the best move.
    pub fn best(&self) -> Score {
        self.lines.iter().map(|line| line.1).max().unwrap_or(Score::DRAW)
    }

    /// The score of a move, if it has been judged.
    pub fn score_of(&self, m: Move) -> Option<Score> {
        self.lines.iter().chain(&self.others).find(|line| line.0 == m).map(|line| line.1)
    }

    /// Notes what a search of this move alone found, which is no better than
    /// the moves that the deep search has put before it; gives its score.
    pub fn add(&mut self, m: Move, found: &[(Move, Score)]) -> Score {
        let worst = self.lines.iter().map(|line| line.1).min().unwrap_or(Score::DRAW);
        let score = found.first().map_or(worst, |line| line.1).min(worst);
        if self.score_of(m).is_none() {
            self.others.push((m, score));
        }
        score
    }
}

/// Moves as their bits, scores as centipawns or what stands for mates.
mod as_numbers {
    use hanxin::board::Move;
    use hanxin::score::Score;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    fn read<E: Error>(bits: u16) -> Result<Move, E> {
        Move::from_bits(bits).ok_or_else(|| E::custom(format!("{bits} is not a move")))
    }

    pub mod moves {
        use super::*;

        pub fn serialize<S: Serializer>(moves: &[Move], to: S) -> Result<S::Ok, S::Error> {
            moves.iter().map(|m| m.to_bits()).collect::<Vec<_>>().serialize(to)
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Move>, D::Error> {
            Vec::<u16>::deserialize(from)?.into_iter().map(read).collect()
        }
    }

    pub mod lines {
        use super::*;

        pub fn serialize<S: Serializer>(lines: &[(Move, Score)], to: S) -> Result<S::Ok, S::Error> {
            let numbers = lines.iter().map(|(m, score)| (m.to_bits(), score.raw()));
            numbers.collect::<Vec<_>>().serialize(to)
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Vec<(Move, Score)>, D::Error> {
            let numbers = Vec::<(u16, i32)>::deserialize(from)?.into_iter();
            numbers.map(|(bits, raw)| Ok((read(bits)?, Score::from_raw(raw)))).collect()
        }
    }
}
