//! Random games with transpositions, mates, checks and captures.

use std::iter;

use crate::lab::Game;
use crate::score::Score;
use crate::util::seeded;
use rand::Rng;

/// Levels of a graph; a move goes down one or two.
const LEVELS: u64 = 14;
/// Positions of a level: few, so that many moves lead to the same one.
const WIDTH: u64 = 5;

/// A position is a level and a number in it; all else about it is drawn from a
/// generator that these seed. The last level has no moves.
#[derive(Clone, Debug)]
pub struct Graph {
    seed: u64,
    /// The positions from the root to the present one.
    path: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    level: u64,
    number: u64,
}

impl Graph {
    pub fn new(seed: u64) -> Graph {
        Graph { seed, path: vec![Place { level: 0, number: 0 }] }
    }

    fn place(&self) -> Place {
        self.path[self.path.len() - 1]
    }

    /// The `index`-th number drawn for this position.
    fn draw(&self, index: usize) -> u64 {
        let mut random = seeded(self.seed, self.key());
        iter::repeat_with(|| random.next_u64() >> 8).nth(index).expect("it is endless")
    }
}

impl Game for Graph {
    type Move = usize;

    fn moves(&self) -> Vec<usize> {
        let count = if self.place().level < LEVELS { self.draw(0) % 5 } else { 0 };
        (0..count as usize).collect()
    }

    fn make(&mut self, m: usize) {
        let drawn = self.draw(10 + m);
        let level = self.place().level + 1 + drawn % 2;
        self.path.push(Place { level, number: drawn / 2 % WIDTH });
    }

    fn unmake(&mut self) {
        self.path.pop();
    }

    fn final_score(&self, ply: usize) -> Score {
        Score::mated_in(ply)
    }

    fn evaluate(&mut self) -> i32 {
        (self.draw(1) % 41) as i32 * 100 - 2000
    }

    fn key(&self) -> u64 {
        self.place().level * WIDTH + self.place().number
    }

    fn in_check(&self) -> bool {
        self.draw(2).is_multiple_of(4)
    }

    fn capture_gain(&mut self, m: usize) -> Option<i32> {
        let drawn = self.draw(20 + m);
        drawn.is_multiple_of(2).then_some((drawn / 2 % 5) as i32 - 2)
    }

    fn make_null(&mut self) -> bool {
        let Place { level, number } = self.place();
        self.path.push(Place { level: level + 1, number });
        true
    }
}
