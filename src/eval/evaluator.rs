//! The evaluation as a search uses it, along the line that it looks at.

use std::sync::Arc;

use crate::board::{Move, Position};

use super::classical::{self, PieceSquareSums};
use super::nnue::{self, AccumulatorStack, Network};

/// Which evaluation is used. The default is the net that belongs to the
/// program, or the classical evaluation where there is none
/// ([`nnue::embedded`]).
#[derive(Clone, Debug)]
pub enum EvalKind {
    /// The hand-made one of [`classical`].
    Classical,
    /// A net, see [`nnue`].
    Nnue(Arc<Network>),
}

impl Default for EvalKind {
    fn default() -> EvalKind {
        nnue::embedded().map_or(EvalKind::Classical, EvalKind::Nnue)
    }
}

/// Evaluates the positions along a line of moves and keeps, one entry a ply,
/// what need not be computed afresh.
///
/// Every [`push`](Evaluator::push) is taken back by a
/// [`pop`](Evaluator::pop). A null move changes nothing here and needs neither.
#[derive(Clone, Debug)]
pub struct Evaluator {
    state: State,
}

/// What is kept for each ply, the current one at the end.
#[derive(Clone, Debug)]
enum State {
    Classical { root: PieceSquareSums, stack: Vec<PieceSquareSums> },
    Nnue(AccumulatorStack),
}

impl Evaluator {
    /// An evaluator of this kind that stands at `position`.
    pub fn new(kind: EvalKind, position: &Position) -> Evaluator {
        let state = match kind {
            EvalKind::Classical => State::Classical {
                root: PieceSquareSums::new(position),
                stack: Vec::with_capacity(256),
            },
            EvalKind::Nnue(network) => State::Nnue(AccumulatorStack::new(network, position)),
        };
        Evaluator { state }
    }

    /// Forgets the line and starts a new one from `position`.
    pub fn reset(&mut self, position: &Position) {
        match &mut self.state {
            State::Classical { root, stack } => {
                *root = PieceSquareSums::new(position);
                stack.clear();
            }
            State::Nnue(stack) => stack.reset(position),
        }
    }

    /// Follows a move that is about to be made in `position`; call it before
    /// [`Position::make`].
    #[inline]
    pub fn push(&mut self, position: &Position, m: Move) {
        match &mut self.state {
            State::Classical { root, stack } => {
                let mut sums = *stack.last().unwrap_or(root);
                if let Some(piece) = position.piece_at(m.from()) {
                    sums.apply(piece, m, position.piece_at(m.to()));
                }
                stack.push(sums);
            }
            State::Nnue(stack) => stack.push(position, m),
        }
    }

    /// Steps back over the last move; nothing happens at the root.
    #[inline]
    pub fn pop(&mut self) {
        match &mut self.state {
            State::Classical { stack, .. } => {
                stack.pop();
            }
            State::Nnue(stack) => stack.pop(),
        }
    }

    /// The value of `position`, which the moves since
    /// [`reset`](Evaluator::reset) have led to, in centipawns for the side to
    /// move; never beyond [`LIMIT`](super::LIMIT) either way.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        match &mut self.state {
            State::Classical { root, stack } => {
                let sums = stack.last().unwrap_or(root);
                debug_assert_eq!(*sums, PieceSquareSums::new(position), "a move not pushed?");
                classical::evaluate(position, sums)
            }
            State::Nnue(stack) => stack.evaluate(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::classical::testing::random_game;
    use crate::eval::nnue::testing::random_network;

    #[test]
    fn a_line_followed_and_taken_back_evaluates_as_from_scratch() {
        let mut evaluator = Evaluator::new(EvalKind::Classical, &Position::startpos());
        for seed in 0..20 {
            let mut position = Position::startpos();
            evaluator.reset(&position);
            let mut played = Vec::new();
            for m in random_game(seed, 120) {
                evaluator.push(&position, m);
                let undo = position.make(m);
                let fresh = classical::evaluate(&position, &PieceSquareSums::new(&position));
                assert_eq!(evaluator.evaluate(&position), fresh);
                played.push((m, undo, fresh));
            }
            while let Some((m, undo, value)) = played.pop() {
                assert_eq!(evaluator.evaluate(&position), value);
                position.unmake(m, undo);
                evaluator.pop();
            }
        }
    }

    #[test]
    fn the_root_stays_when_there_is_nothing_to_take_back() {
        let start = Position::startpos();
        for kind in [EvalKind::Classical, EvalKind::Nnue(Arc::new(random_network(1)))] {
            let mut evaluator = Evaluator::new(kind, &start);
            let before = evaluator.evaluate(&start);
            evaluator.pop();
            assert_eq!(evaluator.evaluate(&start), before);
        }
    }
}
