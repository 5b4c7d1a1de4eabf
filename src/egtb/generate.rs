//! Makes the tables of a folder, one after the other, those that captures lead
//! to first. What is there already is taken as it is, so that a run that was
//! broken off is taken up again.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::board::Color;
use crate::util::{printable, write_whole};

use super::header::{Metric, TableError};
use super::index::Index;
use super::material::Material;
use super::retrograde::{SolveError, memory_needed, solve};
use super::shelf::Shelf;
use super::solution::Counts;
use super::table::{Packing, pack};
use super::tables::{TableFault, open_table, table_path};

/// The file that a run locks, so that no two work in one folder.
const LOCK: &str = "generate.lock";
const MEGABYTE: usize = 1 << 20;

/// Why tables were not made.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum GenerateError {
    #[error(
        "{material} needs {needed} MB of memory, more than the bound of {bound} MB; \
         raise the bound or leave it out"
    )]
    Memory { material: Material, needed: usize, bound: usize },
    #[error("folder {} cannot be used ({error}); name another one", printable(path))]
    Folder { path: PathBuf, error: io::Error },
    #[error("another run makes tables in {}; wait for it or name another folder", printable(.0))]
    Busy(PathBuf),
    #[error(
        "{} cannot be written ({error}); make room, then run the command again",
        printable(path)
    )]
    Write { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Table(#[from] TableFault),
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// A table that was made.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Its material.
    pub material: Material,
    /// Its numbers, of each side.
    pub numbers: usize,
    /// Its counts by side to move.
    pub counts: [Counts; 2],
    /// Positions of both sides to move that are won or lost by rule alone.
    pub by_rule: u64,
    /// The size of its file.
    pub bytes: usize,
    /// The memory taken at the most, in bytes.
    pub memory: usize,
}

/// A run of the generator.
pub struct Generator {
    shelf: Shelf,
    threads: usize,
    /// Bytes.
    memory: usize,
    /// What is not there yet, in the order in which it is made.
    missing: Vec<Material>,
    /// Released when the run ends, whatever ends it.
    _lock: File,
}

impl Generator {
    /// Gets ready to make the tables of these materials, and all that captures
    /// lead to, with so many bytes of memory at most.
    ///
    /// # Errors
    /// When the folder cannot be used or the memory will not do.
    pub fn new(
        wanted: &[Material],
        folder: &Path,
        threads: usize,
        memory: usize,
    ) -> Result<Generator, GenerateError> {
        let materials = Material::closure(wanted);
        for &material in &materials {
            check(material, memory)?;
        }
        let lock = lock(folder)?;
        let mut missing = Vec::new();
        for material in materials {
            let path = table_path(folder, material, Metric::Dtm);
            if !path.exists() {
                missing.push(material);
            } else {
                // one that cannot serve is named now, not in the middle of the run
                let is_whole = open_table(&path)?.header().is_whole();
                if !is_whole {
                    return Err(TableFault { path, error: TableError::Incomplete }.into());
                }
            }
        }
        let shelf = Shelf::new(folder);
        Ok(Generator { shelf, threads, memory, missing, _lock: lock })
    }

    /// What is left to do.
    pub fn missing(&self) -> &[Material] {
        &self.missing
    }

    /// Makes the next table; `None` when all are there.
    ///
    /// # Errors
    /// When a smaller table is damaged or the file cannot be written. Nothing
    /// is left of the table then.
    pub fn make_next(&mut self) -> Result<Option<Made>, GenerateError> {
        let Some(&material) = self.missing.first() else { return Ok(None) };
        let index = Index::new(material);
        let needed = memory_needed(&index);
        let room = self.memory.saturating_sub(needed);
        self.shelf.provide(&material.after_captures(), room, self.threads)?;
        let solution = solve(material, self.shelf.sources(), self.threads)?;
        let counts = Color::ALL.map(|side| solution.counts(side));
        let by_rule = solution.decided_by_rule();
        let path = self.shelf.path(material);
        let written = pack(&solution, counts, &Packing::FILE, self.threads)
            .and_then(|bytes| write_whole(&path, &bytes).map(|()| bytes.len()));
        let bytes = written.map_err(|error| GenerateError::Write { path, error })?;
        let memory = needed + self.shelf.held();
        self.shelf.add(material, solution);
        self.missing.remove(0);
        Ok(Some(Made { material, numbers: index.size(), counts, by_rule, bytes, memory }))
    }
}

/// Whether a table can be made at all.
fn check(material: Material, memory: usize) -> Result<(), GenerateError> {
    if !material.is_supported() {
        return Err(SolveError::TooManyAttackers(material).into());
    }
    let needed = memory_needed(&Index::new(material));
    if needed > memory {
        let (needed, bound) = (needed.div_ceil(MEGABYTE), memory / MEGABYTE);
        return Err(GenerateError::Memory { material, needed, bound });
    }
    Ok(())
}

/// Makes the folder if need be, locks it, and clears away what a run that was
/// killed has left.
fn lock(folder: &Path) -> Result<File, GenerateError> {
    let fault = |error| GenerateError::Folder { path: folder.to_owned(), error };
    fs::create_dir_all(folder).map_err(fault)?;
    let lock = File::create(folder.join(LOCK)).map_err(fault)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            return Err(GenerateError::Busy(folder.to_owned()));
        }
        Err(fs::TryLockError::Error(error)) => return Err(fault(error)),
    }
    for entry in folder.read_dir().map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut parts = name.split('.');
        let is_material = parts.next().is_some_and(|name| name.parse::<Material>().is_ok());
        let is_ours = is_material && parts.next() == Some(Metric::Dtm.extension());
        if is_ours && name.ends_with(".tmp") {
            fs::remove_file(&path).map_err(fault)?;
        }
    }
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const ENOUGH: usize = 64 * MEGABYTE;

    fn wanted() -> Vec<Material> {
        vec!["KPKA".parse().unwrap()]
    }

    fn run(folder: &Path, memory: usize) -> Vec<String> {
        let mut generator = Generator::new(&wanted(), folder, 2, memory).unwrap();
        let mut made = Vec::new();
        while let Some(table) = generator.make_next().unwrap() {
            assert!(table.memory <= memory, "{}", table.material);
            made.push(table.material.to_string());
        }
        made
    }

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        entries.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
    }

    #[test]
    fn a_run_is_taken_up_where_another_was_broken_off() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(run(folder.path(), ENOUGH), ["KK", "KPK", "KAK", "KPKA"]);
        let whole = files(folder.path());
        assert_eq!(run(folder.path(), ENOUGH), [""; 0]);
        // as left by a run that was killed while it wrote the last table
        fs::remove_file(folder.path().join("KPKA.dtm")).unwrap();
        fs::write(folder.path().join("KPKA.dtm.4711.tmp"), b"half a table").unwrap();
        fs::write(folder.path().join("mine.tmp"), b"not ours").unwrap();
        assert_eq!(run(folder.path(), ENOUGH), ["KPKA"]);
        let mut again = files(folder.path());
        assert!(again.remove("mine.tmp").is_some());
        assert_eq!(again, whole);
    }

    #[test]
    fn little_memory_gives_the_same_tables_or_is_refused_before_anything_is_made() {
        let folders = [0; 2].map(|_| tempfile::tempdir().unwrap());
        run(folders[0].path(), ENOUGH);
        let needed = memory_needed(&Index::new(wanted()[0]));
        run(folders[1].path(), needed);
        assert_eq!(files(folders[0].path()), files(folders[1].path()));
        let folder = folders[0].path().join("none");
        let error = Generator::new(&wanted(), &folder, 1, needed - 1).err().unwrap();
        assert!(matches!(error, GenerateError::Memory { .. }) && !folder.exists());
        assert!(error.to_string().starts_with("KPKA needs"), "{error}");
    }

    #[test]
    fn a_damaged_table_is_named_before_anything_is_made() {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), ENOUGH);
        fs::write(folder.path().join("KAK.dtm"), b"damaged").unwrap();
        let error = Generator::new(&wanted(), folder.path(), 1, ENOUGH).err().unwrap();
        assert!(error.to_string().contains("KAK.dtm"), "{error}");
    }

    #[test]
    fn a_folder_belongs_to_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = Generator::new(&wanted(), folder.path(), 1, ENOUGH).unwrap();
        let second = Generator::new(&wanted(), folder.path(), 1, ENOUGH).err().unwrap();
        assert!(matches!(second, GenerateError::Busy(_)), "{second}");
        drop(first);
        assert!(Generator::new(&wanted(), folder.path(), 1, ENOUGH).is_ok());
    }

    #[test]
    fn what_cannot_be_written_is_named_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut generator = Generator::new(&wanted(), folder.path(), 1, ENOUGH).unwrap();
        fs::create_dir(folder.path().join("KK.dtm")).unwrap();
        let error = generator.make_next().unwrap_err();
        assert!(matches!(error, GenerateError::Write { .. }), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn too_many_attackers_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let many: Material = "KRRNNK".parse().unwrap();
        let error = Generator::new(&[many], folder.path(), 1, ENOUGH).err().unwrap();
        assert!(error.to_string().starts_with("KRRNNK has more than three"), "{error}");
    }
}
