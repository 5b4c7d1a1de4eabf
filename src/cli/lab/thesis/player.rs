//! The lab's engine at the board: a player of games under the rules.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use crate::arena::{self, EngineSpec, Failure, Player, Reply, SearchReport, SearchResult, Turn};
use crate::board::{Color, Move, Position};
use crate::lab::{Found, Search, Settings, Xiangqi};
use crate::protocol::{BestMove, Protocol};
use crate::rules::{Game, Outcome, Reason};
use crate::score::Score;

use super::budget::Budget;

/// The lab's search with the settings of the thesis.
///
/// Its search knows nothing of repetitions, but its player asks the rules about
/// each move on the board and about the replies that repeat a position: it plays
/// none that loses so, and none that draws while its search sees it ahead.
pub struct LabPlayer {
    budget: Budget,
    stop: Arc<AtomicBool>,
}

impl LabPlayer {
    /// A player that spends so much on every move.
    pub fn new(budget: Budget, stop: Arc<AtomicBool>) -> LabPlayer {
        LabPlayer { budget, stop }
    }

    /// The move, and what the search says if it was asked.
    fn choose(&self, game: &Game) -> Option<(Move, Option<Found<Move>>)> {
        let choices = Choices::of(game);
        if let Some(m) = choices.winning {
            return Some((m, None));
        }
        let Some(&fallback) = choices.open.first() else {
            return choices.drawing.or(choices.losing).map(|m| (m, None));
        };
        let position = game.position().clone();
        let root = Xiangqi::with_root_moves(position, choices.open);
        let limits = self.budget.in_lab(&self.stop);
        let found = Search::new(root, Settings::thesis()).run(&limits);
        match choices.drawing {
            Some(draw) if found.score < Score::DRAW => Some((draw, Some(found))),
            _ => Some((found.best.unwrap_or(fallback), Some(found))),
        }
    }
}

/// The legal moves by what the rules say of the game after them.
#[derive(Default)]
struct Choices {
    /// Those after which the game goes on.
    open: Vec<Move>,
    winning: Option<Move>,
    drawing: Option<Move>,
    losing: Option<Move>,
}

impl Choices {
    fn of(game: &Game) -> Choices {
        let mut choices = Choices::default();
        let mover = game.position().side_to_move();
        let mut game = game.clone();
        for &m in &game.position().legal_moves() {
            if game.play(m).is_err() {
                continue;
            }
            match game.outcome().or_else(|| repetition(&mut game)).map(|end| end.winner) {
                None => choices.open.push(m),
                Some(None) => choices.drawing = Some(m),
                Some(Some(winner)) if winner == mover => choices.winning = Some(m),
                Some(Some(_)) => choices.losing = Some(m),
            }
            game.undo();
        }
        choices
    }
}

/// The best that the side to move can make of a repetition with its next move,
/// if that is not a loss.
fn repetition(game: &mut Game) -> Option<Outcome> {
    let mover = game.position().side_to_move();
    let mut best: Option<Outcome> = None;
    for &reply in &game.position().legal_moves() {
        if game.play(reply).is_err() {
            continue;
        }
        let end = game.outcome().filter(|end| matches!(end.reason, Reason::Repetition(_)));
        game.undo();
        match end {
            Some(end) if end.winner == Some(mover) => return Some(end),
            Some(end) if end.winner.is_none() => best = Some(end),
            _ => {}
        }
    }
    best
}

impl Player for LabPlayer {
    fn name(&self) -> &str {
        "lab"
    }

    fn limits(&self) -> arena::Limits {
        self.budget.in_match()
    }

    fn new_game(&mut self, _start: &Position, _stop: &AtomicBool) -> Result<(), Failure> {
        Ok(())
    }

    fn think(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<SearchResult, Failure> {
        let begin = Instant::now();
        let chosen = self.choose(turn.game);
        if stop.load(Relaxed) {
            return Err(Failure::Stopped);
        }
        let found = chosen.and_then(|(_, found)| found);
        let report = found.map_or(SearchReport::default(), |found| SearchReport {
            score: Some(found.score),
            depth: found.depth,
            seldepth: 0,
            nodes: found.nodes,
        });
        let reply = chosen.map_or(Reply::NoMove, |(m, _)| Reply::Move(BestMove::from(m)));
        Ok(SearchResult { reply, begin, time: begin.elapsed(), report })
    }
}

/// hanxin as a process of its own, without its opening book. The limits are yet
/// to be set.
pub fn own_engine() -> std::io::Result<EngineSpec> {
    Ok(EngineSpec {
        name: "hanxin".into(),
        command: std::env::current_exe()?.to_string_lossy().into_owned(),
        protocol: Protocol::Ucci,
        options: vec![("usebook".into(), "false".into())],
        ..EngineSpec::default()
    })
}

/// Who has the side of this colour.
pub fn seats<'a>(
    color: Color,
    player: &'a mut dyn Player,
    opponent: &'a mut dyn Player,
) -> [&'a mut dyn Player; 2] {
    match color {
        Color::Red => [player, opponent],
        Color::Black => [opponent, player],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: &str, moves: &[&str]) -> Game {
        let moves: Vec<Move> = moves.iter().map(|m| m.parse().unwrap()).collect();
        Game::replay(Position::from_fen(fen).unwrap(), crate::rules::RuleSet::Axf, &moves).unwrap()
    }

    fn player() -> LabPlayer {
        LabPlayer::new(Budget::Nodes(1000), Arc::default())
    }

    #[test]
    fn it_mates_without_a_search() {
        let mut game = game("3k5/9/9/9/9/9/9/9/R8/1R2K4 w", &[]);
        let (m, found) = player().choose(&game).unwrap();
        assert_eq!(found, None);
        game.play(m).unwrap();
        assert_eq!(game.outcome().and_then(|outcome| outcome.winner), Some(Color::Red));
    }

    #[test]
    fn it_does_not_check_for_ever() {
        let cycle = ["d9d8", "a9a8", "d8d9", "a8a9"];
        for (fen, plies, losing) in [
            // the third check in the same position loses
            ("R2k5/9/9/9/9/8p/9/9/9/4K4 b", 7, "a8a9"),
            // so does the one to which the king's return makes the third position
            ("3k5/R8/9/9/9/8p/9/9/9/4K4 w", 6, "a9a8"),
        ] {
            let offset = if plies == 6 { 3 } else { 0 };
            let moves: Vec<&str> = cycle.iter().copied().cycle().skip(offset).take(plies).collect();
            let game = game(fen, &moves);
            let choices = Choices::of(&game);
            assert_eq!(choices.losing.map(|m| m.to_string()).as_deref(), Some(losing));
            assert_eq!(choices.open.len() + 1, game.position().legal_moves().len());
            let (m, _) = player().choose(&game).unwrap();
            assert_ne!(Some(m), choices.losing);
        }
    }

    #[test]
    fn a_stopped_player_ends_the_game() {
        let stop = Arc::new(AtomicBool::new(true));
        let game = game("3k5/9/9/9/9/9/9/9/R8/4K4 w", &[]);
        let turn = Turn { game: &game, clocks: [None; 2], draw_offered: false };
        let mut player = LabPlayer::new(Budget::Nodes(u64::MAX), Arc::clone(&stop));
        assert_eq!(player.think(&turn, &stop).err(), Some(Failure::Stopped));
    }
}
