//! The tables at hand, and how they are probed.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::board::{Color, Move, PieceKind, Position};
use crate::util::{ReadError, printable};

use super::header::{Header, Metric, TableError};
use super::material::Material;
use super::solution::number_of;
use super::table::{Cache, Table};
use super::value::{Value, Wdl};

/// A file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("endgame tables: {} {error}", printable(path))]
pub struct TableFault {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub error: TableError,
}

/// The tables inside the program.
static EMBEDDED: &[u8] = include_bytes!("embedded.tables");

/// Tables by material. Shared by reference; each thread probes with a
/// [`Prober`] of its own.
#[derive(Clone, Default)]
pub struct Tables {
    /// In the order in which they are asked: results alone before distances, and
    /// of the same metric those that were added last.
    by_material: HashMap<Material, Vec<Arc<Table>>>,
    /// The most pieces of a material, and the most that can cross the river.
    pieces: u32,
    attackers: u32,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tables of {} materials", self.by_material.len())
    }
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
        let Header { material, metric, .. } = *table.header();
        let is_named = path.file_name() == table_path(Path::new(""), material, metric).file_name();
        if is_named { Ok(table) } else { Err(TableError::OtherMaterial(material)) }
    });
    table.map_err(|error| TableFault { path: path.to_owned(), error })
}

impl Tables {
    /// Those inside the program.
    pub fn embedded() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| {
            let mut tables = Tables::default();
            // that they are whole is tested
            Table::split(EMBEDDED).into_iter().flatten().for_each(|table| tables.add(table));
            tables
        })
    }

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

    /// Adds a table. It is asked before those of the same material and metric, which
    /// answer where it cannot be read.
    pub fn add(&mut self, table: Table) {
        let (material, metric) = (table.header().material, table.header().metric);
        self.pieces = self.pieces.max(material.pieces() as u32);
        let attackers = Color::ALL.iter().map(|&color| material.attackers(color)).sum::<usize>();
        self.attackers = self.attackers.max(attackers as u32);
        let tables = self.by_material.entry(material).or_default();
        let place = tables.partition_point(|other| (other.header().metric as u8) < metric as u8);
        tables.insert(place, Arc::new(table));
    }

    /// All tables, the smaller materials first.
    pub fn all(&self) -> Vec<Arc<Table>> {
        self.sorted(|_| true)
    }

    /// The tables of which a block could not be read.
    pub fn damaged(&self) -> Vec<TableFault> {
        let fault = |table: Arc<Table>| TableFault {
            path: table.path().to_owned(),
            error: TableError::Damaged,
        };
        self.sorted(Table::is_damaged).into_iter().map(fault).collect()
    }

    fn sorted(&self, is_wanted: impl Fn(&Table) -> bool) -> Vec<Arc<Table>> {
        let tables = self.by_material.values().flatten();
        let mut tables: Vec<_> = tables.filter(|table| is_wanted(table)).cloned().collect();
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

    /// Whether there is a table of a material.
    pub fn contains(&self, material: Material) -> bool {
        self.by_material.contains_key(&material.canonical())
    }

    /// The tables of a material that know a metric, in the order in which they are
    /// asked: damaged ones last. Those with distances know the results too.
    fn of(&self, material: Material, metric: Metric) -> impl Iterator<Item = &Table> {
        let tables = self.by_material.get(&material).map_or(&[][..], Vec::as_slice);
        let knows = move |table: &&Table| [Metric::Dtm, metric].contains(&table.header().metric);
        let tables = tables.iter().map(Arc::as_ref).filter(knows);
        let damaged = tables.clone().filter(|table| table.is_damaged());
        tables.filter(|table| !table.is_damaged()).chain(damaged)
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
        Prober { tables, cache: Cache::default() }
    }

    /// The result of a position with best play; `None` if no table tells it, or
    /// it depends on what the rules call a perpetual chase.
    pub fn wdl(&mut self, position: &mut Position) -> Option<Wdl> {
        self.probe(position, Metric::Wdl, false)?.wdl()
    }

    /// The result, where a table has it without a look at the moves.
    pub fn wdl_at_once(&mut self, position: &mut Position) -> Option<Wdl> {
        self.probe(position, Metric::Wdl, true)?.wdl()
    }

    /// The result with the distance to mate; `None` if no table tells it.
    pub fn value(&mut self, position: &mut Position) -> Option<Value> {
        self.probe(position, Metric::Dtm, false)
    }

    fn probe(&mut self, position: &mut Position, metric: Metric, at_once: bool) -> Option<Value> {
        let attackers =
            PieceKind::ATTACKERS.iter().map(|&kind| position.of_kind(kind).len()).sum::<u32>();
        if position.occupied().len() > self.tables.pieces || attackers > self.tables.attackers {
            return None;
        }
        let material = Material::of(position);
        if Color::ALL.iter().all(|&color| material.attackers(color) == 0) {
            // nobody can be mated or stalemated: see the tests
            return Some(Value::Draw);
        }
        let canonical = material.canonical();
        let place = (position.side_to_move(), canonical != material);
        let side = if place.1 { !place.0 } else { place.0 };
        let pieces = |color, kind| position.pieces_of(color, kind);
        let mut has_other_side = false;
        for table in self.tables.of(canonical, metric) {
            if !table.header().sides[side.index()] {
                has_other_side = true;
                continue;
            }
            let (number, side) = number_of(table.index(), pieces, place)?;
            let value = table.value(number, side, &mut self.cache);
            if value.is_some() {
                return value;
            }
        }
        if has_other_side && !at_once { self.best_of_moves(position, metric) } else { None }
    }

    /// The value of a position by those of its moves, where the table has only
    /// the other side to move.
    fn best_of_moves(&mut self, position: &mut Position, metric: Metric) -> Option<Value> {
        let (mut values, mut all_known) = (Vec::new(), true);
        for &m in &position.legal_moves() {
            let undo = position.make(m);
            // the same tables do not send back to the side that they do not have
            let at_once = undo.captured().is_none();
            let value = self.probe(position, metric, at_once);
            position.unmake(m, undo);
            let Some(value) = value.map(Value::before_move) else {
                all_known = false;
                continue;
            };
            if metric == Metric::Wdl && value.wdl() == Some(Wdl::Win) {
                return Some(value);
            }
            values.push(value);
        }
        all_known.then(|| Value::best(values))
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
    /// What a move is worth to the side that makes it, by what is known of the
    /// position it leads to.
    pub fn before_move(self) -> Known {
        let (result, dtm) = (self.result.map(Wdl::before_move), self.dtm.map(|plies| plies + 1));
        Known { result, dtm }
    }

    fn preference(&self) -> (u8, i32) {
        let plies = self.dtm.map(i32::from);
        match self.result {
            Some(Wdl::Win) => (3, plies.map_or(i32::MIN, |plies| -plies)),
            Some(Wdl::Draw) => (2, 0),
            None => (1, 0),
            Some(Wdl::Loss) => (0, plies.unwrap_or(0)),
        }
    }
}

impl fmt::Display for Known {
    /// `win in 13` plies, `draw`, `unknown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.result.map_or("unknown", Wdl::name))?;
        self.dtm.map_or(Ok(()), |plies| write!(f, " in {plies}"))
    }
}

