//! One game between two engines.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::adjudication::{Adjudication, Adjudicator};
use super::clock::GameClock;
use super::engine::{Failure, Player, Said, Thought, Turn};
use super::openings::Opening;
use super::overhead::Overhead;
use super::record::{GameRecord, PlayedMove, Termination};
use super::referee::{self, Ending};
use super::schedule::Assignment;
use super::script::Script;
use crate::board::{Color, Move};
use crate::protocol::{BestMove, Claim, Protocol};
use crate::rules::{Game, Parameters};

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conditions {
    /// The rules.
    pub parameters: Parameters,
    /// When the referee ends games that the rules have not ended.
    pub adjudication: Adjudication,
}

impl Serialize for Conditions {
    /// The rules come from a room that knows nothing of files.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Parameters { rules, fold, quiet_limit, check_cap } = self.parameters;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("rules", rules.name())?;
        map.serialize_entry("fold", &fold)?;
        map.serialize_entry("quiet_limit", &quiet_limit)?;
        map.serialize_entry("check_cap", &check_cap)?;
        map.serialize_entry("adjudication", &self.adjudication)?;
        map.end()
    }
}

/// Who wants to see every move: gets the game after it.
pub type Spectator<'a> = &'a dyn Fn(&Game, &PlayedMove);

/// Plays a game from its opening to its end; `players` are Red and Black. Tells
/// as well what the runner took of the time. `None` if `stop` was set before
/// the end.
pub fn play(
    assignment: &Assignment,
    opening: &Opening,
    conditions: &Conditions,
    mut players: [&mut Player; 2],
    stop: &AtomicBool,
    spectator: Spectator<'_>,
) -> Option<(GameRecord, Overhead)> {
    let (started, began) = (Timestamp::now(), Instant::now());
    let names = players.each_ref().map(|player| player.spec().name.clone());
    let mut table = Table::new(opening, conditions, players.each_mut().map(|player| &mut **player));
    let ending = match table.seat(stop) {
        Err(ending) => ending,
        Ok(()) => loop {
            match table.step(stop) {
                Ok(played) => spectator(&table.game, &played),
                Err(ending) => break ending,
            }
        },
    };
    let (moves, mut overhead) = (std::mem::take(&mut table.moves), table.overhead);
    players.into_iter().for_each(|player| player.rest(stop));
    overhead.games = began.elapsed();
    let Ending { result, termination, reason } = ending?;
    let [red, black] = names;
    let record = GameRecord {
        number: assignment.number,
        pair: assignment.pair,
        round: assignment.round,
        red,
        black,
        start_fen: opening.start.to_fen(),
        opening: opening.name.clone(),
        moves,
        result,
        termination,
        reason,
        started,
    };
    Some((record, overhead))
}

/// An end, or `None` if the match has been stopped.
type End = Option<Ending>;

/// The board with both players at it.
struct Table<'a> {
    players: [&'a mut Player; 2],
    clocks: [Option<GameClock>; 2],
    game: Game,
    /// The game as each of them is told of it.
    scripts: [Script; 2],
    adjudicator: Adjudicator,
    moves: Vec<PlayedMove>,
    /// Whether the last move came with an offer of a draw.
    draw_offered: bool,
    /// When the last move arrived.
    arrival: Option<Instant>,
    overhead: Overhead,
}

