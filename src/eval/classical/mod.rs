//! The classical evaluation: the lazyboy thesis, section 2.3, in centipawns.
//!
//! The evaluation is the weighted sum of features, Red's minus Black's. Each
//! weight is a pair: for most of them a midgame and an endgame value,
//! interpolated by the material left (tapered evaluation); for some an attack
//! and a defence value, scaled by how far the side attacks and is attacked.
//! These factors are constants of the position, so the evaluation is linear in
//! the weights.
//!
//! Features are written once, for any `Sink`: one sink sums values for the
//! search, the other records the weights for [`trace`] and for a tuner. The
//! search takes the terms of single pieces from [`PieceSquareSums`] instead.
//!
//! A pawn that has not crossed the river is worth about 100 centipawns; a unit
//! of the thesis is 14/3 centipawns.

mod material;
mod mobility;
mod pins;
mod shape;
mod trace;
mod values;
mod weights;

use crate::board::{
    Bitboard, Color, PieceKind, Position, cannon_attacks, knight_attacks, rook_attacks,
};

pub use material::PieceSquareSums;
pub use trace::{Coefficient, Row, Trace, trace};
pub use values::WEIGHTS;
pub use weights::{Blend, Field, Pair, Weights};

use material::{Factors, PHASE_TOTAL, STANCE_TOTAL};

/// Receives the features of a position.
trait Sink {
    /// A weight's values, or its index.
    type Weight: Copy + 'static;

    /// The weights to choose from.
    fn weights(&self) -> &'static Weights<Self::Weight>;

    /// Adds a feature of one side whose weight is blended by phase.
    fn phase(&mut self, color: Color, weight: Self::Weight);

    /// Adds a feature of one side whose weight is blended by attack and defence.
    fn stance(&mut self, color: Color, weight: Self::Weight);
}

/// The evaluation in centipawns for the side to move, within
/// ±[`LIMIT`](super::LIMIT); `sums` must be those of `position`.
#[inline]
pub fn evaluate(position: &Position, sums: &PieceSquareSums) -> i32 {
    let mut sum = ScoreSink { phase: sums.phase_values(), stance: sums.stance_values() };
    positional(position, &mut sum);
    let value = sum.mix(sums.factors());
    match position.side_to_move() {
        Color::Red => value,
        Color::Black => -value,
    }
}

/// Adds all features that [`PieceSquareSums`] does not cover.
#[inline]
fn positional<S: Sink>(position: &Position, sink: &mut S) {
    let weights = sink.weights();
    let by_red = score_attacks(position, Color::Red, sink);
    let by_black = score_attacks(position, Color::Black, sink);
    mobility::knights(position, Color::Red, by_black, sink);
    mobility::knights(position, Color::Black, by_red, sink);
    for color in Color::ALL {
        shape::score(position, color, sink);
        sink.stance(color, weights.adjustment[0]);
    }
    sink.phase(position.side_to_move(), weights.tempo[0]);
}

/// Adds the features of rooks' and cannons' attacks, and returns all squares
/// that the side attacks.
#[inline(always)] // with the color known, an evaluation takes a fifth less time
fn score_attacks<S: Sink>(position: &Position, color: Color, sink: &mut S) -> Bitboard {
    let mut attacked = mobility::short_range_attacks(position, color);
    for rook in position.pieces_of(color, PieceKind::Rook) {
        let targets = rook_attacks(rook, position.lines());
        mobility::rook(position, color, targets, sink);
        pins::by_rook(position, color, rook, targets, sink);
        attacked |= targets;
    }
    for cannon in position.pieces_of(color, PieceKind::Cannon) {
        let targets = cannon_attacks(cannon, position.lines());
        pins::by_cannon(position, color, cannon, targets, sink);
        attacked |= targets;
    }
    for knight in position.pieces_of(color, PieceKind::Knight) {
        attacked |= knight_attacks(knight, position.lines());
    }
    attacked
}

/// Sums the values of weights, packed as in [`Pair`].
struct ScoreSink {
    /// Red's minus Black's.
    phase: i32,
    /// By side.
    stance: [i32; 2],
}

impl ScoreSink {
    /// The value for Red: by phase in 66ths and by stance in 8ths, rounded
    /// towards zero once at the end.
    #[inline]
    fn mix(&self, factors: Factors) -> i32 {
        let phase = Pair::from_packed(self.phase);
        let [red, black] = self.stance.map(Pair::from_packed);
        let [by_red, by_black] = factors.attack;
        let in_66ths = phase.first() * factors.midgame + phase.second() * factors.endgame();
        let in_8ths =
            (red.first() - black.second()) * by_red + (red.second() - black.first()) * by_black;
        (in_66ths * STANCE_TOTAL + in_8ths * PHASE_TOTAL) / (PHASE_TOTAL * STANCE_TOTAL)
    }
}

impl Sink for ScoreSink {
    type Weight = Pair;

    #[inline]
    fn weights(&self) -> &'static Weights<Pair> {
        &WEIGHTS
    }

    #[inline]
    fn phase(&mut self, color: Color, weight: Pair) {
        match color {
            Color::Red => self.phase += weight.packed(),
            Color::Black => self.phase -= weight.packed(),
        }
    }

    #[inline]
    fn stance(&mut self, color: Color, weight: Pair) {
        self.stance[color.index()] += weight.packed();
    }
}

/// Counts of features, for the tests of the terms.
#[cfg(test)]
mod testing {
    use super::trace;
    use crate::board::Position;

    /// How often Red has a feature more than Black.
    pub(super) fn fires(fen: &str, field: &str, entry: usize) -> i32 {
        let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        trace(&position).count(field, entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_positions;

    fn value(position: &Position) -> i32 {
        evaluate(position, &PieceSquareSums::new(position))
    }

    #[test]
    fn the_start_is_worth_the_first_move() {
        assert_eq!(value(&Position::startpos()), WEIGHTS.tempo[0].first());
    }

    #[test]
    fn colors_and_sides_of_the_board_do_not_matter() {
        for position in random_positions(60) {
            let expected = value(&position);
            assert_eq!(value(&position.swap_colors()), expected, "{}", position.to_fen());
            assert_eq!(value(&position.mirror()), expected, "{}", position.to_fen());
        }
    }

    #[test]
    fn values_are_bounded() {
        use super::super::LIMIT;
        for position in random_positions(60) {
            assert!(value(&position).abs() < LIMIT);
        }
        let all = "3k5/9/9/4N4/P1PCPCP1P/9/9/R2N4R/9/2BAKAB2 w";
        let most = value(&Position::from_fen(all).unwrap());
        assert!((4_000..LIMIT).contains(&most), "{most}");
    }

    #[test]
    fn pieces_are_worth_what_books_say() {
        let start = value(&Position::startpos());
        let without = |board: &str| {
            let fen = format!("{board}/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w");
            value(&Position::from_fen(&fen).unwrap()) - start
        };
        let (rook, knight) = (without("1nbakabnr"), without("r1bakabnr"));
        let (elephant, advisor) = (without("rn1akabnr"), without("rnb1kabnr"));
        assert!((850..1_100).contains(&rook), "{rook}");
        assert!((300..550).contains(&knight), "{knight}");
        assert!((60..250).contains(&elephant), "{elephant}");
        assert!((60..250).contains(&advisor), "{advisor}");
    }
}
