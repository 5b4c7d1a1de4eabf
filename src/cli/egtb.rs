//! `hanxin egtb`: endgame tables are made, proved, listed and probed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use crate::board::{Color, Move};
use crate::egtb::{
    Counts, GUARDS, Generator, Header, Index, Known, Made, Material, Metric, Packing,
    ParseMaterialError, Prober, Shelf, Table, TableFault, Tables, Wdl, open_table, pack,
    table_path, verify,
};
use crate::util::{self, Memory, check_output, printable, write_whole};

use super::{Failure, cannot_write, position, remark};

const MEGABYTE: usize = 1 << 20;
/// The memory that may be used if nobody says how much: this share of what
/// there is, and so much if that is unknown.
const MEMORY_SHARE: (usize, usize) = (3, 4);
const UNKNOWN_MEMORY: usize = 1024;

const MATERIALS: &str = "\
A material is named by the pieces of both sides: KRKAABB is a king and a rook
against a king, two advisors and two elephants (K R N C P A B: king, rook,
knight, cannon, pawn, advisor, elephant). Families of them have names, too:
  CP, CPAA      these pieces against any advisors and elephants (9)
  one           one attacker against any advisors and elephants (36)
  one-defended  the same where the attacker's side has such pieces as well (324)
  two           two attackers against any advisors and elephants (90)
  R-N, RA-N     these pieces against those with any advisors and elephants (9)";

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

