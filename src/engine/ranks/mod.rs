//! One search on several ranks: all search the same position and exchange deep
//! entries of their transposition tables; in the end each has a vote.
//!
//! Rank 0 has the [`Leader`] and everything that exists once: the conversation,
//! the clock, the book, the choice of the move. On the others
//! [`follow`] searches until it is told to stop. `message` has what they say
//! to one another, `exchange` what goes to and fro between the tables.

mod exchange;
mod follower;
mod leader;
mod message;
#[cfg(test)]
mod tests;

pub use follower::{FollowError, follow};
pub use leader::Leader;
pub use message::Task;
