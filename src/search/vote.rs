//! The vote: threads and processes that have searched the same position agree
//! on a move.

use std::time::Duration;

use crate::board::{Move, Position};
use crate::score::{Bound, Score};

use super::event::{Event, Line, Outcome};
use super::searcher::{Searcher, SharedState};

/// The vote of a thread that has searched as deep as any; thousands of them
/// can be added.
const FULL_VOTE: u64 = 1 << 48;

/// What a thread found, or another process.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadResult {
    /// Depth of the last iteration that was completed, plies.
    pub depth: u32,
    /// Its best line.
    pub line: Line,
}

impl ThreadResult {
    /// What a process found, if there is a move.
    pub fn of(outcome: &Outcome) -> Option<ThreadResult> {
        Some(ThreadResult { depth: outcome.depth, line: outcome.lines.first()?.clone() })
    }

    /// The result with as much of its line as can be played; `None` if that is
    /// nothing.
    fn checked(mut self, root: &Position) -> Option<ThreadResult> {
        let mut position = root.clone();
        let legal = self.line.pv.iter().take_while(|&&m| {
            let is_legal = position.is_legal(m);
            if is_legal {
                position.make(m);
            }
            is_legal
        });
        let legal = legal.count();
        self.line.pv.truncate(legal);
        (legal > 0).then_some(self)
    }
}

/// Ends the search of the other processes; what they found. Of several lines
/// only the first thread's own are shown, so that nobody else has a vote then.
pub(super) fn gather(main: &Searcher<'_>) -> Vec<ThreadResult> {
    let shared = main.shared;
    let (Some(peers), Some(thread)) = (shared.peers(), &main.main) else { return Vec::new() };
    if shared.options.lines > 1 {
        peers.end(Duration::ZERO);
        return Vec::new();
    }
    let results = peers.end(thread.patience_with_peers(peers)).into_iter();
    results
        .filter_map(|result| result.checked(&shared.root))
        .filter(|result| shared.root_moves.contains(&result.line.pv[0]))
        .map(|ThreadResult { depth, line }| {
            let line = Line { score: shared.bounded(line.score, depth), ..line };
            ThreadResult { depth, line }
        })
        .collect()
}

/// Counts the votes, `main` being the first searcher: those of the threads
/// first, its own result being the first of them, then those of the processes,
/// each of which has one.
pub(super) fn count_votes(
    main: &Searcher<'_>,
    results: Vec<ThreadResult>,
    of_processes: Vec<ThreadResult>,
) -> Outcome {
    let shared = main.shared;
    let first = results[0].clone();
    let own = winner(shared, results);
    let winner = winner(shared, std::iter::once(own).chain(of_processes).collect());
    let nodes = shared.signals.total_nodes();
    let lines = if winner == first {
        let count = shared.options.lines.min(main.root_moves.len());
        (0..count)
            .map(|line| main.describe(line))
            .filter(|line| line.score != -Score::INFINITE)
            .collect()
    } else {
        let (time, hashfull) = (shared.signals.elapsed(), shared.tt.hashfull());
        let line = Line { nodes, time, hashfull, ..winner.line.clone() };
        shared.send(Event::Line(line.clone()));
        vec![line]
    };
    let line = &winner.line;
    let best = line.pv[0];
    Outcome {
        best: Some(best),
        ponder: line.pv.get(1).copied().or_else(|| expected_reply(shared, best)),
        score: line.score,
        exact: main.completed.as_ref().map(|best| best.score),
        depth: winner.depth,
        nodes,
        time: shared.signals.elapsed(),
        on_clock: shared.signals.clock_elapsed(),
        lines,
    }
}

/// Whose result counts.
fn winner(shared: &SharedState, mut results: Vec<ThreadResult>) -> ThreadResult {
    if shared.options.lines > 1 {
        return results.swap_remove(0);
    }
    if shared.limits.depth.is_some() {
        // the depth was asked for: who has not reached it has no vote
        let deepest = results.iter().map(|result| result.depth).max();
        results.retain(|result| Some(result.depth) == deepest);
    }
    vote(&results).clone()
}

