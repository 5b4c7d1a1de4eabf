//! What the algorithms hold while they are at a node.

use crate::score::Score;

use super::window::Window;

/// A node that has been entered.
pub(super) enum Node<M> {
    /// Its score is known without looking at its moves: a leaf, the end of the
    /// game, a hit in the table, a null move that failed high.
    Scored(Score),
    /// Its moves must be searched.
    Open(OpenNode<M>),
}

/// A node whose moves must be searched.
pub(super) struct OpenNode<M> {
    /// The legal moves, those expected to be good first.
    pub moves: Vec<M>,
    /// The depth left, with the extension of this node; its children get one
    /// ply less.
    pub depth: i32,
    /// The depth asked for, by which the table knows the node.
    pub asked: i32,
    /// The window asked for.
    pub window: Window,
}

/// The best move of a node so far.
#[derive(Clone, Copy)]
pub(super) struct Best<M> {
    /// Its score.
    pub score: Score,
    /// The move; `None` while no move exceeded the score at the beginning.
    pub m: Option<M>,
}

impl<M> Best<M> {
    /// No move is known; any score is better.
    pub fn none() -> Best<M> {
        Best::at(-Score::INFINITE)
    }

    /// No move is known, and only a score above this one counts.
    pub fn at(score: Score) -> Best<M> {
        Best { score, m: None }
    }

    /// Takes the move if it is better.
    pub fn improve(&mut self, m: M, score: Score) {
        if score > self.score {
            *self = Best { score, m: Some(m) };
        }
    }
}
