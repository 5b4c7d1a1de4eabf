//! The tables of a folder that others are made from or proved by, in memory or
//! in their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::header::Metric;
use super::material::Material;
use super::solution::{Solution, Source, Sources};
use super::tables::{TableFault, open_table, table_path};

/// Tables of one folder, as many in memory as may be.
pub struct Shelf {
    folder: PathBuf,
    sources: Sources,
}

impl Shelf {
    /// The tables of this folder.
    pub fn new(folder: &Path) -> Shelf {
        Shelf { folder: folder.to_owned(), sources: Sources::new() }
    }

    /// Where the table of a material lies.
    pub fn path(&self, material: Material) -> PathBuf {
        table_path(&self.folder, material, Metric::Dtm)
    }

    /// The tables that are at hand.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Keeps a table in memory.
    pub fn add(&mut self, material: Material, solution: Solution) {
        self.sources.insert(material, Source::Held(Arc::new(solution)));
    }

    /// The memory of the tables in it, in bytes.
    pub fn held(&self) -> usize {
        let bytes = |source: &Source| match source {
            Source::Held(solution) => solution.bytes.iter().map(Vec::len).sum(),
            Source::Packed(_) => 0,
        };
        self.sources.values().map(bytes).sum()
    }

    /// Has the tables that captures lead to at hand: in memory where `room`
    /// bytes allow, else read from their files.
    pub fn provide(
        &mut self,
        needed: &[Material],
        room: usize,
        threads: usize,
    ) -> Result<(), TableFault> {
        if self.held() > room {
            self.sources.retain(|material, _| needed.contains(material));
        }
        for &material in needed {
            if matches!(self.sources.get(&material), Some(Source::Held(_))) {
                continue;
            }
            let path = self.path(material);
            let table = open_table(&path)?;
            let fits = self.held() + 2 * table.header().size <= room;
            let source = if fits {
                let solution = table.unpack(threads);
                Source::Held(Arc::new(solution.map_err(|error| TableFault { path, error })?))
            } else {
                Source::Packed(Arc::new(table))
            };
            self.sources.insert(material, source);
        }
        // the largest ones make room, and are read from their files instead
        while self.held() > room {
            let size = |source: &Source| source.index().size();
            let in_memory = self.sources.iter().filter(|(_, s)| matches!(s, Source::Held(_)));
            let Some((&material, _)) = in_memory.max_by_key(|(_, source)| size(source)) else {
                break;
            };
            let table = open_table(&self.path(material))?;
            self.sources.insert(material, Source::Packed(Arc::new(table)));
        }
        Ok(())
    }
}
