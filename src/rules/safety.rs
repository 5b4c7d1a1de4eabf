//! Cycles that an engine should avoid when it does not know the referee's rules.

use crate::board::{Bitboard, Color, Move, Position};

use super::asian;
use super::cycle::{perpetual_checks, walk};
use super::league;
use super::national::{Nature, nature};

/// Whether some rule set could hold the cycle against `side`: it attacks with
/// every move, by a check, a threat of mate or a chase of anything by any
/// definition, while the opponent does not check perpetually.
///
/// This is wider than the three rule sets together, to be safe under other
/// interpretations of them. Arguments as for
/// [`judge_cycle`](super::judge_cycle).
pub fn offends_any(start: &Position, moves: &[Move], side: Color) -> bool {
    let checking = perpetual_checks(start, moves);
    if checking[(!side).index()] || moves.is_empty() {
        return false;
    }
    checking[side.index()] || attacks_every_move(start, moves, side)
}

/// Whether some rule set could call a move an attack, as in [`offends_any`].
///
/// # Panics
/// When it starts from an empty square.
pub fn attacks_any(position: &Position, m: Move) -> bool {
    attacks_every_move(position, &[m], position.side_to_move())
}

/// Whether every move of `side` attacks. The costly national test comes last.
fn attacks_every_move(start: &Position, moves: &[Move], side: Color) -> bool {
    let mut position = start.clone();
    let mut always = true;
    let mut has_moved = false;
    walk(start, moves, |mover, m, before, after| {
        if mover == side {
            has_moved = true;
            always = !after.checkers(!side).is_empty()
                || !asian::chased(before, after, side, m, Bitboard::ALL).all.is_empty()
                || !league::chased(after, side, m).is_empty()
                || nature(&position, m) != Nature::Idle;
        }
        position.make(m);
        always
    });
    always && has_moved
}

#[cfg(test)]
mod tests {
    use crate::rules::{RuleSet, judge_cycle};

    use super::*;

    fn cycle(fen: &str, moves: &str) -> (Position, Vec<Move>) {
        let moves = moves.split(' ').map(|text| text.parse().unwrap()).collect();
        (Position::from_fen(fen).unwrap(), moves)
    }

    fn any(cycle: &(Position, Vec<Move>)) -> [bool; 2] {
        Color::ALL.map(|side| offends_any(&cycle.0, &cycle.1, side))
    }

    /// Whom each rule set holds the cycle against, in the order of
    /// [`RuleSet::ALL`].
    fn offenders(cycle: &(Position, Vec<Move>)) -> [Option<Color>; 3] {
        RuleSet::ALL.map(|rules| judge_cycle(rules, &cycle.0, &cycle.1).offender)
    }

    #[test]
    fn the_victim_of_a_perpetual_check_is_free() {
        let check = cycle("4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w", "e9d9 d8e8 d9e9 e8d8");
        assert_eq!(any(&check), [true, false]);
        assert_eq!(offenders(&check), [Some(Color::Red); 3]);
        let mutual = cycle("3akr3/4c4/1P3R3/9/9/9/9/9/9/4CK3 b", "e8f8 f7e7 f8e8 e7f7");
        assert_eq!(any(&mutual), [false, false]);
        assert_eq!(offenders(&mutual), [None; 3]);
    }

    #[test]
    fn what_one_rule_set_forbids_is_never_safe() {
        let victims = cycle("5a3/9/4k4/n7R/2p6/9/c8/9/9/3K5 w", "i6f6 a3i3 f6i6 i3a3");
        let mixture = cycle("4ka3/9/b4a3/9/6b2/9/6R2/9/3p1KCr1/9 w", "g3e3 f9e8 e3g3 e8f9");
        for (what, cycle) in [("alternating victims", victims), ("check and chase", mixture)] {
            assert_eq!(offenders(&cycle), [None, Some(Color::Red), None], "{what}");
            assert_eq!(any(&cycle), [true, false], "{what}");
        }
        let idle = cycle("5k3/9/9/9/9/9/9/9/9/3K5 w", "d0d1 f9f8 d1d0 f8f9");
        assert_eq!(any(&idle), [false, false]);
    }
}
