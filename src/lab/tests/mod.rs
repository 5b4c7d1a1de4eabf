//! The claims of the course: all exact variants find the score of minimax, the
//! worked example is cut off where the notes say, every combination runs.

mod graph;

use proptest::prelude::*;

use crate::board::Position;
use crate::score::Score;

use super::*;
use graph::Graph;

/// The settings whose score the exact ones must find: those of the same leaves
/// and the same depths.
fn reference(settings: Settings) -> Settings {
    Settings {
        algorithm: Algorithm::Minimax,
        quiescence: settings.quiescence,
        grain: settings.grain,
        extend_checks: settings.extend_checks,
        extend_single_replies: settings.extend_single_replies,
        ..Settings::default()
    }
}

fn algorithms() -> impl Strategy<Value = Algorithm> {
    use Algorithm::{FailHard, FailSoft, Minimax, NegaScout};
    prop::sample::select(vec![Minimax, FailHard, FailSoft, NegaScout])
}

fn drivers() -> impl Strategy<Value = Driver> {
    let half_width = 10;
    prop::sample::select(vec![
        Driver::FullWindow,
        Driver::Aspiration { half_width },
        Driver::Bisection,
        Driver::MtdOneValue,
        Driver::MtdTwoBounds,
    ])
}

/// All settings that find the score of minimax.
fn exact_settings() -> impl Strategy<Value = Settings> {
    let tables = prop::sample::select(vec![Table::Off, Table::SameDepth]);
    let killers = vec![Killers::Off, Killers::BeforeCaptures, Killers::AfterCaptures];
    let killers = prop::sample::select(killers);
    (algorithms(), drivers(), tables, killers, any::<[bool; 12]>(), 0..30, -30..30).prop_map(
        |(algorithm, driver, table, killers, on, grain, shift)| Settings {
            algorithm,
            driver,
            table,
            killers,
            deepening: on[0],
            internal_deepening: on[1],
            order_captures: on[2],
            history: on[3],
            quiescence: on[4],
            extend_checks: on[5],
            extend_single_replies: on[6],
            table_move: on[7],
            refutations: on[8],
            worst_first: on[9],
            frequent_killers: on[10],
            gradual: on[11],
            grain,
            shift,
            ..Settings::default()
        },
    )
}

/// All settings.
fn settings() -> impl Strategy<Value = Settings> {
    let null_moves = vec![NullMove::Off, NullMove::Plain, NullMove::Verified];
    let null_moves = prop::sample::select(null_moves);
    (exact_settings(), null_moves, any::<bool>(), 0..200, 0..3).prop_map(
        |(exact, null_move, deeper, margin, secondary)| Settings {
            table: if deeper { Table::SameOrDeeper } else { exact.table },
            null_move,
            margin,
            secondary,
            ..exact
        },
    )
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = (-50..50).prop_map(Tree::Leaf);
    leaf.prop_recursive(5, 200, 4, |inner| prop::collection::vec(inner, 1..5).prop_map(Tree::Inner))
}

/// The score of a tree by the definition, for the side to move at its root.
fn value(tree: &Tree, sign: i32) -> i32 {
    match tree {
        Tree::Leaf(score) => sign * score,
        Tree::Inner(children) => {
            children.iter().map(|child| -value(child, -sign)).max().expect("has children")
        }
    }
}

