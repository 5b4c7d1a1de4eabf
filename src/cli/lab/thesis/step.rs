//! The steps of the thesis' experiments: one search or one game each.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::arena::{
    self, Adjudication, Assignment, Conditions, EngineClient, EngineSpec, GameRecord, Opening,
    Player, ResignRule, play_game,
};
use crate::board::{Color, Move, Position};
use crate::lab::{self, Killers, Search, Settings, Variant, Xiangqi};
use crate::rules::Game;
use crate::score::Score;
use crate::search::{Limits, Outcome, ThreadPool};

use super::super::Failure;
use super::super::positions::Midgame;
use super::budget::Budget;
use super::player::{LabPlayer, own_engine, seats};

/// Whose results a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The lab's search with the settings of the thesis.
    Lab,
    /// hanxin itself.
    Hanxin,
}

impl Engine {
    pub const ALL: [Engine; 2] = [Engine::Lab, Engine::Hanxin];

    pub const fn name(self) -> &'static str {
        match self {
            Engine::Lab => "lab",
            Engine::Hanxin => "hanxin",
        }
    }
}

/// Whose nodes are counted for tables 2-5 and 2-6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The lab, moves as they are generated.
    Unordered,
    /// The lab, killers before the captures.
    KillersFirst,
    /// The lab, the order of the thesis.
    Ordered,
    /// hanxin itself.
    Hanxin,
}

impl Counted {
    /// The variant of the lab; none for hanxin.
    fn variant(self) -> Option<Variant> {
        let thesis = Settings::thesis();
        let (name, settings) = match self {
            Counted::Unordered => ("unordered", thesis.without_ordering()),
            Counted::KillersFirst => {
                ("killers first", Settings { killers: Killers::BeforeCaptures, ..thesis })
            }
            Counted::Ordered => ("ordered", thesis),
            Counted::Hanxin => return None,
        };
        Some(Variant { name: name.to_owned(), settings })
    }
}

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Count the nodes of a midgame by depth.
    Nodes { counted: Counted, midgame: usize },
    /// Search a midgame.
    Midgame { engine: Engine, midgame: usize },
    /// Play a puzzle out, by its place in the list.
    Puzzle { engine: Engine, is_fast: bool, puzzle: usize },
    /// Play a game against the opponent at a depth.
    Game { engine: Engine, depth: u32, number: u32 },
}

impl Step {
    /// The colour that our engine has in a game against the opponent.
    pub fn color(&self) -> Color {
        match self {
            Step::Game { number, .. } if !number.is_multiple_of(2) => Color::Black,
            _ => Color::Red,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Step::Nodes { counted, midgame } => write!(f, "nodes, {counted:?}, midgame {midgame}"),
            Step::Midgame { engine, midgame } => write!(f, "{}, midgame {midgame}", engine.name()),
            Step::Puzzle { engine, is_fast, puzzle } => {
                let pace = if is_fast { "fast" } else { "slow" };
                write!(f, "{}, puzzle {puzzle}, {pace} defender", engine.name())
            }
            Step::Game { engine, depth, number } => {
                write!(f, "{}, game {number} against depth {depth}", engine.name())
            }
        }
    }
}

/// What came out of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Nodes by depth from 1, up to where the limit was reached.
    Nodes(Vec<u64>),
    /// The search of a midgame, and the score of the move wanted by a search of
    /// that move alone to the same depth.
    Midgame { depth: u32, best: String, score: i32, nodes: u64, wanted: i32 },
    /// A game.
    Game(Box<GameRecord>),
}

/// What every step needs.
pub struct Laboratory<'a> {
    pub midgames: &'a [Midgame],
    /// The positions of the puzzles.
    pub puzzles: &'a [Position],
    pub openings: &'a [Opening],
    /// The deepest count.
    pub depth: u32,
    /// The most nodes of a count.
    pub nodes: u64,
    /// For every move of tables 3-1 to 4-3.
    pub budget: Budget,
    /// The opponent, without limits.
    pub opponent: &'a EngineSpec,
    pub stop: Arc<AtomicBool>,
}

/// hanxin's hash table, megabytes; that of the thesis had 256.
const HASH: usize = 256;
/// How much later than its limit a move still counts: time forfeits are not what
/// is measured.
const MARGIN: Duration = Duration::from_secs(5);
/// A puzzle that lasts longer, in moves of each side, is drawn.
const MOST_MOVES: u32 = 150;

