//! Solves one material by retrograde analysis, on several threads.
//!
//! Each number has a byte for each side to move. It first counts the moves
//! that are not known to lose; when a successor turns out to be won by the
//! opponent the count falls, and at zero the position is lost. A successor
//! that is lost for the opponent makes the position won. So each quiet move is
//! looked at once, backwards, and positions are decided in the order of their
//! distance to mate (Thompson 1986, with counters as in Wu and Beal 2001).
//!
//! - Moves that leave the own king in check need no test of their own: where
//!   the side to move could take a king is not a position but counts as one
//!   that it has won, and is looked at before all others.
//! - Captures lead to smaller tables, which are solved before. A winning one
//!   gives a distance that holds until a shorter one is found; the distance of
//!   a losing one counts when the last quiet move has failed.
//!
//! # Repetition
//!
//! A forced win stays one under every rule of repetition, for each of its lines
//! is finite. So a rule can only turn a draw into a win of the side whose
//! opponent holds it by a forbidden repetition. With attackers on one side
//! only, the other side has no piece that gives check, and could offend only by
//! chasing an attacker with an advisor or an elephant. The side with attackers
//! could, but only where every move that neither checks nor chases loses. Draws
//! of both kinds are not looked for here: [`verify`](super::verify) finds them,
//! and no table that it proves has one. With attackers on both sides perpetual
//! check changes many results: see [`perpetual`].

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use crate::board::Color;

use super::children::Children;
use super::index::Index;
use super::material::Material;
use super::parallel::{BLOCK, block as numbers, for_each};
use super::perpetual;
use super::pieces::{Board, Boards, Pieces};
use super::solution::{Solution, Sources};
use super::table::Cache;
use super::value::{DRAW, ILLEGAL, MAX_PLIES, OVERLAP, Value};

/// A byte from here to [`DRAW`] counts moves not known to lose: `COUNTING + n`
/// is n moves.
const COUNTING: u8 = MAX_PLIES + 1;

/// Numbers that a pass skips together if its distance is not among them.
const PART: usize = 512;

/// Why a material was not solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum SolveError {
    #[error("{0} needs the table of {1}, which was not made before it")]
    MissingTable(Material, Material),
    #[error("{0} has more than three attackers on a side, for which no tables are made")]
    TooManyAttackers(Material),
    #[error("{0} has wins longer than {MAX_PLIES} plies, which its table cannot hold")]
    TooLong(Material),
}

/// Solves a material, given the tables that captures lead to.
///
/// With attackers on one side the values hold under every rule set. With
/// attackers on both sides they hold where perpetual check loses, and a result
/// that could depend on the rules of perpetual chase is
/// [unclear](Value::Unclear); that some rules forbid threatening mate with
/// every move as well is left out of account.
///
/// # Errors
/// When a table is missing or the material is beyond what is solved exactly.
pub fn solve(
    material: Material,
    sources: &Sources,
    threads: usize,
) -> Result<Solution, SolveError> {
    if !material.is_supported() {
        // more moves than a byte could count
        return Err(SolveError::TooManyAttackers(material));
    }
    let children = Children::new(material, sources)
        .map_err(|missing| SolveError::MissingTable(material, missing))?;
    let solver = Solver::new(material, &children);
    solver.for_each_block(threads, |cache, block| solver.set_up(block, cache));
    solver.pass(threads, ILLEGAL);
    for plies in 0..=MAX_PLIES {
        solver.pass(threads, plies);
    }
    if solver.too_long.load(Relaxed) {
        return Err(SolveError::TooLong(material));
    }
    let mut solution = solver.finish();
    if material.is_two_sided() {
        perpetual::apply(&mut solution, &children, threads);
    }
    Ok(solution)
}

/// The memory that [`solve`] takes beside the smaller tables, in bytes.
pub fn memory_needed(index: &Index) -> usize {
    // two bytes a number and a bit for each, and the sets of pending distances
    let values = index.size() * 9 / 4 + index.size().div_ceil(PART) * 64;
    values + if index.material().is_two_sided() { perpetual::memory_needed(index) } else { 0 }
}

/// The distances that occur in a part of a block, as a set of bits.
type Pending = [AtomicU64; 4];

