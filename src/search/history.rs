//! What a thread remembers of moves that did well or badly: history tables,
//! counter moves, and corrections of the static evaluation.
//!
//! Every entry moves towards a bonus with "gravity": the closer it is to the
//! bound, the less a bonus in that direction adds.

use arrayvec::ArrayVec;

use crate::board::{Color, Move, Piece, PieceKind, Position, Square};
use crate::score::Score;

use super::params::Params;

/// Bound of every history entry.
const LIMIT: i32 = 16_384;
/// Bound of a correction, 1/32 centipawn.
const CORRECTION_LIMIT: i32 = 1_024 * 4;
const CORRECTION_GRAIN: i32 = 32;
const CORRECTION_SIZE: usize = 1 << 14;
const PAWN_SIZE: usize = 1 << 9;
const PIECE_TO: usize = Piece::COUNT * Square::COUNT;

/// A moved piece and its target square as an index; one value more stands for
/// "no move" (null move, before the root).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// No move.
    pub const NONE: PieceTo = PieceTo(PIECE_TO as u16);

    /// This piece went there.
    #[inline]
    pub const fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * Square::COUNT + to.index()) as u16)
    }

    /// What a move of this position does.
    #[inline]
    pub fn of(position: &Position, m: Move) -> PieceTo {
        position.piece_at(m.from()).map_or(PieceTo::NONE, |piece| PieceTo::new(piece, m.to()))
    }

    #[inline]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The moves that led to a node, newest first: one, two, four and six plies
/// ago.
pub type Trail = [PieceTo; 4];

/// How many moves of a trail have a continuation history.
const TRAIL: usize = 4;

/// A thread's memory.
pub struct Histories {
    butterfly: Box<[[i16; Square::COUNT * Square::COUNT]]>,
    captures: Box<[[i16; 7]]>,
    continuation: Box<[[i16; PIECE_TO]]>,
    pawn: Box<[[i16; PIECE_TO]]>,
    counters: Box<[Option<Move>]>,
    corrections: Box<[[[i16; 5]; 2]]>,
    continuation_corrections: Box<[[i16; 2]]>,
}

impl Histories {
    /// An empty memory.
    pub fn new() -> Histories {
        Histories {
            butterfly: vec![[0; Square::COUNT * Square::COUNT]; 2].into(),
            captures: vec![[0; 7]; PIECE_TO + 1].into(),
            continuation: vec![[0; PIECE_TO]; PIECE_TO + 1].into(),
            pawn: vec![[0; PIECE_TO]; PAWN_SIZE].into(),
            counters: vec![None; PIECE_TO + 1].into(),
            corrections: vec![[[0; 5]; 2]; CORRECTION_SIZE].into(),
            continuation_corrections: vec![[0; 2]; PIECE_TO + 1].into(),
        }
    }

    /// How well a quiet move has done, about -50,000 to 50,000.
    #[inline]
    pub fn quiet(&self, position: &Position, m: Move, trail: &Trail) -> i32 {
        let piece_to = PieceTo::of(position, m).index();
        let side = position.side_to_move().index();
        let entry = |table: &[[i16; PIECE_TO]], row: usize| i32::from(table[row][piece_to]);
        i32::from(self.butterfly[side][from_to(m)])
            + entry(&self.pawn, pawn_row(position))
            + entry(&self.continuation, trail[0].index())
            + entry(&self.continuation, trail[1].index())
            + entry(&self.continuation, trail[2].index()) / 2
            + entry(&self.continuation, trail[3].index()) / 2
    }

    /// How well a capture has done, -16,384 to 16,384.
    #[inline]
    pub fn capture(&self, position: &Position, m: Move) -> i32 {
        let victim = position.piece_at(m.to()).map_or(0, |piece| piece.kind().index());
        i32::from(self.captures[PieceTo::of(position, m).index()][victim])
    }

    /// The quiet move that refuted this one last.
    #[inline]
    pub fn counter(&self, previous: PieceTo) -> Option<Move> {
        self.counters[previous.index()]
    }

    /// Learns from a node where `best` was best: it gains, the moves tried
    /// before it lose.
    pub fn reward(
        &mut self,
        position: &Position,
        trail: &Trail,
        best: Move,
        tried: &Tried,
        depth: i32,
        params: &Params,
    ) {
        let bonus = (params.bonus_slope * depth).min(params.bonus_max);
        let malus = -(params.malus_slope * depth).min(params.malus_max);
        if position.is_capture(best) {
            self.update_capture(position, best, bonus);
        } else {
            self.update_quiet(position, trail, best, bonus);
            self.counters[trail[0].index()] = Some(best);
            for &m in &tried.quiets {
                self.update_quiet(position, trail, m, malus);
            }
        }
        for &m in &tried.captures {
            self.update_capture(position, m, malus);
        }
    }

    fn update_quiet(&mut self, position: &Position, trail: &Trail, m: Move, bonus: i32) {
        let side = position.side_to_move().index();
        gravitate(&mut self.butterfly[side][from_to(m)], bonus, LIMIT);
        let piece_to = PieceTo::of(position, m);
        gravitate(&mut self.pawn[pawn_row(position)][piece_to.index()], bonus, LIMIT);
        self.update_continuation(trail, piece_to, bonus);
    }

