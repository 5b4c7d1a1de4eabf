//! Judges repetitions: takes a cycle of moves, returns the offender.

use crate::board::{Bitboard, Color, Move, Position, Square};

use super::asian::{self, Chased};
use super::league;
use super::national::{self, Weight};
use super::placement::Placement;
use super::ruleset::RuleSet;

/// What a side does on every one of its moves of a cycle, mildest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Nothing that is forbidden to repeat.
    Allowed,
    /// It chases the piece on this square, sometimes only by removing its
    /// protection while an old attack stands (`axf` only).
    ChaseByUncovering(Square),
    /// It chases the piece on this square with a new attack every time.
    Chase(Square),
    /// It checks, threatens mate or chases, in any mixture (`cxa` only).
    Attack(Weight),
    /// It gives check.
    Check,
}

impl Pattern {
    const fn severity(self) -> u8 {
        match self {
            Pattern::Allowed => 0,
            Pattern::ChaseByUncovering(_) => 1,
            Pattern::Chase(_) => 2,
            Pattern::Attack(_) => 3,
            Pattern::Check => 4,
        }
    }
}

/// The verdict on a repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleVerdict {
    /// The side that loses; `None` for a draw.
    pub offender: Option<Color>,
    /// What Red and Black do on every move, by [`Color::index`].
    pub patterns: [Pattern; 2],
}

impl CycleVerdict {
    fn of(patterns: [Pattern; 2]) -> CycleVerdict {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let [red, black] = patterns.map(Pattern::severity);
        let offender = match red.cmp(&black) {
            Greater => Some(Color::Red),
            Less => Some(Color::Black),
            Equal => None,
        };
        CycleVerdict { offender, patterns }
    }
}

/// Judges a repetition: `moves`, played from `start`, lead back to an equal
/// position, once or several times. The move that led to `start` does
/// not count.
///
/// A search passes one round of a cycle, a referee all rounds up to the fold.
/// Perpetual check is tested first; the other tests stop at the first innocent
/// move of a side. The national rules have each move searched; under the
/// others nothing is allocated.
///
/// # Panics
/// When a move starts from an empty square; any other move that is not legal
/// makes the verdict meaningless.
///
/// ```
/// use hanxin::board::{Color, Move, Position};
/// use hanxin::rules::{RuleSet, judge_cycle};
/// let start = Position::from_fen("9/5k3/8b/9/r8/1C2P4/9/4K4/9/9 b")?;
/// let cycle = ["a5b5", "b4a4", "b5a5", "a4b4"].map(|text| text.parse::<Move>().unwrap());
/// let verdict = judge_cycle(RuleSet::Axf, &start, &cycle);
/// assert_eq!(verdict.offender, Some(Color::Black)); // its rook chases the cannon
/// # Ok::<(), hanxin::board::FenError>(())
/// ```
pub fn judge_cycle(rules: RuleSet, start: &Position, moves: &[Move]) -> CycleVerdict {
    let checking = perpetual_checks(start, moves);
    if checking != [false; 2] || moves.is_empty() {
        let pattern = |checks| if checks { Pattern::Check } else { Pattern::Allowed };
        return CycleVerdict::of(checking.map(pattern));
    }
    match rules {
        RuleSet::Axf => CycleVerdict::of(Color::ALL.map(|side| asian_chase(start, moves, side))),
        RuleSet::League => {
            CycleVerdict::of(Color::ALL.map(|side| league_chase(start, moves, side)))
        }
        RuleSet::Cxa => {
            let plays = Color::ALL.map(|side| national::forbidden_play(start, moves, side));
            let pattern = |play: Option<Weight>| play.map_or(Pattern::Allowed, Pattern::Attack);
            CycleVerdict { offender: national::offender(plays), patterns: plays.map(pattern) }
        }
    }
}

/// Which sides give check with every move.
pub(super) fn perpetual_checks(start: &Position, moves: &[Move]) -> [bool; 2] {
    let mut checking = [!moves.is_empty(), moves.len() > 1];
    if start.side_to_move() == Color::Black {
        checking.swap(0, 1);
    }
    let mut position = start.clone();
    for &m in moves {
        let mover = position.side_to_move();
        position.make(m);
        checking[mover.index()] &= position.in_check();
        if checking == [false; 2] {
            break;
        }
    }
    checking
}

