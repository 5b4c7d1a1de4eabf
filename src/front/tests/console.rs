//! The console for people.

use super::*;

#[test]
fn a_person_is_greeted_and_helped() {
    let mut talk = Talk::new(true);
    assert!(talk.next_line(PATIENCE).unwrap().contains("`help`"));
    talk.say("help");
    talk.expect("  setoption");
    talk.expect("  Threads");
    talk.say("hlep");
    assert!(talk.expect("info string unknown command").contains("`hlep`"));
}

#[test]
fn a_program_is_not_greeted() {
    let mut talk = Talk::new(false);
    talk.expect_silence(Duration::from_millis(50));
    talk.say("nonsense");
    talk.expect_nothing();
}

#[test]
fn everything_works_before_an_opener() {
    let mut talk = Talk::new(true);
    talk.say("position startpos moves h2e2");
    talk.say("d");
    assert!(talk.expect("2  ").contains("[炮]"));
    assert!(talk.expect("to move").contains("Black"));
    talk.say("setoption name Pieces value latin");
    talk.say("d");
    assert!(talk.expect("2  ").contains("[C]"));
    talk.say("moves");
    talk.expect("45 legal moves");
    assert!(talk.until("e9e8").concat().contains("h9g7 马８进７"));
}

#[test]
fn positions_explain_themselves() {
    let mut talk = Talk::new(true);
    talk.say("position fen 3k5/3R5/3R5/9/9/9/9/9/9/4K4 b");
    talk.say("d");
    assert!(talk.expect("to move").contains("in check"));
    assert!(talk.expect("over").contains("Red wins by checkmate"));
    talk.expect("key");
    talk.say("position startpos moves h2e2");
    talk.say("flip");
    talk.say("d");
    assert!(talk.expect("fen").contains(" w "));
    talk.say("eval");
    talk.expect("evaluation: ");
    talk.say("setoption name EvalFile value /no/such.nnue");
    assert!(talk.expect("info string net").contains("no such file"));
    talk.say("bench 2");
    assert!(talk.expect("31 ").contains("nodes"));
    assert!(talk.next_line(PATIENCE).unwrap().ends_with(" nps"));
    talk.say("bench 60");
    talk.say("stop");
    talk.expect("info string stopped");
}

#[test]
fn lines_behind_a_book_move_find_the_search_at_its_end() {
    let mut talk = Talk::new(true);
    talk.expect("hanxin");
    for _ in 0..30 {
        talk.say("go movetime 1000\nmoves");
        let lines = talk.until("44 legal moves");
        assert!(!lines.concat().contains("ignored"), "{lines:#?}");
    }
}

#[test]
fn who_ends_the_input_too_early_is_told_how_to_wait() {
    let mut talk = Talk::new(false);
    talk.say("perft 20");
    let lines = talk.finish();
    assert!(lines.concat().contains("setoption name Batch value true"), "{lines:#?}");
    let mut talk = Talk::new(false);
    talk.say("setoption name Batch value true");
    talk.say("perft 4\nperft 1");
    let lines = talk.finish();
    let totals: Vec<_> = lines.iter().filter(|line| line.starts_with("Nodes searched")).collect();
    assert_eq!(totals, ["Nodes searched: 3290240", "Nodes searched: 44"]);
}
