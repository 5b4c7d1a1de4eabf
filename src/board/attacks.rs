//! Attacks of the pieces: sets of target squares from small constant tables.
//!
//! Rooks and cannons look their rank and their file up separately, each with
//! the occupancy of that one line (the bit rows and bit columns of the
//! lazyboy thesis, section 2.2.2), which [`Lines`] keeps ready at all times. So
//! neither multiplication nor PEXT is needed, the tables of both sliders take
//! 180 KiB with the used part near 60, and every processor runs the same code.

use super::bitboard::Bitboard;
use super::piece::Color;
use super::square::Square;

/// The occupancy of each rank and of each file, one word a line.
///
/// Bit `n + 1` of a word stands for the `n`th square of the line and entry
/// `n + 1` for the `n`th line: the empty border spares edge tests.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Lines {
    ranks: [u16; 16],
    files: [u16; 16],
}

impl Lines {
    /// The lines of a set of occupied squares.
    pub fn new(occupied: Bitboard) -> Lines {
        let mut lines = Lines::default();
        for square in occupied {
            lines.toggle(square);
        }
        lines
    }

    /// The lines of two sets of squares that have none in common.
    #[inline]
    pub fn join(&self, other: &Lines) -> Lines {
        let mut both = *self;
        both.ranks.iter_mut().zip(&other.ranks).for_each(|(line, other)| *line ^= other);
        both.files.iter_mut().zip(&other.files).for_each(|(line, other)| *line ^= other);
        both
    }

    /// Flips the occupancy of a square.
    #[inline]
    pub fn toggle(&mut self, square: Square) {
        let (file, rank) = (square.file(), square.rank());
        self.ranks[(rank as usize + 1) & 15] ^= 2 << file;
        self.files[(file as usize + 1) & 15] ^= 2 << rank;
    }

    /// The squares of the rank between its two ends, as 7 bits.
    #[inline]
    fn rank_inside(&self, rank: u8) -> usize {
        (self.ranks[(rank as usize + 1) & 15] >> 2 & 0x7F) as usize
    }

    /// The squares of the file between its two ends, as 8 bits.
    #[inline]
    fn file_inside(&self, file: u8) -> usize {
        (self.files[(file as usize + 1) & 15] >> 2 & 0xFF) as usize
    }

    /// The neighbours left (bit 0), behind (1), right (2) and ahead (3) as Red
    /// sees the board.
    #[inline]
    fn straight_neighbours(&self, square: Square) -> usize {
        let (file, rank) = (square.file(), square.rank());
        let across = self.ranks[(rank as usize + 1) & 15] >> file & 5;
        let along = self.files[(file as usize + 1) & 15] >> rank & 5;
        (across | along << 1) as usize
    }

    /// The neighbours left behind (bit 0), left ahead (1), right behind (2)
    /// and right ahead (3) as Red sees the board.
    #[inline]
    fn diagonal_neighbours(&self, square: Square) -> usize {
        let (file, rank) = (square.file(), square.rank());
        let behind = self.ranks[rank as usize & 15] >> file & 5;
        let ahead = self.ranks[(rank as usize + 2) & 15] >> file & 5;
        (behind | ahead << 1) as usize
    }
}

/// Squares that a rook on `square` attacks: each line up to and including the
/// first piece.
#[inline]
pub fn rook_attacks(square: Square, lines: &Lines) -> Bitboard {
    slide(&ROOK, square, lines)
}

/// Squares on which a cannon on `square` could capture: each line from behind
/// the first piece (the screen) up to and including the second one.
///
/// The empty squares between the two belong to the set. Quiet moves of a cannon
/// are those of a rook.
#[inline]
pub fn cannon_attacks(square: Square, lines: &Lines) -> Bitboard {
    slide(&CANNON, square, lines)
}

#[inline]
fn slide(table: &Slider, square: Square, lines: &Lines) -> Bitboard {
    let (file, rank) = (square.file(), square.rank());
    let across = table.across[file as usize & 15][lines.rank_inside(rank)];
    let along = table.along[rank as usize & 15][lines.file_inside(file)];
    Bitboard::from_bits((across as u128) << (rank * 9) | along << file)
}

