//! Endgame tables in the search: at the root, and where a capture leads into
//! them.
//!
//! At the root only the moves that keep the result are searched. If the
//! distance to mate is known, nothing is: the answer is the shortest way to
//! mate, or the longest to being mated. The tables know nothing of what was
//! played before, so every move and the whole way are tried by the rules of
//! repetition and the natural move limit first, and a way that they spoil is
//! left to the search. So is a win of unknown length: the search leaves out what
//! is no longer won, or has been on the board before.
//!
//! Of several lines the worse ones are shown too, if the tables know them all;
//! else there are no more than there are moves that keep the result.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::board::{Move, Position};
use crate::egtb::{Known, Material, Prober, Wdl};
use crate::score::{Bound, MAX_PLY, Score};

use super::limits::SearchOptions;
use super::repetition::Path;
use super::searcher::{Searcher, SharedState, Signals};

/// What the endgame tables say of the root.
#[derive(Debug, Default)]
pub(super) struct RootTable {
    /// The result with best play.
    result: Option<Wdl>,
    /// The lines wanted, the best first, if its way to mate and all of theirs are
    /// known and no rule spoils them.
    lines: Vec<TableLine>,
}

/// A line that needs no search.
#[derive(Debug)]
struct TableLine {
    score: Score,
    /// To mate; of a draw the first move.
    pv: Vec<Move>,
}

/// A move of the root.
struct Rated {
    m: Move,
    known: Known,
    is_repeated: bool,
}

impl RootTable {
    /// Asks the tables about the root, and leaves the moves worth searching.
    pub(super) fn probe(
        root: &Position,
        path: &Path,
        moves: &mut Vec<Move>,
        options: &SearchOptions,
        signals: &Signals,
    ) -> RootTable {
        if !options.tables.contains(Material::of(root)) {
            return RootTable::default();
        }
        let mut prober = Prober::new(Arc::clone(&options.tables));
        let (mut position, mut path) = (root.clone(), path.clone());
        let mut rated: Vec<Rated> =
            moves.iter().map(|&m| rate(&mut position, &mut path, m, &mut prober)).collect();
        rated.sort_by_key(|rated| Reverse(rated.known));
        signals.add_table_hits(
            rated.iter().filter(|rated| rated.known.result.is_some()).count() as u64
        );
        let Some(result) = best_result(&rated) else { return RootTable::default() };
        // which drawing move is the best the tables do not know
        let lines: Option<Vec<TableLine>> = rated
            .iter()
            .filter(|_| result != Wdl::Draw)
            .take(options.lines)
            .map(|rated| table_line(&mut position, &mut path, rated, &mut prober))
            .collect();
        let lines = lines.unwrap_or_default();
        *moves = match lines.is_empty() {
            true => keep_best(rated, result),
            false => lines.iter().map(|line| line.pv[0]).collect(),
        };
        RootTable { result: Some(result), lines }
    }

    /// Whether the root is won, but the way to mate is not known.
    const fn is_win_sought(&self) -> bool {
        matches!(self.result, Some(Wdl::Win)) && self.lines.is_empty()
    }
}

impl SharedState {
    /// A score of the root after a search to `depth`, by what the tables say. They do not
    /// know the natural move limit: a draw seen where the search reaches it stands.
    pub(super) fn bounded(&self, score: Score, depth: u32) -> Score {
        if !self.root_table.lines.is_empty() {
            return score;
        }
        let reaches_limit = depth >= u32::from(self.plies_to_limit());
        if reaches_limit && score.raw().abs() <= self.options.contempt.abs() {
            return score;
        }
        match self.root_table.result {
            Some(Wdl::Draw) if !score.is_decisive() => Score::DRAW,
            Some(Wdl::Win) => score.max(Score::table_win_in(MAX_PLY)),
            Some(Wdl::Loss) => score.min(-Score::table_win_in(MAX_PLY)),
            _ => score,
        }
    }
}

/// What a move is worth by the rules, or else by the tables.
fn rate(position: &mut Position, path: &mut Path, m: Move, prober: &mut Prober) -> Rated {
    path.play(position, m);
    let over = path.game_over(position, 1).filter(|_| position.has_legal_move());
    let known = match over {
        Some(score) => Known { result: Some(result_of(-score)), dtm: None },
        None => prober.known(position).before_move(),
    };
    let is_repeated = path.is_repeated(position);
    path.take_back(position);
    Rated { m, known, is_repeated }
}

const fn result_of(score: Score) -> Wdl {
    if score.is_win() {
        Wdl::Win
    } else if score.is_loss() {
        Wdl::Loss
    } else {
        Wdl::Draw
    }
}

/// The result of the root; `None` if moves of unknown worth could be better.
fn best_result(rated: &[Rated]) -> Option<Wdl> {
    let best = rated.iter().filter_map(|rated| rated.known.result).max()?;
    let all_known = || rated.iter().all(|rated| rated.known.result.is_some());
    (best == Wdl::Win || all_known()).then_some(best)
}

