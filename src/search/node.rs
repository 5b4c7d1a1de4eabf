//! The main search: one node of the principal variation search.

use crate::board::Move;
use crate::score::{Bound, MAX_PLY, Score};

use super::candidates::Candidate;
use super::history::{Tried, corrected};
use super::prune::faded;
use super::selective::Extension;
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
        if !N::ROOT && excluded.is_none() {
            self.judge_previous_move(&node);
            node.depth -= i32::from(self.was_reduced_too_little(&node));
        }
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
        let params = &self.job.task.params;
        let correction = self.histories.correction(&self.position, &self.trail(ply));
        let faded = faded(raw, self.path.quiet_plies(), self.job.task.rules.quiet_limit, params);
        (raw, corrected(faded, correction, params))
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
        child.reduction = 0;
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
        if score >= beta {
            self.reward_table_move(node);
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
        let mut candidates = self.candidates(node, excluded);
        let forced = self.is_forced_reply::<N>(node);
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = Tried::default();
        while let Some(candidate) = self.next_candidate::<N>(&mut candidates, node, alpha, best) {
            let Candidate { m, number, is_capture, .. } = candidate;
            let extension = match self.extension::<N>(node, &candidate, forced, beta, excluded)? {
                Extension::By(plies) => plies,
                Extension::Cutoff(score) => return Ok(score),
            };
            let before = self.nodes();
            self.make(ply, m);
            let mark = self.drop_breadcrumb(node);
            let score = self.search_child::<N>(node, &candidate, extension, alpha, beta, best)?;
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
        if candidates.is_empty() {
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

    /// Searches the position after a move: late moves reduced and with a null
    /// window first.
    fn search_child<N: NodeKind>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        extension: i32,
        alpha: Score,
        beta: Score,
        best: Score,
    ) -> Searched {
        let params = &self.job.task.params;
        let ply = node.ply + 1;
        let mut depth = node.depth - 1 + extension;
        let mut score = -Score::INFINITE;
        if node.depth >= 2 && candidate.number > 1 + usize::from(N::ROOT) {
            let reduction = self.reduction::<N>(node, candidate);
            let reduced = (depth - reduction).clamp(1.min(depth), depth + 1);
            self.frame_mut(node.ply).reduction = depth - reduced;
            score = -self.pvs::<NonPv>(-alpha - 1, -alpha, reduced, ply, true)?;
            self.frame_mut(node.ply).reduction = 0;
            if score > alpha && reduced < depth {
                depth += i32::from(score > best + params.deeper_margin + 2 * depth)
                    - i32::from(score < best + params.shallower_margin);
            }
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

    /// Whether a node that was reduced stands so well, now that its evaluation
    /// is known, that a ply less will do.
    fn was_reduced_too_little(&self, node: &Node) -> bool {
        let parent = self.earlier(node.ply, 1);
        let before = parent.eval.filter(|_| !node.in_check && parent.reduction >= 2);
        before.is_some_and(|before| {
            let sum = node.static_eval.raw() + before.raw();
            node.depth >= 2 && sum > self.job.task.params.hindsight_margin
        })
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
