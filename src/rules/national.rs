//! Move natures and verdicts of the Chinese national rules (2020).
//!
//! A move has the nature of its heaviest effect: check, kill, chase or idle
//! (rule 26.4). A side whose every move attacks in one of the first three ways
//! may not go on; if both sides do so, [`offender`] weighs the ways.
//!
//! The rules define a chase by its effect, a new way to win material, so gains
//! are searched for before and after the move. That is exact for direct captures
//! and a model for the rest; `tests/rule_cases.rs` states how far it agrees with
//! the figures of the rule book.
//!
//! Not judged here are two rules that call for an arbiter: that of nine rounds
//! of attacks without a repetition, which end in one anyway, and 26.2, by which
//! the weaker side's only attacker may touch advisors and elephants from a key
//! point, for which no text says what such a point is.

use crate::board::{Color, Move, PieceKind, Position};

use super::asian::can_capture;
use super::gain::{
    LEAST_GAIN, best_contact, can_mate_by_checks, contacts, exchange, existing_checks,
    winning_check, winning_sacrifice,
};
use super::placement::Placement;

/// The nature of a move by the national rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nature {
    /// 将: it checks.
    Check,
    /// 杀: it threatens mate by checks.
    Kill,
    /// 捉 by this capture, new or newly profitable.
    Chase(Move, Weight),
    /// 捉 by several moves, this one first: checks before a capture (抽吃) or
    /// a sacrifice that takes a root away. It weighs light.
    Plan(Move),
    /// 闲: anything else, also exchange, offer, block and follow.
    Idle,
}

/// How a forbidden way of playing counts against another one (26.9).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Weight {
    /// A joint chase (联合捉), or one of a piece that is protected, though not
    /// enough (少根子).
    Light,
    /// A check, a kill, or one piece's chase of a rook or of an unprotected
    /// piece.
    Heavy,
}

/// The nature of a legal move.
pub fn nature(before: &Position, m: Move) -> Nature {
    let mut after = before.clone();
    after.make(m);
    if after.in_check() {
        return Nature::Check;
    }
    // what a king happens to threaten on its flight is idle (26.1.2, 26.1.3)
    if before.in_check() && m.from() == before.king(before.side_to_move()) {
        return Nature::Idle;
    }
    after.make_null();
    if can_mate_by_checks(&mut after) {
        return Nature::Kill;
    }
    let change = Change::new(before, m, &after);
    match change.direct_chase() {
        Some((capture, weight)) => Nature::Chase(capture, weight),
        None => change.plan().map_or(Nature::Idle, Nature::Plan),
    }
}

/// Since when a capture wins material.
#[derive(PartialEq)]
enum Age {
    /// It did before the move.
    Old,
    /// It did, but at the cost of a piece that the move has saved.
    Restored,
    New,
}

/// A capture that newly wins material.
struct DirectChase {
    capture: Move,
    weight: Weight,
    /// Whether it wins more than the opponent could then win elsewhere.
    pays: bool,
}

/// What a move changes: the position before it, and after it with the mover to
/// move again.
struct Change<'a> {
    m: Move,
    side: Color,
    before: &'a Position,
    turned: &'a Position,
    old: Placement,
    new: Placement,
}

