//! The pool of search threads: parked between searches, all searching the same
//! tree when woken, and voting on the move at the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::unbounded;

use crate::board::{Move, Position};
use crate::rules::Game;

use super::breadcrumbs::Breadcrumbs;
use super::event::{Observer, Outcome};
use super::history::table;
use super::limits::{Limits, SearchOptions};
use super::peers::Peers;
use super::repetition::{Path, filter_repetition_losses};
use super::searcher::{SharedHistories, SharedState, Signals};
use super::tables::RootTable;
use super::tt::{TableError, TranspositionTable};
use super::worker::{Role, Running, Thread, dismiss, no_outcome, spawn};

/// The system gives fewer threads than wanted, or no memory for them.
#[derive(Debug, thiserror::Error)]
#[error("only {given} of {wanted} search threads can be had ({source})")]
pub struct ThreadError {
    wanted: usize,
    given: usize,
    source: std::io::Error,
}

/// Why there is no pool.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// No memory for the transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Not as many threads as wanted.
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

/// A set of parked search threads and their transposition table.
pub struct ThreadPool {
    /// How searches are carried out, from the next one on.
    pub options: SearchOptions,
    threads: Vec<Thread>,
    /// One for each [`GROUP`] of threads.
    histories: Vec<Arc<SharedHistories>>,
    tt: Arc<TranspositionTable>,
    signals: Arc<Signals>,
    running: Arc<Running>,
    is_pinned: bool,
    /// Whether nobody has written to the table: the system has not provided its
    /// memory yet.
    is_untouched: bool,
}

/// Time between two looks whether a search is cancelled.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);
/// Memory that has to be free before a thread starts, bytes: its stack
/// and tables, the 64 MB that C libraries set aside for what a thread allocates,
/// and the same for some of the short-lived threads that clear and count.
const RESERVE: usize = 320 << 20;
/// Threads that learn together: the more there are the sooner they know which
/// moves are good, but the more often they wait for each other's cache lines.
const GROUP: usize = 8;

impl ThreadPool {
    /// A pool of so many threads (at least one) with a table of so many
    /// megabytes.
    ///
    /// # Errors
    /// When the threads or the memory for the table cannot be had.
    pub fn new(threads: usize, megabytes: usize) -> Result<ThreadPool, PoolError> {
        let mut pool = ThreadPool {
            options: SearchOptions::default(),
            threads: Vec::new(),
            histories: Vec::new(),
            tt: Arc::new(TranspositionTable::new(megabytes)?),
            signals: Arc::new(Signals::new(Instant::now(), 0, false, 0, None)),
            running: Arc::default(),
            is_pinned: false,
            is_untouched: true,
        };
        pool.set_threads(threads, false)?;
        Ok(pool)
    }

    /// Changes the number of threads and whether each stays on a core of its
    /// own; waits for a running search.
    ///
    /// # Errors
    /// When fewer can be had; the pool goes on with the old ones.
    pub fn set_threads(&mut self, threads: usize, pinned: bool) -> Result<(), ThreadError> {
        self.wait();
        let wanted = threads.max(1);
        let replaced =
            if pinned == self.is_pinned { Vec::new() } else { std::mem::take(&mut self.threads) };
        let kept = self.threads.len();
        let result = self.spawn_up_to(wanted, pinned);
        let given = self.threads.len();
        if result.is_ok() {
            dismiss(self.threads.split_off(wanted));
            dismiss(replaced);
            self.is_pinned = pinned;
        } else {
            dismiss(self.threads.split_off(kept));
            self.threads.extend(replaced);
        }
        self.histories.truncate(self.threads.len().div_ceil(GROUP));
        result.map_err(|source| ThreadError { wanted, given, source })
    }

    fn spawn_up_to(&mut self, wanted: usize, pinned: bool) -> std::io::Result<()> {
        let cores = if pinned { core_affinity::get_core_ids() } else { None }.unwrap_or_default();
        // one after another: where memory is short, what is left after the stacks
        // of many would not do for what the system needs to begin a thread
        for id in self.threads.len()..wanted {
            // given back before the thread starts, which cannot refuse without any memory
            let reserve = table::<u8>(RESERVE).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
            // or the compiler leaves out what nobody uses
            drop(std::hint::black_box(reserve));
            if id / GROUP == self.histories.len() {
                let histories =
                    SharedHistories::new().map_err(|_| std::io::ErrorKind::OutOfMemory)?;
                self.histories.push(Arc::new(histories));
            }
            let core = cores.get(id % cores.len().max(1)).copied();
            self.threads.push(spawn(id, core, Arc::clone(&self.histories[id / GROUP]))?);
        }
        Ok(())
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Replaces the table by an empty one; waits for a running search. On an
    /// error the old table stays.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), TableError> {
        self.wait();
        self.tt = Arc::new(TranspositionTable::new(megabytes)?);
        self.is_untouched = true;
        Ok(())
    }

