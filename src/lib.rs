//! hanxin: a Xiangqi (Chinese chess) engine and library.
//!
//! Positions, legal moves, notations, the rules of repetition, evaluation and
//! search are a library with a handful of dependencies: depend on it with
//! `default-features = false`. The feature `cli`, on by default, adds the
//! conversation in UCCI and UCI, the match runner and the subcommands.
//!
//! # The house
//!
//! One crate, a library with a thin binary. It is divided into rooms on
//! floors. A room imports only from the rooms in its row, all of them on lower
//! floors; `all below` means every room on a lower floor. The table is the
//! plan: `tests/architecture.rs` reads it and fails on any other import.
//!
//! | floor | room | imports | what lives there |
//! |---|---|---|---|
//! | 8 | [`cli`] | all below | one file or folder per subcommand |
//! | 7 | [`arena`] | util, link, score, board, notation, rules, book, protocol | matches of engines: records, statistics, PGN, reports; our own engine is a stranger here too |
//! | 7 | [`front`] | all below | the conversation in UCCI or UCI, the console |
//! | 6 | [`engine`] | util, link, score, board, notation, rules, eval, egtb, book, search | the one door to the engine: game, options, net, books, threads |
//! | 5 | [`search`] | util, score, board, mate, rules, eval, egtb | threads, iterative deepening, principal variation search, transposition table, time management |
//! | 5 | [`lab`] | util, score, board, rules, eval | the course: a page each for minimax to NegaScout over one trait, their switches as data; shares nothing with the search |
//! | 4 | [`eval`] | util, score, board | position to centipawns: classical terms and a neural net |
//! | 4 | [`egtb`] | util, score, board, rules | endgame tables: index, generation, proof, files, probing |
//! | 4 | [`book`] | util, board, notation, rules | opening books |
//! | 3 | [`protocol`] | score, board, notation | UCCI and UCI: text to typed values and back |
//! | 3 | [`rules`] | board, mate | the only judge: outcomes, repetition, check and chase |
//! | 2 | [`notation`] | board | moves in ICCS, WXF and Chinese, both ways |
//! | 2 | [`mate`] | board | mates by checks: proof number search |
//! | 1 | [`board`] | - | squares to positions, attacks, legality, static exchange evaluation, FEN, perft |
//! | 0 | [`link`] | - | several processes that work together: messages, jobs given out; in one process or over MPI |
//! | 0 | [`score`] | - | scores and their bands |
//! | 0 | [`util`] | - | the opener of all files, atomic writing, facts about the machine, interrupts; nothing of the game |
//!
//! Decisions that bind the rooms together:
//!
//! - Sliding pieces look up their rank and their file in small tables by the
//!   occupancy of that line, which the position keeps up to date: the bit rows
//!   and bit columns of the lazyboy thesis, chapter 2. There is no PEXT and so
//!   no dispatch by processor in the board room: the code is the same on every
//!   machine.
//! - The arithmetic of the net is compiled for several instruction sets, and
//!   the program takes the best one that the processor has; all give the same
//!   numbers. The only `unsafe` code is there, in `eval/nnue/kernels`, in
//!   `search/tt.rs`, and in `util/mapped.rs`, which maps files into memory.
//! - One judge: [`rules`]. One clock: inside [`search`]. One table of options:
//!   inside [`engine`]; UCCI, UCI, `--help` and README come from it.
//! - A search with one thread and a fixed depth or node count is deterministic;
//!   all randomness is seeded and passed in.
//! - What can be wrong is a typed value: parse, check, then commit. Library
//!   code has no `unwrap`, `expect`, `panic!` or `print!`, except where a
//!   reason is written beside it.
//! - Scores that rest on the repetition rules depend on the path: they have a
//!   band of their own, and the transposition table keeps the move of such a
//!   node but not its score.
//!
//! # One search, from `go` to `bestmove`
//!
//! `front/session/mod.rs` reads a line, `protocol` makes it a typed command,
//! [`engine`] turns that into limits and asks the book, [`search::ThreadPool`]
//! wakes its threads, `search/root.rs` deepens, `search/pvs.rs` and
//! `search/qsearch.rs` search, `search/event.rs` is what they report, and
//! `front` writes it down again.
//!
//! # Several machines
//!
//! A launcher such as `mpirun` starts the program several times; each process
//! is a rank. [`link`] carries messages between them, and its dispatcher on
//! rank 0 gives numbered jobs to the workers on the others: games of a match
//! ([`arena`]), training games and pairs of a tuning (`tuning/`). The journal of
//! rank 0 is all that has to survive. One search runs on several ranks as well:
//! [`engine`] carries what [`search`] stores and votes to the others. MPI itself
//! is behind the feature `mpi`; tests use ranks inside one process.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)
)]

#[cfg(feature = "cli")]
#[allow(missing_docs, reason = "a comment stands where names and types do not say it all")]
pub mod arena;
pub mod board;
pub mod book;
#[cfg(feature = "cli")]
#[allow(clippy::print_stdout)] // what a subcommand prints is its result
pub mod cli;
pub mod egtb;
pub mod engine;
pub mod eval;
#[cfg(feature = "cli")]
pub mod front;
pub mod lab;
pub mod link;
pub mod mate;
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
