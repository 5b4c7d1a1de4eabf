//! The inputs of the net: which piece stands where, as each side sees it.
//!
//! A side sees the board with itself at the bottom: for Black the ranks are
//! counted from the other end. Left and right are exchanged too where that
//! brings the own king from the left half of the board to the right; with it on
//! the middle file, the enemy king; with both there, the heavier flank of the
//! own pieces, or else of the enemy's ([`Flanks`]). So two positions that mirror
//! each other look the same, but for those that even this leaves undecided. The
//! idea is that of Pikafish.
//!
//! The feature of a piece is `(relation * 7 + kind) * 90 + square`: `relation`
//! 0 for an own piece and 1 for an enemy one, `kind` [`PieceKind::index`],
//! `square` the number of the square as seen.

use crate::board::{Color, Piece, PieceKind, Position, Square};

/// Where the pieces of both sides stand between left and right: what
/// perspectives are chosen by. It follows the moves piece by piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flanks {
    /// Files of the kings, counted from the middle one.
    king_files: [i16; 2],
    /// Weights on the right half of the board minus those on the left half.
    balances: [i16; 2],
}

impl Flanks {
    /// Those of a position.
    pub fn of(position: &Position) -> Flanks {
        let piece = |square| Some((position.piece_at(square)?, square));
        Flanks::of_pieces(position.occupied().filter_map(piece))
    }

    /// Those of pieces on squares, a king of each side among them.
    #[inline]
    pub fn of_pieces(pieces: impl Iterator<Item = (Piece, Square)>) -> Flanks {
        let mut flanks = Flanks { king_files: [0; 2], balances: [0; 2] };
        for (piece, square) in pieces {
            flanks.balances[piece.color().index()] += weight_on(piece, square);
            if piece.kind() == PieceKind::King {
                flanks.king_files[piece.color().index()] = from_middle(square);
            }
        }
        flanks
    }

    /// Follows a piece from one square to another.
    #[inline]
    pub fn move_piece(&mut self, piece: Piece, from: Square, to: Square) {
        let side = piece.color().index();
        self.balances[side] += weight_on(piece, to) - weight_on(piece, from);
        if piece.kind() == PieceKind::King {
            self.king_files[side] = from_middle(to);
        }
    }

    /// Takes a piece other than a king from the board.
    #[inline]
    pub fn remove_piece(&mut self, piece: Piece, square: Square) {
        self.balances[piece.color().index()] -= weight_on(piece, square);
    }

    /// The perspective of a side.
    #[inline]
    pub fn perspective(&self, color: Color) -> Perspective {
        let [own, enemy] = [color, !color].map(Color::index);
        let sides = [
            self.king_files[own],
            self.king_files[enemy],
            self.balances[own],
            self.balances[enemy],
        ];
        let is_mirrored = sides.into_iter().find(|&side| side != 0).is_some_and(|side| side < 0);
        Perspective { color, is_mirrored }
    }
}

/// The file of a square, counted from the middle one.
#[inline]
fn from_middle(square: Square) -> i16 {
    i16::from(square.file()) - 4
}

/// What a piece on the right half of the board adds to the balance of its side;
/// on the left half it takes as much. Mostly the flank counts, as perspectives
/// should change rarely; distance from the middle and rank are there so that
/// hardly any position is in balance.
#[inline]
fn weight_on(piece: Piece, square: Square) -> i16 {
    /// By [`PieceKind::index`].
    const WEIGHTS: [i16; 7] = [0, 1, 2, 9, 25, 11, 4];
    let file = from_middle(square);
    let rank = i16::from(square.rank_for(piece.color()));
    WEIGHTS[piece.kind().index()] * (16 * file.signum() + file) + file.signum() * rank
}

/// How one side sees the board: its colour, and whether left and right are
/// exchanged. The features of pieces depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    color: Color,
    is_mirrored: bool,
}

impl Perspective {
    /// How many perspectives there are.
    pub const COUNT: usize = 2 * 2;

