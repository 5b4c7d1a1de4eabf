//! Quiescence: only captures, and all evasions of check, until the position
//! is quiet enough for its static evaluation to be believed.

use crate::board::{CheckSquares, Move, exchange_value};
use crate::score::{Bound, MAX_PLY, Score};

use super::node::{NodeKind, NonPv, refined, settles, usable_score};
use super::picker::{Context, Picker, Scope};
use super::table::Entry;
use super::worker::{Searched, Worker};

/// A side with fewer pieces than this may be without a quiet move: stalemate
/// is looked for.
const STALEMATE_PIECES: u32 = 6;

/// Evasions searched before the quiet ones left are given up.
const EVASIONS: usize = 3;

impl Worker<'_> {
    /// Searches a node of the quiescence tree, fail-soft.
    ///
    /// `with_checks` says that quiet moves that give check are searched too:
    /// at the first ply only.
    pub(super) fn quiesce<N: NodeKind>(
        &mut self,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        with_checks: bool,
    ) -> Searched {
        self.enter_node()?;
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
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
            && settles(score, bound, alpha, beta)
        {
            return Ok(score);
        }

        let old_alpha = alpha;
        let mut found = Entry {
            best: None,
            score: Score::mated_in(ply),
            eval: None,
            depth: 0,
            bound: Some(Bound::Lower),
            was_pv: entry.is_some_and(|entry| entry.was_pv),
        };
        if !in_check {
            let (raw, corrected) = self.static_evaluation(entry.as_ref(), ply);
            found.eval = Some(raw);
            found.score = refined(corrected, table_score);
            if found.score >= beta {
                if entry.is_none() {
                    self.remember(ply, found);
                }
                return Ok(found.score);
            }
            alpha = alpha.max(found.score);
        }
        let optimism = found.score + self.job.task.params.qsearch_futility;

        let scope = match in_check {
            true => Scope::All,
            false if with_checks => Scope::CapturesAndChecks,
            false => Scope::Captures,
        };
        let threshold = -self.job.task.params.qsearch_see;
        let table_move = entry.and_then(|entry| entry.best);
        let mut picker = Picker::new(&self.position, scope, table_move, [None; 3], threshold);
        let trail = self.trail(ply);
        let check_squares = self.position.check_squares();
        let mut number = 0;
        while let Some(m) = picker.next(&Context {
            position: &self.position,
            histories: self.histories,
            trail: &trail,
            check_squares: &check_squares,
        }) {
            if !self.position.is_safe(m) {
                continue;
            }
            number += 1;
            if !found.score.is_loss() {
                match self.outlook(m, number, optimism, &check_squares) {
                    Outlook::Open => {}
                    Outlook::AtMost(score) if score > alpha => {}
                    Outlook::AtMost(score) => {
                        found.score = found.score.max(score);
                        continue;
                    }
                    Outlook::Hopeless => continue,
                }
            }
            self.make(ply, m);
            let score = -self.quiesce::<N>(-beta, -alpha, ply + 1, false)?;
            self.unmake();
            if score > found.score {
                found.score = score;
                if score > alpha {
                    alpha = score;
                    found.best = Some(m);
                    if N::PV {
                        self.lead_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        if number == 0 && self.is_stalemate(in_check) {
            return Ok(Score::mated_in(ply));
        }
        found.bound = Some(if found.score >= beta {
            Bound::Lower
        } else if N::PV && found.score > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        });
        self.remember(ply, found);
        Ok(found.score)
    }

    /// Quiescence with a null window above `alpha`.
    pub(super) fn quiesce_null(&mut self, alpha: Score, ply: usize) -> Searched {
        self.quiesce::<NonPv>(alpha, alpha + 1, ply, true)
    }

    /// What a move can be expected to bring before it is searched; `optimism`
    /// is the evaluation with a margin.
    #[inline]
    fn outlook(
        &self,
        m: Move,
        number: usize,
        optimism: Score,
        check_squares: &CheckSquares,
    ) -> Outlook {
        if self.position.gives_check(m, check_squares) {
            return Outlook::Open;
        }
        match self.position.piece_at(m.to()) {
            // a few evasions tell whether there is a defence
            None if number > EVASIONS => Outlook::Hopeless,
            Some(victim) if !self.position.in_check() => {
                Outlook::AtMost(optimism + exchange_value(victim.kind()))
            }
            _ => Outlook::Open,
        }
    }

    /// Whether a side that is not in check and found no capture is stalemated.
    fn is_stalemate(&self, in_check: bool) -> bool {
        let own = self.position.of_color(self.position.side_to_move());
        !in_check && own.len() < STALEMATE_PIECES && !self.position.has_legal_move()
    }

    /// The uncorrected static evaluation of the present position.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Score {
        Score::from_centipawns(self.evaluator.evaluate(&self.position))
    }
}

/// What is known of a move before it is searched.
enum Outlook {
    /// Anything may come of it.
    Open,
    /// It cannot bring more than this.
    AtMost(Score),
    /// It is not worth a look.
    Hopeless,
}
