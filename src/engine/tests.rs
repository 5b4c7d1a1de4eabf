//! The verbs of the engine.

use std::sync::mpsc;
use std::time::Instant;

use super::memory::CHOSEN_MAX;
use super::*;
use crate::eval::nnue::testing::random_network;
use crate::search::TimeLimit;
use crate::util;

fn m(text: &str) -> Move {
    text.parse().unwrap()
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// All events of a search.
fn search(engine: &mut Engine, limits: Limits) -> Vec<Event> {
    let (sender, events) = mpsc::channel();
    let observer = Arc::new(move |event| sender.send(event).unwrap());
    engine.go(limits, false, observer).unwrap();
    events.iter().collect()
}

fn answer(engine: &mut Engine, limits: Limits) -> Answer {
    match search(engine, limits).pop() {
        Some(Event::Done(answer)) => answer,
        other => panic!("a search ends with its answer, not {other:?}"),
    }
}

#[test]
fn refused_positions_leave_the_old_one() {
    let mut engine = Engine::new().unwrap();
    engine.set_position(None, &[m("h2e2")]).unwrap();
    engine.ban_moves(&[m("h9g7")]);
    let before = engine.game().position().clone();
    assert!(engine.set_position(Some("9/9 w"), &[]).is_err());
    assert!(engine.set_position(None, &[m("h2e2"), m("h2e2")]).is_err());
    assert_eq!(*engine.game().position(), before);
    assert_eq!(engine.banned(), [m("h9g7")]);
    engine.set_position(None, &[]).unwrap();
    assert!(engine.banned().is_empty());
}

#[test]
fn refused_options_leave_the_old_value() {
    let mut engine = Engine::new().unwrap();
    engine.set_option("hash", Some("2")).unwrap();
    let error = engine.set_option("Hash", Some("33000000")).unwrap_err();
    assert!(error.to_string().ends_with("(hash stays at 2 MB)"), "{error}");
    assert_eq!(engine.settings().count(OptionId::Hash), 2);
    assert_eq!(engine.pool.table().megabytes(), 2);
    assert!(engine.set_option("bookfiles", Some("/no/such/book")).is_err());
    assert_eq!(engine.settings().text(OptionId::BookFiles), "");
    assert!(engine.set_option("no such option", Some("1")).unwrap_err().is_unknown_option());
    engine.set_option("LMR_Base", Some("900")).unwrap();
    assert_eq!(engine.settings().params().lmr_base, 900);
    for value in ["abc", "", "99999999", "-99999999"] {
        let error = engine.set_option("lmr_base", Some(value)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("lmr_base") && !error.is_unknown_option(), "{value}: {text}");
    }
    assert_eq!(engine.settings().params().lmr_base, 900);
}

#[test]
fn a_net_is_taken_from_a_file_and_a_wrong_one_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("random.nnue");
    let name = path.to_str().unwrap();
    let bytes = random_network(1).to_bytes();
    std::fs::write(&path, &bytes).unwrap();
    let mut engine = Engine::new().unwrap();
    engine.set_option("Evaluation", Some("classical")).unwrap();
    let classical = engine.evaluate();
    engine.set_option("evalfile", Some(name)).unwrap();
    assert_eq!(engine.evaluate(), classical, "a net is there, but not chosen");
    engine.set_option("evaluation", Some("nnue")).unwrap();
    let value = engine.evaluate();
    assert_ne!(value, classical);

    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let error = engine.set_option("EvalFile", Some(name)).unwrap_err().to_string();
    assert!(error.contains("random.nnue") && error.contains("cut off"), "{error}");
    assert!(engine.set_option("EvalFile", Some("/no/such/net")).is_err());
    assert_eq!(engine.settings().text(OptionId::EvalFile), name);
    assert_eq!(engine.evaluate(), value);
    engine.set_option("evaluation", Some("classical")).unwrap();
    assert_eq!(engine.evaluate(), classical);
}

#[test]
fn without_a_net_none_is_chosen() {
    let mut engine = Engine::new().unwrap();
    engine.set_option("Evaluation", Some("classical")).unwrap();
    engine.net = None;
    let error = engine.set_option("Evaluation", Some("nnue")).unwrap_err().to_string();
    assert!(error.contains("EvalFile"), "{error}");
    assert_eq!(engine.settings().text(OptionId::Evaluation), "classical");
    assert!(engine.evaluate() != 0);
}

