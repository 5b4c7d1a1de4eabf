//! `hanxin match` as a process, with well-behaved and misbehaving engines.

#[cfg(target_os = "linux")]
mod linux;
mod resume;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hanxin::util::seeded;
use rand::RngExt;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_hanxin");

/// The engine that behaves as its argument says; see tests/programs/misfit.rs.
fn misfit() -> String {
    let folder = Path::new(PROGRAM).parent().expect("the program lies in a folder");
    let path = folder.join("examples").join(format!("misfit{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is missing: cargo build --example misfit", path.display());
    path.to_string_lossy().into_owned()
}

/// An engine of the command line.
fn engine(mode: &str) -> Vec<String> {
    let command = format!("cmd={}", misfit());
    ["--engine".into(), command, format!("arg={mode}"), format!("name={mode}")].into()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().map(str::to_owned)
}

fn start(folder: &Path, arguments: &[String]) -> Child {
    let mut command = Command::new(PROGRAM);
    command.arg("match").args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn run(folder: &Path, arguments: &[String]) -> Output {
    start(folder, arguments).wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is UTF-8")
}

/// The games of a journal by their numbers, without the times.
fn games(journal: &Path) -> BTreeMap<u64, Value> {
    let text = std::fs::read_to_string(journal).expect("the journal can be read");
    let mut games = BTreeMap::new();
    for line in text.lines().skip(2) {
        let mut game: Value = serde_json::from_str(&line[9..]).expect("a line of JSON");
        let number = game["number"].as_u64().expect("games have numbers");
        game["started"] = Value::Null;
        for played in game["moves"].as_array_mut().expect("games have moves") {
            played["time_us"] = Value::Null;
        }
        assert!(games.insert(number, game).is_none(), "game {number} was played twice");
    }
    games
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn misbehaving_engines_are_scored_and_survived() {
    let expected = [
        ("silent", "start-failure"),
        ("mute", "time-forfeit"),
        ("slow", "time-forfeit"),
        ("crashing", "crash"),
        ("illegal", "illegal-move"),
        ("garbled", "illegal-move"),
        ("moveless", "resignation"),
        ("resigning", "resignation"),
        ("drawing", "max-moves"),
        ("chatty", "max-moves"),
        ("bytes", "max-moves"),
        ("crlf", "max-moves"),
        ("stubborn", "max-moves"),
    ];
    let folder = folder();
    let mut arguments = engine("good");
    expected.iter().for_each(|(mode, _)| arguments.extend(engine(mode)));
    let more = "--each st=0.4 timemargin=200 startup=3 --maxmoves 4 --recover --concurrency 4 \
                --journal all.journal --pgnout all.pgn";
    arguments.extend(words(more));
    let began = Instant::now();
    let output = run(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let games = games(&folder.path().join("all.journal"));
    assert_eq!(games.len(), 2 * expected.len());
    for game in games.values() {
        let [red, black] = ["red", "black"].map(|side| game[side].as_str().expect("a name"));
        let (mode, wins) = if red == "good" { (black, "red-wins") } else { (red, "black-wins") };
        let termination = expected.iter().find(|(name, _)| *name == mode).expect("it plays").1;
        assert_eq!(game["termination"], termination, "{game}");
        let result = if termination == "max-moves" { "draw" } else { wins };
        assert_eq!(game["result"], result, "{game}");
    }
    let reason = |mode: &str| {
        let of_mode = games.values().find(|game| game["black"] == mode).expect("it plays");
        of_mode["reason"].as_str().expect("a reason").to_owned()
    };
    assert!(reason("crashing").ends_with("the hash table is on fire"), "{}", reason("crashing"));
    assert!(reason("slow").contains("too late"), "{}", reason("slow"));
    assert!(reason("garbled").contains("'banana'"), "{}", reason("garbled"));
    let pgn = std::fs::read_to_string(folder.path().join("all.pgn")).expect("it was written");
    assert_eq!(pgn.matches("[Termination ").count(), games.len());
}

#[test]
fn games_without_an_engine_count_only_if_the_match_goes_on() {
    let folder = folder();
    let folder = folder.path();
    let arguments: Vec<String> = engine("good").into_iter().chain(engine("worn")).collect();
    let more = "--each nodes=1 restart=on --maxmoves 4 --rounds 2 --journal x.journal";
    let arguments = with(&arguments, more);
    let endings = || -> Vec<Value> {
        let games = games(&folder.join("x.journal"));
        games.values().map(|game| game["termination"].clone()).collect()
    };
    // it starts to be tried, for one game, and then no more
    let output = run(folder, &arguments);
    assert!(text(&output.stderr).contains("cannot go on"), "{}", text(&output.stderr));
    assert_eq!(endings(), ["max-moves"]);
    std::fs::remove_file(folder.join("starts")).expect("the engine is mended");
    let output = run(folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(endings(), ["max-moves", "max-moves", "start-failure", "start-failure"]);
}

#[test]
fn offers_of_draws_are_passed_on_and_accepted() {
    let folder = folder();
    let arguments: Vec<String> = engine("drawing").into_iter().chain(engine("drawing")).collect();
    let more = words("--each nodes=1 --journal x.journal");
    let output = run(folder.path(), &arguments.into_iter().chain(more).collect::<Vec<_>>());
    assert!(output.status.success(), "{}", text(&output.stderr));
    for game in games(&folder.path().join("x.journal")).values() {
        assert_eq!((&game["result"], &game["termination"]), (&"draw".into(), &"agreement".into()));
        assert_eq!(game["moves"].as_array().map(Vec::len), Some(1), "the second is not played");
    }
}

/// A match of quick games, none of which is like another.
fn quick_match(folder: &Path, rounds: u32) -> Vec<String> {
    let mut arguments = engine("good");
    arguments.extend(engine("crlf"));
    let openings: String =
        (0..rounds).map(|n| format!("startpos moves {}\n", opening(n))).collect();
    let path = folder.join("openings.fen");
    std::fs::write(&path, openings).expect("the openings can be written");
    let more = format!("--each nodes=1 --maxmoves 60 --rounds {rounds} --concurrency 2 --openings");
    arguments.extend(words(&more));
    arguments.push(format!("file={}", path.display()));
    arguments.push("order=random".into());
    arguments
}

fn opening(number: u32) -> String {
    let position = hanxin::board::Position::startpos();
    let moves = position.legal_moves();
    moves[number as usize % moves.len()].to_string()
}

fn with(arguments: &[String], more: &str) -> Vec<String> {
    arguments.iter().cloned().chain(words(more)).collect()
}

fn undisturbed(folder: &Path, arguments: &[String]) -> BTreeMap<u64, Value> {
    let output = run(folder, &with(arguments, "--journal whole.journal"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    games(&folder.join("whole.journal"))
}

#[test]
fn a_test_ends_the_match_when_it_has_decided() {
    let folder = folder();
    let arguments: Vec<String> = engine("good").into_iter().chain(engine("illegal")).collect();
    let more = "--each nodes=1 --rounds 1000 --sprt elo0=0 elo1=400 --json --journal x.journal";
    let output = run(folder.path(), &with(&arguments, more));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert!(of("game") > 4 && of("game") < 1000 && of("end") == 1, "{}", of("game"));
}

#[test]
fn mistakes_of_the_organiser_are_one_line() {
    let folder = folder();
    let good: Vec<String> = engine("good").into_iter().chain(engine("good")).collect();
    for (more, fault) in [
        ("", "no limit"),
        ("--each nodes=1 option.hashsize=9999", "want a number from 1 to 64"),
        ("--each nodes=1 --engine cmd=no/such/program", "cannot start"),
        ("--each nodes=1 --openings file=no/such/file", "no/such/file"),
        ("--each nodes=1 --openings file=builtin start=1001", "number 1000"),
        ("--each nodes=1 --tournament swiss --shard 1/2", "--shard"),
        ("--each nodes=1 --config no/such/file", "no/such/file"),
        ("--each nodes=1 --preset nobody", "want one of elephanteye"),
        ("--each nodes=1 --journal no/such/file", "cannot write 'no/such/file': no such folder"),
        ("--each nodes=1 --pgnout x.pgn notation=runes", "want iccs, wxf or chinese"),
        ("-each nodes=1 -variant standard", "--variant standard: only xiangqi is played"),
        ("-each nodes=1 -bookmode ram", "unknown argument '-bookmode'"),
    ] {
        let output = run(folder.path(), &with(&good, more));
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.lines().count() == 1, "{more}: {error}");
        assert!(error.contains(fault), "{more}: {error}");
    }
}

/// The fault that a match is refused for, which is one line.
fn refusal(folder: &Path, arguments: &[String]) -> String {
    let output = run(folder, arguments);
    let error = text(&output.stderr);
    assert!(!output.status.success() && error.lines().count() == 1, "{arguments:?}: {error}");
    error.to_owned()
}

#[test]
fn no_file_has_two_uses() {
    let folder = folder();
    let folder = folder.path();
    let arguments = quick_match(folder, 1);
    assert!(run(folder, &with(&arguments, "--journal a.journal --pgnout a.pgn")).status.success());
    let journal = std::fs::read(folder.join("a.journal")).expect("it was written");
    std::fs::hard_link(folder.join("a.journal"), folder.join("hard")).expect("it can be linked");
    std::fs::write(folder.join("match.toml"), "").expect("it can be written");
    let cases = [
        ("--journal a.journal --pgnout a.journal", "--pgnout"),
        ("--journal a.journal --epdout hard", "--epdout"),
        ("--journal a.journal --debug ./a.journal", "--debug"),
        ("--journal a.journal --report hard", "--report"),
        ("--journal openings.fen", "--openings"),
        ("--config match.toml --pgnout match.toml", "--config"),
        ("--pgnout new.pgn --epdout new.pgn", "--epdout"),
    ];
    #[cfg(unix)]
    let cases = {
        let link = |name: &str, to: &str| std::os::unix::fs::symlink(to, folder.join(name));
        link("soft", "a.journal").and_then(|()| link("dangling", "later")).expect("links are made");
        cases.into_iter().chain([
            ("--journal a.journal --pgnout soft", "--pgnout"),
            ("--journal dangling --pgnout later", "--pgnout"),
            ("--journal later --report dangling", "--report"),
        ])
    };
    for (more, option) in cases {
        let error = refusal(folder, &with(&arguments, more));
        assert!(error.contains(option) && error.contains("name another one"), "{more}: {error}");
    }
    assert_eq!(std::fs::read(folder.join("a.journal")).expect("it is there"), journal);
}

/// Whatever a file of games holds is there after every other match too.
#[test]
fn games_of_another_match_are_kept() {
    let folder = folder();
    let folder = folder.path();
    let arguments = quick_match(folder, 1);
    let outputs = "--pgnout games.pgn --epdout games.epd";
    let first = with(&arguments, &format!("--journal a.journal {outputs}"));
    assert!(run(folder, &first).status.success());
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it was written");
    let [pgn, epd] = ["games.pgn", "games.epd"].map(read);
    assert_eq!(pgn.matches("[Termination ").count(), 2);
    for other in [
        format!("--srand 9 --journal b.journal {outputs}"),
        "--srand 8 --journal c.journal --epdout games.epd".into(),
        "--journal a.journal --event other --pgnout games.pgn".into(),
    ] {
        let error = refusal(folder, &with(&arguments, &other));
        assert!(error.contains("games.") && error.contains("move it away"), "{error}");
        assert_eq!(["games.pgn", "games.epd"].map(read), [pgn.clone(), epd.clone()]);
    }
    // an end in the middle of a game
    std::fs::write(folder.join("games.pgn"), &pgn[..pgn.len() - 40]).expect("it can be written");
    assert!(run(folder, &first).status.success());
    assert_eq!(["games.pgn", "games.epd"].map(read), [pgn, epd]);
}

#[test]
fn a_report_that_cannot_be_written_is_named_before_the_first_game() {
    let folder = folder();
    let more = "--journal a.journal --report no/such/folder.html";
    let output = run(folder.path(), &with(&quick_match(folder.path(), 1), more));
    assert!(text(&output.stderr).contains("cannot write 'no/such/folder.html'"));
    assert!(!output.status.success() && output.stdout.is_empty());
}

#[test]
fn a_missing_folder_of_an_engine_is_named() {
    let folder = folder();
    let engines = with(&engine("good"), &format!("--engine cmd={PROGRAM} dir=nowhere name=b"));
    let error = refusal(folder.path(), &with(&engines, "--each nodes=1 --journal a"));
    assert!(error.contains("there is no folder nowhere"), "{error}");
}

#[test]
fn a_journal_that_is_not_as_it_was_written_is_left_alone() {
    let folder = folder();
    let folder = folder.path();
    let arguments = with(&quick_match(folder, 2), "--journal a.journal --pgnout a.pgn");
    assert!(run(folder, &arguments).status.success());
    let [journal, pgn] = ["a.journal", "a.pgn"].map(|name| folder.join(name));
    let read = |path: &Path| std::fs::read_to_string(path).expect("it was written");
    let (whole, games) = (read(&journal), read(&pgn));
    let last = whole.lines().last().expect("there are games");
    let damaged = whole.replace(last, &last.replace("depth", "Depth"));
    let twice = format!("{whole}{last}\n");
    for (text, fault) in [(damaged, "line 6 is damaged"), (twice, "in line 6 and in line 7")] {
        std::fs::write(&journal, &text).expect("it can be written");
        let error = refusal(folder, &arguments);
        assert!(error.contains("a.journal") && error.contains(fault), "{error}");
        assert_eq!((read(&journal), read(&pgn)), (text, games.clone()));
    }
    std::fs::write(&journal, &whole[..whole.len() - 9]).expect("it can be written");
    let resumed = run(folder, &arguments);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stderr).contains("a.journal: the last line was torn"));
    assert!(text(&resumed.stdout).contains("Taking up the match after 3 games"));
    assert_eq!(read(&journal).lines().count(), 6);
}

#[test]
fn more_games_than_cores_are_remarked() {
    let folder = folder();
    let cores = hanxin::util::cores();
    for (games, limit, is_remarked) in
        [(cores + 1, "st=5", true), (cores, "st=5", false), (cores + 1, "nodes=1", false)]
    {
        let more =
            format!("--maxmoves 1 --concurrency {games} --each {limit} --journal {games}{limit}");
        let engines: Vec<String> = engine("good").into_iter().chain(engine("crlf")).collect();
        let output = run(folder.path(), &with(&engines, &more));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr).contains("cores: engines may be too late"), is_remarked);
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_waited_for() {
    let folder = folder();
    let folder = folder.path();
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.expect("there is mkfifo").success());
    let arguments = quick_match(folder, 1);
    let engines = arguments[..arguments.len() - 3].to_vec();
    for (more, fault) in [
        ("--journal pipe", "name a file"),
        ("--journal /dev/full", "name a file"),
        ("--config pipe", "name a file"),
        ("--pgnout pipe", "nobody reads"),
        ("--epdout pipe", "nobody reads"),
        ("--debug pipe", "nobody reads"),
        ("--pgnout /dev/full", "/dev/full"),
    ] {
        let output = run(folder, &with(&arguments, more));
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.lines().count() == 1, "{more}: {error}");
        assert!(error.contains(fault), "{more}: {error}");
    }
    for openings in ["/dev/zero", "pipe"] {
        let error = refusal(folder, &with(&engines, &format!("--openings file={openings}")));
        assert!(error.contains("name a file"), "{error}");
    }
    let outputs = "--pgnout /dev/stdout --epdout /dev/null --debug /dev/null --journal x.journal";
    let output = run(folder, &with(&arguments, outputs));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches("[Termination ").count(), 2);
}

/// A pipe that somebody holds open and nobody reads stops a match; the second
/// signal ends it, as nothing else would.
#[cfg(unix)]
#[test]
fn the_second_signal_ends_a_match_that_waits() {
    let folder = folder();
    let folder = folder.path();
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    let held = std::fs::File::options().read(true).write(true).open(&pipe).expect("it opens");
    let arguments = with(&quick_match(folder, 400), "--pgnout pipe --journal x.journal");
    let mut program = start(folder, &arguments);
    let length = || std::fs::metadata(folder.join("x.journal")).map_or(0, |file| file.len());
    let mut before = 0;
    while before < 10_000 || before != length() {
        before = length();
        sleep(Duration::from_millis(500));
    }
    for _ in 0..2 {
        let number = program.id().to_string();
        assert!(Command::new("kill").arg(number).status().expect("there is kill").success());
        sleep(Duration::from_millis(300));
    }
    let status = program.wait().expect("it has ended");
    drop(held);
    assert_eq!(status.code(), Some(130));
}

#[test]
fn the_runner_waits_between_games_but_not_after_the_last() {
    let folder = folder();
    let engines: Vec<String> = engine("good").into_iter().chain(engine("crlf")).collect();
    let more = "-variant xiangqi -each nodes=1 -maxmoves 3 -journal x.journal";
    let time = |wait: &str| {
        let began = Instant::now();
        let output = run(folder.path(), &with(&engines, &format!("{more} {wait}")));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(games(&folder.path().join("x.journal")).len(), 2);
        began.elapsed()
    };
    assert!(time("-wait 1000") >= Duration::from_secs(1));
    // all is played: nothing to wait for
    assert!(time("-wait 60000") < Duration::from_secs(60));
}

#[test]
fn a_file_can_describe_the_match() {
    let folder = folder();
    let misfit = misfit();
    let toml = format!(
        "rounds = 2\njson = true\n[each]\nnodes = 1\n[[engine]]\ncmd = '{misfit}'\nname = 'a'\n\
         [[engine]]\ncmd = '{misfit}'\narg = ['crlf']\nname = 'b'\n"
    );
    std::fs::write(folder.path().join("match.toml"), toml).expect("it can be written");
    let more: Vec<String> = words("--config match.toml --rounds 1 --maxmoves 3").collect();
    let output = run(folder.path(), &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches("\"event\":\"game\"").count(), 2);
}

#[test]
fn every_kind_of_tournament_ends() {
    let folder = folder();
    let four: Vec<String> =
        ["good", "crlf", "bytes", "good"].iter().flat_map(|m| engine(m)).collect();
    for (kind, count) in [("round-robin", 12), ("swiss", 8), ("gauntlet", 12)] {
        let rounds = if kind == "round-robin" { 1 } else { 2 };
        let more = format!(
            "--each nodes=1 --maxmoves 5 --tournament {kind} --rounds {rounds} --journal {kind}"
        );
        let output = run(folder.path(), &with(&four, &more));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(games(&folder.path().join(kind)).len(), count, "{kind}");
    }
    let two: Vec<String> = ["good", "illegal", "crlf"].iter().flat_map(|m| engine(m)).collect();
    let more = "--each nodes=1 --maxmoves 5 --tournament knockout --journal cup";
    let output = run(folder.path(), &with(&two, more));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let cup = games(&folder.path().join("cup"));
    assert!(cup.len() >= 4 && cup.values().all(|game| game["red"].is_string()));
    let won = "good wins the cup: 1 - 1 against crlf in the final, all tie-breaks drawn, as the \
               better seed\n";
    assert!(text(&output.stdout).contains(won), "{}", text(&output.stdout));
    let again = run(folder.path(), &with(&two, &format!("{more} --json")));
    let end = text(&again.stdout).lines().last().expect("an end").to_owned();
    let end: Value = serde_json::from_str(&end).expect("it is JSON");
    let reason = end["reason"].as_str().expect("a reason");
    assert!(reason.contains("The match is over"), "{end}");
    let cup = (&end["cup"]["winner"], &end["cup"]["decision"]);
    assert_eq!(cup, (&"good".into(), &"seed".into()), "{end}");
}

#[test]
fn a_swiss_system_ends_with_its_table() {
    let folder = folder();
    let three: Vec<String> =
        ["good", "illegal", "crlf"].iter().flat_map(|mode| engine(mode)).collect();
    let more = "--each nodes=1 --maxmoves 5 --tournament swiss --rounds 2 --journal x.journal";
    let output = run(folder.path(), &with(&three, more));
    assert!(output.status.success(), "{}", text(&output.stderr));
    // two games in each round; the first bye goes to the last of the list
    let table = "Swiss system, byes counted as encounters won:\n\
                 Engine   Place  Points  Byes\n\
                 good         1     3.0     0\n\
                 crlf         1     3.0     1\n\
                 illegal      3     2.0     1\n";
    assert!(text(&output.stdout).contains(table), "{}", text(&output.stdout));
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("log"), "of before\n").expect("it can be written");
    let more = format!("{more} --json --report x.html --debug log");
    let again = run(folder.path(), &with(&three, &more));
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("it is there");
    assert_eq!(read("log"), "of before\n", "a log is kept");
    assert!(read("x.html").contains("Swiss system, byes counted"), "the report has the table");
    let end = text(&again.stdout).lines().last().expect("an end").to_owned();
    let end: Value = serde_json::from_str(&end).expect("it is JSON");
    let crlf = serde_json::json!({ "name": "crlf", "place": 1, "points": 3.0, "byes": 1 });
    assert_eq!((&end["swiss"][1], &end["cup"]), (&crlf, &Value::Null), "{end}");
}