/// The state of one side to move.
struct Side {
    bytes: Vec<AtomicU8>,
    pending: Vec<Pending>,
    /// Positions of which a capture loses, one bit each.
    losing_captures: Vec<AtomicU64>,
}

struct Solver<'a> {
    index: Index,
    sides: [Side; 2],
    children: &'a Children,
    too_long: AtomicBool,
}

/// What the captures of a position come to.
#[derive(Default)]
struct Captures {
    /// The shortest win.
    win: Option<u16>,
    /// The longest loss.
    loss: u16,
    /// How many draw.
    draws: u8,
}

impl Side {
    fn new(size: usize) -> Side {
        let zeros = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect();
        Side {
            bytes: (0..size).map(|_| AtomicU8::new(OVERLAP)).collect(),
            pending: (0..size.div_ceil(PART)).map(|_| Pending::default()).collect(),
            losing_captures: zeros(size.div_ceil(64)),
        }
    }

    /// Stores a byte that a later pass looks for.
    #[inline]
    fn store(&self, number: usize, byte: u8) {
        self.bytes[number].store(byte, Relaxed);
        let word = &self.pending[number / PART][usize::from(byte >> 6)];
        let bit = 1 << (byte & 63);
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    #[inline]
    fn is_pending(&self, part: usize, byte: u8) -> bool {
        self.pending[part][usize::from(byte >> 6)].load(Relaxed) >> (byte & 63) & 1 != 0
    }
}

impl Solver<'_> {
    fn new(material: Material, children: &Children) -> Solver<'_> {
        let index = Index::new(material);
        let sides = [Side::new(index.size()), Side::new(index.size())];
        Solver { index, sides, children, too_long: AtomicBool::new(false) }
    }

    fn for_each_block(&self, threads: usize, work: impl Fn(&mut Cache, usize) + Sync) {
        let blocks = self.index.size().div_ceil(BLOCK);
        for_each(blocks, threads, Cache::default, work);
    }

    /// Gives each number of a block its first byte.
    fn set_up(&self, block: usize, cache: &mut Cache) {
        let mut boards = Boards::new(&self.index);
        for number in numbers(block, self.index.size()) {
            let Some(board) = boards.of(number) else { continue };
            let pieces = Pieces::new(&self.index, board);
            for color in Color::ALL {
                self.set_up_side(number, board, &pieces, color, cache);
            }
        }
    }

    fn set_up_side(
        &self,
        number: usize,
        board: &Board,
        pieces: &Pieces,
        color: Color,
        cache: &mut Cache,
    ) {
        let side = &self.sides[color.index()];
        if pieces.attacks_king(color) {
            return side.store(number, ILLEGAL);
        }
        let captures = self.captures(pieces, color, cache);
        if let Some(plies) = captures.win {
            return self.decide(color, number, plies);
        }
        if captures.loss > 0 {
            side.losing_captures[number / 64].fetch_or(1 << (number % 64), Relaxed);
        }
        match self.quiet_moves(board, color) + captures.draws {
            0 => self.decide(color, number, captures.loss),
            count => side.bytes[number].store(COUNTING + count, Relaxed),
        }
    }

    /// Stores a distance, if a byte can hold it.
    fn decide(&self, color: Color, number: usize, plies: u16) {
        match u8::try_from(plies) {
            Ok(plies) if plies <= MAX_PLIES => self.sides[color.index()].store(number, plies),
            _ => self.too_long.store(true, Relaxed),
        }
    }

    /// The legal captures of a side, by the smaller tables.
    fn captures(&self, pieces: &Pieces, color: Color, cache: &mut Cache) -> Captures {
        let mut found = Captures::default();
        pieces.for_each_capture(color, |captured, after| {
            let value = self.children.value(color, captured, after, cache);
            match value.map(Value::before_move) {
                Some(Value::Win { plies }) => {
                    found.win = Some(found.win.map_or(plies, |win| win.min(plies)));
                }
                Some(Value::Loss { plies }) => found.loss = found.loss.max(plies),
                // what has no distance is a draw as long as there are no rules
                _ => found.draws += 1,
            }
        });
        found
    }

    /// How many moves without a capture a side has, its king's safety aside.
    fn quiet_moves(&self, board: &Board, color: Color) -> u8 {
        let mut count = 0;
        for (g, group) in self.index.groups().iter().enumerate() {
            if group.color() != color {
                continue;
            }
            if group.is_home() {
                let occupied = board.occupied;
                let free = |m: &&super::group::HomeMove| !m.path.intersects(occupied);
                count += group.home_moves(board.ranks[g]).iter().filter(free).count() as u32;
                continue;
            }
            for (kind, set) in group.sets(board.ranks[g]).take(1) {
                let moves = |square| board.quiet_targets(color, kind, square).len();
                count += set.map(moves).sum::<u32>();
            }
        }
        count as u8
    }

    /// Looks at the positions with this byte, of both sides to move.
    fn pass(&self, threads: usize, byte: u8) {
        for color in Color::ALL {
            let side = &self.sides[color.index()];
            if (0..side.pending.len()).any(|part| side.is_pending(part, byte)) {
                self.for_each_block(threads, |cache, block| {
                    self.pass_block(color, block, byte, cache);
                });
            }
        }
    }

    fn pass_block(&self, color: Color, block: usize, byte: u8, cache: &mut Cache) {
        let side = &self.sides[color.index()];
        let mut boards = Boards::new(&self.index);
        let numbers = numbers(block, self.index.size());
        for start in numbers.clone().step_by(PART) {
            if !side.is_pending(start / PART, byte) {
                continue;
            }
            for number in start..numbers.end.min(start + PART) {
                if side.bytes[number].load(Relaxed) == byte
                    && let Some(board) = boards.of(number)
                {
                    self.look_back(number, board, !color, byte, cache);
                }
            }
        }
    }

    /// Tells the positions with a quiet move to this one, whose side to move
    /// was `mover`.
    fn look_back(&self, number: usize, board: &Board, mover: Color, byte: u8, cache: &mut Cache) {
        let is_loss = byte.is_multiple_of(2) && byte != ILLEGAL;
        board.for_each_origin(&self.index, mover, |g, before| {
            self.index.predecessors(number, &board.ranks, g, before, |earlier| match is_loss {
                true => self.win(earlier, mover, byte + 1),
                false => self.lose_move(earlier, mover, byte, cache),
            });
        });
    }

    /// The position has a move that wins in so many plies.
    #[inline]
    fn win(&self, number: usize, color: Color, plies: u8) {
        let side = &self.sides[color.index()];
        let byte = side.bytes[number].load(Relaxed);
        let is_better = byte > plies && byte <= MAX_PLIES;
        if is_better || (COUNTING..DRAW).contains(&byte) {
            self.decide(color, number, plies.into());
        }
    }

    /// The position has a quiet move to one that the opponent wins with this
    /// byte, or that is illegal.
    #[inline]
    fn lose_move(&self, number: usize, color: Color, byte: u8, cache: &mut Cache) {
        let side = &self.sides[color.index()];
        let count = &side.bytes[number];
        if !(COUNTING..DRAW).contains(&count.load(Relaxed)) {
            return;
        }
        if count.fetch_sub(1, Relaxed) == COUNTING + 1 {
            let quiet = if byte == ILLEGAL { 0 } else { u16::from(byte) + 1 };
            let losing = &side.losing_captures[number / 64];
            let has_losing_capture = losing.load(Relaxed) >> (number % 64) & 1 != 0;
            let capture =
                if has_losing_capture { self.longest_loss(number, color, cache) } else { 0 };
            self.decide(color, number, quiet.max(capture));
        }
    }

    /// The distance of the captures of a position that has only losing moves.
    fn longest_loss(&self, number: usize, color: Color, cache: &mut Cache) -> u16 {
        let mut boards = Boards::new(&self.index);
        boards
            .of(number)
            .map_or(0, |board| self.captures(&Pieces::new(&self.index, board), color, cache).loss)
    }

    /// What is still counted is drawn.
    fn finish(self) -> Solution {
        let byte = |byte: AtomicU8| match byte.into_inner() {
            COUNTING..DRAW => DRAW,
            decided => decided,
        };
        let bytes = self.sides.map(|side| side.bytes.into_iter().map(byte).collect());
        Solution { index: self.index, bytes }
    }
}
