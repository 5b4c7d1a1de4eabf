//! The rules: games, how they end, and who loses a repetition.
//!
//! All verdicts are made here. A referee keeps a [`Game`] and reads its
//! [`outcome`](Game::outcome); a search calls [`judge_cycle`] for a cycle in its
//! line, keeps a [`QuietCounter`] per ply and, if the referee's rules are
//! unknown, avoids what [`offends_any`] reports. [`explain_cycle`] puts a verdict
//! into words.
//!
//! # Rule sets and interpretations
//!
//! [`RuleSet`] chooses how repetitions are judged, [`Parameters`] holds what
//! events fix in different ways (fold, natural limit, its cap of checks).
//!
//! * **All sets.** The window of a repetition begins with the first of the
//!   last N occurrences; the move that led there does not count. One side's
//!   perpetual check loses to everything else, both sides' is a draw. Mate and
//!   stalemate, which loses, come before the repetition, this before lack of
//!   material, the natural limit comes last. Material is insufficient only when
//!   neither side has a rook, knight, cannon or pawn.
//! * **`axf`.** A chase needs one and the same victim on every move. A new
//!   attack outweighs an uncovering, that is an old attack on a piece that
//!   loses its protection, and if every move of both sides makes a new attack,
//!   new attacks alone count: both are inferred from published diagrams. Kings
//!   and pawns may chase perpetually. Knights and cannons always chase rooks;
//!   advisors and elephants always chase rooks, knights and cannons, which the
//!   text leaves open and other programs do. A move that checks can chase at
//!   the same time.
//! * **`cxa`.** Any mixture of checks, threats of mate and chases is
//!   forbidden, whatever the victims. What a move threatens is found by search,
//!   as [`nature`] describes; the rule of nine rounds without a repetition is
//!   left to the arbiter. Of the 54 figures of the book that we have, two are
//!   judged otherwise. Reference figure 12 (`cxa-043`) calls d1b1 a chase; what it
//!   threatens, checks on b9 and then b6, the rook on c6 answers from c9, and
//!   only a quiet move of the pawn would win something. Reference figure 34
//!   (`cxa-065`) weighs h0h6 as a single piece's chase; the elephant could take
//!   the cannon before, though at a loss elsewhere, which the move makes good:
//!   two pieces' work, as in five other figures.
//! * **`league`.** Only the piece that moved chases, judged at the fourth
//!   occurrence; victims are unprotected ones as the league's program has it
//!   and not as its text says; all victims of a move count and not only the
//!   first one found. No check and no reply counts towards the natural limit.
//!
//! ```
//! use hanxin::board::{Color, Position};
//! use hanxin::rules::{Game, Outcome, Reason, RuleSet};
//!
//! let start = Position::from_fen("3k5/R8/9/9/9/9/9/9/9/1R2K4 w")?;
//! let mut game = Game::new(start, RuleSet::Axf);
//! game.play("b0b9".parse()?)?;
//! assert_eq!(game.outcome(), Some(Outcome::loss(Color::Black, Reason::Checkmate)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asian;
mod cycle;
mod explain;
mod game;
mod league;
mod material;
mod national;
mod outcome;
mod placement;
mod quiet;
mod ruleset;
mod safety;

pub use cycle::{CycleVerdict, Pattern, judge_cycle};
pub use explain::{Chase, Effect, Explanation, MoveReport, effects, explain_cycle};
pub(crate) use game::Played;
pub use game::{Game, IllegalMove, PlayError, is_material_insufficient};
pub use national::{Nature, Weight, nature};
pub use outcome::{Outcome, Reason};
pub use quiet::QuietCounter;
pub use ruleset::{Parameters, RuleSet, UnknownRuleSet};
pub use safety::{attacks_any, offends_any};
