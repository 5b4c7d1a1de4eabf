//! What a side wins by force if it is its turn: by exchanges on one square, and
//! by any series of captures and checks. The national rules ask for it.

use crate::board::{
    Color, Move, MoveList, PieceKind, Position, Square, between, cannon_attacks, rook_attacks,
};

/// What being mated costs, beyond all material.
const MATE: i32 = 1000;
/// Positions that one search may look at.
const NODES: u32 = 20_000;
/// The longest line: evasions that are checks themselves could go on for ever.
const LINE: u32 = 100;

/// The value of the piece on a square in exchanges; 0 for an empty one.
///
/// The rules rank rook over knight and cannon, those over advisor and elephant,
/// and two of one rank make about one of the next. A crossed pawn against an
/// advisor or elephant is not a gain for either (26.5), one at home is not a victim,
/// and a king is never taken.
pub(super) fn value(position: &Position, square: Square) -> i32 {
    let Some(piece) = position.piece_at(square) else { return 0 };
    match piece.kind() {
        PieceKind::Rook => 8,
        PieceKind::Knight | PieceKind::Cannon => 4,
        PieceKind::Advisor | PieceKind::Elephant => 2,
        PieceKind::Pawn => 2 * i32::from(square.is_across_river(piece.color())),
        PieceKind::King => 0,
    }
}

/// What a legal or pseudo-legal capture wins when both sides go on capturing on
/// that square while it pays.
pub(super) fn exchange(position: &mut Position, capture: Move) -> i32 {
    exchange_without(position, capture, None)
}

/// The same if the piece on `idle` does not take part.
pub(super) fn exchange_without(
    position: &mut Position,
    capture: Move,
    idle: Option<Square>,
) -> i32 {
    let won = value(position, capture.to());
    let undo = position.make(capture);
    let mut answers = position.legal_moves();
    answers.retain(|answer| answer.to() == capture.to() && Some(answer.from()) != idle);
    let answer = answers.iter().map(|&answer| exchange_without(position, answer, idle)).max();
    position.unmake(capture, undo);
    won - answer.unwrap_or(0).max(0)
}

/// Whether a capture opens a line on which the opponent then wins as much: the
/// capturing piece is pinned to a piece of its own.
pub(super) fn is_pinned(position: &mut Position, capture: Move) -> bool {
    let gain = exchange(position, capture);
    let undo = position.make(capture);
    let mut answers = position.legal_moves();
    answers.retain(|answer| {
        answer.to() != capture.to()
            && value(position, answer.to()) > 0
            && between(answer.from(), answer.to()).contains(capture.from())
    });
    let is_pinned = answers.iter().any(|&answer| exchange(position, answer) >= gain);
    position.unmake(capture, undo);
    is_pinned
}

pub(super) fn is_king_or_pawn(position: &Position, square: Square) -> bool {
    let kind = position.piece_at(square).map(|piece| piece.kind());
    matches!(kind, Some(PieceKind::King | PieceKind::Pawn))
}

/// Whether a move gives check by another piece than the one that moves.
pub(super) fn discovers_check(position: &mut Position, m: Move) -> bool {
    let undo = position.make(m);
    let discovered = position.checkers().any(|checker| checker != m.to());
    position.unmake(m, undo);
    discovered
}

/// Whether a move opens a line on which a rook or cannon of its side then
/// attacks something of value.
pub(super) fn opens_line(position: &mut Position, m: Move) -> bool {
    let side = position.side_to_move();
    let undo = position.make(m);
    let opens = position.of_color(!side).any(|victim| {
        let lines = position.lines();
        let mut attackers = (rook_attacks(victim, lines)
            & position.pieces_of(side, PieceKind::Rook))
            | (cannon_attacks(victim, lines) & position.pieces_of(side, PieceKind::Cannon));
        value(position, victim) > 0
            && attackers.any(|attacker| between(attacker, victim).contains(m.from()))
    });
    position.unmake(m, undo);
    opens
}

