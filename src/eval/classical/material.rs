//! Piece-square tables, and the counts for the game phase; updated from move to
//! move.
//!
//! Lazyboy thesis, section 2.3.2: kings, rooks, knights, cannons and pawns
//! have a midgame and an endgame value on each square. Advisors and elephants
//! have values for attack and for defence; here they also have a value by phase,
//! since the formula alone gives nothing for a guard that is not attacked, and
//! pawns have attack values.

use crate::board::{Color, Move, Piece, PieceKind, Position, Square};

use super::Sink;
use super::values::WEIGHTS;
use super::weights::Weights;

/// K mid + K end: the phase weight of all pieces at the start of a game.
pub(super) const PHASE_TOTAL: i32 = 66;
/// The maximum of K attack and of K defence.
pub(super) const STANCE_TOTAL: i32 = 8;

/// The terms that depend on single pieces only, summed over all pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceSquareSums(Lanes);

/// Four sums in one vector register: by-phase values (Red minus Black), stance
/// values of Red, of Black, and the counts.
type Lanes = [i32; 4];

impl PieceSquareSums {
    /// The sums of a position.
    pub fn new(position: &Position) -> PieceSquareSums {
        let mut sums = PieceSquareSums([0; 4]);
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                sums.add(piece, square);
            }
        }
        sums
    }

    /// Updates the sums for a move of `piece` that captures `captured`.
    #[inline]
    pub fn apply(&mut self, piece: Piece, m: Move, captured: Option<Piece>) {
        self.remove(piece, m.from());
        self.add(piece, m.to());
        if let Some(captured) = captured {
            self.remove(captured, m.to());
        }
    }

    #[inline]
    fn add(&mut self, piece: Piece, square: Square) {
        let lanes = &LANES[piece.index()][square.index()];
        for (sum, lane) in self.0.iter_mut().zip(lanes) {
            *sum += lane;
        }
    }

    #[inline]
    fn remove(&mut self, piece: Piece, square: Square) {
        let lanes = &LANES[piece.index()][square.index()];
        for (sum, lane) in self.0.iter_mut().zip(lanes) {
            *sum -= lane;
        }
    }

    /// The values by phase, Red's minus Black's, packed.
    #[inline]
    pub(super) const fn phase_values(&self) -> i32 {
        self.0[0]
    }

    /// The values by stance of each side, packed.
    #[inline]
    pub(super) const fn stance_values(&self) -> [i32; 2] {
        [self.0[1], self.0[2]]
    }

    /// The factors by which the two values of each weight are blended.
    #[inline]
    pub(super) fn factors(&self) -> Factors {
        let count = |shift: u32| self.0[3] >> shift & 0x3F;
        let ahead = count(RED_STRENGTH) - count(BLACK_STRENGTH);
        let attack = [
            (count(RED_CROSSED) + ahead).clamp(0, STANCE_TOTAL),
            (count(BLACK_CROSSED) - ahead).clamp(0, STANCE_TOTAL),
        ];
        Factors { midgame: self.0[3] & 0x7F, attack }
    }
}

/// The factors K of the thesis.
///
/// Where its words leave a choice: K mid counts both sides, or it would not
/// come to 66; the lead may be negative, and both bounds, 0 and 8, hold for
/// the sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Factors {
    /// K mid, 0 to 66: 6 for each rook on the board, 3 for a knight or cannon,
    /// 1 for any other piece but the kings.
    pub midgame: i32,
    /// K attack of each side, 0 to 8, which is K defence of the other one:
    /// 2 for each rook or knight and 1 for each cannon or pawn across the
    /// river, and the lead in rooks (2 each), knights and cannons.
    pub attack: [i32; 2],
}

impl Factors {
    /// K end, 0 to 66.
    pub const fn endgame(self) -> i32 {
        PHASE_TOTAL - self.midgame
    }
}

