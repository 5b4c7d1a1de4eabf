//! The subcommand `hanxin book` from outside: sources of all kinds, resuming
//! after an end at any moment, conversions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/book.dat");

fn hanxin(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hanxin"));
    command.current_dir(folder).arg("book").args(arguments).output().unwrap()
}

/// The standard output of a command that succeeds.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = hanxin(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The one line of a command that fails.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = hanxin(folder, arguments);
    assert!(!output.status.success(), "{arguments:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// The moves that `dump` lists.
fn dumped(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let dump = run(folder, &[&["dump"], arguments].concat());
    dump.lines().skip(1).filter_map(|line| line.split(',').nth(2)).map(str::to_owned).collect()
}

/// Moves of the start with their results, as `probe` shows them.
fn start_of(folder: &Path, book: &str) -> Vec<(String, u64, u64, u64)> {
    let answer: Value =
        serde_json::from_str(&run(folder, &["probe", "--book", book, "--json"])).unwrap();
    let moves = answer["moves"].as_array().unwrap();
    let count = |found: &Value, name: &str| found[name].as_u64().unwrap();
    moves
        .iter()
        .map(|found| {
            let mv = found["move"].as_str().unwrap().to_owned();
            (mv, count(found, "won"), count(found, "drawn"), count(found, "lost"))
        })
        .collect()
}

const PGN: &str = "[Event \"a\"]\n[RedElo \"2400\"]\n[BlackElo \"2300\"]\n[Result \"1-0\"]\n\n\
    1. C2=5 H8+7 2. H2+3 R9=8 1-0\n\n\
    [Event \"b\"]\n[RedElo \"2100\"]\n[BlackElo \"2300\"]\n[Result \"0-1\"]\n\n\
    1. 炮八平五 马2进3 0-1\n\n[Event \"c\"]\n[Result \"*\"]\n\n1. P7+1 *\n";

#[test]
fn games_of_all_notations_become_a_book() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "a.pgn", &format!("; three games\n{PGN}"));
    write(folder, "lines.txt", "\u{feff}1/2-1/2 h2e2 h9g7\n1-0\tc3c4\nnonsense\n");
    let summary: Value = serde_json::from_str(&run(
        folder,
        &["build", "a.pgn", "lines.txt", "--out", "a.hxb", "--games", "1", "--json"],
    ))
    .unwrap();
    assert_eq!(summary["games"], 4, "{summary}");
    assert_eq!((&summary["left_out"], &summary["faulty"]), (&1.into(), &1.into()));
    let start = start_of(folder, "a.hxb");
    let cannon = |mv: &str| (mv.to_owned(), 1, 1, 1);
    let pawn = |mv: &str| (mv.to_owned(), 1, 0, 0);
    assert_eq!(start, [cannon("b2e2"), cannon("h2e2"), pawn("c3c4"), pawn("g3g4")]);
    assert!(!folder.join("a.hxb.parts").exists());

    let build = ["build", "a.pgn", "--out", "b.hxb", "--games", "1"];
    run(folder, &[&build[..], &["--rating", "2200"]].concat());
    let cannon = |mv: &str| (mv.to_owned(), 1, 0, 0);
    assert_eq!(start_of(folder, "b.hxb"), [cannon("b2e2"), cannon("h2e2")]);
    run(folder, &[&build[..], &["--unknown", "--plies", "1"]].concat());
    assert_eq!(start_of(folder, "b.hxb").len(), 4);
}

/// The journal of a match with one game of two moves, a win of Red.
fn journal(red: &str, black: &str, moves: [&str; 2]) -> String {
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let moves = moves.map(|m| serde_json::json!({"move": m, "time_us": 1}));
    let game = serde_json::json!({
        "number": 0, "pair": 0, "round": 1, "red": red, "black": black, "start_fen": start,
        "moves": moves, "result": "red-wins", "termination": "resignation",
        "reason": "Black resigns", "started": "2026-02-03T04:05:06Z",
    });
    let line = |json: &str| format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
    format!("hanxin-match 1\n{}{}", line("{}"), line(&game.to_string()))
}

