//! The mate search against plain recursion: every proof is walked through, all
//! replies and not only the line; refutations are compared with an exhaustive
//! search.

mod common;

use std::collections::HashMap;

use hanxin::board::{Move, Position};
use hanxin::mate::{MateLimits, MateOutcome, MateSearch, MateVerdict};

fn within(moves: u16) -> MateLimits {
    MateLimits { moves, ..MateLimits::default() }
}

fn prove(search: &mut MateSearch, position: &Position, moves: u16) -> MateOutcome {
    search.prove(position, &[], within(moves), || false)
}

/// Follows a proof: a check, then every reply, then a shorter mate, to the end.
struct Walk {
    search: MateSearch,
    /// Positions that were walked through, with the moves they were given.
    done: HashMap<u64, u16>,
}

impl Walk {
    fn mates(&mut self, position: &mut Position, moves: u16) {
        if self.done.get(&position.key()).is_some_and(|&done| done <= moves) {
            return;
        }
        let found = prove(&mut self.search, position, moves);
        let MateVerdict::Mate(line) = found.verdict else {
            panic!("{}: no mate in {moves}: {found:?}", position.to_fen());
        };
        assert!(line.len().div_ceil(2) <= usize::from(moves));
        assert!(position.is_legal(line[0]));
        let undo = position.make(line[0]);
        assert!(position.in_check(), "{} is quiet", line[0]);
        for &reply in &position.legal_moves() {
            let undo = position.make(reply);
            self.mates(position, moves - 1);
            position.unmake(reply, undo);
        }
        position.unmake(line[0], undo);
        self.done.insert(position.key(), moves);
    }
}

/// The line is legal, all of the attacker's moves check, and the last mates.
fn check_line(position: &Position, line: &[Move]) {
    let mut position = position.clone();
    for (ply, &m) in line.iter().enumerate() {
        assert!(position.is_legal(m), "{m} in {}", position.to_fen());
        position.make(m);
        assert!(ply % 2 == 1 || position.in_check());
    }
    assert!(!position.has_legal_move());
}

/// Positions with a mate, and the length of the shortest one.
fn mates(file: &str) -> Vec<(Position, u16)> {
    let rows = common::rows(&common::small(file), ["fen", "mate_in"]);
    let read = |[fen, moves]: [String; 2]| {
        (Position::from_fen(&fen).unwrap(), moves.parse().expect("mate_in is a number"))
    };
    rows.into_iter().map(read).collect()
}

#[test]
fn every_proof_holds_against_all_replies() {
    let mut search = MateSearch::new(1 << 16);
    let mut walk = Walk { search: MateSearch::new(1 << 16), done: HashMap::new() };
    for (mut position, moves) in mates("mates.csv").into_iter().chain(mates("long_mates.csv")) {
        let limits = MateLimits { shortest: true, ..MateLimits::default() };
        let found = search.prove(&position, &[], limits, || false);
        let MateVerdict::Mate(line) = &found.verdict else { panic!("{}", position.to_fen()) };
        check_line(&position, line);
        assert_eq!(found.mate_in, Some(moves), "{}", position.to_fen());
        assert!(found.is_shortest());
        assert_eq!(line.len(), 2 * usize::from(moves) - 1);
        walk.done.clear();
        walk.mates(&mut position, moves);
        assert!(!walk.done.is_empty());
    }
}

#[test]
fn long_mates_take_few_nodes() {
    let mut search = MateSearch::new(1 << 18);
    for (position, moves) in mates("long_mates.csv") {
        let limits = MateLimits { nodes: 250_000, ..MateLimits::default() };
        let found = search.prove(&position, &[], limits, || false);
        assert!(moves > 12 && found.mate_in >= Some(moves), "{}: {found:?}", position.to_fen());
    }
}

