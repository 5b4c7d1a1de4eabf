//! Statistics of a match of two: [`Tally`] counts, [`Elo`] estimates, [`Sprt`]
//! decides.
//!
//! # What is observed
//!
//! Both games of a pair begin with the same opening, which may favour a
//! colour, so they depend on each other. The unit of observation is therefore
//! the pair, with five possible scores (the pentanomial model). Where games
//! are not played in pairs it is the game, with three.
//!
//! # Two scales
//!
//! [`Model::Logistic`] is the usual scale: a score *s* of a game is worth
//! -400 log₁₀(1/*s* - 1). [`Model::Normalised`] divides the lead by the standard
//! deviation of a game, (*s* - 1/2)/σ · 800/ln 10. It agrees with the other
//! one for small differences without draws, and says how many games it takes
//! to see a difference whatever the openings and the rate of draws.
//!
//! # Sources
//!
//! - Wald, "Sequential tests of statistical hypotheses", Annals of
//!   Mathematical Statistics 16 (1945): the test and its bounds.
//! - Van den Bergh, "The generalized maximum likelihood ratio for the
//!   expectation value of a distribution" and "Normalized Elo" (notes for
//!   Fishtest, cantate.be/Fishtest): the likelihood ratio under unknown
//!   probabilities of the outcomes, and the second scale.
//! - Fishtest counts scores that were not seen yet as a thousandth each, lest a
//!   likelihood vanishes; so does this.
//!
//! How often tests err is measured by [`Simulation`] and `hanxin sprt
//! --simulate`.
//!
//! ```
//! use hanxin::arena::stats::{Elo, Model, Points, Sprt, Tally, Verdict};
//!
//! let mut tally = Tally::default();
//! for _ in 0..200 {
//!     tally.add_pair([Points::Win, Points::Draw]);
//!     tally.add_pair([Points::Win, Points::Loss]);
//! }
//! let elo = Elo::of(&tally, Model::Logistic).unwrap();
//! assert!((elo.value - 88.7).abs() < 0.1 && elo.low > 75.0);
//!
//! let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Logistic)?;
//! assert_eq!(sprt.state(&tally).verdict, Verdict::AcceptH1);
//! # Ok::<(), hanxin::arena::stats::SprtError>(())
//! ```

mod elo;
mod likelihood;
mod simulation;
mod sprt;
mod tally;

pub(crate) use elo::quantile_95;
pub use elo::{Elo, Model};
pub use simulation::{Simulated, Simulation, SimulationError};
pub use sprt::{Sprt, SprtError, SprtState, Verdict};
pub use tally::{Points, Sample, Tally};