impl Laboratory<'_> {
    /// Does a step; `None` if it was interrupted.
    pub fn perform(&self, step: &Step) -> Result<Option<Found>, Failure> {
        match *step {
            Step::Nodes { counted, midgame } => {
                let position = &self.midgames[midgame].position;
                let nodes = match counted.variant() {
                    Some(variant) => self.count_in_lab(&variant, position),
                    None => self.count_in_hanxin(position)?,
                };
                Ok((!self.stop.load(Relaxed)).then_some(Found::Nodes(nodes)))
            }
            Step::Midgame { engine, midgame } => self.midgame(engine, &self.midgames[midgame]),
            Step::Puzzle { engine, is_fast, puzzle } => {
                let start = self.puzzles[puzzle].clone();
                let color = start.side_to_move();
                let budget = if is_fast { self.budget.fast() } else { self.budget };
                let opponent = client(self.opponent, budget.in_match());
                let opening = Opening { start, ..Opening::usual() };
                let max_moves = Some(MOST_MOVES);
                let adjudication = Adjudication { max_moves, ..Adjudication::default() };
                self.play(engine, color, opponent, &opening, adjudication)
            }
            Step::Game { engine, depth, number } => {
                let limits = arena::Limits { depth: Some(depth), ..arena::Limits::default() };
                let opponent = client(self.opponent, limits);
                let opening = &self.openings[number as usize % self.openings.len()];
                let resign = ResignRule { move_count: 4, score: 1000, two_sided: true };
                let adjudication = Adjudication { resign: Some(resign), ..Adjudication::default() };
                self.play(engine, step.color(), opponent, opening, adjudication)
            }
        }
    }

    fn count_in_lab(&self, variant: &Variant, position: &Position) -> Vec<u64> {
        let stop = Arc::clone(&self.stop);
        let limits = lab::Limits { nodes: Some(self.nodes), stop, ..lab::Limits::default() };
        let counts = (1..=self.depth).map_while(|depth| {
            let limits = lab::Limits { depth, ..limits.clone() };
            Some(variant.measure(Xiangqi::new(position.clone()), &limits)?.nodes)
        });
        counts.collect()
    }

    fn count_in_hanxin(&self, position: &Position) -> Result<Vec<u64>, Failure> {
        let mut nodes = Vec::new();
        for depth in 1..=self.depth {
            let limits =
                Limits { depth: Some(depth), nodes: Some(self.nodes), ..Limits::default() };
            match self.search(position, limits)? {
                Some(outcome) if outcome.nodes < self.nodes => nodes.push(outcome.nodes),
                _ => break,
            }
        }
        Ok(nodes)
    }

    fn midgame(&self, engine: Engine, midgame: &Midgame) -> Result<Option<Found>, Failure> {
        let (position, expected) = (&midgame.position, midgame.expected);
        let (depth, best, score, nodes) = match engine {
            Engine::Lab => {
                let found = self.search_in_lab(position, &self.budget.in_lab(&self.stop));
                (found.depth, found.best, found.score, found.nodes)
            }
            Engine::Hanxin => {
                let outcome = self.search(position, self.budget.in_search())?;
                let Some(outcome) = outcome else { return Ok(None) };
                (outcome.depth, outcome.best, outcome.score, outcome.nodes)
            }
        };
        let wanted = match best {
            Some(best) if best != expected => self.score_of(engine, position, expected, depth)?,
            _ => score,
        };
        let best = best.map_or(String::new(), |m| m.to_string());
        let (score, wanted) = (score.raw(), wanted.raw());
        let found = Found::Midgame { depth, best, score, nodes, wanted };
        Ok((!self.stop.load(Relaxed)).then_some(found))
    }

    /// The score of a move by a search to this depth; it means nothing if it was
    /// interrupted.
    fn score_of(
        &self,
        engine: Engine,
        position: &Position,
        m: Move,
        depth: u32,
    ) -> Result<Score, Failure> {
        match engine {
            // of the position after it: the only move of a root would be extended
            Engine::Lab => {
                let mut after = position.clone();
                after.make(m);
                let stop = Arc::clone(&self.stop);
                let limits = lab::Limits { stop, ..lab::Limits::to_depth(depth - 1) };
                Ok(-self.search_in_lab(&after, &limits).score.seen_from_root(1))
            }
            Engine::Hanxin => {
                let search_moves = vec![m];
                let limits = Limits { depth: Some(depth), search_moves, ..Limits::default() };
                let outcome = self.search(position, limits)?;
                Ok(outcome.map_or(Score::DRAW, |outcome| outcome.score))
            }
        }
    }

    fn search_in_lab(&self, position: &Position, limits: &lab::Limits) -> lab::Found<Move> {
        Search::new(Xiangqi::new(position.clone()), Settings::thesis()).run(limits)
    }

    /// A search of hanxin with one thread and nothing learnt before.
    fn search(&self, position: &Position, limits: Limits) -> Result<Option<Outcome>, Failure> {
        let mut pool = ThreadPool::new(1, HASH).map_err(Failure::refused)?;
        pool.options.overhead = Duration::ZERO;
        // or the system may take most of the time of the first search for its memory
        pool.warm_up();
        let game = Game::from(position.clone());
        Ok(pool.search_unless(&game, limits, || self.stop.load(Relaxed)))
    }

    fn play(
        &self,
        engine: Engine,
        color: Color,
        mut opponent: EngineClient,
        opening: &Opening,
        adjudication: Adjudication,
    ) -> Result<Option<Found>, Failure> {
        let mut player: Box<dyn Player> = match engine {
            Engine::Lab => Box::new(LabPlayer::new(self.budget, Arc::clone(&self.stop))),
            Engine::Hanxin => {
                let spec = own_engine().map_err(Failure::refused)?;
                Box::new(client(&spec, self.budget.in_match()))
            }
        };
        let conditions = Conditions { adjudication, ..Conditions::default() };
        let alone = Assignment { number: 0, pair: 0, round: 1, red: 0, black: 1, opening: 0 };
        let players = seats(color, player.as_mut(), &mut opponent);
        let played = play_game(&alone, opening, &conditions, players, &self.stop, &|_, _| {});
        opponent.quit();
        match played {
            None => Ok(None),
            Some((record, _)) if record.termination.is_failure() => {
                Err(Failure::Refused(format!("a game cannot go on: {}", record.reason)))
            }
            Some((record, _)) => Ok(Some(Found::Game(Box::new(record)))),
        }
    }
}

/// An engine with these limits.
fn client(spec: &EngineSpec, limits: arena::Limits) -> EngineClient {
    let spec = EngineSpec { margin: MARGIN, limits, ..spec.clone() };
    EngineClient::new(Arc::new(spec), None, None)
}
