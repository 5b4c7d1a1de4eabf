//! Files mapped into memory, for reading.

use std::fs::File;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use super::file::{ReadError, open_regular};

/// The bytes of a file, which the system reads when they are looked at.
pub struct Mapped(Mmap);

impl Mapped {
    /// Maps a file.
    ///
    /// # Errors
    /// When it is missing, not a file, or cannot be mapped.
    pub fn open(path: &Path) -> Result<Mapped, ReadError> {
        let file = open_regular(path, File::options().read(true))?;
        // SAFETY: the map is only read, and every byte is a valid `u8`. Our own
        // files are replaced by renaming, never written in place, so that the
        // bytes stay as they are while mapped; whoever reads them checks them.
        let map = unsafe { Mmap::map(&file) }?;
        Ok(Mapped(map))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_by_other_means() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        for bytes in [&b"some bytes"[..], b""] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(&*Mapped::open(&path).unwrap(), bytes);
        }
        assert_eq!(Mapped::open(folder.path()).err(), Some(ReadError::NotAFile));
        assert_eq!(Mapped::open(&folder.path().join("none")).err(), Some(ReadError::Missing));
    }
}