#[test]
fn a_game_of_several_files_counts_once() {
    let folder = folder();
    let folder = folder.path();
    let game = |red, black, result| {
        format!("[Event \"m\"]\n[Red \"{red}\"]\n[Black \"{black}\"]\n\n1. h2e2 h9g7 {result}\n\n")
    };
    // the same moves with other players, another result, or of nobody knows whom
    let others = [("b", "a", "1-0"), ("a", "b", "0-1"), ("?", "b", "1-0"), ("?", "b", "1-0")];
    let pgn: String = [("a", "b", "1-0")]
        .iter()
        .chain(&others)
        .map(|&(red, black, result)| game(red, black, result))
        .collect();
    write(folder, "a.pgn", &pgn);
    write(folder, "b.pgn", &game("a", "b", "1-0"));
    write(folder, "a.journal", &journal("a", "b", ["h2e2", "h9g7"]));
    write(folder, "b.journal", &journal("a", "b", ["c3c4", "h9g7"]));
    write(folder, "lines.txt", "1-0 h2e2 h9g7\n1-0 h2e2 h9g7\n");
    let files = ["a.pgn", "a.journal", "b.pgn", "b.journal", "lines.txt"];
    let build = [&["build"], &files[..], &["--out", "a.hxb", "--games", "1"]].concat();
    let said = run(folder, &build);
    assert!(said.starts_with("8 games, 16 moves (0 games left out, 0 unreadable)\n"), "{said}");
    assert!(said.contains("\n2 more games were there already, and count once\n"), "{said}");
    let cannon = |mv: &str| (mv.to_owned(), 6, 0, 1);
    let pawn = |mv: &str| (mv.to_owned(), 1, 0, 0);
    let start = [cannon("b2e2"), cannon("h2e2"), pawn("c3c4"), pawn("g3g4")];
    assert_eq!(start_of(folder, "a.hxb"), start);
    let summary: Value =
        serde_json::from_str(&run(folder, &[&build[..], &["--json"]].concat())).unwrap();
    assert_eq!((&summary["games"], &summary["repeated"]), (&8.into(), &2.into()));
}

#[test]
fn a_book_is_replaced_by_one_with_moves_only() {
    let folder = folder();
    let folder = folder.path();
    let games = write(folder, "a.pgn", PGN);
    write(folder, "garbage", "no game\nnor this\n");
    run(folder, &["build", "a.pgn", "--out", "a.hxb", "--games", "1"]);
    let book = fs::read(folder.join("a.hxb")).unwrap();
    for (arguments, said) in [
        (&["garbage"][..], "no games for a book (0 left out, 2 unreadable); 'a.hxb' stays"),
        (&["a.pgn", "--rating", "2900"], "3 left out, 0 unreadable"),
        (&["a.pgn", "--games", "9"], "no move was played in 9 games"),
    ] {
        let error = refusal(folder, &[&["build", "--out", "a.hxb"], arguments].concat());
        assert!(error.contains(said), "{error}");
        assert!(fs::read(folder.join("a.hxb")).unwrap() == book);
    }
    let _ = fs::remove_dir_all(folder.join("a.hxb.parts"));
    let output = hanxin(folder, &["build", "a.pgn", "--out", "a.hxb", "--plies", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--plies"));
    assert!(!folder.join("a.hxb.parts").exists(), "nothing was begun");
    assert_eq!(fs::read_to_string(games).unwrap(), PGN);
}

#[test]
fn no_output_is_written_over_an_input() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "a.pgn", PGN);
    run(folder, &["build", "a.pgn", "--out", "a.hxb", "--games", "1"]);
    let grow = ["--positions", "1", "--nodes", "100", "--prove", "0", "--lines", "2"];
    run(folder, &[&["expand", "--journal", "a.journal", "--out", "b.hxb"], &grow[..]].concat());
    for arguments in [
        &["build", "a.pgn", "--games", "1", "--out", "a.pgn"][..],
        &["expand", "--journal", "a.journal", "--out", "./a.journal"],
        &["export", "a.hxb", "--out", "a.hxb"],
        &["merge", "b.hxb", "a.hxb", "--out", "a.hxb"],
    ] {
        let name = arguments.last().unwrap();
        let before = fs::read(folder.join(name)).unwrap();
        let error = refusal(folder, arguments);
        assert!(error.contains("an input too; name another one"), "{error}");
        assert!(fs::read(folder.join(name)).unwrap() == before);
    }
    let error = refusal(folder, &["expand", "--journal", "new", "--out", "no/such/folder"]);
    assert!(error.contains("cannot write 'no/such/folder'"), "{error}");
    assert!(!folder.join("new").exists(), "before any work");
}

