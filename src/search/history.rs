//! History tables: how well moves have done elsewhere in the tree.
//!
//! Every entry moves towards a bonus with "gravity": the closer it is to the
//! bound, the less a bonus in that direction adds.
//!
//! A few threads learn together, without locks: of two bonuses that come to an
//! entry at the same time one may be lost.

use std::sync::atomic::{AtomicI16, AtomicU16, Ordering::Relaxed};

use arrayvec::ArrayVec;
use bytemuck::Zeroable;

use crate::board::{Color, Move, Piece, Position, Square};

use super::params::Params;

/// Bound of every history entry.
const LIMIT: i32 = 16_384;
const PAWN_SIZE: usize = 1 << 9;
/// Number of pairs of a piece and a square on which it can stand.
pub const PIECE_TO: usize = 2 * (9 + 5 + 7 + 3 * 90 + 55);

/// A moved piece and its target square as an index; one value more stands for
/// "no move" (null move, before the root).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

/// The pairs numbered without gaps, so that the tables stay in near memory;
/// impossible ones are "no move".
static NUMBERS: [[PieceTo; Square::COUNT]; Piece::COUNT] = {
    let mut numbers = [[PieceTo::NONE; Square::COUNT]; Piece::COUNT];
    let mut number = 0;
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while let Some(to) = Square::from_index(square) {
            if Piece::ALL[piece].can_stand_on(to) {
                numbers[piece][square] = PieceTo(number);
                number += 1;
            }
            square += 1;
        }
        piece += 1;
    }
    assert!(number as usize == PIECE_TO);
    numbers
};

impl PieceTo {
    /// No move.
    pub const NONE: PieceTo = PieceTo(PIECE_TO as u16);

    /// This piece went there.
    #[inline]
    pub fn new(piece: Piece, to: Square) -> PieceTo {
        NUMBERS[piece.index()][to.index()]
    }

    /// What a move of this position does.
    #[inline]
    pub fn of(position: &Position, m: Move) -> PieceTo {
        position.piece_at(m.from()).map_or(PieceTo::NONE, |piece| PieceTo::new(piece, m.to()))
    }

    /// 0 to [`PIECE_TO`], which is that of [`PieceTo::NONE`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The moves that led to a node and that continuation history reads: one, two,
/// four and six plies ago.
pub type Continuation = [PieceTo; 4];

/// A table of rows.
pub type Table<const N: usize> = Box<[[AtomicI16; N]]>;

/// The history tables of some threads.
pub struct Histories {
    /// By side, from and to.
    butterfly: Table<{ Square::COUNT * Square::COUNT }>,
    /// By piece and target, then by the captured kind.
    captures: Table<7>,
    /// By an earlier move, then by piece and target.
    continuation: Table<PIECE_TO>,
    /// By the key of the pawns, then by piece and target.
    pawn: Table<PIECE_TO>,
    /// By the previous move: the quiet move that refuted it last, as its bits.
    counters: Box<[AtomicU16]>,
}

impl Histories {
    /// Empty tables, about 1.7 MB.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new() -> Result<Histories, OutOfMemory> {
        Ok(Histories {
            butterfly: table(2)?,
            captures: table(PIECE_TO + 1)?,
            continuation: table(PIECE_TO + 1)?,
            pawn: table(PAWN_SIZE)?,
            counters: table(PIECE_TO + 1)?,
        })
    }

    /// Empties the tables.
    pub fn clear(&self) {
        clear(&self.butterfly);
        clear(&self.captures);
        clear(&self.continuation);
        clear(&self.pawn);
        self.counters.iter().for_each(|counter| counter.store(0, Relaxed));
    }

