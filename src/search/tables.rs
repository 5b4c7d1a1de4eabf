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
    /// The way to mate, if its length is known and no rule spoils it.
    way: Vec<Move>,
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
        // several lines are wanted also where they are worse
        if options.lines > 1 || !options.tables.contains(Material::of(root)) {
            return RootTable::default();
        }
        let mut prober = Prober::new(Arc::clone(&options.tables));
        let (mut position, mut path) = (root.clone(), path.clone());
        let rated: Vec<Rated> =
            moves.iter().map(|&m| rate(&mut position, &mut path, m, &mut prober)).collect();
        signals.add_table_hits(
            rated.iter().filter(|rated| rated.known.result.is_some()).count() as u64
        );
        let Some(result) = best_result(&rated) else { return RootTable::default() };
        let best = keep_best(rated, result);
        let way = best.first().and_then(|first| {
            let plies = first.known.dtm.filter(|&plies| usize::from(plies) < MAX_PLY)?;
            shortest_way(&mut position, &mut path, first.m, plies, &mut prober)
        });
        *moves = best.iter().map(|rated| rated.m).collect();
        RootTable { result: Some(result), way: way.unwrap_or_default() }
    }

    /// Whether the root is won, but the way to mate is not known.
    const fn is_win_sought(&self) -> bool {
        matches!(self.result, Some(Wdl::Win)) && self.way.is_empty()
    }
}

impl SharedState {
    /// A score of the root after a search to `depth`, by what the tables say. They do not
    /// know the natural move limit: a draw seen where the search reaches it stands.
    pub(super) fn bounded(&self, score: Score, depth: u32) -> Score {
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

/// The moves with this result, the best ones first. Where distances are not
/// known, a win is sought in positions that are new.
fn keep_best(rated: Vec<Rated>, result: Wdl) -> Vec<Rated> {
    let mut best: Vec<Rated> =
        rated.into_iter().filter(|rated| rated.known.result == Some(result)).collect();
    let is_new = |rated: &Rated| !rated.is_repeated;
    if result == Wdl::Win && best.iter().any(is_new) {
        best.retain(is_new);
    }
    best.sort_by_key(|rated| std::cmp::Reverse(rated.known));
    best
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
    way.iter().for_each(|_| path.take_back(position));
    is_safe.then_some(way)
}

impl Searcher<'_> {
    /// Takes the answer of the tables, if they have one that needs no search.
    pub(super) fn is_answered_by_tables(&mut self) -> bool {
        let way = &self.shared.root_table.way;
        let Some(root) = self.root_moves.first_mut().filter(|_| !way.is_empty()) else {
            return false;
        };
        let plies = way.len();
        let wins = !plies.is_multiple_of(2);
        root.score = if wins { Score::mate_in(plies) } else { Score::mated_in(plies) };
        root.bound = Bound::Exact;
        root.seldepth = plies;
        root.pv.clone_from(way);
        self.depth = 1;
        self.complete_iteration();
        self.report(0);
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
    fn several_lines_are_searched() {
        let mut pool = pool();
        pool.options.lines = 3;
        let outcome = pool.search(&game(KNIGHT), nodes(2000));
        assert!(outcome.lines.len() == 3 && outcome.nodes > 0);
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