/// Make tables, and all that captures lead to, in a folder.
///
/// Tables that are there already are not made again, so a run that was broken
/// off is taken up by the same command.
#[derive(Debug, Args)]
#[command(after_help = MATERIALS, after_long_help = format!("{MATERIALS}\n\n{GENERATE_EXAMPLES}"))]
struct Generate {
    /// Materials or families.
    #[arg(required = true, value_parser = read_wanted, value_name = "MATERIAL")]
    wanted: Vec<Wanted>,
    /// The folder of the tables.
    #[arg(long, default_value = "egtb")]
    dir: PathBuf,
    /// Threads; 0: one per processor core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Megabytes of memory to use at most; if not given, three quarters of what
    /// is free. Smaller tables for which there is no room are read from their
    /// files, which takes longer.
    #[arg(long, value_name = "MB")]
    memory: Option<usize>,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  hanxin egtb generate KRKAABB KPPKAA
  hanxin egtb generate one two --dir tables --memory 4096";

const VERIFY_EXAMPLE: &str = "Example:\n  hanxin egtb verify KRKAABB --dir tables";

/// Prove tables: every value equals the best of those of the moves.
#[derive(Debug, Args)]
#[command(after_help = format!("{VERIFY_EXAMPLE}\n\n{MATERIALS}"))]
struct Verify {
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

/// List the tables of a folder, or those inside the program.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin egtb info --dir tables --json")]
struct Info {
    /// A folder of tables; otherwise those inside the program.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Tell the result of a position and of each of its moves.
#[derive(Debug, Args)]
#[command(after_help = PROBE_EXAMPLES)]
struct Probe {
    /// The position.
    fen: String,
    /// A folder of tables, beside those inside the program.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

const PROBE_EXAMPLES: &str = "\
Examples:
  hanxin egtb probe '3k5/9/9/9/9/9/9/9/4R4/4K4 w'
  hanxin egtb probe --json --dir tables '3k5/9/9/9/9/9/9/9/4R4/4K4 w'

dtm is the distance to mate in plies; a win by perpetual check has none. A result
that depends on what the rules call a perpetual chase is unknown. The values of
moves are those for the side that makes them.";

/// Write tables into one small file: the results of one side to move.
///
/// The file inside the program was made in this way; what captures lead to must
/// be in it as well. In a folder of tables only a file of one material is found, by
/// its name, such as KRKN.wdl or KRKN.dtm.
#[derive(Debug, Args)]
#[command(after_help = MATERIALS, after_long_help = format!("{MATERIALS}\n\n{PACK_EXAMPLES}"))]
struct Pack {
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

/// Write how often each side wins the endings of a folder.
///
/// In thousandths of the positions with the other side to move. The evaluation
/// is made with this list: src/eval/win_shares.csv.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hanxin egtb shares --dir tables > shares.csv")]
struct Shares {
    /// The folder of the tables.
    #[arg(long, default_value = "egtb")]
    dir: PathBuf,
}

/// What an argument names.
#[derive(Clone, Debug)]
struct Wanted(Vec<Material>);

fn read_wanted(text: &str) -> Result<Wanted, String> {
    const KINDS: [&str; 4] = ["R", "N", "C", "P"];
    let pairs = |(at, first)| KINDS[at..].iter().map(move |second| format!("{first}{second}"));
    let red: Vec<String> = match text {
        "one" => KINDS.map(String::from).into(),
        "one-defended" => {
            KINDS.iter().flat_map(|kind| GUARDS.map(|own| format!("{kind}{own}"))).collect()
        }
        "two" => KINDS.iter().enumerate().flat_map(pairs).collect(),
        _ => return read_family(text),
    };
    let families = red.iter().map(|red| Material::family(red, ""));
    let families: Result<Vec<_>, _> = families.collect();
    families.map(|all| Wanted(all.concat())).map_err(|error| error.to_string())
}

/// One material, or all that Black's advisors and elephants make of one.
fn read_family(text: &str) -> Result<Wanted, String> {
    let (red, black) = text.split_once('-').unwrap_or((text, ""));
    let family = if red.is_empty() { None } else { Material::family(red, black).ok() };
    let wanted = family.map_or_else(|| text.parse().map(|one| vec![one]), Ok);
    wanted.map(Wanted).map_err(|error: ParseMaterialError| error.to_string())
}

fn materials(wanted: &[Wanted]) -> Vec<Material> {
    wanted.iter().flat_map(|wanted| wanted.0.iter().map(Material::canonical)).collect()
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

impl Generate {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let wanted = materials(&self.wanted);
        let (threads, memory) = (threads(self.threads), memory(self.memory));
        let mut generator =
            Generator::new(&wanted, &self.dir, threads, memory).map_err(Failure::refused)?;
        let numbers = |materials: &[Material]| -> u64 {
            let size = |&material| Index::new(material).size() as u64;
            materials.iter().map(size).sum()
        };
        let tables = generator.missing().len();
        let mut left = numbers(generator.missing());
        writeln!(out, "{tables} tables to make, {:.1} million numbers", left as f64 / 1e6)?;
        let (began, mut done) = (Instant::now(), 0);
        loop {
            let before = Instant::now();
            let Some(made) = generator.make_next().map_err(Failure::refused)? else { break };
            let time = before.elapsed();
            (done, left) = (done + made.numbers as u64, left - made.numbers as u64);
            let expected = began.elapsed().mul_f64(left as f64 / done as f64);
            report(&made, time, generator.missing().len(), expected, out)?;
        }
        Ok(())
    }
}

fn report(
    made: &Made,
    time: Duration,
    left: usize,
    expected: Duration,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let [red, black] = made.counts;
    let positions = (red.legal + black.legal) as f64;
    let name = made.material.to_string();
    let seconds = time.as_secs_f64();
    let by_rule = match (made.by_rule, red.unclear() + black.unclear()) {
        (0, 0) => String::new(),
        (decided, unclear) => format!(", {decided} decided by perpetual check, {unclear} unclear"),
    };
    writeln!(
        out,
        "{name:12} {:10} numbers {seconds:8.2} s {:6.2} M positions/s {:9} bytes {:5} MB memory, \
         longest win {}{by_rule}; left: {left} tables, {:.0} min",
        made.numbers,
        positions / seconds.max(1e-9) / 1e6,
        made.bytes,
        made.memory.div_ceil(MEGABYTE),
        red.longest_win.max(black.longest_win).unwrap_or(0),
        expected.as_secs_f64() / 60.0,
    )?;
    Ok(out.flush()?)
}

impl Verify {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
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

/// Adds the tables of a folder; what cannot be used is named on the standard
/// error.
fn tables(folder: &Path, mut tables: Tables) -> Result<Tables, Failure> {
    let faults = tables.add_folder(folder).map_err(Failure::refused)?;
    faults.iter().for_each(remark);
    Ok(tables)
}

impl Info {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let tables = match &self.dir {
            Some(folder) => tables(folder, Tables::default())?.all(),
            None => Tables::embedded().all(),
        };
        if self.json {
            let list: Vec<Json> = tables.iter().map(|table| info_json(table)).collect();
            return Ok(writeln!(out, "{:#}", json!(list))?);
        }
        for table in &tables {
            writeln!(out, "{}", info_line(table))?;
        }
        let (bytes, numbers) = tables.iter().fold((0, 0), |(bytes, numbers), table| {
            (bytes + table.length(), numbers + table.header().size)
        });
        writeln!(out, "{} tables, {numbers} numbers, {bytes} bytes", tables.len())?;
        Ok(())
    }
}

fn info_line(table: &Table) -> String {
    let header = table.header();
    let [red, black] = header.counts;
    format!(
        "{:12} {} {:10} numbers {:9} bytes  Red to move: {} won, {} drawn, {} lost; \
         Black to move: {} won, {} drawn, {} lost; {} unclear; longest win {} plies; exact {}",
        header.material.to_string(),
        header.metric.extension(),
        header.size,
        table.length(),
        red.wins,
        red.draws,
        red.losses,
        black.wins,
        black.draws,
        black.losses,
        red.unclear() + black.unclear(),
        red.longest_win.max(black.longest_win).unwrap_or(0),
        header.rules(),
    )
}

fn info_json(table: &Table) -> Json {
    let header = table.header();
    let counts = |side: Color| {
        let counts = header.counts[side.index()];
        json!({
            "stored": header.sides[side.index()],
            "legal": counts.legal,
            "wins": counts.wins,
            "draws": counts.draws,
            "losses": counts.losses,
            "unclear": counts.unclear(),
            "ended": counts.ended,
            "longest_win": counts.longest_win,
            "longest_loss": counts.longest_loss,
        })
    };
    json!({
        "material": header.material.to_string(),
        "metric": header.metric.extension(),
        "rules": header.rules(),
        "numbers": header.size,
        "bytes": table.length(),
        "red_to_move": counts(Color::Red),
        "black_to_move": counts(Color::Black),
    })
}

impl Probe {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let mut position = position(&self.fen)?;
        let mut tables_at_hand = Tables::embedded().clone();
        if let Some(folder) = &self.dir {
            tables_at_hand = tables(folder, tables_at_hand)?;
        }
        let tables_at_hand = Arc::new(tables_at_hand);
        let mut prober = Prober::new(Arc::clone(&tables_at_hand));
        let (known, moves) = (prober.known(&mut position), prober.known_moves(&mut position));
        self.write(&known, &moves, out)?;
        let damaged: Vec<String> =
            tables_at_hand.damaged().iter().map(ToString::to_string).collect();
        if damaged.is_empty() { Ok(()) } else { Err(Failure::Refused(damaged.join("; "))) }
    }

    fn write(
        &self,
        known: &Known,
        moves: &[(Move, Known)],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        if self.json {
            let mut json = known_json(known);
            let moves = moves.iter().map(|(m, known)| {
                let mut json = known_json(known);
                json["move"] = json!(m.to_string());
                json
            });
            json["moves"] = moves.collect();
            return Ok(writeln!(out, "{json}")?);
        }
        writeln!(out, "{known}")?;
        for (m, known) in moves {
            writeln!(out, "{m}  {known}")?;
        }
        Ok(())
    }
}

impl Pack {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
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

impl Shares {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out, "material,red,black")?;
        for table in tables(&self.dir, Tables::default())?.all() {
            let Header { material, counts: [red, black], .. } = table.header();
            let share = |counts: &Counts| 1000 * counts.losses / counts.legal.max(1);
            if material.attackers(Color::Red) > 0 {
                writeln!(out, "{material},{},{}", share(black), share(red))?;
            }
        }
        Ok(())
    }
}

fn known_json(known: &Known) -> Json {
    json!({ "result": known.result.map_or("unknown", Wdl::name), "dtm": known.dtm })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::run;

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
