//! UCCI: the test list of its description, and its transcripts.

use super::*;
use crate::protocol::{Dialect, Reply};

/// Nobody can win.
const EVEN: &str = "3akab2/9/4b4/9/9/9/p8/4B4/4A4/2BAK4 w - - 0 1";
const MATED: &str = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1";
const STALEMATED: &str = "3k5/4R4/9/9/9/9/9/9/9/4K4 b - - 0 1";
const MATE_IN_ONE: &str = "3k5/9/9/9/9/9/9/9/4R4/R3K4 w - - 0 1";

fn ucci() -> Talk {
    Talk::open("ucci")
}

#[test]
fn the_handshake_parses() {
    let mut talk = Talk::new(false);
    talk.say("ucci");
    let lines = talk.until("ucciok");
    assert_eq!(lines[0], "id name hanxin");
    assert_eq!(lines.last().unwrap(), "ucciok");
    for name in ["usemillisec", "hashsize", "threads", "usebook", "bookfiles", "batch", "newgame"] {
        let found = lines.iter().any(|line| line.starts_with(&format!("option {name} type ")));
        assert!(found, "{name} of {lines:#?}");
    }
    for line in &lines {
        let reply = Reply::parse(line.as_bytes(), Dialect::UCCI);
        assert!(matches!(reply, Reply::Id { .. } | Reply::Option(_) | Reply::UcciOk), "{line}");
        assert_eq!(reply.to_line(Dialect::UCCI), *line);
    }
}

#[test]
fn the_engine_is_ready_while_it_thinks() {
    let mut talk = ucci();
    talk.say("go infinite");
    talk.expect("info depth");
    talk.say("isready");
    talk.expect("readyok");
    talk.expect("info depth");
    talk.say("stop");
    talk.best_move();
}

#[test]
fn each_stop_has_one_answer() {
    let mut talk = ucci();
    talk.say("go infinite");
    talk.expect("info depth 2");
    talk.say("stop");
    talk.say("stop");
    let lines = talk.until("nobestmove");
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1);
    talk.say("stop");
    assert_eq!(talk.until("nobestmove"), ["nobestmove"]);
}

#[test]
fn quit_ends_a_search_with_its_move_and_a_farewell() {
    let mut talk = ucci();
    talk.say("go infinite");
    talk.expect("info depth 2");
    talk.say("quit");
    assert_eq!(talk.expect("bestmove").split(' ').count(), 4);
    assert_eq!(talk.finish(), ["bye"]);
}

#[test]
fn the_end_of_input_is_a_quit() {
    let mut talk = ucci();
    talk.say("go infinite");
    talk.expect("info depth 2");
    let lines = talk.finish();
    assert_eq!(lines.last().unwrap(), "bye");
    assert_eq!(ucci().finish(), ["bye"]);
}

#[test]
fn depth_zero_is_the_static_value() {
    let mut talk = ucci();
    talk.say("go depth 0");
    let lines = talk.until("nobestmove");
    assert_eq!(lines.len(), 2);
    assert!(number(&lines[0], "score").abs() < 100, "{lines:?}");
    assert!(lines[0].starts_with("info depth 0 score "), "{lines:?}");
}

#[test]
fn banned_moves_are_not_played_until_the_next_position() {
    let mut talk = ucci();
    let search = |talk: &mut Talk| {
        talk.say("setoption newgame");
        talk.say("go depth 6");
        talk.best_move()
    };
    let favourite = search(&mut talk);
    talk.say(&format!("banmoves {favourite}"));
    let second = search(&mut talk);
    assert_ne!(second, favourite);
    talk.say(&format!("banmoves {second}"));
    let third = search(&mut talk);
    assert!(third != favourite && third != second, "bans add up");
    talk.say("position startpos");
    assert_eq!(search(&mut talk), favourite);
    talk.say(&format!("banmoves zzzz {favourite}"));
    assert!(talk.expect("info message").contains("`zzzz`"));
    assert_eq!(search(&mut talk), second, "the others are banned all the same");
}

#[test]
fn a_banned_only_move_is_played_all_the_same() {
    let mut talk = ucci();
    talk.say("position fen 3k5/9/9/9/9/9/9/9/4R4/4K4 b");
    talk.say("banmoves d9d8");
    talk.say("go depth 3");
    assert_eq!(talk.best_move(), "d9d8");
}