/// Squares that a knight on `square` attacks, blocked legs considered.
#[inline]
pub fn knight_attacks(square: Square, lines: &Lines) -> Bitboard {
    KNIGHT[square.index() & 127][lines.straight_neighbours(square)]
}

/// Squares from which a knight attacks `square`, blocked legs considered.
#[inline]
pub fn knight_attackers(square: Square, lines: &Lines) -> Bitboard {
    KNIGHT_ATTACKERS[square.index() & 127][lines.diagonal_neighbours(square)]
}

/// Squares from which a knight attacks `square` on an empty board.
#[inline]
pub(super) fn knight_pseudo_attackers(square: Square) -> Bitboard {
    KNIGHT_ATTACKERS[square.index() & 127][0]
}

/// Squares that an elephant on `square` attacks on an empty board.
#[inline]
pub(super) fn elephant_pseudo_attacks(square: Square) -> Bitboard {
    ELEPHANT[square.index() & 127][0]
}

/// The leg of a knight's move: the square that must be empty for it.
#[inline]
pub const fn knight_leg(from: Square, to: Square) -> Square {
    let (df, dr) = (to.file() as i8 - from.file() as i8, to.rank() as i8 - from.rank() as i8);
    let step = if df.abs() > dr.abs() { df.signum() } else { 9 * dr.signum() };
    Square::from_index_trusted((from.index() as i8 + step) as u8)
}

/// Squares that an elephant on `square` attacks, blocked eyes considered; empty
/// for a square that no elephant reaches.
#[inline]
pub fn elephant_attacks(square: Square, lines: &Lines) -> Bitboard {
    ELEPHANT[square.index() & 127][lines.diagonal_neighbours(square)]
}

/// Squares that an advisor on `square` attacks; empty for a square that no
/// advisor reaches.
#[inline]
pub const fn advisor_attacks(square: Square) -> Bitboard {
    ADVISOR[square.index() & 127]
}

/// Squares that a king on `square` attacks inside its palace.
#[inline]
pub const fn king_attacks(square: Square) -> Bitboard {
    KING[square.index() & 127]
}

/// Squares that a pawn of `color` on `square` attacks.
#[inline]
pub const fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index() & 127]
}

/// Squares from which a pawn of `color` attacks `square`.
#[inline]
pub const fn pawn_attackers(color: Color, square: Square) -> Bitboard {
    PAWN_ATTACKERS[color.index()][square.index() & 127]
}

/// The other squares on the rank and on the file of `square`.
#[inline]
pub const fn aligned(square: Square) -> Bitboard {
    ALIGNED[square.index() & 127]
}

/// The squares strictly between two squares of one rank or file; none if they
/// share neither.
#[inline]
pub const fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

// ------------------------------------------------------------------ tables

/// Attacks along a line by the slider's place on it and the occupancy of its
/// inner squares. The two ends never matter: the line stops there anyway.
struct Slider {
    /// Rank: nine bits of the rank.
    across: [[u16; 128]; 16],
    /// File: the squares as if on file a.
    along: [[u128; 256]; 16],
}

static ROOK: Slider = slider(0);
static CANNON: Slider = slider(1);

type SquareTable = [Bitboard; 128];
type NeighbourTable = [[Bitboard; 16]; 128];

static KNIGHT: NeighbourTable = neighbour_table(Leaper::Knight);
static KNIGHT_ATTACKERS: NeighbourTable = neighbour_table(Leaper::KnightAttackers);
static ELEPHANT: NeighbourTable = neighbour_table(Leaper::Elephant);
const ADVISOR: SquareTable = advisor_table();
const KING: SquareTable = king_table();
const PAWN: [SquareTable; 2] = [pawn_table(1, false), pawn_table(-1, false)];
const PAWN_ATTACKERS: [SquareTable; 2] = [pawn_table(1, true), pawn_table(-1, true)];
const ALIGNED: SquareTable = aligned_table();
static BETWEEN: [[Bitboard; 90]; 90] = between_table();

