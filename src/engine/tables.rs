//! The endgame tables that the user named.

use std::path::Path;
use std::sync::Arc;

use crate::board::Position;
use crate::egtb::{Known, Prober, TableFault, Tables, Wdl};
use crate::score::{Bound, Score};
use crate::search::Entry;

use super::data_dir::locate_folder;

/// What separates folders in a list.
const SEPARATOR: char = ';';

/// The tables inside the program and those of all folders of a list divided by
/// `;`, with the files that cannot be used.
///
/// # Errors
/// When a folder cannot be read; nothing is kept then.
pub fn open(folders: &str, beside: Option<&Path>) -> Result<(Tables, Vec<TableFault>), TableFault> {
    let mut tables = Tables::embedded().clone();
    let mut faults = Vec::new();
    for name in folders.split(SEPARATOR).map(str::trim).filter(|name| !name.is_empty()) {
        faults.extend(tables.add_folder(&locate_folder(name, beside))?);
    }
    Ok((tables, faults))
}

/// What the tables tell of a position, in the way of the hash table.
pub fn entry(tables: &Arc<Tables>, position: &Position) -> Option<Entry> {
    let mut position = position.clone();
    let mut prober = Prober::new(Arc::clone(tables));
    let Known { result, dtm } = prober.known(&mut position);
    let (score, bound) = match (result?, dtm.map(usize::from)) {
        (Wdl::Win, Some(plies)) => (Score::mate_in(plies), Bound::Exact),
        (Wdl::Win, None) => (Score::table_win_in(0), Bound::Lower),
        (Wdl::Draw, _) => (Score::DRAW, Bound::Exact),
        (Wdl::Loss, None) => (-Score::table_win_in(0), Bound::Upper),
        (Wdl::Loss, Some(plies)) => (Score::mated_in(plies), Bound::Exact),
    };
    let best = prober.known_moves(&mut position).first().map(|&(m, _)| m);
    let depth = dtm.map_or(0, i32::from);
    Some(Entry { best, score, eval: None, depth, bound: Some(bound), was_pv: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_missing_are_named_and_bad_files_skipped() {
        let error = open("no such folder", None).unwrap_err().to_string();
        assert!(error.contains("no such folder") && error.contains("correct the path"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("KRK.dtm"), b"no table").unwrap();
        let (tables, faults) = open("; .", Some(folder.path())).unwrap();
        assert!(!tables.is_empty() && faults.len() == 1);
        assert!(faults[0].to_string().contains("KRK.dtm"), "{}", faults[0]);
    }

    #[test]
    fn a_position_of_the_tables_is_known_without_a_search() {
        let tables = Arc::new(Tables::embedded().clone());
        let position = |fen| Position::from_fen(fen).unwrap();
        let entry = |fen| entry(&tables, &position(fen));
        let won = entry("3k5/4a4/9/9/9/9/9/4N4/9/4K4 w").unwrap();
        assert_eq!((won.score, won.bound), (Score::mate_in(29), Some(Bound::Exact)));
        let lost = entry("9/4a4/3k5/9/9/9/9/4N4/9/4K4 b").unwrap();
        assert_eq!((lost.score, lost.best), (Score::mated_in(36), "d7e7".parse().ok()));
        let with_own_advisor = entry("3k5/4a4/9/9/9/9/9/4N4/4A4/4K4 w").unwrap();
        assert_eq!(with_own_advisor.score, Score::mate_in(29));
        let drawn = entry("4k4/9/4b4/9/9/9/9/4N4/9/3K5 w").unwrap();
        assert_eq!(drawn.score, Score::DRAW);
        assert!(entry("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w").is_none());
    }
}
