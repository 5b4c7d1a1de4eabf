//! Correction history: how far off the static evaluation was in positions
//! that have something in common, and the evaluation corrected by it.

use crate::board::{Color, PieceKind, Position};
use crate::score::Score;

use super::history::{Continuation, OutOfMemory, PIECE_TO, Table, clear, gravitate, table, value};
use super::params::Params;

/// Bound of a correction, 1/32 centipawn.
const LIMIT: i32 = 1_024 * 4;
const GRAIN: i32 = 32;
const SIZE: usize = 1 << 14;
/// Tables by pawns, advisors and elephants, the pieces of either side, and
/// material.
const TABLES: usize = 5;

/// The corrections of some threads, which learn them together.
pub struct CorrectionHistory {
    /// By table and row, then by the side to move.
    positions: Table<2>,
    /// By the last move and the side to move.
    continuation: Table<2>,
}

impl CorrectionHistory {
    /// No corrections.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new() -> Result<CorrectionHistory, OutOfMemory> {
        Ok(CorrectionHistory {
            positions: table(TABLES * SIZE)?,
            continuation: table(PIECE_TO + 1)?,
        })
    }

    /// Forgets all corrections.
    pub fn clear(&self) {
        clear(&self.positions);
        clear(&self.continuation);
    }

    /// What searches of similar positions found the static evaluation to be
    /// off by, centipawns.
    #[inline]
    pub fn correction(
        &self,
        position: &Position,
        continuation: &Continuation,
        params: &Params,
    ) -> i32 {
        let side = position.side_to_move().index();
        let shares: [i32; TABLES] = [
            params.correction_pawn,
            params.correction_guard,
            params.correction_non_pawn,
            params.correction_non_pawn,
            params.correction_material,
        ];
        let mut sum = params.correction_continuation
            * value(&self.continuation[continuation[0].index()][side]);
        for (row, share) in rows(position).into_iter().zip(shares) {
            sum += share * value(&self.positions[row][side]);
        }
        sum / (2 * GRAIN * 1024)
    }

    /// Updates after a search of `depth` plies whose score differed from the
    /// static evaluation by `error` centipawns.
    pub fn update(
        &self,
        position: &Position,
        continuation: &Continuation,
        error: i32,
        depth: i32,
        params: &Params,
    ) {
        let side = position.side_to_move().index();
        let step = (error * depth).clamp(-LIMIT, LIMIT) * params.correction_rate / 1024;
        for row in rows(position) {
            gravitate(&self.positions[row][side], step, LIMIT);
        }
        gravitate(&self.continuation[continuation[0].index()][side], step, LIMIT);
    }
}

/// The row of each table, counted from the first table's first.
#[inline]
fn rows(position: &Position) -> [usize; TABLES] {
    let keys = position.keys();
    let [red, black] = keys.non_pawn;
    let keys = [keys.pawn, keys.guard, red, black, material(position)];
    std::array::from_fn(|table| table * SIZE + keys[table] as usize % SIZE)
}

/// A number for how many rooks, knights, cannons and pawns each side has, two
/// and more being alike.
#[inline]
fn material(position: &Position) -> u64 {
    let mut number = 0;
    for color in Color::ALL {
        for kind in PieceKind::ATTACKERS {
            number = number * 3 + u64::from(position.pieces_of(color, kind).len().min(2));
        }
    }
    number
}

/// Adds a correction to an evaluation; the sum stays in the evaluation band.
#[inline]
pub fn corrected(eval: Score, correction: i32, params: &Params) -> Score {
    Score::from_centipawns(eval.raw() + correction * params.correction_weight / 1024)
}

/// A static evaluation on the way to the natural move limit, which makes a
/// draw of it: `fade` / 1024 of it is gone there.
#[inline]
pub fn scale_by_move_limit(
    eval: Score,
    quiet_plies: u16,
    quiet_limit: u16,
    params: &Params,
) -> Score {
    let limit = i32::from(quiet_limit.max(1));
    let share = i32::from(quiet_plies.min(quiet_limit)) * params.fade / limit;
    Score::from_centipawns(eval.raw() - eval.raw() * share / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::PieceTo;

    #[test]
    fn corrections_learn_the_error_within_their_bound() {
        let position = Position::startpos();
        let corrections = CorrectionHistory::new().unwrap();
        let continuation = [PieceTo::NONE; 4];
        for _ in 0..200 {
            corrections.update(&position, &continuation, 60, 8, &Params::default());
        }
        assert!(corrections.correction(&position, &continuation, &Params::default()) > 20);
        for _ in 0..200 {
            corrections.update(&position, &continuation, -3_000, 60, &Params::default());
        }
        let bound = (TABLES as i32 + 1) * LIMIT / (2 * GRAIN);
        assert!((-bound..-20).contains(&corrections.correction(
            &position,
            &continuation,
            &Params::default()
        )));
    }

    #[test]
    fn the_other_side_to_move_learns_nothing() {
        let position = Position::startpos();
        let corrections = CorrectionHistory::new().unwrap();
        let continuation = [PieceTo::NONE; 4];
        corrections.update(&position, &continuation, 200, 20, &Params::default());
        let mut other = position;
        other.make_null();
        assert_eq!(corrections.correction(&other, &continuation, &Params::default()), 0);
    }

    #[test]
    fn evaluations_shrink_towards_the_limit_however_far_it_is() {
        let params = Params::default();
        for limit in [0, 1, 120, 1_000, u16::MAX] {
            for eval in [-15_000, -300, 0, 40, 15_000].map(Score::from_centipawns) {
                let now = scale_by_move_limit(eval, 0, limit, &params);
                let late = scale_by_move_limit(eval, limit, limit, &params);
                assert_eq!(now, eval);
                assert!(late.raw().abs() <= eval.raw().abs() && late.raw() * eval.raw() >= 0);
            }
        }
        let at =
            |quiet| scale_by_move_limit(Score::from_centipawns(1_000), quiet, 120, &params).raw();
        assert!(at(30) > at(60) && at(60) > at(119));
    }
}
