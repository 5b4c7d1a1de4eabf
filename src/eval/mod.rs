//! Static evaluation.
use crate::board::*;

/// Kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvalKind {
    /// Classical.
    #[default]
    Classical,
}
/// Evaluator.
pub struct Evaluator {}
impl Evaluator {
    /// new
    pub fn new(_kind: EvalKind) -> Evaluator {
        Evaluator {}
    }
    /// reset
    pub fn reset(&mut self, _position: &Position) {}
    /// push
    #[inline]
    pub fn push(&mut self, _position: &Position, _m: Move, _captured: Option<Piece>) {}
    /// pop
    #[inline]
    pub fn pop(&mut self) {}
    /// evaluate
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let mut v = 10;
        let us = position.side_to_move();
        for kind in PieceKind::ALL {
            v += exchange_value(kind)
                * (position.pieces_of(us, kind).len() as i32
                    - position.pieces_of(!us, kind).len() as i32);
        }
        for p in position.of_color(us) {
            v += p.rank_for(us) as i32 * 2 - (p.file() as i32 - 4).abs();
        }
        for p in position.of_color(!us) {
            v -= p.rank_for(!us) as i32 * 2 - (p.file() as i32 - 4).abs();
        }
        v
    }
}