#[test]
fn a_build_that_was_killed_goes_on() {
    let folder = folder();
    let folder = folder.path();
    // every game is there twice, far apart
    let pgn: String = (0..40_000)
        .map(|game| game % 20_000)
        .map(|game| {
            let replies = ["h9g7", "b9c7", "a9a8", "i9i8", "g6g5"];
            let (first, second) = (replies[game % 5], ["c9e7", "d9e8"][game / 7 % 2]);
            format!(
                "[Event \"m\"]\n[Red \"{game}\"]\n[Black \"b\"]\n\n\
                 1. h2e2 {first} 2. h0g2 {second} 1-0\n\n"
            )
        })
        .collect();
    write(folder, "games", &pgn);
    let build = |out| ["build", "games", "--out", out, "--memory", "1", "--threads", "2"];
    let said = run(folder, &build("whole.hxb"));
    assert!(said.starts_with("20000 games, 80000 moves"), "{said}");

    let mut child = Command::new(env!("CARGO_BIN_EXE_hanxin"))
        .current_dir(folder)
        .arg("book")
        .args(build("cut.hxb"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.join("cut.hxb.parts/run-0").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    run(folder, &build("cut.hxb"));
    let [whole, cut] = ["whole.hxb", "cut.hxb"].map(|name| fs::read(folder.join(name)).unwrap());
    assert!(whole == cut, "what was counted before the end and after it is the whole");
}

#[test]
fn a_book_goes_to_book_dat_and_back() {
    let folder = folder();
    let folder = folder.path();
    run(folder, &["merge", BOOK, "--out", "own.hxb"]);
    run(folder, &["export", "own.hxb", "--out", "back.dat"]);
    assert!(fs::read(folder.join("back.dat")).unwrap() == fs::read(BOOK).unwrap());
    assert_eq!(run(folder, &["dump", "own.hxb"]), run(folder, &["dump", BOOK]));
    let info: Value = serde_json::from_str(&run(folder, &["info", "own.hxb", "--json"])).unwrap();
    assert_eq!(info["moves"].as_u64().unwrap(), fs::metadata(BOOK).unwrap().len() / 8);
    let kinds = [(BOOK, "ElephantEye's format, "), ("text", "lines of text, 1 positions")];
    write(folder, "text", "b2e2 5 rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\n");
    for (book, kind) in kinds {
        let info = run(folder, &["info", book]);
        assert!(info.starts_with(kind) && info.len() < 500, "{info}");
    }
    // twice the same book: twice the weights
    run(folder, &["merge", "own.hxb", "own.hxb", "--out", "twice.hxb"]);
    let table = run(folder, &["probe", "--book", "twice.hxb", "--moves", "炮二平五 H8+7"]);
    assert!(table.contains("中炮局"), "{table}");
}

#[test]
fn lines_of_a_book_may_begin_at_openings() {
    let folder = folder();
    let folder = folder.path();
    let start = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 0 1";
    write(folder, "a.pgn", &format!("[FEN \"{start}\"]\n1. h0g2 i9h9 2. i0h0 1/2-1/2\n"));
    run(folder, &["build", "a.pgn", "--out", "a.hxb", "--games", "1"]);
    let export = ["export", "a.hxb", "--out", "a.dat"];
    assert!(refusal(folder, &export).contains("--from"));
    assert!(refusal(folder, &["dump", "a.hxb"]).contains("--from"));
    assert!(run(folder, &["info", "a.hxb"]).contains("name the openings of its games with --from"));
    write(folder, "a.epd", "startpos moves h2e2 h9g7\n");
    let said = run(folder, &[&export[..], &["--from", "a.epd"]].concat());
    assert!(said.starts_with("3 moves in"), "{said}");
    for book in ["a.hxb", "a.dat"] {
        assert_eq!(dumped(folder, &[book, "--from", "a.epd"]), ["h0g2", "i9h9", "i0h0"]);
    }
    let info = run(folder, &["info", "a.hxb", "--from", "a.epd"]);
    assert!(info.contains("3 positions that its lines lead to, with 3 moves"), "{info}");
    assert!(refusal(folder, &["info", "a.hxb", "--from", "none"]).contains("none"));
    assert!(refusal(folder, &["info", "a.hxb", "--from", "a.hxb"]).contains("a.hxb: a book"));
}

#[test]
fn moves_that_only_lost_are_told_from_none() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "lines.txt", "0-1 h2e2 h9g7\n");
    run(folder, &["build", "lines.txt", "--out", "a.hxb", "--games", "1"]);
    let said = run(folder, &["probe", "--book", "a.hxb"]);
    assert!(said.contains("of weight 0") && !said.contains("--from"), "{said}");
    let other = run(folder, &["probe", "--book", "a.hxb", "--moves", "c3c4"]);
    assert!(other.contains("no book knows this position"), "{other}");
}

/// What refutes a move that is never played belongs to the book all the same.
#[test]
fn lines_behind_moves_that_only_lost_are_not_lost() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "lines.txt", "0-1 h2e2 h9g7 h0g2\n");
    run(folder, &["build", "lines.txt", "--out", "a.hxb", "--games", "1"]);
    let said = run(folder, &["export", "a.hxb", "--out", "a.dat"]);
    assert!(said.starts_with("4 moves in"), "{said}");
    for book in ["a.hxb", "a.dat"] {
        let info = run(folder, &["info", book]);
        assert!(info.contains("with 4 moves (3 of weight 0, never played)"), "{info}");
        assert_eq!(dumped(folder, &[book]), ["b2e2", "h2e2", "b9c7", "b0c2"]);
        let answer = run(folder, &["probe", "--book", book, "--moves", "h2e2"]);
        assert!(answer.contains("h9g7"), "{answer}");
    }
}

