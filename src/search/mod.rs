//! The search: threads that run the same iterative deepening principal
//! variation search on one shared transposition table (lazy SMP).
//!
//! Follow one search: [`Pool::start`] wakes the workers; each deepens in
//! `root`, searches nodes in `node` and quiet positions in `quiesce`, with
//! moves from `picker`, memory from `history`, decisions from `prune` and
//! constants from [`params`](Params); the first worker watches the `clock`
//! and reports [`Event`]s; when it is done the workers vote and
//! [`Event::Done`] ends it.
//!
//! With one thread and a fixed depth or node count a search is deterministic.
//! The room knows no text, no options by name and no book.

mod breadcrumbs;
mod candidates;
mod clock;
mod event;
mod history;
mod lawful;
mod learning;
mod limits;
mod node;
mod params;
mod path;
mod picker;
mod pool;
mod prune;
mod quiesce;
mod root;
mod selective;
mod table;
mod threats;
mod worker;

pub use event::{Event, Line, Outcome};
pub use limits::{Clock, Limits, TimeLimit};
pub use params::{ParamInfo, Params};
pub use pool::{Observer, Pool, Task};
pub use table::{Entry, Table, TableError};
