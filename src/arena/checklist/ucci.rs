//! What UCCI asks for besides.

use std::time::Duration;

use super::Point;
use super::common::MATE_IN_ONE;
use super::probe::{Complaint, PATIENCE, Probe, SLACK, depth, ensure, position_after};
use crate::board::Position;
use crate::protocol::{Command, Reply, UCCI_LINE_LIMIT, same_option};

pub const POINTS: &[Point] = &[
    ("`usemillisec` is offered", milliseconds),
    ("`stop` while idle is answered by `nobestmove`", idle_stop),
    ("`go depth 0` gives the static value and `nobestmove`", static_value),
    ("a banned move is not played until the next position", bans),
    ("whoever is mated or stalemated says `nobestmove`", no_moves),
    ("FENs with r, H, E and remarks are understood", old_fens),
    ("`setoption newgame` does no harm", new_game),
    ("in batch mode every search of a script is done", batch),
    ("`info` gives the score as a plain number", plain_scores),
    ("no line is longer than 8190 bytes", short_lines),
];

fn milliseconds(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let offered = probe.options.iter().any(|option| same_option(&option.name, "usemillisec"));
    ensure(offered, || "times are seconds without it".into())
}

fn idle_stop(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.send(&Command::Stop);
    nobestmove(probe, Duration::from_millis(200) + SLACK)
}

/// Waits for this very word; UCI's `bestmove (none)` will not do.
fn nobestmove(probe: &mut Probe<'_>, within: Duration) -> Result<(), Complaint> {
    let mut said = Ok(());
    probe.wait_for(within, "nobestmove", |_, line| {
        let is_move = line.starts_with("bestmove");
        said = ensure(!is_move, || format!("it said: {line}"));
        is_move || line.trim() == "nobestmove"
    })?;
    said
}

fn static_value(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.search(&Position::startpos(), depth(0));
    let is_score =
        |reply: &Reply, _: &str| matches!(reply, Reply::Info(info) if info.score.is_some());
    probe.wait_for(PATIENCE, "info with a score", is_score)?;
    nobestmove(probe, PATIENCE)
}

fn bans(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    let favourite = probe.plays(&position, depth(4))?;
    probe.write(&format!("position fen {}", position.to_fen()));
    probe.send(&Command::BanMoves { moves: vec![favourite], fault: None });
    for _ in 0..2 {
        probe.send(&Command::Go(depth(4)));
        let m = probe.best(PATIENCE, &position)?;
        ensure(m != favourite, || format!("it plays {favourite} all the same"))?;
    }
    // the list ends with the next position: there the only move must be played
    let forced = Position::from_fen("3k5/9/9/9/9/9/9/9/r8/4K4 w")?;
    probe.write(&format!("position fen {}", forced.to_fen()));
    let first = forced.legal_moves().iter().take(1).copied().collect();
    probe.send(&Command::BanMoves { moves: first, fault: None });
    probe.plays(&forced, depth(4)).map(|_| ())
}

fn no_moves(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    for fen in ["R2k5/1R7/9/9/9/9/9/9/9/4K4 b", "3k5/1R7/9/9/9/9/9/9/9/4K4 b"] {
        probe.search(&Position::from_fen(fen)?, depth(4));
        let answer = nobestmove(probe, PATIENCE);
        answer.map_err(|complaint| Complaint::Wrong(format!("{complaint} ({fen})")))?;
    }
    Ok(())
}

fn old_fens(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let start = Position::startpos().to_fen();
    let board = start.split(' ').next().unwrap_or_default();
    let old = board.replace('N', "H").replace('n', "h").replace('B', "E").replace('b', "e");
    for fen in [
        format!("{board} r - - 0 1"),
        format!("{old} w - - 0 1"),
        board.to_owned(),
        format!("{board} w - - 0 1 ;A34.x - - 0 1"),
    ] {
        probe.write(&format!("position fen {fen} moves h2e2 h9g7"));
        probe.send(&Command::Go(depth(4)));
        let found = probe.best(PATIENCE, &position_after(&["h2e2", "h9g7"]));
        found.map_err(|fault| Complaint::Wrong(format!("{fault} (given as {fen})")))?;
    }
    Ok(())
}

fn new_game(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.send(&Command::NewGame);
    probe.ready(PATIENCE)?;
    probe.plays(&Position::from_fen(MATE_IN_ONE)?, depth(4)).map(|_| ())
}

fn batch(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    probe.write("setoption batch true");
    (0..3).for_each(|_| probe.search(&position, depth(4)));
    (0..3).try_for_each(|_| probe.best(PATIENCE, &position).map(|_| ()))
}

fn plain_scores(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.search(&Position::startpos(), depth(8));
    probe.each_line(|line| {
        let has_keyword = line.starts_with("info ") && line.contains(" score cp ");
        ensure(!has_keyword, || format!("old programs read 0 in: {line}"))
    })
}

fn short_lines(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.search(&Position::startpos(), depth(8));
    probe.each_line(|line| {
        ensure(line.len() <= UCCI_LINE_LIMIT, || format!("a line of {} bytes", line.len()))
    })
}
