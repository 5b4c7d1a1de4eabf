//! What UCI asks for besides, as Xiangqi programs speak it.

use std::time::{Duration, Instant};

use super::Point;
use super::probe::{Complaint, PATIENCE, Probe, SLACK, depth, ensure};
use crate::board::{Move, Position};
use crate::protocol::{Command, Go, OptionKind, Reply, same_option};

pub const POINTS: &[Point] = &[
    ("`UCI_Variant` offers xiangqi", variant),
    ("`go movetime` takes its time and no more", movetime),
    ("`go searchmoves` plays one of these moves", searchmoves),
    ("whoever is mated says `bestmove (none)`", no_moves),
    ("`ucinewgame` does no harm", new_game),
    ("`info` gives the score with cp or mate", scores),
];

fn variant(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let option = probe.options.iter().find(|option| same_option(&option.name, "UCI_Variant"));
    let fault = match option.map(|option| &option.kind) {
        Some(OptionKind::Combo { choices, .. }) if choices.iter().any(|c| c == "xiangqi") => {
            return Ok(());
        }
        Some(_) => "it is offered without the choice xiangqi",
        None => "without it general GUIs cannot know that it plays Xiangqi",
    };
    Err(Complaint::Wrong(fault.into()))
}

fn movetime(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let (position, time) = (Position::startpos(), Duration::from_millis(500));
    let began = Instant::now();
    probe.search(&position, Go { movetime: Some(500), ..Go::default() });
    probe.best(time + SLACK, &position)?;
    let taken = began.elapsed();
    ensure(taken >= time / 2, || format!("it took only {} ms of 500", taken.as_millis()))
}

fn searchmoves(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    let wanted: Vec<Move> = ["a0a1", "i0i1"].iter().filter_map(|t| t.parse().ok()).collect();
    let go = Go { searchmoves: wanted.clone(), ..depth(4) };
    let m = probe.plays(&Position::startpos(), go)?;
    ensure(wanted.contains(&m), || format!("it played {m} instead of a0a1 or i0i1"))
}

fn no_moves(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.search(&Position::from_fen("R2k5/1R7/9/9/9/9/9/9/9/4K4 b")?, depth(4));
    let reply = probe.end(PATIENCE)?;
    let is_right = reply == Reply::NoBestMove;
    ensure(is_right, || format!("it said: {}", reply.to_line(probe.dialect)))
}

fn new_game(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.send(&Command::NewGame);
    probe.ready(PATIENCE)
}

fn scores(probe: &mut Probe<'_>) -> Result<(), Complaint> {
    probe.search(&Position::startpos(), depth(5));
    probe.each_line(|line| {
        let word = line.split(" score ").nth(1).and_then(|rest| rest.split(' ').next());
        let is_plain = word.is_some_and(|word| word.parse::<i32>().is_ok());
        ensure(!line.starts_with("info ") || !is_plain, || {
            format!("cp or mate is missing in: {line}")
        })
    })
}
