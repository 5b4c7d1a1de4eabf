//! The languages UCCI and UCI: text to typed command and reply, and back, for both ends of the pipe.
//!
//! An engine reads [`Command`]s and writes [`Reply`]s; a match runner writes commands and reads
//! replies. Both directions live here, so each is the other's test: what can be expressed in a
//! [`Dialect`] survives writing and parsing unchanged.
//!
//! The room keeps no state and does no input or output. It takes one line as bytes (GBK text, NULs,
//! a trailing carriage return and any length are welcome) and never panics; time and memory are
//! linear in the length of the line. What depends on the conversation stays with the caller:
//!
//! * *the unit of time*: UCCI counts seconds until `usemillisec` is set; [`Go`] holds the numbers
//!   as they stand in the line;
//! * *whose clock it is*: UCI names the sides, UCCI the player to move; see [`Clocks`];
//! * *whether a move is legal*: a [`Move`](crate::board::Move) only names two squares of the board;
//! * *the numbering of ranks*: [`Dialect::for_line`] reads it off a line, the caller remembers it;
//! * *which options exist*: names arrive as written, [`same_option`] compares them.
//!
//! Specifications: UCCI 3.0 (November 2007) with the habits of ElephantEye, XQWizard and the UCCI
//! league's referee; UCI as spoken by Xiangqi programs, with its Cyclone form (no `position` word).
//!
//! ```
//! use hanxin::protocol::{BestMove, Command, Dialect, Reply};
//!
//! let line = b"position startpos moves H2-E2 h9g7\r";
//! let Command::Position(setup) = Command::parse(line, Dialect::UCCI)? else { unreachable!() };
//! assert_eq!(setup.moves[0].to_string(), "h2e2");
//!
//! let best = Reply::BestMove(BestMove::from(setup.moves[1]));
//! assert_eq!(best.to_line(Dialect::UCCI), "bestmove h9g7");
//! # Ok::<(), hanxin::protocol::ParseError>(())
//! ```

mod command;
mod dialect;
mod error;
mod go;
mod info;
mod option;
mod ranks;
mod reply;
#[cfg(test)]
mod round_trip;
mod score;
mod text;

pub use command::{Command, Setup, Start};
pub use dialect::{Dialect, Mates, Protocol, UCCI_LINE_LIMIT};
pub use error::ParseError;
pub use go::{Clock, Clocks, Go, MAX_MOVES_TO_GO, MAX_TIME};
pub use info::Info;
pub use option::{OptionDecl, OptionKind, check_value, same_option, ucci_name};
pub use ranks::Ranks;
pub use reply::{BestMove, Claim, HashBound, IdField, PopHash, Reply};
pub use score::score_text;
