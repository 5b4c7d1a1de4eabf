//! The classical evaluation: the lazyboy thesis, section 2.3, in centipawns.
//!
//! A position is worth the sum of what its features weigh, Red's minus
//! Black's. Each feature has a pair of values; for most of them the position
//! chooses between a midgame and an endgame value by what is left on the
//! board, for some it adds an attack and a defence value as far as the side
//! attacks and is attacked. Those factors are constants of the position, so the
//! value is linear in the weights.
//!
//! What is rated is written once, for any `Sink`: one sink sums values for
//! the search, the other one notes the weights for [`trace`] and for a tuner.
//! What depends on single pieces only, the search takes from an
//! [`PieceSquareSums`] instead.
//!
//! The thesis counts in units of its own; a pawn that has not crossed the
//! river is worth about 100 here, 14/3 of those units to the centipawn.

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

/// Where the features of a position go.
trait Sink {
    /// What stands for a weight: its values or its number.
    type Weight: Copy + 'static;

    /// The weights to choose from.
    fn weights(&self) -> &'static Weights<Self::Weight>;

    /// Notes a feature of one side whose weight is mixed by phase.
    fn phase(&mut self, color: Color, weight: Self::Weight);

    /// Notes a feature of one side whose weight is mixed by stance.
    fn stance(&mut self, color: Color, weight: Self::Weight);
}

/// The value of the position in centipawns for the side to move, at most
/// [`LIMIT`](super::LIMIT) either way; `accumulator` must belong to it.
#[inline]
pub fn evaluate(position: &Position, sums: &PieceSquareSums) -> i32 {
    let mut sum = Sum { phase: sums.phase_values(), stance: sums.stance_values() };
    positional(position, &mut sum);
    let value = sum.mix(sums.factors());
    match position.side_to_move() {
        Color::Red => value,
        Color::Black => -value,
    }
}

/// Notes everything that the accumulator does not hold.
#[inline]
fn positional<S: Sink>(position: &Position, sink: &mut S) {
    let weights = sink.weights();
    let by_red = attackers(position, Color::Red, sink);
    let by_black = attackers(position, Color::Black, sink);
    mobility::knights(position, Color::Red, by_black, sink);
    mobility::knights(position, Color::Black, by_red, sink);
    for color in Color::ALL {
        shape::score(position, color, sink);
        sink.stance(color, weights.adjustment[0]);
    }
    sink.phase(position.side_to_move(), weights.tempo[0]);
}

/// Rates what depends on the squares that rooks and cannons attack, and gives
/// all squares that the side attacks.
#[inline(always)] // with the color known, an evaluation takes a fifth less time
fn attackers<S: Sink>(position: &Position, color: Color, sink: &mut S) -> Bitboard {
    let mut reach = mobility::reach_of_steppers(position, color);
    for rook in position.pieces_of(color, PieceKind::Rook) {
        let targets = rook_attacks(rook, position.lines());
        mobility::rook(position, color, targets, sink);
        pins::by_rook(position, color, rook, targets, sink);
        reach |= targets;
    }
    for cannon in position.pieces_of(color, PieceKind::Cannon) {
        let targets = cannon_attacks(cannon, position.lines());
        pins::by_cannon(position, color, cannon, targets, sink);
        reach |= targets;
    }
    for knight in position.pieces_of(color, PieceKind::Knight) {
        reach |= knight_attacks(knight, position.lines());
    }
    reach
}

/// Sums the values of weights, packed as in [`Pair`].
struct Sum {
    /// Red's minus Black's.
    phase: i32,
    /// By side.
    stance: [i32; 2],
}

impl Sum {
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

impl Sink for Sum {
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

/// Positions and counts for the tests of this room.
#[cfg(test)]
pub(crate) mod testing {
    use rand::RngExt;

    use super::trace;
    use crate::board::{Move, Position};
    use crate::util::seeded;

    /// The moves of a random game from the start, at most so many.
    pub(crate) fn random_game(seed: u64, plies: usize) -> Vec<Move> {
        let mut position = Position::startpos();
        let mut rng = seeded(seed, 0);
        let mut game = Vec::new();
        while game.len() < plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[rng.random_range(0..moves.len())];
            position.make(m);
            game.push(m);
        }
        game
    }

    /// All positions of so many random games.
    pub(crate) fn random_positions(games: u64) -> impl Iterator<Item = Position> {
        (0..games).flat_map(|seed| {
            let mut position = Position::startpos();
            random_game(seed, 300).into_iter().map(move |m| {
                position.make(m);
                position.clone()
            })
        })
    }

    /// How often Red has a feature more than Black.
    pub(crate) fn fires(fen: &str, field: &str, entry: usize) -> i32 {
        let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        trace(&position).count(field, entry)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::random_positions;
    use super::*;

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
