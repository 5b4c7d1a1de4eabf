//! Whatever is said, the engine lives, keeps a possible position, and answers.

use proptest::prelude::*;

use super::*;

/// Words that mean something, so that garbage gets past the first look.
fn words() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "ucci",
        "uci",
        "isready",
        "setoption",
        "name",
        "value",
        "position",
        "fen",
        "startpos",
        "moves",
        "banmoves",
        "go",
        "ponder",
        "draw",
        "depth",
        "nodes",
        "time",
        "increment",
        "movestogo",
        "infinite",
        "mate",
        "perft",
        "searchmoves",
        "wtime",
        "btime",
        "movetime",
        "ponderhit",
        "stop",
        "probe",
        "newgame",
        "d",
        "eval",
        "flip",
        "debug",
        "moves",
        "help",
        "Hash",
        "hashsize",
        "MultiPV",
        "usemillisec",
        "randomness",
        "huge",
        "true",
        "false",
        "Skill",
        "Level",
        "h2e2",
        "h9g7",
        "b0c2",
        "a0a1",
        "i10i9",
        "e0e0",
        "h3e3",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR",
        "4k4/9/9/9/9/9/9/9/4R4/3K5",
        "w",
        "b",
        "r",
        "-",
        "0",
        "1",
        "2",
        "3",
        "-1",
        "99999999999999999999",
    ])
    .prop_map(str::to_owned);
    prop_oneof![8 => known, 1 => "\\PC{0,12}", 1 => "[a-i][0-9][a-i][0-9]"]
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let sentence =
        prop::collection::vec(words(), 0..8).prop_map(|words| words.join(" ").into_bytes());
    let bytes = prop::collection::vec(any::<u8>(), 0..60);
    prop_oneof![6 => sentence, 1 => bytes].prop_map(|mut line| {
        line.retain(|&byte| byte != b'\n');
        line
    })
}

/// A few conversations, or as many as `PROPTEST_CASES` says.
fn config() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    if asked { ProptestConfig::default() } else { ProptestConfig::with_cases(48) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn sessions_survive_any_lines(lines in prop::collection::vec(line(), 0..40), opener in 0..3usize) {
        let mut talk = Talk::new(false);
        talk.say(["ucci", "uci", ""][opener]);
        for line in &lines {
            talk.say_bytes(&[line, &b"\n"[..]].concat());
        }
        // in batch mode lines wait for the search: let nothing be endless
        talk.say("stop");
        talk.say("position startpos");
        talk.say("isready");
        talk.expect("readyok");
        talk.finish();
    }
}

#[test]
fn huge_lines_do_no_harm() {
    let mut talk = Talk::open("uci");
    for part in ["x", "position startpos moves h2e2 ", "setoption name Hash value 9", "go depth 9"]
    {
        talk.say(&part.repeat(1_000_000 / part.len()));
        talk.say("isready");
        talk.expect("readyok");
    }
    talk.say_bytes(&[0; 1_000_000]);
    talk.say("");
    talk.say_bytes(b"isready\r\n");
    talk.expect("readyok");
}
