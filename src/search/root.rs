//! The root: iterative deepening, aspiration windows, several lines, and what
//! the first thread reports.

use std::cmp::Reverse;
use std::time::Duration;

use crate::board::Move;
use crate::eval::Evaluator;
use crate::score::{Bound, MAX_PLY, Score, Verdict};

use super::event::{Event, Line};
use super::node::{Root, bound_of};
use super::searcher::{RootMove, Searched, Searcher, Stopped};
use super::time::Iteration;

/// Time after which the moves of the root are announced one by one.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(3);
/// Time after which changes within an iteration are reported.
const REPORT_BOUNDS_AFTER: Duration = Duration::from_millis(500);
/// Depth of the first iteration with a narrow window.
const ASPIRATION_DEPTH: i32 = 4;
/// Half width beyond which a window is opened altogether, centipawns.
const MAX_ASPIRATION_DELTA: i32 = 800;
/// On the clock a forced move is searched this deep, for a score and an expected
/// reply.
const FORCED_DEPTH: i32 = 8;

impl Searcher<'_> {
    /// Searches deeper and deeper until a limit is reached.
    pub(super) fn iterative_deepening(&mut self) {
        if self.answer_from_tables() {
            return;
        }
        let deepest = self.shared.limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32);
        for depth in 1..=deepest as i32 {
            if depth < deepest as i32 && self.leaves_out(depth) {
                continue;
            }
            self.depth = depth;
            if self.prove_mate() {
                // a proof has looked as deep as its mate
                self.depth = depth.max(self.best_root_move().seldepth as i32);
                self.complete_iteration();
                self.report(0);
                self.shared.signals.stop();
                return;
            }
            for root in &mut self.root_moves {
                root.previous = root.score;
            }
            if self.iterate().is_err() {
                self.discard_failed_low();
                // the last word: where the search stood when it was stopped
                self.report(0);
                return;
            }
            self.complete_iteration();
            if self.main.is_some() && self.decide_end() {
                return;
            }
        }
        self.finish();
    }

    /// Whether another thread searches to this depth instead: the first one
    /// leaves out none, the others every second one, so that some are a ply ahead.
    const fn leaves_out(&self, depth: i32) -> bool {
        self.id > 0 && depth >= ASPIRATION_DEPTH && (depth as usize + self.id) % 2 == 1
    }

    pub(super) fn complete_iteration(&mut self) {
        self.completed_depth = self.depth;
        self.completed = Some(self.best_root_move().clone());
    }

    /// After a stop in the middle of an iteration: a best move that has only
    /// failed low so far, or is suddenly lost while others have not been tried,
    /// makes way for that of the last iteration, with its score; if there is
    /// none, the static evaluation is the score.
    fn discard_failed_low(&mut self) {
        let best = &mut self.root_moves[0];
        let was_lost = self.completed.as_ref().is_some_and(|completed| completed.score.is_loss());
        let is_known = best.score > -Score::INFINITE && best.bound != Bound::Upper;
        if is_known && (was_lost || !best.score.is_loss()) {
            return;
        }
        let Some(completed) = &self.completed else {
            let root = &self.shared.root;
            let eval = Evaluator::new(self.shared.options.eval.clone(), root).evaluate(root);
            best.previous = Score::from_centipawns(eval);
            return;
        };
        let m = completed.first();
        if let Some(place) = self.root_moves.iter().position(|root| root.first() == m) {
            // nothing of this iteration counts for it
            let (score, previous) = (-Score::INFINITE, completed.score);
            self.root_moves[place] = RootMove { score, previous, ..completed.clone() };
            self.root_moves[..=place].rotate_right(1);
        }
    }

    /// The deepest iteration asked for is done; it does not matter by whom,
    /// unless all lines are wanted, which only the first thread reports.
    fn finish(&self) {
        let shared = self.shared;
        let waits = shared.limits.infinite || shared.signals.is_pondering();
        if !waits && (shared.options.lines == 1 || self.main.is_some()) {
            shared.signals.stop();
        }
    }

    /// One iteration: each requested line in turn.
    fn iterate(&mut self) -> Result<(), Stopped> {
        let lines = self.shared.options.lines.min(self.root_moves.len());
        for line in 0..lines {
            self.line = line;
            self.seldepth = 0;
            let searched = self.aspiration_search();
            self.sort_root_moves(line);
            searched?;
            self.sort_root_moves(0);
        }
        self.line = 0;
        (0..lines).for_each(|line| self.report(line));
        Ok(())
    }

    /// Searches the root with a narrow window around the last score and opens
    /// it as long as the score falls outside.
    fn aspiration_search(&mut self) -> Searched {
        let previous = self.root_moves[self.line].previous;
        // threads differ a little, so that they do not all search the same tree
        let mut delta = self.shared.options.params.aspiration_delta + (self.id % 8) as i32;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        if self.depth >= ASPIRATION_DEPTH && !previous.is_decisive() {
            alpha = previous - delta;
            beta = previous + delta;
        }
        let mut failed_high = 0;
        loop {
            let depth = (self.depth - failed_high).max(1);
            let score = self.pvs::<Root>(alpha, beta, depth, 0, false)?;
            self.sort_root_moves(self.line);
            let bound = if score <= alpha {
                beta = Score::from_raw((alpha.raw() + beta.raw()) / 2);
                alpha = (score - delta).max(-Score::INFINITE);
                failed_high = 0;
                Bound::Upper
            } else if score >= beta {
                beta = (score + delta).min(Score::INFINITE);
                failed_high = (failed_high + 1).min(4);
                Bound::Lower
            } else {
                Bound::Exact
            };
            self.root_moves[self.line].bound = bound;
            if bound == Bound::Exact {
                return Ok(score);
            }
            if self.shared.signals.elapsed() >= REPORT_BOUNDS_AFTER {
                self.report(self.line);
            }
            delta += delta * self.shared.options.params.aspiration_growth / 1024 + 5;
            if delta > MAX_ASPIRATION_DELTA || score.is_decisive() {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Best first, the order otherwise kept; moves before `from` stay.
    fn sort_root_moves(&mut self, from: usize) {
        self.root_moves[from..].sort_by_key(|root| Reverse((root.score, root.previous)));
    }

    /// Updates the root move that was searched as the `number`th.
    pub(super) fn update_root_move(
        &mut self,
        number: usize,
        score: Score,
        (alpha, beta): (Score, Score),
        nodes_before: u64,
    ) {
        let nodes = self.nodes - nodes_before;
        let root = &mut self.root_moves[self.line + number - 1];
        root.nodes += nodes;
        if number == 1 || score > alpha {
            root.score = score;
            root.bound = bound_of::<Root>(score, alpha, beta);
            root.seldepth = self.seldepth;
            root.pv.truncate(1);
            root.pv.extend_from_slice(self.stack.pv(1));
        } else {
            root.score = -Score::INFINITE;
        }
    }

    /// Reports which root move is being searched, in long searches.
    pub(super) fn announce(&self, current: Move, number: usize) {
        if self.main.is_some() && self.shared.signals.elapsed() >= ANNOUNCE_AFTER {
            let number = self.line + number;
            self.shared.send(Event::CurrentMove { depth: self.depth as u32, current, number });
        }
    }

    /// Updates the clock after an iteration; whether another one is not worth beginning.
    fn decide_end(&mut self) -> bool {
        let limits = &self.shared.limits;
        let signals = &self.shared.signals;
        let iteration = self.iteration();
        let Some(main) = &mut self.main else { return false };
        if let Some(time) = &mut main.time {
            time.update(&iteration);
        }
        if limits.infinite {
            return false;
        }
        if limits.soft_nodes.is_some_and(|limit| signals.total_nodes() >= limit) {
            return true;
        }
        let mate = match iteration.score.verdict() {
            Verdict::Mate(plies) => Some(plies),
            _ => None,
        };
        if limits.mate.is_some() && self.shared.is_short_enough(iteration.score) {
            return true;
        }
        let Some(time) = &main.time else { return false };
        let is_forced = self.root_moves.len() == 1 && self.depth >= FORCED_DEPTH;
        // a mate that is nearer than the depth searched cannot be improved
        let is_certain =
            self.shared.options.lines == 1 && mate.is_some_and(|plies| plies.abs() < self.depth);
        let is_enough = is_forced
            || is_certain
            || time.is_soft_limit_reached(signals.ticked(), signals.clock_elapsed());
        if signals.is_pondering() {
            main.answer_on_hit = is_enough;
            return false;
        }
        is_enough
    }

    /// What the iteration just completed found.
    fn iteration(&self) -> Iteration {
        let best = self.best_root_move();
        Iteration {
            best: best.first(),
            score: best.score,
            best_share: best.nodes as f64 / self.nodes.max(1) as f64,
        }
    }

    /// Reports a line, from the first thread.
    pub(super) fn report(&self, line: usize) {
        if self.main.is_some() && self.shared.observer.is_some() {
            self.shared.send(Event::Line(self.describe(line)));
        }
    }

    /// A line of this thread as it stands.
    pub(super) fn describe(&self, line: usize) -> Line {
        let root = if line == 0 { self.best_root_move() } else { &self.root_moves[line] };
        let unfinished = root.score == -Score::INFINITE;
        let depth = if unfinished { self.completed_depth.max(1) } else { self.depth } as u32;
        let score = if unfinished { root.previous } else { root.score };
        Line {
            depth,
            seldepth: root.seldepth as u32,
            multipv: line + 1,
            score: self.shared.bounded(score, depth),
            bound: root.bound,
            nodes: self.shared.signals.total_nodes(),
            time: self.shared.signals.elapsed(),
            hashfull: self.shared.tt.hashfull(),
            table_hits: self.shared.signals.table_hits(),
            pv: self.variation(&root.pv),
        }
    }

    /// A principal variation and, where another thread has searched its end, the
    /// moves that the table has of that.
    fn variation(&self, pv: &[Move]) -> Vec<Move> {
        let mut variation = pv.to_vec();
        if self.shared.is_alone() {
            return variation;
        }
        let mut position = self.shared.root.clone();
        let mut keys = vec![position.key()];
        for &m in pv {
            position.make(m);
            keys.push(position.key());
        }
        while variation.len() < self.depth as usize
            && let Some((m, Some(Bound::Exact))) = self.shared.table_move(&position)
        {
            position.make(m);
            if keys.contains(&position.key()) {
                break;
            }
            keys.push(position.key());
            variation.push(m);
        }
        variation
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use parking_lot::Mutex;

    use super::*;
    use crate::board::{Color, Position};
    use crate::rules::Game;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::testing::with_searcher_of;
    use crate::search::threads::ThreadPool;
    use crate::search::tt::Entry;

    const MIDGAME: &str = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w";

    fn game() -> Game {
        Game::from(Position::from_fen(MIDGAME).unwrap())
    }

    #[test]
    fn the_exact_score_is_that_of_the_last_completed_iteration() {
        for nodes in [500, 2_000, 7_000, 20_000] {
            let mut pool = ThreadPool::new(1, 4).unwrap();
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let stopped = pool.search(&game(), limits);
            pool.clear();
            let limits = Limits { depth: Some(stopped.depth), ..Limits::default() };
            let completed = pool.search(&game(), limits);
            assert_eq!(stopped.exact, Some(completed.score), "{nodes}");
            assert_eq!(completed.exact, Some(completed.score));
        }
    }

    #[test]
    fn a_soft_limit_ends_the_search_after_a_whole_iteration() {
        for nodes in [1, 300, 5_000] {
            let mut pool = ThreadPool::new(1, 4).unwrap();
            let limits = Limits { soft_nodes: Some(nodes), ..Limits::default() };
            let outcome = pool.search(&game(), limits);
            assert!(outcome.nodes >= nodes && outcome.exact == Some(outcome.score));
            pool.clear();
            let shallower = Limits { depth: Some(outcome.depth - 1), ..Limits::default() };
            assert!(outcome.depth == 1 || pool.search(&game(), shallower).nodes < nodes);
        }
    }

    #[test]
    fn every_line_of_an_iteration_is_reported_in_order() {
        let mut pool = ThreadPool::new(1, 4).unwrap();
        pool.options.lines = 3;
        let (sender, events) = channel();
        let sender = Mutex::new(sender);
        let observer = Arc::new(move |event| drop(sender.lock().send(event)));
        let limits = Limits { depth: Some(5), ..Limits::default() };
        pool.start(&game(), limits, observer);
        let lines: Vec<Line> = events
            .iter()
            .filter_map(|event| match event {
                Event::Line(line) => Some(line),
                _ => None,
            })
            .collect();
        let ranks: Vec<_> = lines.iter().map(|line| (line.depth, line.multipv)).collect();
        let expected: Vec<_> =
            (1..=5).flat_map(|depth| (1..=3).map(move |rank| (depth, rank))).collect();
        assert_eq!(ranks, expected);
        for iteration in lines.chunks(3) {
            assert!(iteration.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }

    #[test]
    fn a_mate_short_enough_ends_the_search() {
        let position = Position::from_fen("3k5/R8/9/9/9/9/9/9/9/1R2K4 w").unwrap();
        for moves in [1, u32::MAX] {
            let mut pool = ThreadPool::new(1, 1).unwrap();
            let limits = Limits { mate: Some(moves), ..Limits::default() };
            let outcome = pool.search(&Game::from(position.clone()), limits);
            assert_eq!((outcome.score, outcome.depth), (Score::mate_in(1), 1));
        }
    }

    #[test]
    fn a_search_that_knows_nothing_yet_promises_no_mate() {
        for nodes in 1..40 {
            let mut pool = ThreadPool::new(1, 1).unwrap();
            pool.options.lines = 3;
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let outcome = pool.search(&game(), limits);
            assert!(outcome.best.is_some() && !outcome.score.is_mate(), "{outcome:?}");
            assert!(outcome.lines.iter().all(|line| !line.score.is_mate()), "{outcome:?}");
        }
    }

    #[test]
    fn a_best_move_that_failed_low_when_stopped_makes_way_for_the_last_one() {
        let mut pool = ThreadPool::new(1, 4).unwrap();
        let mut restored = 0;
        for lines in [1, 3] {
            pool.options.lines = lines;
            for nodes in (2_000..32_000).step_by(1_500) {
                pool.clear();
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let outcome = pool.search(&game(), limits);
                let best = &outcome.lines[0];
                assert_ne!(best.bound, Bound::Upper, "{nodes}: {best:?}");
                if best.depth == outcome.depth {
                    assert_eq!(Some(best.score), outcome.exact, "{nodes}: {best:?}");
                    restored += 1;
                }
                let mut moves: Vec<Move> = outcome.lines.iter().map(|line| line.pv[0]).collect();
                moves.sort_unstable();
                moves.dedup();
                assert_eq!(moves.len(), outcome.lines.len(), "{nodes}: {moves:?}");
            }
        }
        assert!(restored > 0);
    }

    #[test]
    fn a_loss_counts_only_when_all_moves_have_been_tried() {
        // Black is mated by checks
        let start = "3a5/3kC2n1/b3NP3/9/9/1r3pP2/4P2RN/2pA5/5c3/3K5 w";
        let line = "e7c6 d8e8 h3h8 e8e9 h8h9 e9e8 f7e7 e8f8 h9h8 f8f9 c6d8 d9e8 h8h9 f9f8 e7f7";
        let mut game = Game::from(Position::from_fen(start).unwrap());
        let mut pool = ThreadPool::new(1, 1).unwrap();
        let (mut open, mut lost) = (0, 0);
        for text in line.split(' ') {
            game.play(text.parse().unwrap()).unwrap();
            if game.position().side_to_move() == Color::Red {
                continue;
            }
            for nodes in (50..1_250).step_by(25) {
                pool.clear();
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let outcome = pool.search(&game, limits);
                let Some(completed) = outcome.exact else { continue };
                assert_eq!(outcome.score.is_loss(), completed.is_loss(), "{nodes}: {outcome:?}");
                lost += u32::from(completed.is_loss());
                open += u32::from(!completed.is_loss());
            }
        }
        assert!(open > 0 && lost > 0, "{open} open, {lost} lost");
    }

    #[test]
    fn a_variation_goes_on_with_what_other_threads_have_searched() {
        let moves = ["h2e2", "h9g7", "h0g2", "g7h9", "g2h0"].map(|m| m.parse::<Move>().unwrap());
        let fen = Position::startpos().to_fen();
        let variation = |threads| {
            with_searcher_of(threads, &fen, Params::default(), 9, |searcher| {
                let mut position = Position::startpos();
                for m in moves {
                    let best = Some(m);
                    let found = Entry {
                        best,
                        score: Score::DRAW,
                        eval: None,
                        depth: 4,
                        bound: Some(Bound::Exact),
                        was_pv: true,
                    };
                    searcher.shared.tt.store(position.key(), found);
                    position.make(m);
                }
                searcher.variation(&moves[..2])
            })
        };
        assert_eq!(variation(1), moves[..2]);
        // the last move would bring a position of the variation back
        assert_eq!(variation(2), moves[..4]);
    }

    #[test]
    fn every_depth_is_searched_by_the_first_thread_and_by_some_other() {
        let fen = Position::startpos().to_fen();
        with_searcher_of(3, &fen, Params::default(), 1, |searcher| {
            let mut left_out = |id, depth| {
                searcher.id = id;
                searcher.leaves_out(depth)
            };
            for depth in 1..40 {
                assert!(!left_out(0, depth));
                let is_shallow = depth < ASPIRATION_DEPTH;
                assert_eq!(left_out(1, depth) != left_out(2, depth), !is_shallow, "{depth}");
            }
        });
    }
}