/// The targets of a slider that attacks behind exactly `screens` pieces, as
/// bits of a line of `length` squares.
const fn line_targets(place: i8, length: i8, occupied: u32, screens: u32) -> u32 {
    let mut targets = 0;
    let mut step = -1;
    while step <= 1 {
        let mut passed = 0;
        let mut at = place + step;
        while at >= 0 && at < length && passed <= screens {
            if passed == screens {
                targets |= 1 << at;
            }
            passed += occupied >> at & 1;
            at += step;
        }
        step += 2;
    }
    targets
}

const fn slider(screens: u32) -> Slider {
    let mut table = Slider { across: [[0; 128]; 16], along: [[0; 256]; 16] };
    let mut place = 0;
    while place < 10 {
        let mut inside = 0;
        while inside < 256 {
            let occupied = (inside as u32) << 1;
            if place < 9 && inside < 128 {
                table.across[place][inside] =
                    line_targets(place as i8, 9, occupied, screens) as u16;
            }
            table.along[place][inside] =
                spread_along_file(line_targets(place as i8, 10, occupied, screens));
            inside += 1;
        }
        place += 1;
    }
    table
}

/// Bit `n` to the square of file a on rank `n`.
const fn spread_along_file(bits: u32) -> u128 {
    let mut spread = 0;
    let mut rest = bits;
    while rest != 0 {
        spread |= 1 << (9 * rest.trailing_zeros());
        rest &= rest - 1;
    }
    spread
}

const fn bit(file: i8, rank: i8) -> u128 {
    if file < 0 || rank < 0 {
        return 0;
    }
    match Square::new(file as u8, rank as u8) {
        Some(square) => Bitboard::of(square).bits(),
        None => 0,
    }
}

#[derive(Clone, Copy)]
enum Leaper {
    Knight,
    KnightAttackers,
    Elephant,
}

const fn neighbour_table(leaper: Leaper) -> NeighbourTable {
    let mut table = [[Bitboard::EMPTY; 16]; 128];
    let mut square = 0;
    while square < Square::COUNT {
        let (file, rank) = ((square % 9) as i8, (square / 9) as i8);
        let mut blocked = 0;
        while blocked < 16 {
            let mut bits = 0;
            let mut side = 0;
            while side < 4 {
                if blocked >> side & 1 == 0 {
                    bits |= leaps(leaper, file, rank, side);
                }
                side += 1;
            }
            table[square][blocked] = Bitboard::from_bits(bits);
            blocked += 1;
        }
        square += 1;
    }
    table
}

/// The leaps of a piece that its neighbour `side` can block, numbered as in
/// [`Lines::straight_neighbours`] and [`Lines::diagonal_neighbours`].
const fn leaps(leaper: Leaper, file: i8, rank: i8, side: usize) -> u128 {
    const STRAIGHT: [(i8, i8); 4] = [(-1, 0), (0, -1), (1, 0), (0, 1)];
    const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
    match leaper {
        Leaper::Knight => {
            let (df, dr) = STRAIGHT[side];
            bit(file + 2 * df + dr, rank + 2 * dr + df)
                | bit(file + 2 * df - dr, rank + 2 * dr - df)
        }
        Leaper::KnightAttackers => {
            let (df, dr) = DIAGONAL[side];
            bit(file + 2 * df, rank + dr) | bit(file + df, rank + 2 * dr)
        }
        Leaper::Elephant => {
            let (df, dr) = DIAGONAL[side];
            let (to_file, to_rank) = (file + 2 * df, rank + 2 * dr);
            if is_elephant_square(file, rank) && is_elephant_square(to_file, to_rank) && {
                (rank < 5) == (to_rank < 5)
            } {
                bit(to_file, to_rank)
            } else {
                0
            }
        }
    }
}

/// Whether an elephant of one side or the other can stand there.
const fn is_elephant_square(file: i8, rank: i8) -> bool {
    let own_rank = if rank < 5 { rank } else { 9 - rank };
    match own_rank {
        0 | 4 => file == 2 || file == 6,
        2 => file == 0 || file == 4 || file == 8,
        _ => false,
    }
}

