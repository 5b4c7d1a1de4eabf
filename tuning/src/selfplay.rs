//! One game of the engine against itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use hanxin::arena::training::{Header, Ply, Record, Start};
use hanxin::arena::{
    self, Failure, GameResult, Reply, SearchReport, SearchResult, Termination, TimeControl, Turn,
};
use hanxin::board::{Color, Move, Position};
use hanxin::eval::EvalKind;
use hanxin::eval::nnue::Network;
use hanxin::rules::{Game, Parameters};
use hanxin::score::Score;
use hanxin::search::{Clock, Limits, Line, Outcome, Params, ThreadPool, TimeLimit};
use hanxin::util::{Random, seeded};
use rand::RngExt;

use crate::endings::random_ending;

/// Hash of the one search thread, megabytes.
const HASH: usize = 4;
/// Random plies at the start; every second game has one more, so that both
/// sides get to search first.
const OPENING_PLIES: usize = 8;
/// Plies of an opening of good moves at least; at most there are twice as many.
const GOOD_OPENING_PLIES: usize = 5;
/// So many of the best moves are considered there,
const GOOD_MOVES: usize = 10;
/// if they lose at most this against the best one, centipawns.
const GOOD_MOVE_MARGIN: i32 = 60;
/// The largest absolute score of an opening, centipawns.
const OPENING_LIMIT: i32 = 250;
/// The same of a random ending: what is drawn may look won.
const ENDING_LIMIT: i32 = 700;
/// Nodes for a move of an opening, or those of other moves if they are fewer.
const OPENING_NODES: u64 = 600;
/// Nodes for judging an opening, as a multiple of those.
const OPENING_FACTOR: u64 = 4;
/// Hard node limit as a multiple of the soft one.
const HARD_FACTOR: u64 = 7;
/// With fewer pieces on the board than this the midgame is over.
const MIDGAME_PIECES: u32 = 21;
/// A first search with one node in so many finds the positions that nothing is
/// learnt from; of those it is the only one.
const GLANCE_DIVISOR: u64 = 12;
/// A game is drawn at this length.
const LENGTH: usize = 300;
/// One game in this many is played without adjudication.
const UNADJUDICATED: usize = 10;
/// Score for adjudicating a win, centipawns.
const WON: i32 = 1_200;
/// Plies in a row it must hold.
const WON_PLIES: usize = 5;
/// Score for adjudicating a draw, centipawns.
const DRAWN: i32 = 10;
/// Plies in a row it must hold.
const DRAWN_PLIES: usize = 12;
/// No draw is adjudicated up to this ply.
const DRAWN_AFTER: usize = 60;

/// The evaluation to use; by default the embedded net.
#[derive(Args, Default)]
pub struct Evaluation {
    /// The net that evaluates, instead of the one inside the program
    #[arg(long, conflicts_with = "classical")]
    net: Option<PathBuf>,
    /// Use the classical evaluation
    #[arg(long)]
    classical: bool,
}

impl Evaluation {
    /// The file of the net, if one was named.
    pub fn file(&self) -> Option<&Path> {
        self.net.as_deref()
    }

    /// The evaluation that was chosen.
    ///
    /// # Errors
    /// When the net cannot be used.
    pub fn open(&self) -> Result<EvalKind> {
        match &self.net {
            Some(path) => Ok(EvalKind::Nnue(Arc::new(Network::open(path)?))),
            None if self.classical => Ok(EvalKind::Classical),
            None => Ok(EvalKind::default()),
        }
    }
}

/// What commands that play or search have in common.
#[derive(Args)]
pub struct Common {
    /// Games played, or positions searched, at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,
    /// Determines all that is random
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub evaluation: Evaluation,
}

/// A clock that nodes drive, so that it does not matter what else the machine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeClock {
    /// What it gives.
    pub control: TimeControl,
    /// Nodes that count as a millisecond.
    pub rate: u32,
}

/// Searches moves by nodes, with one thread if nothing else is said.
pub struct Player {
    pool: ThreadPool,
    nodes: u64,
    clock: Option<NodeClock>,
}

impl Player {
    /// A player with this soft limit of nodes per move.
    ///
    /// # Errors
    /// When there is no memory for its table.
    pub fn new(nodes: u64, eval: EvalKind) -> Result<Player> {
        let mut pool = ThreadPool::new(1, HASH)?;
        pool.options.eval = eval;
        Ok(Player { pool, nodes, clock: None })
    }

