//! Expansion: a book grown from searches, the most useful position next.
//!
//! The graph of an expansion holds the positions that were searched, each with
//! its best moves and their scores. Values are backed up by negamax. The next
//! position to search is chosen as in drop-out expansion (Lincke 2001,
//! "Strategies for the Automatic Construction of Opening Books"): the end of the
//! line that costs least, where every ply costs one, and every move also what it
//! gives away, by the graph's present values. So a book becomes deep where play
//! is best and wide where moves are nearly as good; an opponent who errs is
//! followed less far the more he errs. Best-first minimax would follow the best
//! line alone, which meets one game over and over.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::board::{Move, Position};
use crate::rules::{Game, Outcome, Parameters};

use super::native::Image;
use super::{Facts, Record};

/// What is worth searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// What a move may give away and cost no more than another ply, centipawns.
    pub drop_per_ply: u32,
    /// Moves that give away more are not followed, centipawns.
    pub widest_drop: i16,
    /// Length of the longest line, plies.
    pub plies: usize,
}

/// What is worth playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Moves that give away more are not played, centipawns.
    pub widest_drop: i16,
    /// Nor are moves after which the side that makes them stands worse, in
    /// centipawns.
    pub floor: i16,
}

/// What a search found in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Depth of the search, plies.
    pub depth: u8,
    /// The nodes that it took.
    pub nodes: u64,
    /// Its best moves, the best one first, and their scores for the side that
    /// moves, centipawns.
    pub moves: Vec<(Move, i16)>,
}

/// A searched position.
#[derive(Debug)]
struct Node {
    /// The moves to it from the initial position.
    line: Vec<Move>,
    depth: u8,
    nodes: u64,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    mv: Move,
    /// Of the search of the node it leads from.
    score: i16,
    target: Target,
}

/// Where a move leads.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// To the position with this key, searched or not.
    Position(u64),
    /// The rules of repetition, or the end of the game, say what it is worth.
    Decided(i16),
}

/// Score of a game won, centipawns.
const WON: i16 = 20_000;

/// The graph of an expansion. See the module's beginning.
#[derive(Debug)]
pub struct Expansion {
    rules: Parameters,
    /// By the smaller key of a position and its mirror image.
    nodes: HashMap<u64, Node>,
    root: u64,
}

impl Expansion {
    /// Without positions yet. Repetitions are judged by `rules`.
    pub fn new(rules: Parameters) -> Expansion {
        let root = Image::of(&Position::startpos()).key;
        Expansion { rules, nodes: HashMap::new(), root }
    }

    /// The rules that judge repetitions.
    pub const fn rules(&self) -> Parameters {
        self.rules
    }

    /// Searched positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was searched yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Takes what a search found after these moves. Of two searches of a
    /// position the one of more nodes counts. `false` if the line is not a line
    /// of legal moves.
    pub fn insert(&mut self, line: Vec<Move>, found: &Searched) -> bool {
        let Ok(game) = Game::replay(Position::startpos(), self.rules, &line) else { return false };
        let key = Image::of(game.position()).key;
        if self.nodes.get(&key).is_some_and(|node| node.nodes > found.nodes) {
            return true;
        }
        let edges = found.moves.iter().filter_map(|&(mv, score)| {
            let target = self.target(&game, mv)?;
            Some(Edge { mv, score, target })
        });
        let edges = edges.collect();
        self.nodes.insert(key, Node { line, depth: found.depth, nodes: found.nodes, edges });
        true
    }

    /// Where a move leads; `None` if it is illegal.
    fn target(&self, game: &Game, mv: Move) -> Option<Target> {
        let mut after = game.clone();
        after.play(mv).ok()?;
        let decided = after.outcome().or_else(|| self.outcome_of_cycle(&after));
        Some(match decided {
            None => Target::Position(Image::of(after.position()).key),
            Some(outcome) => Target::Decided(match outcome.winner {
                None => 0,
                Some(winner) if winner == game.position().side_to_move() => WON,
                Some(_) => -WON,
            }),
        })
    }

    /// How the game ends if the cycle that the last move closes is played on.
    fn outcome_of_cycle(&self, after: &Game) -> Option<Outcome> {
        let (_, cycle) = after.cycle(2)?;
        let mut game = after.clone();
        for &mv in cycle.iter().cycle().take(cycle.len() * self.rules.fold as usize) {
            if let Some(outcome) = game.outcome() {
                return Some(outcome);
            }
            game.play(mv).ok()?;
        }
        game.outcome()
    }

    /// The values of all searched positions for their sides to move.
    fn values(&self) -> HashMap<u64, i16> {
        let mut values = HashMap::with_capacity(self.nodes.len());
        self.value(self.root, &mut values, &mut HashSet::new());
        for &key in self.nodes.keys() {
            self.value(key, &mut values, &mut HashSet::new());
        }
        values
    }