const fn in_palace(file: i8, rank: i8) -> bool {
    file >= 3 && file <= 5 && (rank >= 0 && rank <= 2 || rank >= 7 && rank <= 9)
}

const fn advisor_table() -> SquareTable {
    let mut table = [Bitboard::EMPTY; 128];
    let centres = [(4, 1), (4, 8)];
    let mut palace = 0;
    while palace < 2 {
        let (file, rank) = centres[palace];
        let corners = bit(file - 1, rank - 1)
            | bit(file - 1, rank + 1)
            | bit(file + 1, rank - 1)
            | bit(file + 1, rank + 1);
        table[(rank * 9 + file) as usize] = Bitboard::from_bits(corners);
        let mut rest = corners;
        while rest != 0 {
            table[rest.trailing_zeros() as usize] = Bitboard::from_bits(bit(file, rank));
            rest &= rest - 1;
        }
        palace += 1;
    }
    table
}

const fn king_table() -> SquareTable {
    let mut table = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < Square::COUNT {
        let (file, rank) = ((square % 9) as i8, (square / 9) as i8);
        let steps = [(file - 1, rank), (file + 1, rank), (file, rank - 1), (file, rank + 1)];
        let mut bits = 0;
        let mut i = 0;
        while i < 4 {
            if in_palace(file, rank) && in_palace(steps[i].0, steps[i].1) {
                bits |= bit(steps[i].0, steps[i].1);
            }
            i += 1;
        }
        table[square] = Bitboard::from_bits(bits);
        square += 1;
    }
    table
}

/// Pawn steps of the side that goes `forward`, or with `reverse` the squares
/// from which they come.
const fn pawn_table(forward: i8, reverse: bool) -> SquareTable {
    let mut table = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < Square::COUNT {
        let (file, rank) = ((square % 9) as i8, (square / 9) as i8);
        let crossed = if forward > 0 { rank >= 5 } else { rank < 5 };
        let mut bits = bit(file, if reverse { rank - forward } else { rank + forward });
        if crossed {
            bits |= bit(file - 1, rank) | bit(file + 1, rank);
        }
        table[square] = Bitboard::from_bits(bits);
        square += 1;
    }
    table
}

const fn aligned_table() -> SquareTable {
    let mut table = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < Square::COUNT {
        let (file, rank) = ((square % 9) as u8, (square / 9) as u8);
        let cross = Bitboard::file(file).bits() ^ Bitboard::rank(rank).bits();
        table[square] = Bitboard::from_bits(cross);
        square += 1;
    }
    table
}