/// Tags in any order, and comments that look like tags, stay with their games.
#[test]
fn every_game_of_a_file_has_its_own_tags() {
    let folder = folder();
    let folder = folder.path();
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b";
    let game = |tags: &str, moves: &str| format!("{tags}[Result \"1-0\"]\n\n{moves} 1-0\n");
    let event = "[Event \"a\"]\n";
    let other = format!("[RedElo \"2500\"]\n\n[BlackElo \"2400\"]\n{event}");
    let games = [
        game(event, "1. h2e2 {\n[Event of the year\n} h9g7"),
        game(&other, "1. c3c4"),
        game(&format!("[FEN \"{fen}\"]\n{event}"), "1... h9g7"),
    ];
    for count in 1..=games.len() {
        write(folder, "a.pgn", &games[..count].concat());
        let said = run(folder, &["build", "a.pgn", "--out", "a.hxb", "--games", "1"]);
        assert!(
            said.contains(&format!("{count} games")) && said.contains("0 unreadable"),
            "{said}"
        );
    }
    write(folder, "a.epd", &format!("{fen} - - 0 1\n"));
    let dump = run(folder, &["dump", "a.hxb", "--from", "a.epd"]);
    assert!(dump.lines().any(|line| line.contains(" b ") && line.contains("h9g7")), "{dump}");
    let rated =
        run(folder, &["build", "a.pgn", "--out", "b.hxb", "--games", "1", "--rating", "2400"]);
    assert!(rated.contains("1 games") && rated.contains("2 games left out"), "{rated}");
}

#[test]
fn a_book_grows_and_goes_on_from_its_journal() {
    let folder = folder();
    let folder = folder.path();
    let expand = |positions| {
        [
            "expand",
            "--journal",
            "a.journal",
            "--out",
            "a.hxb",
            "--nodes",
            "300",
            "--prove",
            "600",
            "--positions",
            positions,
        ]
    };
    run(folder, &expand("3"));
    let lines = || fs::read_to_string(folder.join("a.journal")).unwrap().lines().count();
    let (first, book) = (lines(), fs::read(folder.join("a.hxb")).unwrap());
    run(folder, &expand("3"));
    assert_eq!(lines(), first, "nothing is searched twice");
    assert!(fs::read(folder.join("a.hxb")).unwrap() == book);
    run(folder, &expand("6"));
    assert!(lines() >= first + 3);
    assert!(!start_of(folder, "a.hxb").is_empty());
    assert!(refusal(folder, &[&expand("6")[..], &["--rules", "cxa"]].concat()).contains("axf"));
    let mut other = expand("9");
    other[6] = "400";
    let whole = lines();
    let error = refusal(folder, &other);
    assert!(error.contains("(nodes: 300 there, 400 here); name another file"), "{error}");
    assert_eq!(lines(), whole, "nothing was searched");

    // one of an earlier version, which does not say its nodes
    let journal = fs::read_to_string(folder.join("a.journal")).unwrap();
    let head = "{\"rules\":\"axf\"}";
    let head = format!("{:08x} {head}", crc32fast::hash(head.as_bytes()));
    let old: Vec<&str> = journal.lines().collect();
    write(folder, "a.journal", &[&[old[0], &head], &old[2..], &[""]].concat().join("\n"));
    run(folder, &other);
    assert!(lines() >= whole + 3);
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "empty", "");
    fs::write(folder.join("binary"), [0u8, 1, 2, 3]).unwrap();
    for (arguments, part) in [
        (&["probe", "--book", "none"][..], "'none'"),
        (&["probe", "--book", BOOK, "--moves", "h2h8"], "h2h8"),
        (&["info", "empty"], "is empty"),
        (&["build", "none", "--out", "a"], "'none'"),
        (&["build", "empty", "--out", "a"], "no games"),
        (&["build", "binary", "--out", "a"], "is not a file of games"),
        (&["export", BOOK, "--out", "no/such/folder/a"], "cannot write"),
        (&["merge", BOOK, "--out", "no/such/folder/a"], "cannot write"),
    ] {
        let text = refusal(folder, arguments);
        assert!(text.contains(part), "{arguments:?}: {text}");
    }
    assert!(!folder.join("a").exists() && !folder.join("a.parts").exists());
}