// the places of the counts in their lane
const RED_CROSSED: u32 = 7;
const BLACK_CROSSED: u32 = 13;
const RED_STRENGTH: u32 = 19;
const BLACK_STRENGTH: u32 = 25;

/// Adds the value of every piece, as [`PieceSquareSums`] does.
pub(super) fn score<S: Sink>(position: &Position, sink: &mut S) {
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            for square in position.pieces_of(color, kind) {
                let weights = sink.weights();
                if let Some((phase, stance)) = square_weights(weights, kind, square, color) {
                    sink.phase(color, phase);
                    if let Some(stance) = stance {
                        sink.stance(color, stance);
                    }
                }
            }
        }
    }
}

/// The weights of a piece on a square, by phase and for some kinds by stance;
/// none where the piece cannot stand.
const fn square_weights<T: Copy>(
    weights: &Weights<T>,
    kind: PieceKind,
    square: Square,
    color: Color,
) -> Option<(T, Option<T>)> {
    let rank = square.rank_for(color) as usize;
    let file = square.file() as usize;
    let file = if file < 5 { file } else { 8 - file };
    let full = (9 - rank) * 5 + file;
    Some(match kind {
        PieceKind::King if rank < 3 && file >= 3 => (weights.king[(2 - rank) * 2 + file - 3], None),
        PieceKind::Rook => (weights.rook[full], None),
        PieceKind::Knight => (weights.knight[full], None),
        PieceKind::Cannon => (weights.cannon[full], None),
        PieceKind::Pawn if rank >= 3 => (weights.pawn[full], Some(weights.pawn_stance[full])),
        PieceKind::Advisor | PieceKind::Elephant if rank < 5 => {
            let place = (4 - rank) * 5 + file;
            (weights.guard[place], Some(weights.guard_stance[place]))
        }
        _ => return None,
    })
}

/// What each piece on each square adds to the sums.
static LANES: [[Lanes; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[[0; 4]; Square::COUNT]; Piece::COUNT];
    let mut side = 0;
    while side < 2 {
        let mut kind = 0;
        while kind < PieceKind::ALL.len() {
            let mut index = 0;
            while let Some(square) = Square::from_index(index) {
                let (color, kind) = (Color::ALL[side], PieceKind::ALL[kind]);
                table[Piece::new(color, kind).index()][index] = lanes(color, kind, square);
                index += 1;
            }
            kind += 1;
        }
        side += 1;
    }
    table
};

const fn lanes(color: Color, kind: PieceKind, square: Square) -> Lanes {
    let Some((phase, stance)) = square_weights(&WEIGHTS, kind, square, color) else {
        return [0; 4];
    };
    let stance = match stance {
        Some(pair) => pair.packed(),
        None => 0,
    };
    let counts = counts(color, kind, square.is_across_river(color));
    match color {
        Color::Red => [phase.packed(), stance, 0, counts],
        Color::Black => [-phase.packed(), 0, stance, counts],
    }
}

const fn counts(color: Color, kind: PieceKind, across: bool) -> i32 {
    let (weight, crossed, strength) = match kind {
        PieceKind::King => (0, 0, 0),
        PieceKind::Advisor | PieceKind::Elephant => (1, 0, 0),
        PieceKind::Rook => (6, 2, 2),
        PieceKind::Knight => (3, 2, 1),
        PieceKind::Cannon => (3, 1, 1),
        PieceKind::Pawn => (1, 1, 0),
    };
    let crossed = if across { crossed } else { 0 };
    let (crossed_at, strength_at) = match color {
        Color::Red => (RED_CROSSED, RED_STRENGTH),
        Color::Black => (BLACK_CROSSED, BLACK_STRENGTH),
    };
    weight + (crossed << crossed_at) + (strength << strength_at)
}

#[cfg(test)]
mod tests {
    use super::super::weights::INDICES;
    use super::*;
    use crate::board::testing::{random_game, random_positions};

