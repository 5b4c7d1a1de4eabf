//! What stands on the board, and the name of its table.

use std::fmt;
use std::str::FromStr;

use crate::board::{Color, Piece, PieceKind, Position, excerpt};

/// The kinds in the order of a name: `K R N C P A B`.
const NAME_ORDER: [PieceKind; 7] = [
    PieceKind::King,
    PieceKind::Rook,
    PieceKind::Knight,
    PieceKind::Cannon,
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Elephant,
];

/// The sets of advisors and elephants that a side can have.
pub const GUARDS: [&str; 9] = ["", "B", "BB", "A", "AB", "ABB", "AA", "AAB", "AABB"];

/// The pieces of both sides, without their squares: `KRKAABB` is a red king
/// and rook against a black king, two advisors and two elephants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Material {
    /// By colour and kind.
    counts: [[u8; 7]; 2],
}

/// The text names no material.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a material (want two sides that begin with K, as in KRKAABB)")]
pub struct ParseMaterialError(String);

impl Material {
    /// The material of a position.
    pub fn of(position: &Position) -> Material {
        let count = |color, kind| position.pieces_of(color, kind).len() as u8;
        let counts =
            Color::ALL.map(|color| PieceKind::ALL.map(|kind: PieceKind| count(color, kind)));
        Material { counts }
    }

    /// How many pieces of this side and kind there are.
    pub fn count(&self, color: Color, kind: PieceKind) -> usize {
        self.counts[color.index()][kind.index()].into()
    }

    /// How many pieces of a side can cross the river.
    pub fn attackers(&self, color: Color) -> usize {
        PieceKind::ATTACKERS.iter().map(|&kind| self.count(color, kind)).sum()
    }

    /// Whether both sides have pieces that can cross the river, so that both
    /// can give check.
    pub fn is_two_sided(&self) -> bool {
        Color::ALL.iter().all(|&color| self.attackers(color) > 0)
    }

    /// Whether tables of it can be made: no side has more than three attackers.
    pub fn is_supported(&self) -> bool {
        Color::ALL.iter().all(|&color| self.attackers(color) <= 3)
    }

    /// The material with the colours exchanged.
    pub fn swap_colors(&self) -> Material {
        Material { counts: [self.counts[1], self.counts[0]] }
    }

    /// The one of the two colourings that has a table: Red is the side with
    /// the stronger pieces.
    pub fn canonical(&self) -> Material {
        let strength = |color| NAME_ORDER.map(|kind| self.count(color, kind));
        if strength(Color::Black) > strength(Color::Red) { self.swap_colors() } else { *self }
    }

    /// The material after this piece was captured; `None` if there is none, or
    /// it is a king.
    pub fn without(&self, color: Color, kind: PieceKind) -> Option<Material> {
        let mut rest = *self;
        let count = &mut rest.counts[color.index()][kind.index()];
        *count = count.checked_sub(1).filter(|_| kind != PieceKind::King)?;
        Some(rest)
    }

    /// The materials that a capture leads to, each canonical and once.
    pub fn after_captures(&self) -> Vec<Material> {
        let pieces =
            Color::ALL.into_iter().flat_map(|color| PieceKind::ALL.map(|kind| (color, kind)));
        let rest = pieces.filter_map(|(color, kind)| self.without(color, kind));
        let mut rest: Vec<_> = rest.map(|material| material.canonical()).collect();
        rest.sort_unstable();
        rest.dedup();
        rest
    }

    /// These materials and all that captures lead to, the smaller ones first.
    pub fn closure(wanted: &[Material]) -> Vec<Material> {
        let mut all: Vec<Material> = wanted.iter().map(Material::canonical).collect();
        let mut next = 0;
        while let Some(material) = all.get(next).copied() {
            for rest in material.after_captures() {
                if !all.contains(&rest) {
                    all.push(rest);
                }
            }
            next += 1;
        }
        all.sort_unstable_by_key(|material| (material.pieces(), *material));
        all.dedup();
        all
    }

    /// How many pieces stand on the board.
    pub fn pieces(&self) -> usize {
        self.counts.iter().flatten().map(|&count| usize::from(count)).sum()
    }

    /// All materials in which Red has exactly these pieces beside the king, and
    /// Black these and any advisors and elephants.
    ///
    /// # Errors
    ///
    /// If a letter is no piece, or there are too many of one.
    pub fn family(red: &str, black: &str) -> Result<Vec<Material>, ParseMaterialError> {
        GUARDS.iter().map(|guards| format!("K{red}K{black}{guards}").parse()).collect()
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for color in Color::ALL {
            for kind in NAME_ORDER {
                let letter = Piece::new(Color::Red, kind).letter();
                (0..self.count(color, kind)).try_for_each(|_| f.write_char(letter))?;
            }
        }
        Ok(())
    }
}

impl FromStr for Material {
    type Err = ParseMaterialError;

    fn from_str(text: &str) -> Result<Material, ParseMaterialError> {
        let error = || ParseMaterialError(excerpt(text));
        let mut counts = [[0u8; 7]; 2];
        let mut sides = 0;
        for letter in text.chars() {
            let piece = Piece::from_letter(letter).ok_or_else(error)?;
            sides += usize::from(piece.kind() == PieceKind::King);
            let side = counts.get_mut(sides.wrapping_sub(1)).ok_or_else(error)?;
            side[piece.kind().index()] += 1;
            if u32::from(side[piece.kind().index()]) > piece.kind().limit() {
                return Err(error());
            }
        }
        if sides == 2 { Ok(Material { counts }) } else { Err(error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["KK", "KRKAABB", "KCAABBKAABB", "KRNCPKR"] {
            assert_eq!(name.parse::<Material>().unwrap().to_string(), name);
        }
        assert_eq!("kark".parse::<Material>().unwrap().to_string(), "KRAK");
        for name in ["", "K", "KRRRK", "RKK", "KKK", "KXK", "KRKé"] {
            assert!(name.parse::<Material>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_stronger_side_is_red_and_captures_lead_to_smaller_tables() {
        let material = |name: &str| name.parse::<Material>().unwrap();
        assert_eq!(material("KAKR").canonical(), material("KRKA"));
        let names = |materials: Vec<Material>| {
            materials.iter().map(Material::to_string).collect::<Vec<_>>().join(" ")
        };
        let closure = Material::closure(&[material("KRKAB")]);
        assert_eq!(names(closure), "KK KRK KBK KAK KRKB KRKA KABK KRKAB");
        let family = Material::family("RA", "").unwrap();
        let all = "KRAK KRAKB KRAKBB KRAKA KRAKAB KRAKABB KRAKAA KRAKAAB KRAKAABB";
        assert_eq!(names(family), all);
        let both = Material::family("R", "N").unwrap();
        assert!(both.contains(&material("KRKNAB")) && both.iter().all(Material::is_two_sided));
        assert!(Material::family("RRR", "").is_err() && Material::family("KR", "").is_err());
    }
}
