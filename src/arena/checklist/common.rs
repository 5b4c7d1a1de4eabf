//! What is asked of engines in both protocols.

use std::thread::sleep;
use std::time::Duration;

use super::Point;
use super::probe::{AT_ONCE, Complaint, PATIENCE, Probe, SLACK, depth, ensure, position_after};
use crate::board::Position;
use crate::protocol::{Clock, Clocks, Command, Go, Reply};

pub const POINTS: &[Point] = &[
    ("`isready` is answered at once while it thinks", ready_while_thinking),
    ("`stop` ends a search at once, with one legal move", stops),
    ("`go infinite` lasts until `stop`, even with a mate in one", infinite),
    ("`go ponder` lasts until `ponderhit` or `stop`", ponders),
    ("`quit` ends it at once while it thinks", quits),
    ("the end of its input ends it", |probe| probe.close_input(Duration::from_secs(2))),
    ("`go depth` and `go nodes` end by themselves", fixed_searches),
    ("a clock with almost no time left is kept", tiny_clock),
    ("a position with 500 moves is understood", long_game),
    ("unknown commands and options and empty lines do no harm", unknown),
    ("carriage returns, tabs and double blanks do no harm", blanks),
    ("an impossible position neither ends nor confuses it", bad_position),
    ("nothing is written to the standard error", no_errors),
];

/// A position with a mate in one for Red: rook a8 to a9 beside rook b8.
pub const MATE_IN_ONE: &str = "3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 0 1";
/// How long a search is left alone before something is asked.
const WHILE: Duration = Duration::from_millis(200);

fn search_on(probe: &mut Probe<'_>) {
    probe.search(&Position::startpos(), Go { infinite: true, ..Go::default() });
    sleep(WHILE);
}

fn ready_while_thinking(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    search_on(probe);
    probe.ready(AT_ONCE + SLACK)?;
    probe.keeps_searching(Duration::from_millis(100))
}

fn stops(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    search_on(probe);
    probe.send(&Command::Stop);
    probe.best(AT_ONCE + SLACK, &Position::startpos())?;
    ensure(probe.end(WHILE).is_err(), || "a second answer to one search".into())
}

fn infinite(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    waits_for_stop(probe, Go { infinite: true, ..Go::default() })
}

fn ponders(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let clocks = Some(clocks(probe, 2000));
    waits_for_stop(probe, Go { ponder: true, clocks, ..Go::default() })
}

/// Clocks of both sides with so many milliseconds.
fn clocks(probe: &Probe<'_>, time: u64) -> Clocks {
    let own = Clock { time, increment: 0, moves_to_go: None };
    match probe.dialect.is_ucci() {
        true => Clocks::ByTurn { own, opponent: Some(own) },
        false => Clocks::BySide { red: Some(own), black: Some(own) },
    }
}

fn waits_for_stop(probe: &mut Probe<'_>, go: Go) -> Result<(), Complaint> {
    let position = Position::from_fen(MATE_IN_ONE)?;
    probe.search(&position, go);
    probe.keeps_searching(Duration::from_millis(800))?;
    probe.send(&Command::Stop);
    probe.best(AT_ONCE + SLACK, &position).map(|_| ())
}

fn quits(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    search_on(probe);
    probe.send(&Command::Quit);
    if probe.dialect.is_ucci() {
        probe.wait_for(WHILE + SLACK, "bye", |reply, _| *reply == Reply::Bye)?;
    }
    probe.ends(WHILE + SLACK)
}

fn fixed_searches(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    for go in [depth(3), Go { nodes: Some(2000), ..Go::default() }] {
        probe.plays(&Position::startpos(), go)?;
    }
    Ok(())
}

fn tiny_clock(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    for time in [1, 20, 100] {
        let clocks = Some(clocks(probe, time));
        probe.search(&position, Go { clocks, ..Go::default() });
        let found = probe.best(Duration::from_millis(time) + SLACK, &position);
        found.map_err(|fault| Complaint::Wrong(format!("with {time} ms left: {fault}")))?;
    }
    Ok(())
}

fn long_game(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let mut line = String::from("position startpos moves");
    // both sides move a rook to and fro; nobody is bothered by repetitions
    let round = ["a0a1", "a9a8", "a1a0", "a8a9"];
    let ranks = probe.dialect.ranks;
    for m in round.iter().cycle().take(500).filter_map(|text| text.parse().ok()) {
        line += &format!(" {}", ranks.spell(m));
    }
    probe.write(&line);
    probe.ready(PATIENCE)?;
    probe.send(&Command::Go(depth(2)));
    // an engine may hold such a game for drawn, but it must say something
    probe.end(PATIENCE).map(|_| ())
}

fn unknown(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    for line in ["", "  ", "xyzzy", "setoption nosuchoption 3", "setoption name No Such value 3"] {
        probe.write(line);
    }
    still_plays(probe)
}

fn blanks(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let ranks = probe.dialect.ranks;
    let moves = ["h2e2", "h9g7"];
    let spelt: Vec<String> = moves
        .iter()
        .filter_map(|text| text.parse().ok())
        .map(|m| ranks.spell(m).to_string())
        .collect();
    probe.write(&format!("position  startpos \t moves {}\r", spelt.join("   ")));
    probe.write("go  depth\t2\r");
    probe.best(PATIENCE, &position_after(&moves)).map(|_| ())
}

fn bad_position(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.write("position fen 9/9/9/9/9/9/9/9/9/9 w - - 0 1");
    probe.write("position fen rubbish");
    probe.write("position startpos moves z9z9");
    still_plays(probe)
}

fn still_plays(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.ready(PATIENCE)?;
    probe.plays(&Position::startpos(), depth(2)).map(|_| ())
}

fn no_errors(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    still_plays(probe)?;
    probe.send(&Command::Quit);
    // what it says until its end does not matter
    let _ = probe.wait_for(Duration::from_secs(1), "its end", |_, _| false);
    let words = probe.error_tail();
    ensure(words.is_empty(), || format!("it wrote: {words}"))
}
