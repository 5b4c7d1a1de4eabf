//! Engines as strangers see them: processes that are spoken to in UCCI or UCI.
//!
//! [`EngineSpec`] describes one, [`EngineClient`] runs it: it starts the
//! [`Process`], sets its options and asks it for moves. Lines travel through
//! `pipe`, where nothing can block for ever.

mod client;
mod event;
mod limits;
mod pipe;
mod position_line;
mod process;
mod settings;
mod spec;
mod system;

pub use client::{EngineClient, TrafficLog, command};
pub use limits::{BadTime, BadTimeControl, Limits, TimeControl, seconds};
pub use pipe::{NoEvent, ReadMode};
pub use process::Process;
pub use settings::{BadOption, Settings};
pub use spec::{EngineSpec, SpecError};
pub use system::{INHERITS_CORES, processor_time};
