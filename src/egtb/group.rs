//! One digit of an index: pieces whose squares are numbered together.
//!
//! A king, its advisors and its elephants make one group, so that no two of
//! them share a square; the attackers of one side and kind make another one.
//! Like pieces are unordered. Only squares that a piece can reach are counted.

use std::sync::OnceLock;

use crate::board::{
    Bitboard, Color, Lines, Piece, PieceKind, Square, advisor_attacks, elephant_attacks,
    king_attacks,
};

/// No placement has this rank.
const NONE: u32 = u32::MAX;

/// A way to place the pieces of a group, by its rank.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// All squares taken.
    pub all: Bitboard,
    /// Their lines.
    pub lines: Lines,
    /// The squares by kind: of a home group king, advisors and elephants, of
    /// other groups the first set alone.
    sets: [Bitboard; 3],
}

/// A quiet move of a king, an advisor or an elephant within its group.
#[derive(Clone, Copy, Debug)]
pub struct HomeMove {
    /// The rank of the group's placement after the move.
    pub rank: u32,
    /// Squares that must be empty: the target and an elephant's eye.
    pub path: Bitboard,
}

/// How a rank is folded by the left-right mirror.
#[derive(Clone, Copy, Debug)]
pub struct Fold {
    /// The number among the placements that represent themselves and their
    /// mirror image.
    pub rank: u32,
    /// Whether the mirror image is the one that is represented.
    pub flipped: bool,
    /// Whether the placement is its own mirror image.
    pub symmetric: bool,
}

/// A group of pieces of one side.
pub struct Group {
    color: Color,
    kinds: Vec<PieceKind>,
    placements: Vec<Placement>,
    mirrors: Vec<u32>,
    folds: Vec<Fold>,
    /// The ranks that represent themselves.
    kept: Vec<u32>,
    /// Of a home group: rank by king, set of advisors and set of elephants.
    home_ranks: Vec<u32>,
    home_moves: Vec<HomeMove>,
    /// Where the moves of each rank begin in `home_moves`.
    home_starts: Vec<u32>,
    locals: [[u8; 90]; 3],
    /// `choose[i][n]`: the ways to choose `i + 1` of `n` squares.
    choose: [[u32; 91]; 5],
}

