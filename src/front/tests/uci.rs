//! UCI: handshake, its Cyclone form, both numberings of ranks, its extras.

use super::*;
use crate::board::Position;
use crate::protocol::{Dialect, Ranks, Reply};

fn uci() -> Talk {
    Talk::open("uci")
}

#[test]
fn the_handshake_parses_and_may_be_repeated() {
    let mut talk = uci();
    talk.say("uci");
    let lines = talk.until("uciok");
    assert!(lines[0].starts_with("id name hanxin "));
    for option in ["Threads", "Hash", "Clear Hash", "Ponder", "MultiPV", "UCI_Variant"] {
        let found =
            lines.iter().any(|line| line.starts_with(&format!("option name {option} type ")));
        assert!(found, "{option}");
    }
    for line in &lines {
        let reply = Reply::parse(line.as_bytes(), Dialect::UCI);
        assert_eq!(reply.to_line(Dialect::UCI), *line);
        assert!(!matches!(reply, Reply::Other(_)), "{line}");
    }
}

#[test]
fn other_openers_are_passed_over() {
    let mut talk = Talk::new(false);
    talk.say("xboard");
    talk.say("protover 2");
    talk.say("uci");
    assert!(talk.until("uciok")[0].starts_with("id name"));
    talk.say("ucci");
    talk.expect("ucciok");
    talk.say("stop");
    talk.expect("nobestmove");
}

