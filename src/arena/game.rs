//! One game between two engines.

use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::adjudication::{Adjudication, Adjudicator};
use super::clock::GameClock;
use super::engine::{Player, Said, Thought, Turn};
use super::history::History;
use super::openings::Opening;
use super::record::{GameRecord, PlayedMove, Termination};
use super::referee::{self, Ending};
use super::schedule::Assignment;
use crate::board::{Color, Move};
use crate::protocol::{BestMove, Claim, MoveText, Protocol};
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

/// Plays a game from its opening to its end; `players` are Red and Black.
/// `None` if `stop` was set before the end.
pub fn play(
    assignment: &Assignment,
    opening: &Opening,
    conditions: &Conditions,
    mut players: [&mut Player; 2],
    stop: &AtomicBool,
    spectator: Spectator<'_>,
) -> Option<GameRecord> {
    let started = Timestamp::now();
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
    let moves = std::mem::take(&mut table.moves);
    players.into_iter().for_each(|player| player.rest(stop));
    let Ending { result, termination, reason } = ending?;
    let [red, black] = names;
    Some(GameRecord {
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
    })
}

/// An end, or `None` if the match has been stopped.
type End = Option<Ending>;

/// The board with both players at it.
struct Table<'a> {
    players: [&'a mut Player; 2],
    clocks: [Option<GameClock>; 2],
    game: Game,
    history: History,
    adjudicator: Adjudicator,
    moves: Vec<PlayedMove>,
    /// Whether the last move came with an offer of a draw.
    draw_offered: bool,
}

impl<'a> Table<'a> {
    fn new(opening: &Opening, conditions: &Conditions, players: [&'a mut Player; 2]) -> Table<'a> {
        let clocks = players.each_ref().map(|player| player.spec().limits.clock);
        let mut table = Table {
            players,
            clocks: clocks.map(|control| control.map(GameClock::new)),
            game: Game::new(opening.start.clone(), conditions.parameters),
            history: History::new(&opening.start),
            adjudicator: Adjudicator::new(conditions.adjudication),
            moves: Vec::new(),
            draw_offered: false,
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
        let thought = self.ask(side, stop)?;
        let best = self.move_in(side, &thought)?;
        let m = referee::play(&mut self.game, best.best)?;
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
        let player = &self.players[side.index()];
        let mut turn = self.turn(side, &self.history, player.spec().tells_all_moves());
        let ask_again = player.spec().ask_again;
        let player = &mut self.players[side.index()];
        let failed = |failure| Ending::by_failure(side, failure);
        let first = player.think(&turn, stop).map_err(failed)?;
        if first.said != Said::NoMove || !ask_again {
            return Ok(first);
        }
        turn.setup = History::new(self.game.position()).setup(true);
        let second = player.think(&turn, stop).map_err(failed)?;
        Ok(Thought { time: first.time + second.time, ..second })
    }

    fn turn(&self, side: Color, history: &History, all_moves: bool) -> Turn {
        Turn {
            setup: history.setup(all_moves),
            red_to_move: side == Color::Red,
            own: self.clocks[side.index()],
            opponent: self.clocks[(!side).index()],
            draw_offered: self.draw_offered,
        }
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
        self.history.push(played.m, captured, self.game.position());
        self.moves.push(played);
    }

    /// Lets the engine that has just moved think about the reply it expects.
    fn ponder(&mut self, side: Color, expected: Option<MoveText>) {
        let spec = self.players[side.index()].spec();
        let position = self.game.position();
        let expected = expected.and_then(referee::move_of).filter(|&m| position.is_legal(m));
        let (Some(m), true, true) = (expected, spec.ponder, spec.limits.clock.is_some()) else {
            return;
        };
        let mut turn = self.turn(side, &self.after(m), spec.tells_all_moves());
        turn.draw_offered = false;
        self.players[side.index()].ponder(&turn);
    }

    /// The history if this move is played next.
    fn after(&self, m: Move) -> History {
        let mut position = self.game.position().clone();
        let captured = position.make(m).captured().is_some();
        let mut history = self.history.clone();
        history.push(m, captured, &position);
        history
    }
}
