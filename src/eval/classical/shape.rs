//! King safety: the advisors, and the cannons that attack along the king's lines.
//!
//! Lazyboy thesis, section 2.3.3: the advisors have three shapes, and in
//! each a cannon in the centre, on the bottom rank, or one that pins a rook has
//! another weight; two rooks are dangerous where an advisor is missing.

use crate::board::{Bitboard, Color, PieceKind, Position, Square, aligned, between};

use super::Sink;

/// How the advisors stand around a king on its home square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AdvisorShape {
    /// Both at home, one on either side of the king (开局形).
    Initial = 0,
    /// One in the centre, one at home to the left or to the right (左防形,
    /// 右防形). Mirror images of each other, so they share their weights.
    OneSide = 1,
    /// Anything else, the king elsewhere included.
    Other = 2,
}

impl AdvisorShape {
    #[inline]
    fn of(position: &Position, color: Color) -> AdvisorShape {
        let home = HOME[color.index()];
        if position.king(color).index() != home {
            return AdvisorShape::Other;
        }
        let advisors = position.pieces_of(color, PieceKind::Advisor).bits();
        let (left, right) = (1 << (home - 1), 1 << (home + 1));
        let centre = 1 << HEART[color.index()];
        if advisors == left | right {
            AdvisorShape::Initial
        } else if advisors == centre | left || advisors == centre | right {
            AdvisorShape::OneSide
        } else {
            AdvisorShape::Other
        }
    }
}

/// Where the kings start: e0 and e9.
const HOME: [usize; 2] = [4, 85];
/// The centres of the palaces: e1 and e8.
const HEART: [usize; 2] = [13, 76];
/// Files d to f.
const PALACE_FILES: std::ops::RangeInclusive<u8> = 3..=5;

/// Adds the features of the palace of `color` and of the cannons against it.
#[inline]
pub(super) fn score<S: Sink>(position: &Position, color: Color, sink: &mut S) {
    let advisors = position.pieces_of(color, PieceKind::Advisor);
    if !advisors.more_than_one() && position.pieces_of(!color, PieceKind::Rook).more_than_one() {
        let weights = sink.weights();
        sink.stance(color, weights.bare_to_rooks[usize::from(advisors.is_empty())]);
    }
    let king = position.king(color);
    let cannons = position.pieces_of(!color, PieceKind::Cannon) & aligned(king);
    for cannon in cannons {
        score_cannon(position, color, cannon, sink);
    }
}