    /// The number of this one, below [`COUNT`](Perspective::COUNT).
    #[inline]
    pub const fn index(self) -> usize {
        self.color.index() * 2 + self.is_mirrored as usize
    }

    /// The feature that stands for a piece on a square; below
    /// [`FEATURES`](super::architecture::FEATURES).
    #[inline]
    pub const fn feature(self, piece: Piece, square: Square) -> usize {
        let kind = RELATIVE_PIECE[self.color.index()][piece.index()] as usize;
        let square =
            RELATIVE_SQUARE[self.color.index()][self.is_mirrored as usize][square.index()] as usize;
        kind * Square::COUNT + square
    }

    /// The features of all pieces of a position, one each, in no set order.
    pub fn features(self, position: &Position) -> impl Iterator<Item = usize> {
        position.occupied().filter_map(move |square| {
            position.piece_at(square).map(|piece| self.feature(piece, square))
        })
    }
}

/// `relation * 7 + kind` of each piece as each side sees it.
const RELATIVE_PIECE: [[u8; Piece::COUNT]; 2] = {
    let mut table = [[0; Piece::COUNT]; 2];
    let mut piece = 0;
    while piece < Piece::COUNT {
        table[0][piece] = piece as u8;
        table[1][piece] = ((piece + 7) % Piece::COUNT) as u8;
        piece += 1;
    }
    table
};

/// The number of each square as each side sees it, as it is and mirrored.
const RELATIVE_SQUARE: [[[u8; Square::COUNT]; 2]; 2] = {
    let mut table = [[[0; Square::COUNT]; 2]; 2];
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        table[0][0][index] = index as u8;
        table[0][1][index] = square.mirror().index() as u8;
        table[1][0][index] = square.flip().index() as u8;
        table[1][1][index] = square.flip().mirror().index() as u8;
        index += 1;
    }
    table
};

