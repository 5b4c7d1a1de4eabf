//! Tries one puzzle: a search, and a game against a defender where a search
//! proves nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;

use crate::board::Move;
use crate::egtb::Tables;
use crate::rules::{Game, Parameters};
use crate::score::{Bound, Score, Verdict};
use crate::search::{Event, Limits, Line, Outcome, PoolError, ThreadPool, TimeLimit};

use super::puzzle::{Goal, Puzzle};

/// What each side may spend on a move.
#[derive(Clone, Copy, Debug)]
pub enum Budget {
    Time(Duration),
    Nodes(u64),
}

/// The two sides, each with a hash table of its own.
pub struct Solver {
    sides: [ThreadPool; 2],
    rules: Parameters,
    budget: Budget,
    /// After so many plies a game counts as held.
    plies: usize,
    stop: Arc<AtomicBool>,
}

/// How it went.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub is_solved: bool,
    /// The move chosen in the position.
    pub best: Option<Move>,
    /// Its score.
    pub score: Score,
    /// When the search came to what it held to the end; the whole search where
    /// a game decided or nothing was solved.
    pub time: Duration,
    /// Nodes of the search.
    pub nodes: u64,
    /// Depth of its last iteration.
    pub depth: u32,
    /// Length of the game that was played out, if one was.
    pub plies: Option<usize>,
}

/// Mates of any length.
const ANY_MATE: u32 = 1_000;

impl Solver {
    /// Two sides with so many threads and megabytes each.
    ///
    /// # Errors
    /// When threads or memory cannot be had.
    pub fn new(
        (threads, hash): (usize, usize),
        rules: Parameters,
        budget: Budget,
        plies: usize,
        stop: Arc<AtomicBool>,
    ) -> Result<Solver, PoolError> {
        let mut sides = [ThreadPool::new(threads, hash)?, ThreadPool::new(threads, hash)?];
        for side in &mut sides {
            // nobody waits at the other end of a wire
            side.options.overhead = Duration::ZERO;
            side.options.tables = Arc::new(Tables::embedded().clone());
        }
        Ok(Solver { sides, rules, budget, plies, stop })
    }

    /// Tries a puzzle; `None` if it was interrupted.
    pub fn attempt(&mut self, puzzle: &Puzzle) -> Option<Attempt> {
        self.sides.iter_mut().for_each(ThreadPool::clear);
        let game = Game::new(puzzle.position.clone(), self.rules);
        let mut limits = self.limits();
        limits.mate = match puzzle.goal {
            Goal::Mate(moves) => Some(moves),
            Goal::Win => Some(ANY_MATE),
            Goal::Draw | Goal::Moves(_) => None,
        };
        let goal = puzzle.goal.clone();
        let (is_over, proof) = (game.outcome().is_some(), Proof::of(&game));
        let since = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&since);
        let observe = move |line: &Line| {
            let reached = proof.reaches(&goal, line.pv.first(), line.score);
            let mut since = seen.lock();
            *since = reached.then(|| since.unwrap_or(line.time));
        };
        let found = self.search(0, &game, limits, observe)?;
        let since = *since.lock();
        let is_reached = !is_over && proof.reaches(&puzzle.goal, found.best.as_ref(), found.score);
        let mut attempt = Attempt {
            is_solved: is_reached,
            best: found.best,
            score: found.score,
            time: since.filter(|_| is_reached).unwrap_or(found.time),
            nodes: found.nodes,
            depth: found.depth,
            plies: None,
        };
        if !is_reached && matches!(puzzle.goal, Goal::Win | Goal::Draw) {
            let first = found.best.filter(|_| !is_over);
            let (points, plies) = self.play_out(game, first)?;
            attempt.is_solved = if puzzle.goal == Goal::Win { points > 0 } else { points >= 0 };
            attempt.plies = Some(plies);
        }
        Some(attempt)
    }

    fn limits(&self) -> Limits {
        match self.budget {
            Budget::Time(time) => {
                Limits { time: Some(TimeLimit::PerMove(time)), ..Limits::default() }
            }
            Budget::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        }
    }

    fn search(
        &mut self,
        side: usize,
        game: &Game,
        limits: Limits,
        observe: impl Fn(&Line) + Send + Sync + 'static,
    ) -> Option<Outcome> {
        let pool = &mut self.sides[side];
        let (sender, receiver) = crossbeam::channel::bounded(1);
        let observer = Arc::new(move |event| match event {
            Event::Line(line) if line.bound == Bound::Exact => observe(&line),
            Event::Done(outcome) => {
                // who waits no longer does not want it
                let _ = sender.send(outcome);
            }
            _ => {}
        });
        pool.start(game, limits, observer);
        loop {
            match receiver.recv_timeout(STOP_INTERVAL) {
                Ok(outcome) => return (!self.stop.load(Relaxed)).then_some(outcome),
                Err(_) if self.stop.load(Relaxed) => pool.stop(),
                Err(_) => {}
            }
        }
    }

    /// Plays on from the first move: 1 if the side to move of the puzzle wins,
    /// -1 if it loses, 0 if the game is drawn or lasts too long; and the plies.
    fn play_out(&mut self, mut game: Game, first: Option<Move>) -> Option<(i32, usize)> {
        let solver = game.position().side_to_move();
        let mut next = first;
        loop {
            let points = |wins: bool| if wins { 1 } else { -1 };
            let mover = game.position().side_to_move();
            // a side without a legal move has lost, as the game says
            if next.is_some_and(|m| game.play(m).is_err()) {
                return Some((points(mover != solver), game.ply()));
            }
            if let Some(outcome) = game.outcome() {
                let result = outcome.winner.map_or(0, |winner| points(winner == solver));
                return Some((result, game.ply()));
            }
            if game.ply() >= self.plies {
                return Some((0, game.ply()));
            }
            let is_solver = game.position().side_to_move() == solver;
            let limits = Limits { mate: Some(ANY_MATE), ..self.limits() };
            let found = self.search(usize::from(!is_solver), &game, limits, |_| ())?;
            if Proof::of(&game).is_win(found.score) {
                return Some((points(is_solver), game.ply()));
            }
            next = found.best;
        }
    }
}

