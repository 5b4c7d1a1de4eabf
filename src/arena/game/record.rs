//! One game of a match, as the journal keeps it: a line of JSON.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, DurationMicroSeconds, serde_as, skip_serializing_none};
use strum::{Display, EnumString, VariantArray};

use crate::arena::stats::Points;
use crate::board::{Color, Move, Position};
use crate::rules::{Game, Outcome, Pattern, PlayError, Reason, RuleSet};
use crate::score::Score;

/// A game that is over.
///
/// As JSON it is an object with the fields below by their names, moves in
/// coordinates (`h2e2`), `result` and `termination` by their
/// [names](Termination), times as RFC 3339 text in UTC. What is not known is
/// left out. Fields may be added in later versions, none will change its
/// meaning; readers pass over fields that they do not know.
#[skip_serializing_none]
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its place in the schedule, from 0; no two games of a match share it.
    pub number: u32,
    /// The pair it belongs to, from 0: games of the same players from the same
    /// opening with colours exchanged.
    pub pair: u32,
    /// The round, from 1.
    pub round: u32,
    /// The name of the engine with the red pieces, unique in the match.
    pub red: String,
    pub black: String,
    pub start_fen: String,
    /// What the opening is called where it came from.
    pub opening: Option<String>,
    /// The moves, all of them legal.
    pub moves: Vec<PlayedMove>,
    pub result: GameResult,
    pub termination: Termination,
    /// How the game ended, as a sentence without a full stop.
    pub reason: String,
    /// When the game began, in UTC.
    #[serde(with = "humantime_serde")]
    pub started: SystemTime,
}

/// A move of a game, and what its engine said about it.
#[serde_as]
#[skip_serializing_none]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayedMove {
    #[serde_as(as = "DisplayFromStr")]
    #[serde(rename = "move")]
    pub m: Move,
    /// The engine's last score, from the mover's view; as JSON the number of
    /// [`Score::raw`]: centipawns up to 20,000, and 32,000 less the plies to
    /// mate.
    #[serde(default, with = "raw_score")]
    pub score: Option<Score>,
    /// Plies searched; 0 if the engine did not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u32,
    /// Plies of the longest line searched; 0 if the engine did not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seldepth: u32,
    /// Nodes searched; 0 if the engine did not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nodes: u64,
    /// How long the move took by the referee's clock, to the microsecond.
    #[serde_as(as = "DurationMicroSeconds<u64>")]
    #[serde(rename = "time_us")]
    pub time: Duration,
    /// What was left on the clock after the move, increment included, to the
    /// microsecond; none without a clock.
    #[serde_as(as = "Option<DurationMicroSeconds<u64>>")]
    #[serde(rename = "clock_us")]
    pub clock_left: Option<Duration>,
    /// Whether the move belongs to the opening and nobody thought about it.
    #[serde(default, rename = "book", skip_serializing_if = "std::ops::Not::not")]
    pub from_book: bool,
}

/// Who won a game; as JSON `red-wins`, `draw` or `black-wins`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameResult {
    RedWins,
    Draw,
    BlackWins,
}

/// How a game ended; as text and as JSON the name in lower case with hyphens,
/// such as `perpetual-check`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(Display, EnumString, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Termination {
    /// 将死: in check and without a legal move.
    Checkmate,
    /// 困毙: without a legal move.
    Stalemate,
    /// The loser gave check on every move of a repetition.
    PerpetualCheck,
    /// The loser chased a piece on every move of a repetition.
    PerpetualChase,
    /// The loser attacked on every move of a repetition, by checks, threats of
    /// mate and chases (rule set `cxa`).
    PerpetualAttack,
    /// A repetition for which nobody loses.
    Repetition,
    /// 自然限着: too many moves without a capture.
    NaturalLimit,
    InsufficientMaterial,
    Resignation,
    Agreement,
    /// The referee gave the game to the side that both engines saw win.
    AdjudicatedWin,
    /// The referee ended a game in which both engines saw nothing.
    AdjudicatedDraw,
    /// The longest game that the match allows.
    MaxMoves,
    TimeForfeit,
    /// The loser's move was illegal or no move at all.
    IllegalMove,
    /// The loser's process ended.
    Crash,
    Hang,
    /// The loser's program did not start.
    StartFailure,
}