impl Ord for Known {
    /// The better the greater: short wins and long losses, those of unknown length last;
    /// what is unknown is between a draw and a loss.
    fn cmp(&self, other: &Known) -> Ordering {
        self.preference().cmp(&other.preference())
    }
}

impl PartialOrd for Known {
    fn partial_cmp(&self, other: &Known) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Prober {
    /// All that the tables tell of a position.
    pub fn known(&mut self, position: &mut Position) -> Known {
        match self.value(position) {
            Some(value) => Known { result: value.wdl(), dtm: value.plies() },
            None => {
                let result = self.wdl(position);
                // who has no move has lost, whatever the tables know of distances
                let is_end = result == Some(Wdl::Loss) && position.legal_moves().is_empty();
                Known { result, dtm: is_end.then_some(0) }
            }
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
                (m, after.before_move())
            })
            .collect();
        known.sort_by_key(|(_, known)| Reverse(*known));
        known
    }
}

#[cfg(test)]
mod tests {
    use super::super::solution::{Solution, Source, Sources, look_up};
    use super::super::table::{Packing, pack};
    use super::super::verify::verify;
    use super::*;
    use crate::egtb::solve;

    /// All values, and tables of one side to move alone.
    fn solved(name: &str, metric: Metric, side: Color) -> (Sources, Tables) {
        let (mut sources, mut tables) = (Sources::new(), Tables::default());
        for material in Material::closure(&[name.parse().unwrap()]) {
            let solution = solve(material, &sources, 1).unwrap();
            if material.attackers(Color::Red) > 0 {
                let counts = Color::ALL.map(|side| solution.counts(side));
                let bytes = pack(&solution, counts, &Packing::small(metric, side), 1).unwrap();
                tables.add(Table::new(bytes).unwrap());
            }
            sources.insert(material, Source::Held(Arc::new(solution)));
        }
        (sources, tables)
    }

