//! Chases by the Asian rules.
//!
//! A piece threatens what it could capture with profit if it were its turn. A
//! move chases what it newly threatens; [`Contact`] has the two ways.

use crate::board::{Bitboard, Color, Move, PieceKind, Square};

use super::placement::Placement;

/// The squares of the pieces that one move chases.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Chased {
    /// By any new threat.
    pub all: Bitboard,
    /// By a piece that could not capture them before the move: the moved piece,
    /// or one it has unmasked (闪击). All others are old attacks on pieces that
    /// have just lost their protection (root, 根).
    pub by_new_attack: Bitboard,
}

impl Chased {
    pub const ALL: Chased = Chased { all: Bitboard::ALL, by_new_attack: Bitboard::ALL };
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
    for (capture, contact) in new_contacts(before, after, side, m, among) {
        chased.all |= Bitboard::of(capture.to());
        if contact == Contact::NewAttack {
            chased.by_new_attack |= Bitboard::of(capture.to());
        }
    }
    chased
}

/// The captures by which the move `m` of `side` chases pieces `among` these.
pub(super) fn new_contacts<'a>(
    before: &'a Placement,
    after: &'a Placement,
    side: Color,
    m: Move,
    among: Bitboard,
) -> impl Iterator<Item = (Move, Contact)> + 'a {
    (possible_victims(after, !side) & among).flat_map(move |victim| {
        let chasers = after.covering(victim, side) & possible_chasers(after, side);
        chasers.filter_map(move |chaser| {
            let capture = Move::new(chaser, victim)?;
            Some((capture, contact(before, after, side, m, (chaser, victim))?))
        })
    })
}

/// How a move came to chase a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contact {
    /// The chaser could not capture the piece before the move.
    NewAttack,
    /// The chaser could, but the piece was protected then and no longer is.
    Uncovering,
}

/// How the move `m` makes `attacker` chase `victim`, if it does; both squares
/// are those after the move.
fn contact(
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

/// All but kings and pawns, which may chase perpetually.
pub(super) fn possible_chasers(placement: &Placement, color: Color) -> Bitboard {
    placement
        .of_color(color)
        .without(placement.pieces(color, PieceKind::King))
        .without(placement.pieces(color, PieceKind::Pawn))
}

/// Whether the capture is pseudo-legal and exposes the capturer's king to no
/// new check.
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

/// Whether the capture wins material and is not an offer to exchange.
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
