//! Endings that are mostly drawn: how much of an advantage counts in them.
//!
//! The evaluation adds up what pieces are worth. In many endings the side that
//! is ahead wins next to nothing with it: a knight against two advisors and an
//! elephant, a rook against two knights. Endgame tables tell how often, so the
//! evaluation is scaled by the share of positions that the side ahead wins with
//! the other side to move; with the winner to move, chance captures would count
//! too much. `hanxin egtb shares` writes the list of them.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::board::{Color, Piece, PieceKind, Position};

/// With more pieces on the board nothing is scaled.
const MAX_PIECES: u32 = 12;
/// A factor of one.
const WHOLE: i32 = 256;
/// What is left of an advantage that no position of the ending wins.
const LEAST: i32 = WHOLE / 10;
/// From this share of wins on an advantage counts whole, in thousandths.
const WHOLE_FROM: i32 = 600;

/// How many pieces there are, by colour and kind.
type Counts = [[u8; 7]; 2];

/// The shares won by each side, in thousandths.
type Shares = HashMap<Counts, [u16; 2]>;

/// The shares of all endings that were measured, of both colourings.
fn shares() -> &'static Shares {
    static SHARES: OnceLock<Shares> = OnceLock::new();
    SHARES.get_or_init(|| {
        let mut shares = Shares::new();
        for line in include_str!("win_shares.csv").lines().skip(1) {
            if let Some((counts, [red, black])) = read_line(line) {
                shares.insert([counts[1], counts[0]], [black, red]);
                shares.insert(counts, [red, black]);
            }
        }
        shares
    })
}

/// A line as `KRKN,910,0`.
fn read_line(line: &str) -> Option<(Counts, [u16; 2])> {
    let mut fields = line.split(',');
    let (name, red, black) = (fields.next()?, fields.next()?, fields.next()?);
    let mut counts = Counts::default();
    let mut sides = 0;
    for letter in name.chars() {
        let kind = Piece::from_letter(letter)?.kind();
        sides += usize::from(kind == PieceKind::King);
        counts.get_mut(sides.wrapping_sub(1))?[kind.index()] += 1;
    }
    Some((counts, [red.parse().ok()?, black.parse().ok()?]))
}

/// The share that `side` wins, in thousandths, as far as the lists tell: that
/// of the ending itself or of one in which it can only win more often.
fn most_won(counts: &Counts, side: Color) -> Option<u16> {
    let attackers = |side: Color| -> u8 {
        PieceKind::ATTACKERS.iter().map(|kind| counts[side.index()][kind.index()]).sum()
    };
    if attackers(side) == 0 {
        return Some(0);
    }
    if attackers(side) > 3 {
        return None;
    }
    let share = |counts: &Counts| shares().get(counts).map(|shares| shares[side.index()]);
    share(counts).or_else(|| with_less_defence(*counts, side, 0, &share)).or_else(|| {
        // own advisors and elephants help a cannon alone
        let mut bare = *counts;
        let own = &mut bare[side.index()];
        let has_cannon = own[PieceKind::Cannon.index()] > 0;
        own[PieceKind::Advisor.index()] = 0;
        own[PieceKind::Elephant.index()] = 0;
        let known = || share(&bare).or_else(|| with_less_defence(bare, side, 0, &share));
        if has_cannon { None } else { known() }
    })
}

/// The least of the shares of the endings in which the other side has fewer
/// pieces, of the kinds from `from` on.
fn with_less_defence(
    counts: Counts,
    side: Color,
    from: usize,
    share: &impl Fn(&Counts) -> Option<u16>,
) -> Option<u16> {
    let mut least = None;
    for kind in PieceKind::ALL.into_iter().filter(|&kind| kind != PieceKind::King) {
        let mut fewer = counts;
        let count = &mut fewer[(!side).index()][kind.index()];
        if kind.index() < from || *count == 0 {
            continue;
        }
        *count -= 1;
        let known = share(&fewer).or_else(|| with_less_defence(fewer, side, kind.index(), share));
        least = least.min(known).or(least).or(known);
    }
    least
}

/// What counts of an evaluation, both for the side to move.
#[inline]
pub(super) fn scaled(value: i32, position: &Position) -> i32 {
    if position.occupied().len() > MAX_PIECES {
        return value;
    }
    let mover = position.side_to_move();
    let ahead = if value > 0 { mover } else { !mover };
    value * factors(position)[ahead.index()] / WHOLE
}

