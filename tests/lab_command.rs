//! `hanxin lab` as a process: results in words, in JSON and as files, exit codes,
//! interruption and resumption.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn start(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hanxin"));
    command.arg("lab").args(arguments.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn lab(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let output: Output = start(folder, arguments).output().expect("the program can be started");
    let text = |bytes| String::from_utf8(bytes).expect("all output is UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_comparison_as_json_has_one_value_for_all_exact_variants() {
    let folder = folder();
    let (code, out, error) = lab(folder.path(), "compare --depth 2 --json");
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let json: Value = serde_json::from_str(&out).expect("the output is JSON");
    let variants = json["variants"].as_array().expect("a list");
    assert_eq!(variants.len(), 35);
    let exact: Vec<_> = variants.iter().filter(|variant| variant["exact"] == true).collect();
    assert_eq!(exact.len(), 30);
    for variant in variants {
        assert!(variant["name"].is_string() && variant["nodes"].is_u64(), "{variant}");
        assert!(variant["value"].is_i64(), "{variant}");
    }
    assert!(exact.iter().all(|variant| variant["value"] == exact[0]["value"]));
}

#[test]
fn a_comparison_makes_a_page_with_plots() {
    let folder = folder();
    let arguments =
        "compare --depth 2 --report page.html --variant minimax --variant fail-soft+all";
    let (code, out, _) = lab(folder.path(), arguments);
    assert_eq!(code, Some(0));
    for part in ["Nodes by depth", "Seconds by depth", "Score by depth", "minimal tree, leaves"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("it is written");
    assert_eq!(page.matches("<svg").count(), 2);
    assert!(page.contains("Branching factor") && page.contains("hanxin lab compare --depth 2"));
}

#[test]
fn a_tree_of_xiangqi_is_drawn() {
    let folder = folder();
    let (code, out, error) = lab(folder.path(), "tree --game xiangqi --depth 3");
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(out.starts_with("<svg") && out.contains("cut off") && out.contains("d7e7"), "{out}");
    let (code, _, error) = lab(folder.path(), "tree --game xiangqi --depth 9 --variant minimax");
    assert_eq!(code, Some(1));
    assert!(error.contains("too many to draw") && error.contains("--fen"), "{error}");
}

#[test]
fn what_makes_no_sense_is_named_in_one_line() {
    let folder = folder();
    std::fs::write(folder.path().join("few.csv"), "id,fen\n1,x\n").expect("it can be written");
    for (arguments, named) in [
        ("compare --fen 9/9", "bad FEN"),
        ("compare --variant best", "'best' is not a variant"),
        ("compare --report page.pdf", "page.pdf: want .html or .md"),
        ("compare --file none.csv", "none.csv: no such file"),
        ("schaeffer --report x", "x: want .html or .md"),
        ("tree --game xiangqi --fen 9/9", "bad FEN"),
        ("thesis --table 4-1 --puzzles few.csv", "few.csv: puzzle 1: "),
        ("thesis --table 4-1 --puzzles none.csv", "none.csv: no such file"),
        ("thesis --table 4-3 --opponent speed=9", "'speed=9' is not a setting"),
    ] {
        let (code, out, error) = lab(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}: {error}");
        assert!(error.contains(named) && error.lines().count() == 1, "{arguments}: {error}");
    }
}

#[test]
fn an_engine_that_does_not_start_is_named() {
    let folder = folder();
    let arguments = "thesis --table 4-3 --movenodes 9 --opponent cmd=./no-such-engine";
    let (code, _, error) = lab(folder.path(), arguments);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("no-such-engine"), "{error}");
}

#[test]
fn the_thesis_on_tiny_settings_fills_all_its_tables() {
    let folder = folder();
    // mates in one, under the numbers of the thesis: the real ones do not come
    // with hanxin
    let ids = [1, 6, 24, 31, 45, 55, 80, 139, 210, 231, 10, 12, 29, 47, 67, 83, 100, 167, 181, 240];
    let lines = ids.map(|id| format!("{id},3k5/9/9/9/9/9/9/9/R8/1R2K4 w\n"));
    let text = format!("id,fen\n{}", lines.concat());
    std::fs::write(folder.path().join("puzzles.csv"), text).expect("it can be written");
    let arguments =
        "thesis --depth 2 --movenodes 300 --games 1 --puzzles puzzles.csv --report t.md";
    let (code, out, error) = lab(folder.path(), arguments);
    assert_eq!(code, Some(0), "{error}");
    for part in ["Table 2-5", "Table 2-6", "Table 3-1", "Table 4-1", "Table 4-2", "Table 4-3"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(out.matches("won 1 ").count() + out.matches("won 1\n").count(), 80, "{out}");
    let report = std::fs::read_to_string(folder.path().join("t.md")).expect("it is written");
    assert!(report.contains("| 2 | 670 | 450 | -33 |"), "{report}");
    assert!(report.contains("| 181 | 近在咫尺 | won 25 | won 1 | won 1 | won 1 | won 1 |"));
}

#[test]
fn a_move_can_have_time() {
    let folder = folder();
    let (code, out, error) = lab(folder.path(), "thesis --table 3-1 --time 0.01");
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("here a move has 0.01 s") && out.contains("solved"), "{out}");
}

#[test]
fn without_puzzles_their_tables_are_left_out_and_it_is_said() {
    let folder = folder();
    let (code, out, error) = lab(folder.path(), "thesis --table 2-6,4-1 --depth 1");
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("--puzzles CSV (columns id, fen)"), "{error}");
    assert!(out.contains("Left out: the positions were not given"), "{out}");
}

/// An interrupt ends the study early, and the same command ends it with the same
/// result as one that was never interrupted.
#[cfg(unix)]
#[test]
fn an_interrupted_study_goes_on_where_it_was() {
    let arguments = "schaeffer --depth 3 --positions 1 --journal a.journal";
    let whole = folder();
    let (code, expected, _) = lab(whole.path(), arguments);
    assert_eq!(code, Some(0));
    let folder = folder();
    let mut child = start(folder.path(), arguments).spawn().expect("the program starts");
    let journal = folder.path().join("a.journal");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 20 {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let kept = lines();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("the same command takes the experiment up again (a.journal)"));
    assert!((20..2 + 3 * 256).contains(&kept), "{kept} lines");
    let (code, out, _) = lab(folder.path(), arguments);
    assert_eq!(code, Some(0));
    assert_eq!(lines(), 2 + 3 * 256);
    let tables = |text: &str| text[text.find("Nodes by depth").expect("it is there")..].to_owned();
    assert_eq!(tables(&out), tables(&expected));
}