#[test]
fn a_search_is_told_in_full() {
    let mut talk = uci();
    talk.say("setoption name MultiPV value 2");
    talk.say("setoption name UCI_ShowWDL value true");
    talk.say("ucinewgame");
    talk.say("position startpos moves h2e2 h9g7");
    talk.say("go depth 6");
    let lines = talk.until("bestmove");
    let [.., first, second, best] = &lines[..] else { panic!("{lines:#?}") };
    for (line, rank) in [(first, 1), (second, 2)] {
        assert_eq!(number(line, "multipv"), rank);
        assert_eq!(number(line, "depth"), 6);
        let start =
            format!("info depth 6 seldepth {} multipv {rank} score cp ", number(line, "seldepth"));
        assert!(
            line.starts_with(&start) && line.contains(" wdl ") && line.contains(" pv "),
            "{line}"
        );
    }
    assert!(number(first, "cp") >= number(second, "cp"));
    let expected = first.split(" pv ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(best.starts_with(&format!("bestmove {expected}")), "{best}");
}

#[test]
fn stop_while_idle_has_no_answer() {
    let mut talk = uci();
    talk.say("stop");
    talk.say("ponderhit");
    talk.expect_nothing();
}

#[test]
fn quit_says_no_farewell() {
    let mut talk = uci();
    talk.say("go infinite");
    talk.expect("info depth 2");
    talk.say("quit");
    talk.best_move();
    assert!(talk.finish().is_empty());
}

#[test]
fn infinite_waits_for_a_stop_even_with_a_mate() {
    let mut talk = uci();
    talk.say("position fen 3k5/9/9/9/9/9/9/9/4R4/R3K4 w");
    talk.say("go infinite depth 2 nodes 50 movetime 1");
    talk.expect("info depth 1");
    thread::sleep(Duration::from_millis(50));
    talk.say("isready");
    let lines = talk.until("readyok");
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{lines:#?}");
    talk.say("stop");
    talk.best_move();
}

#[test]
fn clocks_belong_to_sides() {
    let mut talk = uci();
    talk.say("position startpos moves h2e2");
    talk.say("go wtime 1 btime 600 winc 0 binc 0 movestogo 1");
    talk.best_move();
    let began = Instant::now();
    talk.say("position startpos");
    talk.say("go wtime 20 btime 600000 winc 0 binc 0");
    talk.best_move();
    assert!(began.elapsed() < Duration::from_secs(10), "Black's clock was taken for Red's");
}

#[test]
fn limits_are_kept() {
    let mut talk = uci();
    talk.say("go nodes 5000");
    let lines = talk.until("bestmove");
    assert!(
        lines
            .iter()
            .filter(|line| line.contains(" nodes "))
            .all(|line| number(line, "nodes") <= 5000)
    );
    talk.say("go depth 4 searchmoves a0a1 i0i1");
    assert!(["a0a1", "i0i1"].contains(&talk.best_move().as_str()));
    talk.say("position fen 3k5/9/9/9/9/9/9/9/4R4/R3K4 w");
    talk.say("go mate 1");
    let lines = talk.until("bestmove");
    assert!(lines[lines.len() - 2].contains(" score mate 1 "), "{lines:#?}");
    talk.say("position startpos");
    talk.say("go depth 0");
    talk.best_move();
}

#[test]
fn a_lost_game_has_no_move() {
    let mut talk = uci();
    talk.say("position fen 3k5/3R5/3R5/9/9/9/9/9/9/4K4 b");
    talk.say("go depth 3");
    assert_eq!(talk.until("bestmove"), ["info depth 0 score mate 0", "bestmove (none)"]);
    for (go, end) in [("infinite", "stop"), ("ponder depth 3", "ponderhit"), ("ponder", "stop")] {
        talk.say(&format!("go {go}"));
        talk.say("isready");
        let lines = talk.until("readyok");
        talk.expect_silence(Duration::from_millis(30));
        assert!(lines.iter().all(|line| !line.contains("bestmove")), "{go}: {lines:#?}");
        talk.say(end);
        talk.expect("bestmove (none)");
    }
}

#[test]
fn a_forced_move_is_played_quickly() {
    let mut talk = uci();
    // no table tells it, no mate ends it
    talk.say("position fen 1nb2a1nr/rC1ka2c1/4b4/p1p3p1p/4p3c/PCP1P2R1/6P1P/9/3R5/1NBAKABN1 b");
    let began = Instant::now();
    for limit in ["movetime 20000", "wtime 2000000 btime 2000000"] {
        talk.say(&format!("go {limit}"));
        assert_eq!(talk.best_move(), "e8d7");
    }
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn paths_are_counted() {
    let mut talk = uci();
    talk.say("go perft 3");
    let lines = talk.until("Nodes searched");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 79666");
    assert_eq!(lines.len(), 46);
    assert!(lines.iter().take(44).all(|line| line.contains(": ")));
    talk.say("go perft 30");
    talk.say("isready");
    talk.expect("readyok");
    talk.say("stop");
    talk.expect("info string stopped");
    talk.say("perft 4294967295");
    assert!(talk.expect("info string").contains("at most"));
    talk.say("perft x");
    assert!(talk.expect("info string").contains("not a number"));
    // a search that waits is stopped with the job before it
    talk.say("go perft 30");
    talk.say("position startpos");
    talk.say("go infinite");
    talk.say("stop");
    talk.expect("info string stopped");
    talk.best_move();
    // what a script says next waits for the count, in batch mode `quit` too
    talk.say("setoption name Batch value true");
    talk.say("go perft 4");
    talk.say("position startpos moves h2e2");
    talk.say("go perft 1");
    talk.say("quit");
    talk.expect("Nodes searched: 3290240");
    talk.expect("Nodes searched: ");
    talk.finish();
}

#[test]
fn ranks_from_one_are_answered_in_kind() {
    let mut talk = uci();
    talk.say("position startpos moves h3e3 h10g8");
    talk.say("go depth 3");
    let lines = talk.until("bestmove");
    let line = lines.iter().rev().find(|line| line.contains(" pv ")).unwrap();
    let mut position = Position::startpos();
    let pv = line.split_once(" pv ").unwrap().1;
    for word in ["h3e3", "h10g8"].into_iter().chain(pv.split(' ')) {
        let m = Ranks::One.parse(word).unwrap();
        assert!(position.is_legal(m), "{word} in {line}");
        position.make(m);
    }
    talk.say("go perft 1");
    let lines = talk.until("Nodes searched");
    assert!(lines.iter().any(|line| line == "a1a2: 1"), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("a0a1")), "{lines:#?}");
    talk.say("go depth 1 searchmoves b1c9");
    assert!(talk.expect("info string").contains("searchmoves: b1c9 is not"));
    talk.expect("bestmove");
    talk.say("position startpos moves h3e3 h10g8 b1b5");
    let told = talk.expect("info string");
    assert!(told.contains("move 3 (b1b5) is illegal"), "{told}");
    talk.say("position startpos moves h2e2 b9c7 b0c2");
    talk.say("go perft 1");
    assert!(talk.until("Nodes searched").iter().any(|line| line == "a9a8: 1"));
}

#[test]
fn who_sets_the_variant_may_count_from_one() {
    let line = "position startpos moves h3e3";
    let mut talk = uci();
    talk.say(line);
    assert!(talk.expect("info string").contains("h3e3"));
    talk.say("setoption name UCI_Variant value xiangqi");
    talk.say(line);
    talk.expect_nothing();
    talk.say("go perft 1");
    assert!(talk.until("Nodes searched").iter().any(|line| line == "a10a9: 1"));
}

#[test]
fn the_numbering_of_ranks_can_be_set() {
    let mut talk = uci();
    talk.say("setoption name OwnBook value false");
    talk.say("setoption name UCI_Variant value xiangqi");
    talk.say("setoption name Ranks value 1-10");
    // nothing shows it yet
    talk.say("position startpos");
    talk.say("go depth 2 searchmoves h3e3");
    assert!(talk.expect("bestmove").starts_with("bestmove h3e3"));
    // and in what is said of books and moves
    talk.say("setoption name OwnBook value true");
    talk.say("go movetime 1000");
    let said = talk.until("bestmove");
    let played = said.last().unwrap().split(' ').nth(1).unwrap();
    let book = format!("info string book {played} ");
    assert!(said.iter().any(|line| line.starts_with(&book)), "{said:#?}");
    talk.say("setoption name OwnBook value false");
    for (command, row) in [("moves", "h1g3 "), ("book", "h3e3 ")] {
        talk.say(command);
        talk.say("isready");
        assert!(talk.until("readyok").iter().any(|line| line.contains(row)), "{command}");
    }
    // legal either way, each time another rook
    let fen = "position fen 3k5/9/9/9/9/9/9/4R4/4R4/3AK4 w moves e2d2";
    for (ranks, board) in [("1-10", "4R4/3R5"), ("0-9", "3R5/4R4"), ("auto", "3R5/4R4")] {
        talk.say(&format!("setoption name Ranks value {ranks}"));
        talk.say(fen);
        talk.say("d");
        assert!(talk.expect("fen:").contains(board), "{ranks}");
        talk.expect("key:");
    }
    talk.say("setoption name Ranks value 0-9");
    for line in ["position startpos moves h3e3", "position startpos moves h10g8"] {
        talk.say(line);
        talk.expect("info string");
    }
    talk.say("position startpos");
    talk.say("go depth 2 searchmoves h2e2");
    assert!(talk.expect("bestmove").starts_with("bestmove h2e2"));
}

#[test]
fn the_cyclone_form_is_understood() {
    for opener in ["uci", "ucicyclone"] {
        let mut talk = Talk::open(opener);
        talk.say("newgame");
        talk.say("fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r moves h2e2");
        talk.say("d");
        assert!(talk.expect("fen:").contains(" b - - 1 "));
        talk.say("startpos moves b0c2");
        talk.say("d");
        assert!(talk.expect("fen:").contains("R1BAKABNR b"));
    }
}

#[test]
fn faults_are_told_as_strings() {
    let mut talk = uci();
    talk.say("position fen 4k4/9/9/9/9/9/9/9/9/9 w");
    let told = talk.expect("info string");
    assert_eq!(told, "info string position rejected: red king missing (previous position kept)");
    for line in ["position startpos moves h2e2 zzzz", "startpos moves 0000", "position"] {
        talk.say(line);
        let told = talk.expect("info string");
        assert!(told.starts_with("info string position rejected: ") && told.ends_with(" kept)"));
    }
    talk.say("go infinite");
    talk.say("setoption name Hash value 32");
    assert!(talk.expect("info string").contains("ignored while thinking"));
    talk.say("stop");
    talk.best_move();
}

#[test]
fn whoever_says_go_gets_a_move() {
    for opener in ["uci", "ucci"] {
        let mut talk = Talk::open(opener);
        for (go, told) in [
            ("go movetime soon", "`soon`"),
            ("go depth abc", "`abc`"),
            ("go wtime NaN btime 1000 winc 0 binc 0", "`NaN`"),
            ("go time", "time needs a value"),
            ("go depth 3 nodes -x mate", "`-x`"),
            ("go depth 3 searchmoves a3a5", "a3a5 is not legal"),
            ("go searchmoves xyz a0a1 depth 2", "`xyz`"),
        ] {
            talk.say(go);
            let lines = talk.until("bestmove ");
            assert!(lines[0].contains(told), "{go}: {lines:#?}");
            assert!(go.contains("depth 2") == lines.last().unwrap().contains(" a0a1"), "{go}");
        }
        talk.say("go quickly");
        talk.best_move();
        talk.say("go ponder wtime NaN");
        assert!(talk.expect("info ").contains("NaN"));
        talk.say("ponderhit");
        talk.best_move();
    }
}

#[test]
fn weak_play_is_quick() {
    let mut talk = uci();
    talk.say("setoption name UCI_LimitStrength value true");
    for elo in [600, 1500, 2400] {
        talk.say(&format!("setoption name UCI_Elo value {elo}"));
        let began = Instant::now();
        talk.say("go movetime 20000");
        let lines = talk.until("bestmove");
        assert!(began.elapsed() < Duration::from_secs(10));
        assert!(lines.iter().all(|line| !line.contains("multipv 2")), "{lines:#?}");
    }
}

#[test]
fn the_constants_of_the_search_have_names() {
    let mut talk = uci();
    talk.say("setoption name rfp_margin value 90");
    talk.say("debug on");
    talk.say("setoption name lmr_base value 900");
    talk.expect_nothing();
    talk.say("setoption name no_such_constant value 1");
    let told = talk.expect("info string");
    assert!(
        told.ends_with("unknown option `no_such_constant` ignored; `help` lists what there is")
    );
}

#[test]
fn book_moves_and_the_name_of_the_opening_are_told() {
    let mut talk = uci();
    talk.say(concat!(
        "setoption name BookFile value ",
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/book.dat"
    ));
    talk.say("position startpos moves b0c2");
    talk.say("go depth 3");
    let lines = talk.until("bestmove");
    assert!(
        lines[0].starts_with("info string opening: ") && lines[0].ends_with("马局"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("info string book ") && lines[1].contains(" weight "),
        "{lines:?}"
    );
}