/// The factors of Red's and of Black's advantage.
fn factors(position: &Position) -> [i32; 2] {
    /// Bits of the counts, three each, in a word of [`KNOWN`]; above them are
    /// the two factors.
    const COUNTS: u32 = 3 * 14;
    const FACTOR: u32 = 9;
    const PLACE: u32 = 12;
    /// The factors of the materials seen last, by any thread.
    static KNOWN: [AtomicU64; 1 << PLACE] = [const { AtomicU64::new(0) }; 1 << PLACE];

    let counts = counts_of(position);
    let code = counts.iter().flatten().fold(0, |code, &count| code << 3 | u64::from(count));
    let hash = code.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - PLACE);
    let place = &KNOWN[hash as usize];
    let known = place.load(Relaxed);
    if known & ((1 << COUNTS) - 1) == code {
        return [COUNTS, COUNTS + FACTOR].map(|bit| (known >> bit & ((1 << FACTOR) - 1)) as i32);
    }
    let factors = factors_of(&counts);
    let [red, black] = factors.map(|factor| factor as u64);
    place.store(code | red << COUNTS | black << (COUNTS + FACTOR), Relaxed);
    factors
}

#[inline]
fn counts_of(position: &Position) -> Counts {
    let count = |color, kind| position.pieces_of(color, kind).len() as u8;
    Color::ALL.map(|color| PieceKind::ALL.map(|kind| count(color, kind)))
}

/// [`factors`] of these pieces, computed.
fn factors_of(counts: &Counts) -> [i32; 2] {
    Color::ALL.map(|side| factor(most_won(counts, side)))
}

/// The factor of an advantage that wins this share of positions.
fn factor(share: Option<u16>) -> i32 {
    let Some(share) = share else { return WHOLE };
    (LEAST + (WHOLE - LEAST) * i32::from(share) / WHOLE_FROM).min(WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_positions;

    fn scaled(fen: &str, value: i32) -> i32 {
        super::scaled(value, &Position::from_fen(fen).unwrap())
    }

    #[test]
    fn every_line_is_read_and_both_colours_are_known() {
        let lines = include_str!("win_shares.csv").lines().skip(1);
        assert!(lines.clone().count() > 400);
        assert!(lines.clone().all(|line| read_line(line).is_some()));
        assert!(shares().values().flatten().all(|&share| share <= 1000));
        assert!(shares().len() > lines.count());
    }

    #[test]
    fn advantages_that_do_not_win_count_little_and_those_that_do_count_whole() {
        for (fen, least, most) in [
            // knight against advisors and an elephant; against one advisor
            ("3ak4/4a4/4b4/9/9/9/9/9/4N4/4K4 w", 20, 60),
            ("3ak4/9/9/9/9/9/9/9/4N4/4K4 w", 300, 300),
            // rook and knight against everything
            ("2bak4/4a4/4b4/9/9/9/9/9/4N3R/4K4 w", 300, 300),
            // more defenders, and more attackers beside them, than in any list
            ("3ak1b2/4a4/4b4/9/9/9/9/4B4/4N4/2BAKA3 w", 20, 60),
            ("3ak1b2/4a4/4b4/4p4/9/9/9/9/4N4/4K4 w", 20, 60),
            // too many attackers to know
            ("3ak1b2/4a4/4b4/9/9/P7P/9/1C7/4N4/4K4 w", 300, 300),
            // nothing that could win
            ("5k3/9/9/4p4/9/9/9/4B4/4A4/3K5 w", 25, 30),
        ] {
            let value = scaled(fen, 300);
            assert!((least..=most).contains(&value), "{fen}: {value}");
        }
    }

    #[test]
    fn factors_seen_before_are_those_computed() {
        let mut seen = 0;
        for position in random_positions(60).filter(|one| one.occupied().len() <= MAX_PIECES) {
            for _ in 0..2 {
                assert_eq!(factors(&position), factors_of(&counts_of(&position)));
            }
            seen += 1;
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn the_side_ahead_is_the_one_that_counts() {
        let fen = "5k3/9/9/9/9/9/9/4B4/4N4/3K5 b";
        assert_eq!(scaled(fen, -300), -300);
        assert!((1..40).contains(&scaled(fen, 300)));
        assert_eq!(super::scaled(300, &Position::startpos()), 300);
    }
}
