//! Static exchange evaluation (SEE): the gain of a capture when both sides
//! recapture on that square with their least valuable attacker.

use super::attacks::{
    Lines, advisor_attacks, aligned, cannon_attacks, elephant_attacks, elephant_pseudo_attacks,
    king_attacks, knight_attackers, knight_pseudo_attackers, pawn_attackers, rook_attacks,
};
use super::bitboard::Bitboard;
use super::moves::Move;
use super::piece::{Color, PieceKind};
use super::position::Position;
use super::square::Square;

/// The value of a piece in exchanges, in centipawns.
#[inline]
pub const fn exchange_value(kind: PieceKind) -> i32 {
    match kind {
        PieceKind::King => 10_000,
        PieceKind::Advisor => 170,
        PieceKind::Elephant => 170,
        PieceKind::Knight => 430,
        PieceKind::Rook => 950,
        PieceKind::Cannon => 440,
        PieceKind::Pawn => 110,
    }
}

/// Kinds by value, least valuable first.
const ORDER: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Elephant,
    PieceKind::Knight,
    PieceKind::Cannon,
    PieceKind::Rook,
    PieceKind::King,
];

impl Position {
    /// Whether the exchange started by a pseudo-legal move wins at least
    /// `threshold` centipawns of [`exchange_value`].
    ///
    /// X-ray attackers join in, and cannons are looked up again after each
    /// capture, since a screen that captures disarms one cannon and may arm
    /// another. Pins are ignored, except that a king never
    /// takes a piece that is still protected.
    pub fn see_ge(&self, m: Move, threshold: i32) -> bool {
        let (from, to) = (m.from(), m.to());
        let value_on = |square| self.piece_at(square).map_or(0, |p| exchange_value(p.kind()));
        let mut balance = value_on(to) - threshold;
        if balance < 0 {
            return false;
        }
        balance = value_on(from) - balance;
        if balance <= 0 {
            return true;
        }
        let mut exchange = Exchange::new(self, from, to);
        let mut side = self.side_to_move();
        let mut wins = true;
        loop {
            side = !side;
            let Some((kind, square)) = exchange.least_valuable_attacker(side) else { return wins };
            wins = !wins;
            if kind == PieceKind::King {
                // the king may take only if nothing can take back
                exchange.remove(square);
                return if exchange.least_valuable_attacker(!side).is_some() {
                    !wins
                } else {
                    wins
                };
            }
            balance = exchange_value(kind) - balance;
            if balance < i32::from(wins) {
                return wins;
            }
            exchange.remove(square);
        }
    }
}

/// The pieces that can still join an exchange on one square.
struct Exchange<'a> {
    position: &'a Position,
    on: Square,
    lines: Lines,
    remaining: Bitboard,
}

impl<'a> Exchange<'a> {
    fn new(position: &'a Position, from: Square, on: Square) -> Exchange<'a> {
        let mut lines = *position.lines();
        lines.toggle(from);
        let remaining = possible_attackers(position, on).without(Bitboard::of(from));
        Exchange { position, on, lines, remaining }
    }

    fn remove(&mut self, square: Square) {
        self.lines.toggle(square);
        self.remaining = self.remaining.without(Bitboard::of(square));
    }

    /// The least valuable attacker of a side, with its square.
    fn least_valuable_attacker(&self, side: Color) -> Option<(PieceKind, Square)> {
        let pieces = self.remaining & self.position.of_color(side);
        if pieces.is_empty() {
            return None;
        }
        ORDER.into_iter().find_map(|kind| {
            let candidates = pieces & self.position.of_kind(kind);
            if candidates.is_empty() {
                return None;
            }
            (candidates & self.attack_origins(side, kind)).first().map(|square| (kind, square))
        })
    }

    /// Squares from which a piece of this kind attacks the exchange square.
    #[inline]
    fn attack_origins(&self, side: Color, kind: PieceKind) -> Bitboard {
        match kind {
            PieceKind::King => king_attacks(self.on),
            PieceKind::Advisor => advisor_attacks(self.on),
            PieceKind::Elephant => elephant_attacks(self.on, &self.lines),
            PieceKind::Knight => knight_attackers(self.on, &self.lines),
            PieceKind::Rook => rook_attacks(self.on, &self.lines),
            PieceKind::Cannon => cannon_attacks(self.on, &self.lines),
            PieceKind::Pawn => pawn_attackers(side, self.on),
        }
    }
}

/// The pieces of both sides that attack the square, or would if nothing stood
/// between: no others can ever join an exchange there.
#[inline]
fn possible_attackers(position: &Position, on: Square) -> Bitboard {
    use PieceKind::{Advisor, Cannon, Elephant, King, Knight, Pawn, Rook};
    let of = |kind| position.of_kind(kind);
    let pawns = pawn_attackers(Color::Red, on) | pawn_attackers(Color::Black, on);
    aligned(on) & (of(Rook) | of(Cannon))
        | knight_pseudo_attackers(on) & of(Knight)
        | elephant_pseudo_attacks(on) & of(Elephant)
        | advisor_attacks(on) & of(Advisor)
        | king_attacks(on) & of(King)
        | pawns & of(Pawn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_positions;

    /// The value of an exchange for the side that may take on `on`, by trying
    /// "stop" and "take with the cheapest" at every step.
    fn brute(exchange: &mut Exchange<'_>, side: Color, victim: i32) -> i32 {
        let Some((kind, square)) = exchange.least_valuable_attacker(side) else { return 0 };
        exchange.remove(square);
        if kind == PieceKind::King && exchange.least_valuable_attacker(!side).is_some() {
            return 0;
        }
        let reply = brute(exchange, !side, exchange_value(kind));
        0.max(victim - reply)
    }

    fn brute_move(position: &Position, m: Move) -> i32 {
        let value = |square| position.piece_at(square).map_or(0, |p| exchange_value(p.kind()));
        let mut exchange = Exchange::new(position, m.from(), m.to());
        let side = position.side_to_move();
        value(m.to()) - brute(&mut exchange, !side, value(m.from()))
    }

    #[test]
    fn thresholds_agree_with_a_full_exchange() {
        let mut checked = 0;
        for position in random_positions(56) {
            for &m in &position.legal_moves() {
                let from_king = position.king(position.side_to_move()) == m.from();
                if from_king {
                    continue;
                }
                let value = brute_move(&position, m);
                for (threshold, expected) in [(value, true), (value + 1, false), (0, value >= 0)] {
                    let fen = position.to_fen();
                    assert_eq!(position.see_ge(m, threshold), expected, "{m} {value} {fen}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 100_000);
    }

    #[test]
    fn a_screen_that_takes_part_disarms_its_cannon() {
        // Black's pawn on e6 is guarded by the cannon on e9 over the screen e8
        let guarded = Position::from_fen("3kc4/4a4/9/4p4/9/9/9/9/9/4RK3 w").unwrap();
        let m: Move = "e0e6".parse().unwrap();
        assert!(!guarded.see_ge(m, 0));
        let bare = Position::from_fen("3kc4/9/9/4p4/9/9/9/9/9/4RK3 w").unwrap();
        assert!(bare.see_ge(m, exchange_value(PieceKind::Pawn)));
    }
}
