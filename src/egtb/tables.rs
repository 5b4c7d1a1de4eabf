//! The tables at hand, and how they are probed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::board::{Color, Move, Position};
use crate::util::{ReadError, printable};

use super::header::{Metric, TableError};
use super::material::Material;
use super::solution::number_of;
use super::table::{Cache, Table};
use super::value::{Value, Wdl};

/// Blocks that a thread keeps at hand.
const CACHED: usize = 64;

/// A file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("endgame table {} {error} (skipped)", printable(path))]
pub struct TableFault {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub error: TableError,
}

/// Tables by material. Shared by reference; each thread probes with a
/// [`Prober`] of its own.
#[derive(Default)]
pub struct Tables {
    by_material: HashMap<Material, Entry>,
    /// The most pieces of a material.
    pieces: u32,
}

#[derive(Clone, Default)]
struct Entry {
    wdl: Option<Arc<Table>>,
    dtm: Option<Arc<Table>>,
}

impl Metric {
    /// The extension of files of it.
    pub const fn extension(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtm => "dtm",
        }
    }
}

/// Where the table of a material lies in a folder.
pub fn table_path(folder: &Path, material: Material, metric: Metric) -> PathBuf {
    folder.join(format!("{material}.{}", metric.extension()))
}

/// Opens a table and sees to it that it is what its name says.
///
/// # Errors
/// When it is not a whole table of that name.
pub fn open_table(path: &Path) -> Result<Table, TableFault> {
    let table = Table::open(path).and_then(|table| {
        let header = table.header();
        let name = format!("{}.{}", header.material, header.metric.extension());
        let is_named = path.file_name().is_some_and(|file| file == name.as_str());
        if is_named { Ok(table) } else { Err(TableError::OtherMaterial(header.material)) }
    });
    table.map_err(|error| TableFault { path: path.to_owned(), error })
}

impl Tables {
    /// Adds all tables of a folder, and names those that cannot be used.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn add_folder(&mut self, folder: &Path) -> Result<Vec<TableFault>, TableFault> {
        let fault = |error: std::io::Error| TableFault {
            path: folder.to_owned(),
            error: TableError::Unreadable(ReadError::from(error)),
        };
        let mut faults = Vec::new();
        let mut paths = Vec::new();
        for entry in folder.read_dir().map_err(fault)? {
            let path = entry.map_err(fault)?.path();
            let extensions = [Metric::Wdl, Metric::Dtm].map(Metric::extension);
            if extensions.iter().any(|&known| path.extension().is_some_and(|e| e == known)) {
                paths.push(path);
            }
        }
        paths.sort_unstable();
        for path in paths {
            match open_table(&path) {
                Ok(table) => self.add(table),
                Err(fault) => faults.push(fault),
            }
        }
        Ok(faults)
    }

    /// Adds a table; it takes the place of one of the same kind.
    pub fn add(&mut self, table: Table) {
        let (material, metric) = (table.header().material, table.header().metric);
        self.pieces = self.pieces.max(material.pieces() as u32);
        let entry = self.by_material.entry(material).or_default();
        match metric {
            Metric::Wdl => entry.wdl = Some(Arc::new(table)),
            Metric::Dtm => entry.dtm = Some(Arc::new(table)),
        }
    }

    /// All tables, the smaller materials first.
    pub fn all(&self) -> Vec<Arc<Table>> {
        let tables = self.by_material.values().flat_map(|entry| [&entry.wdl, &entry.dtm]);
        let mut tables: Vec<_> = tables.flatten().cloned().collect();
        tables.sort_by_key(|table| {
            let header = table.header();
            (header.material.pieces(), header.material, header.metric as u8)
        });
        tables
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_material.is_empty()
    }

    /// The table that tells most about a material by the least reading.
    fn table(&self, material: Material, metric: Metric) -> Option<&Arc<Table>> {
        let entry = self.by_material.get(&material)?;
        match metric {
            Metric::Wdl => entry.wdl.as_ref().or(entry.dtm.as_ref()),
            Metric::Dtm => entry.dtm.as_ref(),
        }
    }
}

