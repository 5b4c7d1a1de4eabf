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