impl<'a> Table<'a> {
    fn new(opening: &Opening, conditions: &Conditions, players: [&'a mut Player; 2]) -> Table<'a> {
        let clocks = players.each_ref().map(|player| player.spec().limits.clock);
        let scripts = players.each_ref().map(|player| {
            let spec = player.spec();
            Script::new(&opening.start, spec.dialect(), spec.tells_all_moves())
        });
        let mut table = Table {
            players,
            clocks: clocks.map(|control| control.map(GameClock::new)),
            game: Game::new(opening.start.clone(), conditions.parameters),
            scripts,
            adjudicator: Adjudicator::new(conditions.adjudication),
            moves: Vec::new(),
            draw_offered: false,
            arrival: None,
            overhead: Overhead::default(),
        };
        for &m in &opening.moves {
            // openings have been checked when they were read
            if table.game.play(m).is_ok() {
                table.remember(PlayedMove { from_book: true, ..PlayedMove::bare(m) });
            }
        }
        table
    }

    /// Gets both engines ready.
    fn seat(&mut self, stop: &AtomicBool) -> Result<(), End> {
        for side in [Color::Red, Color::Black] {
            let ready = self.players[side.index()].new_game(stop);
            ready.map_err(|failure| Ending::by_failure(side, failure))?;
        }
        Ok(())
    }

    /// Has the side to move make its move.
    fn step(&mut self, stop: &AtomicBool) -> Result<PlayedMove, End> {
        if let Some(ending) = Ending::by_rules(&self.game).or_else(|| self.adjudicator.verdict()) {
            return Err(Some(ending));
        }
        let side = self.game.position().side_to_move();
        let index = side.index();
        if stop.load(Relaxed) {
            return Err(None);
        }
        let thought = self.ask(side, stop)?;
        self.overhead.note(self.arrival, thought.begin, thought.time);
        self.arrival = thought.begin.checked_add(thought.time);
        let best = self.move_in(side, &thought)?;
        let m = best.best;
        referee::play(&mut self.game, m)?;
        if let Some(clock) = &mut self.clocks[index] {
            clock.spend(thought.time);
        }
        let report = thought.report;
        let played = PlayedMove {
            m,
            score: report.score,
            depth: report.depth,
            seldepth: report.seldepth,
            nodes: report.nodes,
            time: thought.time,
            clock_left: self.clocks[index].map(|clock| clock.left()),
            from_book: false,
        };
        self.adjudicator.note(side, report.score);
        self.remember(played);
        self.draw_offered = best.claim == Some(Claim::Draw);
        self.ponder(side, best.ponder);
        Ok(played)
    }

    /// Asks the engine of a side for its move, a second time if it says that
    /// there is none and its description wants that.
    fn ask(&mut self, side: Color, stop: &AtomicBool) -> Result<Thought, End> {
        let spec = self.players[side.index()].spec();
        let (dialect, ask_again) = (spec.dialect(), spec.ask_again);
        let failed = |failure| Ending::by_failure(side, failure);
        let first = self.think(side, None, stop).map_err(failed)?;
        if first.said != Said::NoMove || !ask_again {
            return Ok(first);
        }
        let bare = Script::new(self.game.position(), dialect, true);
        let second = self.think(side, Some(&bare), stop).map_err(failed)?;
        Ok(Thought { begin: first.begin, time: first.time + second.time, ..second })
    }

    /// Asks once; tells the game as it is or in another way.
    fn think(
        &mut self,
        side: Color,
        script: Option<&Script>,
        stop: &AtomicBool,
    ) -> Result<Thought, Failure> {
        let own = &self.scripts[side.index()];
        let turn = turn(side, script.unwrap_or(own), self.clocks, self.draw_offered);
        self.players[side.index()].think(&turn, stop)
    }

    /// The move in what an engine said, or the end that it means instead.
    fn move_in(&self, side: Color, thought: &Thought) -> Result<BestMove, End> {
        let loss = |termination, text: String| {
            Err(Some(Ending::loss(side, termination, format!("{side:?} {text}"))))
        };
        let spec = self.players[side.index()].spec();
        match &thought.said {
            Said::Nothing if spec.limits.is_timed() => {
                loss(Termination::TimeForfeit, self.lateness(side, thought))
            }
            Said::Nothing => {
                let seconds = thought.time.as_secs_f64();
                loss(Termination::Hang, format!("hung: no move after {seconds:.1} s"))
            }
            Said::NoMove if spec.protocol == Protocol::Ucci => {
                loss(Termination::Resignation, "resigned by nobestmove".into())
            }
            Said::NoMove => loss(Termination::IllegalMove, "said that it has no move".into()),
            Said::Garbled(text) => {
                loss(Termination::IllegalMove, format!("played '{text}', which is no move"))
            }
            Said::Move(best) => match best.claim {
                Some(Claim::Resign) => loss(Termination::Resignation, "resigned".into()),
                Some(Claim::Draw) if self.draw_offered => {
                    let reason = "both engines wanted a draw".into();
                    Err(Some(Ending::new(None, Termination::Agreement, reason)))
                }
                _ => Ok(*best),
            },
        }
    }

    fn lateness(&self, side: Color, thought: &Thought) -> String {
        let limits = self.players[side.index()].spec().limits;
        let clock = self.clocks[side.index()].map(|clock| clock.left());
        let left = clock.into_iter().chain(limits.per_move).min().unwrap_or_default();
        let (taken, left) = (thought.time.as_secs_f64(), left.as_secs_f64());
        format!("was too late: {taken:.3} s for a move with {left:.3} s left")
    }

    /// Adds a move that has been played on the board.
    fn remember(&mut self, played: PlayedMove) {
        let captured = self.game.keys_back_to_capture().next().is_none();
        for script in &mut self.scripts {
            script.push(played.m, captured, self.game.position());
        }
        self.moves.push(played);
    }

    /// Lets the engine that has just moved think about the reply it expects.
    fn ponder(&mut self, side: Color, expected: Option<Move>) {
        let spec = self.players[side.index()].spec();
        let position = self.game.position();
        let expected = expected.filter(|&m| position.is_legal(m));
        let (Some(m), true, true) = (expected, spec.ponder, spec.limits.clock.is_some()) else {
            return;
        };
        let script = self.after(side, m);
        self.players[side.index()].ponder(&turn(side, &script, self.clocks, false));
    }

    /// What a side is told if this move is played next.
    fn after(&self, side: Color, m: Move) -> Script {
        let mut position = self.game.position().clone();
        let captured = position.make(m).captured().is_some();
        let mut script = self.scripts[side.index()].clone();
        script.push(m, captured, &position);
        script
    }
}

/// What the player of a side is asked.
fn turn(
    side: Color,
    script: &Script,
    clocks: [Option<GameClock>; 2],
    draw_offered: bool,
) -> Turn<'_> {
    Turn {
        position: script.line(),
        red_to_move: side == Color::Red,
        own: clocks[side.index()],
        opponent: clocks[(!side).index()],
        draw_offered,
    }
}
