//! Quiescence: captures, quiet checks at the first ply, and evasions of check,
//! quiet ones up to a number, until the position is quiet enough for its static
//! evaluation to be believed.

use crate::board::{CheckSquares, Move, exchange_value};
use crate::score::{Bound, Score};

use super::movepick::{MovePicker, Scope};
use super::node::{NodeKind, adjust_eval_by_tt, bound_of, causes_cutoff, usable_score};
use super::searcher::{Searched, Searcher, Stopped};
use super::tt::Entry;

/// A side with fewer pieces than this may be without a quiet move: stalemate
/// is looked for.
const STALEMATE_PIECES: u32 = 6;

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
        let entry = self.probe_tt();
        let table_score = entry.and_then(|entry| usable_score(&entry, ply));
        if !N::PV
            && let Some((score, bound)) = table_score
            && causes_cutoff(score, bound, alpha, beta)
            && self.is_far_from_quiet_limit()
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
        let quiets = self.histories.quiets(&self.position, &self.stack.continuation(ply), params);
        let check_squares = self.position.check_squares();
        let mut count = 0;
        while let Some(m) = picker.next(&self.picker_context(&quiets, &check_squares)) {
            self.prefetch_after(m);
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
            None if number > self.shared.options.params.qsearch_evasions as usize => {
                Some(-Score::INFINITE)
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::{NonPv, Pv};
    use crate::search::params::Params;
    use crate::search::testing::with_searcher;

    fn qsearch(fen: &str) -> Score {
        with_searcher(fen, Params::default(), 1, |searcher| {
            searcher.qsearch::<Pv>(-Score::INFINITE, Score::INFINITE, 1, true).unwrap()
        })
    }

    fn static_evaluation(fen: &str) -> Score {
        with_searcher(fen, Params::default(), 1, |searcher| searcher.evaluate())
    }

    #[test]
    fn a_quiet_position_is_worth_its_evaluation() {
        for fen in ["3k5/9/9/9/p8/9/8P/9/9/4K4 w", "3ak4/9/9/9/9/9/8P/9/4A4/5K3 b"] {
            assert_eq!(qsearch(fen), static_evaluation(fen), "{fen}");
        }
    }

    #[test]
    fn a_hanging_piece_is_taken_and_a_guarded_one_is_not() {
        let hanging = "3k5/9/9/9/r8/9/9/9/R8/4K4 w";
        assert!(qsearch(hanging) > static_evaluation(hanging) + 500);
        // the rook on a5 is guarded by the one on a9: an exchange at most
        let guarded = "r3ka3/4a4/9/9/n8/9/9/9/R8/3AK4 w";
        let gain = qsearch(guarded) - static_evaluation(guarded);
        assert!((0..200).contains(&gain), "{gain}");
    }

    #[test]
    fn mate_and_stalemate_are_seen() {
        let mate = "1R1k5/R8/9/9/9/9/9/9/9/4K4 b";
        let stalemate = "3k5/9/3P5/9/9/9/9/9/9/4K4 b";
        for fen in [mate, stalemate] {
            let position = crate::board::Position::from_fen(fen).unwrap();
            assert_eq!(position.in_check(), fen == mate);
            assert!(!position.has_legal_move());
            assert_eq!(qsearch(fen), Score::mated_in(1), "{fen}");
        }
    }

    #[test]
    fn a_null_window_bounds_the_value() {
        let fen = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w";
        let value = qsearch(fen);
        for offset in [-200, -1, 0, 200] {
            let alpha = value + offset;
            let score = with_searcher(fen, Params::default(), 1, |searcher| {
                searcher.qsearch::<NonPv>(alpha, alpha + 1, 1, true).unwrap()
            });
            assert_eq!(score > alpha, value > alpha, "{offset}: {score:?}");
        }
    }
}
