//! The conversation: a GUI, a referee or a person on one side of two streams,
//! the engine on the other.
//!
//! [`converse`] serves one conversation. The language is recognised from the
//! words that open it, `ucci` or `uci`; a person who types something else gets
//! the console, which understands the same and more. The room moves text and
//! decides nothing about the game: `protocol` knows the languages, `engine` the
//! game.
//!
//! One thread reads lines, the engine's threads report events, the thread of
//! [`converse`] takes both in turn, and one thread writes, so that no lines mix
//! and nobody waits for a reader.

pub(crate) mod console;
pub(crate) mod drawing;
mod job;
mod lines;
mod output;
mod session;
#[cfg(test)]
mod tests;
mod translate;

use std::io::{self, Read, Write};

use crate::engine::Engine;

use session::Session;

/// There is no conversation: no threads to read and write on.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no more threads ({0}); end other programs")]
pub struct StartError(#[from] io::Error);

/// Serves one conversation with an engine, until `quit` or the end of the input. An output
/// that is closed (a write that fails) ends it as well. What is still to be
/// written then is waited for, unless nobody reads it.
///
/// With `person` somebody types at a terminal, and gets a greeting and a
/// message about words that mean nothing.
///
/// # Errors
/// When there are no threads for it.
pub fn converse(
    engine: Engine,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    person: bool,
) -> Result<(), StartError> {
    Session::new(engine, input, output, person)?.run();
    Ok(())
}
