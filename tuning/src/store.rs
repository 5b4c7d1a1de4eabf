//! Files of games: written game by game, read as a whole.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use hanxin::arena::training::{Fault, Header, Record};
use hanxin::util::{open_regular, read_whole};

use crate::progress::print_line;

/// The games of a file.
#[derive(Debug)]
pub struct Games {
    /// What they have in common.
    pub header: Header,
    /// In the order in which they ended.
    pub games: Vec<Record>,
    /// Bytes up to the end of the last whole game.
    whole: usize,
    /// Bytes of a torn one after it.
    torn: usize,
}

/// Reads a file of games; a torn game at its end is left out, and said to be.
///
/// # Errors
/// When it cannot be read, is of another kind or is damaged.
pub fn read(path: &Path) -> Result<Games> {
    let bytes =
        read_whole(path, u64::MAX).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.display();
    let games = parse(&bytes).with_context(|| format!("{name} is of no use"))?;
    if games.torn > 0 {
        print_line!("{name}: {} bytes of a torn game at its end are left out", games.torn);
    }
    Ok(games)
}

fn parse(bytes: &[u8]) -> Result<Games> {
    let (header, mut games, mut whole) = (Header::decode(bytes)?, Vec::new(), Header::BYTES);
    while whole < bytes.len() {
        match Record::decode(&bytes[whole..]) {
            Ok((game, len)) => {
                games.push(game);
                whole += len;
            }
            Err(Fault::Torn) if !Record::is_within(&bytes[whole + 1..]) => break,
            Err(_) => bail!(
                "damaged at byte {whole}; get a copy, or keep the {} games before it by \
                 'truncate -s {whole}'",
                games.len()
            ),
        }
    }
    Ok(Games { header, games, whole, torn: bytes.len() - whole })
}

/// A file that grows by a game at a time.
pub struct Store {
    file: File,
    path: PathBuf,
}

impl Store {
    /// Opens or creates a file for appending, and returns the games in it. A torn
    /// game at its end is cut off.
    ///
    /// # Errors
    /// When the file cannot be used, is in use, or holds games of other
    /// settings.
    pub fn open(path: &Path, header: Header) -> Result<(Store, Vec<Record>)> {
        let name = path.display();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = open_regular(path, &options);
        let mut file = file.with_context(|| format!("cannot open {name}"))?;
        file.try_lock().with_context(|| format!("another run writes {name}"))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
        if bytes.len() < Header::BYTES && header.encode().starts_with(&bytes) {
            file.rewind()?;
            file.write_all(&header.encode()).with_context(|| format!("cannot write {name}"))?;
            return Ok((Store { file, path: path.to_owned() }, Vec::new()));
        }
        let Games { header: found, games, whole, torn } =
            parse(&bytes).with_context(|| format!("cannot continue {name}"))?;
        ensure!(
            found == header,
            "{name} was made with --seed {} --nodes {} --endings {} --openings {} --midgames {}, net \
             {:08x}: give these, or another --out",
            found.seed,
            found.nodes,
            found.endings,
            found.openings,
            found.midgames,
            found.evaluation
        );
        if torn > 0 {
            file.set_len(whole as u64)?;
            print_line!("{name}: {torn} bytes of a torn game at its end are cut off");
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use hanxin::arena::training::{Ply, Start};
    use hanxin::arena::{GameResult, Termination};

    const HEADER: Header = Header {
        nodes: 5_000,
        seed: 0x1_0000_0002,
        endings: 10,
        openings: 4,
        midgames: 3,
        evaluation: 0x1234_5678,
    };

    fn game(number: u32) -> Record {
        Record {
            number,
            result: GameResult::Draw,
            termination: Termination::MaxMoves,
            start: Start::Initial,
            opening: Vec::new(),
            plies: vec![Ply { best: "h2e2".parse().unwrap(), score: Some(-7) }; 3],
        }
    }

    /// A path in a temporary directory.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        (folder, path)
    }

    #[test]
    fn a_file_is_continued_and_its_torn_end_cut_off() {
        let (_folder, path) = place();
        let (mut store, games) = Store::open(&path, HEADER).unwrap();
        assert!(games.is_empty());
        store.append(&game(0)).unwrap();
        store.append(&game(1)).unwrap();
        drop(store);
        let whole = std::fs::read(&path).unwrap();
        let torn = &whole[..whole.len() - 5];
        std::fs::write(&path, torn).unwrap();
        assert_eq!(read(&path).unwrap().games, [game(0)]);

        let (mut store, games) = Store::open(&path, HEADER).unwrap();
        assert_eq!(games, [game(0)]);
        store.append(&game(1)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn a_wrong_length_near_the_end_is_damage() {
        let (_folder, path) = place();
        let (mut store, _) = Store::open(&path, HEADER).unwrap();
        (0..4).for_each(|number| store.append(&game(number)).unwrap());
        drop(store);
        let len = game(0).encode().len();
        for place in [7, 9] {
            let mut bytes = std::fs::read(&path).unwrap();
            // of the second game: more plies or a longer start than the file has
            bytes[Header::BYTES + len + place] = 0xFF;
            let refused = parse(&bytes).unwrap_err().to_string();
            assert!(refused.contains(&format!("damaged at byte {}", Header::BYTES + len)));
            assert!(refused.contains("keep the 1 games before it"), "{refused}");
        }
    }

    #[test]
    fn a_header_alone_or_torn_is_an_empty_file() {
        let (_folder, path) = place();
        for len in [0, 10, Header::BYTES] {
            std::fs::write(&path, &HEADER.encode()[..len]).unwrap();
            let (mut store, games) = Store::open(&path, HEADER).unwrap();
            assert!(games.is_empty());
            store.append(&game(9)).unwrap();
            assert_eq!(read(&path).unwrap().header, HEADER);
            assert_eq!(read(&path).unwrap().games, [game(9)]);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_kept() {
        let (_folder, path) = place();
        drop(Store::open(&path, HEADER).unwrap());
        let refusal = |header| match Store::open(&path, header) {
            Ok(_) => String::new(),
            Err(error) => format!("{error:#}"),
        };
        let other = refusal(Header { seed: 3, ..HEADER });
        assert!(
            other.contains("--seed 4294967298 --nodes 5000 --endings 10 --openings 4 --midgames 3"),
            "{other}"
        );
        for (bytes, complaint) in [
            (b"something else, which is long enough".to_vec(), "wrong magic"),
            ([&HEADER.encode()[..8], &[3; 24]].concat(), "version"),
            ([&HEADER.encode()[..], &[0; 40]].concat(), "damaged at byte 32"),
        ] {
            std::fs::write(&path, &bytes).unwrap();
            let refused = refusal(HEADER);
            assert!(refused.contains(complaint), "{refused}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn only_one_run_writes_a_file() {
        let (_folder, path) = place();
        let _store = Store::open(&path, HEADER).unwrap();
        assert!(Store::open(&path, HEADER).is_err());
    }
}
