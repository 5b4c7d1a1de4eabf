//! The clauses of the three rule sets one by one, each with a cycle that it
//! decides. The positions are made for the clause; what the published cases
//! show already stays in `rule_cases.rs`.

use hanxin::board::{Color, Move, Position};
use hanxin::rules::{Game, Parameters, RuleSet};

/// The offender under the Asian, the national and the league rules when the
/// cycle, whose moves are legal, has been gone through twice.
fn offenders(fen: &str, cycle: &str) -> [Option<Color>; 3] {
    RuleSet::ALL.map(|rules| {
        let start = Position::from_fen(fen).unwrap();
        let moves: Vec<Move> = cycle.split(' ').map(|text| text.parse().unwrap()).collect();
        let parameters = Parameters { fold: 3, ..rules.parameters() };
        let mut game = Game::new(start, parameters);
        for &m in moves.iter().chain(&moves) {
            game.play(m).unwrap();
        }
        game.repetition().expect("the cycle closes").offender
    })
}

const RED: Option<Color> = Some(Color::Red);
const BLACK: Option<Color> = Some(Color::Black);

#[test]
fn a_chase_stays_one_though_another_piece_is_offered_for_exchange() {
    // clause 36: the rook faces the protected rook on e8 and chases the cannon
    let fen = "4k4/4r4/9/9/c8/4R4/9/9/4R4/3K5 w";
    assert_eq!(offenders(fen, "e4e5 a5a4 e5e4 a4a5"), [RED, RED, RED]);
}

#[test]
fn an_attack_kept_up_along_its_line_is_not_new() {
    let fen = "5k3/9/9/9/9/R3c4/9/9/9/3K5 w";
    // the rook goes to and fro on the line, then another piece does
    assert_eq!(offenders(fen, "a4b4 e4f4 b4a4 f4e4"), [None; 3]);
    assert_eq!(offenders(fen, "d0d1 e4f4 d1d0 f4e4"), [None; 3]);
}

#[test]
fn attacking_something_else_as_well_does_not_excuse_an_uncovering() {
    // from c5 the knight cuts the elephant off, and attacks a cannon, which
    // an advisor protects or not, or a rook
    for fen in [
        "4k4/4a4/bN1c5/9/9/9/R8/9/9/3K5 w",
        "4k4/9/bN1c5/9/9/9/R8/9/9/3K5 w",
        "4k4/4a4/bN1c5/9/9/4r4/R8/9/9/3K5 w",
    ] {
        assert_eq!(offenders(fen, "b7c5 a7c9 c5b7 c9a7")[0], RED, "{fen}");
    }
    // the rook is the screen through which one cannon protects the other, and
    // attacks the pawn when it leaves
    let fen = "4k4/9/4N4/2c2R1c1/9/9/9/1p7/9/3K5 w";
    assert_eq!(offenders(fen, "f6f2 h6h5 f2f6 h5h6")[0], RED);
}

#[test]
fn chasing_in_return_does_not_excuse_the_chaser() {
    // the cannon attacks a knight from each of its squares, or from one
    let two = "NN3k3/9/PP7/9/1c7/9/R8/9/9/3K5 w";
    let one = "N4k3/9/P8/9/1c7/9/R8/9/9/3K5 w";
    let cycle = "a3b3 b5a5 b3a3 a5b5";
    // by the national rules attacks on several pieces are forbidden as well
    assert_eq!(offenders(two, cycle), [RED, None, RED]);
    assert_eq!(offenders(one, cycle), [RED, RED, RED]);
}

#[test]
fn blocks_offers_and_threats_of_mate_may_go_on() {
    let block = "3k5/9/9/9/4C3r/9/9/9/4R4/5K3 b";
    assert_eq!(offenders(block, "i5i6 e5e6 i6i5 e6e5"), [None; 3]);
    // the rook puts itself where the knight can take it
    let offer = "3ak4/4a4/6n2/9/5R3/9/9/9/9/3AK4 w";
    assert_eq!(offenders(offer, "f5h5 e9f9 h5f5 f9e9"), [None; 3]);
    // mate by the rook from the flank; 长杀 is for the national rules alone
    let mate = "3k5/R8/9/9/1r7/9/9/9/1R7/4K4 w";
    assert_eq!(offenders(mate, "b1c1 b5c5 c1b1 c5b5"), [None, RED, None]);
}

#[test]
fn two_pieces_may_attack_a_protected_one() {
    // clause 35; by the national rules the cannon is protected too little
    let fen = "r4k3/9/9/9/c8/4R4/9/9/R8/3K5 w";
    assert_eq!(offenders(fen, "e4e5 a5a4 e5e4 a4a5"), [None, RED, None]);
}

