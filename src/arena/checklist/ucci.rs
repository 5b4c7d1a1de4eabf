//! What UCCI asks for besides.

use std::time::Duration;

use super::Point;
use super::common::MATE_IN_ONE;
use super::probe::{Complaint, PATIENCE, Probe, SLACK};
use crate::board::{Move, Position};
use crate::protocol::{Command, Go, Reply, UCCI_LINE_LIMIT};

/// The points, in the order in which they are shown.
pub const POINTS: &[Point] = &[
    Point { text: "`usemillisec` is offered", check: milliseconds },
    Point { text: "`stop` while idle is answered by `nobestmove`", check: idle_stop },
    Point { text: "`go depth 0` tells the static value and `nobestmove`", check: static_value },
    Point { text: "a banned move is not played until the next position", check: bans },
    Point { text: "whoever is mated or stalemated says `nobestmove`", check: no_moves },
    Point { text: "FENs with r, H, E and remarks are understood", check: old_fens },
    Point { text: "`setoption newgame` does no harm", check: new_game },
    Point { text: "in batch mode every search of a script is done", check: batch },
    Point { text: "`info` gives the score as a plain number", check: plain_scores },
    Point { text: "no line is longer than 8190 bytes", check: short_lines },
];

const DEPTH: Go = Go {
    depth: Some(4),
    ponder: false,
    draw: false,
    infinite: false,
    clocks: None,
    movetime: None,
    nodes: None,
    mate: None,
    perft: None,
    searchmoves: Vec::new(),
    skipped: None,
};

fn milliseconds(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let offered = probe.options.iter().any(|o| o.name.eq_ignore_ascii_case("usemillisec"));
    if offered { Ok(()) } else { Err("times are seconds without it".into()) }
}

fn idle_stop(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.tell(&Command::Stop);
    nobestmove(probe, Duration::from_millis(200) + SLACK)
}

fn nobestmove(probe: &mut Probe<'_>, within: Duration) -> Result<(), Complaint> {
    loop {
        match probe.line(within) {
            Ok(line) if line.trim() == "nobestmove" => return Ok(()),
            Ok(line) if line.starts_with("bestmove") => return Err(format!("it said: {line}")),
            Ok(_) => {}
            Err(_) => return Err(format!("no nobestmove within {} ms", within.as_millis())),
        }
    }
}

fn static_value(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.set_up(&Position::startpos());
    probe.go(Go { depth: Some(0), ..Go::default() });
    let is_score = |reply: &Reply| matches!(reply, Reply::Info(info) if info.score.is_some());
    probe.expect(PATIENCE, "info with a score", is_score)?;
    nobestmove(probe, PATIENCE)
}

fn bans(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    probe.set_up(&position);
    probe.go(DEPTH);
    let favourite = probe.best(PATIENCE, &position)?;
    probe.set_up(&position);
    probe.say(&format!("banmoves {favourite}"));
    for _ in 0..2 {
        probe.go(DEPTH);
        if probe.best(PATIENCE, &position)? == favourite {
            return Err(format!("it plays {favourite} all the same"));
        }
    }
    // the list ends with the next position: there the only move must be played
    let forced = Position::from_fen("3k5/9/9/9/9/9/9/9/r8/4K4 w").map_err(|f| f.to_string())?;
    let moves: Vec<Move> = forced.legal_moves().iter().copied().collect();
    probe.set_up(&forced);
    moves.iter().take(1).for_each(|m| probe.say(&format!("banmoves {m}")));
    probe.set_up(&forced);
    probe.go(DEPTH);
    probe.best(PATIENCE, &forced).map(|_| ())
}

fn no_moves(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    for fen in ["R2k5/1R7/9/9/9/9/9/9/9/4K4 b", "3k5/1R7/9/9/9/9/9/9/9/4K4 b"] {
        let position = Position::from_fen(fen).map_err(|fault| fault.to_string())?;
        probe.set_up(&position);
        probe.go(DEPTH);
        nobestmove(probe, PATIENCE).map_err(|complaint| format!("{complaint} ({fen})"))?;
    }
    Ok(())
}

fn old_fens(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let start = Position::startpos();
    let board = start.to_fen();
    let board = board.split(' ').next().unwrap_or_default();
    let old = board.replace('N', "H").replace('n', "h").replace('B', "E").replace('b', "e");
    for fen in [
        format!("{board} r - - 0 1"),
        format!("{old} w - - 0 1"),
        board.to_owned(),
        format!("{board} w - - 0 1 ;A34.x - - 0 1"),
    ] {
        probe.say(&format!("position fen {fen} moves h2e2 h9g7"));
        probe.go(DEPTH);
        let mut position = start.clone();
        for m in ["h2e2", "h9g7"].iter().filter_map(|text| text.parse().ok()) {
            position.make(m);
        }
        let found = probe.best(PATIENCE, &position);
        found.map_err(|complaint| format!("{complaint} (told as {fen})"))?;
    }
    Ok(())
}

fn new_game(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.tell(&Command::NewGame);
    probe.ready(PATIENCE)?;
    let position = Position::from_fen(MATE_IN_ONE).map_err(|fault| fault.to_string())?;
    probe.set_up(&position);
    probe.go(DEPTH);
    probe.best(PATIENCE, &position).map(|_| ())
}

fn batch(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    probe.say("setoption batch true");
    for _ in 0..3 {
        probe.set_up(&position);
        probe.go(DEPTH);
    }
    (0..3).try_for_each(|_| probe.best(PATIENCE, &position).map(|_| ()))
}

fn plain_scores(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    all_lines(probe, |line| {
        let has_keyword = line.starts_with("info ") && line.contains(" score cp ");
        if has_keyword { Err(format!("old programs read 0 in: {line}")) } else { Ok(()) }
    })
}

fn short_lines(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    all_lines(probe, |line| match line.len() {
        length if length > UCCI_LINE_LIMIT => Err(format!("a line of {length} bytes")),
        _ => Ok(()),
    })
}

/// Looks at every line of a search.
fn all_lines(
    probe: &mut Probe<'_>,
    look: impl Fn(&str) -> Result<(), Complaint>,
) -> Result<(), Complaint> {
    probe.set_up(&Position::startpos());
    probe.go(Go { depth: Some(8), ..Go::default() });
    loop {
        let line = probe.line(PATIENCE).map_err(|_| "no bestmove in time".to_owned())?;
        look(&line)?;
        if line.starts_with("bestmove") {
            return Ok(());
        }
    }
}
