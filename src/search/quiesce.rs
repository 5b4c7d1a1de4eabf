//! Quiescence: only captures, and all evasions of check, until the position
//! is quiet enough for its static evaluation to be believed.

use crate::board::exchange_value;
use crate::score::{Bound, MAX_PLY, Score};

use super::history::corrected;
use super::node::{NodeKind, NonPv, usable_score};
use super::picker::{Context, Picker, Scope};
use super::table::Entry;
use super::worker::{Searched, Worker};

/// The fewest pieces with which a side is sure to have a quiet move; below,
/// stalemate is looked for.
const STALEMATE_PIECES: u32 = 6;

impl Worker<'_> {
    /// Searches a node of the quiescence tree.
    pub(super) fn quiesce<N: NodeKind>(
        &mut self,
        mut alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Searched {
        self.enter_node()?;
        self.seldepth = self.seldepth.max(ply);
        if N::PV {
            self.frame_mut(ply).pv.clear();
        }
        if let Some(score) = self.game_over(ply) {
            return Ok(score);
        }
        let in_check = self.position.in_check();
        if ply >= MAX_PLY {
            return Ok(if in_check { Score::DRAW } else { self.evaluate() });
        }
        let entry = self.job.table.probe(self.position.key());
        let table_score = entry.and_then(|entry| usable_score(&entry, ply));
        if !N::PV
            && let Some((score, bound)) = table_score
            && cuts(score, bound, alpha, beta)
        {
            return Ok(score);
        }

        let old_alpha = alpha;
        let mut best = Score::mated_in(ply);
        let mut raw_eval = None;
        if !in_check {
            let raw = entry.and_then(|entry| entry.eval).unwrap_or_else(|| self.evaluate());
            raw_eval = Some(raw);
            let correction = self.histories.correction(&self.position, &self.trail(ply));
            best = corrected(raw, correction, &self.job.params);
            if let Some((score, bound)) = table_score
                && !score.is_decisive()
                && (bound == Bound::Exact || (bound == Bound::Lower) == (score > best))
            {
                best = score;
            }
            if best >= beta {
                if entry.is_none() {
                    self.store_quiet(best, None, alpha, beta, raw_eval, ply, &entry);
                }
                return Ok(best);
            }
            alpha = alpha.max(best);
        }
        let stand_pat = best;

        let scope = if in_check { Scope::All } else { Scope::Captures };
        let threshold = -self.job.params.qsearch_see;
        let table_move = entry.and_then(|entry| entry.best);
        let mut picker = Picker::new(&self.position, scope, table_move, [None; 3], threshold);
        let trail = self.trail(ply);
        let check_squares = self.position.check_squares();
        let mut best_move = None;
        let mut tried = 0;
        loop {
            let context = Context {
                position: &self.position,
                histories: self.histories,
                trail: &trail,
                check_squares: &check_squares,
            };
            let Some(m) = picker.next(&context) else { break };
            if !self.position.is_safe(m) {
                continue;
            }
            tried += 1;
            if !best.is_loss() && !self.position.gives_check(m, &check_squares) {
                if in_check {
                    // a few evasions tell; the rest are left to the main search
                    if tried > 3 && !self.position.is_capture(m) {
                        continue;
                    }
                } else if let Some(victim) = self.position.piece_at(m.to()) {
                    let optimistic = stand_pat
                        + (self.job.params.qsearch_futility + exchange_value(victim.kind()));
                    if optimistic <= alpha {
                        best = best.max(optimistic);
                        continue;
                    }
                }
            }
            self.make(ply, m);
            let score = -self.quiesce::<N>(-beta, -alpha, ply + 1)?;
            self.unmake();
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(m);
                    if N::PV {
                        self.lead_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        if tried == 0 && self.is_stalemate(in_check) {
            return Ok(Score::mated_in(ply));
        }
        self.store_quiet(best, best_move, old_alpha, beta, raw_eval, ply, &entry);
        Ok(best)
    }

    /// Whether a side that is not in check and found no capture is stalemated.
    fn is_stalemate(&self, in_check: bool) -> bool {
        let own = self.position.of_color(self.position.side_to_move());
        !in_check && own.len() < STALEMATE_PIECES && !self.position.has_legal_move()
    }

    #[allow(clippy::too_many_arguments)]
    fn store_quiet(
        &self,
        best: Score,
        best_move: Option<crate::board::Move>,
        old_alpha: Score,
        beta: Score,
        raw_eval: Option<Score>,
        ply: usize,
        entry: &Option<Entry>,
    ) {
        let bound = if best >= beta {
            Bound::Lower
        } else if best > old_alpha && best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.job.table.store(
            self.position.key(),
            Entry {
                best: best_move,
                score: best.seen_from(ply),
                eval: raw_eval,
                depth: 0,
                bound: (!best.is_by_rule()).then_some(bound),
                was_pv: entry.is_some_and(|entry| entry.was_pv),
            },
        );
    }

    /// The uncorrected static evaluation of the present position.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Score {
        Score::from_centipawns(self.evaluator.evaluate(&self.position))
    }

    /// Quiescence without a principal variation around `alpha`.
    pub(super) fn quiesce_null(&mut self, alpha: Score, ply: usize) -> Searched {
        self.quiesce::<NonPv>(alpha, alpha + 1, ply)
    }
}

/// Whether a stored score settles the window.
#[inline]
pub(super) fn cuts(score: Score, bound: Bound, alpha: Score, beta: Score) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    }
}