#[test]
fn tiny_clocks_are_answered() {
    let mut talk = ucci();
    for go in ["go time 0", "go time 1 movestogo 1", "go time -50 increment 0", "go time 20"] {
        talk.say(go);
        talk.best_move();
    }
    talk.say("setoption usemillisec false");
    talk.say("setoption usebook false");
    let began = Instant::now();
    talk.say("go time 1");
    talk.best_move();
    // a second, not a millisecond, is nearly used up by a single move
    assert!(began.elapsed() > Duration::from_millis(200));
}

#[test]
fn positions_come_in_many_forms() {
    let mut talk = ucci();
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    let other = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";
    for line in [
        format!("position fen {start} w - - 0 1 moves h2e2").into_bytes(),
        format!("position  fen {other} r  moves   h2e2  \r").into_bytes(),
        format!("position\tfen {start} moves H2-E2").into_bytes(),
        [
            format!("position fen {start} w - - 0 4   ;A34.").as_bytes(),
            b"\xc5\xda\xb6\xfe - - 0 1 moves h2e2",
        ]
        .concat(),
        b"position startpos moves h2e2".to_vec(),
    ] {
        talk.say("position startpos");
        talk.say_bytes(&[&line[..], b"\n"].concat());
        talk.say("d");
        let fen = talk.expect("fen:");
        assert!(
            fen.contains("1C2C4/9/RNBAKABNR b - - 1 "),
            "{fen} of {}",
            String::from_utf8_lossy(&line)
        );
        talk.expect("key:");
    }
}

#[test]
fn a_ponder_search_waits_for_its_end() {
    let mut talk = ucci();
    talk.say(&format!("position fen {MATE_IN_ONE}"));
    for limit in ["time 1000", "depth 2", "nodes 10", "time 0"] {
        talk.say(&format!("go ponder {limit}"));
        talk.expect("info depth");
        thread::sleep(Duration::from_millis(30));
        talk.say("isready");
        let lines = talk.until("readyok");
        assert!(lines.iter().all(|line| !line.contains("bestmove")), "{limit}: {lines:#?}");
        talk.say("ponderhit");
        assert_eq!(talk.best_move().len(), 4);
        talk.say(&format!("go ponder {limit}"));
        talk.say("stop");
        talk.best_move();
    }
}

#[test]
fn a_batch_runs_to_its_end() {
    let script = "ucci\nsetoption batch true\nposition startpos\ngo depth 4\n\
                  position startpos moves h2e2\ngo ponder depth 4\nstop\nprobe startpos\ngo depth 3\n";
    let mut talk = Talk::new(false);
    talk.say_bytes(script.as_bytes());
    let lines = talk.finish();
    let ends: Vec<&str> = lines
        .iter()
        .filter(|line| !line.starts_with("info") && !line.starts_with("option"))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(
        ends[3..],
        ["ucciok", "bestmove", "bestmove", "nobestmove", "pophash", "bestmove", "bye"]
    );
}

#[test]
fn endless_searches_end_in_batch_mode() {
    let mut limits = crate::search::Limits { infinite: true, ..Default::default() };
    super::super::translate::limit_for_batch(&mut limits);
    assert!(!limits.infinite && limits.time.is_some());
}

#[test]
fn long_games_fit_into_a_line() {
    let mut talk = ucci();
    let shuffle = ["h0g2", "h9g7", "g2h0", "g7h9"];
    let moves: Vec<&str> = shuffle.into_iter().cycle().take(500).collect();
    talk.say(&format!("position startpos moves {}", moves.join(" ")));
    talk.say("setoption drawmoves 0");
    talk.say("go depth 3");
    assert_ne!(talk.best_move(), "");
}

#[test]
fn what_means_nothing_has_no_answer() {
    let mut talk = ucci();
    for line in [
        "",
        "   ",
        "xyzzy",
        "setoption promotion true",
        "setoption guiname XQWizard",
        "setoption evalapi /nowhere",
        "setoption style risky",
        "ponderhit",
        "# a comment",
        "\0\0",
    ] {
        talk.say(line);
        talk.expect_nothing();
    }
    talk.say_bytes(b"\xff\xfe\x80\n");
    talk.expect_nothing();
    talk.say("setoption debug true");
    talk.say("xyzzy");
    assert!(talk.expect("info message").contains("xyzzy"));
}