    /// The shared table.
    pub const fn table(&self) -> &Arc<TranspositionTable> {
        &self.tt
    }

    /// Nodes of the search that is running, or of the last one.
    pub fn nodes(&self) -> u64 {
        self.signals.total_nodes()
    }

    /// Has the system provide the memory of the table, which takes seconds if it
    /// is large, so that searches need not fetch it piece by piece; does nothing
    /// once there is something in it.
    pub fn warm_up(&mut self) {
        if std::mem::take(&mut self.is_untouched) {
            self.tt.clear(self.threads.len());
        }
    }

    /// Clears table and histories; waits for a running search, and until all
    /// threads are done: the clock of the next search must not run meanwhile.
    pub fn clear(&mut self) {
        self.wait();
        self.tt.clear(self.threads.len());
        self.is_untouched = false;
        self.histories.iter().for_each(|histories| histories.clear());
    }

    /// The same at once, for a search whose clock runs: the table keeps its
    /// entries, but no position finds them.
    pub fn forget(&mut self) {
        self.wait();
        self.tt.forget();
        self.histories.iter().for_each(|histories| histories.clear());
    }

    /// Begins a search of the position at the end of a game, after the one
    /// running has ended; returns without waiting for the new one. `observer`
    /// receives its events, [`Done`] last, on a thread of the search, which has
    /// not ended before the observer returns: it must neither wait for it nor begin
    /// another one.
    ///
    /// [`Done`]: super::event::Event::Done
    pub fn start(&mut self, game: &Game, limits: Limits, observer: Observer) {
        self.begin(Instant::now(), game, limits, Some(observer), None);
    }

    /// Searches the position at the end of a game and waits for the outcome. Nobody
    /// else can end the search: the limits must. There is no move in it where the
    /// search has panicked.
    pub fn search(&mut self, game: &Game, limits: Limits) -> Outcome {
        self.begin(Instant::now(), game, limits, None, None);
        self.wait();
        self.running.take_outcome().unwrap_or_else(no_outcome)
    }

    /// The same, but stops and gives `None` as soon as `is_cancelled`.
    pub fn search_unless(
        &mut self,
        game: &Game,
        limits: Limits,
        is_cancelled: impl Fn() -> bool,
    ) -> Option<Outcome> {
        self.begin(Instant::now(), game, limits, None, None);
        loop {
            if is_cancelled() {
                self.stop();
                self.wait();
                return None;
            }
            if !self.running.wait_for(CANCEL_INTERVAL) {
                return self.running.take_outcome();
            }
        }
    }

    /// Begins a search as [`start`](ThreadPool::start) does, on a clock that runs since
    /// `began`, together with other processes if there are any.
    pub(crate) fn begin(
        &mut self,
        began: Instant,
        game: &Game,
        limits: Limits,
        observer: Option<Observer>,
        peers: Option<Arc<dyn Peers>>,
    ) {
        self.wait();
        // the clock runs: no time to warm up now
        self.is_untouched = false;
        let shared = Arc::new(self.shared_state(began, game, limits, observer, peers));
        self.signals = Arc::clone(&shared.signals);
        self.tt.new_search();
        let (sender, results) = unbounded();
        let ending = self.running.begin(Arc::clone(&shared.signals));
        let main = Role::Main { results, ending };
        let helpers = std::iter::repeat_with(|| Role::Helper { results: sender.clone() });
        let threads = self.threads.iter().take(shared.threads);
        // without a legal move the first one can do it all
        for (thread, role) in threads.zip(std::iter::once(main).chain(helpers)) {
            // a thread that has panicked takes no part any more
            let _ = thread.tasks.send((Arc::clone(&shared), role));
        }
    }

    pub(super) fn shared_state(
        &self,
        began: Instant,
        game: &Game,
        limits: Limits,
        observer: Option<Observer>,
        peers: Option<Arc<dyn Peers>>,
    ) -> SharedState {
        let (root, path) = (game.position().clone(), Path::of(game, self.options.is_cautious));
        let options = SearchOptions {
            lines: self.options.lines.max(1),
            // analysis takes no side
            contempt: if limits.infinite { 0 } else { self.options.contempt },
            ..self.options.clone()
        };
        let mut root_moves = root_moves(&root, &path, &limits);
        let is_single = root_moves.is_empty() || limits.handicap.is_some();
        let threads = if is_single { 1 } else { self.threads.len() };
        let signals = Signals::new(began, threads, limits.ponder, options.node_rate, peers);
        let root_table = RootTable::probe(&root, &path, &mut root_moves, &options, &signals);
        SharedState {
            root_moves,
            root_table,
            root,
            path,
            threads,
            tt: Arc::clone(&self.tt),
            signals: Arc::new(signals),
            breadcrumbs: Breadcrumbs::new(threads),
            observer,
            limits,
            options,
        }
    }

