//! Repetitions: the path from the start of the game to the present node, what
//! the rules say of a position that comes back, and which root moves no
//! referee can punish.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::board::{Color, Move, Position, Undo};
use crate::rules::{
    Game, Parameters, Played, QuietCounter, is_material_insufficient, judge_cycle, offends_any,
};
use crate::score::Score;

/// Plies of a game without a capture that are looked through for repetitions.
/// Every node does that, so that a search would starve in a longer game.
const MAX_HISTORY: usize = 1024;

/// One ply of the path.
#[derive(Clone)]
struct Step {
    /// The move; `None` for a null move.
    played: Option<Move>,
    undo: Undo,
    /// [`Path::reversible`] before the move.
    reversible: usize,
    /// [`Path::quiet`] before the move.
    quiet: QuietCounter,
}

/// The plies played since the start of the game, those of the search included.
#[derive(Clone)]
pub(super) struct Path {
    steps: Vec<Step>,
    /// Keys of the positions before the steps, by themselves because every node
    /// looks through them.
    keys: Vec<u64>,
    /// Plies since the last capture or null move: only among these can the
    /// present position have occurred before.
    reversible: usize,
    /// How near the natural move limit is.
    quiet: QuietCounter,
    rules: Parameters,
    /// Whether what any rule set might hold against us counts as lost.
    is_cautious: bool,
    /// Who lost by the cycles judged lately, by their keys: the same ones come
    /// back all the time, and the national judge searches. Empty until needed.
    verdicts: Vec<(u64, Option<Color>)>,
    /// Whether a cycle has been judged since [`Path::take_has_judged`] was asked.
    has_judged: bool,
}

/// Cycles whose verdicts are remembered.
const VERDICTS: usize = 1 << 12;

impl Path {
    /// The path of a game to its present position: as much of it as a repetition
    /// can go back, of games that no rule set lets go on.
    pub(super) fn of(game: &Game, is_cautious: bool) -> Path {
        let mut path = Path {
            steps: Vec::with_capacity(512),
            keys: Vec::with_capacity(512),
            reversible: 0,
            quiet: game.quiet(),
            rules: *game.parameters(),
            is_cautious,
            verdicts: Vec::new(),
            has_judged: false,
        };
        if path.quiet.is_exhausted(&path.rules) {
            // whoever plays on does not know the limit
            path.rules.quiet_limit = u16::MAX;
        }
        let needed = game.since_capture().len().clamp(1, MAX_HISTORY);
        let first = game.ply().saturating_sub(needed);
        for &Played { m, undo, key, quiet } in &game.played()[first..] {
            let reversible = path.reversible;
            path.add(key, Step { played: Some(m), undo, reversible, quiet });
        }
        path
    }

    /// The rules in force: without the natural move limit if the game has gone
    /// on past it.
    pub(super) const fn rules(&self) -> &Parameters {
        &self.rules
    }

    /// Makes a legal move on the board and adds it.
    pub(super) fn play(&mut self, position: &mut Position, m: Move) {
        let key = position.key();
        let undo = position.make(m);
        self.push(key, m, undo, position);
    }

    /// Takes the last ply back from the path and the board; whether it was a
    /// move and no null move.
    #[inline]
    pub(super) fn take_back(&mut self, position: &mut Position) -> bool {
        let Some((played, undo)) = self.pop() else { return false };
        match played {
            Some(m) => position.unmake(m, undo),
            None => position.unmake_null(undo),
        }
        played.is_some()
    }

    /// Whether a position that has stood on the board can come back within two
    /// plies.
    fn may_repeat(&self) -> bool {
        self.reversible >= 2
    }

    /// Whether the present position stood on the board before.
    pub(super) fn is_repeated(&self, present: &Position) -> bool {
        self.occurrences(present.key()).next().is_some()
    }

    /// Whether the last move was a capture.
    #[inline]
    pub(super) fn ends_with_capture(&self) -> bool {
        self.steps.last().is_some_and(|step| step.undo.captured().is_some())
    }

    /// Keys of the positions before the present one that can come back.
    pub(super) fn earlier_keys(&self) -> &[u64] {
        &self.keys[self.keys.len() - self.reversible..]
    }