/// The head that evaluates a position, by the attackers of both sides:
/// rooks first, then knights and cannons together.
///
/// In 350,000 quiet positions of self-play with 1,000 nodes a move the shares
/// of the eight were 10, 18, 15, 14, 13, 10, 9 and 11 in a hundred.
#[inline]
pub fn output_bucket(position: &Position) -> usize {
    /// By rooks, then by knights and cannons.
    const TABLE: [[u8; 9]; 5] = [
        [0, 0, 1, 1, 1, 1, 1, 1, 1],
        [2, 2, 3, 3, 4, 4, 4, 4, 4],
        [2, 2, 3, 3, 4, 4, 4, 4, 4],
        [5, 5, 5, 5, 5, 6, 6, 7, 7],
        [5, 5, 5, 5, 5, 6, 6, 7, 7],
    ];
    let rooks = position.of_kind(PieceKind::Rook);
    let minors = position.of_kind(PieceKind::Knight) | position.of_kind(PieceKind::Cannon);
    // a position has no more of a kind than the start of a game
    TABLE[rooks.len().min(4) as usize][minors.len().min(8) as usize].into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::architecture::{FEATURES, OUTPUT_BUCKETS};
    use super::*;
    use crate::board::testing::{random_game, random_positions};

    fn seen(position: &Position, color: Color) -> BTreeSet<usize> {
        Flanks::of(position).perspective(color).features(position).collect()
    }

    fn square(text: &str) -> Square {
        text.parse().unwrap()
    }

    /// The perspective of a side whose king alone decides.
    fn with_king(color: Color, king: Square) -> Perspective {
        Flanks::of_pieces([(Piece::new(color, PieceKind::King), king)].into_iter())
            .perspective(color)
    }

    #[test]
    fn numbers_are_as_documented() {
        let feature =
            |color, king, piece, on| with_king(color, square(king)).feature(piece, square(on));
        let (own_pawn, enemy_rook) = (6 * 90, (7 + 4) * 90);
        assert_eq!(feature(Color::Red, "e0", Piece::RedKing, "a0"), 0);
        assert_eq!(feature(Color::Red, "e0", Piece::RedPawn, "b3"), own_pawn + 28);
        assert_eq!(feature(Color::Red, "e0", Piece::BlackRook, "i9"), enemy_rook + 89);
        assert_eq!(feature(Color::Red, "d1", Piece::RedPawn, "b3"), own_pawn + 34);
        assert_eq!(feature(Color::Black, "f9", Piece::BlackPawn, "b6"), own_pawn + 28);
        assert_eq!(feature(Color::Black, "f9", Piece::RedRook, "a0"), enemy_rook + 81);
        assert_eq!(feature(Color::Black, "d8", Piece::RedRook, "a0"), enemy_rook + 89);
    }

    #[test]
    fn every_piece_on_every_square_is_a_feature_of_its_own() {
        for color in Color::ALL {
            for king in ["d0", "e0", "f0"] {
                let king = if color == Color::Red { square(king) } else { square(king).flip() };
                let perspective = with_king(color, king);
                let pieces = Color::ALL.into_iter().flat_map(|color| {
                    PieceKind::ALL.into_iter().map(move |kind| Piece::new(color, kind))
                });
                let all: BTreeSet<usize> = pieces
                    .flat_map(|piece| {
                        Square::all().map(move |square| perspective.feature(piece, square))
                    })
                    .collect();
                assert_eq!(all.len(), FEATURES);
                assert!(all.last().is_some_and(|&last| last < FEATURES));
            }
        }
    }

    #[test]
    fn exchanged_colors_look_the_same_from_the_other_side() {
        for position in random_positions(20) {
            let swapped = position.swap_colors();
            for color in Color::ALL {
                assert_eq!(seen(&position, color), seen(&swapped, !color));
            }
            assert_eq!(output_bucket(&position), output_bucket(&swapped));
        }
    }

    #[test]
    fn own_king_enemy_king_own_and_enemy_pieces_decide_in_turn() {
        let mirrored = |fen: &str| {
            let flanks = Flanks::of(&Position::from_fen(fen).unwrap());
            Color::ALL.map(|color| flanks.perspective(color).is_mirrored)
        };
        assert_eq!(mirrored("5k3/9/9/9/9/9/9/9/9/1R1K4R w"), [true, false]);
        assert_eq!(mirrored("3k5/9/9/9/9/9/9/9/9/4K3R w"), [true, true]);
        assert_eq!(mirrored("4k4/9/9/4p4/9/9/9/7C1/9/RN2K4 w"), [true, true]);
        assert_eq!(mirrored("4k4/9/9/4p3p/9/9/9/9/9/RN2K4 w"), [true, false]);
        assert_eq!(mirrored("4k4/9/9/4p4/9/9/9/9/9/R3K3R w"), [false, false]);
    }

    #[test]
    fn a_mirrored_board_looks_the_same_unless_nothing_decides() {
        let mut undecided = 0;
        for position in random_positions(40) {
            let (flanks, mirrored) = (Flanks::of(&position), position.mirror());
            let is_decided = flanks.king_files != [0; 2] || flanks.balances != [0; 2];
            undecided += usize::from(!is_decided);
            for color in Color::ALL {
                let same = seen(&position, color) == seen(&mirrored, color);
                assert!(same || !is_decided, "{}", position.to_fen());
            }
        }
        assert!((1..200).contains(&undecided), "{undecided}");
    }

    #[test]
    fn flanks_follow_the_moves() {
        let mut position = Position::startpos();
        let mut flanks = Flanks::of(&position);
        for m in random_game(3, 300) {
            if let Some(captured) = position.piece_at(m.to()) {
                flanks.remove_piece(captured, m.to());
            }
            if let Some(piece) = position.piece_at(m.from()) {
                flanks.move_piece(piece, m.from(), m.to());
            }
            position.make(m);
            assert_eq!(flanks, Flanks::of(&position));
        }
    }

    #[test]
    fn every_output_bucket_occurs() {
        let found: BTreeSet<usize> =
            random_positions(40).map(|position| output_bucket(&position)).collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), (0..OUTPUT_BUCKETS).collect::<Vec<_>>());
        assert_eq!(output_bucket(&Position::startpos()), 7);
    }
}
