//! A position in 32 bytes, so that tens of millions fit into memory.

use arrayvec::ArrayVec;
use hanxin::board::{Color, Piece, PieceKind, Position, Square};
use hanxin::eval::nnue::features::{Flanks, output_bucket};

use crate::data::Label;

/// A training position with its label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedPosition {
    /// Bitboard of the occupied squares.
    squares: [u32; 3],
    /// The pieces in the order of the squares, four bits each.
    pieces: [u64; 2],
    /// The search's score for the side to move, centipawns.
    score: i16,
    /// Half points of the side to move at the end of the game, 0 to 2.
    half_points: u8,
    /// The side to move in the lowest bit, the output bucket above it.
    side_and_bucket: u8,
}

/// The most pieces on a board.
const PIECES: usize = 32;

/// Pieces by [`Piece::index`].
const PIECE: [Piece; Piece::COUNT] = {
    let mut pieces = [Piece::RedKing; Piece::COUNT];
    let mut index = 0;
    while index < Piece::COUNT {
        pieces[index] = Piece::new(Color::ALL[index / 7], PieceKind::ALL[index % 7]);
        index += 1;
    }
    pieces
};

/// The inputs of the net.
pub struct Input {
    /// The features of both perspectives, that of the side to move first.
    pub features: [ArrayVec<u16, PIECES>; 2],
    /// Output bucket.
    pub bucket: usize,
}

impl PackedPosition {
    /// Packs a position; the label is for Red.
    pub fn new(position: &Position, label: Label) -> PackedPosition {
        let label = label.for_mover(position);
        let (mut squares, mut pieces) = ([0; 3], [0; 2]);
        let pieces_on_squares =
            Square::all().filter_map(|square| Some((square, position.piece_at(square)?)));
        for (number, (square, piece)) in pieces_on_squares.enumerate() {
            squares[square.index() / 32] |= 1 << (square.index() % 32);
            pieces[number / 16] |= (piece.index() as u64) << (number % 16 * 4);
        }
        PackedPosition {
            squares,
            pieces,
            score: label.score,
            half_points: (2.0 * label.points) as u8,
            side_and_bucket: position.side_to_move() as u8 | (output_bucket(position) as u8) << 1,
        }
    }

    /// The search's score for the side to move, centipawns.
    pub fn score(&self) -> i16 {
        self.score
    }

    /// Result for the side to move: 0, 0.5 or 1.
    pub fn points(&self) -> f32 {
        f32::from(self.half_points) / 2.0
    }

    /// Output bucket.
    pub fn bucket(&self) -> usize {
        usize::from(self.side_and_bucket >> 1)
    }

    /// The net's inputs, of the board or of its mirror image.
    #[inline]
    pub fn input(&self, is_mirrored: bool) -> Input {
        let side = Color::ALL[usize::from(self.side_and_bucket & 1)];
        let pieces_on_squares = self.pieces_on_squares(is_mirrored);
        let flanks = Flanks::of_pieces(pieces_on_squares.iter().copied());
        let features = [side, !side].map(|color| {
            let perspective = flanks.perspective(color);
            let feature = |&(piece, square)| perspective.feature(piece, square) as u16;
            pieces_on_squares.iter().map(feature).collect()
        });
        Input { features, bucket: self.bucket() }
    }

    #[inline]
    fn pieces_on_squares(&self, is_mirrored: bool) -> ArrayVec<(Piece, Square), PIECES> {
        let mut pieces_on_squares = ArrayVec::new();
        for (word, &bits) in self.squares.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let square = Square::from_index(32 * word + bits.trailing_zeros() as usize);
                bits &= bits - 1;
                let number = pieces_on_squares.len();
                let piece = self.pieces[number / 16] >> (number % 16 * 4) & 15;
                if let Some(square) = square {
                    let square = if is_mirrored { square.mirror() } else { square };
                    pieces_on_squares.push((PIECE[piece as usize], square));
                }
            }
        }
        pieces_on_squares
    }

    /// A 64-bit hash of the contents.
    pub fn fingerprint(&self) -> u64 {
        let [a, b, c] = self.squares.map(u64::from);
        let label = u64::from(self.score.cast_unsigned()) << 16
            | u64::from(self.half_points) << 8
            | u64::from(self.side_and_bucket);
        let words = [a | b << 32, c | label << 32, self.pieces[0], self.pieces[1]];
        words.iter().fold(0, |hash: u64, word| {
            (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LABEL: Label = Label { points: 1.0, score: -1_999 };

    fn sets(input: &Input) -> [BTreeSet<usize>; 2] {
        input.features.each_ref().map(|list| list.iter().map(|&f| usize::from(f)).collect())
    }

    #[test]
    fn a_packed_position_has_the_features_of_the_position() {
        assert_eq!(size_of::<PackedPosition>(), 32);
        let mut position = Position::startpos();
        for number in 0..150 {
            let packed = PackedPosition::new(&position, LABEL);
            let side = position.side_to_move();
            let expected = [side, !side].map(|color| {
                Flanks::of(&position)
                    .perspective(color)
                    .features(&position)
                    .collect::<BTreeSet<_>>()
            });
            assert_eq!(sets(&packed.input(false)), expected, "{}", position.to_fen());
            assert_eq!(packed.input(false).bucket, output_bucket(&position));
            let label = LABEL.for_mover(&position);
            assert_eq!((packed.points(), packed.score()), (label.points, label.score));
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[number * 7 % moves.len()]);
        }
    }

    #[test]
    fn mirrored_inputs_differ_where_nothing_decides_between_left_and_right() {
        let inputs = |fen| {
            let packed = PackedPosition::new(&Position::from_fen(fen).unwrap(), LABEL);
            [false, true].map(|is_mirrored| sets(&packed.input(is_mirrored)))
        };
        let [plain, mirrored] = inputs("3k5/9/9/9/2p6/9/P8/9/9/R3K4 w");
        assert_eq!(plain, mirrored);
        // the pawns on c3 and f7 weigh the same
        let [plain, mirrored] = inputs("4k4/9/5P3/4p4/9/9/2P6/9/9/4K4 w");
        assert_ne!(plain, mirrored);
    }

    #[test]
    fn fingerprints_tell_positions_and_labels_apart() {
        let mut position = Position::startpos();
        let first = PackedPosition::new(&position, LABEL).fingerprint();
        assert_ne!(
            PackedPosition::new(&position, Label { score: 1, ..LABEL }).fingerprint(),
            first
        );
        assert_ne!(
            PackedPosition::new(&position, Label { points: 0.5, ..LABEL }).fingerprint(),
            first
        );
        position.make("a0a1".parse().unwrap());
        assert_ne!(PackedPosition::new(&position, LABEL).fingerprint(), first);
    }
}
