//! `hanxin egtb pack`: writes tables into one small file.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::super::{Failure, cannot_write};
use super::materials::{MATERIALS, Wanted, materials, read_wanted};
use super::threads;
use crate::board::Color;
use crate::egtb::{Material, Metric, Packing, TableFault, open_table, pack, table_path};
use crate::util::{check_output, write_whole};

/// Write tables into one small file: the results of one side to move.
///
/// The file inside the program was made in this way; what captures lead to must
/// be in it as well. In a folder of tables only a file of one material is found, by
/// its name, such as KRKN.wdl or KRKN.dtm.
#[derive(Debug, Args)]
#[command(after_help = MATERIALS, after_long_help = format!("{MATERIALS}\n\n{PACK_EXAMPLES}"))]
pub struct Pack {
    /// Materials or families.
    #[arg(required = true, value_parser = read_wanted, value_name = "MATERIAL")]
    wanted: Vec<Wanted>,
    /// The folder of the tables.
    #[arg(long, default_value = "egtb")]
    dir: PathBuf,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
    /// Keep the distances as well.
    #[arg(long)]
    distances: bool,
    /// Threads; 0: one per processor core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

const PACK_EXAMPLES: &str = "\
Example (the file inside the program; the last names stand for others like them:
KCAKAA for all that have one cannon and own advisors or elephants against at most
advisors, KCAKB for those against elephants too, KPAKAA for all that have one pawn
and own advisors or elephants, KRKNBB for all that have one attacker on each side
and up to two advisors or two elephants on one of them, but not on that of a rook
against another kind, KRKNN for 18 with two attackers against one and nothing else):
  hanxin egtb pack one PP CP NA NB NAA NBB NAB NAAB NABB NAABB KCAKAA --distances \
    --out distances.tables
  hanxin egtb pack RR RN RC RP NN NC NP CC KCAKB KPAKAA KRKNBB KRKNN --out results.tables
  cat distances.tables results.tables > embedded.tables";

impl Pack {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let threads = threads(self.threads);
        let metric = if self.distances { Metric::Dtm } else { Metric::Wdl };
        let materials = materials(&self.wanted);
        let path = |&material: &Material| table_path(&self.dir, material, Metric::Dtm);
        check_output("--out", &self.out, materials.iter().map(path))?;
        let mut joined = Vec::new();
        for material in materials {
            let bytes = self.smallest(material, metric, threads)?;
            writeln!(out, "{material} {} bytes", bytes.len())?;
            joined.extend(bytes);
        }
        write_whole(&self.out, &joined).map_err(|error| cannot_write(&self.out, error))?;
        Ok(writeln!(out, "{} bytes", joined.len())?)
    }

    /// The file of a table with one side to move: Black's if that is much
    /// smaller, for Red has more moves to look at where its own are missing.
    fn smallest(
        &self,
        material: Material,
        metric: Metric,
        threads: usize,
    ) -> Result<Vec<u8>, Failure> {
        let path = table_path(&self.dir, material, Metric::Dtm);
        let table = open_table(&path).map_err(Failure::refused)?;
        let unpacked = table.unpack(threads);
        let solution = unpacked.map_err(|error| Failure::refused(TableFault { path, error }))?;
        let packed = Color::ALL.map(|side| {
            pack(&solution, table.header().counts, &Packing::small(metric, side), threads)
        });
        let [red, black] = packed;
        let (red, black) = (red.map_err(Failure::refused)?, black.map_err(Failure::refused)?);
        Ok(if 2 * black.len() < red.len() { black } else { red })
    }
}