    /// Learns how a move does after the moves before it.
    pub fn update_continuation(&mut self, trail: &Trail, m: PieceTo, bonus: i32) {
        for previous in &trail[..TRAIL] {
            if *previous != PieceTo::NONE {
                gravitate(&mut self.continuation[previous.index()][m.index()], bonus, LIMIT);
            }
        }
    }

    /// Learns how good the move that led to a node was.
    pub fn judge_previous(&mut self, mover: Color, m: Move, bonus: i32) {
        gravitate(&mut self.butterfly[mover.index()][from_to(m)], bonus, LIMIT);
    }

    fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        if let Some(victim) = position.piece_at(m.to()) {
            let row = PieceTo::of(position, m).index();
            gravitate(&mut self.captures[row][victim.kind().index()], bonus, LIMIT);
        }
    }

    /// What searches of similar positions found the static evaluation to be
    /// off by, centipawns.
    #[inline]
    pub fn correction(&self, position: &Position, trail: &Trail) -> i32 {
        let side = position.side_to_move().index();
        let mut sum = 0;
        for (kind, row) in correction_rows(position).into_iter().enumerate() {
            sum += i32::from(self.corrections[row][side][kind]);
        }
        sum += i32::from(self.continuation_corrections[trail[0].index()][side]);
        sum / (2 * CORRECTION_GRAIN)
    }

    /// Learns that a search of `depth` plies found the score to differ from
    /// the evaluation by `error` centipawns.
    pub fn correct(&mut self, position: &Position, trail: &Trail, error: i32, depth: i32) {
        let side = position.side_to_move().index();
        let step = (error * depth / 4).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        for (kind, row) in correction_rows(position).into_iter().enumerate() {
            gravitate(&mut self.corrections[row][side][kind], step, CORRECTION_LIMIT);
        }
        let row = trail[0].index();
        gravitate(&mut self.continuation_corrections[row][side], step, CORRECTION_LIMIT);
    }
}

impl Default for Histories {
    fn default() -> Histories {
        Histories::new()
    }
}

#[inline]
fn gravitate(entry: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / limit) as i16;
}

#[inline]
const fn from_to(m: Move) -> usize {
    m.from().index() * Square::COUNT + m.to().index()
}

#[inline]
fn pawn_row(position: &Position) -> usize {
    position.keys().pawn as usize % PAWN_SIZE
}

/// Rows of the correction tables: pawns, guards, the pieces of either side,
/// and the attackers' material.
#[inline]
fn correction_rows(position: &Position) -> [usize; 5] {
    let keys = position.keys();
    let row = |key: u64| key as usize % CORRECTION_SIZE;
    [
        row(keys.pawn),
        row(keys.guard),
        row(keys.non_pawn[0]),
        row(keys.non_pawn[1]),
        material_row(position) % CORRECTION_SIZE,
    ]
}

/// A number for how many rooks, knights and cannons each side has.
#[inline]
fn material_row(position: &Position) -> usize {
    let kinds = [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon, PieceKind::Pawn];
    let mut row = 0;
    for color in Color::ALL {
        for kind in kinds {
            row = row * 3 + (position.pieces_of(color, kind).len() as usize).min(2);
        }
    }
    row
}

/// The moves a node has tried and that were not good enough.
#[derive(Default)]
pub struct Tried {
    quiets: ArrayVec<Move, 40>,
    captures: ArrayVec<Move, 20>,
}

impl Tried {
    /// Notes a move; moves beyond the capacity are forgotten.
    #[inline]
    pub fn note(&mut self, m: Move, is_capture: bool) {
        // an error is a full list
        let _ = if is_capture { self.captures.try_push(m) } else { self.quiets.try_push(m) };
    }
}

/// Adds a correction to an evaluation without leaving the evaluation band.
#[inline]
pub fn corrected(eval: Score, correction: i32, params: &Params) -> Score {
    Score::from_centipawns(eval.raw() + correction * params.correction_weight / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_within_their_bounds() {
        let mut entry = 0;
        for i in 0..10_000 {
            gravitate(&mut entry, if i % 7 == 0 { -3_000 } else { 2_900 }, LIMIT);
            assert!(i32::from(entry).abs() <= LIMIT);
        }
        assert!(entry > 0);
    }

    #[test]
    fn a_rewarded_move_scores_above_a_tried_one() {
        let position = Position::startpos();
        let mut histories = Histories::new();
        let trail = [PieceTo::NONE; 4];
        let (best, tried_move) = ("h2e2".parse().unwrap(), "a0a1".parse().unwrap());
        let mut tried = Tried::default();
        tried.note(tried_move, false);
        histories.reward(&position, &trail, best, &tried, 5, &Params::default());
        assert!(histories.quiet(&position, best, &trail) > 0);
        assert!(histories.quiet(&position, tried_move, &trail) < 0);
        assert_eq!(histories.counter(PieceTo::NONE), Some(best));
    }

    #[test]
    fn corrections_learn_the_error() {
        let position = Position::startpos();
        let mut histories = Histories::new();
        let trail = [PieceTo::NONE; 4];
        for _ in 0..200 {
            histories.correct(&position, &trail, 60, 8);
        }
        assert!(histories.correction(&position, &trail) > 20);
    }
}