proptest! {
    #[test]
    fn minimax_is_the_value_of_the_tree(tree in trees()) {
        let settings = Settings { algorithm: Algorithm::Minimax, ..Settings::default() };
        let expected = Score::from_centipawns(value(&tree, 1));
        prop_assert_eq!(search(TreeGame::new(tree), settings, 8).score, expected);
    }

    #[test]
    fn exact_variants_agree_on_trees(tree in trees(), exact in exact_settings()) {
        let settings = Settings { grain: 0, ..exact };
        prop_assert!(settings.is_exact());
        let expected = Score::from_centipawns(value(&tree, 1));
        prop_assert_eq!(search(TreeGame::new(tree), settings, 8).score, expected);
    }

    #[test]
    fn exact_variants_agree_on_graphs(
        seed in any::<u64>(), depth in 0..6_u32, settings in exact_settings(),
    ) {
        let expected = search(Graph::new(seed), reference(settings), depth).score;
        prop_assert_eq!(search(Graph::new(seed), settings, depth).score, expected);
    }

    #[test]
    fn the_best_move_is_worth_the_score(
        seed in any::<u64>(), depth in 1..6_u32, exact in exact_settings(),
    ) {
        let settings = Settings { extend_checks: false, extend_single_replies: false, ..exact };
        let mut game = Graph::new(seed);
        let found = search(game.clone(), settings, depth);
        prop_assert_eq!(found.best.is_none(), game.moves().is_empty());
        if let Some(best) = found.best {
            game.make(best);
            let reply = search(game, reference(settings), depth - 1).score;
            prop_assert_eq!(-reply.seen_from_root(1), found.score);
        }
    }

    #[test]
    fn every_combination_runs(seed in any::<u64>(), depth in 0..6_u32, settings in settings()) {
        let game = Graph::new(seed);
        let found = search(game.clone(), settings, depth);
        prop_assert!(found.score.raw().abs() < Score::INFINITE.raw());
        let moves = game.moves();
        prop_assert!(found.best.is_none_or(|best| moves.contains(&best)));
    }
}

/// The paths of the nodes that are cut off, and the scores of the leaves visited
/// as the side at the root sees them.
fn followed(visit: &Visit, path: &str) -> (Vec<String>, Vec<i32>) {
    let (mut cut_offs, mut leaves) = (Vec::new(), Vec::new());
    if visit.is_cut_off() {
        cut_offs.push(path.to_owned());
    }
    if visit.moves == 0 {
        let sign = if visit.ply.is_multiple_of(2) { 1 } else { -1 };
        leaves.push(sign * visit.score.raw());
    }
    for child in &visit.children {
        let Cause::Move(m) = &child.cause else { panic!("no other visits: {child:?}") };
        let (below, seen) = followed(child, &format!("{path}{m}"));
        cut_offs.extend(below);
        leaves.extend(seen);
    }
    (cut_offs, leaves)
}

/// Alpha-beta on figure 3.10 of the lecture notes: nodes 7, 12, 23 and 30 are cut
/// off, and the leaves are seen in the order 1, 3, 6, 10, 15, 17, 19, 22, 26, 28.
#[test]
fn the_worked_example_is_cut_off_where_the_notes_say() {
    // fail-hard would show the border of its window where fail-soft shows the leaf
    let settings = Settings { algorithm: Algorithm::FailSoft, ..Settings::default() };
    for unseen in [-100, 0, 100] {
        let game = TreeGame::new(Tree::figure_3_10(unseen));
        let (found, visits) = search_traced(game, settings, &Limits::to_depth(4));
        assert_eq!((found.score.raw(), found.best), (1, Some(1)));
        assert_eq!(visits.len(), 1);
        let (cut_offs, leaves) = followed(&visits[0], "");
        assert_eq!(cut_offs, ["001", "01", "101", "11"]);
        assert_eq!(leaves, [0, 5, -3, 3, 5, 4, 1, -3, 6, 8]);
    }
}

#[test]
fn aspiration_windows_are_opened_at_once_or_by_doubling() {
    let windows = |gradual, shift| {
        let driver = Driver::Aspiration { half_width: 1 };
        let settings = Settings { driver, gradual, shift, ..Settings::default() };
        let game = TreeGame::new(Tree::figure_3_10(0));
        let (found, visits) = search_traced(game, settings, &Limits::to_depth(4));
        assert_eq!(found.score.raw(), 1);
        let borders =
            visits.iter().map(|visit| (visit.window.alpha.raw(), visit.window.beta.raw()));
        borders.collect::<Vec<_>>()
    };
    let most = Score::INFINITE.raw();
    assert_eq!(windows(false, -10), [(-11, -9), (-11, most)]);
    assert_eq!(windows(true, -10), [(-11, -9), (-11, -8), (-11, -6), (-11, -2), (-11, 6)]);
    assert_eq!(windows(true, 4), [(3, 5), (2, 5), (0, 5)]);
    assert_eq!(windows(true, 2000).last(), Some(&(-most, 2001)));
}

