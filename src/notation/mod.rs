//! Move notations: ICCS, WXF and Chinese, read and written.
//!
//! [`Notation::write`] writes a move and [`Notation::parse`] reads one;
//! [`parse_any`] recognises the notation. All of them need the position, since
//! relative notations depend on it.
//!
//! Nothing is guessed: a text that matches no legal move or several ones is a
//! [`NotationError`], which repeats the text and says what is wrong with it.
//!
//! ```
//! use hanxin::board::Position;
//! use hanxin::notation::{Notation, parse_any};
//!
//! let position = Position::startpos();
//! let cannon = Notation::Chinese.parse(&position, "炮二平五")?;
//! assert_eq!(cannon.to_string(), "h2e2");
//! assert_eq!(Notation::Wxf.write(&position, cannon), "C2=5");
//! assert_eq!(Notation::Iccs.write(&position, cannon), "H2-E2");
//! assert_eq!(parse_any(&position, "砲2平5")?, cannon);
//!
//! let error = Notation::Wxf.parse(&position, "R1+3").unwrap_err();
//! assert_eq!(error.to_string(), "'R1+3': the red rook on i0 has no such move");
//! # Ok::<(), hanxin::notation::NotationError>(())
//! ```
//!
//! # The relative notations
//!
//! WXF and Chinese name a piece by kind and file, then a direction and a
//! number: forward (`+`, 进), backward (`-`, 退) or sideways (`=` or `.`, 平).
//! Files are counted 1 to 9 from the mover's own right. The number is the
//! file arrived on for sideways moves and for knights, elephants and advisors,
//! else how many points the piece goes.
//!
//! Where pieces of one kind share a file, the file is ambiguous:
//!
//! | pieces | WXF writes | Chinese writes |
//! |---|---|---|
//! | two on one file | `C+=5` `C-=5` | 前炮平五 后炮平五 |
//! | three pawns on one file | `15=4` `25=4` `35=4` | 前兵平四 中兵平四 后兵平四 |
//! | more, or pawns on two such files | `15=4` `23=4` | 三兵平四 二兵平四 |
//! | advisors and elephants | `A5-4`, the direction decides | 仕五退四 |
//!
//! In `15=4` the first digit counts the pawns of a file from the front and the
//! second is the file. 一兵 to 五兵 count all pawns that share a file, from the
//! mover's right to its left and on each file from the front, as the Chinese
//! competition rules do. [`Notation::parse`] takes all of these wherever they
//! fit, and also `+C=5`, `-C=5`, `P.=4` (the middle one), `Pa=4` to `Pe=4` (一
//! to 五), `+5=4` and 前五平四 (the front pawn of file 5), letters in either
//! case, `N` for `H`, `B` for `E`, Chinese and Western digits for both sides,
//! full-width characters, and traditional or simplified names of either side.

mod chinese;
mod error;
mod iccs;
mod relative;
mod wxf;

use std::fmt;
use std::str::FromStr;

use crate::board::{Move, Position};

pub use error::{NotationError, ParseNotationError};

/// A move notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Coordinates of the Internet Chinese Chess Server: `H2-E2`.
    Iccs,
    /// Letters and digits of the World Xiangqi Federation: `C2=5`.
    Wxf,
    /// Chinese characters, Red's numbers Chinese and Black's full-width:
    /// 炮二平五, 马８进７.
    Chinese,
}

impl Notation {
    /// All notations.
    pub const ALL: [Notation; 3] = [Notation::Iccs, Notation::Wxf, Notation::Chinese];

    /// Writes a legal move; the text is unique among the legal moves of the
    /// position. An illegal move is written in coordinates in every notation.
    pub fn write(self, position: &Position, m: Move) -> String {
        let name = match self {
            Notation::Iccs => None,
            Notation::Wxf => wxf::write(position, m),
            Notation::Chinese => chinese::write(position, m),
        };
        name.unwrap_or_else(|| iccs::write(m))
    }

    /// Reads a legal move; surrounding white space is ignored.
    ///
    /// # Errors
    /// When the text is not a move in this notation, names no piece, or matches
    /// no legal move or several ones.
    pub fn parse(self, position: &Position, text: &str) -> Result<Move, NotationError> {
        match self {
            Notation::Iccs => iccs::parse(position, text.trim()),
            Notation::Wxf => wxf::parse(position, text.trim()),
            Notation::Chinese => chinese::parse(position, text.trim()),
        }
    }

    /// An example of a move, for messages.
    const fn example(self) -> &'static str {
        match self {
            Notation::Iccs => "H2-E2 or h2e2",
            Notation::Wxf => "C2=5 or C+=5",
            Notation::Chinese => "炮二平五 or 前炮平五",
        }
    }
}

/// Reads a legal move in any notation. No text is valid in two of them.
///
/// # Errors
/// As [`Notation::parse`] of the notation that the text is written in.
pub fn parse_any(position: &Position, text: &str) -> Result<Move, NotationError> {
    Notation::ALL
        .into_iter()
        .map(|notation| notation.parse(position, text))
        .find(|result| !matches!(result, Err(NotationError::Unreadable { .. })))
        .unwrap_or_else(|| Err(NotationError::unreadable(text.trim(), None)))
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Notation::Iccs => "iccs",
            Notation::Wxf => "wxf",
            Notation::Chinese => "chinese",
        })
    }
}

impl FromStr for Notation {
    type Err = ParseNotationError;