#[test]
fn a_check_names_the_points_that_are_broken() {
    let folder = folder();
    let check = |mode: &str| {
        let mut arguments = vec!["--check".into(), format!("cmd={}", misfit())];
        arguments.push(format!("arg={mode}"));
        run(folder.path(), &arguments)
    };
    let good = check("good");
    let lines = text(&good.stdout);
    assert_eq!((good.status.code(), lines.lines().count()), (Some(1), 24), "{lines}");
    assert!(lines.contains("ok      `usemillisec` is offered"), "{lines}");
    // it answers every `go` at once
    assert!(lines.contains("BROKEN  `go infinite` lasts until `stop`"), "{lines}");
    let illegal = check("illegal");
    assert!(text(&illegal.stdout).contains("e0e5 is illegal"), "{}", text(&illegal.stdout));
}

#[test]
fn engines_ponder_on_the_opponents_time() {
    let folder = folder();
    let plain: Vec<String> =
        ["pondering", "guessing"].iter().flat_map(|mode| engine(mode)).collect();
    let arguments = with(&plain, "--each tc=5+0.1 --maxmoves 6 --rounds 1");
    assert!(run(folder.path(), &with(&arguments, "--journal no")).status.success());
    let ponder = with(&arguments, "--ponder --journal yes --debug log");
    assert!(run(folder.path(), &ponder).status.success());
    let log = std::fs::read_to_string(folder.path().join("log")).expect("it was written");
    let sent = |name: &str, word: &str| {
        log.lines().filter(|line| line.contains(&format!(" {name} < {word}"))).count()
    };
    // two games of six moves; the last guess of a game is never answered
    assert!(sent("pondering", "ponderhit") >= 9, "{log}");
    assert!(sent("pondering", "stop") <= 2, "{log}");
    assert_eq!(sent("guessing", "ponderhit"), 0, "{log}");
    assert!(sent("guessing", "stop") >= 9, "{log}");
    let moves = |name: &str| -> Vec<Value> {
        let games = games(&folder.path().join(name));
        games.values().map(|game| game["moves"][11]["move"].clone()).collect()
    };
    assert_eq!(moves("yes"), moves("no"), "pondering changes no move of these engines");
}

