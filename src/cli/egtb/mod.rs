//! `hanxin egtb`: endgame tables are made, proved, listed and probed. One file
//! for each task.

mod generate;
mod info;
mod materials;
mod pack;
mod probe;
mod shares;
mod verify;

use std::io::Write;
use std::path::Path;

use clap::{Args, Subcommand};

use super::{Failure, remark};
use crate::egtb::Tables;
use crate::util::{self, Memory};
use generate::Generate;
use info::Info;
use pack::Pack;
use probe::Probe;
use shares::Shares;
use verify::Verify;

const MEGABYTE: usize = 1 << 20;
/// The memory that may be used if nobody says how much: this share of what
/// there is, and so much if that is unknown.
const MEMORY_SHARE: (usize, usize) = (3, 4);
const UNKNOWN_MEMORY: usize = 1024;

/// Endgame tables: make, prove, list and probe them.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Generate(Generate),
    Verify(Verify),
    Info(Info),
    Probe(Probe),
    Pack(Pack),
    Shares(Shares),
}

impl Arguments {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.task {
            Task::Generate(task) => task.run(out),
            Task::Verify(task) => task.run(out),
            Task::Info(task) => task.run(out),
            Task::Probe(task) => task.run(out),
            Task::Pack(task) => task.run(out),
            Task::Shares(task) => task.run(out),
        }
    }
}

fn threads(wanted: usize) -> usize {
    if wanted == 0 { util::cores() } else { wanted }
}

/// The bytes that may be used: as many megabytes as wanted, or a share of what
/// there is.
fn memory(wanted: Option<usize>) -> usize {
    let available = || {
        let (share, of) = MEMORY_SHARE;
        Memory::ask().map_or(UNKNOWN_MEMORY, |memory| memory.available / of * share)
    };
    wanted.unwrap_or_else(available).saturating_mul(MEGABYTE)
}

/// Adds the tables of a folder; what cannot be used is named on the standard
/// error.
fn tables(folder: &Path, mut tables: Tables) -> Result<Tables, Failure> {
    let faults = tables.add_folder(folder).map_err(Failure::refused)?;
    faults.iter().for_each(remark);
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::run;
    use crate::egtb::{Metric, table_path};

    #[test]
    fn damaged_tables_fail_and_none_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().display();
        run(&format!("egtb generate KNK KPK --dir {dir} --threads 1")).unwrap();
        assert!(run(&format!("egtb verify --dir {dir}")).unwrap().contains("3 tables proved"));

        let path = table_path(folder.path(), "KNK".parse().unwrap(), Metric::Dtm);
        let whole = std::fs::read(&path).unwrap();
        let out = path.display();
        let error = run(&format!("egtb pack KNK --dir {dir} --out {out}")).unwrap_err();
        assert!(error.to_string().contains("an input too"), "{error}");
        assert!(std::fs::read(&path).unwrap() == whole);

        std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let error = run(&format!("egtb verify --dir {dir}")).unwrap_err();
        assert!(error.to_string().ends_with("1 of 3 tables are not proved"), "{error}");

        let results = folder.path().join("results");
        std::fs::create_dir(&results).unwrap();
        let (results, out) = (results.display(), results.join("KPK.wdl"));
        run(&format!("egtb pack KPK --dir {dir} --out {}", out.display())).unwrap();
        let error = run(&format!("egtb verify --dir {results}")).unwrap_err();
        assert!(error.to_string().contains("no table with distances"), "{error}");
    }

    #[test]
    fn a_proof_without_the_smaller_tables_says_how_to_make_them() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().display();
        run(&format!("egtb generate KNKA --dir {dir} --threads 1")).unwrap();
        for name in ["KNK", "KAK"] {
            let path = table_path(folder.path(), name.parse().unwrap(), Metric::Dtm);
            std::fs::remove_file(path).unwrap();
        }
        let error = run(&format!("egtb verify --dir {dir}")).unwrap_err().to_string();
        let remedy = format!("hanxin egtb generate KNK KAK --dir '{dir}'");
        assert!(error.contains("1 of 2 tables") && error.contains(&remedy), "{error}");
        let error = run(&format!("egtb verify KNKA KPK --dir {dir}")).unwrap_err().to_string();
        assert!(
            error.contains("2 of 2 tables") && error.contains("generate KPK KNK KAK"),
            "{error}"
        );
    }
}