    fn factors(fen: &str) -> Factors {
        PieceSquareSums::new(&Position::from_fen(fen).unwrap()).factors()
    }

    #[test]
    fn applied_moves_equal_sums_from_scratch() {
        for seed in 0..40 {
            let mut position = Position::startpos();
            let mut sums = PieceSquareSums::new(&position);
            for m in random_game(seed, 200) {
                let piece = position.piece_at(m.from()).unwrap();
                sums.apply(piece, m, position.piece_at(m.to()));
                position.make(m);
                assert_eq!(sums, PieceSquareSums::new(&position));
            }
        }
    }

    #[test]
    fn factors_are_those_of_the_thesis() {
        let start = factors("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w");
        assert_eq!(start, Factors { midgame: 66, attack: [0, 0] });
        // rook (2), knight (2), cannon (1) and pawn (1) across; strength 4 to 0
        let attack = factors("4k4/9/9/R1N1C1P2/9/9/9/9/4A4/4K4 w");
        assert_eq!(attack, Factors { midgame: 14, attack: [8, 0] });
        // Black a knight up: one more for Black, one less for Red
        let behind = factors("3ak4/9/9/1P2P4/9/9/9/9/4A4/3K1n3 w");
        assert_eq!(behind, Factors { midgame: 7, attack: [1, 3] });
        assert_eq!(behind.endgame(), 59);
    }

    /// The factors counted from the sets of the position.
    #[test]
    fn counts_equal_those_of_the_bitboards() {
        use crate::board::Bitboard;
        use PieceKind::{Advisor, Cannon, Elephant, Knight, Pawn, Rook};
        for position in random_positions(30) {
            let weigh = |set: Bitboard, weights: &[(PieceKind, u32)]| -> i32 {
                let sum: u32 = weights
                    .iter()
                    .map(|&(kind, weight)| weight * (set & position.of_kind(kind)).len())
                    .sum();
                sum as i32
            };
            let all = [(Rook, 6), (Knight, 3), (Cannon, 3), (Pawn, 1), (Advisor, 1), (Elephant, 1)];
            let attack = Color::ALL.map(|us| {
                let far: Bitboard = Square::all().filter(|s| s.is_across_river(us)).collect();
                let strength = [(Rook, 2), (Knight, 1), (Cannon, 1)];
                let crossed = [(Rook, 2), (Knight, 2), (Cannon, 1), (Pawn, 1)];
                let sum = weigh(position.of_color(us) & far, &crossed)
                    + weigh(position.of_color(us), &strength)
                    - weigh(position.of_color(!us), &strength);
                sum.clamp(0, 8)
            });
            let expected = Factors { midgame: weigh(position.occupied(), &all), attack };
            assert_eq!(
                PieceSquareSums::new(&position).factors(),
                expected,
                "{}",
                position.to_fen()
            );
        }
    }

    #[test]
    fn every_piece_on_every_square_it_reaches_has_a_weight() {
        for position in random_positions(30) {
            for square in position.occupied() {
                let piece = position.piece_at(square).unwrap();
                let found = square_weights(&INDICES, piece.kind(), square, piece.color());
                let mirrored =
                    square_weights(&INDICES, piece.kind(), square.mirror(), piece.color());
                let flipped = square_weights(&INDICES, piece.kind(), square.flip(), !piece.color());
                assert!(found.is_some());
                assert_eq!((found, found), (mirrored, flipped));
            }
        }
        // tables are read from the enemy's end, files a to e
        let knight = |rank: u8, file: u8| {
            let square = Square::new(file, rank).unwrap();
            square_weights(&INDICES, PieceKind::Knight, square, Color::Red).unwrap().0
        };
        assert_eq!(knight(0, 0), INDICES.knight[45]);
        assert_eq!(knight(1, 4), INDICES.knight[44]);
        assert_eq!(knight(6, 7), INDICES.knight[16]);
    }
}