#[test]
fn the_engine_chooses_threads_and_hash() {
    let mut engine = Engine::new().unwrap();
    engine.set_option("threads", Some("0")).unwrap();
    assert_eq!(engine.threads(), util::cores());
    engine.set_option("hash", Some("0")).unwrap();
    assert!((1..=CHOSEN_MAX).contains(&engine.pool.table().megabytes()));
}

#[test]
fn rules_change_within_a_game() {
    let mut engine = Engine::new().unwrap();
    engine.set_position(None, &[m("h0g2"), m("h9g7"), m("g2h0"), m("g7h9")]).unwrap();
    engine.set_option("drawmoves", Some("2")).unwrap();
    assert!(engine.game().outcome().is_some(), "four plies without a capture");
    engine.set_option("Rule60", Some("false")).unwrap();
    assert!(engine.game().outcome().is_none());
}

#[test]
fn searches_are_the_same_every_time() {
    let mut engine = Engine::new().unwrap();
    let first = answer(&mut engine, depth(7));
    engine.new_game();
    let second = answer(&mut engine, depth(7));
    assert_eq!((first.best, first.nodes), (second.best, second.nodes));
}

#[test]
fn only_legal_root_moves_are_searched() {
    let mut engine = Engine::new().unwrap();
    let mut limits = depth(3);
    limits.search_moves = vec![m("a0a1"), m("a0a5")];
    let refused = engine.go(limits.clone(), false, Arc::new(|_| panic!("nothing is searched")));
    assert!(refused.unwrap_err().to_string().contains("a0a5"));
    limits.search_moves.pop();
    assert_eq!(answer(&mut engine, limits).best, Some(m("a0a1")));
}

#[test]
fn a_ban_leaves_one_move_that_needs_no_time() {
    let mut engine = Engine::new().unwrap();
    let legal = engine.game().position().legal_moves();
    engine.ban_moves(&legal[1..]);
    let time = Some(TimeLimit::PerMove(std::time::Duration::from_secs(60)));
    let began = Instant::now();
    let limits = Limits { time, ..Limits::default() };
    assert_eq!(answer(&mut engine, limits).best, Some(legal[0]));
    assert!(began.elapsed().as_secs() < 30);
}

#[test]
fn more_lines_than_asked_for_are_not_shown() {
    let mut engine = Engine::new().unwrap();
    engine.set_option("randomness", Some("huge")).unwrap();
    engine.set_option("seed", Some("7")).unwrap();
    let events = search(&mut engine, depth(4));
    let shown = |event: &Event| matches!(event, Event::Line(line) if line.multipv > 1);
    assert!(!events.iter().any(shown));
    engine.set_option("MultiPV", Some("3")).unwrap();
    let events = search(&mut engine, depth(4));
    let deepest = |event: &&Event| matches!(event, Event::Line(line) if line.multipv == 3);
    assert!(events.iter().any(|event| deepest(&event)));
    let shown = |event: &Event| matches!(event, Event::Line(line) if line.multipv > 3);
    assert!(!events.iter().any(shown));
}

#[test]
fn variety_comes_from_the_seed() {
    let mut best = |seed: u32| {
        let mut engine = Engine::new().unwrap();
        engine.set_option("randomness", Some("huge")).unwrap();
        engine.set_option("seed", Some(&seed.to_string())).unwrap();
        answer(&mut engine, depth(4)).best
    };
    let played: Vec<_> = (1..20).map(&mut best).collect();
    assert_eq!(best(1), played[0]);
    assert!(played.iter().any(|other| *other != played[0]));
}

#[test]
fn probing_and_evaluating_change_nothing() {
    let mut engine = Engine::new().unwrap();
    assert_eq!(engine.probe(None, &[]).unwrap(), None);
    let found = answer(&mut engine, depth(6));
    let entry = engine.probe(None, &[]).unwrap().unwrap();
    assert_eq!(entry.best, found.best);
    assert!(engine.probe(Some("x"), &[]).is_err());
    engine.set_option("Evaluation", Some("classical")).unwrap();
    assert_eq!(engine.evaluate(), engine.trace().value());
    engine.set_option("Clear Hash", None).unwrap();
    assert_eq!(engine.probe(None, &[]).unwrap(), None);
}