/// Calls `visit` with the mover, the move and the placements before and after
/// it, until it returns `false`.
pub(super) fn walk(
    start: &Position,
    moves: &[Move],
    mut visit: impl FnMut(Color, Move, &Placement, &Placement) -> bool,
) {
    let mut mover = start.side_to_move();
    let mut before = Placement::of(start);
    for &m in moves {
        let after = before.after(mover, m);
        if !visit(mover, m, &before, &after) {
            break;
        }
        before = after;
        mover = !mover;
    }
}

/// Where the pieces of a set stand after a move to an empty square.
fn follow_move(squares: Bitboard, m: Move) -> Bitboard {
    let to = Bitboard::of(m.to());
    let rest = squares.without(Bitboard::of(m.from()) | to);
    if squares.contains(m.from()) { rest | to } else { rest }
}

/// Looks for a piece that `side` chases with every move. Nothing is captured in
/// a cycle, so a set of squares that follows the moves identifies the pieces.
fn asian_chase(start: &Position, moves: &[Move], side: Color) -> Pattern {
    let mut victims = Chased::ALL;
    walk(start, moves, |mover, m, before, after| {
        if mover == side {
            let now = asian::chased(before, after, side, m, victims.all);
            victims = Chased {
                all: victims.all & now.all,
                by_new_attack: victims.by_new_attack & now.by_new_attack,
            };
        } else {
            victims = Chased {
                all: follow_move(victims.all, m),
                by_new_attack: follow_move(victims.by_new_attack, m),
            };
        }
        !victims.all.is_empty()
    });
    match (victims.by_new_attack.first(), victims.all.first()) {
        (Some(victim), _) => Pattern::Chase(victim),
        // two pieces kept under attack while every move of both sides makes a new
        // one: a published draw
        (None, Some(_)) if victims.all.len() > 1 && always_attacks_anew(start, moves) => {
            Pattern::Allowed
        }
        (None, Some(victim)) => Pattern::ChaseByUncovering(victim),
        (None, None) => Pattern::Allowed,
    }
}

/// Whether every move of both sides newly attacks some piece.
fn always_attacks_anew(start: &Position, moves: &[Move]) -> bool {
    let mut always = true;
    walk(start, moves, |side, m, before, after| {
        always = !asian::chased(before, after, side, m, Bitboard::ALL).by_new_attack.is_empty();
        always
    });
    always
}

