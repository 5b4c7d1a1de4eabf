//! What is asked of engines in both protocols.

use std::time::Duration;

use super::super::engine::Silence;
use super::Point;
use super::probe::{Complaint, PATIENCE, Probe, SLACK};
use crate::board::Position;
use crate::protocol::{Clock, Clocks, Command, Go, Reply};

/// The points, in the order in which they are shown.
pub const POINTS: &[Point] = &[
    Point { text: "`isready` is answered at once while it thinks", check: ready_while_thinking },
    Point { text: "`stop` ends a search at once, with one legal move", check: stops },
    Point { text: "`go infinite` lasts until `stop`, even with a mate in one", check: infinite },
    Point { text: "`go ponder` lasts until `ponderhit` or `stop`", check: ponders },
    Point { text: "`quit` ends it at once while it thinks", check: quits },
    Point { text: "the end of its input ends it", check: end_of_input },
    Point { text: "`go depth` and `go nodes` end by themselves", check: fixed_searches },
    Point { text: "a clock with almost no time left is kept", check: tiny_clock },
    Point { text: "a position with 500 moves is understood", check: long_game },
    Point { text: "unknown commands and options and empty lines do no harm", check: unknown },
    Point { text: "carriage returns, tabs and double blanks do no harm", check: blanks },
    Point { text: "an impossible position neither ends nor confuses it", check: bad_position },
    Point { text: "nothing is written to the standard error", check: no_errors },
];

/// A position with a mate in one for Red: rook a8 to a9 beside rook b8.
pub const MATE_IN_ONE: &str = "3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 0 1";

fn infinite_go() -> Go {
    Go { infinite: true, ..Go::default() }
}

fn ready_while_thinking(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.set_up(&Position::startpos());
    probe.go(infinite_go());
    std::thread::sleep(Duration::from_millis(200));
    probe.ready(Duration::from_millis(50) + SLACK)?;
    probe.thinks_for(Duration::from_millis(100))
}

fn stops(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    probe.set_up(&position);
    probe.go(infinite_go());
    std::thread::sleep(Duration::from_millis(200));
    probe.tell(&Command::Stop);
    probe.best(Duration::from_millis(50) + SLACK, &position)?;
    match probe.end(Duration::from_millis(200)) {
        Ok(_) => Err("a second answer to one search".into()),
        Err(_) => Ok(()),
    }
}

fn infinite(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    waits_for_stop(probe, infinite_go())
}

fn ponders(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let own = Clock { time: 2000, increment: 0, moves_to_go: None };
    let clocks = clocks(probe, own);
    waits_for_stop(probe, Go { ponder: true, clocks: Some(clocks), ..Go::default() })
}

fn clocks(probe: &Probe<'_>, own: Clock) -> Clocks {
    match probe.dialect.is_ucci() {
        true => Clocks::ByTurn { own, opponent: Some(own) },
        false => Clocks::BySide { red: Some(own), black: Some(own) },
    }
}

fn waits_for_stop(probe: &mut Probe<'_>, go: Go) -> Result<(), Complaint> {
    let position = Position::from_fen(MATE_IN_ONE).map_err(|fault| fault.to_string())?;
    probe.set_up(&position);
    probe.go(go);
    probe.thinks_for(Duration::from_millis(800))?;
    probe.tell(&Command::Stop);
    probe.best(Duration::from_millis(50) + SLACK, &position).map(|_| ())
}

fn quits(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.set_up(&Position::startpos());
    probe.go(infinite_go());
    std::thread::sleep(Duration::from_millis(200));
    probe.tell(&Command::Quit);
    if probe.dialect.is_ucci() {
        let is_bye = |reply: &Reply| matches!(reply, Reply::Bye);
        probe.expect(Duration::from_millis(200) + SLACK, "bye", is_bye)?;
    }
    probe.ends(Duration::from_millis(200) + SLACK)
}

fn end_of_input(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.hang_up(Duration::from_secs(2))
}

fn fixed_searches(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    for go in [Go { depth: Some(3), ..Go::default() }, Go { nodes: Some(2000), ..Go::default() }] {
        probe.set_up(&position);
        probe.go(go);
        probe.best(PATIENCE, &position)?;
    }
    Ok(())
}

fn tiny_clock(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    for time in [1, 20, 100] {
        probe.set_up(&position);
        let own = Clock { time, increment: 0, moves_to_go: None };
        let clocks = Some(clocks(probe, own));
        probe.go(Go { clocks, ..Go::default() });
        probe
            .best(Duration::from_millis(time) + SLACK, &position)
            .map_err(|complaint| format!("with {time} ms left: {complaint}"))?;
    }
    Ok(())
}

fn long_game(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let mut line = String::from("position startpos moves");
    // both sides move a rook to and fro; nobody is bothered by repetitions
    let round = ["a0a1", "a9a8", "a1a0", "a8a9"];
    let ranks = probe.dialect.ranks;
    for m in round.iter().cycle().take(500).filter_map(|text| text.parse().ok()) {
        line.push_str(&format!(" {}", ranks.spell(m)));
    }
    probe.say(&line);
    probe.ready(PATIENCE)?;
    probe.go(Go { depth: Some(2), ..Go::default() });
    // an engine may hold such a game for drawn, but it must say something
    probe.end(PATIENCE).map(|_| ())
}

fn unknown(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    for line in ["", "  ", "xyzzy", "setoption nosuchoption 3", "setoption name No Such value 3"] {
        probe.say(line);
    }
    probe.ready(PATIENCE)?;
    still_plays(probe)
}

fn blanks(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let ranks = probe.dialect.ranks;
    let m = |text: &str| text.parse().map(|m| ranks.spell(m).to_string());
    let (Ok(one), Ok(other)) = (m("h2e2"), m("h9g7")) else { return Ok(()) };
    probe.say(&format!("position  startpos \t moves {one}   {other}\r"));
    probe.say("go  depth\t2\r");
    let mut position = Position::startpos();
    for m in ["h2e2", "h9g7"].iter().filter_map(|text| text.parse().ok()) {
        position.make(m);
    }
    probe.best(PATIENCE, &position).map(|_| ())
}

fn bad_position(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.say("position fen 9/9/9/9/9/9/9/9/9/9 w - - 0 1");
    probe.say("position fen rubbish");
    probe.say("position startpos moves z9z9");
    probe.ready(PATIENCE)?;
    still_plays(probe)
}

fn still_plays(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    probe.set_up(&position);
    probe.go(Go { depth: Some(2), ..Go::default() });
    probe.best(PATIENCE, &position).map(|_| ())
}

fn no_errors(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    still_plays(probe)?;
    probe.tell(&Command::Quit);
    while !matches!(probe.line(Duration::from_secs(1)), Err(Silence::Closed | Silence::Timeout)) {}
    match probe.last_words() {
        words if words.is_empty() => Ok(()),
        words => Err(format!("it wrote: {words}")),
    }
}