    /// So many players, which play at the same time.
    ///
    /// # Errors
    /// When there is no memory for their tables.
    pub fn several(count: u32, nodes: u64, eval: &EvalKind) -> Result<Vec<Player>> {
        (0..count).map(|_| Player::new(nodes, eval.clone())).collect()
    }

    /// The same, but players whose scores nets learn from.
    ///
    /// # Errors
    /// When there is no memory for their tables.
    pub fn for_labels(count: u32, nodes: u64, eval: &EvalKind) -> Result<Vec<Player>> {
        let mut players = Player::several(count, nodes, eval)?;
        // a net cannot see how near the natural limit is: its labels ignore it
        let params = Params { fade: 0, ..Params::default() };
        players.iter_mut().for_each(|player| player.set_params(params.clone()));
        Ok(players)
    }

    /// Has it play other players by this clock instead of by nodes per move.
    pub fn set_clock(&mut self, clock: NodeClock) {
        self.pool.options.node_rate = clock.rate.into();
        self.clock = Some(clock);
    }

    /// Has so many threads search a position together.
    ///
    /// # Errors
    /// When the system gives fewer.
    pub fn set_threads(&mut self, threads: u32) -> Result<()> {
        Ok(self.pool.set_threads(threads as usize, false)?)
    }

    /// Sets the constants of its search.
    pub fn set_params(&mut self, params: Params) {
        self.pool.options.params = params;
    }

    /// Clears hash table and histories.
    pub fn clear(&mut self) {
        self.pool.clear();
    }

    /// Plays a game; the same number and header give the same game.
    ///
    /// # Errors
    /// When a search thread has died.
    pub fn play(&mut self, header: Header, number: u32) -> Result<Record> {
        let mut random = seeded(header.seed, u64::from(number));
        self.pool.clear();
        let (start, opening) = if random.random_range(0..100) < header.endings {
            (self.ending(&mut random)?, Vec::new())
        } else if header.openings > 0 && random.random_range(0..100) < header.openings {
            (Start::Initial, self.good_opening(&mut random)?)
        } else {
            (Start::Initial, self.opening(&mut random)?)
        };
        let adjudicated = random.random_range(0..UNADJUDICATED) > 0;
        let ends_with_midgame =
            start == Start::Initial && random.random_range(0..100) < header.midgames;
        let mut labelled = Vec::new();
        let mut game = Game::replay(start.position(), Parameters::default(), &opening)?;
        let mut plies: Vec<Ply> = Vec::new();
        let (result, termination) = loop {
            let end = end_of(&game).or_else(|| adjudicate(&plies, game.ply(), adjudicated));
            if let Some(end) = end {
                break end;
            }
            let (mut best, mut score) = self.search(&game, (self.nodes / GLANCE_DIVISOR).max(1))?;
            let is_wanted =
                !ends_with_midgame || game.position().occupied().len() >= MIDGAME_PIECES;
            let is_labelled = is_wanted && is_quiet(game.position(), best);
            if is_labelled {
                (best, score) = self.search(&game, self.nodes)?;
            }
            labelled.push(is_labelled);
            plies.push(Ply { best, score: score.map(|score| for_red(score, game.position())) });
            game.play(best)?;
        };
        // all scores were needed for adjudication, but those are too shallow to learn from
        for (ply, _) in plies.iter_mut().zip(labelled).filter(|(_, labelled)| !labelled) {
            ply.score = None;
        }
        Ok(Record { number, result, termination, start, opening, plies })
    }

    /// The score for Red of the position that a game has reached; `None` if nothing
    /// can be learnt from it after all, or if the search has no exact one.
    ///
    /// # Errors
    /// When a search thread has died.
    pub fn label(&mut self, game: &Game) -> Result<Option<i16>> {
        let (best, score) = self.search(game, self.nodes)?;
        let score = score.filter(|_| is_quiet(game.position(), best));
        Ok(score.map(|score| for_red(score, game.position())))
    }

    /// Random moves to a position that is roughly balanced.
    ///
    /// # Errors
    /// When a search thread has died.
    pub fn opening(&mut self, random: &mut Random) -> Result<Vec<Move>> {
        loop {
            let plies = OPENING_PLIES + random.random_range(0..2);
            let Some(moves) = random_moves(random, plies) else {
                continue;
            };
            let game = Game::replay(Position::startpos(), Parameters::default(), &moves)?;
            if self.is_open(&game, OPENING_LIMIT)? {
                return Ok(moves);
            }
        }
    }

