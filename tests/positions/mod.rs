//! Random positions of chosen pieces, for tests that need many.

use hanxin::board::Position;
use rand::Rng;
use rand::seq::IndexedRandom;

type Point = (usize, usize);

/// Where Red's pieces can stand, file and rank from 0.
fn points(piece: char) -> Vec<Point> {
    let palace = |(file, rank): Point| (3..6).contains(&file) && rank < 3;
    let all = (0..90).map(|at| (at % 9, at / 9));
    all.filter(|&(file, rank)| match piece {
        'K' => palace((file, rank)),
        'A' => palace((file, rank)) && (file + rank) % 2 == 1,
        'B' => rank % 2 == 0 && rank < 5 && file % 2 == 0 && (file + rank) % 4 == 2,
        'P' => rank > 4 || (rank > 2 && file % 2 == 0),
        _ => true,
    })
    .collect()
}

/// A position with these pieces, given by Red's letters, on random squares;
/// `None` if they came to stand on each other or in an impossible way.
pub fn random_position(rng: &mut impl Rng, red: &str, black: &str, side: char) -> Option<Position> {
    let mut board = [['1'; 9]; 10];
    let placed = red.chars().map(|piece| (piece, true));
    for (piece, is_red) in placed.chain(black.chars().map(|piece| (piece, false))) {
        let &(file, rank) = points(piece).choose(rng)?;
        // the board is written from Black's side
        let square = &mut board[if is_red { 9 - rank } else { rank }][file];
        if *square != '1' {
            return None;
        }
        *square = if is_red { piece } else { piece.to_ascii_lowercase() };
    }
    let ranks: Vec<String> = board.iter().map(|rank| rank.iter().collect()).collect();
    Position::from_fen(&format!("{} {side}", ranks.join("/"))).ok()
}
