//! The refutation table (Akl and Newborn, 1977): for each move of the root the line
//! that answered it in the last search, to be followed first in the next one.
//!
//! Most moves of the root are refuted again as they were one ply before. A
//! transposition table knows that too, and far more; but it wants memory for all
//! positions, where this one wants a line for each move of the root. The table
//! here keeps the best line of the root apart as well, so that its first move is
//! tried first.

use std::collections::HashMap;
use std::hash::Hash;

/// The lines of the root's moves, and how the search comes by them.
pub(super) struct Refutations<M> {
    /// Of each move of the root, the line that begins with it.
    lines: HashMap<M, Vec<M>>,
    /// The best move of the root.
    best: Option<M>,
    /// The lines of the moves searched at the nodes of the path, by ply, as far
    /// as the search has got; a move searched again has its last one at the end.
    searched: Vec<Vec<Vec<M>>>,
    /// The best line of the node that the search has left last.
    left: Vec<M>,
}

impl<M: Copy + Eq + Hash> Refutations<M> {
    pub fn new() -> Refutations<M> {
        Refutations { lines: HashMap::new(), best: None, searched: Vec::new(), left: Vec::new() }
    }

    /// The move to follow at the node that `path` leads to.
    pub fn follow(&self, path: &[M]) -> Option<M> {
        let Some(first) = path.first() else { return self.best };
        let line = self.lines.get(first)?;
        line.strip_prefix(path)?.first().copied()
    }

    /// Begins a node, so many plies from the root, of which no move is searched.
    pub fn enter(&mut self, ply: usize) {
        if self.searched.len() <= ply {
            self.searched.resize_with(ply + 1, Vec::new);
        }
        self.searched[ply].clear();
    }

    /// A node ends without a line of its own, before its moves are searched.
    pub fn end_line(&mut self) {
        self.left.clear();
    }

    /// Notes the line of a move that has been searched at this ply.
    pub fn add(&mut self, m: M, ply: usize) {
        let line = [m].into_iter().chain(self.left.drain(..)).collect();
        if let Some(searched) = self.searched.get_mut(ply) {
            searched.push(line);
        }
    }

    /// Ends a node with its best move, if it has one.
    pub fn leave(&mut self, best: Option<M>, ply: usize) {
        let searched = std::mem::take(&mut self.searched[ply]);
        if ply == 0 {
            self.best = best.or(self.best);
            let of_root = searched.iter().map(|line| (line[0], line.clone()));
            self.lines.extend(of_root);
        }
        let line = searched.into_iter().rfind(|line| line.first().copied() == best);
        self.left = line.unwrap_or_default();
    }
}