#[test]
fn fail_hard_and_fail_soft_visit_the_same_nodes() {
    let visits = [Algorithm::FailHard, Algorithm::FailSoft].map(|algorithm| {
        let settings = Settings { algorithm, ..Settings::default() };
        let (_, visits) =
            search_traced(TreeGame::new(Tree::figure_3_10(0)), settings, &Limits::to_depth(4));
        let visits = visits[0].all();
        visits.into_iter().map(|visit| (visit.cause.clone(), visit.window)).collect::<Vec<_>>()
    });
    assert_eq!(visits[0], visits[1]);
}

#[test]
fn a_limit_leaves_the_last_whole_iteration() {
    let settings = Settings { deepening: true, table: Table::SameDepth, ..Settings::default() };
    let game = Xiangqi::new(Position::startpos());
    for driver in [Driver::FullWindow, Driver::Bisection, Driver::MtdOneValue] {
        let settings = Settings { driver, ..settings };
        let whole = search(game.clone(), settings, 2);
        let limits = Limits { nodes: Some(whole.nodes + 500), ..Limits::to_depth(9) };
        let found = Search::new(game.clone(), settings).run(&limits);
        assert!(found.nodes < whole.nodes + 5_000, "{driver:?}: it must unwind at once");
        assert_eq!((found.depth, found.score, found.best), (2, whole.score, whole.best));
    }
}

#[test]
fn the_order_of_the_thesis_saves_nodes() {
    let [ordered, unordered] =
        [Settings::thesis(), Settings::thesis().without_ordering()].map(|settings| {
            midgames().map(|p| search(Xiangqi::new(p), settings, 3).nodes).sum::<u64>()
        });
    assert!(2 * ordered < unordered, "{ordered} {unordered}");
}

#[test]
fn root_moves_are_the_only_choice() {
    let moves: Vec<_> = ["a0a1", "i0i1"].map(|m| m.parse().expect("a move")).into();
    let game = Xiangqi::with_root_moves(Position::startpos(), moves.clone());
    let found = search(game, Settings::thesis(), 3);
    assert!(found.best.is_some_and(|best| moves.contains(&best)), "{found:?}");
}

#[test]
fn a_stopped_search_has_no_move() {
    let limits = Limits::to_depth(9);
    limits.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let found = Search::new(Xiangqi::new(Position::startpos()), Settings::default()).run(&limits);
    assert_eq!((found.depth, found.best), (0, None));
}

#[test]
fn time_ends_a_search() {
    let time = Some(std::time::Duration::ZERO);
    let limits = Limits { time, ..Limits::to_depth(MAX_DEPTH) };
    let found = Search::new(Xiangqi::new(Position::startpos()), Settings::thesis()).run(&limits);
    assert!(found.depth < MAX_DEPTH && found.nodes < 10_000, "{found:?}");
}

#[test]
fn tictactoe_is_a_draw() {
    let settings = Settings {
        algorithm: Algorithm::NegaScout,
        table: Table::SameDepth,
        ..Settings::default()
    };
    let found = search(TicTacToe::default(), settings, 9);
    assert_eq!(found.score, Score::DRAW);
}

#[test]
fn minimax_sees_all_of_tictactoe() {
    let settings = Settings { algorithm: Algorithm::Minimax, ..Settings::default() };
    // the nodes of the whole game tree, the empty board included
    assert_eq!(search(TicTacToe::default(), settings, 9).nodes, 549_946);
}

