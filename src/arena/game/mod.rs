//! One game between two players, under a referee.

mod adjudication;
mod clock;
mod end;
mod overhead;
mod player;
mod record;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;

use super::openings::Opening;
use super::schedule::Assignment;
use crate::board::{Color, Move};
use crate::protocol::{BestMove, Claim};
use crate::rules::{Game, Parameters};

use adjudication::Adjudicator;
use end::GameEnd;

pub use adjudication::{Adjudication, DrawRule, ResignRule};
pub use clock::GameClock;
pub use overhead::Overhead;
pub use player::{Failure, Player, Reply, SearchReport, SearchResult, Turn};
#[cfg(test)]
pub use record::tests::game as example;
pub use record::{GameRecord, GameResult, PlayedMove, RecordError, Termination};

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(into = "ConditionsText")]
pub struct Conditions {
    pub parameters: Parameters,
    pub adjudication: Adjudication,
}

/// [`Conditions`] in a file: the rules come from a room that knows nothing of
/// files.
#[derive(Serialize)]
struct ConditionsText {
    rules: &'static str,
    fold: u32,
    quiet_limit: u16,
    check_cap: u8,
    adjudication: Adjudication,
}

impl From<Conditions> for ConditionsText {
    fn from(conditions: Conditions) -> ConditionsText {
        let Parameters { rules, fold, quiet_limit, check_cap } = conditions.parameters;
        let adjudication = conditions.adjudication;
        ConditionsText { rules: rules.name(), fold, quiet_limit, check_cap, adjudication }
    }
}

/// Who wants to see every move: gets the game after it.
pub type Spectator<'a> = &'a dyn Fn(&Game, &PlayedMove);

/// Plays a game from its opening to its end; `players` are Red and Black.
/// Returns as well what the runner took of the time; `None` if `stop` was set
/// before the end.
pub fn play_game(
    assignment: &Assignment,
    opening: &Opening,
    conditions: &Conditions,
    players: [&mut dyn Player; 2],
    stop: &AtomicBool,
    spectator: Spectator<'_>,
) -> Option<(GameRecord, Overhead)> {
    let (started, began) = (SystemTime::now(), Instant::now());
    let [red, black] = players.each_ref().map(|player| player.name().to_owned());
    let mut table = Table::new(opening, conditions, players);
    let ending = match table.seat(opening, stop) {
        Err(end) => end,
        Ok(()) => loop {
            match table.step(stop) {
                Ok(played) => spectator(&table.game, &played),
                Err(end) => break end,
            }
        },
    };
    table.players.iter_mut().for_each(|player| player.end_game(stop));
    table.overhead.games = began.elapsed();
    let GameEnd { result, termination, reason } = ending?;
    let record = GameRecord {
        number: assignment.number,
        pair: assignment.pair,
        round: assignment.round,
        red,
        black,
        start_fen: opening.start.to_fen(),
        opening: opening.name.clone(),
        moves: table.moves,
        result,
        termination,
        reason,
        started,
    };
    Some((record, table.overhead))
}

/// An end, or `None` if the match has been stopped.
type End = Option<GameEnd>;

/// The board with both players at it.
struct Table<'a> {
    players: [&'a mut dyn Player; 2],
    clocks: [Option<GameClock>; 2],
    game: Game,
    adjudicator: Adjudicator,
    moves: Vec<PlayedMove>,
    /// Whether the last move came with an offer of a draw.
    draw_offered: bool,
    arrival: Option<Instant>,
    overhead: Overhead,
}

impl<'a> Table<'a> {
    fn new(
        opening: &Opening,
        conditions: &Conditions,
        players: [&'a mut dyn Player; 2],
    ) -> Table<'a> {
        let clocks = players.each_ref().map(|player| player.limits().clock.map(GameClock::new));
        let mut table = Table {
            players,
            clocks,
            game: Game::new(opening.start.clone(), conditions.parameters),
            adjudicator: Adjudicator::new(conditions.adjudication),
            moves: Vec::new(),
            draw_offered: false,
            arrival: None,
            overhead: Overhead::default(),
        };
        for &m in &opening.moves {
            // openings have been checked when they were read
            if table.game.play(m).is_ok() {
                table.moves.push(PlayedMove { from_book: true, ..PlayedMove::bare(m) });
            }
        }
        table
    }

    fn seat(&mut self, opening: &Opening, stop: &AtomicBool) -> Result<(), End> {
        for (side, player) in Color::ALL.into_iter().zip(&mut self.players) {
            let ready = player.new_game(&opening.start, stop);
            ready.map_err(|failure| GameEnd::by_failure(side, failure))?;
        }
        Ok(())
    }