/// An engine that guesses wrong and takes its time to stop thinks on its own
/// clock meanwhile, and is told what is left of it.
#[test]
fn the_end_of_pondering_is_on_the_clock() {
    let folder = folder();
    let engines: Vec<String> = ["reluctant", "good"].iter().flat_map(|mode| engine(mode)).collect();
    let more = "--each tc=5 --maxmoves 3 --games 1 --ponder --json --journal x --debug log";
    let output = run(folder.path(), &with(&engines, more));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let games = games(&folder.path().join("x"));
    let moves = games[&0]["moves"].as_array().expect("moves");
    let clock = |played: &Value| played["clock_us"].as_u64().expect("a time");
    let clocks: Vec<u64> = moves.iter().step_by(2).map(clock).collect();
    assert!(clocks[0] > 4_750_000, "{clocks:?}");
    assert!(clocks.windows(2).all(|two| two[0] > two[1] + 290_000), "{clocks:?}");
    let log = std::fs::read_to_string(folder.path().join("log")).expect("it was written");
    let go = log.lines().filter_map(|line| line.split_once(" reluctant < go time ")).nth(2);
    let left = go.expect("three moves").1.split(' ').next().expect("a time");
    assert!((3_000..4_450).contains(&left.parse().expect("milliseconds")), "{left}");
    let end = text(&output.stdout).lines().last().expect("an end").to_owned();
    let end: Value = serde_json::from_str(&end).expect("it is JSON");
    assert!(end["runner"]["us_per_move"].as_f64().expect("a time") < 100_000.0, "{end}");
}

