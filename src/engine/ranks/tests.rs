//! Rank 0 and others, real ones and made up ones.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::message::{Order, Report, tag};
use super::*;
use crate::board::{Move, Position};
use crate::engine::{Engine, Event};
use crate::link::{Hello, Link, Local, Network, Ranks, Timing};
use crate::score::{Bound, Score};
use crate::search::{Limits, Line, ThreadResult, TimeLimit, TranspositionTable};

/// Far longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
const NODES: u64 = 1_000_000_000_000;

fn ranks(link: &Arc<Local>) -> Ranks {
    let hello = Hello::new("here".into(), 1, &[]);
    Ranks { link: Arc::clone(link) as _, hello, timing: Timing::LOCAL }
}

fn pair() -> [Arc<Local>; 2] {
    let mut group = Local::group(2, Network::default()).into_iter().map(Arc::new);
    [group.next().unwrap(), group.next().unwrap()]
}

fn m(text: &str) -> Move {
    text.parse().unwrap()
}

fn task(depth: u32) -> Task {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    Task { start: Position::startpos().to_fen(), limits, ..Task::default() }
}

/// Waits for something that must happen.
fn until(what: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !what() {
        assert!(Instant::now() < deadline, "it does not happen");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_follower_searches_for_a_rank_that_does_not() {
    let [own, other] = pair();
    let follower = thread::spawn({
        let ranks = ranks(&other);
        move || follow(ranks)
    });
    let engine = Engine::new().unwrap();
    let mut options = engine.settings().of_search();
    let net = engine.evaluation().identity();
    let leader = Leader::new(ranks(&own), options.clone(), net.clone()).unwrap();
    options.iter_mut().find(|(name, _)| name == "Hash").unwrap().1 = "2".into();
    leader.configure(options.clone(), || net);
    leader.settle();
    for depth in [7, 8] {
        let table = Arc::new(TranspositionTable::new(2).unwrap());
        let peers = leader.begin(task(depth), Arc::clone(&table));
        until(|| peers.is_answered());
        let results = peers.end(PATIENCE);
        let [result] = &results[..] else { panic!("{results:?}") };
        assert_eq!(result.depth, depth);
        assert!(Position::startpos().is_legal(result.line.pv[0]));
        assert!(peers.nodes() >= result.line.nodes && result.line.nodes > 100);
        let entry = table.probe(Position::startpos().key()).expect("the root has come");
        assert!(entry.depth >= 4);
    }
    assert_eq!(leader.take_remarks(), [""; 0]);
    // what cannot be had there is said, and a search with another net is none
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    options.push(("EvalFile".into(), path.display().to_string()));
    leader.configure(options.clone(), || "another".into());
    leader.settle();
    let peers = leader.begin(task(3), Arc::new(TranspositionTable::new(1).unwrap()));
    assert_eq!(peers.end(PATIENCE), []);
    let remarks = leader.take_remarks().join(" ");
    assert!(remarks.contains("rank 1 on here") && remarks.contains("another"), "{remarks}");
    // once it can be had the same options do
    std::fs::write(&path, include_bytes!("../../eval/nnue/hanxin.nnue")).unwrap();
    leader.configure(options, || engine.evaluation().identity());
    leader.settle();
    let peers = leader.begin(task(3), Arc::new(TranspositionTable::new(1).unwrap()));
    assert_eq!(peers.end(PATIENCE).len(), 1, "{:?}", leader.take_remarks());
    drop(leader);
    assert!(follower.join().unwrap().is_ok() && !own.is_detached());
}

#[test]
fn a_follower_ends_when_rank_0_is_lost() {
    let [_own, other] = pair();
    let timing = Timing { patience: Duration::from_millis(30), ..Timing::LOCAL };
    let followed = follow(Ranks { timing, ..ranks(&other) });
    assert!(matches!(followed, Err(FollowError::Orphaned)), "{followed:?}");
    assert!(other.is_detached());
}

#[test]
fn a_rank_that_is_not_the_same_is_refused() {
    let [own, other] = pair();
    let hello = Hello::new("there".into(), 1, &[("net", "another")]);
    let follower = Ranks { hello, ..ranks(&other) };
    let follower = thread::spawn(move || follow(follower));
    let leader = Leader::new(ranks(&own), Vec::new(), String::new()).unwrap();
    leader.settle();
    let remarks = leader.take_remarks();
    assert!(remarks.len() == 1 && remarks[0].contains("another"), "{remarks:?}");
    let refused = follower.join().unwrap();
    assert!(matches!(refused, Err(FollowError::Refused(_))), "{refused:?}");
    drop(leader);
    assert!(!own.is_detached());
}

/// A rank that does not search, but says at once that it has found this.
fn pretend(link: Arc<Local>, best: Move, score: Score, depth: u32) -> JoinHandle<()> {
    thread::spawn(move || {
        link.send(0, tag::HELLO, &ranks(&link).hello.encode());
        let mut report = Report::default();
        while !report.has_left {
            let message = link.poll(PATIENCE).expect("rank 0 speaks");
            if message.tag != tag::ORDER {
                continue;
            }
            let order = Order::decode(std::str::from_utf8(&message.bytes[8..]).unwrap()).unwrap();
            (report.order, report.has_left, report.nodes) = (order.number, order.quit, NODES);
            if let Some(task) = order.task {
                (report.search, report.result) = (task.search, None);
            } else {
                let line = Line {
                    depth,
                    seldepth: depth,
                    multipv: 1,
                    score,
                    bound: Bound::Exact,
                    nodes: NODES,
                    time: Duration::ZERO,
                    hashfull: 0,
                    table_hits: 0,
                    // the rest cannot be played
                    pv: vec![best, m("e9e8"), m("a0a9")],
                };
                report.result = Some(ThreadResult { depth, line });
            }
            link.send(0, tag::REPORT, report.encode().as_bytes());
        }
    })
}

/// The events of a search from the starting position in which a rank pretends
/// to have found something.
fn search_with(best: Move, score: Score, depth: u32, limits: Limits) -> Vec<Event> {
    let [own, other] = pair();
    let pretender = pretend(other, best, score, depth);
    let mut engine = Engine::leading(ranks(&own)).unwrap();
    engine.set_option("Hash", Some("2")).unwrap();
    engine.set_option("OwnBook", Some("false")).unwrap();
    engine.prepare();
    let (sender, events) = mpsc::channel();
    engine.go(limits, false, Arc::new(move |event| drop(sender.send(event)))).unwrap();
    let events = events.iter().collect();
    drop(engine);
    pretender.join().unwrap();
    events
}

#[test]
fn the_elected_move_is_given_and_nodes_are_added_up() {
    let limits = Limits { soft_nodes: Some(NODES + 3_000), ..Limits::default() };
    let score = Score::from_centipawns(900);
    let events = search_with(m("a0a1"), score, 60, limits.clone());
    let Some(Event::Done(answer)) = events.last() else { panic!("{events:?}") };
    assert_eq!((answer.best, answer.ponder), (Some(m("a0a1")), Some(m("e9e8"))));
    assert!((NODES + 1..NODES + 5_000_000).contains(&answer.nodes), "{}", answer.nodes);
    let shown = events.iter().rev().find_map(|event| match event {
        Event::Line(line) => Some(line),
        _ => None,
    });
    let shown = shown.unwrap();
    assert_eq!((&shown.pv[..], shown.depth), (&[m("a0a1"), m("e9e8")][..], 60));
    assert_eq!((shown.score, shown.nodes), (score, answer.nodes));
    // a shallow opinion, one that is not legal, and one without the depth wanted
    let depth = Limits { depth: Some(6), ..Limits::default() };
    for (best, depth, limits) in
        [("a0a1", 1, limits.clone()), ("a0b0", 60, limits), ("a0a1", 5, depth)]
    {
        let events = search_with(m(best), Score::from_centipawns(-900), depth, limits);
        let Some(Event::Done(answer)) = events.last() else { panic!("{events:?}") };
        assert!(answer.best.is_some_and(|own| own != m(best)), "{best} {depth} {events:?}");
    }
}

#[test]
fn votes_that_do_not_come_are_not_waited_for() {
    let [own, other] = pair();
    let hello = ranks(&other).hello.encode();
    let mut engine = Engine::leading(ranks(&own)).unwrap();
    engine.set_option("OwnBook", Some("false")).unwrap();
    other.send(0, tag::HELLO, &hello);
    assert_eq!(other.poll(PATIENCE).map(|message| message.tag), Some(tag::ORDER));
    let (sender, events) = mpsc::channel();
    let time = Some(TimeLimit::PerMove(Duration::from_millis(50)));
    let limits = Limits { time, ..Limits::default() };
    engine.go(limits, false, Arc::new(move |event| drop(sender.send(event)))).unwrap();
    let Some(Event::Done(answer)) = events.iter().last() else { panic!("it ends") };
    assert!(answer.best.is_some());
    drop(engine);
    assert!(own.is_detached(), "it has not left");
}