#[test]
fn a_search_is_stopped() {
    let mut engine = Engine::new().unwrap();
    let (sender, events) = mpsc::channel();
    let observer = Arc::new(move |event| drop(sender.send(event)));
    let limits = Limits { infinite: true, ..Limits::default() };
    engine.go(limits, false, observer).unwrap();
    events.recv().unwrap();
    engine.stop();
    engine.wait();
    assert!(matches!(events.iter().last(), Some(Event::Done(_))));
}

#[test]
fn a_clock_that_counts_nodes_gives_the_same_game_on_any_machine() {
    let play = || {
        let mut engine = Engine::new().unwrap();
        engine.set_option("nodestime", Some("20")).unwrap();
        engine.set_option("usebook", Some("false")).unwrap();
        let mut game = Vec::new();
        let mut nodes = Vec::new();
        for _ in 0..3 {
            engine.set_position(None, &game).unwrap();
            let clock = crate::search::Clock {
                remaining: std::time::Duration::from_secs(10),
                increment: std::time::Duration::from_millis(20),
                ..Default::default()
            };
            let limits = Limits { time: Some(TimeLimit::Clock(clock)), ..Limits::default() };
            let answer = answer(&mut engine, limits);
            game.push(answer.best.unwrap());
            nodes.push(answer.nodes);
        }
        (game, nodes)
    };
    let (game, nodes) = play();
    // 10 s are 200,000 nodes, for some thirty moves
    assert!(nodes.iter().all(|nodes| (1_000..50_000).contains(nodes)), "{nodes:?}");
    assert_eq!(play(), (game, nodes));
}

#[test]
fn a_clock_that_counts_nodes_stands_still_for_book_moves_and_while_pondering() {
    let mut engine = Engine::new().unwrap();
    engine.set_option("nodestime", Some("10")).unwrap();
    let clock = crate::search::Clock {
        remaining: std::time::Duration::from_secs(40),
        increment: std::time::Duration::from_secs(1),
        ..Default::default()
    };
    let timed = Limits { time: Some(TimeLimit::Clock(clock)), ..Limits::default() };
    let left = |engine: &Engine| {
        let mut clock = *engine.node_clock.lock();
        let Some(TimeLimit::Clock(next)) = clock.limit(timed.time) else { panic!("no clock") };
        next.remaining.as_secs_f64()
    };
    assert!(matches!(search(&mut engine, timed.clone())[0], Event::Book { .. }));
    assert_eq!(left(&engine), 41.0);
    let ponder = |engine: &mut Engine, is_hit| {
        let (sender, events) = mpsc::channel();
        let observer = Arc::new(move |event| drop(sender.send(event)));
        engine.go(Limits { ponder: true, ..timed.clone() }, false, observer).unwrap();
        if is_hit {
            engine.ponder_hit(false);
        } else {
            engine.stop();
        }
        let Some(Event::Done(answer)) = events.iter().last() else { panic!("no answer") };
        answer.nodes
    };
    ponder(&mut engine, false);
    assert_eq!(left(&engine), 41.0);
    let nodes = ponder(&mut engine, true);
    let most = nodes as f64 / 10_000.0;
    assert!((42.0 - most..42.0).contains(&left(&engine)), "{nodes}: {}", left(&engine));
}

#[test]
fn the_own_book_plays_in_games_on_a_clock_and_others_go_before_it() {
    let mut engine = Engine::new().unwrap();
    let timed = Limits {
        time: Some(TimeLimit::PerMove(std::time::Duration::from_millis(10))),
        ..Limits::default()
    };
    let is_book_move = |engine: &mut Engine, limits: &Limits| {
        matches!(search(engine, limits.clone())[0], Event::Book { .. })
    };
    assert!(is_book_move(&mut engine, &timed));
    assert!(!is_book_move(&mut engine, &depth(2)));
    assert!(!is_book_move(&mut engine, &Limits { mate: Some(3), ..timed.clone() }));
    assert!(!engine.probe_books().1.is_empty());
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/book.dat");
    engine.set_option("bookfiles", Some(book)).unwrap();
    assert!(is_book_move(&mut engine, &depth(2)));
    assert_eq!(engine.probe_books().1[0].weight, 556);
    for (option, value) in [("bookdepth", "0"), ("bookweight", "60000"), ("usebook", "false")] {
        engine.set_option(option, Some(value)).unwrap();
        assert!(!is_book_move(&mut engine, &timed), "{option}");
        for (name, default) in [("bookdepth", "200"), ("bookweight", "0")] {
            engine.set_option(name, Some(default)).unwrap();
        }
    }
}