/// Adds the features of one cannon on a line with the king of `color`.
fn score_cannon<S: Sink>(position: &Position, color: Color, cannon: Square, sink: &mut S) {
    let weights = sink.weights();
    let king = position.king(color);
    let gap = between(king, cannon);
    let screens = gap & position.occupied();
    let count = screens.len();
    if count != 0 && count != 2 {
        return;
    }
    let shape = AdvisorShape::of(position, color);
    let own = |kind| screens & position.pieces_of(color, kind);
    if king.file() == cannon.file() {
        if count == 0 {
            sink.phase(!color, weights.hollow_cannon[gap.len() as usize]);
        } else if king.index() == HOME[color.index()] {
            sink.phase(!color, weights.central_cannon[shape as usize]);
            let heart = Bitboard::from_bits(1 << HEART[color.index()]);
            if own(PieceKind::Knight).intersects(heart) {
                sink.phase(!color, weights.heart_knight[0]);
            }
        }
    } else if king.index() == HOME[color.index()] && !PALACE_FILES.contains(&cannon.file()) {
        sink.phase(!color, weights.bottom_cannon[shape as usize * 2 + usize::from(count == 0)]);
    }
    if !own(PieceKind::Rook).is_empty() {
        sink.phase(!color, weights.held_rook[shape as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::fires;
    use super::*;

    #[test]
    fn the_three_shapes_are_distinguished() {
        for (home, shape) in [
            ("3AKA3", AdvisorShape::Initial),
            ("3AK4", AdvisorShape::Other),
            ("4K4", AdvisorShape::Other),
            ("3A1K3", AdvisorShape::Other),
        ] {
            let position = Position::from_fen(&format!("3k5/9/9/9/9/9/9/9/9/{home}")).unwrap();
            assert_eq!(AdvisorShape::of(&position, Color::Red), shape, "{home}");
            assert_eq!(AdvisorShape::of(&position.swap_colors(), Color::Black), shape, "{home}");
        }
        for home in ["3AK4", "4KA3"] {
            let position = Position::from_fen(&format!("3k5/9/9/9/9/9/9/9/4A4/{home}")).unwrap();
            assert_eq!(AdvisorShape::of(&position, Color::Red), AdvisorShape::OneSide, "{home}");
            assert_eq!(
                AdvisorShape::of(&position.swap_colors(), Color::Black),
                AdvisorShape::OneSide
            );
        }
    }

    #[test]
    fn missing_advisors_count_against_two_rooks_only() {
        let count =
            |board: &str| (fires(board, "bare_to_rooks", 0), fires(board, "bare_to_rooks", 1));
        assert_eq!(count("3aka3/9/9/4p4/9/9/9/R7R/9/3AKA3 w"), (0, 0));
        assert_eq!(count("3ak4/9/9/4p4/9/9/9/R7R/9/3AKA3 w"), (-1, 0));
        assert_eq!(count("4k4/9/9/4p4/9/9/9/R7R/9/3AKA3 w"), (0, -1));
        assert_eq!(count("4k4/9/9/4p4/9/9/9/R8/9/3AKA3 w"), (0, 0));
    }

    #[test]
    fn cannons_that_aim_at_the_king() {
        let cases = [
            // e3 to e9: five empty squares
            ("hollow_cannon", 5, "3aka3/9/9/9/9/9/4C4/9/9/3K5 w"),
            ("hollow_cannon", 2, "5k3/9/9/5C3/9/9/9/9/9/3K5 w"),
            ("central_cannon", 0, "3aka3/9/9/4p4/9/9/4P4/4C4/9/3K5 w"),
            ("central_cannon", 1, "3ak4/4a4/9/4p4/9/9/9/4C4/9/3K5 w"),
            ("central_cannon", 2, "4k4/9/4b4/4p4/9/9/9/4C4/9/3K5 w"),
            ("heart_knight", 0, "3aka3/4n4/9/4p4/9/9/9/4C4/9/3K5 w"),
            ("bottom_cannon", 0, "C1baka3/9/9/9/9/9/9/9/9/3K5 w"),
            ("bottom_cannon", 2, "C1bak4/4a4/9/9/9/9/9/9/9/3K5 w"),
            ("bottom_cannon", 3, "C3ka3/4a4/9/9/9/9/9/9/9/3K5 w"),
            ("bottom_cannon", 5, "C3k4/4a4/9/9/9/9/9/9/9/3K5 w"),
            ("held_rook", 0, "C1raka3/9/9/9/9/9/9/9/9/3K5 w"),
            ("held_rook", 2, "4k4/9/4b4/4r4/9/9/9/4C4/9/3K5 w"),
        ];
        for (field, entry, fen) in cases {
            assert_eq!(fires(fen, field, entry), 1, "{field}, {fen}");
            assert_eq!(fires(&fen.replace(" w", " b"), field, entry), 1, "{field}, {fen}");
        }
        for (field, entry, fen) in [
            // beside the king on its rank there is no hollow cannon
            ("hollow_cannon", 3, "C3k4/9/9/9/9/9/9/9/9/3K5 w"),
            // three pieces between
            ("central_cannon", 0, "3aka3/4n4/9/4p4/9/9/4P4/4C4/9/3K5 w"),
            // the knight is Red's
            ("heart_knight", 0, "3aka3/4N4/9/4p4/9/9/9/4C4/9/3K5 w"),
            // the king has left its home
            ("bottom_cannon", 5, "9/C3k4/9/9/9/9/9/9/9/3K5 w"),
            ("held_rook", 0, "C1Raka3/9/9/9/9/9/9/9/9/3K5 w"),
        ] {
            assert_eq!(fires(fen, field, entry), 0, "{field}, {fen}");
        }
    }
}