    /// Moves drawn from those that are nearly best, to a position that is roughly
    /// balanced.
    fn good_opening(&mut self, random: &mut Random) -> Result<Vec<Move>> {
        let plies = GOOD_OPENING_PLIES + random.random_range(0..=GOOD_OPENING_PLIES);
        let nodes = self.nodes.min(OPENING_NODES);
        let limits = Limits { soft_nodes: Some(nodes), ..Limits::default() };
        loop {
            let mut game = Game::from(Position::startpos());
            while game.ply() < plies && game.outcome().is_none() {
                let lines = self.outcome(&game, limits.clone(), GOOD_MOVES).lines;
                game.play(near_best(&lines, GOOD_MOVE_MARGIN, random)?)?;
            }
            // near-best moves may repeat a position until the game is over
            if game.outcome().is_none() && self.is_open(&game, OPENING_LIMIT)? {
                return Ok(game.moves().collect());
            }
        }
    }

    /// A random ending that is not decided.
    fn ending(&mut self, random: &mut Random) -> Result<Start> {
        loop {
            let position = random_ending(random);
            if self.is_open(&Game::from(position.clone()), ENDING_LIMIT)? {
                return Ok(Start::Position(Box::new(position)));
            }
        }
    }

    /// Whether neither side is further ahead than `limit`.
    fn is_open(&mut self, game: &Game, limit: i32) -> Result<bool> {
        let nodes = OPENING_FACTOR * self.nodes.min(OPENING_NODES);
        let (_, score) = self.search(game, nodes)?;
        Ok(score.is_some_and(|score| score.raw().abs() <= limit))
    }

    /// The move to play and the exact score of the last completed iteration, for
    /// the side to move.
    fn search(&mut self, game: &Game, nodes: u64) -> Result<(Move, Option<Score>)> {
        let limits = Limits {
            soft_nodes: Some(nodes),
            nodes: Some(HARD_FACTOR * nodes),
            ..Limits::default()
        };
        let outcome = self.outcome(game, limits, 1);
        let best = outcome.best.context("the search found no move")?;
        Ok((best, outcome.exact))
    }

    /// The result of a search for the best `lines`.
    pub fn outcome(&mut self, game: &Game, limits: Limits, lines: usize) -> Outcome {
        self.pool.options.lines = lines;
        self.pool.search(game, limits)
    }

    /// The limits of a move in a game against another player.
    fn limits_of(&self, turn: &Turn<'_>) -> Limits {
        match turn.clocks[turn.game.position().side_to_move().index()] {
            Some(clock) => {
                let time = TimeLimit::Clock(Clock {
                    remaining: clock.left(),
                    increment: clock.increment(),
                    moves_to_go: clock.moves_to_go(),
                    most: None,
                });
                Limits { time: Some(time), ..Limits::default() }
            }
            // not a soft limit: it would give more nodes to whoever searches larger trees
            None => Limits { nodes: Some(self.nodes), ..Limits::default() },
        }
    }
}

impl arena::Player for Player {
    fn name(&self) -> &str {
        "hanxin"
    }

    fn limits(&self) -> arena::Limits {
        match self.clock {
            Some(NodeClock { control, .. }) => {
                arena::Limits { clock: Some(control), ..arena::Limits::default() }
            }
            None => arena::Limits { nodes: Some(self.nodes), ..arena::Limits::default() },
        }
    }

    fn new_game(&mut self, _start: &Position, _stop: &AtomicBool) -> Result<(), Failure> {
        self.clear();
        Ok(())
    }

    fn think(&mut self, turn: &Turn<'_>, _stop: &AtomicBool) -> Result<SearchResult, Failure> {
        let begin = Instant::now();
        let Outcome { best, exact, nodes, .. } = self.outcome(turn.game, self.limits_of(turn), 1);
        let best = best.ok_or_else(|| Failure::Crash("the search found no move".into()))?;
        let report = SearchReport { score: exact, ..SearchReport::default() };
        let time = self.clock.map_or_else(|| begin.elapsed(), |clock| clock.time_of(nodes));
        let own = turn.clocks[turn.game.position().side_to_move().index()];
        let is_late = own.is_some_and(|own| time > own.left());
        let reply = if is_late { Reply::Nothing } else { Reply::Move(best.into()) };
        Ok(SearchResult { reply, begin, time, report })
    }
}

