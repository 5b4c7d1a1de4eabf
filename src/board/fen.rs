//! FEN: positions as text, in and out.

use std::num::IntErrorKind;

use super::bitboard::Bitboard;
use super::excerpt::excerpt;
use super::piece::{Color, Piece, PieceKind};
use super::position::Position;
use super::square::Square;

/// Why a text is not a possible position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum FenError {
    #[error("the FEN is empty")]
    Empty,
    #[error("the board has {0} ranks (want 10, separated by '/')")]
    RankCount(usize),
    #[error("rank {rank} has {width} squares (want 9)")]
    RankWidth { rank: u8, width: usize },
    #[error(
        "'{}' is not a piece (want KABNRCP or kabnrcp, H for N and E for B, digits for gaps)",
        .0.escape_debug()
    )]
    UnknownPiece(char),
    #[error("'{0}' is not a side to move (want w or r for Red, b for Black)")]
    UnknownSide(String),
    #[error("{} king missing", .0.name())]
    KingMissing(Color),
    #[error("too many of '{}' ({count}, at most {})", piece.letter(), piece.kind().limit())]
    TooMany { piece: Piece, count: u32 },
    #[error("'{}' cannot stand on {square}", piece.letter())]
    ImpossibleSquare { piece: Piece, square: Square },
    #[error("the kings face each other")]
    KingsFacing,
    #[error("{} is in check though it is not to move", .0.name())]
    OpponentInCheck(Color),
}

impl Position {
    /// Reads a FEN.
    ///
    /// Only the board is required. The side is `w` or `r` for Red and `b` for
    /// Black, Red if it is missing; of the rest only plain numbers in fields 5
    /// (plies since a capture) and 6 (number of the move) are read, so that
    /// trailing comments do no harm.
    ///
    /// # Errors
    /// The first fault found in the text or in the position it describes.
    ///
    /// ```
    /// use hanxin::board::{FenError, Position};
    /// let fen = "4k4/9/9/9/9/9/9/9/4A4/4K4 w - - 0 1";
    /// assert_eq!(Position::from_fen(fen)?.to_fen(), fen);
    /// assert_eq!(
    ///     Position::from_fen("4k4/9/9/9/9/9/9/9/9/4K4").unwrap_err(),
    ///     FenError::KingsFacing
    /// );
    /// # Ok::<(), FenError>(())
    /// ```
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        let mut fields = fen.split_ascii_whitespace().peekable();
        let board = fields.next().ok_or(FenError::Empty)?;
        let mailbox = parse_board(board)?;
        // without a side the dashes follow at once
        let side = parse_side(fields.next_if(|&field| field != "-"))?;
        let mut number = |skip: usize| fields.nth(skip).and_then(counter);
        let quiet_plies: Option<u16> = number(2);
        // EPD has its operations there: `ce 28` is no move
        let move_number: u16 = quiet_plies.and_then(|_| number(0)).unwrap_or(1);
        let kings = check_pieces(&mailbox)?;
        let ply = 2 * (move_number.clamp(1, MAX_MOVE_NUMBER) - 1) + side as u16;
        let position = Position::assemble(mailbox, kings, side, quiet_plies.unwrap_or(0), ply);
        check_kings(&position)?;
        Ok(position)
    }

    /// The position of these pieces, as at the start of a game.
    ///
    /// # Errors
    /// The first fault found in the position. Of two pieces on one square the
    /// later one counts.
    pub fn from_pieces(pieces: &[(Square, Piece)], side: Color) -> Result<Position, FenError> {
        let mut mailbox = [None; 90];
        for &(square, piece) in pieces {
            mailbox[square.index()] = Some(piece);
        }
        let kings = check_pieces(&mailbox)?;
        let position = Position::assemble(mailbox, kings, side, 0, side as u16);
        check_kings(&position)?;
        Ok(position)
    }

    /// Writes the position as FEN with all six fields.
    pub fn to_fen(&self) -> String {
        let mut fen = self.board_fen();
        let side = if self.side_to_move() == Color::Red { 'w' } else { 'b' };
        fen.push_str(&format!(" {side} - - {} {}", self.quiet_plies(), self.ply() / 2 + 1));
        fen
    }

    /// The first field of the FEN: the pieces.
    fn board_fen(&self) -> String {
        let mut fen = String::with_capacity(100);
        for rank in (0..10).rev() {
            let mut gap = 0;
            for file in 0..9 {
                match Square::new(file, rank).and_then(|square| self.piece_at(square)) {
                    None => gap += 1,
                    Some(piece) => {
                        push_gap(&mut fen, gap);
                        gap = 0;
                        fen.push(piece.letter());
                    }
                }
            }
            push_gap(&mut fen, gap);
            if rank > 0 {
                fen.push('/');
            }
        }
        fen
    }

    /// The left-right mirror image.
    pub fn mirror(&self) -> Position {
        self.transform(Square::mirror, |piece| piece, self.side_to_move())
    }

    /// The same position with the colours exchanged: what Red had, Black has.
    pub fn swap_colors(&self) -> Position {
        let swap = |piece: Piece| Piece::new(!piece.color(), piece.kind());
        self.transform(Square::flip, swap, !self.side_to_move())
    }

    fn transform(
        &self,
        to: impl Fn(Square) -> Square,
        map_piece: impl Fn(Piece) -> Piece,
        side: Color,
    ) -> Position {
        let mut mailbox = [None; 90];
        let mut kings = [self.king(Color::Red), self.king(Color::Black)];
        for square in self.occupied() {
            let piece = self.piece_at(square).map(&map_piece);
            mailbox[to(square).index()] = piece;
            if let Some(king) = piece.filter(|piece| piece.kind() == PieceKind::King) {
                kings[king.color().index()] = to(square);
            }
        }
        Position::assemble(mailbox, kings, side, self.quiet_plies(), self.ply())
    }
}

