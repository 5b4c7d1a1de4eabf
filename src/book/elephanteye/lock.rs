//! The position keys of BOOK.DAT: Zobrist keys from an RC4 key stream.

use std::sync::LazyLock;

use crate::board::{Color, Piece, Position, Square};

/// RC4 under an all-zero key, as a source of fixed numbers.
struct KeyStream {
    state: [u8; 256],
    x: u8,
    y: u8,
}

impl KeyStream {
    fn new() -> KeyStream {
        let mut state: [u8; 256] = std::array::from_fn(|i| i as u8);
        let mut j = 0u8;
        for i in 0..256 {
            // the key's bytes would be added here, but they are zero
            j = j.wrapping_add(state[i]);
            state.swap(i, usize::from(j));
        }
        KeyStream { state, x: 0, y: 0 }
    }

    fn next_byte(&mut self) -> u8 {
        self.x = self.x.wrapping_add(1);
        let (x, a) = (usize::from(self.x), self.state[usize::from(self.x)]);
        self.y = self.y.wrapping_add(a);
        let (y, b) = (usize::from(self.y), self.state[usize::from(self.y)]);
        self.state.swap(x, y);
        self.state[usize::from(a.wrapping_add(b))]
    }

    fn next_word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.next_byte()))
    }

    /// Word number `which` of the next three.
    fn next_key(&mut self, which: usize) -> u32 {
        let words: [u32; 3] = std::array::from_fn(|_| self.next_word());
        words[which]
    }
}

/// ElephantEye draws three keys for each item and uses the third, which it calls
/// lock1, in books. The first two are for hash tables.
const LOCK1: usize = 2;

/// The Zobrist keys of the side to move and of pieces on squares.
struct Keys {
    black_to_move: u32,
    /// By piece and by square of a 16 x 16 board.
    pieces: [[u32; 256]; Piece::COUNT],
}

impl Keys {
    fn new(which: usize) -> Keys {
        let mut stream = KeyStream::new();
        let black_to_move = stream.next_key(which);
        let mut pieces = [[0; 256]; Piece::COUNT];
        for key in pieces.as_flattened_mut() {
            *key = stream.next_key(which);
        }
        Keys { black_to_move, pieces }
    }

    fn of(&self, position: &Position, view: impl Fn(Square) -> Square) -> u32 {
        let side = match position.side_to_move() {
            Color::Red => 0,
            Color::Black => self.black_to_move,
        };
        position
            .occupied()
            .filter_map(|square| Some((position.piece_at(square)?, view(square))))
            .fold(side, |key, (piece, square)| {
                key ^ self.pieces[piece.index()][usize::from(square_byte(square))]
            })
    }
}

/// The BOOK.DAT key of a position with every square mapped by `view`: the
/// identity or the mirror image.
pub(super) fn lock(position: &Position, view: impl Fn(Square) -> Square) -> u32 {
    static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::new(LOCK1));
    KEYS.of(position, view)
}

/// Where the board's corner a9 lies on the 16 x 16 board: row and column.
const MARGIN: u8 = 3;

/// The number of a square on a 16 x 16 board whose row 3 is rank 9.
pub(super) fn square_byte(square: Square) -> u8 {
    16 * (MARGIN + 9 - square.rank()) + MARGIN + square.file()
}

/// The square with this number; `None` on the margin.
pub(super) fn square_from_byte(byte: u8) -> Option<Square> {
    let file = (byte % 16).checked_sub(MARGIN)?;
    let rank = (MARGIN + 9).checked_sub(byte / 16)?;
    Square::new(file, rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_starts_as_documented() {
        let mut stream = KeyStream::new();
        let bytes: Vec<u8> = (0..24).map(|_| stream.next_byte()).collect();
        let expected = [
            0xde, 0x18, 0x89, 0x41, 0xa3, 0x37, 0x5d, 0x3a, 0x8a, 0x06, 0x1e, 0x67, 0x57, 0x6e,
            0x92, 0x6d, 0xc7, 0x1a, 0x7f, 0xa3, 0xf0, 0xcc, 0xeb, 0x97,
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn keys_are_the_documented_ones() {
        let tables = [0, 1, LOCK1].map(Keys::new);
        let triple = |pick: &dyn Fn(&Keys) -> u32| tables.each_ref().map(pick);
        assert_eq!(triple(&|keys| keys.black_to_move), [0x4189_18de, 0x3a5d_37a3, 0x671e_068a]);
        for (piece, square, expected) in [
            (Piece::RedKing, 0, [0x6d92_6e57, 0xa37f_1ac7, 0x97eb_ccf0]),
            (Piece::RedKing, 0x33, [0x8239_d42a, 0x66fe_57cc, 0x7898_7e64]),
            (Piece::BlackPawn, 255, [0x9c76_b4db, 0x27d8_9af5, 0xc20d_9ca0]),
        ] {
            assert_eq!(triple(&|keys| keys.pieces[piece.index()][square]), expected);
        }
        let start = Position::startpos();
        assert_eq!(
            triple(&|keys| keys.of(&start, |square| square)),
            [0xe6db_463e, 0x8f89_9c24, 0x0526_56d5]
        );
        let black = Position::from_fen(&start.to_fen().replace('w', "b")).unwrap();
        assert_eq!(
            triple(&|keys| keys.of(&black, |square| square)),
            [0xa752_5ee0, 0xb5d4_ab87, 0x6238_505f]
        );
    }

    #[test]
    fn keys_after_moves_are_the_documented_ones() {
        let itself: fn(Square) -> Square = |square| square;
        for (moves, view, key) in [
            ("b2e2", itself, 0x5396_644f),
            ("h2e2", Square::mirror, 0x5396_644f),
            ("c3c4", Square::mirror, 0x0c7c_a37f),
            ("h2e2 h9g7", itself, 0xdf3a_d30d),
            ("h2e2 h9g7", Square::mirror, 0xf1c7_0c5a),
            ("h2e2 h9g7 h0g2", Square::mirror, 0x9c90_315d),
            ("h2e2 h9g7 h0g2 i9h9", itself, 0x1ceb_ab1b),
        ] {
            let mut position = Position::startpos();
            for text in moves.split(' ') {
                position.make(text.parse().unwrap());
            }
            assert_eq!(lock(&position, view), key, "{moves}");
        }
    }

    #[test]
    fn looking_in_a_mirror_is_mirroring() {
        let position = Position::from_fen(
            "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
        )
        .unwrap();
        let itself = |square| square;
        assert_eq!(lock(&position, Square::mirror), lock(&position.mirror(), itself));
        assert_ne!(lock(&position, Square::mirror), lock(&position, itself));
    }

    #[test]
    fn squares_and_bytes_agree() {
        for (name, byte) in [("a9", 0x33), ("i9", 0x3B), ("a0", 0xC3), ("e0", 0xC7), ("i0", 0xCB)] {
            assert_eq!(square_byte(name.parse().unwrap()), byte);
        }
        let inside = (0..=255).filter_map(square_from_byte);
        assert_eq!(inside.clone().count(), Square::COUNT);
        assert!(
            inside.into_iter().all(|square| square_from_byte(square_byte(square)) == Some(square))
        );
    }
}