/// The thread to believe: each votes for its move, twice as strongly with each
/// ply that it has searched deeper. Scores do not count: of two threads that
/// disagree the deeper one chose better than the one with the higher score
/// (tuning/LOG.md, "The vote"). But a proven win goes first, and who sees no way
/// out of a loss last.
fn vote(results: &[ThreadResult]) -> &ThreadResult {
    let deepest = results.iter().map(|result| result.depth).max().unwrap_or(0);
    let weight = |result: &ThreadResult| FULL_VOTE >> (deepest - result.depth).min(63);
    let votes = |m: Move| -> u64 {
        results.iter().filter(|result| result.line.pv[0] == m).map(weight).sum()
    };
    let mut winner = &results[0];
    for result in &results[1..] {
        let (old, new) = (&winner.line, &result.line);
        let is_better = if new.score.is_win() || old.score.is_win() {
            new.score > old.score && new.bound != Bound::Upper
        } else if new.score.is_loss() != old.score.is_loss() {
            old.score.is_loss()
        } else {
            let (old_votes, new_votes) = (votes(old.pv[0]), votes(new.pv[0]));
            new_votes > old_votes || new_votes == old_votes && result.depth > winner.depth
        };
        if is_better && result.depth > 0 {
            winner = result;
        }
    }
    winner
}

/// The answer that the table expects to a move.
fn expected_reply(shared: &SharedState, best: Move) -> Option<Move> {
    let mut position = shared.root.clone();
    position.make(best);
    Some(shared.table_move(&position)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(m: &str, score: Score, depth: u32) -> ThreadResult {
        let line = Line {
            depth,
            seldepth: 0,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            table_hits: 0,
            pv: vec![m.parse().unwrap()],
        };
        ThreadResult { depth, line }
    }

    fn cp(centipawns: i32) -> Score {
        Score::from_centipawns(centipawns)
    }

    #[test]
    fn two_threads_outvote_a_third() {
        let results =
            [("h2e2", 30), ("b2e2", 20), ("b2e2", 25)].map(|(m, score)| result(m, cp(score), 9));
        assert_eq!(vote(&results).line.pv, results[1].line.pv);
        assert_eq!(vote(&results).line.score, cp(20));
    }

    #[test]
    fn depth_counts_and_the_first_thread_breaks_ties() {
        let shallow_and_deep = [result("h2e2", cp(10), 8), result("b2e2", cp(10), 12)];
        assert_eq!(vote(&shallow_and_deep), &shallow_and_deep[1]);
        for score in [10, 70] {
            let equal = [result("h2e2", cp(10), 8), result("b2e2", cp(score), 8)];
            assert_eq!(vote(&equal), &equal[0]);
        }
    }

    #[test]
    fn a_ply_more_outvotes_one_thread_and_no_majority() {
        let deep = result("h2e2", cp(10), 12);
        let shallow = [(); 3].map(|()| result("b2e2", cp(200), 11));
        assert_eq!(vote(&[shallow[0].clone(), deep.clone()]).line.pv, deep.line.pv);
        let many = [&[deep], &shallow[..]].concat();
        assert_eq!(vote(&many).line.pv, shallow[0].line.pv);
    }

    #[test]
    fn the_deepest_line_of_the_move_elected_is_shown() {
        let same = [result("h2e2", cp(10), 8), result("h2e2", cp(20), 9)];
        assert_eq!(vote(&same), &same[1]);
    }

    #[test]
    fn a_thread_that_sees_a_loss_is_believed_last() {
        let lost = result("h2e2", -Score::mate_in(9), 12);
        let hopeful = result("b2e2", cp(-400), 11);
        let mut both = [lost, hopeful];
        assert_eq!(vote(&both), &both[1]);
        both.reverse();
        assert_eq!(vote(&both), &both[0]);
    }

    #[test]
    fn a_proven_win_goes_first_and_the_shortest_of_several() {
        let results = [
            result("h2e2", cp(500), 20),
            result("b2e2", Score::mate_in(9), 9),
            result("h0g2", Score::mate_in(5), 7),
        ];
        assert_eq!(vote(&results), &results[2]);
        let mut bounded = results;
        bounded[2].line.bound = Bound::Upper;
        assert_eq!(vote(&bounded), &bounded[1]);
    }

    #[test]
    fn a_thread_that_completed_nothing_is_not_elected() {
        let results = [result("h2e2", cp(-50), 6), result("b2e2", Score::mate_in(3), 0)];
        assert_eq!(vote(&results), &results[0]);
    }
}
