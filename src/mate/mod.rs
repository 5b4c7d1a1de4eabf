//! Mates by checks: proves that the side to move mates with a check on every
//! move, or that it cannot.
//!
//! The attacker plays only legal moves that give check, the defender every
//! legal reply, so the tree is narrow and can be searched very deep. It is
//! searched by proof numbers, depth first (df-pn): the proof number of a node
//! is a lower bound on the open leaves that must still be proved for a mate
//! here, the disproof number the same for its refutation. The search always
//! goes where the fewer are left, within thresholds that are set so that it
//! turns elsewhere only when another move has become better.
//!
//! What plain df-pn gets wrong, and what is done about it here:
//!
//! - *Repetitions* (the graph history interaction problem: Kishimoto and
//!   Müller, "A General Solution to the Graph History Interaction Problem",
//!   AAAI 2004). A refutation that rests on a position of the path to the node
//!   says nothing about other paths. Here every node has a bound on the
//!   attacker's moves, and entries are kept per position *and* bound: with
//!   fewer moves left at each step nothing comes back, and all that is stored
//!   holds on every path. A mate in `n` is also one in more, a refutation of
//!   `n` moves also one of fewer, and a refutation that never met the bound
//!   holds for ever. A proof contains no repetition, since the number of moves
//!   to mate falls along it.
//! - *Thrashing* between two nodes whose entries push each other out: a move is
//!   searched until it is worse than the second best by a half (the 1 +
//!   epsilon trick: Pawlewicz and Lew, "Improving Depth-First PN-Search", CG
//!   2006), and entries are replaced by the size of the tree below them.
//! - *Double counting* of positions that several moves lead to: the numbers of
//!   all moves are not summed; the largest counts, and one for each other move
//!   (weak proof numbers: Ueda, Hashimoto, Hashimoto and Iida, "Weak
//!   Proof-Number Search", CG 2008).
//! - *First numbers* that say nothing: a new position after a check begins with
//!   the number of replies, one after a reply with the number of checks
//!   (df-pn+: Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its
//!   Applications", 2002).
//!
//! ```
//! use hanxin::board::Position;
//! use hanxin::mate::{MateLimits, MateSearch, MateVerdict};
//!
//! let position = Position::from_fen("3k5/R8/9/9/9/9/9/9/9/1R3K3 w")?;
//! let mut search = MateSearch::new(1 << 10);
//! let found = search.prove(&position, &[], MateLimits::default(), || false);
//! assert_eq!(found.verdict, MateVerdict::Mate(vec!["b0b9".parse()?]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod search;
mod table;

pub use search::{MateLimits, MateOutcome, MateSearch, MateVerdict};