fn league_chase(start: &Position, moves: &[Move], side: Color) -> Pattern {
    let mut victims = Bitboard::ALL;
    walk(start, moves, |mover, m, _, after| {
        if mover != side {
            victims = follow_move(victims, m);
        } else if after.checkers(!side).is_empty() {
            victims &= league::chased(after, side, m);
        } else {
            victims = Bitboard::EMPTY;
        }
        !victims.is_empty()
    });
    victims.first().map_or(Pattern::Allowed, Pattern::Chase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(rules: RuleSet, fen: &str, moves: &str) -> CycleVerdict {
        let moves: Vec<Move> = moves.split(' ').map(|text| text.parse().unwrap()).collect();
        let start = Position::from_fen(fen).unwrap();
        let mut end = start.clone();
        for &m in &moves {
            assert!(end.is_legal(m), "{m} in {fen}");
            end.make(m);
        }
        assert_eq!(end.key(), start.key(), "{fen} {moves:?}");
        judge_cycle(rules, &start, &moves)
    }

    fn offender(fen: &str, moves: &str) -> Option<Color> {
        judge(RuleSet::Axf, fen, moves).offender
    }

    #[test]
    fn kings_and_pawns_chase_freely() {
        let king = offender("4k4/9/4b4/9/9/9/9/5c3/4K4/9 w", "e1f1 f2e2 f1e1 e2f2");
        let pawn = offender("2b6/9/3k5/9/9/9/8p/3A3R1/3K5/9 b", "i3h3 h2i2 h3i3 i2h2");
        assert_eq!((king, pawn), (None, None));
    }

    #[test]
    fn pawns_at_home_are_no_victims_and_crossed_ones_are() {
        let home = offender("3N5/9/3a1k3/9/9/1rP6/9/4K4/9/9 b", "b4a4 d9b8 a4b4 b8d9");
        let crossed = offender("5k3/9/5a3/9/2P6/9/9/3r5/9/4K4 b", "d2c2 c5d5 c2d2 d5c5");
        assert_eq!((home, crossed), (None, Some(Color::Black)));
    }

    #[test]
    fn protection_excuses_unless_lower_pieces_chase_a_rook() {
        let cannon = offender("5k3/9/5r3/8R/9/9/9/6n2/5c3/4KA3 w", "i6i1 f1f6 i1i6 f6f1");
        let rook = offender("3a1k3/3n5/R1R6/9/9/9/9/8B/3K5/9 b", "d8b9 a7b7 b9d8 b7a7");
        assert_eq!((cannon, rook), (None, Some(Color::Black)));
    }

    #[test]
    fn protection_on_one_of_the_squares_is_enough() {
        let fen = "3k5/9/9/3n5/9/9/3r5/9/9/3NK4 w";
        assert_eq!(offender(fen, "d0c2 d3c3 c2d0 c3d3"), None);
    }

    #[test]
    fn like_pieces_offer_exchanges_unless_the_other_is_pinned() {
        let free = offender("9/3k5/9/R8/8p/9/9/9/1r7/3AK4 w", "a6a1 b1b6 a1a6 b6b1");
        let pinned = offender("4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w", "e4e3 c4c3 e3e4 c3c4");
        assert_eq!((free, pinned), (None, Some(Color::Black)));
    }

    #[test]
    fn alternating_victims_are_allowed_and_alternating_chasers_are_not() {
        let victims = offender("5a3/9/4k4/n7R/2p6/9/c8/9/9/3K5 w", "i6f6 a3i3 f6i6 i3a3");
        let chasers = offender("5k3/9/9/9/9/9/9/9/9/3NK1cr1 w", "d0c2 h0h2 c2d0 h2h0");
        assert_eq!((victims, chasers), (None, Some(Color::Black)));
    }

    #[test]
    fn checks_of_the_chased_side_in_between_do_not_help_it() {
        let fen = "3akr3/n3a4/4b4/9/P1b6/9/1n7/4B4/3RA4/2BAK4 w";
        assert_eq!(offender(fen, "d1d3 b3c1 d3d1 c1b3"), Some(Color::Red));
    }

    #[test]
    fn both_sides_chasing_draw_and_a_new_attack_outweighs_uncovering() {
        let mutual = "4ka3/c2R1R2c/4b4/9/9/9/9/9/9/4K4 w";
        assert_eq!(offender(mutual, "f8f6 f9e8 f6f8 e8f9"), None);
        let pinned = "5k3/9/9/9/9/9/7r1/9/2nRA3c/4K4 w";
        let verdict = judge(RuleSet::Axf, pinned, "e1f0 h3h1 f0e1 h1h3");
        assert!(matches!(verdict.patterns, [Pattern::ChaseByUncovering(_), Pattern::Chase(_)]));
        assert_eq!(verdict.offender, Some(Color::Black));
    }

    #[test]
    fn one_piece_chased_by_uncovering_is_chased_whatever_else_is_attacked() {
        let fen = "9/4ck3/C1N6/2r2r3/pC3N3/9/9/9/4K4/9 b";
        let by_turns = judge(RuleSet::Axf, fen, "c6c5 c7a6 c5c6 a6c7");
        assert!(matches!(
            by_turns.patterns,
            [Pattern::Allowed, Pattern::ChaseByUncovering(square)] if square.to_string() == "f5"
        ));
        let unmasking = "6rr1/4k2NP/5a3/5P3/8c/R5c2/9/6pp1/9/3K2BN1 w";
        assert_eq!(offender(unmasking, "h8g6 g4h4 g6h8 h4g4"), Some(Color::Red));
    }

    #[test]
    fn check_and_chase_mixed_is_for_the_national_rules_alone() {
        let fen = "4ka3/9/b4a3/9/6b2/9/6R2/9/3p1KCr1/9 w";
        let by = |rules| judge(rules, fen, "g3e3 f9e8 e3g3 e8f9").offender;
        assert_eq!(RuleSet::ALL.map(by), [None, Some(Color::Red), None]);
    }

    #[test]
    fn one_sided_perpetual_check_loses_under_every_rule_set() {
        let single = "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w";
        let mutual = "3akr3/4c4/1P3R3/9/9/9/9/9/9/4CK3 b";
        for rules in RuleSet::ALL {
            let verdict = judge(rules, single, "e9d9 d8e8 d9e9 e8d8");
            assert_eq!(verdict.offender, Some(Color::Red));
            let verdict = judge(rules, mutual, "e8f8 f7e7 f8e8 e7f7");
            assert_eq!(verdict.offender, None);
        }
    }

    #[test]
    fn nothing_played_is_nothing_repeated() {
        let start = Position::startpos();
        for rules in RuleSet::ALL {
            assert_eq!(judge_cycle(rules, &start, &[]).offender, None);
        }
    }
}
