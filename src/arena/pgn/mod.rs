//! Files of games: Xiangqi's dialect of PGN, both ways.
//!
//! [`write()`] makes the text of a game; [`games`] reads a file, which may come
//! from anywhere: in ICCS, WXF or Chinese, in UTF-8 or GBK, with the ends of
//! lines of any system. Comments, variations and annotations are read over.
//!
//! # Tags
//!
//! The tags are those of the exchange format of Chinese programs: `Game` (always
//! `Chinese Chess`), `Event`, `Site`, `Date`, `Round`, `Red`, `Black`, `Result`,
//! `Opening`, `FEN` where the game does not begin at the beginning, `Format`
//! (`ICCS`, `WXF` or `Chinese`); and of western PGN `PlyCount`, `Time`,
//! `TimeControl` and `Termination`, the last one with the names of
//! [`Termination`](super::Termination).
//!
//! # Comments
//!
//! After a move stands `{+0.31/12 1.250s}`: the evaluation in pawns from the
//! mover's view, or `+M7` for a mate in 7 plies, the depth, and the seconds it
//! took; `{book}` after a move that nobody thought about. The last comment is
//! the reason for the end.

mod read;
mod token;
mod write;

pub(crate) use read::is_tag;
pub use read::{PgnError, PgnFault, PgnGame, games};
pub use write::{Event, write};
