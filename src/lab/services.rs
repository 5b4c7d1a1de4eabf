//! The services that all algorithms share: entering a node, visiting a child,
//! leaving the node. Every enhancement has its place here, so that the page of an
//! algorithm is the algorithm alone.

use crate::score::{Bound, Score};

use super::game::Game;
use super::limits::{Budget, Limits};
use super::node::{Best, Node, OpenNode};
use super::ordering::{Experience, Hints};
use super::refutation::Refutations;
use super::settings::{Algorithm, Killers, Settings, Table};
use super::table::{Entry, TranspositionTable};
use super::trace::{Cause, Trace};
use super::window::Window;
use super::{fail_hard, fail_soft, minimax, negascout, null_move, quiescence};

/// Plies from the root at which every line ends, however it is extended; as in
/// the thesis.
pub(super) const MAX_PLY: usize = 60;

/// The function of an algorithm: the score of the position, so many plies deep,
/// in this window.
type Algorithmic<G> = fn(&mut Search<G>, i32, Window) -> Score;

/// A search of one game with one set of switches; what it learns (table, killers,
/// history) it keeps from one call to the next.
pub struct Search<G: Game> {
    pub(super) game: G,
    pub(super) settings: Settings,
    pub(super) ply: usize,
    /// Whether the next node to be entered must not try a null move.
    pub(super) after_null: bool,
    pub(super) best_at_root: Option<G::Move>,
    pub(super) nodes: u64,
    pub(super) trace: Option<Trace>,
    pub(super) budget: Budget,
    algorithm: Algorithmic<G>,
    table: TranspositionTable<G::Move>,
    experience: Experience<G::Move>,
    refutations: Refutations<G::Move>,
    /// The moves from the root, null moves left out.
    path: Vec<G::Move>,
}

impl<G: Game> Search<G> {
    /// A search from the position that `game` is at.
    pub fn new(game: G, settings: Settings) -> Search<G> {
        Search {
            game,
            settings,
            ply: 0,
            after_null: false,
            best_at_root: None,
            nodes: 0,
            trace: None,
            budget: Budget::new(&Limits::default()),
            algorithm: match settings.algorithm {
                Algorithm::Minimax => minimax::search,
                Algorithm::FailHard => fail_hard::search,
                Algorithm::FailSoft => fail_soft::search,
                Algorithm::NegaScout => negascout::search,
            },
            table: TranspositionTable::new(),
            experience: Experience::new(),
            refutations: Refutations::new(),
            path: Vec::new(),
        }
    }

    /// Positions looked at so far, leaves and quiescence included.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts a position looked at; false if the search has to end.
    pub(super) fn count_node(&mut self) -> bool {
        self.nodes += 1;
        self.budget.note(self.nodes);
        !self.budget.is_spent()
    }

    /// Searches the position it is at; the cause is for the trace. Where the
    /// search has to end the answer means nothing.
    pub(super) fn visit(&mut self, cause: Cause, depth: i32, window: Window) -> Score {
        if !self.count_node() {
            return Score::DRAW;
        }
        if let Some(trace) = &mut self.trace {
            trace.open(cause, self.ply, depth, window);
        }
        let score = (self.algorithm)(self, depth, window);
        if let Some(trace) = &mut self.trace {
            trace.close(score);
        }
        score
    }

    /// The score of a move, searched `depth` plies beyond it.
    pub(super) fn child(&mut self, m: G::Move, depth: i32, window: Window) -> Score {
        let traced = self.trace.is_some();
        let cause = Cause::Move(if traced { m.to_string() } else { String::new() });
        self.make(m);
        self.path.push(m);
        let score = -self.visit(cause, depth, -window);
        self.path.pop();
        self.unmake();
        if self.settings.refutations {
            self.refutations.add(m, self.ply);
        }
        score
    }

    /// Enters the node: finds its score without its moves, or else the moves in
    /// the order in which they are to be searched.
    pub(super) fn enter(&mut self, depth: i32, window: Window) -> Node<G::Move> {
        let mut moves = self.game.moves();
        if let Some(score) = self.score_at_once(&moves, depth, window) {
            self.refutations.end_line();
            return Node::Scored(score);
        }
        self.deepen_internally(depth, window);
        let extended = depth + i32::from(self.is_extended(moves.len()));
        self.order(&mut moves);
        self.refutations.enter(self.ply);
        if let Some(trace) = &mut self.trace {
            trace.set_moves(moves.len());
        }
        Node::Open(OpenNode { moves, depth: extended, asked: depth, window })
    }

    /// The score of a node whose moves need not be searched.
    fn score_at_once(&mut self, moves: &[G::Move], depth: i32, window: Window) -> Option<Score> {
        if moves.is_empty() {
            return Some(self.game.final_score(self.ply));
        }
        if depth <= 0 || self.ply >= MAX_PLY {
            return Some(self.leaf(moves, window));
        }
        self.probe(depth, window).or_else(|| null_move::prune(self, depth, window))
    }

