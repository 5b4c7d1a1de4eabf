//! `hanxin egtb verify`: proves tables.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::super::Failure;
use super::materials::{MATERIALS, Wanted, materials, read_wanted};
use super::{memory, threads};
use crate::egtb::{Header, Material, Metric, Shelf, Tables, open_table, table_path, verify};
use crate::util::printable;

const VERIFY_EXAMPLE: &str = "Example:\n  hanxin egtb verify KRKAABB --dir tables";

/// Prove tables: every value equals the best of those of the moves.
#[derive(Debug, Args)]
#[command(after_help = format!("{VERIFY_EXAMPLE}\n\n{MATERIALS}"))]
pub struct Verify {
    /// Materials or families; all tables of the folder if there is none.
    #[arg(value_parser = read_wanted, value_name = "MATERIAL")]
    wanted: Vec<Wanted>,
    /// The folder of the tables.
    #[arg(long, default_value = "egtb")]
    dir: PathBuf,
    /// Threads; 0: one per processor core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

impl Verify {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let threads = threads(self.threads);
        let mut wanted = materials(&self.wanted);
        let mut faults = Vec::new();
        if wanted.is_empty() {
            let mut tables = Tables::default();
            faults = tables.add_folder(&self.dir).map_err(Failure::refused)?;
            for Header { material, metric, .. } in tables.all().iter().map(|table| table.header()) {
                match metric {
                    Metric::Dtm => wanted.push(*material),
                    Metric::Wdl => writeln!(out, "{material}: not proved, it has no distances")?,
                }
            }
        }
        if wanted.is_empty() && faults.is_empty() {
            let folder = self.dir.display();
            return Err(Failure::Refused(format!("{folder}: no table with distances to prove")));
        }
        for fault in &faults {
            writeln!(out, "{fault}")?;
        }
        let mut shelf = Shelf::new(&self.dir);
        let (all, mut failed) = (wanted.len() + faults.len(), faults.len());
        let mut missing = Vec::new();
        for &material in &wanted {
            let began = Instant::now();
            let lacks = self.missing(material);
            let verdict = if lacks.is_empty() {
                self.prove(material, &mut shelf, threads)
            } else {
                let names: Vec<String> = lacks.iter().map(Material::to_string).collect();
                Err(format!("not proved, missing: {}", names.join(", ")))
            };
            missing.extend(lacks);
            failed += usize::from(verdict.is_err());
            let verdict = verdict.unwrap_or_else(|fault| fault);
            writeln!(out, "{material}: {verdict} ({:.2} s)", began.elapsed().as_secs_f64())?;
            out.flush()?;
        }
        if failed == 0 {
            return Ok(writeln!(out, "{all} tables proved")?);
        }
        let remedy = if missing.is_empty() { String::new() } else { self.remedy(missing) };
        Err(Failure::Refused(format!("{failed} of {all} tables are not proved{remedy}")))
    }

    /// What the proof of a table needs and the folder has not: itself, or what
    /// captures lead to.
    fn missing(&self, material: Material) -> Vec<Material> {
        let mut missing = material.after_captures();
        missing.push(material);
        missing.retain(|&material| !table_path(&self.dir, material, Metric::Dtm).exists());
        missing
    }

    /// How the tables that are missing are made.
    fn remedy(&self, mut missing: Vec<Material>) -> String {
        missing.sort_unstable_by_key(|material| (material.pieces(), *material));
        missing.dedup();
        let names: Vec<String> = missing.iter().map(Material::to_string).collect();
        let (names, folder) = (names.join(" "), printable(&self.dir));
        format!("; make what they need: hanxin egtb generate {names} --dir {folder}")
    }

    /// What there is to say of a table: that it is proved, or why not.
    fn prove(
        &self,
        material: Material,
        shelf: &mut Shelf,
        threads: usize,
    ) -> Result<String, String> {
        let path = table_path(&self.dir, material, Metric::Dtm);
        let table = open_table(&path).map_err(|fault| fault.to_string())?;
        let solution = table.unpack(threads).map_err(|fault| fault.to_string())?;
        let room = memory(None).saturating_sub(2 * table.header().size);
        let provided = shelf.provide(&material.after_captures(), room, threads);
        provided.map_err(|fault| fault.to_string())?;
        let counts = verify(&solution, shelf.sources(), threads).map_err(|c| c.to_string())?;
        if counts != table.header().counts {
            return Err(format!("its counts are wrong: they should be {counts:?}"));
        }
        let positions = counts[0].legal + counts[1].legal;
        Ok(format!("proved, {positions} positions"))
    }
}
