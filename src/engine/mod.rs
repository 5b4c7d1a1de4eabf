//! The one door: an engine with its game, options, books and search threads.
//!
//! Every verb checks before it changes anything: what is refused with an
//! [`EngineError`] leaves the engine as it was. A search runs in the
//! background and reports its [`Event`]s. It has the game as it was at
//! [`go`](Engine::go): another position, other bans and most options are taken
//! at once and count from the next search on. What changes the threads, their
//! memory or the evaluation waits for its end, as does the next `go`.
//!
//! ```
//! use std::sync::{Arc, mpsc};
//! use hanxin::engine::{Engine, Event};
//! use hanxin::search::Limits;
//!
//! let mut engine = Engine::new()?;
//! engine.set_option("Hash", Some("16"))?;
//! engine.set_position(None, &["h2e2".parse()?])?;
//! let limits = Limits { depth: Some(6), ..Limits::default() };
//! let (sender, events) = mpsc::channel();
//! engine.go(limits, false, Arc::new(move |event| drop(sender.send(event))))?;
//! let Some(Event::Done(answer)) = events.iter().last() else { panic!("a search ends") };
//! assert!(engine.game().position().is_legal(answer.best.expect("Black has moves")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod announcements;
pub mod bench;
mod bench_positions;
mod books;
mod data_dir;
mod error;
mod event;
mod memory;
mod net;
mod node_clock;
mod observer;
mod options;
mod ranks;
mod settings;
mod strength;
mod tables;
#[cfg(test)]
mod tests;
mod wdl;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};

use crate::board::{Move, Position, excerpt};
use crate::book::{Book, BookMove, Choice, Library, OpeningName, Policy};
use crate::egtb::{Known, Prober, TableFault, Tables};
use crate::eval::classical::{Trace, trace};
use crate::eval::nnue::{Network, embedded};
use crate::eval::{EvalKind, Evaluator};
use crate::rules::Game;
use crate::search::{self, Entry, Limits, Params, Peers, SearchOptions, ThreadPool};
use crate::util::{Random, seeded};

use announcements::Announcements;
use data_dir::data_dir;
use node_clock::NodeClock;
use observer::{SearchFlags, SearchObserver};
use ranks::Leader;

pub use error::EngineError;
pub use event::{Announcement, Answer, Event, Observer};
pub use options::{Audience, OPTIONS, OptionError, OptionId, OptionInfo, OptionKind, Value};
pub use ranks::{FollowError, follow};
pub use settings::Settings;
pub use strength::Weakness;
pub use wdl::win_draw_loss;

/// An engine that plays one game at a time.
pub struct Engine {
    settings: Settings,
    pool: ThreadPool,
    game: Game,
    banned: Vec<Move>,
    /// The books that the user named.
    library: Library,
    /// The book inside the program.
    own_book: Library,
    net: Option<Arc<Network>>,
    tables: Arc<Tables>,
    /// What is still to be said of them.
    remarks: Vec<String>,
    /// Those found to be damaged while they were asked, and said to be.
    damaged: HashSet<PathBuf>,
    rng: Random,
    announcements: Arc<Mutex<Announcements>>,
    node_clock: Arc<Mutex<NodeClock>>,
    flags: Arc<SearchFlags>,
    /// The other ranks that search, if there are any.
    leader: Option<Leader>,
}

impl Engine {
    /// An engine at the start of a game, with all options at their defaults.
    ///
    /// # Errors
    /// When the memory for the hash table cannot be had.
    pub fn new() -> Result<Engine, EngineError> {
        let settings = Settings::default();
        let pool =
            ThreadPool::new(settings.count(OptionId::Threads), settings.count(OptionId::Hash))?;
        Ok(Engine {
            pool,
            game: Game::new(Position::startpos(), settings.rules()),
            banned: Vec::new(),
            library: Library::default(),
            own_book: books::embedded(),
            net: embedded(),
            tables: Arc::new(Tables::embedded().clone()),
            remarks: Vec::new(),
            damaged: HashSet::new(),
            rng: random_source(&settings),
            announcements: Arc::default(),
            node_clock: Arc::default(),
            flags: Arc::default(),
            leader: None,
            settings,
        })
    }

    /// The values of the options.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game with the position that the next search is about.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The root moves that must not be played.
    pub fn banned(&self) -> &[Move] {
        &self.banned
    }

