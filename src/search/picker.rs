//! The staged move picker: hands out moves one by one, the most promising
//! ones first, and generates a class of moves only when it is reached.

use arrayvec::ArrayVec;

use crate::board::{CheckSquares, Move, MoveList, Position, exchange_value};

use super::history::{Histories, Trail};
use super::threats::Threats;

/// Where a picker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Table,
    GenerateCaptures,
    GoodCaptures,
    FirstKiller,
    SecondKiller,
    Counter,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    GenerateChecks,
    Checks,
    GenerateEvasions,
    Evasions,
    Done,
}

/// What a picker is asked to hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every move.
    All,
    /// Captures only, those that lose more than the threshold left out.
    Captures,
    /// The same, then the quiet moves that give check.
    CapturesAndChecks,
}

/// What the picker needs to know of the node; the same on each call.
pub struct Context<'a> {
    /// The position.
    pub position: &'a Position,
    /// The thread's memory.
    pub histories: &'a Histories,
    /// The moves that led here.
    pub trail: &'a Trail,
    /// Where the side to move gives check.
    pub check_squares: &'a CheckSquares,
}

/// Hands out the pseudo-legal moves of one node, each once.
pub struct Picker {
    stage: Stage,
    scope: Scope,
    table_move: Option<Move>,
    /// Two killers and the counter move.
    refutations: [Option<Move>; 3],
    /// Captures must win at least this to come before the quiet moves.
    see_threshold: i32,
    moves: MoveList,
    /// One for each of `moves`.
    scores: ArrayVec<i32, { MoveList::CAPACITY }>,
    next: usize,
    /// Captures that lose material, in the order found, and how many of them
    /// have been handed out.
    bad: ArrayVec<Move, { MoveList::CAPACITY }>,
    next_bad: usize,
    skip_quiets: bool,
}

/// A quiet move that gives check is tried as if its history were so much
/// better; less if it gives the piece away, for it may still mate.
const CHECK_BONUS: i32 = 12_000;
const SACRIFICE_BONUS: i32 = 8_000;

impl Picker {
    /// A picker for a node; `table_move` is tested for pseudo-legality here.
    pub fn new(
        position: &Position,
        scope: Scope,
        table_move: Option<Move>,
        refutations: [Option<Move>; 3],
        see_threshold: i32,
    ) -> Picker {
        let table_move = table_move.filter(|&m| {
            position.is_pseudo_legal(m)
                && (scope == Scope::All
                    || position.is_capture(m) && position.see_ge(m, see_threshold))
        });
        Picker {
            stage: Stage::Table,
            scope,
            table_move,
            refutations,
            see_threshold,
            moves: MoveList::new(),
            scores: ArrayVec::new_const(),
            next: 0,
            bad: ArrayVec::new_const(),
            next_bad: 0,
            skip_quiets: false,
        }
    }

