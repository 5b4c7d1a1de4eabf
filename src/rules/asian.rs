//! Chases by the Asian rules.
//!
//! A piece that captures enemy pieces unless the side to move does something
//! about it threatens them. A move chases what it threatens in a way that did
//! not exist before it; see [`Contact`] for the two ways.

use crate::board::{Bitboard, Color, Move, PieceKind, Square};

use super::placement::Placement;

/// The pieces one move chases, by where they stand.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Chased {
    /// By any new threat.
    pub all: Bitboard,
    /// By a piece that could not capture them before the move: it has come
    /// nearer or was unmasked (闪击). The other threats are old attacks on
    /// pieces that have just lost their root.
    pub fresh: Bitboard,
}

impl Chased {
    pub const ALL: Chased = Chased { all: Bitboard::ALL, fresh: Bitboard::ALL };
}

/// Which of the pieces `among` the move `m` of `side` chases.
pub(super) fn chased(
    before: &Placement,
    after: &Placement,
    side: Color,
    m: Move,
    among: Bitboard,
) -> Chased {
    let mut chased = Chased::default();
    for victim in possible_victims(after, !side) & among {
        for attacker in after.covering(victim, side) & possible_chasers(after, side) {
            match contact(before, after, side, m, (attacker, victim)) {
                Some(Contact::NewAttack) => {
                    chased.all |= Bitboard::of(victim);
                    chased.fresh |= Bitboard::of(victim);
                }
                Some(Contact::Uncovering) => chased.all |= Bitboard::of(victim),
                None => {}
            }
        }
    }
    chased
}

/// How a move came to chase a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contact {
    /// The chaser could not capture the piece before the move.
    NewAttack,
    /// The chaser could, but the piece was protected then and no longer is.
    Uncovering,
}

/// How, if at all, the move `m` makes the first of two squares chase the
/// second one, both as things stand after it.
pub(super) fn contact(
    before: &Placement,
    after: &Placement,
    side: Color,
    m: Move,
    (attacker, victim): (Square, Square),
) -> Option<Contact> {
    if !threatens(after, side, attacker, victim) {
        return None;
    }
    let attacker = if attacker == m.to() { m.from() } else { attacker };
    if !can_capture(before, side, attacker, victim) {
        Some(Contact::NewAttack)
    } else if !threatens(before, side, attacker, victim) {
        Some(Contact::Uncovering)
    } else {
        None
    }
}

/// All but kings and pawns that have not crossed the river.
pub(super) fn possible_victims(placement: &Placement, color: Color) -> Bitboard {
    let home_pawns = placement
        .pieces(color, PieceKind::Pawn)
        .filter(|square| !square.is_across_river(color))
        .collect();
    placement.of_color(color).without(placement.pieces(color, PieceKind::King)).without(home_pawns)
}

/// All but kings and pawns, which may chase for ever.
pub(super) fn possible_chasers(placement: &Placement, color: Color) -> Bitboard {
    placement
        .of_color(color)
        .without(placement.pieces(color, PieceKind::King))
        .without(placement.pieces(color, PieceKind::Pawn))
}

/// Whether the capture is possible by the ways of the pieces and leaves the
/// capturer's king as safe as it was.
pub(super) fn can_capture(
    placement: &Placement,
    side: Color,
    attacker: Square,
    victim: Square,
) -> bool {
    placement.covering(victim, side).contains(attacker)
        && Move::new(attacker, victim)
            .is_some_and(|capture| !placement.exposes_king(side, capture, placement.checkers(side)))
}

/// Whether the attacker wins something by the capture and offers no exchange.
fn threatens(placement: &Placement, side: Color, attacker: Square, victim: Square) -> bool {
    use PieceKind::{Advisor, Cannon, Elephant, Knight, Rook};
    if !can_capture(placement, side, attacker, victim) {
        return false;
    }
    let (Some(chaser), Some(chased)) = (placement.kind_at(attacker), placement.kind_at(victim))
    else {
        return false;
    };
    if chaser == chased && can_capture(placement, !side, victim, attacker) {
        return false;
    }
    match (chaser, chased) {
        (Knight | Cannon, Rook) | (Advisor | Elephant, Rook | Knight | Cannon) => true,
        _ => Move::new(attacker, victim).is_some_and(|m| !placement.is_rooted(side, m)),
    }
}