#[test]
fn verdicts_are_those_of_an_exhaustive_search() {
    let mut search = MateSearch::new(1 << 14);
    let mut state = 5u64;
    let (mut tried, mut mating) = (0, 0);
    for (mut position, _) in mates("mates.csv") {
        let mut history = Vec::new();
        for _ in 0..12 {
            for moves in 1..=3 {
                let expected = common::mates_by_checks(&mut position, &history, moves);
                let found = search.prove(&position, &history, within(moves), || false);
                let mates = matches!(found.verdict, MateVerdict::Mate(_));
                assert_eq!(mates, expected, "{} in {moves}: {found:?}", position.to_fen());
                assert!(mates || found.verdict == MateVerdict::NoMate, "{found:?}");
                tried += 1;
                mating += u32::from(mates);
            }
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            history.push(position.key());
            position.make(legal[(state >> 33) as usize % legal.len()]);
        }
    }
    assert!(tried > 500 && mating > 50, "{mating} of {tried}");
}

#[test]
fn a_position_of_the_game_must_not_come_back() {
    let position = Position::from_fen("3k5/R8/9/9/9/9/9/9/9/1R2K4 w").unwrap();
    let mut search = MateSearch::new(1 << 10);
    let mut history = Vec::new();
    let mut mates = Vec::new();
    while let MateVerdict::Mate(line) =
        search.prove(&position, &history, within(1), || false).verdict
    {
        let mut mated = position.clone();
        mated.make(line[0]);
        history.push(mated.key());
        mates.push(line[0].to_string());
    }
    mates.sort();
    assert_eq!(mates, ["b0b9", "b0d0"]);
    let found = search.prove(&position, &history, within(1), || false);
    assert_eq!((found.verdict, found.refuted_moves), (MateVerdict::NoMate, 1));
}

#[test]
fn limits_and_a_stop_end_a_search_without_a_verdict() {
    let (position, _) = mates("long_mates.csv").remove(0);
    let mut search = MateSearch::new(1 << 16);
    for nodes in [0, 1, 100, 2_000] {
        let limits = MateLimits { nodes, ..MateLimits::default() };
        let found = search.prove(&position, &[], limits, || false);
        assert_eq!(found.verdict, MateVerdict::Unknown);
        assert!(found.nodes <= nodes, "{found:?}");
    }
    let found = search.prove(&position, &[], MateLimits::default(), || true);
    assert!(found.verdict == MateVerdict::Unknown && found.nodes <= 1_024, "{found:?}");
    let found = search.prove(&position, &[], MateLimits::default(), || false);
    assert!(matches!(found.verdict, MateVerdict::Mate(_)), "{found:?}");
}

#[test]
fn a_tiny_table_costs_time_and_not_truth() {
    let mut search = MateSearch::new(8);
    for (position, moves) in mates("mates.csv") {
        match prove(&mut search, &position, moves).verdict {
            MateVerdict::Mate(line) => check_line(&position, &line),
            verdict => assert_eq!(verdict, MateVerdict::Unknown, "{}", position.to_fen()),
        }
    }
}

#[test]
fn a_search_goes_on_where_it_met_its_limit() {
    let (position, _) = mates("long_mates.csv").remove(0);
    let part = MateLimits { nodes: 500, ..MateLimits::default() };
    let mut search = MateSearch::new(1 << 16);
    let whole = search.prove(&position, &[], MateLimits::default(), || false);
    let mut found = search.prove(&position, &[], part, || false);
    let mut nodes = found.nodes;
    while found.verdict == MateVerdict::Unknown {
        assert!(nodes < 3 * whole.nodes, "{nodes} instead of {}", whole.nodes);
        found = search.resume(&position, &[], part, || false);
        nodes += found.nodes;
    }
    check_line(&position, &line_of(found));
}

fn line_of(found: MateOutcome) -> Vec<Move> {
    match found.verdict {
        MateVerdict::Mate(line) => line,
        verdict => panic!("{verdict:?}"),
    }
}
