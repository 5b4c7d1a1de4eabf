//! What can be wrong with a request, as a value. Whatever is refused leaves
//! the engine as it was.

use crate::board::{FenError, Move};
use crate::book::BookError;
use crate::egtb::TableFault;
use crate::eval::nnue::NetworkError;
use crate::rules::PlayError;
use crate::search::{PoolError, TableError, ThreadError};

use super::options::OptionError;

/// Why a request was refused; one line for the user.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The FEN is not a possible position.
    #[error("position rejected: {0} (previous position kept)")]
    Fen(#[from] FenError),
    /// A move of the list is not legal.
    #[error("position rejected: {0} (previous position kept)")]
    Play(#[from] PlayError),
    /// A root move to search is not legal.
    #[error("nothing searched: {0} is not legal here (`moves` lists what is)")]
    SearchMove(Move),
    /// A value does not fit its option.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// There is no such option.
    #[error("no option '{0}' (`help` lists them)")]
    UnknownOption(String),
    /// The hash table would be larger than the memory.
    #[error("hash of {wanted} MB refused: {room} MB can be had (hash stays at {kept} MB)")]
    HashTooLarge {
        /// What was asked for.
        wanted: usize,
        /// What can be had at most.
        room: usize,
        /// What there is now.
        kept: usize,
    },
    /// The system refuses the memory for the hash table.
    #[error("{0}; the old one stays, try a smaller one")]
    Table(#[from] TableError),
    /// The system gives fewer search threads than wanted.
    #[error("{0}; those of before stay, try fewer")]
    Threads(#[from] ThreadError),
    /// The threads would need more memory than there is.
    #[error("{wanted} threads refused: there is memory for {room} (it stays at {kept})")]
    TooManyThreads {
        /// What was asked for.
        wanted: usize,
        /// How many there is memory for.
        room: usize,
        /// How many there are now.
        kept: usize,
    },
    /// The system gives no thread to talk to other ranks on.
    #[error("no thread for the other ranks can be had ({0}); end other programs")]
    Ranks(#[from] std::io::Error),
    /// The engine cannot start.
    #[error("{0}")]
    Pool(#[from] PoolError),
    /// A book cannot be used.
    #[error("{0} (the books stay as they were)")]
    Book(#[from] BookError),
    /// A net cannot be used.
    #[error("{0} (the net stays as it was)")]
    Net(#[from] NetworkError),
    /// A folder of endgame tables cannot be read.
    #[error("{0}; the tables stay as they were")]
    Tables(#[from] TableFault),
    /// A net is to be used, but there is none.
    #[error("no net to evaluate with; name one with the option EvalFile (nothing was changed)")]
    NoNet,
}

impl EngineError {
    /// Whether it is an unknown option, which is not reported to programs.
    pub const fn is_unknown_option(&self) -> bool {
        matches!(self, EngineError::UnknownOption(_))
    }
}
