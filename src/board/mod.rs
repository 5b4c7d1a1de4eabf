//! The board: squares, pieces, bitboards, attacks, positions, move generation,
//! legality, static exchange evaluation, FEN and perft.
//!
//! No evaluation, no game history, no I/O. A [`Position`] is always valid: it
//! comes from [`Position::startpos`], from [`Position::from_fen`], which checks
//! it, or from legal moves.
//!
//! ```
//! use hanxin::board::{Move, Position};
//!
//! let mut position = Position::startpos();
//! assert_eq!(position.legal_moves().len(), 44);
//! let cannon: Move = "h2e2".parse()?;
//! assert!(position.is_legal(cannon));
//! let undo = position.make(cannon);
//! position.unmake(cannon, undo);
//! assert_eq!(position, Position::startpos());
//! # Ok::<(), hanxin::board::ParseMoveError>(())
//! ```

mod attacks;
mod bitboard;
mod check;
mod excerpt;
mod fen;
mod movegen;
mod moves;
mod orientation;
mod perft;
mod piece;
mod position;
mod see;
mod square;
#[cfg(test)]
pub(crate) mod testing;
mod zobrist;

pub use attacks::{
    Lines, advisor_attacks, aligned, between, cannon_attacks, elephant_attacks, king_attacks,
    knight_attackers, knight_attacks, knight_leg, pawn_attackers, pawn_attacks, rook_attacks,
};
pub use bitboard::Bitboard;
pub use check::CheckSquares;
pub use excerpt::excerpt;
pub use fen::FenError;
pub use moves::{Move, MoveList, ParseMoveError};
pub use orientation::Orientation;
pub use perft::{MAX_PERFT_DEPTH, divide, perft};
pub use piece::{Color, Piece, PieceKind};
pub use position::{Keys, Position, Undo};
pub use see::exchange_value;
pub use square::{ParseSquareError, Square};
