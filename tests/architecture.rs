//! Enforces the architecture: a module imports only what its row of the table in
//! the documentation of the library allows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A row of the plan.
struct Room {
    floor: u32,
    imports: Vec<String>,
}

/// The table in `src/lib.rs`: rooms by name.
fn plan() -> BTreeMap<String, Room> {
    let rows = include_str!("../src/lib.rs").lines().filter_map(|line| {
        let mut cells = line.strip_prefix("//! | ")?.split(" | ");
        let floor: u32 = cells.next()?.parse().ok()?;
        let name = cells.next()?.trim_start_matches("[`").trim_end_matches("`]");
        Some((name.to_owned(), floor, cells.next()?.to_owned()))
    });
    let rows: Vec<_> = rows.collect();
    let imports = |floor: u32, cell: &str| match cell {
        "-" => Vec::new(),
        "all below" => {
            let below = rows.iter().filter(|row| row.1 < floor);
            below.map(|row| row.0.clone()).collect()
        }
        list => list.split(", ").map(str::to_owned).collect(),
    };
    let room = |(name, floor, cell): &(String, u32, String)| {
        (name.clone(), Room { floor: *floor, imports: imports(*floor, cell) })
    };
    rows.iter().map(room).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("src can be read") {
        let path = entry.expect("src can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The room a file belongs to: the first part of its path below `src`.
fn room_of(source: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(source).expect("files lie in src");
    let first = relative.iter().next().expect("a file has a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The code before the unit tests, which may import anything.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

#[test]
fn rooms_import_only_what_the_plan_allows() {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let plan = plan();
    let mut files = Vec::new();
    sources(&source, &mut files);
    let mut faults = Vec::new();
    let mut arrows = 0;
    for file in files {
        let room = room_of(&source, &file);
        if room == "lib" || room == "main" {
            continue;
        }
        let Some(Room { imports, .. }) = plan.get(&room) else {
            faults.push(format!("{}: room {room} is not in the plan", file.display()));
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for line in without_tests(&text).lines().filter(|line| !line.trim().starts_with("//")) {
            for used in line.split("crate::").skip(1) {
                let used: String =
                    used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                arrows += 1;
                if used != room && !imports.contains(&used) {
                    faults.push(format!("{}: {room} must not import {used}", file.display()));
                }
                if line.trim_start().starts_with("use") && line.contains("::*") && used != room {
                    faults.push(format!("{}: glob import across rooms", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(arrows > 20, "only {arrows} imports seen: the test no longer reads the sources");
}

#[test]
fn imports_run_downwards() {
    let plan = plan();
    for (name, room) in &plan {
        for import in &room.imports {
            let floor = plan.get(import).map(|room| room.floor);
            assert!(
                floor.is_some_and(|floor| floor < room.floor),
                "{name} imports {import}, which is not on a lower floor"
            );
        }
    }
}

#[test]
fn the_plan_has_a_row_for_every_room() {
    let modules = include_str!("../src/lib.rs").lines().filter_map(|line| {
        let name = line.trim().strip_prefix("pub mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    });
    let mut modules: Vec<String> = modules.collect();
    modules.sort_unstable();
    assert_eq!(plan().into_keys().collect::<Vec<_>>(), modules);
}

#[test]
fn unsafe_stays_in_its_rooms() {
    const ALLOWED: &[&str] = &["search/tt.rs", "util/mapped.rs"];
    const KERNELS: &str = "eval/nnue/kernels/";
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    for file in files {
        let relative = file.strip_prefix(&source).expect("files lie in src").to_string_lossy();
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        let has_unsafe = text.lines().any(|line| {
            let code = line.split("//").next().unwrap_or("");
            let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == "unsafe")
        });
        let relative = relative.replace('\\', "/");
        let allowed = ALLOWED.contains(&relative.as_str()) || relative.starts_with(KERNELS);
        assert!(!has_unsafe || allowed, "unsafe in {relative}");
    }
}
