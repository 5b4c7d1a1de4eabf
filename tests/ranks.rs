//! Matches that several ranks play, joined inside one process, over networks
//! that delay, lose and double messages.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use hanxin::arena::{
    Adjudication, Conditions, End, EngineSpec, Flow, HostState, MatchEvent, Opening, Plan, Results,
    Schedule, Setup, Source, Tournament, run, serve,
};
use hanxin::board::Move;
use hanxin::link::{Hello, Link, Local, Network, Ranks, Timing};

const GAMES: u32 = 12;

/// A match between two engines that move at once, by the position alone.
fn plan() -> (Plan, Vec<Opening>) {
    let folder = Path::new(env!("CARGO_BIN_EXE_hanxin")).parent().expect("it lies in a folder");
    let path = folder.join("examples").join(format!("misfit{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is missing: cargo build --example misfit", path.display());
    let engine = |mode: &str| {
        let mut spec = EngineSpec::default();
        let settings = [format!("cmd={}", path.display()), format!("arg={mode}"), "nodes=1".into()];
        settings.iter().for_each(|setting| spec.apply(setting).expect("it is a setting"));
        Arc::new(spec.finish().expect("an engine"))
    };
    let schedule = Schedule {
        tournament: Tournament::Gauntlet,
        engines: 2,
        rounds: GAMES / 2,
        games: 2,
        repeat: true,
    };
    let openings = Source { file: Some("builtin".into()), ..Source::default() };
    let adjudication = Adjudication { max_moves: Some(20), ..Adjudication::default() };
    let conditions = Conditions { adjudication, ..Conditions::default() };
    let engines = vec![engine("good"), engine("good")];
    let plan = Plan { engines, schedule, openings, conditions, seed: 1 };
    let plan = plan.checked().expect("a match");
    let openings = plan.read_openings().expect("the built-in openings");
    (plan, openings)
}

/// The moves of all games by their numbers, and the ranks that fell silent.
type Played = (BTreeMap<u32, Vec<Move>>, Vec<usize>);

/// Plays the match as rank 0, or alone; `each` is called after every game.
fn play(ranks: Option<Ranks>, each: impl Fn()) -> Played {
    let (plan, openings) = plan();
    let setup = Setup { concurrency: 2, ranks, ..Setup::default() };
    let (mut games, mut silent) = (BTreeMap::new(), Vec::new());
    let watch = |event| {
        match event {
            MatchEvent::Finished(record, _) => {
                let moves = record.moves.iter().map(|played| played.m).collect();
                let number = record.number;
                assert!(games.insert(number, moves).is_none(), "game {number} counts twice");
                each();
            }
            MatchEvent::Host(event) if matches!(event.state, HostState::Silent { .. }) => {
                silent.push(event.rank);
            }
            _ => {}
        }
        Ok::<Flow, Infallible>(Flow::Continue)
    };
    let stop = AtomicBool::new(false);
    let Ok(end) = run(&plan, &openings, &setup, Results::new(), &stop, watch);
    assert_eq!(end, End::Complete);
    (games, silent)
}

fn ranks(link: &Arc<Local>, slots: usize) -> Ranks {
    let hello = Hello::new("here".into(), slots, &[("plan", "1")]);
    Ranks { link: Arc::clone(link) as _, hello, timing: Timing::LOCAL }
}

/// Plays the match on three ranks, of which rank 1 may die after some games.
/// Then rank 2 begins after that, so that rank 1 has games to lose.
fn play_on_ranks(network: Network, dies: bool) -> Played {
    let links: Vec<Arc<Local>> = Local::group(3, network).into_iter().map(Arc::new).collect();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for link in &links[1..] {
            let (stop, first) = (&stop, &links[1]);
            scope.spawn(move || {
                while dies && link.rank() == 2 && !first.is_dead() {
                    thread::sleep(Duration::from_millis(5));
                }
                let (plan, openings) = plan();
                let setup = Setup { concurrency: 2, ..Setup::default() };
                let own = AtomicBool::new(false);
                let served = serve(&plan, &openings, &setup, &ranks(link, 2), &own);
                assert!(served.is_ok() || stop.load(Relaxed) || link.is_dead());
            });
        }
        let finished = std::cell::Cell::new(0);
        let played = play(Some(ranks(&links[0], 0)), || {
            finished.set(finished.get() + 1);
            if dies && finished.get() == 3 {
                links[1].kill();
            }
        });
        stop.store(true, Relaxed);
        played
    })
}

#[test]
fn ranks_play_the_games_that_one_process_plays() {
    let (alone, _) = play(None, || {});
    assert_eq!(alone.len(), GAMES as usize);
    for delay in [0, 20, 100].map(Duration::from_millis) {
        let (games, _) = play_on_ranks(Network { delay, ..Network::default() }, false);
        assert_eq!(games, alone, "with a delay of {delay:?}");
    }
    let network = Network { loss: 10, doubled: 10, ..Network::default() };
    assert_eq!(play_on_ranks(network, false).0, alone, "with lost and doubled messages");
}

#[test]
fn games_of_a_killed_rank_are_played_by_another() {
    let delay = Duration::from_millis(20);
    let (games, silent) = play_on_ranks(Network { delay, ..Network::default() }, true);
    assert_eq!(games.len(), GAMES as usize);
    assert!(silent.contains(&1));
}
