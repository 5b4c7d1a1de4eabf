//! Move classes and verdicts of the Chinese national rules.
//!
//! A move has the nature of its heaviest effect: check, kill (a threat of mate
//! by checks), chase (a new way to win material) or none of them, which is
//! idle. A side all of whose moves in the cycle attack is forbidden to go on.

use crate::board::{Bitboard, Color, Move, PieceKind, Position, Square};

use super::asian::can_capture;
use super::gain::{
    best_contact, contacts, exchange, mates, standing_checks, value, wins_by_checks,
};
use super::placement::Placement;

/// The nature of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nature {
    /// 将: it checks.
    Check,
    /// 杀: it threatens mate by a check or a series of checks.
    Kill,
    /// 捉 by one piece, of a rook or of an unprotected piece.
    Chase(Move),
    /// 捉 by several pieces together, or of a piece that is protected though
    /// not enough.
    LightChase(Option<Move>),
    /// 闲: none of these.
    Idle,
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
    let mut turned = after;
    turned.make_null();
    if mates(&mut turned) {
        return Nature::Kill;
    }
    direct_chase(before, m, &turned)
}

fn direct_chase(before: &Position, m: Move, turned: &Position) -> Nature {
    let side = before.side_to_move();
    let (old, new) = (Placement::of(before), Placement::of(turned));
    let standing = standing_checks(&old);
    let mut light = Nature::Idle;
    for (capture, gain) in contacts(&new, side) {
        if gain <= 0 || is_exchange_offer(&new, side, capture) {
            continue;
        }
        let from = if capture.from() == m.to() { m.from() } else { capture.from() };
        let could = Move::new(from, capture.to())
            .filter(|c| old.covering(c.to(), side).contains(c.from()))
            .and_then(|c| Some((c, exchange(&old, side, c, &standing)?)))
            .filter(|&(c, g)| g >= gain && (before.in_check() || !allows_mate(before, c)));
        if could.is_some() || allows_mate(turned, capture) || is_too_dear(&new, side, capture, gain) {
            continue;
        }
        if is_chase_of_rook(&new, capture) || !new.is_rooted(side, capture) {
            return Nature::Chase(capture);
        }
        light = Nature::LightChase(Some(capture));
    }
    if light == Nature::Idle {
        let least = best_contact(before);
        let least1 = best_contact(turned);
        let mut t = turned.clone();
        if wins_by_checks(&mut t, CHECKS, least.max(least1))
            && (before.in_check() || !wins_by_checks(&mut before.clone(), CHECKS, least.max(least1)))
        {
            light = Nature::LightChase(None);
        }
    }
    light
}

const CHECKS: u32 = 1;

fn is_chase_of_rook(p: &Placement, c: Move) -> bool {
    p.kind_at(c.to()) == Some(PieceKind::Rook) && p.kind_at(c.from()) != Some(PieceKind::Rook)
}

fn is_exchange_offer(p: &Placement, side: Color, c: Move) -> bool {
    p.kind_at(c.from()) == p.kind_at(c.to()) && can_capture(p, !side, c.to(), c.from())
}

fn allows_mate(position: &Position, capture: Move) -> bool {
    let mut t = position.clone();
    if !t.is_legal(capture) { return false; }
    t.make(capture);
    mates(&mut t)
}

/// Whether the capture opens a line for a capture elsewhere that costs as much.
fn is_too_dear(p: &Placement, side: Color, capture: Move, gain: i32) -> bool {
    if is_chase_of_rook(p, capture) {
        return false;
    }
    let after = p.after(side, capture);
    contacts(&after, !side)
        .any(|(c, loss)| c.to() != capture.to() && loss >= gain && !p.covering(c.to(), !side).contains(c.from()))
}

/// What one side does over a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conduct {
    /// every move attacks
    pub forbidden: bool,
    /// all heavy
    pub heavy: bool,
}

pub(super) fn conduct(start: &Position, moves: &[Move], side: Color) -> Conduct {
    let mut position = start.clone();
    let mut heavy = true;
    for &m in moves {
        if position.side_to_move() == side {
            match nature(&position, m) {
                Nature::Idle => return Conduct { forbidden: false, heavy: false },
                Nature::LightChase(_) => heavy = false,
                _ => {}
            }
        }
        position.make(m);
    }
    Conduct { forbidden: true, heavy }
}

pub(super) fn offender(red: Conduct, black: Conduct) -> Option<Color> {
    match (red.forbidden, black.forbidden) {
        (true, false) => Some(Color::Red),
        (false, true) => Some(Color::Black),
        (true, true) if red.heavy && !black.heavy => Some(Color::Red),
        (true, true) if black.heavy && !red.heavy => Some(Color::Black),
        _ => None,
    }
}
