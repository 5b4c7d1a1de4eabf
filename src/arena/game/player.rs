//! Who plays: what a game asks of an engine, be it a process or a part of this
//! program.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::clock::GameClock;
use crate::arena::engines::Limits;
use crate::board::{Move, Position};
use crate::protocol::BestMove;
use crate::rules::Game;
use crate::score::Score;

/// A side of a game.
pub trait Player {
    fn name(&self) -> &str;

    fn limits(&self) -> Limits;

    /// Whether it resigns by replying that it has no move, as in UCCI.
    fn resigns_without_move(&self) -> bool {
        false
    }

    /// Gets ready for a game from this position.
    ///
    /// # Errors
    /// When it cannot play.
    fn new_game(&mut self, start: &Position, stop: &AtomicBool) -> Result<(), Failure>;

    /// Searches a move; it is this player's turn.
    ///
    /// # Errors
    /// When it cannot play any more. A move that does not come in time is not
    /// an error but [`Reply::Nothing`].
    fn think(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<SearchResult, Failure>;

    /// Has just moved, and may think on the opponent's time about the position
    /// after the reply that it expects.
    fn ponder(&mut self, _turn: &Turn<'_>, _expected: Move) {}

    /// The game is over: whatever search is going on ends.
    fn end_game(&mut self, _stop: &AtomicBool) {}
}

#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    pub game: &'a Game,
    /// The clocks of Red and Black.
    pub clocks: [Option<GameClock>; 2],
    pub draw_offered: bool,
}

#[derive(Clone, Debug)]
pub struct SearchResult {
    pub reply: Reply,
    pub begin: Instant,
    /// How long it took by the referee's clock.
    pub time: Duration,
    pub report: SearchReport,
}

/// What a player gives as its move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A move, not yet checked against the rules.
    Move(BestMove),
    NoMove,
    /// Something that is not a move, shortened.
    Garbled(String),
    /// Nothing in time.
    Nothing,
}

/// The latest figures of one search; zero where the engine reported nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchReport {
    /// The score, from the mover's view.
    pub score: Option<Score>,
    pub depth: u32,
    /// Plies of the longest line searched.
    pub seldepth: u32,
    pub nodes: u64,
}

/// Why a player cannot go on; the text says what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its program did not start or did not get through the handshake.
    Start(String),
    /// Its process has ended or has closed its output.
    Crash(String),
    /// It does not answer.
    Hang(String),
    /// Nothing is wrong with it: the match has been stopped.
    Stopped,
}