    /// The last move, if it was quiet.
    pub(super) fn last_quiet(&self) -> Option<Move> {
        let step = self.steps.last()?;
        step.played.filter(|_| step.undo.captured().is_none())
    }

    /// Adds a move that led from the position with `key` to `present`.
    #[inline]
    pub(super) fn push(&mut self, key: u64, played: Move, undo: Undo, present: &Position) {
        let Path { reversible, quiet, .. } = *self;
        self.add(key, Step { played: Some(played), undo, reversible, quiet });
        let captured = undo.captured().is_some();
        self.quiet = quiet.advance(captured, present.in_check(), !present.side_to_move());
    }

    /// Adds a step from the position with `key`, which has been made.
    #[inline]
    fn add(&mut self, key: u64, step: Step) {
        let captured = step.undo.captured().is_some();
        self.steps.push(step);
        self.keys.push(key);
        self.reversible = if captured { 0 } else { self.reversible + 1 };
    }

    /// Adds a null move that led from the position with `key` to the present
    /// one.
    pub(super) fn push_null(&mut self, key: u64, undo: Undo) {
        let Path { reversible, quiet, .. } = *self;
        self.steps.push(Step { played: None, undo, reversible, quiet });
        self.keys.push(key);
        self.reversible = 0;
    }

    /// Removes the last ply.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Option<Move>, Undo)> {
        let step = self.steps.pop()?;
        self.keys.pop();
        self.reversible = step.reversible;
        self.quiet = step.quiet;
        Some((step.played, step.undo))
    }

    /// Plies without a capture as the natural move limit counts them.
    #[inline]
    pub(super) fn quiet_plies(&self) -> u16 {
        self.quiet.counted()
    }

    /// The score of the present position at `ply` if the game is over or
    /// cannot be won any more: a repetition, the natural move limit, nothing
    /// left to attack with.
    #[inline]
    pub(super) fn game_over(&mut self, present: &Position, ply: usize) -> Option<Score> {
        if let Some(plies) = self.judged_cycle(present, ply) {
            return Some(self.repetition_score(present, ply, plies));
        }
        if self.quiet_plies() >= self.rules.quiet_limit && present.has_legal_move() {
            return Some(Score::DRAW);
        }
        is_material_insufficient(present).then_some(Score::DRAW)
    }

    /// The length of the cycle that the present position at `ply` closes, if it
    /// decides the game.
    ///
    /// One repetition within the search is enough: whoever could do better
    /// would have left the cycle. What stood on the board before the search
    /// must come back as often as the referee wants, since both sides may still
    /// choose otherwise; a cautious engine does not wait for that.
    #[inline]
    fn judged_cycle(&self, present: &Position, ply: usize) -> Option<usize> {
        let last = self.occurrences(present.key()).next()?;
        if last < ply || self.is_cautious {
            return Some(last);
        }
        let occurrences = self.rules.fold.saturating_sub(1).max(1) as usize;
        self.occurrences(present.key()).nth(occurrences - 1)
    }

    /// The score of a cycle of so many plies that the present position closes.
    #[cold]
    fn repetition_score(&mut self, present: &Position, ply: usize, plies: usize) -> Score {
        let side = present.side_to_move();
        let us = if ply.is_multiple_of(2) { side } else { !side };
        let Some(loser) = self.offender(present, plies, us) else { return Score::DRAW };
        let loss = Score::rule_loss_in(ply);
        if loser == side { loss } else { -loss }
    }

    /// Who loses by the cycle of so many plies.
    fn offender(&mut self, present: &Position, plies: usize, us: Color) -> Option<Color> {
        let mut hasher = DefaultHasher::new();
        (present.key(), us.index()).hash(&mut hasher);
        let steps = &self.steps[self.steps.len() - plies..];
        steps.iter().for_each(|step| step.played.hash(&mut hasher));
        let key = hasher.finish();
        let slot = key as usize % VERDICTS;
        match self.verdicts.get(slot) {
            Some(&(known, offender)) if known == key => offender,
            _ => {
                let (start, moves) = self.cycle(present, plies);
                let offender = self.judge(&start, &moves, us);
                self.has_judged = true;
                self.verdicts.resize(VERDICTS, (0, None));
                self.verdicts[slot] = (key, offender);
                offender
            }
        }
    }

    /// Whether a cycle has been judged since this was asked last: the national
    /// judge searches, which may take as long as thousands of nodes.
    pub(super) fn take_has_judged(&mut self) -> bool {
        std::mem::take(&mut self.has_judged)
    }

    /// Who loses by a cycle; with caution we do if any rule set might say so.
    fn judge(&self, start: &Position, moves: &[Move], us: Color) -> Option<Color> {
        match judge_cycle(self.rules.rules, start, moves).offender {
            Some(loser) if loser == us => Some(us),
            _ if self.is_cautious && offends_any(start, moves, us) => Some(us),
            other => other,
        }
    }

    /// Whether the last move, which led to `ply`, completed a cycle that `us`
    /// loses by.
    fn ends_in_offence(&mut self, present: &Position, ply: usize, us: Color) -> bool {
        self.judged_cycle(present, ply)
            .is_some_and(|plies| self.offender(present, plies, us) == Some(us))
    }

    /// How many plies ago the position with `key` stood on the board, the last
    /// time first.
    #[inline]
    fn occurrences(&self, key: u64) -> impl Iterator<Item = usize> {
        let len = self.keys.len();
        (4..=self.reversible).step_by(2).filter(move |&back| self.keys[len - back] == key)
    }

    /// The cycle of the last `plies` plies: the position it began from and the
    /// moves from there to `present`.
    fn cycle(&self, present: &Position, plies: usize) -> (Position, Vec<Move>) {
        let mut start = present.clone();
        let steps = &self.steps[self.steps.len() - plies..];
        for step in steps.iter().rev() {
            if let Some(m) = step.played {
                start.unmake(m, step.undo);
            }
        }
        (start, steps.iter().filter_map(|step| step.played).collect())
    }
}