#[test]
fn each_side_is_told_its_own_moves_to_go() {
    let folder = folder();
    let engine = format!("--engine cmd={PROGRAM} proto=uci name=");
    let more = "--each tc=3/0.6 --maxmoves 4 --games 1 --journal x.journal --debug log";
    let arguments: Vec<String> = words(&format!("{engine}one {engine}two {more}")).collect();
    assert!(run(folder.path(), &arguments).status.success());
    let log = std::fs::read_to_string(folder.path().join("log")).expect("it was written");
    for name in ["one", "two"] {
        let sent = log.lines().filter(|line| line.contains(&format!(" {name} < go wtime")));
        let moves: Vec<&str> = sent.filter_map(|line| line.split(" movestogo ").nth(1)).collect();
        assert_eq!(moves, ["3", "2", "1", "3"], "{log}");
    }
}

#[test]
fn the_board_is_shown() {
    let folder = folder();
    let arguments: Vec<String> = ["good", "crlf"].iter().flat_map(|mode| engine(mode)).collect();
    let more = "--each nodes=1 --maxmoves 3 --games 1 --board --journal x.journal";
    let output = run(folder.path(), &with(&arguments, more));
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(shown.matches("Game 1: ").count(), 6, "{shown}");
    let is_rank =
        |line: &&str| line.starts_with(|c: char| c.is_ascii_digit()) && line.ends_with(&line[..1]);
    assert_eq!(shown.lines().filter(is_rank).count(), 60, "{shown}");
    let both = run(folder.path(), &with(&arguments, &format!("{more} --json")));
    assert!(text(&both.stderr).contains("--json"), "{}", text(&both.stderr));
}