/// The moves with this result. A win is sought in positions that are new.
fn keep_best(rated: Vec<Rated>, result: Wdl) -> Vec<Move> {
    let mut best: Vec<Rated> =
        rated.into_iter().filter(|rated| rated.known.result == Some(result)).collect();
    let is_new = |rated: &Rated| !rated.is_repeated;
    if result == Wdl::Win && best.iter().any(is_new) {
        best.retain(is_new);
    }
    best.into_iter().map(|rated| rated.m).collect()
}

/// The line of a move, if the tables know all of it.
fn table_line(
    position: &mut Position,
    path: &mut Path,
    rated: &Rated,
    prober: &mut Prober,
) -> Option<TableLine> {
    let Rated { m, known, .. } = *rated;
    if known.result == Some(Wdl::Draw) {
        return Some(TableLine { score: Score::DRAW, pv: vec![m] });
    }
    let plies = known.dtm.filter(|&plies| usize::from(plies) < MAX_PLY)?;
    let pv = shortest_way(position, path, m, plies, prober)?;
    let plies = pv.len();
    let wins = !plies.is_multiple_of(2);
    let score = if wins { Score::mate_in(plies) } else { Score::mated_in(plies) };
    Some(TableLine { score, pv })
}

/// The way to mate that begins with a move and takes so many plies, if the
/// rules do not end the game before.
fn shortest_way(
    position: &mut Position,
    path: &mut Path,
    first: Move,
    plies: u16,
    prober: &mut Prober,
) -> Option<Vec<Move>> {
    let mut way = vec![first];
    path.play(position, first);
    let mut is_safe = true;
    for ply in 1..usize::from(plies) {
        is_safe = path.game_over(position, ply).is_none();
        let next = prober.known_moves(position).first().copied();
        let Some((m, Known { dtm: Some(_), .. })) = next.filter(|_| is_safe) else {
            is_safe = false;
            break;
        };
        way.push(m);
        path.play(position, m);
    }
    is_safe &= !position.has_legal_move();
    for _ in &way {
        path.take_back(position);
    }
    is_safe.then_some(way)
}