    /// Whether the best move ends the node: it reaches beta, or with forward
    /// pruning almost.
    pub(super) fn is_refuted(&self, best: Best<G::Move>, window: Window) -> bool {
        best.m.is_some() && best.score + self.settings.margin >= window.beta
    }

    /// Leaves the node: remembers what it has found, and returns its score.
    pub(super) fn leave(&mut self, node: &OpenNode<G::Move>, best: Best<G::Move>) -> Score {
        if self.budget.is_spent() {
            return best.score;
        }
        let is_refuted = self.is_refuted(best, node.window);
        if let Some(trace) = &mut self.trace {
            trace.set_refuted(is_refuted);
        }
        let bound = if best.score <= node.window.alpha {
            Bound::Upper
        } else if is_refuted {
            Bound::Lower
        } else {
            Bound::Exact
        };
        if let Some(m) = best.m
            && bound != Bound::Upper
        {
            self.remember(m, bound, node.depth);
        }
        self.refutations.leave(best.m, self.ply);
        if self.settings.table != Table::Off {
            let score = best.score.seen_from(self.ply);
            let entry = Entry { depth: node.asked, score, bound, m: best.m };
            let keeps_deeper = self.settings.table == Table::SameOrDeeper;
            self.table.store(self.game.key(), entry, keeps_deeper);
        }
        best.score
    }

    fn remember(&mut self, m: G::Move, bound: Bound, depth: i32) {
        if self.ply == 0 {
            self.best_at_root = Some(m);
        }
        if self.settings.history {
            self.experience.add_history(m, depth);
        }
        let keeps_killers = self.settings.killers != Killers::Off;
        if keeps_killers && bound == Bound::Lower && self.game.capture_gain(m).is_none() {
            self.experience.add_killer(m, self.ply, self.settings.frequent_killers);
        }
    }

    pub(super) fn make(&mut self, m: G::Move) {
        self.game.make(m);
        self.ply += 1;
    }

    pub(super) fn unmake(&mut self) {
        self.game.unmake();
        self.ply -= 1;
    }

    /// The static evaluation as a score.
    pub(super) fn evaluate(&mut self) -> Score {
        Score::from_centipawns(rounded(self.game.evaluate(), self.settings.grain))
    }

    fn leaf(&mut self, moves: &[G::Move], window: Window) -> Score {
        if self.settings.quiescence {
            quiescence::resolve(self, moves, window)
        } else {
            self.evaluate()
        }
    }

    /// The score that the table knows. The root is always searched, since its
    /// best move is wanted.
    fn probe(&self, depth: i32, window: Window) -> Option<Score> {
        let entry = self.known().filter(|_| self.ply > 0)?;
        let serves = match self.settings.table {
            Table::Off => false,
            Table::SameDepth => entry.depth == depth,
            Table::SameOrDeeper => entry.depth >= depth,
        };
        if serves { entry.score_for(window, self.ply) } else { None }
    }

    fn known(&self) -> Option<Entry<G::Move>> {
        if self.settings.table == Table::Off { None } else { self.table.get(self.game.key()) }
    }

    /// Internal iterative deepening: finds a first move for a node that the table
    /// knows none for.
    fn deepen_internally(&mut self, depth: i32, window: Window) {
        let wanted = self.settings.internal_deepening && self.settings.table_move;
        let wanted = wanted && self.settings.table != Table::Off;
        if wanted && depth > 2 && self.known().is_none_or(|entry| entry.m.is_none()) {
            self.visit(Cause::InternalDeepening, depth - 2, window);
        }
    }

    fn is_extended(&self, moves: usize) -> bool {
        self.settings.extend_single_replies && moves == 1
            || self.settings.extend_checks && self.game.in_check()
    }

    fn order(&mut self, moves: &mut [G::Move]) {
        let known = self.known().filter(|_| self.settings.table_move);
        let hints = Hints { table: known.and_then(|entry| entry.m), refutation: self.refutation() };
        self.experience.sort(moves, &mut self.game, &hints, self.ply, &self.settings);
    }

    /// The move of the refutation table, if it is used.
    fn refutation(&self) -> Option<G::Move> {
        let is_known = self.settings.refutations && self.path.len() == self.ply;
        if is_known { self.refutations.follow(&self.path) } else { None }
    }
}

/// The multiple of `grain` nearest to a score, for both sides alike; the score
/// itself for 0 and 1.
fn rounded(centipawns: i32, grain: i32) -> i32 {
    if grain <= 1 {
        return centipawns;
    }
    (2 * centipawns.abs() + grain) / (2 * grain) * grain * centipawns.signum()
}