#[test]
fn the_game_is_over_for_mated_and_stalemated_sides() {
    let mut talk = ucci();
    for fen in [MATED, STALEMATED] {
        talk.say(&format!("position fen {fen}"));
        for go in ["go depth 5", "go time 1000"] {
            talk.say(go);
            let lines = talk.until("nobestmove");
            assert_eq!(lines, ["info depth 0 score -10000", "nobestmove"]);
        }
        for (go, end) in [("infinite", "stop"), ("ponder time 9", "ponderhit")] {
            talk.say(&format!("go {go}"));
            talk.expect_silence(Duration::from_millis(30));
            talk.say(end);
            talk.expect("nobestmove");
        }
    }
}

#[test]
fn mates_are_plain_numbers_unless_asked_for() {
    let mut talk = ucci();
    talk.say(&format!("position fen {MATE_IN_ONE}"));
    talk.say("go depth 3");
    let lines = talk.until("bestmove");
    assert_eq!(number(&lines[lines.len() - 2], "score"), 9999);
    talk.say("setoption matescores true");
    talk.say("go depth 3");
    assert_eq!(number(&talk.expect("info depth"), "mate"), 1);
}

#[test]
fn an_offered_draw_is_accepted_only_on_request() {
    let mut talk = ucci();
    talk.say(&format!("position fen {EVEN}"));
    talk.say("go draw depth 4");
    assert!(!talk.expect("bestmove").contains("draw"));
    talk.say("setoption offerdraws true");
    talk.say("go draw depth 4");
    assert!(talk.expect("bestmove").ends_with(" draw"));
    talk.say("go depth 4");
    assert!(!talk.expect("bestmove").contains("draw"));
    talk.say("go ponder depth 4");
    talk.say("ponderhit draw");
    assert!(talk.expect("bestmove").ends_with(" draw"));
}

#[test]
fn a_lasting_loss_is_resigned_on_request() {
    let lost = "3k5/9/9/9/9/9/9/9/9/R1R1K4 b - - 0 1";
    let mut talk = ucci();
    talk.say("setoption resign true");
    talk.say(&format!("position fen {lost}"));
    let mut last = String::new();
    for _ in 0..4 {
        assert!(!last.contains("resign"));
        talk.say("go depth 5");
        last = talk.expect("bestmove");
    }
    assert!(last.ends_with(" resign"), "{last}");
}

#[test]
fn the_hash_table_is_probed() {
    let mut talk = ucci();
    talk.say("probe startpos");
    assert_eq!(talk.expect("pophash"), "pophash");
    talk.say("go depth 6");
    let best = talk.best_move();
    talk.say("probe startpos");
    let line = talk.expect("pophash");
    assert!(line.starts_with(&format!("pophash bestmove {best} ")), "{line}");
    assert!(number(&line, "depth") >= 5, "{line}");
    talk.say("go infinite");
    talk.say("probe startpos");
    talk.expect("pophash bestmove");
    talk.say("probe fen 4k4/9 w");
    assert!(talk.expect("info message").contains("2 ranks"));
    talk.say("stop");
    talk.best_move();
}

#[test]
fn commands_that_have_to_wait_are_ignored() {
    let mut talk = ucci();
    talk.say("go infinite");
    talk.say("position startpos moves h2e2");
    talk.say("setoption hashsize 1");
    talk.say("go depth 1");
    talk.expect("info message `go depth 1` ignored while thinking");
    talk.say("stop");
    talk.best_move();
    talk.say("d");
    assert!(talk.expect("fen:").ends_with("RNBAKABNR w - - 0 1"));
}

#[test]
fn the_next_search_may_follow_a_stop_at_once() {
    let mut talk = ucci();
    for _ in 0..20 {
        talk.say("go infinite");
        talk.say("stop");
        talk.say("position startpos moves h2e2");
        talk.say("go depth 1");
        talk.best_move();
        let reply = talk.best_move();
        assert!(reply.as_bytes()[1] > b'4', "{reply} is Black's");
    }
}

