//! Matches that were killed, divided or taken up again.

use super::*;

/// A match between the program and itself, with fixed nodes and without what
/// differs from one process to the next.
fn own_match(rounds: u32) -> Vec<String> {
    let engine = format!("--engine cmd={PROGRAM} name=");
    let more = format!(
        "{engine}one {engine}two --each nodes=500 option.usebook=false option.seed=1 \
         --maxmoves 60 --concurrency 2 --srand 7 --openings file=builtin order=random \
         --rounds {rounds}"
    );
    words(&more).collect()
}

/// The games of a PGN by their rounds, without what depends on time.
fn pgn_games(path: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).expect("the PGN can be read");
    let mut games = BTreeMap::new();
    for game in text.split("[Game ").skip(1) {
        let lasting = game.lines().filter(|l| !l.starts_with("[Date ") && !l.starts_with("[Time "));
        // comments end with the seconds of the move, `0.015s}`
        let is_time = |word: &str| word.ends_with("s}") && word.contains('.');
        let words = lasting.flat_map(str::split_whitespace).filter(|word| !is_time(word));
        let round = game.lines().find(|line| line.starts_with("[Round ")).expect("it has a round");
        let found = games.insert(round.to_owned(), words.collect::<Vec<_>>().join(" "));
        assert_eq!(found, None, "{round} is there twice");
    }
    games
}

/// The last standings that a match has reported.
fn standing(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut lines = text(&output.stdout).lines().rev();
    let last = lines.find(|line| line.contains("\"event\":\"standing\""));
    let value: Value = serde_json::from_str(last.expect("there is one")).expect("a line of JSON");
    value["duel"].clone()
}

/// Kills a match at random moments: `HANXIN_KILLS=50` does it fifty times with
/// 100 games of the program against itself, otherwise it is a few times with
/// quick games.
#[test]
fn a_killed_match_is_resumed() {
    let folder = folder();
    let folder = folder.path();
    let wanted = std::env::var("HANXIN_KILLS").map(|kills| kills.parse().expect("a number"));
    let (kills, arguments) = match wanted {
        Ok(kills) => (kills, own_match(50)),
        Err(_) => (8, quick_match(folder, 20)),
    };
    let files = |name: &str| {
        with(&arguments, &format!("--json --journal {name}.journal --pgnout {name}.pgn"))
    };
    let began = Instant::now();
    let undisturbed = run(folder, &files("whole"));
    let pace = began.elapsed() / kills;
    let arguments = files("killed");
    let mut rng = seeded(20261121, 0);
    let mut killed = 0;
    while killed < kills {
        let mut program = start(folder, &arguments);
        while !folder.join("killed.journal").exists() {
            sleep(Duration::from_millis(1));
        }
        sleep(pace.mul_f64(rng.random_range(0.0..1.5)));
        if let Ok(Some(status)) = program.try_wait() {
            let output = program.wait_with_output().expect("it has ended");
            assert!(status.success(), "after {killed} kills: {}", text(&output.stderr));
            break;
        }
        program.kill().expect("it can be killed");
        program.wait().expect("it has ended");
        killed += 1;
    }
    let resumed = run(folder, &arguments);
    println!("killed {killed} times");
    assert!(killed >= kills.min(3), "the match was hardly disturbed");
    assert_eq!(standing(&resumed), standing(&undisturbed));
    let whole = games(&folder.join("whole.journal"));
    assert!(whole.len() >= 40);
    assert_eq!(games(&folder.join("killed.journal")), whole);
    let pgn = pgn_games(&folder.join("killed.pgn"));
    assert_eq!((pgn.len(), &pgn), (whole.len(), &pgn_games(&folder.join("whole.pgn"))));
}

#[test]
fn parts_make_the_same_match() {
    let folder = folder();
    let folder = folder.path();
    let arguments = quick_match(folder, 6);
    let whole = undisturbed(folder, &arguments);
    let mut parts: Vec<String> = words("merge --out merged.journal").collect();
    for part in 1..=3 {
        let more = format!("--shard {part}/3 --journal {part}.journal");
        assert!(run(folder, &with(&arguments, &more)).status.success());
        parts.push(format!("{part}.journal"));
    }
    let incomplete = run(folder, &parts[..5]);
    assert_eq!(incomplete.status.code(), Some(1));
    assert!(text(&incomplete.stderr).contains("4 games are missing"));
    assert!(run(folder, &parts).status.success());
    assert_eq!(games(&folder.join("merged.journal")), whole);
    // the parts are journals of the same match, so it is over
    let output = run(folder, &with(&arguments, "--journal merged.journal"));
    assert!(text(&output.stdout).contains("The match is over"), "{}", text(&output.stdout));
    parts.push("3.journal".into());
    let overlap = run(folder, &parts);
    assert!(text(&overlap.stderr).contains("4 games are in both"), "{}", text(&overlap.stderr));
}

#[test]
fn a_journal_belongs_to_one_match_and_one_run() {
    let folder = folder();
    let folder = folder.path();
    let arguments = with(&quick_match(folder, 2), "--journal x.journal");
    assert!(run(folder, &arguments).status.success());
    let other = run(folder, &with(&arguments, "--maxmoves 61"));
    assert_eq!(other.status.code(), Some(2), "an option twice is a mistake");
    let other = run(folder, &with(&arguments, "--rules league"));
    let error = text(&other.stderr);
    assert_eq!((other.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    assert!(error.contains("another match") && error.contains("conditions"), "{error}");

    let slow: Vec<String> = engine("mute").into_iter().chain(engine("good")).collect();
    let slow = with(&slow, "--each st=3 --journal slow.journal");
    let mut first = start(folder, &slow);
    while !folder.join("slow.journal").exists() {
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(200));
    let second = run(folder, &slow);
    first.kill().expect("it can be killed");
    first.wait().expect("it has ended");
    assert!(text(&second.stderr).contains("another run"), "{}", text(&second.stderr));
}

#[test]
fn a_program_that_is_newer_than_its_games_is_remarked() {
    let folder = folder();
    let folder = folder.path();
    let engines: Vec<String> = engine("good").into_iter().chain(engine("crlf")).collect();
    let arguments = with(&engines, "--each nodes=1 --maxmoves 4 --journal x.journal");
    let whole = run(folder, &arguments);
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let journal = folder.join("x.journal");
    // without its last game the match goes on
    let take_up = |date: &dyn Fn(&mut Value)| {
        let lines = std::fs::read_to_string(&journal).expect("the journal can be read");
        let mut kept: Vec<String> = lines.lines().take(3).map(String::from).collect();
        let mut game: Value = serde_json::from_str(&kept[2][9..]).expect("a game");
        date(&mut game["started"]);
        let json = game.to_string();
        kept[2] = format!("{:08x} {json}", hanxin::util::crc32(json.as_bytes()));
        std::fs::write(&journal, kept.join("\n") + "\n").expect("the journal can be written");
        let output = run(folder, &arguments);
        assert!(text(&output.stdout).contains("after 1 games"), "{}", text(&output.stdout));
        text(&output.stderr).to_owned()
    };
    assert!(!take_up(&|_| {}).contains("newer"));
    let remarks = take_up(&|started| *started = "2001-01-01T00:00:00Z".into());
    assert_eq!(remarks.matches("newer than games").count(), 2, "{remarks}");
}
