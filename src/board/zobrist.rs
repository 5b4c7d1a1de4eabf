//! Zobrist keys, fixed at compile time.

use super::piece::Piece;
use super::square::Square;

/// SplitMix64 (Steele, Lea, Flood 2014): the next state and its output.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state, z ^ z >> 31)
}

const SEED: u64 = 0x0048_616E_5869_6E21;

static PIECES: [[u64; 128]; 16] = {
    let mut table = [[0; 128]; 16];
    let mut state = SEED;
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            let (next, number) = split_mix(state);
            state = next;
            table[piece][square] = number;
            square += 1;
        }
        piece += 1;
    }
    table
};

/// Part of the key when Black is to move.
pub(super) const BLACK_TO_MOVE: u64 = split_mix(!SEED).1;

/// Part of the key of every position with this piece on this square.
#[inline]
pub(super) fn piece_key(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index() & 15][square.index() & 127]
}
