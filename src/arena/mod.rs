//! The arena: matches between engines, and what their games come to.
//!
//! | folder | what lives there |
//! |---|---|
//! | `engines` | engines as processes: description, pipes, client |
//! | `game` | one game: players, clocks, adjudication, the record of it |
//! | `openings` | where games begin |
//! | `schedule` | who plays whom |
//! | `runner` | a match: its plan, many games at a time, here or on other ranks, the journal, shards |
//! | [`stats`] | the mathematics of a match of two: Elo, SPRT |
//! | `results` | standings, [`rating`], summary |
//! | [`pgn`] | files of games as text |
//! | [`training`] | files of training games |
//! | [`report`] | a match as a web page |
//! | `journal` | files of what a long run has found so far |
//! | [`chart`] | what all plots are made of |
//! | `checklist` | which points of its protocol an engine keeps |
//!
//! A [`Plan`] says what is to be played; [`run`] plays it and reports
//! [`MatchEvent`]s. [`play_game`] plays a single game between any two
//! [`Player`]s: processes ([`EngineClient`]), or parts of another program. Our
//! own engine is a stranger here like any other: nothing of its search or
//! evaluation is known in this room.

pub mod chart;
mod checklist;
mod engines;
mod game;
pub(crate) mod journal;
mod names;
mod openings;
pub mod pgn;
pub mod report;
mod results;
mod runner;
mod schedule;
pub mod stats;
pub mod training;

pub use checklist::{Finding, check};
pub use engines::{
    BadOption, BadTime, BadTimeControl, EngineClient, EngineSpec, INHERITS_CORES, Limits,
    SpecError, TimeControl, TrafficLog, processor_time, seconds,
};
pub use game::{
    Adjudication, Conditions, DrawRule, Failure, GameClock, GameRecord, GameResult, Overhead,
    PlayedMove, Player, RecordError, Reply, ResignRule, SearchReport, SearchResult, Termination,
    Turn, play_game,
};
pub(crate) use journal::journal_line;
pub use journal::{JournalError, plan_difference};
pub use names::UnknownName;
pub use openings::{Format, Opening, OpeningError, Source};
pub use results::{EngineTotals, Standings, Summary, rating};
pub use runner::{
    BadShard, End, Flow, Header, HostEvent, HostState, Journal, MatchEvent, MergeError, Orphaned,
    Plan, PlanError, Setup, Shard, StartError, check_engines, merge, run, serve,
};
pub use schedule::{
    Assignment, CupWinner, Decision, Results, Schedule, SwissPlace, Tournament, TournamentOutcome,
};
