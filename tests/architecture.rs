//! The house plan, enforced: a room imports only what its row allows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may import.
const ROOMS: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("score", &[]),
    ("board", &["util"]),
    ("notation", &["board"]),
    ("rules", &["board"]),
    ("eval", &["util", "score", "board"]),
    ("book", &["util", "board", "notation", "rules"]),
    ("protocol", &["score", "board", "notation"]),
    ("search", &["util", "score", "board", "rules", "eval"]),
    ("engine", &["util", "score", "board", "notation", "rules", "eval", "book", "search"]),
    (
        "front",
        &[
            "util", "score", "board", "notation", "rules", "eval", "book", "protocol", "search",
            "engine",
        ],
    ),
    ("arena", &["util", "score", "board", "notation", "rules", "book", "protocol"]),
    (
        "cli",
        &[
            "util", "score", "board", "notation", "rules", "eval", "book", "protocol", "search",
            "engine", "front", "arena",
        ],
    ),
];

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

/// The code before the unit tests, which may use what they like.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

#[test]
fn rooms_import_only_what_the_plan_allows() {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let allowed: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut files = Vec::new();
    sources(&source, &mut files);
    let mut faults = Vec::new();
    let mut arrows = 0;
    for file in files {
        let room = room_of(&source, &file);
        if room == "lib" || room == "main" {
            continue;
        }
        let Some(allowed) = allowed.get(room.as_str()) else {
            faults.push(format!("{}: room {room} is not in the plan", file.display()));
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        for line in without_tests(&text).lines().filter(|line| !line.trim().starts_with("//")) {
            for used in line.split("crate::").skip(1) {
                let used: String =
                    used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                arrows += 1;
                if used != room && !allowed.contains(&used.as_str()) {
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
fn the_plan_has_no_cycle() {
    let mut seen: Vec<&str> = Vec::new();
    for (room, imports) in ROOMS {
        for import in *imports {
            assert!(seen.contains(import), "{room} imports {import}, which is not below it");
        }
        seen.push(room);
    }
}

#[test]
fn unsafe_stays_in_its_rooms() {
    const ALLOWED: &[&str] = &["search/table.rs"];
    const KERNELS: &str = "eval/nnue/kernels/";
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    for file in files {
        let relative = file.strip_prefix(&source).expect("files lie in src").to_string_lossy();
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        let has_unsafe = text.lines().any(|line| {
            let code = line.split("//").next().unwrap_or("");
            code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl")
        });
        let relative = relative.replace('\\', "/");
        let allowed = ALLOWED.contains(&relative.as_str()) || relative.starts_with(KERNELS);
        assert!(!has_unsafe || allowed, "unsafe in {relative}");
    }
}