impl PlayedMove {
    /// A move of which nothing is known but that it was played.
    pub const fn bare(m: Move) -> PlayedMove {
        PlayedMove {
            m,
            score: None,
            depth: 0,
            seldepth: 0,
            nodes: 0,
            time: Duration::ZERO,
            clock_left: None,
            from_book: false,
        }
    }
}

impl GameResult {
    pub const fn of_winner(winner: Option<Color>) -> GameResult {
        match winner {
            Some(Color::Red) => GameResult::RedWins,
            None => GameResult::Draw,
            Some(Color::Black) => GameResult::BlackWins,
        }
    }

    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::RedWins => Some(Color::Red),
            GameResult::Draw => None,
            GameResult::BlackWins => Some(Color::Black),
        }
    }

    /// What the side of this colour made of the game.
    pub fn points_of(self, color: Color) -> Points {
        match self.winner() {
            None => Points::Draw,
            Some(winner) if winner == color => Points::Win,
            Some(_) => Points::Loss,
        }
    }

    /// As files of games write it: `1-0`, `1/2-1/2` or `0-1`.
    pub const fn score_text(self) -> &'static str {
        match self {
            GameResult::RedWins => "1-0",
            GameResult::Draw => "1/2-1/2",
            GameResult::BlackWins => "0-1",
        }
    }
}

impl Termination {
    /// What an outcome by the rules is called.
    pub const fn of(outcome: &Outcome) -> Termination {
        match outcome.reason {
            Reason::Checkmate => Termination::Checkmate,
            Reason::Stalemate => Termination::Stalemate,
            Reason::Repetition(verdict) => match verdict.offender {
                None => Termination::Repetition,
                Some(offender) => of_pattern(verdict.patterns[offender.index()]),
            },
            Reason::InsufficientMaterial => Termination::InsufficientMaterial,
            Reason::NaturalLimit => Termination::NaturalLimit,
        }
    }

    /// Whether the loser's program failed, rather than its play.
    pub const fn is_failure(self) -> bool {
        use Termination::{Crash, Hang, IllegalMove, StartFailure, TimeForfeit};
        matches!(self, TimeForfeit | IllegalMove | Crash | Hang | StartFailure)
    }
}

const fn of_pattern(pattern: Pattern) -> Termination {
    match pattern {
        Pattern::Check => Termination::PerpetualCheck,
        Pattern::Chase(_) | Pattern::ChaseByUncovering(_) => Termination::PerpetualChase,
        Pattern::Attack(_) => Termination::PerpetualAttack,
        Pattern::Allowed => Termination::Repetition,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("game {number}: {fault}")]
    Start { number: u32, fault: crate::board::FenError },
    #[error("game {number}: {fault}")]
    Move { number: u32, fault: PlayError },
}

impl GameRecord {
    /// The game played through. Only legality is looked at: the end is the
    /// recorded one, whatever the rules of the match were.
    ///
    /// # Errors
    /// When the start is not a position or a move is illegal.
    pub fn replay(&self) -> Result<Game, RecordError> {
        let number = self.number;
        let start = Position::from_fen(&self.start_fen)
            .map_err(|fault| RecordError::Start { number, fault })?;
        let mut game = Game::new(start, RuleSet::default());
        for played in &self.moves {
            game.play(played.m).map_err(|fault| RecordError::Move { number, fault })?;
        }
        Ok(game)
    }

