//! Positions of one material numbered without gaps, and back.
//!
//! The number is a mixed-radix one whose digits are the ranks of the groups.
//! One group of attackers is folded by the left-right mirror: the one that
//! makes the table smallest. Where its pieces stand symmetrically, both mirror
//! images of the rest keep numbers of their own. The home groups are the
//! lowest digits, so that moves of the side that defends stay close together.
//!
//! A number does not have to be a position: pieces of different groups may
//! share a square, the kings may face each other, and the side that is not to
//! move may be in check.

use crate::board::{Bitboard, Color, Move, Piece, PieceKind, Position};

use super::group::{Fold, Group};
use super::material::Material;

/// The most groups of one material: two homes and four kinds a side.
const MAX_GROUPS: usize = 10;

/// The ranks of the groups of one position.
pub type Ranks = [u32; MAX_GROUPS];

/// The numbering of the positions of one material, whichever side moves.
pub struct Index {
    material: Material,
    groups: Vec<&'static Group>,
    strides: Vec<usize>,
    /// The group that the mirror folds, and how.
    folded: usize,
    folds: &'static [Fold],
    kept: &'static [u32],
    size: usize,
}

impl Index {
    /// The numbering of a material.
    pub fn new(material: Material) -> Index {
        use PieceKind::{Advisor, Elephant};
        let home = |color| {
            Group::home(color, material.count(color, Advisor), material.count(color, Elephant))
        };
        let mut groups = vec![home(Color::Black), home(Color::Red)];
        for color in Color::ALL {
            for kind in PieceKind::ATTACKERS {
                match material.count(color, kind) {
                    0 => {}
                    count => groups.push(Group::attackers(color, kind, count)),
                }
            }
        }
        let homes = if groups.len() > 2 { 2 } else { 0 };
        let ratio = |group: &Group| group.kept().len() as f64 / group.len() as f64;
        let by_ratio = |&a: &usize, &b: &usize| ratio(groups[a]).total_cmp(&ratio(groups[b]));
        let folded = (homes..groups.len()).min_by(by_ratio).unwrap_or(0);
        let (folds, kept) = (groups[folded].folds(), groups[folded].kept());
        let mut size = 1;
        let mut strides = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            strides.push(size);
            size *= if number == folded { kept.len() } else { group.len() };
        }
        Index { material, groups, strides, folded, folds, kept, size }
    }

    /// How many numbers there are of a material, without making their index.
    pub fn size_of(material: Material) -> usize {
        let attackers = Color::ALL.iter().flat_map(|&color| {
            PieceKind::ATTACKERS.iter().map(move |&kind| (kind, material.count(color, kind)))
        });
        let placements: Vec<(usize, usize)> = attackers
            .filter(|&(_, count)| count > 0)
            .map(|(kind, count)| {
                (Group::attackers_len(kind, count), Group::symmetric_len(kind, count))
            })
            .collect();
        let by_ratio = |a: &&(usize, usize), b: &&(usize, usize)| {
            // the fewer are symmetric, the better a group folds
            (a.1 * b.0).cmp(&(b.1 * a.0))
        };
        let Some(&(folded, symmetric)) = placements.iter().min_by(by_ratio) else {
            return Index::new(material).size();
        };
        let homes = Color::ALL.map(|color| {
            let count = |kind| material.count(color, kind);
            Group::home_len(count(PieceKind::Advisor), count(PieceKind::Elephant))
        });
        let others = placements.iter().map(|&(len, _)| len).product::<usize>() / folded;
        homes[0] * homes[1] * others * ((folded + symmetric) / 2)
    }

    /// The material.
    pub fn material(&self) -> Material {
        self.material
    }

    /// How many numbers there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The groups, from the lowest digit on.
    pub fn groups(&self) -> &[&'static Group] {
        &self.groups
    }

    /// The ranks of a number; the rank of the folded group is one that is kept.
    #[inline]
    pub fn ranks(&self, mut number: usize) -> Ranks {
        let mut ranks = [0; MAX_GROUPS];
        for (g, group) in self.groups.iter().enumerate() {
            let radix = if g == self.folded { self.kept.len() } else { group.len() };
            let digit = number % radix;
            number /= radix;
            ranks[g] = if g == self.folded { self.kept[digit] } else { digit as u32 };
        }
        ranks
    }

    /// How many numbers differ in their lowest digit alone.
    pub fn row(&self) -> usize {
        if self.folded == 0 { self.kept.len() } else { self.groups[0].len() }
    }

    /// The rank that the lowest digit of a number stands for.
    #[inline]
    pub fn lowest_rank(&self, digit: usize) -> u32 {
        if self.folded == 0 { self.kept[digit] } else { digit as u32 }
    }

    /// The number of a position or of its mirror image.
    pub fn number(&self, ranks: &Ranks) -> usize {
        let fold = self.folds[ranks[self.folded] as usize];
        fold.rank as usize * self.strides[self.folded] + self.rest(ranks, fold.flipped)
    }

    /// The number without the digit of the folded group, of the position or of
    /// its mirror image.
    fn rest(&self, ranks: &Ranks, flipped: bool) -> usize {
        let digit = |g: usize| {
            if flipped { self.groups[g].mirror(ranks[g]) } else { ranks[g] }
        };
        let others = (0..self.groups.len()).filter(|&g| g != self.folded);
        others.map(|g| digit(g) as usize * self.strides[g]).sum()
    }

    /// Calls `visit` with the numbers of positions that have a move to the one
    /// with this number and these ranks, a call for each such move, given that
    /// before the move group `g` had the rank `before`.
    ///
    /// A number stands for a position and its mirror image, unless the folded
    /// group is symmetric. If it was symmetric before the move and is not
    /// after it, two positions have the move, with numbers of their own; the
    /// other way round one of the two moves is that of the mirror image.
    #[inline]
    pub fn predecessors(
        &self,
        number: usize,
        ranks: &Ranks,
        g: usize,
        before: u32,
        mut visit: impl FnMut(usize),
    ) {
        if g != self.folded {
            let old = ranks[g] as usize * self.strides[g];
            visit(number - old + before as usize * self.strides[g]);
            return;
        }
        let is_symmetric = self.folds[ranks[g] as usize].symmetric;
        let fold = self.folds[before as usize];
        let digit = fold.rank as usize * self.strides[g];
        if !fold.flipped {
            let old = self.folds[ranks[g] as usize].rank as usize * self.strides[g];
            visit(number - old + digit);
        }
        if !is_symmetric && (fold.flipped || fold.symmetric) {
            visit(self.rest(ranks, true) + digit);
        }
    }

    /// The number of the pieces that `pieces` gives by side and kind; `None` if
    /// they are not of this material.
    pub fn number_of(&self, pieces: impl Fn(Color, PieceKind) -> Bitboard) -> Option<usize> {
        let mut ranks = [0; MAX_GROUPS];
        for (rank, group) in ranks.iter_mut().zip(&self.groups) {
            let mut sets = [Bitboard::EMPTY; 3];
            for (set, &kind) in sets.iter_mut().zip(group.kinds()) {
                *set = pieces(group.color(), kind);
                if set.len() as usize != self.material.count(group.color(), kind) {
                    return None;
                }
            }
            *rank = group.rank_of_sets(sets)?;
        }
        Some(self.number(&ranks))
    }

    /// The number of a position; `None` if it has another material.
    pub fn number_of_position(&self, position: &Position) -> Option<usize> {
        if Material::of(position) != self.material {
            return None;
        }
        self.number_of(|color, kind| position.pieces_of(color, kind))
    }

    /// The number after a quiet move in the [position](Self::position) of this
    /// number, which has these ranks; `None` if it has another material.
    #[inline]
    pub fn number_after(
        &self,
        position: &Position,
        number: usize,
        ranks: &Ranks,
        m: Move,
    ) -> Option<usize> {
        let piece = position.piece_at(m.from())?;
        let is_of = |group: &&Group| {
            group.color() == piece.color() && group.kinds().contains(&piece.kind())
        };
        let g = self.groups.iter().position(is_of)?;
        let group = self.groups[g];
        let mut sets = [Bitboard::EMPTY; 3];
        for (set, &kind) in sets.iter_mut().zip(group.kinds()) {
            *set = position.pieces_of(piece.color(), kind);
            if kind == piece.kind() {
                *set = *set ^ Bitboard::of(m.from()) ^ Bitboard::of(m.to());
            }
        }
        let after = group.rank_of_sets(sets)?;
        if g != self.folded {
            let old = ranks[g] as usize * self.strides[g];
            return Some(number - old + after as usize * self.strides[g]);
        }
        let mut ranks = *ranks;
        ranks[g] = after;
        Some(self.number(&ranks))
    }

    /// How many placements the number stands for: two mirror images, or one if
    /// the mirror image has a number of its own or is the same.
    pub fn weight(&self, number: usize) -> u64 {
        let digit = number / self.strides[self.folded] % self.kept.len();
        if self.folds[self.kept[digit] as usize].symmetric { 1 } else { 2 }
    }

    /// The position of a number, if it is one.
    pub fn position(&self, number: usize, side: Color) -> Option<Position> {
        let ranks = self.ranks(number);
        let mut pieces = Vec::with_capacity(self.material.pieces());
        let mut taken = Bitboard::EMPTY;
        for (group, &rank) in self.groups.iter().zip(&ranks) {
            let all = group.placement(rank).all;
            if !(taken & all).is_empty() {
                return None;
            }
            taken |= all;
            for (kind, set) in group.sets(rank) {
                pieces.extend(set.map(|square| (square, Piece::new(group.color(), kind))));
            }
        }
        Position::from_pieces(&pieces, side).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(name: &str) -> Index {
        Index::new(name.parse().unwrap())
    }

    #[test]
    fn sizes_are_known_without_the_index() {
        for name in ["KK", "KABKAABB", "KRK", "KPPKAAB", "KNCAKB", "KPPPKBB", "KRKN", "KRPKNN"] {
            let material = name.parse().unwrap();
            assert_eq!(Index::size_of(material), Index::new(material).size(), "{name}");
        }
    }

    #[test]
    fn sizes_are_those_of_joint_placements_with_one_group_folded() {
        for (name, size) in [
            ("KRK", 4_050),
            ("KRKAABB", 634_500),
            ("KPKAABB", 393_390),
            ("KCAAKAABB", 4_935_000),
            ("KCAABBKAABB", 99_405_000),
            ("KPPKAABB", 9_707_850),
            ("KRRKAABB", 25_951_050),
            ("KNPKAABB", 34_897_500),
            ("KRNKAABB", 57_105_000),
            ("KNPPKAABB", 873_706_500),
            ("KRKN", 364_500),
            ("KRKNN", 14_908_050),
            ("KRKPPP", 96_366_510),
        ] {
            assert_eq!(index(name).size(), size, "{name}");
        }
    }

    fn check_moves(index: &Index, mut position: Position, number: usize) {
        let ranks = index.ranks(number);
        for &m in &position.legal_moves() {
            let after = index.number_after(&position, number, &ranks, m);
            let undo = position.make(m);
            if undo.captured().is_none() {
                assert_eq!(after, index.number_of_position(&position));
            }
            position.unmake(m, undo);
        }
    }

    #[test]
    fn every_number_of_small_tables_is_that_of_its_ranks_and_position() {
        for name in ["KK", "KAKB", "KRK", "KPKA", "KCAKB", "KPPK", "KRKN"] {
            let index = index(name);
            let mut positions = 0;
            for number in 0..index.size() {
                assert_eq!(index.number(&index.ranks(number)), number, "{name}");
                for position in Color::ALL.map(|side| index.position(number, side)) {
                    let Some(position) = position else { continue };
                    positions += 1;
                    assert_eq!(index.number_of_position(&position), Some(number), "{name}");
                    check_moves(&index, position, number);
                }
            }
            assert!(positions > index.size() / 2, "{name}");
        }
    }

    proptest! {
        #[test]
        fn numbers_of_large_tables_round_trip(seed in any::<u64>(), which in 0..4usize) {
            let index = index(["KRKAABB", "KNNKAAB", "KCPAKBB", "KPPPKA"][which]);
            let number = ((u128::from(seed) * index.size() as u128) >> 64) as usize;
            prop_assert_eq!(index.number(&index.ranks(number)), number);
            if let Some(position) = index.position(number, Color::Red) {
                prop_assert_eq!(index.number_of_position(&position), Some(number));
                let mirror = index.number_of_position(&position.mirror());
                prop_assert_eq!(mirror == Some(number), index.weight(number) == 2
                    || position.mirror() == position);
            }
        }
    }
}
