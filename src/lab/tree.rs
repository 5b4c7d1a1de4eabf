//! Trees given by their leaves: for worked examples and for tests.

use crate::score::Score;

use super::game::Game;

/// A tree whose leaves have scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A leaf and its score in centipawns, from the view of the side to move at
    /// the root.
    Leaf(i32),
    /// An inner node.
    Inner(Vec<Tree>),
}

impl Tree {
    /// The worked example of alpha-beta in the lecture notes, figure 3.10. The
    /// figure gives no scores to the leaves that are cut off, which cannot
    /// matter: here they are all `unseen`.
    pub fn figure_3_10(unseen: i32) -> Tree {
        use Tree::{Inner, Leaf};
        let min = |scores: &[i32]| Inner(scores.iter().copied().map(Leaf).collect());
        Inner(vec![
            Inner(vec![
                Inner(vec![min(&[0, 5]), min(&[-3, unseen])]),
                Inner(vec![min(&[3]), min(&[unseen]), min(&[unseen]), min(&[unseen])]),
            ]),
            Inner(vec![
                Inner(vec![min(&[5, 4, 1]), min(&[-3, unseen])]),
                Inner(vec![min(&[6, 8]), min(&[unseen])]),
            ]),
        ])
    }
}

/// A game whose positions are the nodes of a tree, and whose moves are the
/// numbers of their children, from 0.
#[derive(Clone, Debug)]
pub struct TreeGame {
    tree: Tree,
    path: Vec<usize>,
}

impl TreeGame {
    /// The game at the root of the tree.
    pub fn new(tree: Tree) -> TreeGame {
        TreeGame { tree, path: Vec::new() }
    }

    fn node(&self) -> &Tree {
        self.path.iter().fold(&self.tree, |node, &index| match node {
            Tree::Inner(children) => &children[index],
            Tree::Leaf(_) => node,
        })
    }
}

impl Game for TreeGame {
    type Move = usize;

    fn moves(&self) -> Vec<usize> {
        match self.node() {
            Tree::Inner(children) => (0..children.len()).collect(),
            Tree::Leaf(_) => Vec::new(),
        }
    }

    fn make(&mut self, m: usize) {
        self.path.push(m);
    }

    fn unmake(&mut self) {
        self.path.pop();
    }

    fn final_score(&self, _ply: usize) -> Score {
        let score = match self.node() {
            Tree::Leaf(score) => *score,
            Tree::Inner(_) => 0,
        };
        Score::from_centipawns(if self.path.len().is_multiple_of(2) { score } else { -score })
    }

    /// A node above its leaves has no evaluation of its own: it counts as even.
    fn evaluate(&mut self) -> i32 {
        0
    }

    /// The path from the root; no two nodes of a tree are the same position.
    fn key(&self) -> u64 {
        self.path.iter().fold(1, |key, &m| key * 64 + 1 + m as u64)
    }
}