impl<'a> Change<'a> {
    fn new(before: &'a Position, m: Move, turned: &'a Position) -> Change<'a> {
        let side = before.side_to_move();
        let (old, new) = (Placement::of(before), Placement::of(turned));
        Change { m, side, before, turned, old, new }
    }

    /// The capture that newly wins material by itself; preferred are those that
    /// cost less elsewhere, then heavy ones.
    fn direct_chase(&self) -> Option<(Move, Weight)> {
        let chases = contacts(&self.new, self.side).filter_map(|(capture, _)| self.weigh(capture));
        let best = chases.max_by_key(|chase| (chase.pays, chase.weight))?;
        Some((best.capture, best.weight))
    }

    /// The capture as a chase, if it is one.
    fn weigh(&self, capture: Move) -> Option<DirectChase> {
        let takes_rook = self.is_rook_under_lesser_attack(capture);
        let is_single = takes_rook || !self.new.is_rooted(self.side, capture);
        let gain = self.exchange_without_offers(capture)?;
        if gain <= if is_single { 0 } else { LEAST_GAIN } || self.is_exchange_offer(capture) {
            return None;
        }
        let age = self.age(capture, gain);
        if age == Age::Old
            || (!takes_rook && self.costs_as_much(capture, gain))
            || allows_mate(self.turned, capture)
        {
            return None;
        }
        let is_heavy = is_single && age == Age::New;
        let weight = if is_heavy { Weight::Heavy } else { Weight::Light };
        let pays = gain > self.cost_elsewhere(&self.new, capture);
        Some(DirectChase { capture, weight, pays })
    }

    fn is_rook_under_lesser_attack(&self, capture: Move) -> bool {
        self.new.kind_at(capture.to()) == Some(PieceKind::Rook)
            && self.new.kind_at(capture.from()) != Some(PieceKind::Rook)
    }

    /// Whether the victim is of the same kind and could itself take the piece
    /// without being mated for it.
    fn is_exchange_offer(&self, capture: Move) -> bool {
        let (piece, victim) = (capture.from(), capture.to());
        let is_mutual = self.new.kind_at(piece) == self.new.kind_at(victim)
            && can_capture(&self.new, !self.side, victim, piece);
        is_mutual
            && Move::new(victim, piece).is_some_and(|answer| {
                let mut theirs = self.turned.clone();
                theirs.make_null();
                !theirs.is_legal(answer) || !allows_mate(&theirs, answer)
            })
    }

    /// The gain of a capture without the help of other pieces that merely
    /// offer themselves to the victim for an exchange.
    fn exchange_without_offers(&self, capture: Move) -> Option<i32> {
        let kind = self.new.kind_at(capture.to())?;
        let covering = self.new.covering(capture.to(), self.side);
        let offered = (covering & self.new.pieces(self.side, kind)).filter(|&piece| {
            piece != capture.from() && can_capture(&self.new, !self.side, capture.to(), piece)
        });
        let without =
            offered.fold(self.new, |rest, piece| rest.without_attacks_of(self.side, piece));
        exchange(&without, self.side, capture, &existing_checks(&self.new))
    }

    fn age(&self, capture: Move, gain: i32) -> Age {
        let has_moved = capture.from() == self.m.to();
        let from = if has_moved { self.m.from() } else { capture.from() };
        let earlier = Move::new(from, capture.to())
            .filter(|earlier| self.old.covering(earlier.to(), self.side).contains(from));
        let existing = existing_checks(&self.old);
        let earlier_gain =
            earlier.and_then(|earlier| exchange(&self.old, self.side, earlier, &existing));
        let (Some(earlier), Some(earlier_gain)) = (earlier, earlier_gain) else { return Age::New };
        if earlier_gain < gain {
            Age::New
        } else if self.before.in_check() {
            Age::Old
        } else if allows_mate(self.before, earlier) {
            Age::New
        } else if !has_moved && earlier_gain <= self.cost_elsewhere(&self.old, earlier) {
            Age::Restored
        } else {
            Age::Old
        }
    }

    /// What the opponent could win elsewhere after a capture.
    fn cost_elsewhere(&self, placement: &Placement, capture: Move) -> i32 {
        let after = placement.after(self.side, capture);
        best_contact(&after, !self.side, |answer| answer.to() == capture.to())
    }

    /// Whether the capture opens a line on which the opponent wins as much.
    fn costs_as_much(&self, capture: Move, gain: i32) -> bool {
        let after = self.new.after(self.side, capture);
        let is_excluded = |answer: Move| {
            answer.to() == capture.to()
                || self.new.covering(answer.to(), !self.side).contains(answer.from())
        };
        best_contact(&after, !self.side, is_excluded) >= gain
    }

    /// The first move of a series of checks or of a sacrifice that newly wins
    /// more than any direct capture and more than the opponent wins meanwhile.
    fn plan(&self) -> Option<Move> {
        let bests = [(&self.old, self.side), (&self.new, self.side), (&self.new, !self.side)];
        let floor = bests.into_iter().fold(LEAST_GAIN, |floor, (placement, side)| {
            floor.max(best_contact(placement, side, |_| false))
        });
        let is_new = |win: fn(&mut Position, i32) -> Option<Move>| {
            let first = win(&mut self.turned.clone(), floor)?;
            let is_new = self.before.in_check() || win(&mut self.before.clone(), floor).is_none();
            is_new.then_some(first)
        };
        is_new(winning_check).or_else(|| is_new(winning_sacrifice))
    }
}

/// Whether the opponent can mate by checks after a legal capture, which is
/// then no threat.
fn allows_mate(position: &Position, capture: Move) -> bool {
    let mut after = position.clone();
    after.make(capture);
    can_mate_by_checks(&mut after)
}

/// The weight of a side's play if it attacks with every move of the cycle:
/// heavy if all its attacks are.
pub(super) fn forbidden_play(start: &Position, moves: &[Move], side: Color) -> Option<Weight> {
    let mut position = start.clone();
    let mut weight = Weight::Heavy;
    for &m in moves {
        if position.side_to_move() == side {
            match nature(&position, m) {
                Nature::Idle => return None,
                Nature::Chase(_, Weight::Light) | Nature::Plan(_) => weight = Weight::Light,
                Nature::Check | Nature::Kill | Nature::Chase(_, Weight::Heavy) => {}
            }
        }
        position.make(m);
    }
    Some(weight)
}