#[test]
fn tictactoe_is_won_in_one() {
    let game: TicTacToe = "xx.oo....".parse().expect("a position");
    let found = search(game, Settings::default(), 9);
    assert_eq!(found.score, Score::mate_in(1));
    assert_eq!(found.best.map(|m| m.to_string()).as_deref(), Some("c3"));
}

#[test]
fn bad_tictactoe_is_refused() {
    for text in
        ["", "xo", "xxx......", "o........", "xo.......x", "xo...?...", "xxxoo.o..", "xxxooo..."]
    {
        assert!(text.parse::<TicTacToe>().is_err(), "{text}");
    }
}

fn midgames() -> impl Iterator<Item = Position> {
    let lines = include_str!("../../../tests/data/midgames.csv").lines().skip(1);
    lines.map(|line| {
        Position::from_fen(line.split(',').nth(1).expect("a FEN")).expect("it is valid")
    })
}

/// A sample of the exact settings: each algorithm with each driver, without and
/// with all that is exact.
fn exact_sample(leaves: Settings) -> Vec<Settings> {
    use Algorithm::{FailHard, FailSoft, NegaScout};
    let half_width = 50;
    let drivers = [
        Driver::FullWindow,
        Driver::Aspiration { half_width },
        Driver::Bisection,
        Driver::MtdOneValue,
        Driver::MtdTwoBounds,
    ];
    let bare = [FailHard, FailSoft, NegaScout].map(|algorithm| Settings { algorithm, ..leaves });
    let with_drivers =
        bare.into_iter().flat_map(|settings| drivers.map(|driver| Settings { driver, ..settings }));
    let enhanced = with_drivers.map(|settings| Settings {
        table: Table::SameDepth,
        table_move: true,
        deepening: true,
        internal_deepening: true,
        order_captures: true,
        killers: Killers::AfterCaptures,
        history: true,
        ..settings
    });
    bare.into_iter().chain(enhanced).collect()
}

fn assert_exact_variants_agree(position: &Position, leaves: Settings, depth: u32) {
    let game = Xiangqi::new(position.clone());
    let expected = search(game.clone(), reference(leaves), depth).score;
    for settings in exact_sample(leaves) {
        let found = search(game.clone(), settings, depth);
        assert_eq!(found.score, expected, "{} {settings:?}", position.to_fen());
    }
}

#[test]
fn exact_variants_agree_on_xiangqi_at_depth_3() {
    for position in midgames().take(3) {
        assert_exact_variants_agree(&position, Settings::default(), 3);
    }
}

#[test]
fn exact_variants_agree_with_quiescence_and_extensions() {
    let leaves = Settings {
        quiescence: true,
        extend_checks: true,
        extend_single_replies: true,
        ..Settings::default()
    };
    for position in midgames() {
        assert_exact_variants_agree(&position, leaves, 2);
    }
}

#[test]
fn exact_variants_agree_on_an_endgame_at_depth_4() {
    let fen = "3k5/4P4/4b4/9/9/9/9/4B4/4p4/4K4 w";
    let position = Position::from_fen(fen).expect("it is valid");
    assert_exact_variants_agree(&position, Settings::default(), 4);
}

/// Nodes of a variant on all midgames, three plies deep.
fn nodes_of(variant: &str) -> u64 {
    let Variant { settings, .. } = variant.parse().expect("it is one");
    midgames().map(|position| search(Xiangqi::new(position), settings, 3).nodes).sum()
}

#[test]
fn each_enhancement_of_the_order_saves_nodes_and_the_opposite_order_costs_some() {
    let plain = nodes_of("fail-soft");
    for added in ["captures", "killers", "history"] {
        assert!(nodes_of(&format!("fail-soft+{added}")) < plain, "{added}");
    }
    let deepening = nodes_of("fail-soft+deepening");
    assert!(10 * nodes_of("fail-soft+deepening+refutations") < 9 * deepening);
    assert!(nodes_of("fail-soft+all+worst-first") > 2 * plain);
    let frequent = nodes_of("fail-soft+frequent-killers");
    assert!(frequent < plain && frequent != nodes_of("fail-soft+killers"));
}