    #[test]
    fn one_side_to_move_tells_the_values_of_the_other() {
        for (name, metric, side) in [
            ("KPKA", Metric::Dtm, Color::Red),
            ("KPKA", Metric::Wdl, Color::Black),
            ("KNAAK", Metric::Dtm, Color::Red),
        ] {
            let (sources, tables) = solved(name, metric, side);
            let mut prober = Prober::new(Arc::new(tables));
            let mut cache = Cache::new(1);
            let index = super::super::index::Index::new(name.parse().unwrap());
            let mut seen = 0;
            for number in (0..index.size()).step_by(7) {
                for side in Color::ALL {
                    let Some(position) = index.position(number, side) else { continue };
                    for mut position in [position.swap_colors(), position] {
                        let value = look_up(&sources, &position, &mut cache).unwrap();
                        assert_eq!(prober.wdl(&mut position), value.wdl());
                        let known = Some(value).filter(|_| metric == Metric::Dtm);
                        assert_eq!(prober.value(&mut position), known, "{}", position.to_fen());
                        seen += 1;
                    }
                }
            }
            assert!(seen > 1000, "{name}");
        }
    }

    #[test]
    fn moves_come_with_the_best_first() {
        let (_, tables) = solved("KRKA", Metric::Dtm, Color::Red);
        let mut prober = Prober::new(Arc::new(tables));
        let mut position = Position::from_fen("3ak4/9/9/9/9/9/9/9/R8/3K5 w").unwrap();
        let known = prober.known(&mut position);
        let moves = prober.known_moves(&mut position);
        assert_eq!(moves.len(), position.legal_moves().len());
        assert_eq!(moves[0].1, known);
        assert!(moves.is_sorted_by_key(|(_, known)| Reverse(*known)));
        // without its rook Red cannot win
        let gives_up = moves.iter().find(|(m, _)| m.to_string() == "a1a9").unwrap();
        assert_eq!(gives_up.1.result, Some(Wdl::Win), "{}", gives_up.1);
    }

    #[test]
    fn a_mate_has_its_distance_without_any_table_of_distances() {
        let mut prober = Prober::new(Arc::new(solved("KRKA", Metric::Wdl, Color::Red).1));
        let mut position = Position::from_fen("3k1a3/9/9/9/9/9/9/9/4R4/4K4 w").unwrap();
        let expect = |plies| Known { result: Some(Wdl::Win), dtm: plies };
        assert_eq!(prober.known(&mut position), expect(None));
        let moves = prober.known_moves(&mut position);
        assert_eq!((moves[0].0.to_string().as_str(), moves[0].1), ("e1d1", expect(Some(1))));
        assert!(moves[1..].iter().all(|(_, known)| known.dtm.is_none()));
    }

    #[test]
    fn what_no_table_tells_is_unknown() {
        let mut prober = Prober::new(Arc::new(solved("KRK", Metric::Dtm, Color::Red).1));
        for (fen, result) in [
            ("3k5/9/9/9/9/9/9/9/4N4/4K4 w", None),
            ("3k5/4a4/9/9/9/9/9/9/9/4K4 w", Some(Wdl::Draw)),
            ("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w", None),
        ] {
            assert_eq!(prober.known(&mut Position::from_fen(fen).unwrap()).result, result, "{fen}");
        }
    }