/// Those of `moves`, legal in `position` at the end of `path`, that neither
/// complete a cycle by which their side loses nor let the opponent complete
/// one.
///
/// The search counts an own offence as a loss, but less of one than a mate,
/// since the opponent may deviate. At the root that is not enough: a game that
/// is lost anyway must not be lost by the rules of repetition.
pub(super) fn filter_repetition_losses(
    mut position: Position,
    mut path: Path,
    moves: &[Move],
) -> Vec<Move> {
    let us = position.side_to_move();
    let mut safe = moves.to_vec();
    if path.may_repeat() {
        safe.retain(|&m| {
            path.play(&mut position, m);
            let offends = path.ends_in_offence(&position, 1, us)
                || position.legal_moves().iter().any(|&reply| {
                    // few of some thousand replies bring anything back
                    if !path.earlier_keys().contains(&position.key_after(reply)) {
                        return false;
                    }
                    path.play(&mut position, reply);
                    let offends = path.ends_in_offence(&position, 2, us);
                    path.take_back(&mut position);
                    offends
                });
            path.take_back(&mut position);
            !offends
        });
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(path: &mut Path, position: &mut Position, text: &str) {
        path.play(position, text.parse().unwrap());
    }

    fn new_path() -> Path {
        Path::of(&Game::from(Position::startpos()), false)
    }

    #[test]
    fn a_repetition_is_found_and_its_cycle_rebuilt() {
        let mut position = Position::startpos();
        let mut path = new_path();
        play(&mut path, &mut position, "h2e2");
        let start = position.clone();
        let shuffle = ["h9g7", "h0g2", "g7h9", "g2h0"];
        for text in shuffle {
            assert_eq!(path.occurrences(position.key()).next(), None);
            play(&mut path, &mut position, text);
        }
        assert!(path.occurrences(position.key()).eq([4]));
        let (begin, moves) = path.cycle(&position, 4);
        assert_eq!(begin, start);
        assert_eq!(moves.iter().map(Move::to_string).collect::<Vec<_>>(), shuffle);
    }

    #[test]
    fn what_stood_on_the_board_must_come_back_as_often_as_the_referee_wants() {
        let mut position = Position::startpos();
        let mut path = new_path();
        let round = ["h0g2", "h9g7", "g2h0", "g7h9"];
        round.iter().for_each(|text| play(&mut path, &mut position, text));
        // searched from the start, from one move later, with caution
        assert_eq!(path.game_over(&position, 5), Some(Score::DRAW));
        assert_eq!(path.game_over(&position, 4), None);
        assert_eq!(path.game_over(&position, 1), None);
        let mut cautious = Path { is_cautious: true, ..path.clone() };
        assert_eq!(cautious.game_over(&position, 1), Some(Score::DRAW));
        round.iter().for_each(|text| play(&mut path, &mut position, text));
        assert_eq!(path.game_over(&position, 1), Some(Score::DRAW));
    }

    #[test]
    fn a_long_game_is_looked_through_in_part() {
        let mut game = Game::from(Position::startpos());
        let steps = |game: &Game| Path::of(game, false).steps.len();
        for m in ["h2h9", "i9h9", "b0c2"] {
            game.play(m.parse().unwrap()).unwrap();
            assert_eq!(steps(&game), 1, "after {m}");
        }
        for m in ["b9c7", "c2b0", "c7b9", "b0c2"].into_iter().cycle().take(4 * MAX_HISTORY) {
            game.play(m.parse().unwrap()).unwrap();
        }
        assert_eq!(steps(&game), MAX_HISTORY);
        let (root, mut path) = (game.position(), Path::of(&game, false));
        assert_eq!(path.occurrences(root.key()).next(), Some(4));
        // the whole of it can be searched
        path.push(0, "b9c7".parse().unwrap(), root.clone().make_null(), root);
        assert_eq!(path.occurrences(0x1234).next(), None);
    }

    #[test]
    fn captures_and_null_moves_end_the_search_for_repetitions() {
        let mut position = Position::startpos();
        let mut path = new_path();
        for text in ["h2h9", "i9h9"] {
            play(&mut path, &mut position, text);
        }
        assert_eq!(path.reversible, 0);
        let key = position.key();
        let undo = position.make_null();
        path.push_null(key, undo);
        for text in ["b9c7", "b0c2", "c7b9", "c2b0"] {
            play(&mut path, &mut position, text);
        }
        assert!(path.occurrences(position.key()).eq([4]));
        assert_eq!(path.occurrences(key).next(), None);
    }

    /// The moves that [`filter_repetition_losses`] takes out.
    fn filtered_out(is_cautious: bool, fen: &str, moves: &str) -> Vec<String> {
        let start = Position::from_fen(fen).unwrap();
        let moves: Vec<Move> = moves.split(' ').map(|text| text.parse().unwrap()).collect();
        let game = Game::replay(start, Parameters::default(), &moves).unwrap();
        let legal = game.position().legal_moves().to_vec();
        let path = Path::of(&game, is_cautious);
        let safe = filter_repetition_losses(game.position().clone(), path, &legal);
        legal.iter().filter(|m| !safe.contains(m)).map(Move::to_string).collect()
    }

    #[test]
    fn a_perpetual_check_is_neither_completed_nor_left_to_be_completed() {
        let fen = "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w";
        let round = "e9d9 d8e8 d9e9 e8d8";
        let rounds = |plies: &str| format!("{round} {plies}");
        assert_eq!(filtered_out(true, fen, "e9d9 d8e8"), ["d9e9"]);
        assert_eq!(filtered_out(true, fen, round), ["e9d9"]);
        assert!(filtered_out(false, fen, round).is_empty());
        assert_eq!(filtered_out(false, fen, &rounds("e9d9 d8e8")), ["d9e9"]);
    }

    #[test]
    fn the_victim_and_who_is_idle_are_free() {
        let check = "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w";
        assert!(filtered_out(true, check, "e9d9 d8e8 d9e9").is_empty());
        let idle = "5k3/9/9/9/p8/9/8P/9/9/3K5 w";
        assert!(filtered_out(true, idle, "d0d1 f9f8 d1d0").is_empty());
    }

    #[test]
    fn the_rules_in_force_decide_unless_caution_is_wanted() {
        // Red uncovers the rook, which chases the cannon each time: a draw by
        // no rule, a loss for Black by the Asian ones
        let fen = "5k3/9/9/9/9/9/7r1/9/2nRA3c/4K4 w";
        let cycle = "e1f0 h3h1 f0e1 h1h3 e1f0 h3h1";
        assert!(filtered_out(false, fen, cycle).is_empty());
        assert_eq!(filtered_out(true, fen, cycle), ["f0e1"]);
    }
}
