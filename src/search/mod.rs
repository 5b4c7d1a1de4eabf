//! The search: threads that run the same iterative deepening principal
//! variation search on one shared transposition table (lazy SMP).
//!
//! Follow one search: [`ThreadPool::start`] wakes the threads (`worker`). Each
//! deepens in `root`, where `root_mate` looks for a mate by checks, and searches
//! nodes in `pvs` and quiet positions in `qsearch`, with moves from `movepick`,
//! ordered by `history`; `node` evaluates a position with the table (`tt`) and
//! `correction`; `pruning`, `reductions` and `extensions` decide what is left out,
//! searched shallower or deeper, with constants from [`params`](Params); `tables`
//! asks the endgame tables. What a thread owns is in `searcher` and `stack`;
//! history and correction it shares with seven others. The first thread watches
//! the clock (`time`) and reports [`Event`]s; when it is done the threads `vote`
//! and [`Event::Done`] ends it. Other processes may take part ([`Peers`]): deep
//! entries go to and fro between the tables, and each process has a vote.
//!
//! With one thread and a fixed depth or node count a search is deterministic.
//! The room knows no text, no options by name and no book.
//!
//! ```
//! use hanxin::board::Position;
//! use hanxin::rules::Game;
//! use hanxin::search::{Limits, ThreadPool};
//!
//! let mut pool = ThreadPool::new(1, 1)?;
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! let outcome = pool.search(&Game::from(Position::startpos()), limits);
//! assert!(outcome.best.is_some());
//! # Ok::<(), hanxin::search::PoolError>(())
//! ```

mod breadcrumbs;
mod correction;
mod event;
mod extensions;
mod history;
mod limits;
mod movepick;
mod node;
mod params;
mod peers;
mod pruning;
mod pvs;
mod qsearch;
mod reductions;
mod repetition;
mod root;
mod root_mate;
mod searcher;
mod stack;
mod tables;
#[cfg(test)]
mod testing;
mod threads;
mod time;
mod tt;
mod vote;
mod worker;

pub use event::{Event, Line, Observer, Outcome};
pub use limits::{Clock, Limits, SearchOptions, TimeLimit};
pub use params::{ParamInfo, Params};
pub use peers::Peers;
pub use threads::{PoolError, ThreadError, ThreadPool};
pub use tt::{Entry, TableError, TranspositionTable};
pub use vote::ThreadResult;
