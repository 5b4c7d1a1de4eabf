//! What UCI asks for besides, as Xiangqi programs speak it.

use std::time::{Duration, Instant};

use super::Point;
use super::probe::{Complaint, PATIENCE, Probe, SLACK};
use crate::board::{Move, Position};
use crate::protocol::{Command, Go, OptionKind, Reply};

/// The points, in the order in which they are shown.
pub const POINTS: &[Point] = &[
    Point { text: "`UCI_Variant` offers xiangqi", check: variant },
    Point { text: "`go movetime` takes its time and no more", check: movetime },
    Point { text: "`go searchmoves` plays one of these moves", check: searchmoves },
    Point { text: "whoever is mated says `bestmove (none)`", check: no_moves },
    Point { text: "`ucinewgame` does no harm", check: new_game },
    Point { text: "`info` gives the score with cp or mate", check: scores },
];

fn variant(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let is_it = |name: &str| name.eq_ignore_ascii_case("UCI_Variant");
    match probe.options.iter().find(|option| is_it(&option.name)).map(|option| &option.kind) {
        Some(OptionKind::Combo { choices, .. }) if choices.iter().any(|c| c == "xiangqi") => Ok(()),
        Some(_) => Err("it is offered without the choice xiangqi".into()),
        None => Err("without it general GUIs cannot know that it plays Xiangqi".into()),
    }
}

fn movetime(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    probe.set_up(&position);
    let began = Instant::now();
    let time = Duration::from_millis(500);
    probe.go(Go { movetime: Some(500), ..Go::default() });
    probe.best(time + SLACK, &position)?;
    let taken = began.elapsed();
    if taken < time / 2 {
        return Err(format!("it took only {} ms of 500", taken.as_millis()));
    }
    Ok(())
}

fn searchmoves(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let position = Position::startpos();
    probe.set_up(&position);
    let wanted: Vec<Move> = ["a0a1", "i0i1"].iter().filter_map(|t| t.parse().ok()).collect();
    probe.go(Go { depth: Some(4), searchmoves: wanted.clone(), ..Go::default() });
    let m = probe.best(PATIENCE, &position)?;
    if wanted.contains(&m) { Ok(()) } else { Err(format!("it played {m} instead of a0a1 or i0i1")) }
}

fn no_moves(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let fen = "R2k5/1R7/9/9/9/9/9/9/9/4K4 b";
    let position = Position::from_fen(fen).map_err(|fault| fault.to_string())?;
    probe.set_up(&position);
    probe.go(Go { depth: Some(4), ..Go::default() });
    match probe.end(PATIENCE)? {
        Reply::NoBestMove => Ok(()),
        other => Err(format!("it said: {}", other.to_line(probe.dialect))),
    }
}

fn new_game(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.tell(&Command::NewGame);
    probe.ready(PATIENCE)
}

fn scores(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.set_up(&Position::startpos());
    probe.go(Go { depth: Some(5), ..Go::default() });
    loop {
        let line = probe.line(PATIENCE).map_err(|_| "no bestmove in time".to_owned())?;
        let plain = line.split(" score ").nth(1).and_then(|rest| rest.split(' ').next());
        if line.starts_with("info ") && plain.is_some_and(|word| word.parse::<i32>().is_ok()) {
            return Err(format!("cp or mate is missing in: {line}"));
        }
        if line.starts_with("bestmove") {
            return Ok(());
        }
    }
}
