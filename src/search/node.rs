//! The main search: one node of the principal variation search.

use crate::board::{Color, Move, PieceKind};
use crate::score::{Bound, MAX_PLY, Score};

use super::history::{Tried, corrected};
use super::picker::{Context, Picker, Scope};
use super::prune::{
    PLY, futility_margin, late_move_count, null_reduction, razor_margin, reverse_futility_margin,
    see_margin, singular_beta,
};
use super::table::Entry;
use super::worker::{Searched, Stopped, Worker};

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
struct Node {
    ply: usize,
    depth: i32,
    /// A beta cut-off is expected.
    cut_node: bool,
    in_check: bool,
    entry: Option<Entry>,
    /// The entry's score as seen from this path, where it may be used.
    table_score: Option<(Score, Bound)>,
    /// The static evaluation before correction, for the table.
    raw_eval: Option<Score>,
    /// The corrected static evaluation.
    static_eval: Score,
    /// The best guess of the score: the evaluation, or the table's bound.
    eval: Score,
    /// The evaluation is better than at our last move.
    improving: bool,
    /// The node is, or once was, on a principal variation.
    was_pv: bool,
}

impl Node {
    fn table_move(&self) -> Option<Move> {
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
            return self.quiesce::<N>(alpha, beta, ply);
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
        let mut raw_eval = None;
        let mut static_eval = -Score::INFINITE;
        if !in_check {
            static_eval = match self.frame(ply).eval.filter(|_| excluded.is_some()) {
                Some(known) => known,
                None => {
                    let raw = entry.and_then(|entry| entry.eval).unwrap_or_else(|| self.evaluate());
                    raw_eval = Some(raw);
                    let correction = self.histories.correction(&self.position, &self.trail(ply));
                    corrected(raw, correction, &self.job.params)
                }
            };
        }
        self.frame_mut(ply).eval = (!in_check).then_some(static_eval);
        self.frame_mut(ply + 1).cutoffs = 0;
        self.frame_mut(ply + 1).killers = [None; 2];
        self.frame_mut(ply + 1).excluded = None;
        if !N::ROOT {
            self.frame_mut(ply).double_extensions = self.earlier(ply, 1).double_extensions;
        }
        let eval = match table_score {
            Some((score, bound))
                if !in_check
                    && !score.is_decisive()
                    && (bound == Bound::Exact
                        || (bound == Bound::Lower) == (score > static_eval)) =>
            {
                score
            }
            _ => static_eval,
        };
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
            eval,
            improving: !in_check && before.is_none_or(|before| static_eval > before),
            was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
        }
    }

    /// A score from the table that makes the search unnecessary.
    fn table_cutoff(&mut self, node: &Node, alpha: Score, beta: Score) -> Option<Score> {
        let entry = node.entry?;
        let (score, bound) = node.table_score?;
        let settles = entry.depth >= node.depth
            && super::quiesce::cuts(score, bound, alpha, beta)
            && self.path.quiet_plies().saturating_add(LATE_QUIET_PLIES)
                < self.job.rules.quiet_limit;
        if !settles {
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
                &self.job.params,
            );
        }
        Some(score)
    }

    /// Pruning before any move is tried.
    fn prune_node(
        &mut self,
        node: &Node,
        alpha: Score,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let params = &self.job.params;
        if node.depth <= 4 && node.eval + razor_margin(node.depth, params) < alpha {
            let score = self.quiesce_null(alpha, node.ply)?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }
        let quiet_table_move = node.table_move().is_some_and(|m| !self.position.is_capture(m));
        if node.depth <= params.rfp_depth
            && !node.was_pv
            && !quiet_table_move
            && !beta.is_loss()
            && !node.eval.is_decisive()
            && node.eval - reverse_futility_margin(node.depth, node.improving, params) >= beta
        {
            return Ok(Some(Score::from_raw((node.eval.raw() + beta.raw()) / 2)));
        }
        if let Some(score) = self.try_null_move(node, beta)? {
            return Ok(Some(score));
        }
        self.try_probcut(node, beta)
    }

    /// Null move: if passing still holds beta, a real move will.
    ///
    /// Stalemate loses in Xiangqi, so zugzwang is real: a side without an
    /// attacker never passes, and deep fail highs are verified.
    fn try_null_move(&mut self, node: &Node, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = &self.job.params;
        let ply = node.ply;
        let allowed = self.earlier(ply, 1).played != super::history::PieceTo::NONE
            && node.depth >= 3
            && node.eval >= beta
            && node.static_eval + 20 * node.depth - 120 >= beta
            && !beta.is_loss()
            && ply >= self.null_min_ply
            && self.has_attacker(self.position.side_to_move());
        if !allowed {
            return Ok(None);
        }
        let reduction = null_reduction(node.depth, node.eval - beta, params);
        let depth = node.depth - reduction;
        self.make_null(ply);
        let score = -self.pvs::<NonPv>(-beta, -beta + 1, depth, ply + 1, !node.cut_node)?;
        self.unmake();
        if score < beta {
            return Ok(None);
        }
        let score = if score.is_decisive() { beta } else { score };
        if self.null_min_ply > 0 || node.depth < params.null_verify_depth {
            return Ok(Some(score));
        }
        self.null_min_ply = ply + (3 * depth.max(1) as usize) / 4;
        let verified = self.pvs::<NonPv>(beta - 1, beta, depth, ply, false);
        self.null_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// ProbCut: a good capture that holds beta by a margin in a shallow search
    /// will hold beta in a deep one.
    fn try_probcut(&mut self, node: &Node, beta: Score) -> Result<Option<Score>, Stopped> {
        let params = &self.job.params;
        let target = beta + params.probcut_margin;
        let table_denies = node.entry.is_some_and(|entry| {
            entry.depth >= node.depth - 3
                && node.table_score.is_some_and(|(score, _)| score < target)
        });
        if node.depth < params.probcut_depth || beta.is_decisive() || table_denies {
            return Ok(None);
        }
        let ply = node.ply;
        let depth = node.depth - 4;
        let threshold = target - node.static_eval;
        let mut picker =
            Picker::new(&self.position, Scope::Captures, node.table_move(), [None; 3], threshold);
        let trail = self.trail(ply);
        let check_squares = self.position.check_squares();
        loop {
            let context = Context {
                position: &self.position,
                histories: self.histories,
                trail: &trail,
                check_squares: &check_squares,
            };
            let Some(m) = picker.next(&context) else { return Ok(None) };
            if !self.position.is_safe(m) {
                continue;
            }
            self.make(ply, m);
            let mut score = -self.quiesce_null(-target, ply + 1)?;
            if score >= target && depth > 0 {
                score = -self.pvs::<NonPv>(-target, -target + 1, depth, ply + 1, !node.cut_node)?;
            }
            self.unmake();
            if score >= target {
                self.remember(node, Some(m), score, Bound::Lower, depth + 1);
                return Ok(Some(if score.is_decisive() { score } else { beta }));
            }
        }
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
            let Some(m) = next else { break };
            if excluded == Some(m) || !self.position.is_safe(m) {
                continue;
            }
            number += 1;
            if N::ROOT {
                self.announce(m, number);
            }
            let is_capture = self.position.is_capture(m);
            let gives_check = self.position.gives_check(m, &check_squares);
            let history = if is_capture {
                self.histories.capture(&self.position, m)
            } else {
                self.histories.quiet(&self.position, m, &trail)
            };
            let candidate = Candidate {
                m,
                number,
                is_capture,
                gives_check,
                history,
                is_refutation: refutations.contains(&Some(m)),
            };
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
            let extension = match self.extension::<N>(node, &candidate, forced, beta, excluded)? {
                Extension::By(plies) => plies,
                Extension::Cutoff(score) => return Ok(score),
            };
            let before = self.nodes();
            self.make(ply, m);
            let score = self.search_child::<N>(node, &candidate, extension, alpha, beta)?;
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
                self.remember(node, best_move, best, bound, node.depth);
            }
        }
        Ok(best)
    }

    /// Pruning of a single move before it is searched.
    fn skip(&self, node: &Node, candidate: &Candidate, alpha: Score) -> Skip {
        let &Candidate { m, number, is_capture, gives_check, history, .. } = candidate;
        if number == 1 || !self.has_attacker(self.position.side_to_move()) {
            return Skip::No;
        }
        let params = &self.job.params;
        let reduction = self.reductions.base(node.depth, number) / PLY;
        let depth = (node.depth - reduction).max(0);
        if is_capture || gives_check {
            let margin = see_margin(node.depth, false, params) - history.max(0) / 64;
            return if node.depth <= 8 && !self.position.see_ge(m, margin) {
                Skip::ThisMove
            } else {
                Skip::No
            };
        }
        if number > late_move_count(node.depth, node.improving, params) {
            return Skip::AllQuiets;
        }
        if depth <= 5 && history < -params.history_prune * depth.max(1) {
            return Skip::ThisMove;
        }
        if !node.in_check
            && depth <= params.futility_depth
            && node.static_eval + futility_margin(depth, params) + history / 300 <= alpha
        {
            return Skip::AllQuiets;
        }
        if depth <= 9 && !self.position.see_ge(m, see_margin(depth, true, params)) {
            return Skip::ThisMove;
        }
        Skip::No
    }

    /// How much deeper than usual a move is searched.
    fn extension<N: NodeKind>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        forced: bool,
        beta: Score,
        excluded: Option<Move>,
    ) -> Result<Extension, Stopped> {
        let ply = node.ply;
        let room = ply < 2 * self.depth as usize;
        if N::ROOT || !room {
            return Ok(Extension::By(0));
        }
        if excluded.is_none()
            && node.table_move() == Some(candidate.m)
            && let Some(extension) = self.singular_extension::<N>(node, candidate.m, beta)?
        {
            return Ok(extension);
        }
        let checks = candidate.gives_check
            && (N::PV || node.depth <= 6)
            && self.position.see_ge(candidate.m, 0);
        Ok(Extension::By(i32::from(forced || checks)))
    }

    /// Singular extension: the table move is searched deeper if no other move
    /// comes near its score.
    fn singular_extension<N: NodeKind>(
        &mut self,
        node: &Node,
        table_move: Move,
        beta: Score,
    ) -> Result<Option<Extension>, Stopped> {
        let params = &self.job.params;
        let (Some(entry), Some((table_score, bound))) = (node.entry, node.table_score) else {
            return Ok(None);
        };
        if node.depth < params.singular_depth + i32::from(node.was_pv)
            || table_score.is_decisive()
            || bound == Bound::Upper
            || entry.depth < node.depth - 3
        {
            return Ok(None);
        }
        let ply = node.ply;
        let target = singular_beta(table_score, node.depth, params);
        let double_margin = params.double_margin;
        self.frame_mut(ply).excluded = Some(table_move);
        let score = self.pvs::<NonPv>(target - 1, target, (node.depth - 1) / 2, ply, node.cut_node);
        self.frame_mut(ply).excluded = None;
        let score = score?;
        if score < target {
            let double =
                !N::PV && score < target - double_margin && self.frame(ply).double_extensions < 12;
            self.frame_mut(ply).double_extensions += u32::from(double);
            return Ok(Some(Extension::By(1 + i32::from(double))));
        }
        if score >= beta && !score.is_decisive() {
            // multi-cut: two moves hold beta
            return Ok(Some(Extension::Cutoff(score)));
        }
        let negative = if table_score >= beta {
            -2
        } else if node.cut_node {
            -1
        } else {
            0
        };
        Ok(Some(Extension::By(negative)))
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

    /// Late move reduction in plies.
    fn reduction<N: NodeKind>(&self, node: &Node, candidate: &Candidate) -> i32 {
        let mut reduction = self.reductions.base(node.depth, candidate.number);
        if candidate.is_capture {
            reduction = reduction / 2 - candidate.history * PLY / 16_384;
        } else {
            reduction -= candidate.history * PLY / self.job.params.lmr_history;
        }
        if node.was_pv {
            reduction -= PLY;
        }
        if N::PV {
            reduction -= PLY / 4;
        }
        if node.cut_node {
            reduction += PLY + PLY / 2;
        }
        if !node.improving {
            reduction += PLY / 2;
        }
        if candidate.gives_check {
            reduction -= PLY / 2;
        }
        if candidate.is_refutation {
            reduction -= PLY;
        }
        if self.frame(node.ply + 1).cutoffs > 3 {
            reduction += PLY / 2;
        }
        if node.table_move().is_some_and(|m| self.position_before_is_capture(m)) {
            reduction += PLY / 2;
        }
        reduction / PLY
    }

    /// Whether the table move of the node just left was a capture; the move
    /// being searched is already on the board.
    fn position_before_is_capture(&self, table_move: Move) -> bool {
        self.position
            .piece_at(table_move.to())
            .is_some_and(|piece| piece.color() == self.position.side_to_move())
    }

    /// Whether the side to move is in check with one legal answer.
    fn is_forced_reply<N: NodeKind>(&self, node: &Node) -> bool {
        !N::ROOT && node.in_check && self.position.count_legal_moves() == 1
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
        self.histories.reward(&self.position, &trail, m, tried, depth, &self.job.params);
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

    /// Stores what was found in the table.
    fn remember(&self, node: &Node, best: Option<Move>, score: Score, bound: Bound, depth: i32) {
        let entry = Entry {
            best,
            score: score.seen_from(node.ply),
            eval: node.raw_eval,
            depth,
            bound: (!score.is_by_rule()).then_some(bound),
            was_pv: node.was_pv,
        };
        self.job.table.store(self.position.key(), entry);
    }

    /// The principal variation of the node becomes `m` and that of its child.
    pub(super) fn lead_pv(&mut self, ply: usize, m: Move) {
        let child = self.frame(ply + 1).pv.clone();
        self.frame_mut(ply).pv.lead(m, &child);
    }

    /// Whether a side has a rook, knight or cannon.
    fn has_attacker(&self, color: Color) -> bool {
        let kinds = [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon];
        kinds.into_iter().any(|kind| !self.position.pieces_of(color, kind).is_empty())
    }
}

/// A move about to be searched.
struct Candidate {
    m: Move,
    /// Its number among the legal moves of the node, from 1.
    number: usize,
    is_capture: bool,
    gives_check: bool,
    history: i32,
    is_refutation: bool,
}

/// Whether a move is left out.
enum Skip {
    No,
    ThisMove,
    AllQuiets,
}

/// How deep a move is searched, or that it need not be.
enum Extension {
    By(i32),
    Cutoff(Score),
}
