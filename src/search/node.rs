//! The main search: one node of the principal variation search.

use arrayvec::ArrayVec;

use crate::board::{CheckSquares, Move};
use crate::score::{Bound, MAX_PLY, Score};

use super::history::{Trail, Tried, corrected};
use super::picker::{Context, Picker, Scope};
use super::selective::{Extension, Skip};
use super::table::Entry;
use super::worker::{Searched, Worker};

/// What kind of node is searched, known at compile time.
pub(super) trait NodeKind {
    /// On the principal variation: the window is open.
    const PV: bool;
    /// The root itself.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node whose exact score is wanted.
pub(super) struct Pv;
/// A node of which only "below alpha" or "above" is asked.
pub(super) struct NonPv;

impl NodeKind for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeKind for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeKind for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What is known of a node before its moves are searched.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub ply: usize,
    pub depth: i32,
    /// A beta cut-off is expected.
    pub cut_node: bool,
    pub in_check: bool,
    pub entry: Option<Entry>,
    /// The entry's score as seen from this path, where it may be used.
    pub table_score: Option<(Score, Bound)>,
    /// The static evaluation before correction, for the table.
    pub raw_eval: Option<Score>,
    /// The corrected static evaluation; minus infinity in check.
    pub static_eval: Score,
    /// The best guess of the score: the evaluation, or the table's bound.
    pub eval: Score,
    /// The evaluation is better than at our last move.
    pub improving: bool,
    /// The node is, or once was, on a principal variation.
    pub was_pv: bool,
}

impl Node {
    /// What a search of so many plies found, for the table.
    pub(super) fn found(
        &self,
        best: Option<Move>,
        score: Score,
        bound: Bound,
        depth: i32,
    ) -> Entry {
        Entry { best, score, eval: self.raw_eval, depth, bound: Some(bound), was_pv: self.was_pv }
    }

    pub(super) fn table_move(&self) -> Option<Move> {
        self.entry.and_then(|entry| entry.best)
    }
}

/// The score and bound of a table entry as seen from `ply`; `None` if it says
/// nothing or rests on the path it was found on.
#[inline]
pub(super) fn usable_score(entry: &Entry, ply: usize) -> Option<(Score, Bound)> {
    let score = entry.score.seen_from_root(ply);
    entry.bound.filter(|_| !score.is_by_rule()).map(|bound| (score, bound))
}

/// An evaluation made better by what the table knows.
#[inline]
pub(super) fn refined(eval: Score, table_score: Option<(Score, Bound)>) -> Score {
    match table_score {
        Some((score, bound))
            if !score.is_decisive()
                && (bound == Bound::Exact || (bound == Bound::Lower) == (score > eval)) =>
        {
            score
        }
        _ => eval,
    }
}

/// Whether a stored score settles the window.
#[inline]
pub(super) fn settles(score: Score, bound: Bound, alpha: Score, beta: Score) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    }
}

/// Plies before the natural move limit from which on the table no longer cuts
/// off: it knows nothing of the limit.
const LATE_QUIET_PLIES: u16 = 20;

/// Moves of a node that may wait for another thread at the same time.
const MOST_PUT_OFF: usize = 24;