    /// Ends a running search; its [`Done`] follows at once.
    ///
    /// [`Done`]: super::event::Event::Done
    pub fn stop(&self) {
        self.signals.stop();
    }

    /// Whether a search waits to know whether the expected move is played.
    pub fn is_pondering(&self) -> bool {
        self.signals.is_pondering()
    }

    /// The move pondered on was played: limits count from now on. Does nothing
    /// unless a search is pondering.
    pub fn ponder_hit(&self) {
        self.signals.ponder_hit();
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        self.running.is_searching()
    }

    /// Waits for a running search to end: its observer has received all events then.
    pub fn wait(&self) {
        self.running.wait();
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.stop();
        dismiss(std::mem::take(&mut self.threads));
    }
}

/// The legal moves that the limits leave; if they leave none, all that are
/// neither banned nor an offence; if those are none either, offences, and at
/// last all.
fn root_moves(position: &Position, path: &Path, limits: &Limits) -> Vec<Move> {
    let legal = position.legal_moves().to_vec();
    let allowed: Vec<Move> = legal.iter().copied().filter(|m| !limits.banned.contains(m)).collect();
    let wanted: Vec<Move> =
        allowed.iter().copied().filter(|m| limits.search_moves.contains(m)).collect();
    let safe = filter_repetition_losses(position.clone(), path.clone(), &allowed);
    [wanted, safe, allowed, legal].into_iter().find(|moves| !moves.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use crossbeam::channel::{Receiver, Sender, bounded};
    use parking_lot::Mutex;

    use super::super::event::Event;
    use super::super::limits::TimeLimit;
    use super::super::worker::Numbered;
    use super::*;
    use crate::score::Score;

    #[test]
    fn banned_moves_go_first_and_offences_after_them() {
        let position = Position::from_fen("4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w").unwrap();
        let moves = ["e9d9", "d8e8"].map(|text| text.parse().unwrap());
        let game = Game::replay(position, crate::rules::Parameters::default(), &moves).unwrap();
        let (root, path) = (game.position(), Path::of(&game, true));
        let offence = "d9e9".parse().unwrap();
        let free = root_moves(root, &path, &Limits::default());
        assert!(!free.contains(&offence) && !free.is_empty());
        let only = Limits { search_moves: vec![offence], ..Limits::default() };
        assert_eq!(root_moves(root, &path, &only), [offence]);
        let banned = Limits { banned: free.clone(), ..Limits::default() };
        assert_eq!(root_moves(root, &path, &banned), [offence]);
        let all = Limits { banned: root.legal_moves().to_vec(), ..Limits::default() };
        assert_eq!(root_moves(root, &path, &all).len(), root.legal_moves().len());
    }

    #[test]
    fn a_root_without_some_of_its_moves_is_not_kept() {
        let game = Game::from(Position::startpos());
        let moves = vec!["a0a1".parse().unwrap()];
        let depth = Limits { depth: Some(5), ..Limits::default() };
        let some = Limits { search_moves: moves.clone(), ..depth.clone() };
        let others = Limits { banned: moves, ..depth.clone() };
        for (limits, is_kept) in [(some, false), (others, false), (depth, true)] {
            let mut pool = ThreadPool::new(1, 1).unwrap();
            pool.search(&game, limits);
            let entry = pool.table().probe(game.position().key());
            assert_eq!(entry.is_some_and(|entry| entry.bound.is_some()), is_kept);
        }
    }

    #[test]
    fn the_table_is_warmed_up_before_the_first_search_only() {
        let mut pool = ThreadPool::new(1, 1).unwrap();
        let game = Game::from(Position::startpos());
        let key = game.position().key();
        pool.search(&game, Limits { depth: Some(3), ..Limits::default() });
        pool.warm_up();
        assert!(pool.table().probe(key).is_some(), "what is learnt stays");
        pool.forget();
        assert_eq!(pool.table().probe(key), None);
        pool.set_hash(1).unwrap();
        assert!(pool.is_untouched);
        pool.warm_up();
        assert!(!pool.is_untouched);
    }

    #[test]
    fn past_the_move_limit_a_game_goes_on_without_it() {
        let search = |counters| {
            let fen = "2b1ka3/3R5/4b1n2/p3p1p2/P7p/2p6/4P1P1P/3K2cr1/9/2rA1AB2 w - - ";
            let game = Game::from(Position::from_fen(&format!("{fen}{counters}")).unwrap());
            let limits = Limits { depth: Some(6), ..Limits::default() };
            let outcome = ThreadPool::new(1, 1).unwrap().search(&game, limits);
            (outcome.best, outcome.score)
        };
        let (fresh_best, fresh) = search("0 60");
        for (best, score) in ["120 60", "65534 60", "99999 60"].map(search) {
            assert_eq!(best, fresh_best);
            assert!((score - fresh).abs() < 50, "{score:?} {fresh:?}");
        }
        assert_eq!(search("119 60").1, Score::DRAW);
    }

    /// Keeps the second thread of a pool busy with a search of its own until the
    /// sender given is dropped, or for ten seconds; the result comes then.
    fn occupy(pool: &ThreadPool, game: &Game) -> (Sender<()>, Receiver<Numbered>) {
        let shared = pool.shared_state(Instant::now(), game, Limits::default(), None, None);
        let (signals, (results, result)) = (Arc::clone(&shared.signals), unbounded());
        pool.threads[1].tasks.send((Arc::new(shared), Role::Helper { results })).unwrap();
        let (release, is_released) = bounded(0);
        std::thread::spawn(move || {
            let _ = is_released.recv_timeout(Duration::from_secs(10));
            signals.stop();
        });
        (release, result)
    }

    #[test]
    fn on_a_clock_a_thread_that_stands_still_is_not_waited_for() {
        let mut pool = ThreadPool::new(2, 1).unwrap();
        let game = Game::from(Position::startpos());
        let (release, result) = occupy(&pool, &game);
        let time = TimeLimit::PerMove(Duration::from_millis(60));
        for _ in 0..2 {
            let outcome = pool.search(&game, Limits { time: Some(time), ..Limits::default() });
            assert!(game.position().is_legal(outcome.best.unwrap()));
        }
        assert!(result.is_empty(), "it was waited for");
        drop(release);
        assert!(result.recv().is_ok());
        let depth = Limits { depth: Some(4), ..Limits::default() };
        assert_eq!(pool.search(&game, depth).depth, 4);
    }

    #[test]
    fn without_a_clock_all_threads_are_waited_for() {
        let mut pool = ThreadPool::new(2, 1).unwrap();
        let game = Game::from(Position::startpos());
        let (release, result) = occupy(&pool, &game);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            drop(release);
        });
        pool.search(&game, Limits { depth: Some(2), ..Limits::default() });
        assert!(!result.is_empty());
    }

    #[test]
    fn who_has_waited_knows_the_end() {
        let mut pool = ThreadPool::new(1, 1).unwrap();
        let games = ["4k4/9/9/9/9/9/9/9/4A4/3AK2R1 w", "3k5/3P5/4P4/9/9/9/9/9/9/4K4 b"];
        for round in 0..20 {
            let game = Game::from(Position::from_fen(games[round % 2]).unwrap());
            let is_done = Arc::new(AtomicBool::new(false));
            let observer = Arc::clone(&is_done);
            let observer = move |event| {
                if matches!(event, Event::Done(_)) {
                    std::thread::sleep(Duration::from_millis(1));
                    observer.store(true, Relaxed);
                }
            };
            let limits = Limits { depth: Some(1), ..Limits::default() };
            pool.start(&game, limits, Arc::new(observer));
            pool.wait();
            assert!(is_done.load(Relaxed));
        }
    }

    #[test]
    fn a_thread_that_panics_ends_its_search() {
        let mut pool = ThreadPool::new(2, 1).unwrap();
        let game = Game::from(Position::startpos());
        pool.start(&game, Limits::default(), Arc::new(|_| panic!("as it should here")));
        pool.wait();
        // nor does anybody wait for a thread that has ended, or for its helpers
        assert_eq!(pool.search(&game, Limits::default()).best, None);
    }

    #[test]
    fn an_observer_may_be_the_last_owner_of_its_pool() {
        let pool = Arc::new(Mutex::new(ThreadPool::new(2, 1).unwrap()));
        let (owner, (sender, result)) = (Mutex::new(Some(Arc::clone(&pool))), unbounded());
        let observer = move |event| {
            if matches!(event, Event::Done(_)) {
                // given up by the test by then
                std::thread::sleep(Duration::from_millis(20));
                let is_last = owner.lock().take().and_then(Arc::into_inner).is_some();
                let _ = sender.send(is_last);
            }
        };
        let limits = Limits { depth: Some(2), ..Limits::default() };
        pool.lock().start(&Game::from(Position::startpos()), limits, Arc::new(observer));
        drop(pool);
        assert_eq!(result.recv(), Ok(true));
    }

    #[test]
    fn a_search_is_cancelled() {
        let mut pool = ThreadPool::new(1, 1).unwrap();
        let game = Game::from(Position::startpos());
        assert_eq!(pool.search_unless(&game, Limits::default(), || true), None);
        assert!(!pool.is_searching() && !pool.is_pondering());
        pool.clear();
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let outcome = pool.search_unless(&game, limits.clone(), || false).unwrap();
        pool.clear();
        assert_eq!(pool.search(&game, limits).score, outcome.score);
    }
}