/// An engine as old as ElephantEye, which holds games for drawn early.
#[test]
fn the_preset_for_elephanteye_fits_such_an_engine() {
    let folder = folder();
    let mut arguments: Vec<String> = words("--preset elephanteye").collect();
    arguments.extend(engine("elephanteye"));
    let more = "--each tc=5+0.01 nodes=200 --rounds 1 --maxmoves 12";
    let output =
        run(folder.path(), &with(&arguments, &format!("{more} --journal ask --debug log")));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let log = std::fs::read(folder.path().join("log")).expect("it was written");
    let log = String::from_utf8_lossy(&log);
    for line in [
        "elephanteye < setoption usemillisec true",
        "elephanteye < setoption usebook false",
        "elephanteye < go time 5000 increment 10 ",
        "elephanteye > nobestmove",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    let (before, after) = log.split_once("elephanteye > nobestmove").expect("asserted above");
    let time = |go: Option<&str>| go.unwrap().split(' ').next().unwrap().parse::<u32>().unwrap();
    let first = time(before.rsplit("elephanteye < go time ").next());
    let again = time(after.split("elephanteye < go time ").nth(1));
    assert!(again < first, "what the first answer took is gone: {first}, {again}");
    let is_resigned = |journal: &str| {
        let games = games(&folder.path().join(journal));
        games.values().any(|game| game["termination"] == "resignation")
    };
    assert!(!is_resigned("ask"), "it is asked again");
    let more = more.replace("nodes", "nomove=lose nodes");
    assert!(
        run(folder.path(), &with(&arguments, &format!("{more} --journal lose"))).status.success()
    );
    assert!(is_resigned("lose"));
}
