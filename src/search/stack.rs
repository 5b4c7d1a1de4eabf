//! What a thread knows of each ply of the line it is searching.

use arrayvec::ArrayVec;

use crate::board::Move;
use crate::score::{MAX_PLY, Score};

use super::history::{Continuation, PieceTo};

/// Moves of a principal variation; those beyond are cut off.
const PV_LENGTH: usize = 64;

/// One ply of the line.
#[derive(Clone, Debug)]
pub struct StackEntry {
    /// The move being searched from here.
    pub played: PieceTo,
    /// The corrected static evaluation; `None` in check.
    pub eval: Option<Score>,
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    /// Quiet moves that refuted sibling nodes, the newest first.
    pub killers: [Option<Move>; 2],
    /// How much shallower than usual the move is searched, plies.
    pub reduction: i32,
    /// Beta cut-offs at this ply below the parent node.
    pub cutoffs: u32,
    /// Double extensions on the way here.
    pub double_extensions: u32,
}

impl StackEntry {
    const fn new() -> StackEntry {
        StackEntry {
            played: PieceTo::NONE,
            eval: None,
            excluded: None,
            killers: [None; 2],
            reduction: 0,
            cutoffs: 0,
            double_extensions: 0,
        }
    }

    /// Adds a quiet move that caused a beta cut-off.
    pub fn add_killer(&mut self, m: Move) {
        if self.killers[0] != Some(m) {
            self.killers = [Some(m), self.killers[0]];
        }
    }
}

/// Entries before the root, so that looking back never leaves the array.
const BEFORE_ROOT: usize = 6;

/// What is known of the plies of the line.
#[derive(Debug)]
pub struct Stack {
    /// From [`BEFORE_ROOT`] plies before the root to one beyond [`MAX_PLY`].
    entries: Vec<StackEntry>,
    /// The principal variations from the root on: apart, for few nodes have one.
    pvs: Vec<ArrayVec<Move, PV_LENGTH>>,
}

impl Stack {
    /// The stack at the root of a search.
    pub fn new() -> Stack {
        Stack {
            entries: vec![StackEntry::new(); BEFORE_ROOT + MAX_PLY + 2],
            pvs: vec![ArrayVec::new(); MAX_PLY + 2],
        }
    }

    /// Makes it that of a new search.
    pub fn reset(&mut self) {
        self.entries.fill(StackEntry::new());
        self.pvs.iter_mut().for_each(ArrayVec::clear);
    }

    /// The entry of a ply, counted from the root.
    #[inline]
    pub fn at(&self, ply: usize) -> &StackEntry {
        &self.entries[BEFORE_ROOT + ply]
    }

    /// The entry of a ply, to be changed.
    #[inline]
    pub fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.entries[BEFORE_ROOT + ply]
    }

    /// The entry `back` plies before that of `ply`; `back` is at most 6.
    #[inline]
    pub fn before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.entries[BEFORE_ROOT + ply - back]
    }

    /// The moves that led to the node at `ply`.
    #[inline]
    pub fn continuation(&self, ply: usize) -> Continuation {
        [1, 2, 4, 6].map(|back| self.before(ply, back).played)
    }

    /// Enters a node with this static evaluation: clears what its children
    /// will fill and inherits what its parent counted.
    #[inline]
    pub fn enter(&mut self, ply: usize, eval: Option<Score>) {
        let inherited = if ply == 0 { 0 } else { self.before(ply, 1).double_extensions };
        let entry = self.at_mut(ply);
        entry.eval = eval;
        entry.double_extensions = inherited;
        let child = self.at_mut(ply + 1);
        child.cutoffs = 0;
        child.reduction = 0;
        child.killers = [None; 2];
        child.excluded = None;
    }

    /// The static evaluation of the same side's node before this one, 2 or 4
    /// plies ago; `None` if it was in check at both.
    #[inline]
    pub fn own_eval_before(&self, ply: usize) -> Option<Score> {
        self.before(ply, 2).eval.or(self.before(ply, 4).eval)
    }

    /// The principal variation of the node at `ply`.
    pub fn pv(&self, ply: usize) -> &[Move] {
        &self.pvs[ply]
    }

    /// Empties the principal variation of the node at `ply`.
    #[inline]
    pub fn clear_pv(&mut self, ply: usize) {
        self.pvs[ply].clear();
    }

    /// The principal variation of the node at `ply` becomes `m` and that of
    /// its child.
    pub fn update_pv(&mut self, ply: usize, m: Move) {
        let (parents, children) = self.pvs.split_at_mut(ply + 1);
        let (pv, rest) = (&mut parents[ply], &children[0]);
        pv.clear();
        pv.push(m);
        pv.extend(rest.iter().copied().take(PV_LENGTH - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn m(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn a_variation_grows_from_the_leaf_to_the_root() {
        let mut stack = Stack::new();
        stack.update_pv(2, m("h0g2"));
        stack.update_pv(1, m("h9g7"));
        stack.update_pv(0, m("h2e2"));
        assert_eq!(stack.pv(0), ["h2e2", "h9g7", "h0g2"].map(m));
        stack.clear_pv(1);
        stack.update_pv(0, m("b2e2"));
        assert_eq!(stack.pv(0), [m("b2e2")]);
    }

    #[test]
    fn a_long_variation_is_cut_off() {
        let mut stack = Stack::new();
        for ply in (0..=PV_LENGTH).rev() {
            stack.update_pv(ply, m("h2e2"));
        }
        assert_eq!(stack.pv(0).len(), PV_LENGTH);
    }

    #[test]
    fn a_node_clears_its_children_and_inherits_extensions() {
        let mut stack = Stack::new();
        stack.at_mut(0).double_extensions = 3;
        stack.at_mut(2).add_killer(m("h2e2"));
        stack.at_mut(2).excluded = Some(m("h2e2"));
        stack.at_mut(2).cutoffs = 5;
        stack.enter(1, None);
        assert_eq!(stack.at(1).double_extensions, 3);
        let child = stack.at(2);
        assert_eq!((child.killers, child.excluded, child.cutoffs), ([None; 2], None, 0));
    }

    #[test]
    fn killers_are_distinct_and_the_newest_first() {
        let mut entry = StackEntry::new();
        for text in ["h2e2", "b2e2", "b2e2"] {
            entry.add_killer(m(text));
        }
        assert_eq!(entry.killers, [Some(m("b2e2")), Some(m("h2e2"))]);
    }
}