    /// From now on hands out captures only.
    #[inline]
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, context: &Context<'_>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    let evading = context.position.in_check() && self.scope == Scope::All;
                    self.stage =
                        if evading { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::GenerateCaptures => {
                    context.position.captures_into(&mut self.moves);
                    self.score_captures(context);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.next_good_capture(context) {
                    Some(m) => return Some(m),
                    None if self.scope == Scope::All => self.stage = Stage::FirstKiller,
                    None if self.scope == Scope::Captures => self.stage = Stage::Done,
                    None => self.stage = Stage::GenerateChecks,
                },
                Stage::FirstKiller => {
                    self.stage = Stage::SecondKiller;
                    if let Some(m) = self.refutation(0, context.position) {
                        return Some(m);
                    }
                }
                Stage::SecondKiller => {
                    self.stage = Stage::Counter;
                    if let Some(m) = self.refutation(1, context.position) {
                        return Some(m);
                    }
                }
                Stage::Counter => {
                    self.stage = Stage::GenerateQuiets;
                    if let Some(m) = self.refutation(2, context.position) {
                        return Some(m);
                    }
                }
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        self.restart();
                        context.position.quiets_into(&mut self.moves);
                        self.score_quiets(context);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(m) = self.next_unrefuted()
                    {
                        return Some(m);
                    }
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if let Some(&m) = self.bad.get(self.next_bad) {
                        self.next_bad += 1;
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::GenerateChecks => {
                    self.restart();
                    context.position.quiets_into(&mut self.moves);
                    self.moves.retain(|m| context.position.gives_check(m, context.check_squares));
                    self.score_checks(context);
                    self.stage = Stage::Checks;
                }
                Stage::Checks => {
                    if let Some(m) = self.best_left() {
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::GenerateEvasions => {
                    let captures = context.position.evasions_into(&mut self.moves);
                    self.score_evasions(context, captures);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => {
                    if let Some(m) = self.best_left() {
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Forgets the captures to make room for the quiet moves.
    fn restart(&mut self) {
        self.moves = MoveList::new();
        self.scores.clear();
        self.next = 0;
    }

    fn score_captures(&mut self, context: &Context<'_>) {
        self.scores.extend(self.moves.iter().map(|&m| capture_score(context, m)));
    }

    fn score_quiets(&mut self, context: &Context<'_>) {
        let Context { position, histories, trail, check_squares } = context;
        let threats = Threats::new(position);
        self.scores.extend(self.moves.iter().map(|&m| {
            let flight =
                position.piece_at(m.from()).map_or(0, |piece| threats.gain(piece.kind(), m));
            let bonus = match position.gives_check(m, check_squares) {
                true if position.see_ge(m, -60) => CHECK_BONUS,
                true => SACRIFICE_BONUS,
                false => 0,
            };
            histories.quiet(position, m, trail) + flight + bonus
        }));
    }

    fn score_checks(&mut self, context: &Context<'_>) {
        let Context { position, histories, trail, .. } = context;
        self.scores.extend(self.moves.iter().map(|&m| histories.quiet(position, m, trail)));
    }

    fn score_evasions(&mut self, context: &Context<'_>, captures: usize) {
        const CAPTURES_FIRST: i32 = 1 << 20;
        self.scores.extend(self.moves.iter().enumerate().map(|(i, &m)| {
            if i < captures {
                CAPTURES_FIRST + capture_score(context, m)
            } else {
                context.histories.quiet(context.position, m, context.trail)
            }
        }));
    }

    fn next_good_capture(&mut self, context: &Context<'_>) -> Option<Move> {
        while let Some(m) = self.best_left() {
            if context.position.see_ge(m, self.see_threshold) {
                return Some(m);
            }
            self.bad.push(m);
        }
        None
    }

    /// A killer or counter move, if it can be played here and was not yet.
    fn refutation(&self, which: usize, position: &Position) -> Option<Move> {
        self.refutations[which].filter(|&m| {
            !self.skip_quiets
                && self.table_move != Some(m)
                && !self.refutations[..which].contains(&Some(m))
                && !position.is_capture(m)
                && position.is_pseudo_legal(m)
        })
    }

    fn next_unrefuted(&mut self) -> Option<Move> {
        while let Some(m) = self.best_left() {
            if !self.refutations.contains(&Some(m)) {
                return Some(m);
            }
        }
        None
    }

    /// The best move left in the list, the table move passed over.
    #[inline]
    fn best_left(&mut self) -> Option<Move> {
        while self.next < self.moves.len() {
            let left = &self.scores[self.next..self.moves.len()];
            // the maximum first, its place second: both loops run in vectors
            let highest = left.iter().fold(i32::MIN, |highest, &score| highest.max(score));
            let place = left.iter().position(|&score| score == highest).unwrap_or(0);
            let best = self.next + place;
            self.moves.swap(self.next, best);
            self.scores.swap(self.next, best);
            self.next += 1;
            let m = self.moves[self.next - 1];
            if self.table_move != Some(m) {
                return Some(m);
            }
        }
        None
    }
}

/// The more valuable the victim the better, then by history.
#[inline]
fn capture_score(context: &Context<'_>, m: Move) -> i32 {
    let victim = context.position.piece_at(m.to()).map_or(0, |piece| exchange_value(piece.kind()));
    16 * victim + context.histories.capture(context.position, m) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::PieceTo;

    #[test]
    fn the_stages_hand_out_every_legal_move_once() {
        let histories = Histories::new();
        let trail = [PieceTo::NONE; 4];
        let mut state = 5u64;
        for _ in 0..40 {
            let mut position = Position::startpos();
            for _ in 0..90 {
                let pseudo = position.pseudo_legal_moves();
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let pick = |shift: u32| Some(pseudo[(state >> shift) as usize % pseudo.len()]);
                let check_squares = position.check_squares();
                let context = Context {
                    position: &position,
                    histories: &histories,
                    trail: &trail,
                    check_squares: &check_squares,
                };
                // one refutation twice, one that is another position's move
                let refutations = [pick(20), pick(20), Move::from_bits((state >> 50) as u16)];
                let mut picker = Picker::new(&position, Scope::All, pick(33), refutations, 0);
                let mut handed_out = Vec::new();
                while let Some(m) = picker.next(&context) {
                    handed_out.push(m);
                }
                assert_eq!(handed_out.first(), pick(33).as_ref());
                let legal = position.legal_moves();
                let mut expected = legal.to_vec();
                expected.sort_unstable();
                handed_out.retain(|&m| position.is_safe(m));
                handed_out.sort_unstable();
                assert_eq!(handed_out, expected, "{}", position.to_fen());
                if legal.is_empty() {
                    break;
                }
                position.make(legal[(state >> 40) as usize % legal.len()]);
            }
        }
    }
}
