//! Random games, for the tests of all rooms.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::{Move, Position};

/// The moves of a random game from the start, at most so many.
pub fn random_game(seed: u64, plies: usize) -> Vec<Move> {
    let mut position = Position::startpos();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
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
pub fn random_positions(games: u64) -> impl Iterator<Item = Position> {
    (0..games).flat_map(|seed| {
        let mut position = Position::startpos();
        random_game(seed, 300).into_iter().map(move |m| {
            position.make(m);
            position.clone()
        })
    })
}