    /// What is known of the quiet moves of a node.
    #[inline]
    pub fn quiets(
        &self,
        position: &Position,
        continuation: &Continuation,
        params: &Params,
    ) -> QuietHistory<'_> {
        QuietHistory {
            butterfly: &self.butterfly[position.side_to_move().index()],
            pawn: &self.pawn[pawn_row(position)],
            continuation: continuation.map(|previous| &self.continuation[previous.index()]),
            weights: [
                params.history_pawn_weight,
                params.history_last_weight,
                params.history_own_weight,
                params.history_far_weight,
            ],
        }
    }

    /// How well a capture has done, -16,384 to 16,384.
    #[inline]
    pub fn capture(&self, position: &Position, m: Move) -> i32 {
        let victim = position.piece_at(m.to()).map_or(0, |piece| piece.kind().index());
        value(&self.captures[PieceTo::of(position, m).index()][victim])
    }

    /// The quiet move that refuted this one last.
    #[inline]
    pub fn counter(&self, previous: PieceTo) -> Option<Move> {
        Move::from_bits(self.counters[previous.index()].load(Relaxed))
    }

    /// Updates after a node of this depth where `best` was best: it gains, the
    /// moves tried before it lose.
    pub fn reward(
        &self,
        position: &Position,
        continuation: &Continuation,
        best: Move,
        tried: &TriedMoves,
        depth: i32,
        params: &Params,
    ) {
        let bonus = (params.bonus_slope * depth).min(params.bonus_max);
        let malus = -(params.malus_slope * depth).min(params.malus_max);
        if position.is_capture(best) {
            self.update_capture(position, best, bonus, params);
        } else {
            self.update_quiet(position, continuation, best, bonus, params);
            self.counters[continuation[0].index()].store(best.to_bits(), Relaxed);
            for &m in &tried.quiets {
                self.update_quiet(position, continuation, m, malus, params);
            }
        }
        for &m in &tried.captures {
            self.update_capture(position, m, malus, params);
        }
    }

    fn update_quiet(
        &self,
        position: &Position,
        continuation: &Continuation,
        m: Move,
        bonus: i32,
        params: &Params,
    ) {
        self.update_butterfly(position.side_to_move(), m, bonus);
        let piece_to = PieceTo::of(position, m);
        let entry = &self.pawn[pawn_row(position)][piece_to.index()];
        gravitate(entry, bonus * params.bonus_pawn / 1024, LIMIT);
        self.update_continuation(continuation, piece_to, bonus, params);
    }

    /// Updates how a move does after the moves before it.
    pub fn update_continuation(
        &self,
        continuation: &Continuation,
        m: PieceTo,
        bonus: i32,
        params: &Params,
    ) {
        let bonus = bonus * params.bonus_continuation / 1024;
        for previous in continuation {
            if *previous != PieceTo::NONE {
                gravitate(&self.continuation[previous.index()][m.index()], bonus, LIMIT);
            }
        }
    }

    /// Updates how a quiet move of a side does wherever it is played.
    pub fn update_butterfly(&self, mover: Color, m: Move, bonus: i32) {
        gravitate(&self.butterfly[mover.index()][from_to(m)], bonus, LIMIT);
    }

    fn update_capture(&self, position: &Position, m: Move, bonus: i32, params: &Params) {
        if let Some(victim) = position.piece_at(m.to()) {
            let entry = &self.captures[PieceTo::of(position, m).index()][victim.kind().index()];
            gravitate(entry, bonus * params.bonus_capture / 1024, LIMIT);
        }
    }
}

/// The rows of the tables in which the quiet moves of one node are looked up.
pub struct QuietHistory<'a> {
    butterfly: &'a [AtomicI16; Square::COUNT * Square::COUNT],
    pawn: &'a [AtomicI16; PIECE_TO],
    continuation: [&'a [AtomicI16; PIECE_TO]; 4],
    /// Of the tables by pawns, by the last move, by the own one before, and by
    /// those long ago, 1/1024.
    weights: [i32; 4],
}

impl QuietHistory<'_> {
    /// How well a quiet move of the node's position has done, -212,992 to 212,992.
    #[inline]
    pub fn score(&self, position: &Position, m: Move) -> i32 {
        let piece_to = PieceTo::of(position, m).index();
        let entry = |row: &[AtomicI16; PIECE_TO]| value(&row[piece_to]);
        let [last, own, before, own_before] = self.continuation;
        let [by_pawns, by_last, by_own, by_far] = self.weights;
        let weighted = by_pawns * entry(self.pawn)
            + by_last * entry(last)
            + by_own * entry(own)
            + by_far * (entry(before) + entry(own_before));
        value(&self.butterfly[from_to(m)]) + weighted / 1024
    }
}