const fn between_table() -> [[Bitboard; 90]; 90] {
    let mut table = [[Bitboard::EMPTY; 90]; 90];
    let mut square = 0;
    while square < Square::COUNT {
        let directions = [(-1, 0), (1, 0), (0, -1), (0, 1)];
        let mut d = 0;
        while d < 4 {
            let (df, dr) = directions[d];
            let (mut file, mut rank) = ((square % 9) as i8 + df, (square / 9) as i8 + dr);
            let mut passed = 0;
            while bit(file, rank) != 0 {
                table[square][(rank * 9 + file) as usize] = Bitboard::from_bits(passed);
                passed |= bit(file, rank);
                file += df;
                rank += dr;
            }
            d += 1;
        }
        square += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of `(df, dr)` from a square, walked the slow and obvious way.
    fn step(square: Square, df: i8, dr: i8) -> Option<Square> {
        let file = u8::try_from(square.file() as i8 + df).ok()?;
        Square::new(file, u8::try_from(square.rank() as i8 + dr).ok()?)
    }

    fn walk(square: Square, occupied: Bitboard, screens: usize) -> Bitboard {
        let mut targets = Bitboard::EMPTY;
        for (df, dr) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
            let mut passed = 0;
            let mut at = square;
            while let Some(next) = step(at, df, dr) {
                if passed == screens {
                    targets |= Bitboard::of(next);
                }
                passed += occupied.contains(next) as usize;
                if passed > screens {
                    break;
                }
                at = next;
            }
        }
        targets
    }

    /// Boards of every density from a fixed stream.
    fn boards() -> impl Iterator<Item = Bitboard> {
        let mut state = 1u128;
        let mut next = move || {
            state = state.wrapping_mul(0xDA94_2042_E4DD_58B5_2360_ED05_1FC6_5DA5).wrapping_add(7);
            state >> 30
        };
        (0..400).map(move |i| match i % 3 {
            0 => Bitboard::from_bits(next()),
            1 => Bitboard::from_bits(next() & next()),
            _ => Bitboard::from_bits(next() & next() & next()),
        })
    }

    #[test]
    fn sliders_equal_a_slow_walk() {
        for occupied in boards() {
            let lines = Lines::new(occupied);
            for square in Square::all() {
                assert_eq!(rook_attacks(square, &lines), walk(square, occupied, 0));
                assert_eq!(cannon_attacks(square, &lines), walk(square, occupied, 1));
            }
        }
    }

    #[test]
    fn knights_and_elephants_equal_a_slow_walk() {
        for occupied in boards() {
            let lines = Lines::new(occupied);
            for square in Square::all() {
                let mut knight = Bitboard::EMPTY;
                let mut elephant = Bitboard::EMPTY;
                for target in Square::all() {
                    let df = target.file() as i8 - square.file() as i8;
                    let dr = target.rank() as i8 - square.rank() as i8;
                    let leg = step(square, df / 2, dr / 2);
                    let free = leg.is_some_and(|leg| !occupied.contains(leg));
                    if (df * dr).abs() == 2 && free {
                        knight |= Bitboard::of(target);
                        assert_eq!(Some(knight_leg(square, target)), leg);
                        assert!(knight_attackers(target, &lines).contains(square));
                    }
                    let same_bank = (target.rank() < 5) == (square.rank() < 5);
                    let stands = is_elephant_square(square.file() as i8, square.rank() as i8);
                    if df.abs() == 2 && dr.abs() == 2 && free && same_bank && stands {
                        elephant |= Bitboard::of(target);
                    }
                }
                assert_eq!(knight_attacks(square, &lines), knight);
                assert_eq!(elephant_attacks(square, &lines), elephant);
                for from in knight_attackers(square, &lines) {
                    assert!(knight_attacks(from, &lines).contains(square));
                }
            }
        }
    }

    #[test]
    fn steppers_have_the_squares_of_the_rules() {
        let at = |text: &str| -> Square { text.parse().unwrap() };
        let set = |text: &str| text.split_whitespace().map(at).collect::<Bitboard>();
        assert_eq!(advisor_attacks(at("e1")), set("d0 f0 d2 f2"));
        assert_eq!(advisor_attacks(at("d9")), set("e8"));
        assert_eq!(advisor_attacks(at("e0")), Bitboard::EMPTY);
        assert_eq!(king_attacks(at("d9")), set("e9 d8"));
        assert_eq!(king_attacks(at("e1")), set("d1 f1 e0 e2"));
        assert_eq!(king_attacks(at("e4")), Bitboard::EMPTY);
        assert_eq!(pawn_attacks(Color::Red, at("c4")), set("c5"));
        assert_eq!(pawn_attacks(Color::Red, at("a5")), set("a6 b5"));
        assert_eq!(pawn_attacks(Color::Red, at("e9")), set("d9 f9"));
        assert_eq!(pawn_attacks(Color::Black, at("c5")), set("c4"));
        for color in Color::ALL {
            for from in Square::all() {
                for to in Square::all() {
                    assert_eq!(
                        pawn_attacks(color, from).contains(to),
                        pawn_attackers(color, to).contains(from)
                    );
                }
            }
        }
        assert_eq!(between(at("a0"), at("e0")), set("b0 c0 d0"));
        assert_eq!(between(at("e9"), at("e6")), set("e8 e7"));
        assert_eq!(between(at("e9"), at("d6")), Bitboard::EMPTY);
    }
}
