//! The moves of a node one after the other, with what is known of each before
//! it is searched; those not worth a search are passed over.

use arrayvec::ArrayVec;

use crate::board::{CheckSquares, Move};
use crate::score::Score;

use super::history::Trail;
use super::node::{Node, NodeKind};
use super::picker::{Context, Picker, Scope};
use super::selective::Skip;
use super::worker::Worker;

/// Moves of a node that may wait for another thread at the same time.
const MOST_PUT_OFF: usize = 24;

/// Where a node stands among its moves.
pub(super) struct Candidates {
    picker: Picker,
    trail: Trail,
    check_squares: CheckSquares,
    /// Two killers and the counter move.
    refutations: [Option<Move>; 3],
    /// The move that a singular search leaves out.
    excluded: Option<Move>,
    /// Legal moves so far.
    number: usize,
    /// Moves that another thread is searching: they come last.
    put_off: ArrayVec<Candidate, MOST_PUT_OFF>,
}

impl Candidates {
    /// Whether there has been no legal move.
    pub(super) fn is_empty(&self) -> bool {
        self.number == 0
    }
}

/// A move about to be searched.
pub(super) struct Candidate {
    pub m: Move,
    /// Its number among the legal moves of the node, from 1.
    pub number: usize,
    pub is_capture: bool,
    pub gives_check: bool,
    /// Its history score.
    pub history: i32,
    /// Whether it is a killer or the counter move.
    pub is_refutation: bool,
}

impl Worker<'_> {
    /// All moves of a node but `excluded`.
    #[inline]
    pub(super) fn candidates(&self, node: &Node, excluded: Option<Move>) -> Candidates {
        let trail = self.trail(node.ply);
        let killers = self.frame(node.ply).killers;
        let refutations = [killers[0], killers[1], self.histories.counter(trail[0])];
        let table_move = node.table_move();
        Candidates {
            picker: Picker::new(&self.position, Scope::All, table_move, refutations, 0),
            trail,
            check_squares: self.position.check_squares(),
            refutations,
            excluded,
            number: 0,
            put_off: ArrayVec::new(),
        }
    }

    /// The next move to be searched, `alpha` being the score to be beaten and
    /// `best` the best so far.
    #[inline]
    pub(super) fn next_candidate<N: NodeKind>(
        &mut self,
        candidates: &mut Candidates,
        node: &Node,
        alpha: Score,
        best: Score,
    ) -> Option<Candidate> {
        while let Some(m) = self.next_move::<N>(candidates) {
            if candidates.excluded == Some(m) || !self.position.is_safe(m) {
                continue;
            }
            candidates.number += 1;
            if N::ROOT {
                self.announce(m, candidates.number);
            }
            let candidate = self.candidate(m, candidates);
            if !N::ROOT && !best.is_loss() {
                match self.skip(node, &candidate, alpha) {
                    Skip::No => {}
                    Skip::ThisMove => continue,
                    Skip::AllQuiets => {
                        candidates.picker.skip_quiets();
                        continue;
                    }
                }
            }
            if self.is_busy_elsewhere(node, &candidate) && !candidates.put_off.is_full() {
                candidates.put_off.push(candidate);
                continue;
            }
            return Some(candidate);
        }
        candidates.put_off.pop_at(0)
    }

    #[inline]
    fn next_move<N: NodeKind>(&self, candidates: &mut Candidates) -> Option<Move> {
        if N::ROOT {
            let number = candidates.number;
            return self.root_moves.get(self.line + number).map(|root| root.first());
        }
        candidates.picker.next(&Context {
            position: &self.position,
            histories: self.histories,
            trail: &candidates.trail,
            check_squares: &candidates.check_squares,
        })
    }

    /// What is known of a move before it is searched.
    #[inline]
    fn candidate(&self, m: Move, candidates: &Candidates) -> Candidate {
        let is_capture = self.position.is_capture(m);
        Candidate {
            m,
            number: candidates.number,
            is_capture,
            gives_check: self.position.gives_check(m, &candidates.check_squares),
            history: if is_capture {
                self.histories.capture(&self.position, m)
            } else {
                self.histories.quiet(&self.position, m, &candidates.trail)
            },
            is_refutation: candidates.refutations.contains(&Some(m)),
        }
    }
}
