//! The lab: a short course in game tree search, and its experiments.
//!
//! Each algorithm is one page of plain generic code over the trait [`Game`],
//! apart from the tournament search, which shares no line with it. Read them in
//! this order:
//!
//! 1. [`minimax`]: the definition of what is sought.
//! 2. [`fail_hard`]: alpha-beta, the same score from far fewer nodes.
//! 3. [`fail_soft`]: alpha-beta whose answers say more.
//! 4. [`aspiration`]: a window around the score expected.
//! 5. [`bisection`]: null windows, the score by halving.
//! 6. [`mtd`]: null windows, each placed by the answer to the last.
//! 7. [`negascout`]: null windows inside the tree.
//!
//! What makes them fast in practice has its own page each: [`table`]
//! (transpositions), [`ordering`] (captures, killers, history), [`refutation`],
//! [`deepening`] (iterative deepening, the secondary search), [`quiescence`],
//! [`null_move`].
//! The algorithms reach all of it by the services of [`Search`]: they enter a
//! node, visit its children and leave it. [`Settings`] holds the switches; every
//! combination runs, and all those that [are exact](Settings::is_exact) find the
//! same score, which the tests check. [`Limits`] end a search early.
//!
//! ```
//! use hanxin::lab::{Algorithm, Driver, Settings, Table, TicTacToe, search};
//!
//! let bare = Settings { algorithm: Algorithm::Minimax, ..Settings::default() };
//! let mtd = Settings {
//!     driver: Driver::MtdTwoBounds,
//!     table: Table::SameDepth,
//!     ..Settings::default()
//! };
//! let [bare, mtd] = [bare, mtd].map(|settings| search(TicTacToe::default(), settings, 9));
//! assert_eq!(bare.score, mtd.score);
//! assert!(mtd.nodes < bare.nodes / 100);
//! ```
//!
//! # Experiments
//!
//! With the feature `cli` each of these is a command; `benches/lab` has what came
//! out.
//!
//! | command | what it shows |
//! |---|---|
//! | `hanxin lab tree` | a small tree with its windows, scores and cut-offs, by any variant: what alpha and beta do |
//! | `hanxin lab compare` | all [`variants`] by depth against the minimal tree of Knuth and Moore ([`minimal_leaves`]), *b*<sup>⌈d/2⌉</sup> + *b*<sup>⌊d/2⌋</sup> - 1 leaves, the least that alpha-beta can do with in a uniform tree; only a table, which joins transpositions, passes below it |
//! | `hanxin lab schaeffer` | what each enhancement is worth: all combinations of eight, and why there is no single answer ([`schaeffer`]) |
//! | `hanxin lab thesis` | the experiments of the lazyboy thesis again, with [`Settings::thesis`] |
//!
//! A good order to read and try: `hanxin lab tree --variant minimax`, then
//! `fail-soft`, then `negascout` and `mtd-two-bounds`, each beside its page here.
//! Then `hanxin lab compare --depth 4`: alpha-beta lies between minimax and the
//! minimal tree, and what brings it close to the latter is the order of moves
//! more than the algorithm: try `fail-soft+captures`, `fail-soft+history` and
//! `fail-soft+all+worst-first` there. Null windows gain the last part; MTD(f),
//! which is made of nothing else, does so only with a table, and more so with a
//! coarse evaluation (`--grain 20`).
//!
//! # References
//!
//! - D. Eppstein, *Strategy and board game programming*, lecture notes of ICS 180,
//!   University of California, Irvine, 1999: alpha-beta and its variants.
//! - D. Knuth and R. Moore, *An analysis of alpha-beta pruning*, Artificial
//!   Intelligence 6, 1975: negamax, the minimal tree.
//! - J. Fishburn, *Another optimization of alpha-beta search*, SIGART Newsletter 84,
//!   1983: fail-soft.
//! - A. Reinefeld, *An improvement to the Scout tree search algorithm*, ICCA Journal
//!   6(4), 1983: NegaScout.
//! - A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, *Best-first fixed-depth
//!   minimax algorithms*, Artificial Intelligence 87, 1996: MTD(f).
//! - S. Akl and M. Newborn, *The principal continuation and the killer heuristic*,
//!   ACM Annual Conference, 1977.
//! - J. Schaeffer, *The history heuristic and alpha-beta search enhancements in
//!   practice*, IEEE Transactions on Pattern Analysis and Machine Intelligence
//!   11(11), 1989.
//! - D. Beal, *Experiments with the null move*, Advances in Computer Chess 5, 1989;
//!   C. Donninger, *Null move and deep search*, ICCA Journal 16(3), 1993.
//! - The lazyboy thesis, an undergraduate thesis on a Xiangqi engine: the order of moves, the
//!   selective extensions, the verified null move.

pub mod aspiration;
pub mod bisection;
pub mod deepening;
pub mod fail_hard;
pub mod fail_soft;
mod game;
mod limits;
pub mod minimax;
pub mod mtd;
pub mod negascout;
mod node;
pub mod null_move;
pub mod ordering;
pub mod quiescence;
pub mod refutation;
pub mod schaeffer;
mod services;
mod settings;
pub mod table;
mod tictactoe;
mod trace;
mod tree;
mod variant;
mod window;
mod xiangqi;

pub use deepening::{Found, search, search_traced};
pub use game::Game;
pub use limits::Limits;
pub use services::Search;
pub use settings::{Algorithm, Driver, Killers, NullMove, Settings, Table};
pub use tictactoe::{Cell, ParseTicTacToeError, TicTacToe};
pub use trace::{Cause, Visit};
pub use tree::{Tree, TreeGame};
pub use variant::{Measured, ParseVariantError, Variant, minimal_leaves, variants};
pub use window::Window;
pub use xiangqi::Xiangqi;

/// The deepest search asked for; a greater depth counts as this.
pub const MAX_DEPTH: u32 = 59;

#[cfg(test)]
mod tests;