impl Group {
    /// A king with up to two advisors and up to two elephants. Made once, for all
    /// tables.
    pub fn home(color: Color, advisors: usize, elephants: usize) -> &'static Group {
        static HOMES: [[OnceLock<Group>; 9]; 2] = [const { [const { OnceLock::new() }; 9] }; 2];
        let (advisors, elephants) = (advisors.min(2), elephants.min(2));
        HOMES[color.index()][3 * advisors + elephants]
            .get_or_init(|| Group::new_home(color, advisors, elephants))
    }

    /// Up to five attackers of one kind. Made once, for all tables.
    pub fn attackers(color: Color, kind: PieceKind, count: usize) -> &'static Group {
        type Counts = [OnceLock<Group>; 6];
        static ATTACKERS: [[Counts; 7]; 2] =
            [const { [const { [const { OnceLock::new() }; 6] }; 7] }; 2];
        let count = count.min(5);
        ATTACKERS[color.index()][kind.index()][count]
            .get_or_init(|| Group::new_attackers(color, kind, count))
    }

    /// How many placements the group of a king with up to two advisors and
    /// elephants has, of which no two share a square.
    pub fn home_len(advisors: usize, elephants: usize) -> usize {
        const PLACEMENTS: [[usize; 3]; 3] = [[9, 62, 183], [40, 275, 810], [70, 480, 1410]];
        PLACEMENTS[advisors.min(2)][elephants.min(2)]
    }

    /// How many placements a group of attackers has.
    pub fn attackers_len(kind: PieceKind, count: usize) -> usize {
        choose(if kind == PieceKind::Pawn { 55 } else { 90 }, count)
    }

    /// How many of these are their own mirror images: any squares of the middle
    /// file, and pairs of the others.
    pub fn symmetric_len(kind: PieceKind, count: usize) -> usize {
        let (middle, pairs) = if kind == PieceKind::Pawn { (7, 24) } else { (10, 40) };
        (0..=count / 2).map(|n| choose(pairs, n) * choose(middle, count - 2 * n)).sum()
    }

    fn new_home(color: Color, advisors: usize, elephants: usize) -> Group {
        use PieceKind::{Advisor, Elephant, King};
        let kinds = vec![King, Advisor, Elephant];
        let mut group = Group::empty(color, kinds);
        group.home_ranks = vec![NONE; 9 << 12];
        for king in group.subsets(King, 1) {
            for advisors in group.subsets(Advisor, advisors) {
                for elephants in group.subsets(Elephant, elephants) {
                    let all = king | advisors | elephants;
                    if all.len() != king.len() + advisors.len() + elephants.len() {
                        continue;
                    }
                    let sets = [king, advisors, elephants];
                    let key = group.home_key(sets);
                    group.home_ranks[key] = group.placements.len() as u32;
                    group.placements.push(Placement { all, lines: Lines::new(all), sets });
                }
            }
        }
        group.list_mirrors();
        group.list_home_moves();
        group
    }

    fn new_attackers(color: Color, kind: PieceKind, count: usize) -> Group {
        let mut group = Group::empty(color, vec![kind]);
        let mut sets = group.subsets(kind, count);
        sets.sort_by_key(|&set| group.attacker_rank(set));
        let place = |all| {
            let sets = [all, Bitboard::EMPTY, Bitboard::EMPTY];
            Placement { all, lines: Lines::new(all), sets }
        };
        group.placements = sets.into_iter().map(place).collect();
        group.list_mirrors();
        group
    }

    fn empty(color: Color, kinds: Vec<PieceKind>) -> Group {
        let mut locals = [[u8::MAX; 90]; 3];
        for (set, &kind) in kinds.iter().enumerate() {
            let piece = Piece::new(color, kind);
            for (local, square) in Square::all().filter(|&s| piece.can_stand_on(s)).enumerate() {
                locals[set][square.index()] = local as u8;
            }
        }
        let mut choose = [[0; 91]; 5];
        for n in 1..91 {
            for i in 0..5 {
                let with = if i == 0 { 1 } else { choose[i - 1][n - 1] };
                choose[i][n] = choose[i][n - 1] + with;
            }
        }
        Group {
            color,
            kinds,
            placements: Vec::new(),
            mirrors: Vec::new(),
            folds: Vec::new(),
            kept: Vec::new(),
            home_ranks: Vec::new(),
            home_moves: Vec::new(),
            home_starts: Vec::new(),
            locals,
            choose,
        }
    }

    /// All sets of so many squares that a piece of the kind can reach.
    fn subsets(&self, kind: PieceKind, count: usize) -> Vec<Bitboard> {
        let piece = Piece::new(self.color, kind);
        let mut sets = vec![Bitboard::EMPTY];
        for _ in 0..count {
            let grow = |set: Bitboard| {
                // in ascending order, so that each set comes once
                let above = 128 - set.bits().leading_zeros() as usize;
                let free = Square::all().skip(above).filter(move |&s| piece.can_stand_on(s));
                free.map(move |square| set | Bitboard::of(square))
            };
            sets = sets.into_iter().flat_map(grow).collect();
        }
        sets
    }

    fn home_key(&self, sets: [Bitboard; 3]) -> usize {
        let local = |set: usize, square: Square| self.locals[set][square.index()] as usize;
        let king = sets[0].first().map_or(0, |square| local(0, square));
        let bits =
            |set: usize| sets[set].fold(0, |bits, square| bits | 1usize << local(set, square));
        (king << 5 | bits(1)) << 7 | bits(2)
    }

    /// The number of an unordered set of squares in the combinatorial number
    /// system: the sum of C(square, position in the set).
    #[inline]
    fn attacker_rank(&self, set: Bitboard) -> u32 {
        let term =
            |(i, square): (usize, Square)| self.choose[i][self.locals[0][square.index()] as usize];
        set.enumerate().map(term).sum()
    }

    fn list_mirrors(&mut self) {
        let mirror = |set: Bitboard| set.map(Square::mirror).collect();
        let mirrors = self.placements.iter().map(|p| self.rank_of_sets(p.sets.map(mirror)));
        self.mirrors = mirrors.map(|rank| rank.unwrap_or(NONE)).collect();
        for (rank, &mirror) in self.mirrors.iter().enumerate() {
            let rank = rank as u32;
            let (flipped, symmetric) = (mirror < rank, mirror == rank);
            let earlier = |mirror: u32| self.folds.get(mirror as usize).map_or(0, |f| f.rank);
            let folded = if flipped { earlier(mirror) } else { self.kept.len() as u32 };
            if !flipped {
                self.kept.push(rank);
            }
            self.folds.push(Fold { rank: folded, flipped, symmetric });
        }
    }

    fn list_home_moves(&mut self) {
        let mut starts = vec![0];
        let mut moves = Vec::new();
        for placement in &self.placements {
            for (set, &kind) in self.kinds.iter().enumerate() {
                for from in placement.sets[set] {
                    for to in home_targets(kind, from, &placement.lines).without(placement.all) {
                        let mut sets = placement.sets;
                        sets[set] ^= Bitboard::of(from) | Bitboard::of(to);
                        let path = Bitboard::of(to) | eye(kind, from, to);
                        moves.extend(self.rank_of_sets(sets).map(|rank| HomeMove { rank, path }));
                    }
                }
            }
            starts.push(moves.len() as u32);
        }
        (self.home_moves, self.home_starts) = (moves, starts);
    }

    /// The side that owns the pieces.
    pub fn color(&self) -> Color {
        self.color
    }

    /// The kinds of the pieces, in the order of the sets of a placement.
    pub fn kinds(&self) -> &[PieceKind] {
        &self.kinds
    }

    /// Whether this is a king with its advisors and elephants.
    pub fn is_home(&self) -> bool {
        self.kinds.len() > 1
    }

    /// How many ways there are to place the pieces.
    pub fn len(&self) -> usize {
        self.placements.len()
    }

    /// The placement of a rank.
    #[inline]
    pub fn placement(&self, rank: u32) -> &Placement {
        &self.placements[rank as usize]
    }

    /// The squares of each kind of a rank.
    #[inline]
    pub fn sets(&self, rank: u32) -> impl Iterator<Item = (PieceKind, Bitboard)> {
        self.kinds.iter().copied().zip(self.placement(rank).sets)
    }

    /// The rank of the mirror image.
    #[inline]
    pub fn mirror(&self, rank: u32) -> u32 {
        self.mirrors[rank as usize]
    }

    /// The quiet moves of a home group; a move back is one as well.
    #[inline]
    pub fn home_moves(&self, rank: u32) -> &[HomeMove] {
        let starts = &self.home_starts[rank as usize..rank as usize + 2];
        &self.home_moves[starts[0] as usize..starts[1] as usize]
    }

    /// The rank of attackers on these squares; `None` if one cannot stand there.
    #[inline]
    pub fn rank_of_attackers(&self, set: Bitboard) -> Option<u32> {
        let reachable = |square: Square| self.locals[0][square.index()] != u8::MAX;
        set.into_iter().all(reachable).then(|| self.attacker_rank(set))
    }

    /// The rank of pieces on these squares, a set for each kind; `None` if one
    /// cannot stand there.
    pub fn rank_of_sets(&self, sets: [Bitboard; 3]) -> Option<u32> {
        if !self.is_home() {
            return self.rank_of_attackers(sets[0]);
        }
        Some(self.home_ranks[self.home_key(sets)]).filter(|&rank| rank != NONE)
    }

    /// How each rank is folded.
    pub fn folds(&self) -> &[Fold] {
        &self.folds
    }

    /// The ranks that represent themselves.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }
}

/// The ways to choose so many of `n`.
fn choose(n: usize, count: usize) -> usize {
    (0..count).fold(1, |ways, i| ways * n.saturating_sub(i) / (i + 1))
}

fn home_targets(kind: PieceKind, from: Square, lines: &Lines) -> Bitboard {
    match kind {
        PieceKind::King => king_attacks(from),
        PieceKind::Advisor => advisor_attacks(from),
        _ => elephant_attacks(from, lines),
    }
}

/// The square between the two of an elephant's move.
fn eye(kind: PieceKind, from: Square, to: Square) -> Bitboard {
    let middle = (from.index() + to.index()) / 2;
    match Square::from_index(middle).filter(|_| kind == PieceKind::Elephant) {
        Some(square) => Bitboard::of(square),
        None => Bitboard::EMPTY,
    }
}