#[test]
fn a_coarse_evaluation_is_the_same_for_both_sides_and_saves_steps_of_mtd() {
    let position = midgames().next().expect("there are ten");
    let fine = "mtd-two-bounds+all".parse::<Variant>().expect("it is one").settings;
    let coarse = Settings { grain: 20, ..fine };
    let scored = |settings, position: &Position| {
        search(Xiangqi::new(position.clone()), settings, 0).score.raw()
    };
    for position in midgames() {
        let other = position.swap_colors();
        let (exact, rounded) = (scored(fine, &position), scored(coarse, &position));
        assert!(rounded % 20 == 0 && (rounded - exact).abs() <= 10, "{exact} {rounded}");
        assert_eq!(scored(coarse, &other), rounded);
    }
    let visits = [fine, coarse].map(|settings| {
        search_traced(Xiangqi::new(position.clone()), settings, &Limits::to_depth(3)).1.len()
    });
    assert!(visits[1] < visits[0], "{visits:?}");
}

#[test]
fn variants_have_names_of_their_own_and_those_without_pruning_are_exact() {
    let variants = variants();
    let names: std::collections::BTreeSet<_> =
        variants.iter().map(|variant| &variant.name).collect();
    assert_eq!((names.len(), variants.len()), (35, 35));
    assert_eq!(variants.iter().filter(|variant| variant.settings.is_exact()).count(), 30);
}

#[test]
fn a_variant_is_named_by_its_parts() {
    let settings = |name: &str| name.parse::<Variant>().map(|variant| variant.settings);
    let driver = Driver::Aspiration { half_width: 25 };
    let expected = Settings { driver, history: true, margin: 7, ..Settings::default() };
    assert_eq!(settings("aspiration:25+history+margin:7"), Ok(expected));
    assert_eq!(settings("aspiration+table"), settings("aspiration:50+table"));
    let driver = Driver::Aspiration { half_width: 50 };
    let expected = Settings { driver, gradual: true, shift: -7, ..Settings::default() };
    assert_eq!(settings("aspiration+shift:-7+gradual"), Ok(expected));
    let driver = Driver::MtdTwoBounds;
    let expected = Settings { driver, algorithm: Algorithm::NegaScout, ..Settings::default() };
    assert_eq!(settings("negascout+mtd-two-bounds"), Ok(expected));
    for (name, words) in [
        ("", "no algorithm '': there are minimax, "),
        ("best", "no algorithm 'best'"),
        ("minimax+", "nothing to add that is called ''"),
        ("table", "no algorithm 'table'"),
        ("fail-soft+best", "called 'best': there are table, "),
        ("fail-soft:2", "'fail-soft:2': fail-soft has no figure"),
        ("aspiration:0", "'aspiration:0': want a figure from 1 to 9999"),
        ("aspiration+shift:-10000", "'shift:-10000': want a figure from -9999 to 9999"),
        ("aspiration+gradual:2", "'gradual:2': gradual has no figure"),
        ("negascout+margin:x", "'margin:x': want a figure"),
        ("negascout+margin:", "'margin:': want a figure"),
    ] {
        let error = settings(name).expect_err(name).to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
}

#[test]
fn the_minimal_tree_has_one_leaf_for_each_move_at_depth_1() {
    assert_eq!(minimal_leaves(40.0, 1), 40.0);
    assert_eq!(minimal_leaves(40.0, 2), 79.0);
    assert_eq!(minimal_leaves(3.0, 3), 11.0);
    assert_eq!([1, 2, 3].map(|depth| minimal_leaves(0.0, depth)), [1.0; 3]);
}