/// Who must deviate when neither side checks perpetually: the only side whose play
/// is forbidden, or of two such sides the one that plays heavily throughout
/// while the other one does not (26.9).
pub(super) fn offender(plays: [Option<Weight>; 2]) -> Option<Color> {
    match plays {
        [Some(_), None] | [Some(Weight::Heavy), Some(Weight::Light)] => Some(Color::Red),
        [None, Some(_)] | [Some(Weight::Light), Some(Weight::Heavy)] => Some(Color::Black),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nature_of(fen: &str, m: &str) -> Nature {
        let position = Position::from_fen(fen).unwrap();
        let m = m.parse().unwrap();
        assert!(position.is_legal(m));
        nature(&position, m)
    }

    fn to(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn the_heaviest_effect_gives_the_nature() {
        let fen = "4ka3/9/b4a3/9/6b2/9/6R2/9/3p1KCr1/9 w";
        assert_eq!(nature_of(fen, "g3e3"), Nature::Check);
        let chased = "4k4/4a4/b4a3/9/6b2/9/4R4/9/3p1KCr1/9 w";
        assert_eq!(nature_of(chased, "e3g3"), Nature::Chase(to("g3g5"), Weight::Heavy));
        assert_eq!(nature_of(chased, "e3i3"), Nature::Idle);
        let king = "3a5/4ak3/b3b4/4R4/PP7/9/1r7/9/4K1p2/9 w";
        assert_eq!(nature_of(king, "e6f6"), Nature::Check);
        let mate = "3a5/5k3/b3ba3/4R4/PP7/9/1r7/9/4K1p2/9 b";
        assert_eq!(nature_of(mate, "f7e8"), Nature::Kill);
    }

    #[test]
    fn a_fleeing_king_threatens_nothing() {
        // the cannon behind it comes to attack an elephant
        let fen = "3a3R1/3Nck3/3ab4/P4r3/9/8p/2p5n/C3BA2B/4A4/4K4 b";
        let fleeing = fen.replace("3a3R1/3Nck3", "3a1k1R1/3Nc4");
        assert_eq!(nature_of(&fleeing, "f9f8"), Nature::Idle);
    }

    #[test]
    fn checks_and_sacrifices_can_be_the_way_to_win() {
        // rook to f6, check; the advisor interposes; the rook takes e6 with
        // a check by the cannon, and next the rook on d6
        let check = "3a3R1/4ak3/3cb4/P2rp4/6b2/9/9/5C3/4A4/4KA3 w";
        assert_eq!(nature_of(check, "h9h6"), Nature::Plan(to("h6f6")));
        let sacrifice = "3ak1b2/4a4/3cb3n/4p1r1p/1R3N1N1/P7P/4P4/4B4/4A4/2B1KA3 w";
        assert_eq!(nature_of(sacrifice, "h5f4"), Nature::Plan(to("f5e7")));
        let cross = "3ak1b2/2P1a4/4b4/p7p/9/P1P2R2P/1r6p/3CB4/4A4/2BA1K2c b";
        assert_eq!(nature_of(cross, "b3d3"), Nature::Plan(to("i0d0")));
    }

    #[test]
    fn of_several_chases_one_that_pays_counts() {
        // to take on e6 would cost the knight on g8; the rook on f8 is free to
        // be taken now that the own rook is safe
        let fen = "4kab2/4arNC1/4b1R2/4n4/2p3pc1/9/4P3P/4B4/4A4/2BAK4 w";
        assert_eq!(nature_of(fen, "g7g6"), Nature::Chase(to("h8f8"), Weight::Light));
    }

    #[test]
    fn a_piece_that_may_not_take_for_fear_of_mate_is_offered_no_exchange() {
        // were it to take on g8, a cannon would mate
        let fen = "3akab2/2Ncn1C2/4b2C1/p7R/2rn2p2/9/P1p1P1P1P/4B4/9/2BAKA3 w";
        assert_eq!(nature_of(fen, "c8b6"), Nature::Chase(to("g8d8"), Weight::Light));
    }

    #[test]
    fn light_play_excuses_itself_against_heavy_play() {
        use Weight::{Heavy, Light};
        assert_eq!(offender([Some(Heavy), Some(Light)]), Some(Color::Red));
        assert_eq!(offender([Some(Light), Some(Heavy)]), Some(Color::Black));
        assert_eq!(offender([Some(Heavy), Some(Heavy)]), None);
        assert_eq!(offender([Some(Light), Some(Light)]), None);
        assert_eq!(offender([Some(Light), None]), Some(Color::Red));
        assert_eq!(offender([None, None]), None);
    }
}
