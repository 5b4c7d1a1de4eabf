//! The record of a search: each node with its window, its score and whether it
//! was cut off. For drawings, and for tests that follow a worked example.

use std::collections::HashSet;

use crate::score::Score;

use super::window::Window;

/// Why a node was visited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is the root.
    Root,
    /// This move led to it.
    Move(String),
    /// The null move led to it.
    NullMove,
    /// To verify a null move, on the node itself.
    Verification,
    /// To find a first move, on the node itself.
    InternalDeepening,
}

/// One visit of a node. Scores are from the view of its side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Why it was visited.
    pub cause: Cause,
    /// Plies from the root; the side to move there moves at even ones.
    pub ply: usize,
    /// The depth asked for.
    pub depth: i32,
    /// The window asked for.
    pub window: Window,
    /// What the search answered.
    pub score: Score,
    /// Its legal moves; 0 for a node whose moves were not looked at.
    pub moves: usize,
    /// Whether a move refuted it, so that it needed no others.
    pub is_refuted: bool,
    /// The visits below it, in order.
    pub children: Vec<Visit>,
}

impl Visit {
    /// Whether moves of the node were left out, since one refuted it.
    pub fn is_cut_off(&self) -> bool {
        self.is_refuted && self.moves_searched() < self.moves
    }

    /// Moves that were left out since another one refuted the node.
    pub fn moves_cut_off(&self) -> usize {
        if self.is_cut_off() { self.moves - self.moves_searched() } else { 0 }
    }

    /// Its moves that were searched, each counted once.
    fn moves_searched(&self) -> usize {
        let moves = self.children.iter().filter_map(|child| match &child.cause {
            Cause::Move(m) => Some(m),
            _ => None,
        });
        moves.collect::<HashSet<_>>().len()
    }

    /// This visit and all below it, in the order in which they began.
    pub fn all(&self) -> Vec<&Visit> {
        let below = self.children.iter().flat_map(Visit::all);
        std::iter::once(self).chain(below).collect()
    }
}

/// The visits of a search in progress.
#[derive(Default)]
pub(super) struct Trace {
    /// Visits of the root that have ended.
    pub done: Vec<Visit>,
    /// The visits from the root to the present node.
    open: Vec<Visit>,
}

impl Trace {
    pub fn open(&mut self, cause: Cause, ply: usize, depth: i32, window: Window) {
        let (score, moves, is_refuted, children) = (Score::DRAW, 0, false, Vec::new());
        self.open.push(Visit { cause, ply, depth, window, score, moves, is_refuted, children });
    }

    pub fn set_refuted(&mut self, is_refuted: bool) {
        if let Some(visit) = self.open.last_mut() {
            visit.is_refuted = is_refuted;
        }
    }

    pub fn set_moves(&mut self, moves: usize) {
        if let Some(visit) = self.open.last_mut() {
            visit.moves = moves;
        }
    }

    pub fn close(&mut self, score: Score) {
        let Some(visit) = self.open.pop() else { return };
        let siblings = self.open.last_mut().map_or(&mut self.done, |parent| &mut parent.children);
        siblings.push(Visit { score, ..visit });
    }
}
