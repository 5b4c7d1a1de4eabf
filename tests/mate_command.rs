//! `hanxin mate` as a process: proofs in words and in JSON, and exit codes.

use std::process::{Command, Output};

use serde_json::{Value, json};

const MATE: &str = "3a5/3kC2n1/b3NP3/9/9/1r3pP2/4P2RN/2pA5/5c3/3K5 w";
const NONE: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

fn hanxin(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_hanxin"))
        .arg("mate")
        .args(arguments)
        .output()
        .expect("the program can be started");
    let text = |bytes| String::from_utf8(bytes).expect("all output is UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn answer(arguments: &[&str]) -> (Option<i32>, Value) {
    let (code, out, _) = hanxin(&[arguments, &["--json"]].concat());
    (code, serde_json::from_str(&out).expect("the answer is JSON"))
}

#[test]
fn a_mate_is_written_in_words_and_in_every_notation() {
    let (code, out, error) = hanxin(&[MATE]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "mate in 13, the shortest by checks");
    assert_eq!(lines[1].split(' ').count(), 25);
    assert!(lines[2].contains(" nodes ") && lines.len() == 3, "{out}");
    for (notation, first) in [("iccs", "E7-C6"), ("wxf", "H5-7"), ("chinese", "马五退七")] {
        let (_, out, _) = hanxin(&[MATE, "--notation", notation]);
        assert!(out.lines().nth(1).unwrap().starts_with(first), "{notation}: {out}");
    }
}

#[test]
fn all_results_have_their_json_and_their_exit_code() {
    let (code, mate) = answer(&[MATE]);
    assert_eq!((code, &mate["result"]), (Some(0), &json!("mate")));
    assert_eq!((&mate["mate_in"], &mate["is_shortest"]), (&json!(13), &json!(true)));
    assert_eq!(mate["line"].as_array().map(Vec::len), Some(25));
    let (code, none) = answer(&[NONE]);
    assert_eq!((code, &none["result"]), (Some(0), &json!("none")));
    assert_eq!((&none["ruled_out"], &none["mate_in"]), (&Value::Null, &Value::Null));
    let (code, bounded) = answer(&[MATE, "--moves", "12"]);
    assert_eq!((code, &bounded["result"]), (Some(0), &json!("none")));
    assert_eq!(bounded["ruled_out"], json!(12));
    let (code, unknown) = answer(&[MATE, "--nodes", "50"]);
    assert_eq!((code, &unknown["result"]), (Some(1), &json!("unknown")));
}

#[test]
fn what_makes_no_sense_is_named_in_one_line() {
    for (arguments, named) in [
        (["9/9", "--json"], "bad FEN"),
        ([MATE, "--notation=morse"], "morse: want coordinates, iccs"),
    ] {
        let (code, out, error) = hanxin(&arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(error.contains(named) && error.lines().count() == 1, "{error}");
    }
    let (code, _, error) = hanxin(&[MATE, "--nodes", "50"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("--nodes"), "{error}");
}
