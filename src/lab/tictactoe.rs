//! Tic-tac-toe: small enough to be searched to its end, which is a draw.

use std::fmt;
use std::str::FromStr;

use crate::score::Score;

use super::game::Game;

/// The rows, columns and diagonals as sets of cells.
const LINES: [u16; 8] = [0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124];
const ALL: u16 = 0o777;

/// A cell, 0 to 8 from the upper left, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell(u8);

impl Cell {
    const fn bit(self) -> u16 {
        1 << self.0
    }
}

impl fmt::Display for Cell {
    /// Column and row: `a3` is the upper left, `c1` the lower right.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'a' + self.0 % 3);
        write!(f, "{column}{}", 3 - self.0 / 3)
    }
}

/// A game of tic-tac-toe; `x` begins.
#[derive(Clone, Debug, Default)]
pub struct TicTacToe {
    /// The cells of the side to move, then those of the other side.
    sides: [u16; 2],
    played: Vec<Cell>,
}

/// The text is not a position of tic-tac-toe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a position of tic-tac-toe (want nine of x, o and ., as in xo..x...., x to move or one ahead)"
)]
pub struct ParseTicTacToeError(String);

impl FromStr for TicTacToe {
    type Err = ParseTicTacToeError;

    /// Reads nine cells row by row: `x`, `o`, `.`. The side to move follows from
    /// their numbers, since `x` began.
    fn from_str(text: &str) -> Result<TicTacToe, ParseTicTacToeError> {
        let error = || ParseTicTacToeError(text.chars().take(20).collect());
        let is_board = text.len() == 9 && text.bytes().all(|byte| b"xo.".contains(&byte));
        if !is_board {
            return Err(error());
        }
        let cells = |mark| {
            let marked = text.bytes().enumerate().filter(|(_, byte)| *byte == mark);
            marked.fold(0, |set, (index, _)| set | 1 << index)
        };
        let (x, o): (u16, u16) = (cells(b'x'), cells(b'o'));
        let sides = match x.count_ones().checked_sub(o.count_ones()) {
            Some(0) => [x, o],
            Some(1) => [o, x],
            _ => return Err(error()),
        };
        // nobody is to move who has three in a line
        if has_line(sides[0]) {
            return Err(error());
        }
        Ok(TicTacToe { sides, played: Vec::new() })
    }
}

impl TicTacToe {
    fn taken(&self) -> u16 {
        self.sides[0] | self.sides[1]
    }

    /// Whether the side that has just moved has three in a line.
    fn is_lost(&self) -> bool {
        has_line(self.sides[1])
    }
}

fn has_line(cells: u16) -> bool {
    LINES.iter().any(|line| cells & line == *line)
}

impl Game for TicTacToe {
    type Move = Cell;

    fn moves(&self) -> Vec<Cell> {
        let free = if self.is_lost() { 0 } else { ALL & !self.taken() };
        (0..9).map(Cell).filter(|cell| free & cell.bit() != 0).collect()
    }

    fn make(&mut self, m: Cell) {
        self.sides[0] |= m.bit();
        self.sides.swap(0, 1);
        self.played.push(m);
    }

    fn unmake(&mut self) {
        if let Some(m) = self.played.pop() {
            self.sides.swap(0, 1);
            self.sides[0] &= !m.bit();
        }
    }

    fn final_score(&self, ply: usize) -> Score {
        if self.is_lost() { Score::mated_in(ply) } else { Score::DRAW }
    }

    /// The difference of the lines that are still open for a side.
    fn evaluate(&mut self) -> i32 {
        let open = |enemy: u16| LINES.iter().filter(|&line| line & enemy == 0).count() as i32;
        open(self.sides[1]) - open(self.sides[0])
    }

    fn key(&self) -> u64 {
        let [ours, theirs] = self.sides.map(u64::from);
        ours | theirs << 9
    }
}