/// Time between two looks at whether the user wants an end.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// What a score proves without a game.
#[derive(Clone, Copy)]
struct Proof {
    /// Whether a win by the tables is one: they do not know the natural move limit,
    /// so at least half of it must be left.
    by_tables: bool,
}

impl Proof {
    fn of(game: &Game) -> Proof {
        let limit = game.parameters().quiet_limit;
        Proof { by_tables: game.position().quiet_plies() <= limit / 2 }
    }

    fn is_win(self, score: Score) -> bool {
        score.is_win() && (self.by_tables || !matches!(score.verdict(), Verdict::Table(_)))
    }

    /// Whether this move and score are what is wanted.
    fn reaches(self, goal: &Goal, best: Option<&Move>, score: Score) -> bool {
        match goal {
            Goal::Win | Goal::Draw => self.is_win(score),
            Goal::Mate(moves) => match score.verdict() {
                Verdict::Mate(plies) => plies > 0 && plies.cast_unsigned().div_ceil(2) <= *moves,
                _ => false,
            },
            Goal::Moves(moves) => best.is_some_and(|best| moves.contains(best)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::rules::RuleSet;

    fn attempt(fen: &str, goal: Goal, budget: Budget) -> Attempt {
        let rules = RuleSet::Axf.into();
        let mut solver = Solver::new((1, 4), rules, budget, 40, Arc::default()).unwrap();
        let position = Position::from_fen(fen).unwrap();
        solver.attempt(&Puzzle { name: String::new(), position, goal }).unwrap()
    }

    #[test]
    fn mates_are_announced_and_moves_found() {
        let fen = "3k5/9/9/9/9/9/9/9/R8/1R2K4 w";
        let nodes = Budget::Nodes(20_000);
        let mate = attempt(fen, Goal::Mate(1), nodes);
        assert!(mate.is_solved && mate.plies.is_none(), "{mate:?}");
        assert!(mate.nodes < 20_000, "it ends when the mate is found");
        let position = Position::from_fen(fen).unwrap();
        let moves = |text: &str| Goal::parse(&position, text).unwrap();
        assert!(attempt(fen, moves("a1d1 b0d0"), nodes).is_solved);
        assert!(!attempt(fen, moves("a1a9 e0e1"), nodes).is_solved);
        // the rook alone against all defenders wins nothing
        let drawn = "2bakab2/9/9/9/9/9/9/9/R8/3K5 w";
        assert!(!attempt(drawn, Goal::Mate(20), nodes).is_solved);
    }

    #[test]
    fn what_a_search_does_not_prove_is_played_out() {
        let nodes = Budget::Nodes(3_000);
        let drawn = "2bakab2/9/9/9/9/9/9/9/R8/3K5 w";
        let win = attempt(drawn, Goal::Win, nodes);
        assert!(!win.is_solved && win.plies.is_some(), "{win:?}");
        let held = attempt("2bakab2/9/9/9/9/9/9/9/R8/3K5 b", Goal::Draw, nodes);
        assert!(held.is_solved && held.plies.is_some(), "{held:?}");
        // two rooks against none: the defender cannot hold it
        let lost = attempt("3k5/9/9/9/9/9/9/4p4/R8/1R2K4 b", Goal::Draw, nodes);
        assert!(!lost.is_solved, "{lost:?}");
    }

    #[test]
    fn the_move_limit_draws_what_the_tables_say_is_won() {
        let nodes = Budget::Nodes(1_000);
        let position = |rest: &str| format!("3k5/4a4/9/9/9/9/9/4N4/9/4K4 {rest}");
        assert!(attempt(&position("w - - 0 1"), Goal::Win, nodes).is_solved);
        assert!(!attempt(&position("w - - 110 60"), Goal::Win, nodes).is_solved);
        assert!(attempt(&position("b - - 110 60"), Goal::Draw, nodes).is_solved);
        let over = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 120 90";
        assert!(!attempt(over, Goal::Win, nodes).is_solved);
        assert!(attempt(over, Goal::Draw, nodes).is_solved);
    }

    #[test]
    fn an_interrupt_ends_a_search() {
        let stop = Arc::new(AtomicBool::new(true));
        let budget = Budget::Time(Duration::from_secs(1_000));
        let mut solver = Solver::new((1, 4), RuleSet::Axf.into(), budget, 40, stop).unwrap();
        let position = Position::startpos();
        assert_eq!(
            solver.attempt(&Puzzle { name: String::new(), position, goal: Goal::Win }),
            None
        );
    }
}
