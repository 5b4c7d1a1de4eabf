//! hanxin: a Xiangqi (Chinese chess) engine and library.
//!
//! # The house
//!
//! One crate, a library with a thin binary. It is divided into rooms on
//! floors; a room imports only from the rooms named in its row, all of them on
//! lower floors, and `tests/architecture.rs` fails on any other arrow.
//!
//! | floor | room | imports | what lives there |
//! |---|---|---|---|
//! | 7 | [`cli`] | all | one file per subcommand |
//! | 6 | [`arena`] | protocol and below, neither engine, search nor eval | matches of engines: records, statistics, PGN, reports |
//! | 6 | [`front`] | engine, protocol and below | the conversation in UCCI or UCI, the console |
//! | 5 | [`engine`] | search, book and below | the one door to the engine: game, options, verbs |
//! | 4 | [`search`] | score, board, rules, eval | threads, deepening, nodes, table, clock |
//! | 3 | [`eval`] | util, score, board | position to centipawns |
//! | 3 | [`book`] | util, board, notation, rules | opening books |
//! | 3 | [`protocol`] | score, board | the languages UCCI and UCI: text to typed values and back |
//! | 2 | [`rules`] | board | the only judge: outcomes, repetition, check and chase |
//! | 2 | [`notation`] | board | moves in ICCS, WXF and Chinese, both ways |
//! | 1 | [`board`] | - | squares to positions, attacks, legality, exchange, FEN, perft |
//! | 0 | [`score`] | - | scores and their bands |
//! | 0 | [`util`] | - | what knows nothing of the game |
//!
//! Decisions that bind the rooms together:
//!
//! - Sliding pieces look up their rank and their file in small tables by the
//!   occupancy of that line, which the position keeps up to date: the bit rows
//!   and bit columns of the thesis the engine grew from. There is no PEXT and
//!   so no dispatch by processor in the board room: the code is the same on
//!   every machine.
//! - The arithmetic of the net is compiled for several instruction sets, and
//!   the program takes the best one that the processor has; all give the same
//!   numbers. The only `unsafe` code is there, in `eval/nnue/kernels`, and in
//!   `search/table.rs`.
//! - One judge: [`rules`]. One clock: inside [`search`]. One table of options:
//!   inside [`engine`]; UCCI, UCI, `--help` and README come from it.
//! - A search with one thread and a fixed depth or node count is deterministic;
//!   all randomness is seeded and passed in.
//! - What can be wrong is a value: parse, check, then commit.
//! - Scores that rest on the repetition rules depend on the path: they have a
//!   band of their own, and the table keeps the move of such a node but not
//!   its score.
//!
//! # One search, from `go` to `bestmove`
//!
//! `front/session.rs` reads a line, `protocol` makes it a typed command,
//! [`engine`] turns that into limits and asks the book, [`search::Pool`] wakes
//! the parked workers, `search/root.rs` deepens, `search/node.rs` and
//! `search/quiesce.rs` search, `search/event.rs` is what they tell, and
//! `front` writes it down again.

pub mod arena;
pub mod board;
pub mod book;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod front;
pub mod notation;
pub mod protocol;
pub mod rules;
pub mod score;
pub mod search;
pub mod util;

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
