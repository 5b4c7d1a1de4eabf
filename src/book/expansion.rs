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
        // in a fixed order: on a cycle it matters where the walk begins
        let mut keys: Vec<u64> = self.nodes.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    const GROWTH: Growth = Growth { drop_per_ply: 10, widest_drop: 50, plies: 20 };
    const SELECTION: Selection = Selection { widest_drop: 20, floor: -40 };

    fn line(text: &str) -> Vec<Move> {
        text.split_whitespace().map(|text| text.parse().unwrap()).collect()
    }

    /// An expansion of these searches: the line, the best moves and scores.
    fn grown(searches: &[(&str, &[(&str, i16)])]) -> Expansion {
        let mut expansion = Expansion::new(RuleSet::Axf.parameters());
        for (moves, found) in searches {
            insert(&mut expansion, moves, 100, found);
        }
        expansion
    }

    fn insert(expansion: &mut Expansion, moves: &str, nodes: u64, found: &[(&str, i16)]) {
        let moves_of = found.iter().map(|&(mv, score)| (mv.parse().unwrap(), score)).collect();
        let found = Searched { depth: 9, nodes, moves: moves_of };
        assert!(expansion.insert(line(moves), &found));
    }

    fn next(expansion: &Expansion, count: usize) -> Vec<Vec<Move>> {
        expansion.next_lines(count, &GROWTH)
    }

    /// The moves of the book after a line, with scores.
    fn chosen(expansion: &Expansion, moves: &str) -> Vec<(String, Option<i16>)> {
        let mut position = Position::startpos();
        line(moves).into_iter().for_each(|mv| {
            position.make(mv);
        });
        let image = Image::of(&position);
        let records = expansion.records(&SELECTION);
        let of_position = records.iter().filter(|record| record.key == image.key);
        of_position
            .map(|record| (image.moves(record.mv).next().unwrap().to_string(), record.facts.score))
            .collect()
    }

    #[test]
    fn the_line_that_costs_least_is_searched_next() {
        assert_eq!(next(&grown(&[]), 3), [Vec::new()]);
        let start: (&str, &[_]) = ("", &[("h2e2", 30), ("c3c4", 25), ("a3a4", -90)]);
        let expansion = grown(&[start]);
        assert_eq!(next(&expansion, 9), [line("h2e2"), line("c3c4")]);
        // a second ply costs more than five centipawns, but less than fifteen
        let deep: (&str, &[_]) = ("h2e2", &[("h9g7", -30)]);
        assert_eq!(next(&grown(&[start, deep]), 1), [line("c3c4")]);
        let start: (&str, &[_]) = ("", &[("h2e2", 30), ("c3c4", 15)]);
        assert_eq!(next(&grown(&[start, deep]), 1), [line("h2e2 h9g7")]);
    }

    #[test]
    fn values_are_backed_up() {
        let expansion = grown(&[
            ("", &[("h2e2", 30), ("c3c4", 25)]),
            // a reply refutes the cannon
            ("h2e2", &[("h9g7", 40), ("b9c7", -20)]),
        ]);
        assert_eq!(chosen(&expansion, ""), [("c3c4".to_owned(), Some(25))]);
        assert_eq!(chosen(&expansion, "h2e2"), [("h9g7".to_owned(), Some(40))]);
        // the same position by its mirror image
        assert_eq!(chosen(&expansion, "b2e2"), [("b9c7".to_owned(), Some(40))]);
    }

    #[test]
    fn a_transposition_is_one_position() {
        let mut expansion = grown(&[
            ("", &[("c3c4", 10), ("h0g2", 10)]),
            ("c3c4", &[("a9a8", 0)]),
            ("c3c4 a9a8", &[("h0g2", 0)]),
            ("h0g2", &[("a9a8", 0)]),
            ("h0g2 a9a8", &[("c3c4", 0)]),
        ]);
        assert_eq!(next(&expansion, 9).len(), 1);
        let before = expansion.len();
        insert(&mut expansion, "c3c4 a9a8 h0g2", 100, &[("h9g7", 77)]);
        insert(&mut expansion, "h0g2 a9a8 c3c4", 100, &[("h9g7", 77)]);
        assert_eq!(expansion.len(), before + 1);
        // both ways are found to be as good
        let scores: Vec<_> = chosen(&expansion, "").iter().map(|(_, score)| *score).collect();
        assert_eq!(scores, []);
        assert_eq!(chosen(&expansion, "c3c4")[0].1, Some(77));
    }

    #[test]
    fn values_on_a_cycle_that_the_start_does_not_lead_to_are_always_the_same() {
        // four positions in a ring, reached by lines that do not repeat themselves
        let ring = || {
            grown(&[
                ("a3a4 a6a5", &[("h0g2", 10)]),
                ("h0g2 a6a5 a3a4", &[("h9g7", 20)]),
                ("h0g2 h9g7 a3a4 a6a5", &[("g2h0", 30)]),
                ("h0g2 h9g7 a3a4 a6a5 g2h0", &[("g7h9", 40)]),
            ])
        };
        let values = ring().values();
        assert_eq!(values.len(), 4);
        assert!((0..9).all(|_| ring().values() == values));
    }

    #[test]
    fn repetitions_are_judged_by_the_rules() {
        let expansion = grown(&[
            ("", &[("h0g2", 90)]),
            ("h0g2", &[("h9g7", -90)]),
            ("h0g2 h9g7", &[("g2h0", 90)]),
            // closes the cycle: a draw, whatever the search thought
            ("h0g2 h9g7 g2h0", &[("g7h9", -500)]),
        ]);
        assert_eq!(chosen(&expansion, "h0g2 h9g7 g2h0"), [("g7h9".to_owned(), Some(0))]);
        assert_eq!(chosen(&expansion, ""), [("b0c2".to_owned(), Some(0))]);
        assert!(next(&expansion, 9).is_empty());
    }

    #[test]
    fn of_two_searches_the_one_of_more_nodes_counts() {
        let mut expansion = grown(&[("", &[("h2e2", 30)])]);
        assert_eq!(expansion.unproven_lines(&SELECTION, 1000), [line("")]);
        insert(&mut expansion, "", 1000, &[("c3c4", 20)]);
        insert(&mut expansion, "", 100, &[("g3g4", 50)]);
        assert_eq!(chosen(&expansion, ""), [("c3c4".to_owned(), Some(20))]);
        assert!(expansion.unproven_lines(&SELECTION, 1000).is_empty());
        assert!(
            !expansion.insert(line("h2h9 a0a9"), &Searched { depth: 1, nodes: 1, moves: vec![] })
        );
    }

    #[test]
    fn no_move_leaves_a_side_below_the_floor() {
        let expansion = grown(&[("", &[("h2e2", -41), ("c3c4", -60)])]);
        assert!(expansion.records(&SELECTION).is_empty());
        let expansion = grown(&[("", &[("h2e2", -35), ("c3c4", -41), ("g3g4", -56)])]);
        assert_eq!(chosen(&expansion, "").len(), 1);
    }

    #[test]
    fn weights_fall_to_a_tenth() {
        assert_eq!([0, 10, 20].map(|drop| weight(drop, &SELECTION)), [1000, 316, 100]);
        assert_eq!(weight(0, &Selection { widest_drop: 0, floor: 0 }), 1000);
    }
}