fn push_gap(fen: &mut String, gap: u32) {
    if gap > 0 {
        fen.extend(char::from_digit(gap, 10));
    }
}

fn parse_board(board: &str) -> Result<[Option<Piece>; 90], FenError> {
    let ranks = board.split('/').count();
    if ranks != 10 {
        return Err(FenError::RankCount(ranks));
    }
    let mut mailbox = [None; 90];
    for (rank, text) in (0..10).rev().zip(board.split('/')) {
        let mut width = 0;
        for letter in text.chars() {
            if let Some(gap) = letter.to_digit(10).filter(|&gap| gap > 0) {
                width += gap as usize;
                continue;
            }
            let piece = Piece::from_letter(letter).ok_or(FenError::UnknownPiece(letter))?;
            if width < 9 {
                mailbox[rank as usize * 9 + width] = Some(piece);
            }
            width += 1;
        }
        if width != 9 {
            return Err(FenError::RankWidth { rank, width });
        }
    }
    Ok(mailbox)
}

/// The highest number of a move: beyond it there is room for the plies of a game.
const MAX_MOVE_NUMBER: u16 = 30_000;

/// A counter of plies or moves, the largest one if it is beyond that.
fn counter(field: &str) -> Option<u16> {
    match field.parse() {
        Ok(count) => Some(count),
        Err(error) => (*error.kind() == IntErrorKind::PosOverflow).then_some(u16::MAX),
    }
}

fn parse_side(field: Option<&str>) -> Result<Color, FenError> {
    match field {
        None | Some("w" | "W" | "r" | "R") => Ok(Color::Red),
        Some("b" | "B") => Ok(Color::Black),
        Some(other) => Err(FenError::UnknownSide(excerpt(other))),
    }
}

/// Checks counts and squares of all pieces; returns the kings' squares.
fn check_pieces(mailbox: &[Option<Piece>; 90]) -> Result<[Square; 2], FenError> {
    let mut counts = [0; Piece::COUNT];
    let mut kings = [None; 2];
    for square in Square::all() {
        let Some(piece) = mailbox[square.index()] else { continue };
        if !piece.can_stand_on(square) {
            return Err(FenError::ImpossibleSquare { piece, square });
        }
        counts[piece.index()] += 1;
        if counts[piece.index()] > piece.kind().limit() {
            return Err(FenError::TooMany { piece, count: counts[piece.index()] });
        }
        if piece.kind() == PieceKind::King {
            kings[piece.color().index()] = Some(square);
        }
    }
    match kings {
        [Some(red), Some(black)] => Ok([red, black]),
        [None, _] => Err(FenError::KingMissing(Color::Red)),
        _ => Err(FenError::KingMissing(Color::Black)),
    }
}