/// A thread's way to probe tables, without locks.
pub struct Prober {
    tables: Arc<Tables>,
    cache: Cache,
}

impl Prober {
    /// A prober of these tables.
    pub fn new(tables: Arc<Tables>) -> Prober {
        Prober { tables, cache: Cache::new(CACHED) }
    }

    /// The result of a position with best play; `None` if no table tells it.
    pub fn wdl(&mut self, position: &mut Position) -> Option<Wdl> {
        Some(self.probe(position, Metric::Wdl)?.wdl())
    }

    /// The result with the distance to mate; `None` if no table tells it.
    pub fn value(&mut self, position: &mut Position) -> Option<Value> {
        self.probe(position, Metric::Dtm)
    }

    fn probe(&mut self, position: &mut Position, metric: Metric) -> Option<Value> {
        if position.occupied().len() > self.tables.pieces {
            return None;
        }
        let material = Material::of(position);
        if Color::ALL.iter().all(|&color| material.attackers(color) == 0) {
            // nobody can be mated or stalemated: see the tests
            return Some(Value::Draw);
        }
        let canonical = material.canonical();
        let table = self.tables.table(canonical, metric)?;
        let place = (position.side_to_move(), canonical != material);
        let pieces = |color, kind| position.pieces_of(color, kind);
        let (number, side) = number_of(table.index(), pieces, place)?;
        if table.header().sides[side.index()] {
            return table.value(number, side, &mut self.cache);
        }
        self.best_of_moves(position, metric)
    }

    /// The value of a position by those of its moves, where the table has only
    /// the other side to move.
    fn best_of_moves(&mut self, position: &mut Position, metric: Metric) -> Option<Value> {
        let mut values = Vec::new();
        for &m in &position.legal_moves() {
            let undo = position.make(m);
            let value = self.probe(position, metric);
            position.unmake(m, undo);
            let value = value?.before_move();
            if metric == Metric::Wdl && value.wdl() == Wdl::Win {
                return Some(value);
            }
            values.push(value);
        }
        Some(Value::best(values))
    }
}

/// What the tables tell of a position or a move, as far as they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The result for the side to move, or for the one that makes the move.
    pub result: Option<Wdl>,
    /// The distance to mate in plies, of a win or a loss.
    pub dtm: Option<u16>,
}

impl Known {
    /// The better the greater: short wins and long losses; what is unknown is
    /// between a draw and a loss.
    fn preference(&self) -> (u8, i32) {
        let plies = self.dtm.map_or(0, i32::from);
        match self.result {
            Some(Wdl::Win) => (3, -plies),
            Some(Wdl::Draw) => (2, 0),
            None => (1, 0),
            Some(Wdl::Loss) => (0, plies),
        }
    }
}

impl Prober {
    /// All that the tables tell of a position.
    pub fn known(&mut self, position: &mut Position) -> Known {
        match self.value(position) {
            Some(value) => Known { result: Some(value.wdl()), dtm: value.plies() },
            None => Known { result: self.wdl(position), dtm: None },
        }
    }

    /// All that the tables tell of the legal moves, the best ones first.
    pub fn known_moves(&mut self, position: &mut Position) -> Vec<(Move, Known)> {
        let moves = position.legal_moves();
        let mut known: Vec<(Move, Known)> = moves
            .iter()
            .map(|&m| {
                let undo = position.make(m);
                let after = self.known(position);
                position.unmake(m, undo);
                let result = after.result.map(Wdl::before_move);
                (m, Known { result, dtm: after.dtm.map(|plies| plies + 1) })
            })
            .collect();
        known.sort_by_key(|(_, known)| std::cmp::Reverse(known.preference()));
        known
    }
}