#[test]
fn faults_are_named_and_change_nothing() {
    let mut talk = ucci();
    talk.say("position startpos moves h2e2");
    talk.say("banmoves h9g7");
    for (line, told) in [
        ("position fen 9/9/9/9/9/9/9/9/9/4K4 w", "king missing"),
        ("position fen 4k4/9/9/9/9/9/9/9/9/4K4 w", "face each other"),
        ("position fen 4k4/9/9/9/4R4/9/9/9/9/3K5 w", "in check"),
        ("position fen 4k4/9/9/9/9/9/9/9/9/9/3K5 w", "11 ranks"),
        ("position fen 4k4/9/2B6/9/9/9/9/9/9/3K5 w", "cannot stand on c7"),
        ("position", "startpos"),
        ("banmoves h9", "h9"),
        ("setoption hashsize 30000000", "MB"),
        ("setoption hashsize -1", "-1"),
        ("setoption multipv many", "many"),
        ("setoption bookfiles no such.dat", "no such.dat"),
        ("setoption logfile /no/such/folder/log", "/no/such/folder/log"),
    ] {
        talk.say(line);
        let answer = talk.expect("info message ");
        assert!(answer.contains(told), "{line}: {answer}");
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("late").join("log");
    talk.say(&format!("setoption logfile {}", log.display()));
    talk.expect("info message no log");
    std::fs::create_dir(folder.path().join("late")).unwrap();
    talk.say(&format!("setoption logfile {}", log.display()));
    talk.say("d");
    assert!(talk.expect("fen:").contains("1C2C4/9/RNBAKABNR b"));
    assert!(log.exists(), "what could not be opened is tried again");
    talk.expect("key:");
    talk.say("setoption debug true");
    talk.expect_nothing();
}

#[test]
fn ranks_count_from_zero_whatever_a_move_list_shows() {
    let mut talk = ucci();
    for (line, go) in [
        ("banmoves h10h9", "go depth 2 searchmoves h2e2"),
        ("position startpos", "go depth 2 searchmoves b10c8 h2e2"),
    ] {
        talk.say("position startpos");
        talk.say(line);
        talk.say(go);
        assert!(talk.expect("bestmove").starts_with("bestmove h2e2"), "{line}, {go}");
    }
}

#[test]
fn the_moves_before_an_illegal_one_count() {
    let mut talk = ucci();
    for (moves, told) in [
        ("h2e2 h9h5 h0g2", "move 2 (h9h5) is illegal"),
        ("h2e2 xyz h9g7", "`xyz`"),
        ("h2e2 h9h9", "`h9h9`"),
    ] {
        talk.say("position startpos");
        talk.say(&format!("position startpos moves {moves}"));
        let answer = talk.expect("info message ");
        assert!(answer.contains(told) && answer.contains("position before it kept"), "{answer}");
        assert!(!answer.contains("previous position kept"), "{answer}");
        talk.say("d");
        assert!(talk.expect("fen:").contains("1C2C4/9/RNBAKABNR b"));
        talk.expect("key:");
        talk.say(&format!("probe startpos moves {moves}"));
        assert!(talk.expect("info message ").contains(&told[told.len() - 5..]));
    }
}

#[test]
fn book_moves_are_told_and_played() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/book.dat");
    let mut talk = ucci();
    talk.say(&format!("setoption bookfiles {book}"));
    talk.say("setoption bookbest true");
    talk.say("go time 100000");
    let lines = talk.until("bestmove");
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], "info depth 0 score 556 pv b0c2");
    assert!(lines[4].starts_with("bestmove b0c2 ponder "), "{}", lines[4]);
    talk.say("banmoves b0c2");
    talk.say("go depth 1");
    assert_eq!(talk.best_move(), "h0g2");
    talk.say("setoption usebook false");
    talk.say("go depth 3");
    talk.expect("info depth 3");
    talk.best_move();
    talk.say("setoption usebook true");
    talk.say("go infinite");
    talk.expect("info depth 3");
    talk.say("stop");
    talk.best_move();
}

#[test]
fn a_seed_makes_random_choices_the_same() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/book.dat");
    let play = |seed: u32| {
        let mut talk = ucci();
        talk.say(&format!("setoption bookfiles {book}"));
        talk.say(&format!("setoption seed {seed}"));
        let moves: Vec<String> = (0..10)
            .map(|_| {
                talk.say("go depth 1");
                talk.best_move()
            })
            .collect();
        talk.say("setoption usebook false");
        talk.say("setoption randomness huge");
        talk.say("go depth 5");
        (moves, talk.best_move())
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1).0, play(2).0);
}