fn check_kings(position: &Position) -> Result<(), FenError> {
    let side = position.side_to_move();
    let other_king = Bitboard::of(position.king(!side));
    if position.checkers().intersects(other_king) {
        return Err(FenError::KingsFacing);
    }
    if !position.compute_checks(!side).checkers.is_empty() {
        return Err(FenError::OpponentInCheck(!side));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

    #[test]
    fn operations_of_epd_are_no_counters() {
        for rest in ["- - ce 28; id \"a\";", "- - dm 5", "- - 0", ""] {
            let position = Position::from_fen(&format!("3k5/9/9/9/9/9/9/9/9/4K4 w {rest}"));
            assert!(position.unwrap().to_fen().ends_with(" w - - 0 1"), "{rest}");
        }
    }

    #[test]
    fn the_start_position_reads_and_writes() {
        let start = Position::from_fen(START).unwrap();
        assert_eq!(start, Position::startpos());
        assert_eq!(start.to_fen(), START);
        for variant in [
            "RHEAKAEHR",   // letters of other programs
            "RNBAKABNR r", // red
            "RNBAKABNR",
            "RNBAKABNR w - - 0 1 ;A34. junk - - 0 1",
        ] {
            let fen = START.replace("RNBAKABNR w - - 0 1", variant);
            assert_eq!(Position::from_fen(&fen).unwrap(), start, "{fen}");
        }
        let huge = START.replace("w - - 0 1", "w - - 99999 1");
        assert_eq!(Position::from_fen(&huge).unwrap().quiet_plies(), u16::MAX);
        let late = START.replace("w - - 0 1", "b - - 17 40");
        assert_eq!(Position::from_fen(&late).unwrap().to_fen(), late);
        let latest = START.replace("w - - 0 1", "b - - 0 99999");
        let mut position = Position::from_fen(&latest).unwrap();
        let (m, fen) = (position.legal_moves()[0], position.to_fen());
        let undo = position.make(m);
        position.unmake(m, undo);
        assert!(fen.ends_with(" 30000") && position.to_fen() == fen, "{fen}");
    }

    #[test]
    fn mirror_and_color_swap_are_their_own_inverses() {
        let fen = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1";
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(position.mirror().mirror(), position);
        assert_eq!(position.swap_colors().swap_colors(), position);
        assert_ne!(position.mirror().key(), position.key());
        assert_eq!(position.mirror().key(), position.mirrored_key());
        for image in [position.mirror(), position.swap_colors()] {
            assert_eq!(image.legal_moves().len(), position.legal_moves().len());
        }
    }

    #[test]
    fn impossible_positions_are_refused_with_the_fault() {
        use FenError as E;
        let pawn = Piece::RedPawn;
        for (fen, error) in [
            ("", E::Empty),
            ("   ", E::Empty),
            ("9/9", E::RankCount(2)),
            ("4k4/9/9/9/9/9/9/9/9/9/4K4 w", E::RankCount(11)),
            ("4k4/8/9/9/9/9/9/9/9/4K4 w", E::RankWidth { rank: 8, width: 8 }),
            ("4k4/9p/9/9/9/9/9/9/9/4K4 w", E::RankWidth { rank: 8, width: 10 }),
            ("4k4/9/9/9/x8/9/9/9/9/4K4 w", E::UnknownPiece('x')),
            ("4k4/9/9/9/马8/9/9/9/9/4K4 w", E::UnknownPiece('马')),
            ("4k4/9/9/9/0p8/9/9/9/9/4K4 w", E::UnknownPiece('0')),
            ("4k4/9/9/9/9/9/9/9/9/3K5 x", E::UnknownSide("x".into())),
            ("4k4/9/9/9/9/9/9/9/9/9 w", E::KingMissing(Color::Red)),
            ("9/9/9/9/9/9/9/9/9/4K4 w", E::KingMissing(Color::Black)),
            ("4k4/9/9/9/9/9/9/9/4K4/3K5 w", E::TooMany { piece: Piece::RedKing, count: 2 }),
            ("4k4/9/9/9/PPPPPP3/9/9/9/9/3K5 w", E::TooMany { piece: pawn, count: 6 }),
            (
                "4k4/9/2B6/9/9/9/9/9/9/3K5 w",
                E::ImpossibleSquare { piece: Piece::RedElephant, square: "c7".parse().unwrap() },
            ),
            (
                "4k4/9/9/9/9/9/9/9/9/P2K5 w",
                E::ImpossibleSquare { piece: pawn, square: "a0".parse().unwrap() },
            ),
            ("4k4/9/9/9/9/9/9/9/9/4K4 b", E::KingsFacing),
            ("4k4/9/9/9/4R4/9/9/9/9/3K5 w", E::OpponentInCheck(Color::Black)),
        ] {
            assert_eq!(Position::from_fen(fen), Err(error), "{fen}");
        }
    }
}