    /// Sets or presses an option by any of its names; names of the constants
    /// of the search ([`Params`]) are known as well. Options that a running search
    /// depends on, as the size of the hash table, wait for its end: an endless one
    /// must be stopped first.
    ///
    /// # Errors
    /// When there is no such option, the value does not fit it, or what it
    /// stands for cannot be had. Nothing has changed then.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), EngineError> {
        let Some(option) = OptionInfo::find(name) else {
            return self.set_param(name, value);
        };
        let value = option.read(value)?;
        self.apply(option.id, &value)?;
        self.settings.store(option.id, value);
        if matches!(option.id, OptionId::Repetition | OptionId::DrawMoves) {
            self.game.set_parameters(self.settings.rules());
        } else if option.id == OptionId::Seed {
            self.rng = random_source(&self.settings);
        }
        self.configure_ranks();
        Ok(())
    }

    fn set_param(&mut self, name: &str, value: Option<&str>) -> Result<(), EngineError> {
        let Some(param) = Params::INFO.iter().find(|param| param.name.eq_ignore_ascii_case(name))
        else {
            return Err(EngineError::UnknownOption(excerpt(name)));
        };
        let text = value.unwrap_or_default().trim();
        let number = text.parse().ok().filter(|number| (param.min..=param.max).contains(number));
        let number = number.ok_or_else(|| OptionError::of_param(param, text))?;
        self.settings.store_param(param.name, number);
        self.configure_ranks();
        Ok(())
    }

    /// Does what must be done for a value before it is stored.
    fn apply(&mut self, id: OptionId, value: &Value) -> Result<(), EngineError> {
        match (id, value) {
            (OptionId::Threads, &Value::Number(threads)) => {
                self.set_threads(threads, self.settings.is_on(OptionId::PinThreads))?;
            }
            (OptionId::PinThreads, &Value::On(pinned)) => {
                self.set_threads(self.settings.number(OptionId::Threads), pinned)?;
            }
            (OptionId::Hash, &Value::Number(megabytes)) => self.set_hash(megabytes)?,
            (OptionId::ClearHash, _) => self.forget(),
            (OptionId::NewGame, _) => self.new_game(),
            (OptionId::BookFiles, Value::Text(files)) => {
                self.library = books::open(files, data_dir().as_deref())?;
            }
            (OptionId::Evaluation, Value::Choice(choice)) => {
                net::evaluation(choice, self.net.as_ref())?;
                self.pool.clear();
            }
            (OptionId::EvalFile, Value::Text(file)) => self.exchange_net(file)?,
            (OptionId::TablePaths, Value::Text(folders)) => {
                let (tables, faults) = tables::open(folders, data_dir().as_deref())?;
                (self.tables, self.damaged) = (Arc::new(tables), HashSet::new());
                self.remarks.extend(faults.iter().map(TableFault::to_string));
            }
            _ => {}
        }
        Ok(())
    }

    /// What was learnt with another net fits this one badly and is forgotten.
    fn exchange_net(&mut self, file: &str) -> Result<(), EngineError> {
        let net = net::open(file, data_dir().as_deref())?;
        net::evaluation(self.settings.text(OptionId::Evaluation), net.as_ref())?;
        self.net = net;
        self.pool.clear();
        Ok(())
    }

    /// Gets ready to think without delay, other ranks too; a running search is
    /// not disturbed.
    pub fn prepare(&mut self) {
        if !self.pool.is_searching() {
            self.pool.warm_up();
            if let Some(leader) = &self.leader {
                leader.settle();
            }
        }
    }

    /// Forgets what the searches have learnt, on all ranks.
    fn forget(&mut self) {
        self.pool.clear();
        if let Some(leader) = &self.leader {
            leader.forget();
        }
    }

    /// What follows belongs to another game: all that was learnt is forgotten.
    /// Waits for a running search; an endless one must be stopped first.
    pub fn new_game(&mut self) {
        self.forget();
        *self.announcements.lock() = Announcements::default();
        *self.node_clock.lock() = NodeClock::default();
        self.rng = random_source(&self.settings);
    }

    /// Sets the board: a FEN (`None`: the start of a game) and the moves
    /// played from there. Lifts all bans.
    ///
    /// # Errors
    /// When the position is impossible or a move illegal. The old position
    /// and its bans stay then.
    pub fn set_position(&mut self, fen: Option<&str>, moves: &[Move]) -> Result<(), EngineError> {
        self.game = self.replay(fen, moves)?;
        self.banned.clear();
        Ok(())
    }

    fn replay(&self, fen: Option<&str>, moves: &[Move]) -> Result<Game, EngineError> {
        let start = fen.map_or_else(|| Ok(Position::startpos()), Position::from_fen)?;
        let mut game = Game::new(start, self.settings.rules());
        for &m in moves {
            // interfaces that judge otherwise go on where our rules end a game
            game.play(m)?;
        }
        Ok(game)
    }

    /// Exchanges the colours of the position; the moves that led to it are
    /// forgotten, the bans lifted.
    pub fn flip(&mut self) {
        self.game = Game::new(self.game.position().swap_colors(), self.settings.rules());
        self.banned.clear();
    }

    /// Forbids root moves of the present position, in addition to those
    /// forbidden before. What is not legal there does no harm.
    pub fn ban_moves(&mut self, moves: &[Move]) {
        self.banned.extend(moves);
    }

    /// Starts thinking about the position, after the search running has ended;
    /// returns without waiting for the new one. The banned moves
    /// of the limits are replaced by those of [`ban_moves`](Engine::ban_moves);
    /// `draw_offered` says that the opponent offers a draw. `observer` receives
    /// the events, [`Event::Done`] last; it may be called before this returns, and
    /// must neither wait for the search nor begin another one.
    ///
    /// # Errors
    /// When a move to search is not legal; nothing is searched then.
    pub fn go(
        &mut self,
        mut limits: Limits,
        draw_offered: bool,
        observer: Observer,
    ) -> Result<(), EngineError> {
        let began = Instant::now();
        let position = self.game.position();
        if let Some(&illegal) = limits.search_moves.iter().find(|&&m| !position.is_legal(m)) {
            return Err(EngineError::SearchMove(illegal));
        }
        limits.banned.clone_from(&self.banned);
        self.pool.wait();
        self.flags = Arc::new(SearchFlags::new(&limits, draw_offered));
        self.count_nodes(&mut limits);
        if let Some(events) = self.consult_books(&limits) {
            self.node_clock.lock().spend(Duration::ZERO);
            events.into_iter().for_each(|event| observer(event));
            return Ok(());
        }
        let search_observer = self.search_observer(limits.infinite, observer);
        let weakness = search_observer.weakness;
        let least = if weakness.is_some() { Weakness::LINES } else { 1 };
        limits.handicap = weakness.and_then(|weakness| weakness.nodes);
        let peers = if weakness.is_none() { self.peers(&limits) } else { None };
        let lines = search_observer.lines.max(least);
        self.search(
            began,
            limits,
            lines,
            peers,
            Arc::new(move |event| search_observer.pass(event)),
        );
        Ok(())
    }

    /// Has the threads search for so many lines.
    fn search(
        &mut self,
        began: Instant,
        limits: Limits,
        lines: usize,
        peers: Option<Arc<dyn Peers>>,
        observer: search::Observer,
    ) {
        if !self.settings.is_on(OptionId::UseHash) {
            self.pool.forget();
        }
        self.pool.options = self.search_options(lines);
        self.pool.begin(began, &self.game, limits, Some(observer), peers);
    }

    /// The whole conversation of a book move; `None` if it takes a search.
    fn consult_books(&mut self, limits: &Limits) -> Option<Vec<Event>> {
        let is_over = self.known_plies() >= self.settings.count(OptionId::BookDepth);
        if !self.settings.is_on(OptionId::UseBook)
            || is_over
            || limits.infinite
            || limits.ponder
            || limits.mate.is_some()
        {
            return None;
        }
        let best = self.settings.is_on(OptionId::BookBest);
        let policy = if best { Policy::Best } else { Policy::Weighted };
        let minimum_weight = self.settings.count(OptionId::BookWeight) as u32;
        let choice = Choice { policy, minimum_weight };
        // who limits depth or nodes wants a search, unless a book was named
        let is_timed = limits.time.is_some() && limits.depth.is_none() && limits.nodes.is_none();
        let own = is_timed.then_some(&self.own_book);
        let (book, (moves, chosen)) =
            std::iter::once(&self.library).chain(own).find_map(|book| {
                Some((book, books::suggest(book, &self.game, limits, choice, &mut self.rng)?))
            })?;
        let answer = Answer {
            best: Some(chosen.mv),
            ponder: books::reply(book, &self.game, chosen.mv),
            ..Answer::default()
        };
        let name = books::name_of(&self.game);
        Some(vec![Event::Book { name, moves }, Event::Done(answer)])
    }

    /// Plies of the game, those before the position that it was set up with as
    /// its FEN has them.
    fn known_plies(&self) -> usize {
        usize::from(self.game.position().ply())
    }

    /// What the opening books say of the position, and what the opening is
    /// called.
    pub fn probe_books(&self) -> (Option<OpeningName>, Vec<BookMove>) {
        let mut moves = self.library.probe(self.game.position());
        if moves.is_empty() {
            moves = self.own_book.probe(self.game.position());
        }
        (books::name_of(&self.game), moves)
    }

    fn search_observer(&mut self, analysis: bool, observer: Observer) -> SearchObserver {
        // a person who analyses wants to know the truth
        let weakness = self.settings.weakness().filter(|_| !analysis);
        SearchObserver {
            observer,
            lines: self.settings.count(OptionId::MultiPv),
            weakness,
            roll: if weakness.is_some() { self.rng.random() } else { 0.0 },
            ply: self.known_plies(),
            may_draw: self.settings.is_on(OptionId::OfferDraws),
            may_resign: self.settings.is_on(OptionId::Resign),
            announcements: Arc::clone(&self.announcements),
            node_clock: Arc::clone(&self.node_clock),
            flags: Arc::clone(&self.flags),
            shown: Mutex::default(),
        }
    }

    fn search_options(&self, lines: usize) -> SearchOptions {
        SearchOptions {
            lines,
            eval: self.evaluation(),
            overhead: self.settings.move_overhead(),
            will_ponder: self.settings.is_on(OptionId::Ponder),
            node_rate: self.settings.node_rate(),
            is_cautious: self.settings.is_on(OptionId::Cautious),
            contempt: self.settings.contempt(),
            tables: self.tables_in_use(),
            params: self.settings.params().clone(),
        }
    }

    /// Has the clock count nodes, if that is wanted.
    fn count_nodes(&self, limits: &mut Limits) {
        if self.settings.node_rate() > 0 {
            limits.time = self.node_clock.lock().limit(limits.time);
        } else {
            *self.node_clock.lock() = NodeClock::default();
        }
    }

    /// Ends a running search; its [`Event::Done`] follows at once.
    pub fn stop(&self) {
        self.pool.stop();
    }

    /// The move pondered on was played, perhaps with a draw offer: limits
    /// count from now on.
    pub fn ponder_hit(&self, draw_offered: bool) {
        // first: the search may end at once, and its answer looks at this
        if self.pool.is_pondering() {
            self.flags.ponder_hit(draw_offered);
        }
        self.pool.ponder_hit();
    }

    /// What the endgame tables or else the hash table know of a position,
    /// described as for [`set_position`](Engine::set_position); a running search
    /// goes on.
    ///
    /// # Errors
    /// When the position is impossible or a move illegal.
    pub fn probe(&self, fen: Option<&str>, moves: &[Move]) -> Result<Option<Entry>, EngineError> {
        let game = self.replay(fen, moves)?;
        let of_tables = tables::entry(&self.tables_in_use(), game.position());
        Ok(of_tables.or_else(|| self.pool.table().probe(game.position().key())))
    }

    /// The endgame tables that searches ask; none if they are switched off.
    fn tables_in_use(&self) -> Arc<Tables> {
        let is_on = self.settings.is_on(OptionId::UseTables);
        if is_on { Arc::clone(&self.tables) } else { Arc::default() }
    }

    /// What the endgame tables tell of the position and of its moves.
    pub fn probe_tables(&self) -> (Known, Vec<(Move, Known)>) {
        let mut position = self.game.position().clone();
        let mut prober = Prober::new(self.tables_in_use());
        (prober.known(&mut position), prober.known_moves(&mut position))
    }

    /// What the user should know, a line each: files of endgame tables that
    /// cannot be used, ranks that do not take part. Everything is said once.
    pub fn take_remarks(&mut self) -> Vec<String> {
        let mut damaged = self.tables.damaged();
        damaged.retain(|fault| self.damaged.insert(fault.path.clone()));
        let mut remarks = std::mem::take(&mut self.remarks);
        remarks.extend(self.leader.iter().flat_map(Leader::take_remarks));
        remarks.extend(damaged.iter().map(TableFault::to_string));
        remarks
    }

    /// How positions are evaluated.
    pub fn evaluation(&self) -> EvalKind {
        net::chosen(&self.settings, self.net.as_ref())
    }

    /// The static evaluation of the position, centipawns for the side to move.
    pub fn evaluate(&self) -> i32 {
        let position = self.game.position();
        Evaluator::new(self.evaluation(), position).evaluate(position)
    }

    /// The classical evaluation taken apart; its `Display` is a table.
    pub fn trace(&self) -> Trace {
        trace(self.game.position())
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Waits for a running search to end: its observer has received all events then.
    pub fn wait(&self) {
        self.pool.wait();
    }
}

/// The source of random choices: the same for the same seed, or another one
/// each time.
fn random_source(settings: &Settings) -> Random {
    match settings.number(OptionId::Seed) {
        0 => Random::from_rng(&mut rand::rng()),
        seed => seeded(seed.unsigned_abs(), 0),
    }
}