    /// Reads what `Display` writes, in either case.
    fn from_str(text: &str) -> Result<Notation, ParseNotationError> {
        Notation::ALL
            .into_iter()
            .find(|notation| notation.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| ParseNotationError::new(text))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::board::{Color, Piece, PieceKind, Square};

    /// Checks that the legal moves have different names and that the names
    /// lead back to them.
    fn check_names(position: &Position) {
        let moves = position.legal_moves();
        for notation in Notation::ALL {
            let mut names = HashSet::new();
            for &m in &moves {
                let name = notation.write(position, m);
                let place = || format!("{name} for {m} in {}", position.to_fen());
                assert_eq!(notation.parse(position, &name), Ok(m), "{}", place());
                assert_eq!(parse_any(position, &name), Ok(m), "{}", place());
                for other in Notation::ALL.into_iter().filter(|&other| other != notation) {
                    let result = other.parse(position, &name);
                    assert!(matches!(result, Err(NotationError::Unreadable { .. })), "{}", place());
                }
                assert!(names.insert(name.clone()), "{} twice", place());
            }
        }
    }

    /// Positions with the kings out of the way and every other man anywhere
    /// it can be, pawns and tandems on few files.
    fn crowded_positions() -> impl Strategy<Value = Position> {
        let man = (prop_oneof![0..14usize, Just(6), Just(13)], 0..10u8, 0..9u8, prop::bool::ANY);
        (prop::collection::vec(man, 1..40), prop::bool::ANY).prop_filter_map(
            "not a possible position",
            |(men, red)| {
                let side = if red { 'w' } else { 'b' };
                let mut position =
                    Position::from_fen(&format!("3k5/9/9/9/9/9/9/9/9/5K3 {side}")).ok()?;
                for (piece, rank, file, squeeze) in men {
                    let file = if squeeze { 4 + file % 2 } else { file };
                    let kind = PieceKind::ALL[piece % 7];
                    let color = if piece < 7 { Color::Red } else { Color::Black };
                    let square = Square::new(file, rank)?;
                    // what cannot stand there is left out
                    position = with(&position, square, Piece::new(color, kind)).unwrap_or(position);
                }
                Some(position)
            },
        )
    }

    fn with(position: &Position, square: Square, piece: Piece) -> Option<Position> {
        let rank = |rank: u8| -> String {
            (0..9)
                .map(|file| {
                    let here = Square::new(file, rank)?;
                    if here == square { Some(piece) } else { position.piece_at(here) }
                })
                .map(|piece| piece.map_or('1', Piece::letter))
                .collect()
        };
        let board: Vec<String> = (0..10).rev().map(rank).collect();
        let side = if position.side_to_move() == Color::Red { 'w' } else { 'b' };
        Position::from_fen(&format!("{} {side}", board.join("/"))).ok()
    }

    proptest! {
        #[test]
        fn names_are_unique_and_lead_back_in_random_games(choices in prop::collection::vec(0..1000usize, 0..200)) {
            let mut position = Position::startpos();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.make(moves[choice % moves.len()]);
            }
            check_names(&position);
        }

        #[test]
        fn names_are_unique_and_lead_back_in_crowds(position in crowded_positions()) {
            check_names(&position);
        }

        #[test]
        fn any_text_is_refused_or_a_legal_move(text in "\\PC{0,6}|[-+=.a-eCHNPR1-9炮马车兵前后中一二三四五进退平]{4}") {
            let crowded = Position::from_fen("3k5/4P1P2/4P1P2/4C4/4C4/9/4N4/4N4/4R4/4RK3 w").unwrap();
            for position in [Position::startpos(), crowded] {
                match parse_any(&position, &text) {
                    Ok(m) => prop_assert!(position.is_legal(m)),
                    Err(error) => prop_assert!(error.to_string().lines().count() == 1),
                }
            }
        }
    }

    #[test]
    fn crowds_have_tandems() {
        use proptest::strategy::ValueTree;
        use proptest::test_runner::TestRunner;
        let mut runner = TestRunner::deterministic();
        let mut seen = HashSet::new();
        for _ in 0..1000 {
            let position = crowded_positions().new_tree(&mut runner).unwrap().current();
            for &m in &position.legal_moves() {
                seen.extend(Notation::Wxf.write(&position, m).chars().take(2).nth(1));
                seen.extend(Notation::Chinese.write(&position, m).chars().next());
            }
        }
        for mark in "+-前中后一二三四五".chars() {
            assert!(seen.contains(&mark), "no {mark} among {seen:?}");
        }
    }

    #[test]
    fn hostile_texts_are_refused_in_one_line() {
        let position = Position::startpos();
        let long = "C2=5".repeat(250_000);
        for text in ["", "\0", "C2\0=5", "C2=\n5", "h2e2\0", &long, "C0=5", "C2=0", "马二进０"]
        {
            for notation in Notation::ALL {
                let error = notation.parse(&position, text).unwrap_err().to_string();
                assert!(error.len() < 300 && !error.contains(char::is_control), "{error}");
            }
        }
        assert_eq!(
            parse_any(&position, "e4").unwrap_err().to_string(),
            "'e4' is not a move in any notation (want h2e2, C2=5 or 炮二平五)"
        );
    }

    #[test]
    fn moves_that_are_not_legal_get_coordinates() {
        let position = Position::startpos();
        for text in ["h2h8", "e4e5", "h9g7"] {
            let m: Move = text.parse().unwrap();
            for notation in Notation::ALL {
                assert_eq!(notation.write(&position, m), Notation::Iccs.write(&position, m));
            }
        }
    }

    #[test]
    fn notations_have_names() {
        for notation in Notation::ALL {
            assert_eq!(notation.to_string().to_uppercase().parse(), Ok(notation));
        }
        assert!("san".parse::<Notation>().is_err());
    }
}