#[test]
fn a_pinned_piece_threatens_nothing_but_in_the_league() {
    let fen = "3k5/4r4/9/9/c8/4R4/9/9/9/4K4 w";
    assert_eq!(offenders(fen, "e4e5 a5a4 e5e4 a4a5"), [None, None, RED]);
}

#[test]
fn a_pinned_piece_protects_nothing_but_in_the_league() {
    let fen = "3kr3R/9/9/9/4c4/R8/9/9/9/5K3 w";
    assert_eq!(offenders(fen, "a4a5 e5e4 a5a4 e4e5"), [RED, RED, None]);
}

#[test]
fn advisors_and_elephants_are_no_victims_in_the_league() {
    let fen = "3k5/9/3a5/9/4r4/9/9/3K1A3/9/9 b";
    assert_eq!(offenders(fen, "e5f5 f2e1 f5e5 e1f2"), [BLACK, BLACK, None]);
}

#[test]
fn victims_in_turn_are_forbidden_by_the_national_rules_alone() {
    let fen = "5a3/9/4k4/n7R/2p6/9/c8/9/9/3K5 w";
    assert_eq!(offenders(fen, "i6f6 a3i3 f6i6 i3a3"), [None, RED, None]);
}

#[test]
fn kings_chase_and_every_second_move_may_attack() {
    let king = "4k4/9/4b4/9/9/9/9/5c3/4K4/9 w";
    assert_eq!(offenders(king, "e1f1 f2e2 f1e1 e2f2"), [None; 3]);
    let check = "9/4k4/9/9/6n2/8R/9/5K3/9/9 w";
    assert_eq!(offenders(check, "i4e4 e8d8 e4i4 d8e8"), [None; 3]);
}

#[test]
fn the_last_attacker_of_the_weaker_side_may_hold_a_point() {
    let cycle = "a2c2 c5a7 c2a2 a7c5";
    let national = |fen| offenders(fen, cycle)[1];
    // for the elephant on c5 or a7 the rook would give up the one on e2
    assert_eq!(national("4k4/4a4/3a5/9/2b6/4r4/8p/R3B4/4A4/3AK4 w"), None);
    // a rook that is not the weaker side's, and rooks that hold nothing
    assert_eq!(national("4k4/4a4/3a5/9/2b6/4r4/9/R3B4/4A4/3AK4 w"), RED);
    assert_eq!(national("4k4/4a4/3a5/9/2b6/4r4/8p/R8/4A4/3AK4 w"), RED);
    assert_eq!(national("4k4/4a4/3a5/4p4/2b6/8c/9/R8/4A3p/3AK3n w"), RED);
    let advisor = "3a1k3/9/9/R8/9/n4p3/3c5/9/9/3K5 w";
    assert_eq!(offenders(advisor, "a6a9 d3d6 a9a6 d6d3")[1], RED);
}

#[test]
fn one_piece_that_checks_and_then_takes_plays_as_heavily_as_one_that_takes() {
    // national rules 26.9: the knight forks king and rook, or takes an unprotected
    // advisor, and the rook attacks the unprotected knight
    let knight = "5k1r1/9/5a3/7N1/9/9/9/9/9/4K4 w";
    assert_eq!(offenders(knight, "h6i8 h9i9 i8h6 i9h9")[1], None);
    let knight = "9/4k4/7N1/9/9/9/7r1/9/9/3K5 w";
    assert_eq!(offenders(knight, "h7g5 h3h5 g5h7 h5h3")[1], None);
}

#[test]
fn checks_that_answer_checks_come_to_an_end() {
    // the cannons uncover the king to rook and cannon by turns
    for (fen, cycle) in [
        ("4kr3/5c3/4b4/4R4/2P6/9/5p3/5p3/9/4CK3 w", "c5d5 f8g8 d5c5 g8f8"),
        ("N3kr3/5c3/4b4/4R4/9/1N7/9/9/9/4CK3 w", "e0d0 f8f7 d0e0 f7f8"),
    ] {
        assert_eq!(offenders(fen, cycle)[1], None, "{fen}");
    }
}

#[test]
fn gains_compare_only_if_found_alike() {
    // with four checks a side the search before h3h7 is too large, the one after it not
    let fen = "3k1a3/4a4/1Rn1b4/p7R/3np4/9/P3P2CP/2p1B4/3rA1r2/c1BAK1C2 b";
    let cycle = "a0a1 h3h7 a1a0 h7h3";
    assert_eq!(offenders(fen, cycle)[1], None);
}
