//! The judge of repetitions: a cycle of moves in, the offender out.

use crate::board::{Bitboard, Color, Move, Position, Square};

use super::asian::{self, Chased};
use super::league;
use super::placement::Placement;
use super::ruleset::RuleSet;

/// What a side does on every one of its moves of a cycle, mildest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pattern {
    /// Nothing that it may not do for ever.
    Allowed,
    /// It chases the piece on this square, some of the times by taking its
    /// root away while the attack stands (`axf` only).
    ChaseByUncovering(Square),
    /// It chases the piece on this square with a new attack every time.
    Chase(Square),
    /// It gives check.
    Check,
}

impl Pattern {
    const fn severity(self) -> u8 {
        match self {
            Pattern::Allowed => 0,
            Pattern::ChaseByUncovering(_) => 1,
            Pattern::Chase(_) => 2,
            Pattern::Check => 3,
        }
    }
}

/// The verdict on a repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleVerdict {
    /// The side that loses; nobody in a draw.
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
/// position, once or several times.
pub fn judge_cycle(rules: RuleSet, start: &Position, moves: &[Move]) -> CycleVerdict {
    let checking = perpetual_checks(start, moves);
    if checking != [false; 2] || moves.is_empty() {
        let pattern = |checks| if checks { Pattern::Check } else { Pattern::Allowed };
        return CycleVerdict::of(checking.map(pattern));
    }
    CycleVerdict::of(Color::ALL.map(|side| match rules {
        RuleSet::Axf => asian_chase(start, moves, side),
        RuleSet::Cxa => asian_chase(start, moves, side),
        RuleSet::League => league_chase(start, moves, side),
    }))
}

/// Which sides give check with every move.
fn perpetual_checks(start: &Position, moves: &[Move]) -> [bool; 2] {
    let mut checking = [moves.len() > 0, moves.len() > 1];
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
fn walk(
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
fn carry(squares: Bitboard, m: Move) -> Bitboard {
    let to = Bitboard::of(m.to());
    let rest = squares.without(Bitboard::of(m.from()) | to);
    if squares.contains(m.from()) { rest | to } else { rest }
}

/// The same piece chased by `side` on every move. No piece leaves the board in
/// a cycle, so that a set of squares which follows the moves keeps identities.
fn asian_chase(start: &Position, moves: &[Move], side: Color) -> Pattern {
    let mut victims = Chased::ALL;
    walk(start, moves, |mover, m, before, after| {
        if mover == side {
            let now = asian::chased(before, after, side, m, victims.all);
            victims = Chased { all: victims.all & now.all, fresh: victims.fresh & now.fresh };
        } else {
            victims = Chased { all: carry(victims.all, m), fresh: carry(victims.fresh, m) };
        }
        !victims.all.is_empty()
    });
    match (victims.fresh.first(), victims.all.first()) {
        (Some(victim), _) => Pattern::Chase(victim),
        (None, Some(victim)) => Pattern::ChaseByUncovering(victim),
        (None, None) => Pattern::Allowed,
    }
}

fn league_chase(start: &Position, moves: &[Move], side: Color) -> Pattern {
    let mut victims = Bitboard::ALL;
    walk(start, moves, |mover, m, _, after| {
        if mover != side {
            victims = carry(victims, m);
        } else if after.checkers(!side).is_empty() {
            victims &= league::chased(after, side, m);
        } else {
            victims = Bitboard::EMPTY;
        }
        !victims.is_empty()
    });
    victims.first().map_or(Pattern::Allowed, Pattern::Chase)
}