impl Searcher<'_> {
    /// Takes the answer of the tables, if they have one that needs no search.
    pub(super) fn answer_from_tables(&mut self) -> bool {
        let lines = &self.shared.root_table.lines;
        if lines.is_empty() {
            return false;
        }
        for (root, line) in self.root_moves.iter_mut().zip(lines) {
            root.score = line.score;
            root.bound = Bound::Exact;
            root.seldepth = line.pv.len();
            root.pv.clone_from(&line.pv);
        }
        self.depth = 1;
        self.complete_iteration();
        (0..lines.len()).for_each(|line| self.report(line));
        true
    }

    /// What the tables say of the node at `ply`, if a capture led to it. Where a
    /// win is sought they are asked everywhere, and what spoils it counts.
    #[inline]
    pub(super) fn probe_tables(&mut self, ply: usize) -> Option<(Score, Bound)> {
        let prober = self.prober.as_mut()?;
        if self.path.ends_with_capture() {
            let result = prober.wdl(&mut self.position)?;
            self.shared.signals.add_table_hits(1);
            // a mate that is nearer may be found, on either side
            return Some(match result {
                Wdl::Win => (Score::table_win_in(ply), Bound::Lower),
                Wdl::Draw => (Score::DRAW, Bound::Exact),
                Wdl::Loss => (-Score::table_win_in(ply), Bound::Upper),
            });
        }
        if self.shared.root_table.is_win_sought() { self.spoiled_win(ply) } else { None }
    }

    /// Whether the win that is sought has slipped away at `ply`: nothing is
    /// gained by what has been on the board before either.
    #[cold]
    fn spoiled_win(&mut self, ply: usize) -> Option<(Score, Bound)> {
        let prober = self.prober.as_mut()?;
        let still_wins = if ply.is_multiple_of(2) { Wdl::Win } else { Wdl::Loss };
        let is_spoiled = self.path.is_repeated(&self.position)
            || prober.wdl_at_once(&mut self.position)? != still_wins;
        is_spoiled.then_some((Score::DRAW, Bound::Exact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egtb::Tables;
    use crate::rules::{Game, Reason};
    use crate::search::limits::Limits;
    use crate::search::threads::ThreadPool;

    /// Won in 29 plies.
    const KNIGHT: &str = "3k5/4a4/9/9/9/9/9/4N4/9/4K4 w - - 0 1";

    fn pool() -> ThreadPool {
        let mut pool = ThreadPool::new(1, 1).unwrap();
        pool.options.tables = Arc::new(Tables::embedded().clone());
        pool
    }

    fn game(fen: &str) -> Game {
        Game::from(Position::from_fen(fen).unwrap())
    }

    fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    #[test]
    fn a_known_way_to_mate_is_played_without_a_search() {
        let mut pool = pool();
        let mut game = game(KNIGHT);
        for left in (0..=29).rev() {
            let outcome = pool.search(&game, nodes(1_000_000));
            let Some(best) = outcome.best else {
                assert_eq!(left, 0);
                return;
            };
            let score = if left % 2 == 1 { Score::mate_in(left) } else { Score::mated_in(left) };
            assert_eq!((outcome.nodes, outcome.score), (0, score));
            assert_eq!(outcome.lines[0].pv.len(), left);
            assert!(outcome.lines[0].table_hits > 0);
            game.play(best).unwrap();
        }
        panic!("not mated after 29 plies");
    }

    #[test]
    fn a_way_that_the_move_limit_spoils_is_left_to_the_search() {
        let late = KNIGHT.replace("0 1", "118 60");
        let outcome = pool().search(&game(&late), nodes(500));
        assert!(outcome.nodes > 0 && outcome.best.is_some());
        let in_time = KNIGHT.replace("0 1", "80 60");
        assert_eq!(pool().search(&game(&in_time), nodes(500)).nodes, 0);
    }

    #[test]
    fn a_draw_by_the_move_limit_is_called_one_whatever_the_tables_say() {
        let lost = "9/4a4/3k5/9/9/9/9/4N4/9/4K4 b - - ";
        for (fen, contempt) in [(KNIGHT, 0), (KNIGHT, 25), (lost, 0), (lost, 25)] {
            let fen = fen.replace("- - 0 1", "- - ") + "118 60";
            let mut pool = pool();
            pool.options.contempt = contempt;
            let limits = Limits { depth: Some(6), ..Limits::default() };
            let outcome = pool.search(&game(&fen), limits);
            assert_eq!(outcome.score.raw(), -contempt, "{fen}: {outcome:?}");
        }
    }

    #[test]
    fn a_drawn_ending_is_held_and_called_a_draw() {
        let mut pool = pool();
        // the rook would win if Black let go of its formation
        let mut game = game("3ak1b2/4a4/8b/9/9/9/4R4/9/9/4K4 w - - 0 1");
        while game.outcome().is_none() {
            let outcome = pool.search(&game, nodes(300));
            assert_eq!(outcome.score, Score::DRAW, "{}", game.position().to_fen());
            game.play(outcome.best.unwrap()).unwrap();
        }
        let reason = game.outcome().unwrap();
        assert_eq!(reason.winner, None, "{reason}");
        assert_ne!(reason.reason, Reason::InsufficientMaterial);
    }

    #[test]
    fn several_lines_are_those_of_the_tables() {
        let mut pool = pool();
        pool.options.lines = 30;
        // some moves lose the knight
        let won = game("3k5/4a4/9/9/4N4/9/9/9/9/4K4 w - - 0 1");
        let outcome = pool.search(&won, nodes(2000));
        assert_eq!(outcome.nodes, 0);
        assert_eq!(outcome.lines.len(), won.position().legal_moves().len());
        assert!(outcome.lines.is_sorted_by_key(|line| Reverse(line.score)));
        let [first, .., last] = &outcome.lines[..] else { panic!("{outcome:?}") };
        assert_eq!(first.score, Score::mate_in(first.pv.len()));
        assert_eq!((last.score, last.pv.len()), (Score::DRAW, 1));
        // the first is what a single line is
        pool.options.lines = 1;
        assert_eq!(pool.search(&won, nodes(2000)).lines[0].pv, first.pv);
        // where the length of a win is not known, no move spoils it
        pool.options.lines = 3;
        let two_knights = game("4k4/4a4/9/9/9/9/9/2N3N2/9/4K4 w - - 0 1");
        let outcome = pool.search(&two_knights, nodes(2000));
        assert!(outcome.nodes > 0 && outcome.lines.len() == 3);
        assert!(outcome.lines.iter().all(|line| line.score.is_win()), "{outcome:?}");
        let drawn = game("2bakab2/9/9/9/9/9/9/9/R8/3K5 w - - 0 1");
        let outcome = pool.search(&drawn, nodes(2000));
        assert!(outcome.lines.iter().all(|line| line.score == Score::DRAW), "{outcome:?}");
    }

    #[test]
    fn a_won_ending_is_not_traded_for_a_good_evaluation() {
        // taking the rook leaves a won ending far from mate; the tables know it, not
        // the ending with the rook
        let before = "9/4a4/3k5/9/9/5N3/9/4r4/9/4K4 w - - 0 1";
        let outcome = pool().search(&game(before), Limits { depth: Some(8), ..Limits::default() });
        assert_eq!(outcome.best, "f4e2".parse().ok());
        assert!(outcome.score.is_win(), "{outcome:?}");
    }

    #[test]
    fn a_capture_into_the_tables_is_believed() {
        // the knight takes the pawn: against the elephant it draws
        let before = "4k4/9/4b4/9/9/5N3/9/4p4/9/3K5 w - - 0 1";
        let takes = vec!["f4e2".parse().unwrap()];
        let limits = Limits { search_moves: takes, ..nodes(3000) };
        let outcome = pool().search(&game(before), limits.clone());
        assert!(outcome.lines[0].table_hits > 0, "{outcome:?}");
        assert_eq!(outcome.score, Score::DRAW);
        let without = ThreadPool::new(1, 1).unwrap().search(&game(before), limits);
        assert_eq!(without.lines[0].table_hits, 0);
        assert_ne!(without.score, Score::DRAW);
    }
}