impl Worker<'_> {
    /// Searches a node with the window (`alpha`, `beta`), fail-soft.
    ///
    /// `cut_node` says that a beta cut-off is expected.
    pub(super) fn pvs<N: NodeKind>(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Searched {
        if depth <= 0 {
            return self.quiesce::<N>(alpha, beta, ply, true);
        }
        self.enter_node()?;
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
            self.frame_mut(ply).pv.clear();
        }
        if !N::ROOT {
            if let Some(score) = self.game_over(ply) {
                return Ok(score);
            }
            if ply >= MAX_PLY {
                return Ok(if self.position.in_check() { Score::DRAW } else { self.evaluate() });
            }
            // mate distance: nothing here can beat a mate already found
            alpha = alpha.max(Score::mated_in(ply));
            beta = beta.min(Score::mate_in(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        let excluded = self.frame(ply).excluded;
        let mut node = self.survey::<N>(depth, ply, cut_node, excluded);
        if !N::PV
            && excluded.is_none()
            && let Some(score) = self.table_cutoff(&node, alpha, beta)
        {
            return Ok(score);
        }
        if !N::PV
            && !node.in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(&node, alpha, beta)?
        {
            return Ok(score);
        }
        // internal iterative reduction: without a table move the ordering is
        // poor, so a shallower search finds one first
        if node.depth >= 4 && node.table_move().is_none() && (N::PV || cut_node) {
            node.depth -= 1;
        }
        self.search_moves::<N>(&node, alpha, beta, excluded)
    }

    /// Looks at the position: table, static evaluation, trend.
    fn survey<N: NodeKind>(
        &mut self,
        depth: i32,
        ply: usize,
        cut_node: bool,
        excluded: Option<Move>,
    ) -> Node {
        let in_check = self.position.in_check();
        let entry = match excluded {
            None => self.job.table.probe(self.position.key()),
            Some(_) => None,
        };
        let table_score = entry.and_then(|entry| usable_score(&entry, ply));
        let known = self.frame(ply).eval.filter(|_| excluded.is_some());
        let (raw_eval, static_eval) = match known {
            _ if in_check => (None, -Score::INFINITE),
            Some(eval) => (None, eval),
            None => {
                let (raw, corrected) = self.static_evaluation(entry.as_ref(), ply);
                (Some(raw), corrected)
            }
        };
        self.prepare_frames::<N>(ply, (!in_check).then_some(static_eval));
        let before = self.earlier(ply, 2).eval.or(self.earlier(ply, 4).eval);
        Node {
            ply,
            depth,
            cut_node,
            in_check,
            entry,
            table_score,
            raw_eval,
            static_eval,
            eval: if in_check { static_eval } else { refined(static_eval, table_score) },
            improving: !in_check && before.is_none_or(|before| static_eval > before),
            was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
        }
    }

    /// The static evaluation, as it is and corrected by experience.
    #[inline]
    pub(super) fn static_evaluation(
        &mut self,
        entry: Option<&Entry>,
        ply: usize,
    ) -> (Score, Score) {
        let raw = entry.and_then(|entry| entry.eval).unwrap_or_else(|| self.evaluate());
        let correction = self.histories.correction(&self.position, &self.trail(ply));
        (raw, corrected(raw, correction, &self.job.task.params))
    }

    /// Notes the evaluation and clears what the children will fill.
    #[inline]
    fn prepare_frames<N: NodeKind>(&mut self, ply: usize, eval: Option<Score>) {
        let double_extensions = if N::ROOT { 0 } else { self.earlier(ply, 1).double_extensions };
        let frame = self.frame_mut(ply);
        frame.eval = eval;
        frame.double_extensions = double_extensions;
        let child = self.frame_mut(ply + 1);
        child.cutoffs = 0;
        child.killers = [None; 2];
        child.excluded = None;
    }

    /// A score from the table that makes the search unnecessary.
    fn table_cutoff(&mut self, node: &Node, alpha: Score, beta: Score) -> Option<Score> {
        let entry = node.entry?;
        let (score, bound) = node.table_score?;
        let cuts = entry.depth >= node.depth
            && settles(score, bound, alpha, beta)
            && self.path.quiet_plies().saturating_add(LATE_QUIET_PLIES)
                < self.job.task.rules.quiet_limit;
        if !cuts {
            return None;
        }
        if score >= beta
            && let Some(best) = entry.best
            && self.position.is_pseudo_legal(best)
            && !self.position.is_capture(best)
        {
            let trail = self.trail(node.ply);
            let none = Tried::default();
            self.histories.reward(
                &self.position,
                &trail,
                best,
                &none,
                node.depth,
                &self.job.task.params,
            );
        }
        Some(score)
    }

    /// Searches the moves of a node.
    fn search_moves<N: NodeKind>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
        excluded: Option<Move>,
    ) -> Searched {
        let ply = node.ply;
        let old_alpha = alpha;
        let trail = self.trail(ply);
        let check_squares = self.position.check_squares();
        let killers = self.frame(ply).killers;
        let counter = self.histories.counter(trail[0]);
        let refutations = [killers[0], killers[1], counter];
        let mut picker = Picker::new(&self.position, Scope::All, node.table_move(), refutations, 0);
        let forced = self.is_forced_reply::<N>(node);
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = Tried::default();
        let mut number = 0;
        let mut put_off: ArrayVec<Candidate, MOST_PUT_OFF> = ArrayVec::new();
        loop {
            let next = if N::ROOT {
                self.root_moves.get(self.line + number).map(|root| root.first())
            } else {
                picker.next(&Context {
                    position: &self.position,
                    histories: self.histories,
                    trail: &trail,
                    check_squares: &check_squares,
                })
            };
            let candidate = if let Some(m) = next {
                if excluded == Some(m) || !self.position.is_safe(m) {
                    continue;
                }
                number += 1;
                if N::ROOT {
                    self.announce(m, number);
                }
                let candidate = self.candidate(m, number, &trail, &check_squares, &refutations);
                if !N::ROOT && !best.is_loss() {
                    match self.skip(node, &candidate, alpha) {
                        Skip::No => {}
                        Skip::ThisMove => continue,
                        Skip::AllQuiets => {
                            picker.skip_quiets();
                            continue;
                        }
                    }
                }
                if self.is_busy_elsewhere(node, &candidate) && !put_off.is_full() {
                    put_off.push(candidate);
                    continue;
                }
                candidate
            } else if let Some(candidate) = put_off.pop_at(0) {
                candidate
            } else {
                break;
            };
            let Candidate { m, number, is_capture, .. } = candidate;
            let extension = match self.extension::<N>(node, &candidate, forced, beta, excluded)? {
                Extension::By(plies) => plies,
                Extension::Cutoff(score) => return Ok(score),
            };
            let before = self.nodes();
            self.make(ply, m);
            let mark = self.drop_breadcrumb(node);
            let score = self.search_child::<N>(node, &candidate, extension, alpha, beta)?;
            if let Some(key) = mark {
                self.job.breadcrumbs.pick_up(key);
            }
            self.unmake();
            if N::ROOT {
                self.note_root_score(number, score, alpha, before);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.lead_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
            if best_move != Some(m) {
                tried.note(m, is_capture);
            }
        }
        if number == 0 {
            // checkmate and stalemate both lose; a singular search found no
            // second move
            return Ok(if excluded.is_some() { alpha } else { Score::mated_in(ply) });
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if N::PV && best > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.learn(node, best_move, best, beta, &tried);
        if excluded.is_none() {
            self.correct(node, best_move, best, bound);
            if !(N::ROOT && self.line > 0) {
                self.remember(ply, node.found(best_move, best, bound, node.depth));
            }
        }
        Ok(best)
    }

    /// What is known of a move before it is searched.
    #[inline]
    fn candidate(
        &self,
        m: Move,
        number: usize,
        trail: &Trail,
        check_squares: &CheckSquares,
        refutations: &[Option<Move>; 3],
    ) -> Candidate {
        let is_capture = self.position.is_capture(m);
        Candidate {
            m,
            number,
            is_capture,
            gives_check: self.position.gives_check(m, check_squares),
            history: if is_capture {
                self.histories.capture(&self.position, m)
            } else {
                self.histories.quiet(&self.position, m, trail)
            },
            is_refutation: refutations.contains(&Some(m)),
        }
    }

    /// Searches the position after a move: late moves reduced and with a null
    /// window first.
    fn search_child<N: NodeKind>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        extension: i32,
        alpha: Score,
        beta: Score,
    ) -> Searched {
        let ply = node.ply + 1;
        let depth = node.depth - 1 + extension;
        let mut score = -Score::INFINITE;
        if node.depth >= 2 && candidate.number > 1 + usize::from(N::ROOT) {
            let reduction = self.reduction::<N>(node, candidate);
            let reduced = (depth - reduction).clamp(1.min(depth), depth + 1);
            score = -self.pvs::<NonPv>(-alpha - 1, -alpha, reduced, ply, true)?;
            if score > alpha && reduced < depth {
                score = -self.pvs::<NonPv>(-alpha - 1, -alpha, depth, ply, !node.cut_node)?;
            }
        } else if !N::PV || candidate.number > 1 {
            score = -self.pvs::<NonPv>(-alpha - 1, -alpha, depth, ply, !node.cut_node)?;
        }
        if N::PV && (candidate.number == 1 || score > alpha) {
            score = -self.pvs::<Pv>(-beta, -alpha, depth, ply, false)?;
        }
        Ok(score)
    }

    /// Updates killers and histories after a node.
    fn learn(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        best: Score,
        beta: Score,
        tried: &Tried,
    ) {
        let Some(m) = best_move else { return };
        let trail = self.trail(node.ply);
        let depth = node.depth + i32::from(best > beta + 80);
        self.histories.reward(&self.position, &trail, m, tried, depth, &self.job.task.params);
        if best >= beta {
            let is_capture = self.position.is_capture(m);
            let frame = self.frame_mut(node.ply);
            frame.cutoffs += 1;
            if !is_capture && frame.killers[0] != Some(m) {
                frame.killers = [Some(m), frame.killers[0]];
            }
        }
    }

    /// Corrects the static evaluation by what the search found.
    fn correct(&mut self, node: &Node, best_move: Option<Move>, best: Score, bound: Bound) {
        let off_in_bounds_direction = match bound {
            Bound::Exact => true,
            Bound::Lower => best > node.static_eval,
            Bound::Upper => best < node.static_eval,
        };
        let is_capture = best_move.is_some_and(|m| self.position.is_capture(m));
        if !node.in_check && !is_capture && !best.is_decisive() && off_in_bounds_direction {
            let trail = self.trail(node.ply);
            let error = best - node.static_eval;
            self.histories.correct(&self.position, &trail, error, node.depth);
        }
    }

    /// Stores in the table what was found at `ply`. A score that rests on the
    /// repetition rules depends on the path and is not believed elsewhere.
    #[inline]
    pub(super) fn remember(&self, ply: usize, found: Entry) {
        let entry = Entry {
            score: found.score.seen_from(ply),
            bound: found.bound.filter(|_| !found.score.is_by_rule()),
            ..found
        };
        self.job.table.store(self.position.key(), entry);
    }

    /// The principal variation of the node becomes `m` and that of its child.
    pub(super) fn lead_pv(&mut self, ply: usize, m: Move) {
        let child = self.frame(ply + 1).pv.clone();
        self.frame_mut(ply).pv.lead(m, &child);
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