    /// What this engine made of the game; `None` if it did not play.
    pub fn points_of(&self, engine: &str) -> Option<Points> {
        let color = Color::ALL.into_iter().find(|&color| self.player(color) == engine)?;
        Some(self.result.points_of(color))
    }

    /// The name of the winner; none in a draw.
    pub fn winner(&self) -> Option<&str> {
        self.result.winner().map(|color| self.player(color))
    }

    pub fn player(&self, color: Color) -> &str {
        match color {
            Color::Red => &self.red,
            Color::Black => &self.black,
        }
    }
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Scores as the numbers of [`Score::raw`].
mod raw_score {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use crate::score::Score;

    pub fn serialize<S: Serializer>(score: &Option<Score>, to: S) -> Result<S::Ok, S::Error> {
        score.map(Score::raw).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Score>, D::Error> {
        let Some(raw) = Option::<i32>::deserialize(from)? else {
            return Ok(None);
        };
        let limit = Score::INFINITE.raw();
        if !(-limit..=limit).contains(&raw) {
            return Err(D::Error::custom(format!("score {raw} is beyond {limit}")));
        }
        Ok(Some(Score::from_raw(raw)))
    }
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;
    use strum::VariantArray;

    use super::*;
    use crate::board::Square;

    /// A short game that Red wins.
    pub fn game() -> GameRecord {
        let moves = ["h2e2", "h9g7", "h0g2"].map(|text| PlayedMove {
            score: Some(Score::from_centipawns(31)),
            depth: 12,
            nodes: 40_000,
            time: Duration::from_micros(15_250),
            ..PlayedMove::bare(text.parse().unwrap())
        });
        GameRecord {
            number: 4,
            pair: 2,
            round: 1,
            red: "first".into(),
            black: "second".into(),
            start_fen: Position::startpos().to_fen(),
            opening: None,
            moves: moves.to_vec(),
            result: GameResult::RedWins,
            termination: Termination::TimeForfeit,
            reason: "Black's time ran out".into(),
            started: humantime::parse_rfc3339("2026-02-03T04:05:06Z").unwrap(),
        }
    }

    #[test]
    fn the_names_of_the_fields_stay() {
        let mut record = game();
        record.moves.truncate(1);
        record.moves[0].clock_left = Some(Duration::from_secs(1));
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"number":4,"pair":2,"round":1,"red":"first","black":"second","#.to_owned()
                + r#""start_fen":"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1","#
                + r#""moves":[{"move":"h2e2","score":31,"depth":12,"nodes":40000,"time_us":15250,"clock_us":1000000}],"#
                + r#""result":"red-wins","termination":"time-forfeit","reason":"Black's time ran out","#
                + r#""started":"2026-02-03T04:05:06Z"}"#
        );
    }

