//! Quiescence: only captures, and all evasions of check, until the position
//! is quiet enough for its static evaluation to be believed.

use crate::board::{CheckSquares, Move, exchange_value};
use crate::score::{Bound, Score};

use super::movepick::{Context, MovePicker, Scope};
use super::node::{NodeKind, adjust_eval_by_tt, bound_of, causes_cutoff, usable_score};
use super::searcher::{Searched, Searcher, Stopped};
use super::tt::Entry;

/// A side with fewer pieces than this may be without a quiet move: stalemate
/// is looked for.
const STALEMATE_PIECES: u32 = 6;

/// Evasions searched before the quiet ones left are given up.
const EVASIONS: usize = 3;

impl Searcher<'_> {
    /// Searches a node of the quiescence tree, fail-soft.
    ///
    /// `with_checks` says that quiet moves that give check are searched too:
    /// at the first ply only.
    pub(super) fn qsearch<N: NodeKind>(
        &mut self,
        alpha: Score,
        beta: Score,
        ply: usize,
        with_checks: bool,
    ) -> Searched {
        self.enter_node()?;
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
            self.stack.clear_pv(ply);
        }
        if let Some(score) = self.terminal_score(ply) {
            return Ok(score);
        }
        let entry = self.shared.tt.probe(self.position.key());
        let table_score = entry.and_then(|entry| usable_score(&entry, ply));
        if !N::PV
            && let Some((score, bound)) = table_score
            && causes_cutoff(score, bound, alpha, beta)
        {
            return Ok(score);
        }

        let in_check = self.position.in_check();
        let mut found = self.stand_pat(entry.as_ref(), table_score, ply);
        if !in_check && found.score >= beta {
            if entry.is_none() {
                self.store_tt(ply, found);
            }
            return Ok(found.score);
        }
        let scope = match in_check {
            true => Scope::All,
            false if with_checks => Scope::CapturesAndChecks,
            false => Scope::Captures,
        };
        let table_move = entry.and_then(|entry| entry.best);
        let count =
            self.search_tactical_moves::<N>(&mut found, scope, table_move, alpha, beta, ply)?;
        if count == 0 && self.is_stalemate() {
            return Ok(Score::mated_in(ply));
        }
        found.bound = Some(bound_of::<N>(found.score, alpha, beta));
        self.store_tt(ply, found);
        Ok(found.score)
    }

    /// The node before any move: the static evaluation holds if the side to
    /// move need not do anything; in check it is mated until a move is found.
    fn stand_pat(
        &mut self,
        entry: Option<&Entry>,
        table_score: Option<(Score, Bound)>,
        ply: usize,
    ) -> Entry {
        let mut found = Entry {
            best: None,
            score: Score::mated_in(ply),
            eval: None,
            depth: 0,
            bound: Some(Bound::Lower),
            was_pv: entry.is_some_and(|entry| entry.was_pv),
        };
        if !self.position.in_check() {
            let (raw, corrected) = self.static_evaluation(entry, ply);
            found.eval = Some(raw);
            found.score = adjust_eval_by_tt(corrected, table_score);
        }
        found
    }

    /// Searches the moves in scope and puts the best into `found`; gives the
    /// number of legal ones.
    fn search_tactical_moves<N: NodeKind>(
        &mut self,
        found: &mut Entry,
        scope: Scope,
        table_move: Option<Move>,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Result<usize, Stopped> {
        let params = &self.shared.options.params;
        let futility_base = found.score + params.qsearch_futility;
        let mut alpha = if scope == Scope::All { alpha } else { alpha.max(found.score) };
        let mut picker =
            MovePicker::new(&self.position, scope, table_move, [None; 3], -params.qsearch_see);
        let continuation = self.stack.continuation(ply);
        let check_squares = self.position.check_squares();
        let mut count = 0;
        while let Some(m) = picker.next(&Context {
            position: &self.position,
            histories: self.histories,
            continuation: &continuation,
            check_squares: &check_squares,
        }) {
            if !self.position.leaves_king_safe(m) {
                continue;
            }
            count += 1;
            if !found.score.is_loss()
                && let Some(limit) = self.upper_limit(m, count, futility_base, &check_squares)
                && limit <= alpha
            {
                found.score = found.score.max(limit);
                continue;
            }
            self.make(ply, m);
            let score = -self.qsearch::<N>(-beta, -alpha, ply + 1, false)?;
            self.unmake();
            if score > found.score {
                found.score = score;
                if score > alpha {
                    alpha = score;
                    found.best = Some(m);
                    if N::PV {
                        self.stack.update_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        Ok(count)
    }

    /// The most that can be expected of a move; `None` if anything may come of
    /// it. Minus infinity: it is not worth a look.
    #[inline]
    fn upper_limit(
        &self,
        m: Move,
        number: usize,
        futility_base: Score,
        check_squares: &CheckSquares,
    ) -> Option<Score> {
        if self.position.gives_check(m, check_squares) {
            return None;
        }
        match self.position.piece_at(m.to()) {
            // a few evasions tell whether there is a defence
            None if number > EVASIONS => Some(-Score::INFINITE),
            Some(victim) if !self.position.in_check() => {
                Some(futility_base + exchange_value(victim.kind()))
            }
            _ => None,
        }
    }

    /// Whether a side that found no capture is stalemated. Without a move in
    /// check it is mated, which its score says already.
    fn is_stalemate(&self) -> bool {
        let own = self.position.of_color(self.position.side_to_move());
        !self.position.in_check() && own.len() < STALEMATE_PIECES && !self.position.has_legal_move()
    }
}
