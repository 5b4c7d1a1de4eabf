//! The four ways round of a board on which the game is the same.

use super::{Move, Position};

/// A way to look at a position. Looking twice shows it as it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orientation {
    /// Left and right exchanged.
    pub is_mirrored: bool,
    /// Colours exchanged, from the other end of the board.
    pub is_swapped: bool,
}

impl Orientation {
    /// All of them, that of the board first.
    pub const ALL: [Orientation; 4] = [
        Orientation { is_mirrored: false, is_swapped: false },
        Orientation { is_mirrored: true, is_swapped: false },
        Orientation { is_mirrored: false, is_swapped: true },
        Orientation { is_mirrored: true, is_swapped: true },
    ];

    /// How a position looks.
    pub fn position(self, position: &Position) -> Position {
        let side = if self.is_mirrored { position.mirror() } else { position.clone() };
        if self.is_swapped { side.swap_colors() } else { side }
    }

    /// What a move on the board is in a position that looks so.
    pub fn image(self, m: Move) -> Move {
        let side = if self.is_mirrored { m.mirror() } else { m };
        if self.is_swapped { side.flip() } else { side }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moves_of_an_image_are_the_images_of_the_moves() {
        let fen = "r1bakab1r/9/1cn2cn2/p1p1p1p1p/9/2P6/P3P1P1P/1C4NC1/9/RNBAKAB1R b - - 3 4";
        let position = Position::from_fen(fen).unwrap();
        for seen in Orientation::ALL {
            let image = seen.position(&position);
            assert_eq!(seen.position(&image), position, "{seen:?}");
            let mut moves: Vec<Move> =
                position.legal_moves().iter().map(|&m| seen.image(m)).collect();
            assert!(
                moves.iter().zip(&position.legal_moves()).all(|(&m, &own)| seen.image(m) == own)
            );
            let mut expected = image.legal_moves().to_vec();
            moves.sort_unstable();
            expected.sort_unstable();
            assert_eq!(moves, expected, "{seen:?}");
        }
    }
}