    fn step(&mut self, stop: &AtomicBool) -> Result<PlayedMove, End> {
        if let Some(end) = GameEnd::by_rules(&self.game).or_else(|| self.adjudicator.verdict()) {
            return Err(Some(end));
        }
        let side = self.game.position().side_to_move();
        if stop.load(Relaxed) {
            return Err(None);
        }
        let (clocks, draw_offered) = (self.clocks, self.draw_offered);
        let turn = Turn { game: &self.game, clocks, draw_offered };
        let result = self.players[side.index()].think(&turn, stop);
        let result = result.map_err(|failure| GameEnd::by_failure(side, failure))?;
        self.overhead.note(self.arrival, result.begin, result.time);
        self.arrival = result.begin.checked_add(result.time);
        let best = self.move_of(side, &result)?;
        end::play(&mut self.game, best.best)?;
        // as exact as a journal keeps it: a match that is taken up again has the same games
        let time = Duration::from_micros(result.time.as_micros() as u64);
        let clock = &mut self.clocks[side.index()];
        if let Some(clock) = clock {
            clock.spend(time);
        }
        let report = result.report;
        let played = PlayedMove {
            m: best.best,
            score: report.score,
            depth: report.depth,
            seldepth: report.seldepth,
            nodes: report.nodes,
            time,
            clock_left: clock.map(|clock| clock.left()),
            from_book: false,
        };
        self.adjudicator.note(side, report.score);
        self.moves.push(played);
        self.draw_offered = best.claim == Some(Claim::Draw);
        self.ponder(side, best.ponder);
        Ok(played)
    }

    /// The move in a reply, or the end that it means instead.
    fn move_of(&self, side: Color, result: &SearchResult) -> Result<BestMove, End> {
        let loss = |termination, text: String| {
            Err(Some(GameEnd::loss(side, termination, format!("{side:?} {text}"))))
        };
        let player = &self.players[side.index()];
        match &result.reply {
            Reply::Nothing if player.limits().is_timed() => {
                loss(Termination::TimeForfeit, self.lateness(side, result))
            }
            Reply::Nothing => {
                let seconds = result.time.as_secs_f64();
                loss(Termination::Hang, format!("hung: no move after {seconds:.1} s"))
            }
            Reply::NoMove if player.resigns_without_move() => {
                loss(Termination::Resignation, "resigned by nobestmove".into())
            }
            Reply::NoMove => loss(Termination::IllegalMove, "said that it has no move".into()),
            Reply::Garbled(text) => {
                loss(Termination::IllegalMove, format!("played '{text}', which is not a move"))
            }
            Reply::Move(best) => match best.claim {
                Some(Claim::Resign) => loss(Termination::Resignation, "resigned".into()),
                Some(Claim::Draw) if self.draw_offered => {
                    let reason = "both engines wanted a draw".into();
                    Err(Some(GameEnd::new(None, Termination::Agreement, reason)))
                }
                _ => Ok(*best),
            },
        }
    }

    fn lateness(&self, side: Color, result: &SearchResult) -> String {
        let limits = self.players[side.index()].limits();
        let clock = self.clocks[side.index()].map(|clock| clock.left());
        let left = clock.into_iter().chain(limits.per_move).min().unwrap_or_default();
        let (taken, left) = (result.time.as_secs_f64(), left.as_secs_f64());
        format!("was too late: {taken:.3} s for a move with {left:.3} s left")
    }

    /// Lets the player that has just moved think about the reply it expects.
    fn ponder(&mut self, side: Color, expected: Option<Move>) {
        let legal = expected.filter(|&m| self.game.position().is_legal(m));
        if let Some(m) = legal {
            let turn = Turn { game: &self.game, clocks: self.clocks, draw_offered: false };
            self.players[side.index()].ponder(&turn, m);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Limits;
    use crate::board::Position;

    /// Plays the first legal move, in a time that no clock shows exactly.
    struct Quick;

    impl Player for Quick {
        fn name(&self) -> &str {
            "quick"
        }

        fn limits(&self) -> Limits {
            Limits { clock: Some("1+0.01".parse().unwrap()), ..Limits::default() }
        }

        fn new_game(&mut self, _: &Position, _: &AtomicBool) -> Result<(), Failure> {
            Ok(())
        }

        fn think(&mut self, turn: &Turn<'_>, _: &AtomicBool) -> Result<SearchResult, Failure> {
            let reply = Reply::Move(turn.game.position().legal_moves()[0].into());
            let time = Duration::from_nanos(499_999);
            Ok(SearchResult { reply, begin: Instant::now(), time, report: SearchReport::default() })
        }
    }

    #[test]
    fn a_game_is_the_same_in_a_journal() {
        let opening = Opening::checked(None, Position::startpos(), Vec::new()).unwrap();
        let assignment = Assignment { number: 0, pair: 0, round: 1, red: 0, black: 1, opening: 0 };
        let adjudication = Adjudication { max_moves: Some(3), ..Adjudication::default() };
        let conditions = Conditions { adjudication, ..Conditions::default() };
        let never = AtomicBool::new(false);
        let (red, black) = (&mut Quick, &mut Quick);
        let played =
            play_game(&assignment, &opening, &conditions, [red, black], &never, &|_, _| {});
        let (record, _) = played.unwrap();
        assert_eq!(record.moves[5].time, Duration::from_micros(499));
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<GameRecord>(&json).unwrap(), record);
    }
}
