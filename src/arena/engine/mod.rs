//! Engines as strangers see them: processes that are spoken to.

mod listener;
mod pipe;
mod player;
mod process;
mod report;
mod settings;
mod spec;

pub use listener::{Said, Witness};
pub use pipe::{Attention, Silence};
pub use player::{Failure, Player, Thought, Turn, command};
pub use process::Process;
pub use report::SearchReport;
pub use settings::Settings;
pub use spec::{EngineSpec, SpecError};
