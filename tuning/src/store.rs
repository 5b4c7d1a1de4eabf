//! Files of games: written game by game, read as a whole.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::record::{Fault, Record};

/// What all games of a file have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Nodes per move.
    pub nodes: u32,
    /// The seed of all games.
    pub seed: u64,
}

const MAGIC: &[u8; 8] = b"hanxinG\n";
const VERSION: u32 = 1;
const LEN: usize = 24;

impl Header {
    fn encode(self) -> [u8; LEN] {
        let mut bytes = [0; LEN];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.nodes.to_le_bytes());
        bytes[16..].copy_from_slice(&self.seed.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Header> {
        let head: &[u8; LEN] = bytes.first_chunk().context("shorter than a header")?;
        ensure!(head.starts_with(MAGIC), "not a file of games (wrong magic)");
        let [_, _, version, nodes, low, high] =
            std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|b| head[4 * i + b])));
        ensure!(version == VERSION, "version {version}, but only {VERSION} is known");
        Ok(Header { nodes, seed: u64::from(high) << 32 | u64::from(low) })
    }
}

/// The games of a file.
#[derive(Debug)]
pub struct Games {
    /// What they have in common.
    pub header: Header,
    /// In the order in which they ended.
    pub games: Vec<Record>,
    /// Up to where the file is whole; a torn game may follow.
    whole: usize,
}

/// Reads a file of games; a torn game at its end is left out.
///
/// # Errors
/// When it cannot be read, is of another kind or is damaged.
pub fn read(path: &Path) -> Result<Games> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&bytes).with_context(|| format!("{} is of no use", path.display()))
}

fn parse(bytes: &[u8]) -> Result<Games> {
    let mut games = Games { header: Header::decode(bytes)?, games: Vec::new(), whole: LEN };
    while games.whole < bytes.len() {
        match Record::decode(&bytes[games.whole..]) {
            Ok((game, len)) => {
                games.games.push(game);
                games.whole += len;
            }
            Err(Fault::Torn) => break,
            Err(Fault::Broken) => bail!("damaged at byte {}", games.whole),
        }
    }
    Ok(games)
}

/// A file that grows by a game at a time.
pub struct Store {
    file: File,
    path: PathBuf,
}

impl Store {
    /// Opens a file, or makes it, to go on writing; gives the games that it
    /// holds. A game that an interruption tore is cut off.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, or holds games of other
    /// settings.
    pub fn open(path: &Path, header: Header) -> Result<(Store, Vec<Record>)> {
        let name = path.display();
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.with_context(|| format!("cannot open {name}"))?;
        file.try_lock().with_context(|| format!("another run writes {name}"))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
        if bytes.len() < LEN && header.encode().starts_with(&bytes) {
            file.rewind()?;
            file.write_all(&header.encode()).with_context(|| format!("cannot write {name}"))?;
            return Ok((Store { file, path: path.to_owned() }, Vec::new()));
        }
        let Games { header: found, games, whole } =
            parse(&bytes).with_context(|| format!("cannot continue {name}"))?;
        ensure!(
            found == header,
            "{name} was made with --seed {} --nodes {}: give these, or another --out",
            found.seed,
            found.nodes
        );
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        Ok((Store { file, path: path.to_owned() }, games))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, game: &Record) -> Result<()> {
        let written = self.file.write_all(&game.encode());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
