//! Test data: the small files in `tests/data`, and larger ones of the same
//! shape in the folder that `HANXIN_CASES` names. `cargo test -- --ignored`
//! runs the tests that need the latter.

use std::path::{Path, PathBuf};

use hanxin::board::Position;

/// The path of a file in `tests/data`.
pub fn small(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The path of a file in the folder of larger cases.
#[allow(dead_code)] // not every test program has larger cases
pub fn larger(name: &str) -> PathBuf {
    let folder = std::env::var_os("HANXIN_CASES").expect("HANXIN_CASES names a folder");
    Path::new(&folder).join(name)
}

/// The rows of a CSV file, by the names of these columns.
pub fn rows<const N: usize>(path: &Path, columns: [&str; N]) -> Vec<[String; N]> {
    let mut reader =
        csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let headers = reader.headers().expect("a line of headers").clone();
    let places = columns.map(|column| {
        let place = headers.iter().position(|header| header == column);
        place.unwrap_or_else(|| panic!("{}: no column {column}", path.display()))
    });
    let records = reader.records().map(|record| record.expect("the file is CSV"));
    records.map(|record| places.map(|place| record[place].to_owned())).collect()
}

/// Whether the side to move mates within `moves` moves, all of them checks, and
/// never comes back to a position of `history`: an exhaustive search that
/// shares only the move generator with the engine.
#[allow(dead_code)] // not every test program has mates
pub fn mates_by_checks(position: &mut Position, history: &[u64], moves: u16) -> bool {
    moves > 0
        && position.legal_moves().iter().any(|&m| {
            let undo = position.make(m);
            let mates = position.in_check()
                && !history.contains(&position.key())
                && position.legal_moves().iter().all(|&reply| {
                    let undo = position.make(reply);
                    let mates = !history.contains(&position.key())
                        && mates_by_checks(position, history, moves - 1);
                    position.unmake(reply, undo);
                    mates
                });
            position.unmake(m, undo);
            mates
        })
}
