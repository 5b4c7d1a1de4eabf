//! `hanxin suite` as its users call it.

use std::process::{Command, Output};

fn suite(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_hanxin");
    Command::new(program).arg("suite").args(arguments).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it writes UTF-8")
}

#[test]
fn known_mates_are_solved_and_saved() {
    let folder = tempfile::tempdir().expect("there is a temporary directory");
    let saved = folder.path().join("results.csv");
    let saved = saved.to_str().expect("it is UTF-8");
    let mates = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/long_mates.csv");
    let output = suite(&[mates, "--nodes", "400000", "--hash", "16", "--csv", saved]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let count = std::fs::read_to_string(mates).expect("it is there").lines().count() - 1;
    assert!(shown.contains(&format!("solved {count} of {count}")), "{shown}");
    let table = std::fs::read_to_string(saved).expect("it was saved");
    assert_eq!(table.lines().count(), count + 1);
}

#[test]
fn json_tells_what_failed() {
    let folder = tempfile::tempdir().expect("there is a temporary directory");
    let file = folder.path().join("suite.epd");
    // a rook against all defenders wins nothing
    let lines = "2bakab2/9/9/9/9/9/9/9/R8/3K5 w goal win; id \"rook\";\n\
                 3k5/9/9/9/9/9/9/9/R8/1R2K4 w bm a1d1 b0d0;\n";
    std::fs::write(&file, lines).expect("it can be written");
    let file = file.to_str().expect("it is UTF-8");
    let output = suite(&[file, "--nodes", "2000", "--hash", "4", "--plies", "20", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&report["solved"], &report["tried"]), (&1.into(), &2.into()));
    let rook = &report["puzzles"][0];
    assert_eq!((&rook["name"], &rook["solved"]), (&"rook".into(), &false.into()));
    assert_eq!(rook["game_plies"], 20);
}

#[test]
fn results_are_not_written_over_the_suite() {
    let folder = tempfile::tempdir().expect("there is a temporary directory");
    let file = folder.path().join("suite.epd");
    let line = "3k5/9/9/9/9/9/9/9/R8/1R2K4 w bm a1d1;\n";
    std::fs::write(&file, line).expect("it can be written");
    let file = file.to_str().expect("it is UTF-8");
    for (csv, said) in [(file, "an input too"), ("/no/such/folder/a.csv", "cannot write")] {
        let output = suite(&[file, "--nodes", "10", "--csv", csv]);
        assert!(!output.status.success() && text(&output.stderr).contains(said));
        assert!(output.stdout.is_empty(), "before any work");
    }
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), line);
}

#[test]
fn what_is_no_suite_is_one_line() {
    for (arguments, said) in [
        (&["/nowhere.csv"][..], "/nowhere.csv"),
        (&[concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], "Cargo.toml': line 1: the board"),
    ] {
        let output = suite(arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors.starts_with("hanxin: ") && errors.contains(said), "{errors}");
        assert_eq!(errors.lines().count(), 1);
    }
}