/// There is no memory for the tables of some threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// A table of zeros; the system provides each page when it is first used.
///
/// # Errors
/// When the memory cannot be had.
pub fn table<T: Zeroable>(rows: usize) -> Result<Box<[T]>, OutOfMemory> {
    bytemuck::try_zeroed_slice_box(rows).map_err(|()| OutOfMemory)
}

/// Moves an entry towards `bonus`; it never leaves -`limit` to `limit`.
#[inline]
pub fn gravitate(entry: &AtomicI16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = value(entry);
    entry.store((old + bonus - old * bonus.abs() / limit) as i16, Relaxed);
}

#[inline]
pub fn value(entry: &AtomicI16) -> i32 {
    i32::from(entry.load(Relaxed))
}

/// Makes all entries zero.
pub fn clear<const N: usize>(rows: &[[AtomicI16; N]]) {
    rows.as_flattened().iter().for_each(|entry| entry.store(0, Relaxed));
}

#[inline]
const fn from_to(m: Move) -> usize {
    m.from().index() * Square::COUNT + m.to().index()
}

#[inline]
fn pawn_row(position: &Position) -> usize {
    position.keys().pawn as usize % PAWN_SIZE
}

/// The moves of a node that were searched and not good enough.
#[derive(Default)]
pub struct TriedMoves {
    quiets: ArrayVec<Move, 40>,
    captures: ArrayVec<Move, 20>,
}

impl TriedMoves {
    /// Adds a move; moves beyond the capacity are dropped.
    #[inline]
    pub fn add(&mut self, m: Move, is_capture: bool) {
        // an error is a full list
        let _ = if is_capture { self.captures.try_push(m) } else { self.quiets.try_push(m) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_within_their_bounds() {
        let entry = AtomicI16::new(0);
        for i in 0..10_000 {
            gravitate(&entry, if i % 7 == 0 { -3_000 } else { 2_900 }, LIMIT);
            assert!(value(&entry).abs() <= LIMIT);
        }
        assert!(value(&entry) > 0);
    }

    #[test]
    fn every_move_of_a_piece_has_a_number_of_its_own() {
        let mut numbers: Vec<usize> = Vec::new();
        for piece in Piece::ALL {
            for to in Square::all().filter(|&to| piece.can_stand_on(to)) {
                numbers.push(PieceTo::new(piece, to).index());
            }
        }
        assert_eq!(numbers, (0..PIECE_TO).collect::<Vec<_>>());
    }

    #[test]
    fn a_rewarded_move_scores_above_a_tried_one() {
        let position = Position::startpos();
        let histories = Histories::new().unwrap();
        let continuation = [PieceTo::NONE; 4];
        let (best, tried_move) = ("h2e2".parse().unwrap(), "a0a1".parse().unwrap());
        let mut tried = TriedMoves::default();
        tried.add(tried_move, false);
        histories.reward(&position, &continuation, best, &tried, 5, &Params::default());
        let quiets = histories.quiets(&position, &continuation, &Params::default());
        assert!(quiets.score(&position, best) > 0);
        assert!(quiets.score(&position, tried_move) < 0);
        assert_eq!(histories.counter(PieceTo::NONE), Some(best));
    }

    #[test]
    fn a_best_capture_costs_the_captures_before_it_but_no_quiet_move() {
        let fen = "3k5/9/9/9/p7r/9/9/9/9/R3K3R w";
        let position = Position::from_fen(fen).unwrap();
        let continuation = [PieceTo::NONE; 4];
        let [best, capture, quiet] = ["i0i5", "a0a5", "a0a1"].map(|text| text.parse().unwrap());
        let mut tried = TriedMoves::default();
        tried.add(capture, true);
        tried.add(quiet, false);
        let histories = Histories::new().unwrap();
        histories.reward(&position, &continuation, best, &tried, 5, &Params::default());
        assert!(histories.capture(&position, best) > 0);
        assert!(histories.capture(&position, capture) < 0);
        let quiets = histories.quiets(&position, &continuation, &Params::default());
        assert_eq!(quiets.score(&position, quiet), 0);
    }
}