    /// Negamax. On a cycle that closes through a transposition a move keeps the
    /// score of its search.
    fn value(
        &self,
        key: u64,
        values: &mut HashMap<u64, i16>,
        path: &mut HashSet<u64>,
    ) -> Option<i16> {
        if let Some(&value) = values.get(&key) {
            return Some(value);
        }
        let node = self.nodes.get(&key).filter(|_| path.insert(key))?;
        let worth = |edge: &Edge| match edge.target {
            Target::Decided(score) => score,
            Target::Position(next) => {
                self.value(next, values, path).map_or(edge.score, |value| -value)
            }
        };
        let value = node.edges.iter().map(worth).max();
        path.remove(&key);
        values.insert(key, value?);
        value
    }

    /// What a move is worth by these values.
    fn worth(edge: &Edge, values: &HashMap<u64, i16>) -> i16 {
        match edge.target {
            Target::Decided(score) => score,
            Target::Position(next) => values.get(&next).map_or(edge.score, |value| -value),
        }
    }

    /// The ends of the lines that cost least, so many at most, as moves from the
    /// initial position. None if every line is as long as wanted.
    pub fn next_lines(&self, count: usize, growth: &Growth) -> Vec<Vec<Move>> {
        if !self.nodes.contains_key(&self.root) {
            return vec![Vec::new()];
        }
        let values = self.values();
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        // cost, then order of discovery, which makes the choice deterministic
        let mut queue = BinaryHeap::from([(Reverse((0, 0)), self.root, Vec::new())]);
        let mut order = 0;
        while let Some((Reverse((cost, _)), key, line)) = queue.pop() {
            if !seen.insert(key) {
                continue;
            }
            let Some(node) = self.nodes.get(&key) else {
                found.push(line);
                if found.len() == count {
                    break;
                }
                continue;
            };
            if node.line.len() >= growth.plies {
                continue;
            }
            let best = values.get(&key).copied().unwrap_or_default();
            for edge in &node.edges {
                let drop = best.saturating_sub(Self::worth(edge, &values)).max(0);
                if let Target::Position(next) = edge.target
                    && drop <= growth.widest_drop
                {
                    let price = growth.drop_per_ply + u32::from(drop.unsigned_abs());
                    order += 1;
                    let line = [&node.line[..], &[edge.mv]].concat();
                    queue.push((Reverse((cost + price, order)), next, line));
                }
            }
        }
        found
    }

    /// The positions where the book ends, as moves to them, that no search of at
    /// least so many nodes has looked at.
    pub fn unproven_lines(&self, selection: &Selection, nodes: u64) -> Vec<Vec<Move>> {
        let values = self.values();
        let ends = |edge: &Edge| match edge.target {
            Target::Position(next) => !self.nodes.contains_key(&next),
            Target::Decided(_) => false,
        };
        let is_unproven =
            |node: &&Node| node.nodes < nodes && self.selected(node, &values, selection).any(ends);
        let nodes = self.nodes.values().filter(is_unproven);
        let mut lines: Vec<Vec<Move>> = nodes.map(|node| node.line.clone()).collect();
        lines.sort_unstable();
        lines
    }

    /// The moves of a position that are worth playing.
    fn selected<'a>(
        &self,
        node: &'a Node,
        values: &'a HashMap<u64, i16>,
        selection: &'a Selection,
    ) -> impl Iterator<Item = &'a Edge> + 'a {
        let best = node.edges.iter().map(|edge| Self::worth(edge, values)).max().unwrap_or(-WON);
        node.edges.iter().filter(move |edge| {
            let worth = Self::worth(edge, values);
            worth >= selection.floor && best.saturating_sub(worth) <= selection.widest_drop
        })
    }

    /// The book: the moves that are worth playing, the best of a position with
    /// the largest weight, in the order of a file.
    pub fn records(&self, selection: &Selection) -> Vec<Record> {
        let values = self.values();
        let mut records = Vec::new();
        for node in self.nodes.values() {
            let mut position = Position::startpos();
            for &mv in &node.line {
                position.make(mv);
            }
            let best = node.edges.iter().map(|edge| Self::worth(edge, &values)).max();
            for edge in self.selected(node, &values, selection) {
                let score = Self::worth(edge, &values);
                let drop = best.unwrap_or(score).saturating_sub(score);
                let facts = Facts { score: Some(score), depth: node.depth, ..Facts::default() };
                records.push(Record::new(&position, edge.mv, weight(drop, selection), facts));
            }
        }
        records.sort_unstable_by_key(|record| (record.key, record.mv));
        // mirrored moves of a symmetric position
        records.dedup_by_key(|record| (record.key, record.mv));
        records
    }
}

/// The weight of a move that gives away so many centipawns: 1,000 for the best,
/// a tenth of it for the worst that is played.
fn weight(drop: i16, selection: &Selection) -> u16 {
    let share = f64::from(drop) / f64::from(selection.widest_drop.max(1));
    (1000.0 * 0.1f64.powf(share)).round().max(1.0) as u16
}