impl NodeClock {
    /// How long so many nodes take.
    fn time_of(&self, nodes: u64) -> Duration {
        Duration::from_micros(nodes * 1000 / u64::from(self.rate))
    }
}

/// Who has won and how, if the game is over; drawn at [`LENGTH`] plies.
fn end_of(game: &Game) -> Option<(GameResult, Termination)> {
    match game.outcome() {
        Some(outcome) => Some((GameResult::of_winner(outcome.winner), Termination::of(&outcome))),
        None => (game.ply() >= LENGTH).then_some((GameResult::Draw, Termination::MaxMoves)),
    }
}

/// Whether a position can be learnt from, if this is its best move: what comes of
/// a check or a capture is for the search to find.
pub fn is_quiet(position: &Position, best: Move) -> bool {
    !position.in_check() && !position.is_capture(best)
}

/// Uniformly random legal moves from the initial position; none if they end
/// the game.
fn random_moves(random: &mut Random, plies: usize) -> Option<Vec<Move>> {
    let mut game = Game::new(Position::startpos(), Parameters::default());
    for _ in 0..plies {
        // a move that loses a piece at once decides the game before it begins
        let mut moves = game.position().legal_moves();
        moves.retain(|m| game.position().see_ge(m, 0));
        if moves.is_empty() {
            return None;
        }
        game.play(moves[random.random_range(0..moves.len())]).ok()?;
        if game.outcome().is_some() {
            return None;
        }
    }
    Some(game.moves().collect())
}

/// A move drawn from those that lose at most `margin` centipawns against the
/// best line.
///
/// # Errors
/// When the search found none.
pub fn near_best(lines: &[Line], margin: i32, random: &mut Random) -> Result<Move> {
    let best = lines.first().context("the search found no move")?.score;
    let near = lines.iter().filter(|line| best - line.score <= margin);
    let moves: Vec<Move> = near.filter_map(|line| line.pv.first().copied()).collect();
    Ok(moves[random.random_range(0..moves.len())])
}

fn for_red(score: Score, position: &Position) -> i16 {
    let score = score.raw() as i16;
    match position.side_to_move() {
        Color::Red => score,
        Color::Black => -score,
    }
}

