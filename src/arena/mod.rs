//! The arena: matches between engines, and what becomes of their games.
//!
//! [`GameRecord`] is what both halves share: one plays games and keeps their
//! records in a [`Journal`], the other makes standings, ratings, PGN and
//! reports of them. Our own engine is a stranger here like any other: nothing
//! of its search or evaluation is known in this room.
//!
//! A [`Plan`] says what is to be played; [`run`] plays it. [`Player`] is an
//! engine at the board, a process that is spoken to in UCCI or UCI and whose
//! clock is kept outside of it.

mod adjudication;
mod checklist;
mod clock;
mod engine;
mod game;
mod journal;
mod limits;
mod opening;
mod openings;
mod overhead;
pub mod pgn;
mod plan;
pub mod rating;
mod record;
mod referee;
pub mod report;
mod runner;
mod schedule;
mod script;
mod shard;
mod standing;
pub mod stats;
mod summary;
mod system;

pub use adjudication::{Adjudication, DrawRule, ResignRule};
pub use checklist::{Finding, check};
pub use engine::{
    EngineSpec, Failure, Player, Said, SearchReport, SpecError, Thought, Turn, Witness,
};
pub use game::Conditions;
pub use journal::{Header, Journal, JournalError};
pub use limits::{BadTime, BadTimeControl, Limits, TimeControl, seconds};
pub use opening::{OpeningName, opening_name};
pub use openings::{Format, Opening, OpeningError, Source, UnknownFormat};
pub use overhead::Overhead;
pub use plan::{Plan, PlanError};
pub use record::{GameRecord, GameResult, PlayedMove, RecordError, Termination};
pub use runner::{End, Event, Flow, Setup, rehearse, run};
pub use schedule::{Assignment, Results, Schedule, Tournament, UnknownTournament};
pub use shard::{BadShard, MergeError, Shard, merge};
pub use standing::Standing;
pub use summary::{EngineTotals, Summary};
pub use system::{INHERITS_CORES, processor_time};