    #[test]
    fn faulty_files_are_named_and_the_others_used() {
        let (sources, _) = solved("KRK", Metric::Dtm, Color::Red);
        let folder = tempfile::tempdir().unwrap();
        let Source::Held(solution) = &sources[&"KRK".parse().unwrap()] else { panic!("held") };
        let counts = Color::ALL.map(|side| solution.counts(side));
        let bytes = pack(solution, counts, &Packing::FILE, 1).unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("KRK.dtm"), &bytes).unwrap();
        std::fs::write(place("KNK.dtm"), &bytes).unwrap();
        std::fs::write(place("KPK.dtm"), &bytes[..bytes.len() / 2]).unwrap();
        std::fs::write(place("KCK.wdl"), b"").unwrap();
        std::fs::write(place("notes.txt"), b"of other things").unwrap();
        std::fs::create_dir(place("KK.dtm")).unwrap();
        let mut tables = Tables::default();
        let faults = tables.add_folder(folder.path()).unwrap();
        let texts: Vec<String> = faults.iter().map(TableFault::to_string).collect();
        assert_eq!(tables.all().len(), 1);
        assert_eq!(texts.len(), 4, "{texts:?}");
        for (text, words) in texts.iter().zip([
            ["KCK.wdl", "is not an endgame table"],
            ["KK.dtm", "name a file"],
            ["KNK.dtm", "holds the table of KRK"],
            ["KPK.dtm", "cut short"],
        ]) {
            assert!(words.iter().all(|word| text.contains(word)) && !text.contains('\n'), "{text}");
        }
        assert!(tables.add_folder(&place("none")).unwrap_err().to_string().contains("none"));
    }

    /// Writes the table of a solution with its last block damaged.
    fn write_damaged(solution: &Solution, packing: &Packing, path: &Path) {
        let counts = Color::ALL.map(|side| solution.counts(side));
        let mut bytes = pack(solution, counts, packing, 1).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn what_a_damaged_table_does_not_tell_another_one_does() {
        let (sources, _) = solved("KRKA", Metric::Dtm, Color::Red);
        let Source::Held(solution) = &sources[&"KRKA".parse().unwrap()] else { panic!("held") };
        let packings = [
            Packing::FILE,
            Packing::small(Metric::Dtm, Color::Red),
            Packing::small(Metric::Dtm, Color::Black),
        ];
        for packing in packings {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("KRKA.dtm");
            write_damaged(solution, &packing, &path);
            let mut tables = Tables::embedded().clone();
            assert_eq!(tables.add_folder(folder.path()), Ok(vec![]));
            let tables = Arc::new(tables);
            let mut prober = Prober::new(Arc::clone(&tables));
            for number in (0..solution.index.size()).rev().step_by(5) {
                for side in Color::ALL {
                    let Some(mut position) = solution.index.position(number, side) else {
                        continue;
                    };
                    assert_eq!(prober.value(&mut position), solution.value(number, side));
                }
            }
            assert_eq!(tables.damaged(), [TableFault { path, error: TableError::Damaged }]);
        }
    }

    #[test]
    fn tables_that_are_all_damaged_tell_nothing() {
        let (sources, _) = solved("KRK", Metric::Dtm, Color::Red);
        let Source::Held(solution) = &sources[&"KRK".parse().unwrap()] else { panic!("held") };
        let mut tables = Tables::default();
        for side in Color::ALL {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("KRK.dtm");
            write_damaged(solution, &Packing::small(Metric::Dtm, side), &path);
            assert_eq!(tables.add_folder(folder.path()), Ok(vec![]));
        }
        let mut prober = Prober::new(Arc::new(tables));
        let mut position = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/4K4 w").unwrap();
        assert_eq!(prober.value(&mut position), None);
    }

    #[test]
    fn the_tables_inside_the_program_are_whole() {
        let tables = Table::split(EMBEDDED).unwrap();
        assert!(tables.len() >= 36);
        for table in &tables {
            let header = table.header();
            let mut cache = Cache::new(1);
            let last = header.blocks_of_side() - 1;
            let some = (0..last).step_by(9).chain([last]);
            for (block, side) in some.flat_map(|block| Color::ALL.map(|side| (block, side))) {
                let value = table.value(block * header.block, side, &mut cache);
                assert_eq!(value.is_some(), header.sides[side.index()], "{}", header.material);
            }
            // all that captures lead to is there as well
            for rest in header.material.after_captures() {
                let is_drawn = Color::ALL.iter().all(|&color| rest.attackers(color) == 0);
                let is_known = Tables::embedded().of(rest, header.metric).next().is_some();
                assert!(is_drawn || is_known, "{rest}");
            }
        }
        let sources = solved("KNKA", Metric::Wdl, Color::Red).0;
        let Source::Held(solution) = &sources[&"KNKA".parse().unwrap()] else { panic!("held") };
        let mut prober = Prober::new(Arc::new(Tables::embedded().clone()));
        for number in (0..solution.index.size()).step_by(11) {
            let Some(mut position) = solution.index.position(number, Color::Black) else {
                continue;
            };
            assert_eq!(prober.value(&mut position), solution.value(number, Color::Black));
        }
        assert!(verify(solution, &sources, 2).is_ok());
    }
}