/// Adjudicates by the last scores, `length` being that of the game; always `None`
/// in a game to be played out.
fn adjudicate(
    plies: &[Ply],
    length: usize,
    adjudicated: bool,
) -> Option<(GameResult, Termination)> {
    let scores = |count: usize| Some(&plies[plies.len().checked_sub(count)?..]);
    if !adjudicated {
        return None;
    }
    let last = i32::from(plies.last()?.score?);
    let winner = if last > 0 { GameResult::RedWins } else { GameResult::BlackWins };
    let lasts = |ply: &Ply| ply.score.is_some_and(|score| i32::from(score) * last.signum() >= WON);
    if Score::from_raw(last).is_decisive() || scores(WON_PLIES)?.iter().all(lasts) {
        return Some((winner, Termination::AdjudicatedWin));
    }
    let level = |ply: &Ply| ply.score.is_some_and(|score| i32::from(score).abs() <= DRAWN);
    let is_drawn = length > DRAWN_AFTER && scores(DRAWN_PLIES)?.iter().all(level);
    is_drawn.then_some((GameResult::Draw, Termination::AdjudicatedDraw))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hanxin::score::Bound;

    fn plies(scores: &[i16]) -> Vec<Ply> {
        scores
            .iter()
            .map(|&score| Ply { best: "h2e2".parse().unwrap(), score: Some(score) })
            .collect()
    }

    #[test]
    fn scores_that_last_decide() {
        let decide =
            |scores: &[i16]| adjudicate(&plies(scores), 80, true).map(|(result, _)| result);
        assert_eq!(decide(&[]), None);
        assert_eq!(decide(&[2_500, 1_200, 1_300, 1_200]), None);
        assert_eq!(decide(&[2_500, 1_200, 1_300, 1_200, 1_200]), Some(GameResult::RedWins));
        assert_eq!(decide(&[-2_500, 1_200, 1_300, 1_200, 1_200]), None);
        assert_eq!(decide(&[-2_500, -1_200, -1_300, -1_200, -1_300]), Some(GameResult::BlackWins));
        assert_eq!(decide(&[0, -31_990]), Some(GameResult::BlackWins));
        assert_eq!(decide(&[10; 12]), Some(GameResult::Draw));
        assert_eq!(decide(&[11; 12]), None);
        assert_eq!(adjudicate(&plies(&[0; 12]), 60, true), None);
        assert_eq!(adjudicate(&plies(&[0, -31_990]), 80, false), None);
    }

    #[test]
    fn games_end_by_the_rules() {
        let after = |moves: &str| {
            let moves: Vec<Move> = moves.split_whitespace().map(|m| m.parse().unwrap()).collect();
            let mut game = Game::new(Position::startpos(), Parameters::default());
            moves.iter().for_each(|&m| game.play(m).unwrap());
            end_of(&game)
        };
        let once = "b0c2 b9c7 c2b0 c7b9 ";
        assert_eq!(after(once), None);
        assert_eq!(after(&once.repeat(2)), Some((GameResult::Draw, Termination::Repetition)));
    }

    #[test]
    fn positions_that_nothing_is_learnt_from_have_no_scores() {
        let mut player = Player::new(200, EvalKind::Classical).unwrap();
        let mut play = |midgames| {
            let header =
                Header { nodes: 200, seed: 7, endings: 0, openings: 0, midgames, evaluation: 0 };
            player.play(header, 3).unwrap()
        };
        let (whole, midgame) = (play(0), play(100));
        let endings = |record: &Record, is_wanted: bool| {
            let (start, rules) = (Position::startpos(), Parameters::default());
            let mut game = Game::replay(start, rules, &record.opening).unwrap();
            let mut endings = 0;
            for ply in &record.plies {
                let is_ending = game.position().occupied().len() < MIDGAME_PIECES;
                endings += usize::from(is_ending);
                if is_ending && !is_wanted {
                    assert_eq!(ply.score, None);
                } else if ply.score.is_none() {
                    assert!(!is_quiet(game.position(), ply.best));
                }
                game.play(ply.best).unwrap();
            }
            endings
        };
        let (all, none) = (endings(&whole, true), endings(&midgame, false));
        assert!(all > 0 && none > 0 && none < midgame.plies.len());
        let same = midgame.plies.len() - none;
        assert_eq!(midgame.plies[..same], whole.plies[..same]);
        assert!(whole.plies.iter().any(|ply| ply.score.is_none()));
    }

    #[test]
    fn a_good_opening_is_made_of_moves_that_are_nearly_best() {
        let line = |text: &str, score| Line {
            depth: 3,
            seldepth: 3,
            multipv: 1,
            score: Score::from_centipawns(score),
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            table_hits: 0,
            pv: vec![text.parse().unwrap()],
        };
        let lines = [line("h2e2", 30), line("b2e2", 0), line("a0a1", -31)];
        let mut random = seeded(1, 0);
        let drawn: Vec<Move> =
            (0..50).map(|_| near_best(&lines, 60, &mut random).unwrap()).collect();
        assert!(lines[..2].iter().all(|line| drawn.contains(&line.pv[0])));
        assert!(!drawn.contains(&lines[2].pv[0]));
        assert!(near_best(&[], 60, &mut random).is_err());

        let mut player = Player::new(300, EvalKind::Classical).unwrap();
        let header =
            Header { nodes: 300, seed: 2, endings: 0, openings: 100, midgames: 100, evaluation: 0 };
        let opening = player.play(header, 5).unwrap().opening;
        assert!((GOOD_OPENING_PLIES..=2 * GOOD_OPENING_PLIES).contains(&opening.len()));
        assert_eq!(player.play(header, 5).unwrap().opening, opening);
        assert_ne!(player.play(Header { openings: 0, ..header }, 5).unwrap().opening, opening);
    }

    #[test]
    fn a_game_is_determined_by_seed_and_number() {
        let mut player = Player::new(200, EvalKind::Classical).unwrap();
        for endings in [0, 100] {
            let header =
                Header { nodes: 200, seed: 7, endings, openings: 0, midgames: 0, evaluation: 0 };
            let game = player.play(header, 3).unwrap();
            let other = player.play(header, 4).unwrap();
            assert_ne!((&game.start, &game.opening), (&other.start, &other.opening));
            assert_eq!(player.play(header, 3).unwrap(), game);
            assert_eq!(game.start == Start::Initial, endings == 0);
            let mut moves = game.opening;
            moves.extend(game.plies.iter().map(|ply| ply.best));
            let rules = Parameters::default();
            assert!(Game::replay(game.start.position(), rules, &moves).is_ok());
        }
    }
}
