//! What a thread knows of each ply of the line it is searching.

use crate::board::Move;
use crate::score::{MAX_PLY, Score};

use super::history::{Continuation, PieceTo};

/// A principal variation; moves beyond its capacity are cut off.
#[derive(Clone, Debug)]
pub struct PvLine {
    moves: [Option<Move>; PvLine::CAPACITY],
    len: usize,
}

impl PvLine {
    const CAPACITY: usize = 64;

    const fn new() -> PvLine {
        PvLine { moves: [None; PvLine::CAPACITY], len: 0 }
    }

    /// Becomes `first` followed by `rest`.
    fn update(&mut self, first: Move, rest: &PvLine) {
        self.moves[0] = Some(first);
        let kept = rest.len.min(PvLine::CAPACITY - 1);
        self.moves[1..=kept].copy_from_slice(&rest.moves[..kept]);
        self.len = kept + 1;
    }

    /// The moves.
    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().copied().flatten()
    }
}

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
    pv: PvLine,
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
            pv: PvLine::new(),
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

/// The plies of the line, from [`BEFORE_ROOT`] plies before the root to one
/// beyond [`MAX_PLY`].
#[derive(Debug)]
pub struct Stack(Vec<StackEntry>);

impl Stack {
    /// The stack at the root of a search.
    pub fn new() -> Stack {
        Stack(vec![StackEntry::new(); BEFORE_ROOT + MAX_PLY + 2])
    }

    /// Makes it that of a new search.
    pub fn reset(&mut self) {
        self.0.fill(StackEntry::new());
    }

    /// The entry of a ply, counted from the root.
    #[inline]
    pub fn at(&self, ply: usize) -> &StackEntry {
        &self.0[BEFORE_ROOT + ply]
    }

    /// The entry of a ply, to be changed.
    #[inline]
    pub fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.0[BEFORE_ROOT + ply]
    }

    /// The entry `back` plies before that of `ply`; `back` is at most 6.
    #[inline]
    pub fn before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.0[BEFORE_ROOT + ply - back]
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
    pub fn pv(&self, ply: usize) -> &PvLine {
        &self.at(ply).pv
    }

    /// Empties the principal variation of the node at `ply`.
    #[inline]
    pub fn clear_pv(&mut self, ply: usize) {
        self.at_mut(ply).pv.len = 0;
    }

    /// The principal variation of the node at `ply` becomes `m` and that of
    /// its child.
    pub fn update_pv(&mut self, ply: usize, m: Move) {
        let (parents, children) = self.0.split_at_mut(BEFORE_ROOT + ply + 1);
        parents[BEFORE_ROOT + ply].pv.update(m, &children[0].pv);
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
        let pv: Vec<Move> = stack.pv(0).iter().collect();
        assert_eq!(pv, ["h2e2", "h9g7", "h0g2"].map(m));
        stack.clear_pv(1);
        stack.update_pv(0, m("b2e2"));
        assert_eq!(stack.pv(0).iter().collect::<Vec<_>>(), [m("b2e2")]);
    }

    #[test]
    fn a_long_variation_is_cut_off() {
        let mut stack = Stack::new();
        for ply in (0..=PvLine::CAPACITY).rev() {
            stack.update_pv(ply, m("h2e2"));
        }
        assert_eq!(stack.pv(0).iter().count(), PvLine::CAPACITY);
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
