//! Random endings as starts of games: few pieces on random squares. They are rare
//! in games from the initial position.

use hanxin::board::{Color, Piece, PieceKind, Position, Square};

use hanxin::util::Random;
use rand::RngExt;

/// Attackers of a side, at most; there is at least one.
const ATTACKERS: usize = 3;
/// Pawns of a side, at most.
const PAWNS: usize = 3;

/// A valid position with few pieces in which at least one side can win; it need
/// not be balanced.
pub fn random_ending(random: &mut Random) -> Position {
    loop {
        let pieces: Vec<Piece> =
            Color::ALL.into_iter().flat_map(|color| random_pieces(random, color)).collect();
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

/// King, guards, pawns and attackers of a side.
fn random_pieces(random: &mut Random, color: Color) -> Vec<Piece> {
    let mut kinds = vec![PieceKind::King];
    kinds.extend(vec![PieceKind::Advisor; random.random_range(0..3)]);
    kinds.extend(vec![PieceKind::Elephant; random.random_range(0..3)]);
    kinds.extend(vec![PieceKind::Pawn; random.random_range(0..PAWNS + 1)]);
    for _ in 0..=random.random_range(0..ATTACKERS) {
        let attackers = [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon];
        let kind = attackers[random.random_range(0..attackers.len())];
        let present = kinds.iter().filter(|&&other| other == kind).count();
        if present < 2 {
            kinds.push(kind);
        }
    }
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
    use hanxin::util::seeded;

    use super::*;

    #[test]
    fn endings_are_sparse_and_differ() {
        let mut random = seeded(3, 0);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..200 {
            let ending = random_ending(&mut random);
            assert!(!ending.in_check() && ending.has_legal_move());
            assert!(ending.occupied().len() <= 22, "{}", ending.to_fen());
            for color in Color::ALL {
                let attackers = [PieceKind::Rook, PieceKind::Knight, PieceKind::Cannon];
                assert!(attackers.iter().any(|&kind| !ending.pieces_of(color, kind).is_empty()));
            }
            seen.insert(ending.to_fen());
        }
        assert_eq!(seen.len(), 200);
    }

    #[test]
    fn the_same_numbers_give_the_same_ending() {
        let ending = |stream| random_ending(&mut seeded(1, stream)).to_fen();
        assert_eq!(ending(4), ending(4));
        assert_ne!(ending(4), ending(5));
    }
}
