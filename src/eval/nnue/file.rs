//! Nets from files, and the one inside the program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::util::{ReadError, printable, read_whole};

use super::format::FormatError;
use super::network::Network;

/// The net that belongs to the program. `None` in a program built for another
/// architecture than that of the net in its sources: that is how the first net
/// of an architecture is trained.
pub fn embedded() -> Option<Arc<Network>> {
    static NETWORK: OnceLock<Option<Arc<Network>>> = OnceLock::new();
    let read = || Network::from_bytes(include_bytes!("hanxin.nnue")).ok().map(Arc::new);
    NETWORK.get_or_init(read).clone()
}

/// A net that could not be opened: which file, and why. The message is one
/// line with a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("net {}: {fault}", printable(.path))]
pub struct NetworkError {
    /// The file as it was named.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: NetworkFault,
}

/// What is wrong with the file of a net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkFault {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is not a net that this program can use.
    #[error(transparent)]
    Format(#[from] FormatError),
}

/// Hundreds of times the usual size. A larger file is a mistake that should
/// not eat the memory.
const MAX_BYTES: u64 = 1 << 28;

impl Network {
    /// Reads a file whole.
    ///
    /// # Errors
    /// When it is missing, no file, unreadable or much too large, and as
    /// [`from_bytes`](Network::from_bytes).
    pub fn open(path: &Path) -> Result<Network, NetworkError> {
        let read = || Ok(Network::from_bytes(&read_whole(path, MAX_BYTES)?)?);
        read().map_err(|fault| NetworkError { path: path.to_owned(), fault })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::random_network;
    use super::*;

    #[test]
    fn files_are_read_and_what_is_wrong_is_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.nnue");
        let network = random_network(1);
        assert_eq!(Network::open(&path).unwrap_err().fault, ReadError::Missing.into());
        std::fs::write(&path, network.to_bytes()).unwrap();
        assert_eq!(Network::open(&path).unwrap(), network);
        std::fs::write(&path, &network.to_bytes()[..1_000]).unwrap();
        let message = Network::open(&path).unwrap_err().to_string();
        assert!(message.contains("some.nnue") && message.contains("cut off"), "{message}");
        assert!(!message.contains('\n'));
        let folder = Network::open(folder.path()).unwrap_err();
        assert_eq!(folder.fault, ReadError::NotAFile.into());
    }

    #[test]
    fn the_program_has_its_net() {
        let network = embedded().expect("hanxin.nnue is of this architecture");
        assert!(network.description().contains("positions"), "{network:?}");
    }
}
