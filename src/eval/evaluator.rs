//! The evaluation as a search uses it, updated incrementally from move to move.

use std::sync::Arc;

use crate::board::{Move, Position};
use crate::util::crc32;

use super::classical::{self, PieceSquareSums};
use super::drawish;
use super::nnue::{self, AccumulatorStack, Network};

/// Which evaluation is used. The default is the embedded net, or the classical
/// evaluation where there is none ([`nnue::embedded`]).
#[derive(Clone, Debug)]
pub enum EvalKind {
    /// The hand-crafted evaluation of [`classical`].
    Classical,
    /// A neural net, see [`nnue`].
    Nnue(Arc<Network>),
}

impl Default for EvalKind {
    fn default() -> EvalKind {
        nnue::embedded().map_or(EvalKind::Classical, EvalKind::Nnue)
    }
}

impl EvalKind {
    /// Tells evaluations apart: the checksum of a net's file, 0 for the classical
    /// evaluation.
    pub fn checksum(&self) -> u32 {
        match self {
            EvalKind::Classical => 0,
            EvalKind::Nnue(network) => crc32(&network.to_bytes()),
        }
    }

    /// The same in words.
    pub fn identity(&self) -> String {
        match self {
            EvalKind::Classical => "classical".into(),
            EvalKind::Nnue(_) => format!("{:08x}", self.checksum()),
        }
    }
}

/// Evaluates the positions along a line of moves, with a stack of incremental
/// state.
///
/// Every [`push`](Evaluator::push) needs a [`pop`](Evaluator::pop). A null move
/// changes no inputs and needs neither.
#[derive(Clone, Debug)]
pub struct Evaluator {
    state: State,
}

/// The state of each ply, the current one last.
#[derive(Clone, Debug)]
enum State {
    Classical { root: PieceSquareSums, stack: Vec<PieceSquareSums> },
    Nnue(AccumulatorStack),
}

impl Evaluator {
    /// An evaluator whose root is `position`.
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

    /// Updates the state for a move; call it before [`Position::make`].
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

    /// Takes back the last [`push`](Evaluator::push); no effect at the root.
    #[inline]
    pub fn pop(&mut self) {
        match &mut self.state {
            State::Classical { stack, .. } => {
                stack.pop();
            }
            State::Nnue(stack) => stack.pop(),
        }
    }

    /// Does what [`evaluate`](Evaluator::evaluate) would have to do first, where
    /// there is time for it and the value is likely to be needed.
    #[inline]
    pub fn prepare(&mut self, position: &Position) {
        match &mut self.state {
            State::Classical { .. } => {}
            State::Nnue(stack) => stack.prepare(position),
        }
    }

    /// The static evaluation of `position`, which the pushed moves have led to, in
    /// centipawns for the side to move, within ±[`LIMIT`](super::LIMIT). In
    /// endings that are mostly drawn an advantage counts in part.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let value = match &mut self.state {
            State::Classical { root, stack } => {
                let sums = stack.last().unwrap_or(root);
                debug_assert_eq!(*sums, PieceSquareSums::new(position), "a move not pushed?");
                classical::evaluate(position, sums)
            }
            State::Nnue(stack) => stack.evaluate(position),
        };
        drawish::scaled(value, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_game;
    use crate::eval::nnue::testing::random_network;

    #[test]
    fn a_line_followed_and_taken_back_evaluates_as_from_scratch() {
        for seed in 0..20 {
            let mut position = Position::startpos();
            let mut evaluator = Evaluator::new(EvalKind::Classical, &position);
            let mut played = Vec::new();
            for m in random_game(seed, 120) {
                evaluator.push(&position, m);
                let undo = position.make(m);
                let fresh = classical::evaluate(&position, &PieceSquareSums::new(&position));
                let fresh = drawish::scaled(fresh, &position);
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