    #[test]
    fn what_is_not_known_may_be_left_out() {
        let m: PlayedMove = serde_json::from_str(r#"{"move":"h2e2","time_us":0}"#).unwrap();
        assert_eq!(m, PlayedMove::bare("h2e2".parse().unwrap()));
        for text in [
            r#"{"move":"h2h2","time_us":0}"#,
            r#"{"move":"h2e2","time_us":-1}"#,
            r#"{"move":"h2e2","time_us":0,"score":40000}"#,
            r#"{"move":"h2e2","time_us":0,"score":-2147483648}"#,
            "{}",
        ] {
            assert!(serde_json::from_str::<PlayedMove>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn terminations_have_names() {
        for &termination in Termination::VARIANTS {
            let name = termination.to_string();
            assert_eq!(serde_json::to_value(termination).unwrap(), name);
            assert_eq!(name.parse(), Ok(termination));
        }
        assert_eq!(Termination::VARIANTS.iter().filter(|t| t.is_failure()).count(), 5);
    }

    #[test]
    fn outcomes_by_the_rules_are_told_apart() {
        // a rook checks for ever, and one chases an unprotected cannon
        for (fen, cycle, kind, loser) in [
            (
                "4k4/9/9/9/9/9/9/9/5R3/3K5 w",
                "f1e1 e9f9 e1f1 f9e9",
                Termination::PerpetualCheck,
                Color::Red,
            ),
            (
                "9/5k3/8b/9/r8/1C2P4/9/4K4/9/9 b",
                "a5b5 b4a4 b5a5 a4b4",
                Termination::PerpetualChase,
                Color::Black,
            ),
            (
                "4k4/9/9/9/9/9/9/9/R8/3K5 w",
                "a1a2 e9f9 a2a1 f9e9",
                Termination::Repetition,
                Color::Red,
            ),
        ] {
            let mut game = Game::new(Position::from_fen(fen).unwrap(), RuleSet::Axf);
            while game.outcome().is_none() && game.ply() < 40 {
                for m in cycle.split(' ') {
                    game.play(m.parse().unwrap()).unwrap();
                }
            }
            let outcome = game.outcome().unwrap();
            assert_eq!(Termination::of(&outcome), kind, "{fen}");
            let result = GameResult::of_winner(outcome.winner);
            let expected = (kind != Termination::Repetition).then_some(!loser);
            assert_eq!(result.winner(), expected, "{fen}");
        }
    }

    #[test]
    fn replays_name_what_is_wrong() {
        assert_eq!(game().replay().unwrap().ply(), 3);
        let bad_move = GameRecord { moves: [game().moves, game().moves].concat(), ..game() };
        let message = bad_move.replay().unwrap_err().to_string();
        assert!(message.starts_with("game 4: move 4 (h2e2) is illegal"), "{message}");
        let bad_start = GameRecord { start_fen: "nothing".into(), ..game() };
        assert!(bad_start.replay().unwrap_err().to_string().starts_with("game 4: "));
    }

    #[test]
    fn winners_have_names() {
        assert_eq!(game().winner(), Some("first"));
        let lost = GameRecord { result: GameResult::BlackWins, ..game() };
        assert_eq!(lost.winner(), Some("second"));
        assert_eq!(GameRecord { result: GameResult::Draw, ..game() }.winner(), None);
    }

    prop_compose! {
        fn any_move()(
            from in 0..90usize, to in 0..90usize, score in prop::option::of(-32_001..=32_001i32),
            depth: u32, seldepth: u32, nodes: u64, time in 0..u64::MAX / 2,
            clock in prop::option::of(0..u64::MAX / 2), from_book: bool,
        ) -> PlayedMove {
            let [from, to] = [from, to].map(|index| Square::from_index(index).unwrap());
            let m = Move::new(from, to).unwrap_or("h2e2".parse().unwrap());
            PlayedMove {
                m, score: score.map(Score::from_raw), depth, seldepth, nodes,
                time: Duration::from_micros(time),
                clock_left: clock.map(Duration::from_micros), from_book,
            }
        }
    }

    prop_compose! {
        fn any_record()(
            (number, pair, round) in any::<(u32, u32, u32)>(),
            (red, black, start_fen, reason) in any::<(String, String, String, String)>(),
            opening: Option<String>, moves in prop::collection::vec(any_move(), 0..9),
            result in prop::sample::select(vec![
                GameResult::RedWins, GameResult::Draw, GameResult::BlackWins,
            ]),
            termination in prop::sample::select(Termination::VARIANTS),
            microsecond in 0..4_000_000_000_000_000u64,
        ) -> GameRecord {
            let started = SystemTime::UNIX_EPOCH + Duration::from_micros(microsecond);
            GameRecord {
                number, pair, round, red, black, start_fen, opening, moves, result, termination,
                reason, started,
            }
        }
    }

    proptest! {
        #[test]
        fn records_come_back_from_a_line(record in any_record()) {
            let line = serde_json::to_string(&record).unwrap();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(serde_json::from_str::<GameRecord>(&line).unwrap(), record);
        }
    }
}
