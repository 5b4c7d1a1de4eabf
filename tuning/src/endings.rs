//! Random endings as starts of games: few pieces on random squares. They are rare
//! in games from the initial position.

use std::ops::Range;

use hanxin::board::{Color, Piece, PieceKind, Position, Square};
use hanxin::util::Random;
use rand::RngExt;

/// Rooks, knights and cannons of a side, at most; there is at least one.
const LARGE: usize = 3;
/// Pawns of a side, at most.
const PAWNS: usize = 3;
/// Attackers and pawns of both sides in a small ending.
const SMALL: Range<usize> = 2..5;

/// A valid position with few pieces in which at least one side can win; it need
/// not be balanced. Every second one is as small as those of endgame tables, or
/// has a piece more.
pub fn random_ending(random: &mut Random) -> Position {
    let is_small = random.random_range(0..2) == 0;
    loop {
        let pieces: Vec<Piece> = if is_small {
            small_material(random)
        } else {
            Color::ALL.into_iter().flat_map(|color| random_pieces(random, color)).collect()
        };
        let side = ['w', 'b'][random.random_range(0..2)];
        let thrown =
            place_randomly(random, &pieces).map(|board| format!("{} {side}", board_text(&board)));
        if let Some(Ok(position)) = thrown.map(|fen| Position::from_fen(&fen))
            && !position.in_check()
            && position.has_legal_move()
        {
            return position;
        }
    }
}

/// Kings, guards, and few attackers and pawns on any side.
fn small_material(random: &mut Random) -> Vec<Piece> {
    let mut pieces: Vec<Piece> =
        Color::ALL.into_iter().flat_map(|color| king_and_guards(random, color)).collect();
    for _ in 0..random.random_range(SMALL) {
        let color = Color::ALL[random.random_range(0..Color::ALL.len())];
        let kind = PieceKind::ATTACKERS[random.random_range(0..PieceKind::ATTACKERS.len())];
        pieces.push(Piece::new(color, kind));
    }
    pieces
}

/// King, guards, pawns and attackers of a side.
fn random_pieces(random: &mut Random, color: Color) -> Vec<Piece> {
    let mut pieces = king_and_guards(random, color);
    let pawn = Piece::new(color, PieceKind::Pawn);
    pieces.extend(vec![pawn; random.random_range(0..PAWNS + 1)]);
    for _ in 0..=random.random_range(0..LARGE) {
        let attackers = [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon];
        let attacker = Piece::new(color, attackers[random.random_range(0..attackers.len())]);
        if pieces.iter().filter(|&&other| other == attacker).count() < 2 {
            pieces.push(attacker);
        }
    }
    pieces
}

fn king_and_guards(random: &mut Random, color: Color) -> Vec<Piece> {
    let mut kinds = vec![PieceKind::King];
    kinds.extend(vec![PieceKind::Advisor; random.random_range(0..3)]);
    kinds.extend(vec![PieceKind::Elephant; random.random_range(0..3)]);
    kinds.into_iter().map(|kind| Piece::new(color, kind)).collect()
}

type Board = [Option<Piece>; Square::COUNT];

/// Puts the pieces on random valid squares; `None` if there is no free one.
fn place_randomly(random: &mut Random, pieces: &[Piece]) -> Option<Board> {
    let mut board: Board = [None; Square::COUNT];
    for &piece in pieces {
        let free = |square: &Square| board[square.index()].is_none() && piece.can_stand_on(*square);
        let room: Vec<Square> = Square::all().filter(free).collect();
        let square = *room.get(random.random_range(0..room.len().max(1)))?;
        board[square.index()] = Some(piece);
    }
    Some(board)
}

/// The first field of a FEN, a digit 1 for every empty square.
fn board_text(board: &Board) -> String {
    let letter = |piece: &Option<Piece>| piece.map_or('1', Piece::letter);
    let ranks: Vec<String> =
        board.chunks(9).rev().map(|rank| rank.iter().map(letter).collect()).collect();
    ranks.join("/")
}

#[cfg(test)]
mod tests {
    use hanxin::egtb::Material;
    use hanxin::util::seeded;

    use super::*;

    #[test]
    fn endings_are_sparse_and_differ() {
        let mut random = seeded(3, 0);
        let (mut seen, mut small) = (std::collections::HashSet::new(), 0);
        for _ in 0..200 {
            let ending = random_ending(&mut random);
            assert!(!ending.in_check() && ending.has_legal_move());
            assert!(ending.occupied().len() <= 22, "{}", ending.to_fen());
            let material = Material::of(&ending);
            let attackers: usize = Color::ALL.iter().map(|&color| material.attackers(color)).sum();
            assert!(attackers >= SMALL.start, "{}", ending.to_fen());
            small += u32::from(SMALL.contains(&attackers));
            seen.insert(ending.to_fen());
        }
        assert_eq!(seen.len(), 200);
        assert!((100..160).contains(&small), "{small}");
    }

    #[test]
    fn the_same_numbers_give_the_same_ending() {
        let ending = |stream| random_ending(&mut seeded(1, stream)).to_fen();
        assert_eq!(ending(4), ending(4));
        assert_ne!(ending(4), ending(5));
    }
}