/// What the side to move wins by a legal move and then by any captures and
/// checks against the best answers, in the units of [`value`]; about
/// ±[`MATE`] if it is mate. Either side may stop when it is not in check.
///
/// A line contains at most so many `checks` of each side beyond the move. It does
/// without the captures in `barred`, and kings and pawns of its own only
/// recapture or unmask a check: what else they could take is not a gain (26.1,
/// 26.8). `None` if that takes too many positions.
pub(super) fn gain(position: &mut Position, m: Move, barred: &[Move], checks: u8) -> Option<i32> {
    let side = position.side_to_move();
    let mut search = MaterialSearch { position, side, barred, nodes: NODES, ply: 0 };
    let gain = search.after(m, (-MATE, MATE), [checks; 2]);
    (search.nodes > 0).then_some(gain)
}

struct MaterialSearch<'a> {
    position: &'a mut Position,
    side: Color,
    barred: &'a [Move],
    nodes: u32,
    ply: u32,
}

impl MaterialSearch<'_> {
    /// The balance of material for the side to move, from now on, if it makes
    /// a move.
    fn after(&mut self, m: Move, (alpha, beta): (i32, i32), checks: [u8; 2]) -> i32 {
        let won = value(self.position, m.to());
        let undo = self.position.make(m);
        self.ply += 1;
        let taken_on = (won > 0).then_some(m.to());
        let score = won - self.best((won - beta, won - alpha), checks, taken_on);
        self.ply -= 1;
        self.position.unmake(m, undo);
        score
    }

    /// The balance of material for the side to move, from now on.
    fn best(
        &mut self,
        (mut alpha, beta): (i32, i32),
        checks: [u8; 2],
        taken_on: Option<Square>,
    ) -> i32 {
        if self.nodes == 0 || self.ply > LINE {
            return 0;
        }
        self.nodes -= 1;
        let mut best = if self.position.in_check() { -MATE } else { 0 };
        let squares = self.position.check_squares();
        let side = self.position.side_to_move();
        for &m in &self.moves(checks[side.index()], taken_on) {
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
            let mut left = checks;
            if self.position.gives_check(m, &squares) {
                left[side.index()] = left[side.index()].saturating_sub(1);
            }
            best = best.max(self.after(m, (alpha, beta), left));
        }
        best
    }

    /// All evasions of a check; otherwise captures and, while any are left,
    /// checks; the most valuable victims first.
    fn moves(&mut self, checks: u8, taken_on: Option<Square>) -> MoveList {
        let position = &mut *self.position;
        let mut moves = position.legal_moves();
        if position.side_to_move() == self.side && !position.in_check() {
            moves.retain(|m| !self.barred.contains(&m));
        }
        if !position.in_check() {
            let squares = position.check_squares();
            moves.retain(|m| {
                value(position, m.to()) > 0 || (checks > 0 && position.gives_check(m, &squares))
            });
            if position.side_to_move() == self.side {
                moves.retain(|m| {
                    value(position, m.to()) == 0
                        || !is_king_or_pawn(position, m.from())
                        || taken_on == Some(m.to())
                        || discovers_check(position, m)
                });
            }
        }
        moves.sort_by_key(|m| value(position, m.from()) - 16 * value(position, m.to()));
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain_of(fen: &str, m: &str) -> i32 {
        gain(&mut Position::from_fen(fen).unwrap(), m.parse().unwrap(), &[], 4).unwrap()
    }

    #[test]
    fn exchanges_stop_when_they_no_longer_pay() {
        let mut rooted = Position::from_fen("3k5/9/3n5/9/4c2R1/9/9/9/9/4K4 w").unwrap();
        assert_eq!(exchange(&mut rooted, "h5e5".parse().unwrap()), 4 - 8);
        // the knight is pinned by the kings
        let mut pinned = Position::from_fen("3k5/9/3n5/9/4c2R1/9/9/9/9/3K5 w").unwrap();
        assert_eq!(exchange(&mut pinned, "h5e5".parse().unwrap()), 4);
    }

    #[test]
    fn checks_belong_to_a_gain_and_mate_ends_it() {
        // check on f6, the advisor interposes, and the rook takes e6
        let check = "3a3R1/4ak3/3cb4/P2rp4/6b2/9/9/5C3/4A4/4KA3 w";
        assert!(gain_of(&check.replace("3a3R1", "3a5").replace("P2rp4", "P2rp2R1"), "h6f6") > 0);
        assert_eq!(gain_of("3k5/R8/9/9/9/9/9/9/9/1R2K4 w", "b0b9"), MATE);
    }
}
