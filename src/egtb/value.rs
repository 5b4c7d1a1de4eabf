//! What a table says of a position, and how a byte holds it.

/// The result of a position with best play, for the side to move, and the
/// distance to mate: plies to the end of the game, where the winner hurries
/// and the loser delays, through captures into smaller tables. A side without
/// a legal move has lost in 0, in check or not.
///
/// Wins take an odd number of plies and losses an even one, so a table keeps
/// the distance alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // said above
pub enum Value {
    Win { plies: u16 },
    Draw,
    Loss { plies: u16 },
}

/// The result alone, for the side to move; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // said above
pub enum Wdl {
    Loss,
    Draw,
    Win,
}

/// The byte of a draw.
pub const DRAW: u8 = 253;
/// The byte of a number that is not a position: the side to move could take
/// the king.
pub const ILLEGAL: u8 = 254;
/// The byte of a number whose pieces share a square.
pub const OVERLAP: u8 = 255;
/// The longest distance that a byte can hold here.
pub const MAX_PLIES: u8 = 180;

impl Value {
    /// The value of a byte; `None` if it is not of a position.
    #[inline]
    pub const fn from_byte(byte: u8) -> Option<Value> {
        match byte {
            ILLEGAL | OVERLAP => None,
            DRAW => Some(Value::Draw),
            plies if plies % 2 == 0 => Some(Value::Loss { plies: plies as u16 }),
            plies => Some(Value::Win { plies: plies as u16 }),
        }
    }

    /// Plies to the end; `None` for a draw.
    pub const fn plies(self) -> Option<u16> {
        match self {
            Value::Win { plies } | Value::Loss { plies } => Some(plies),
            Value::Draw => None,
        }
    }

    /// The result without its distance.
    pub const fn wdl(self) -> Wdl {
        match self {
            Value::Win { .. } => Wdl::Win,
            Value::Draw => Wdl::Draw,
            Value::Loss { .. } => Wdl::Loss,
        }
    }

    /// What a move is worth to the side that makes it, by the value of the
    /// position it leads to.
    pub const fn before_move(self) -> Value {
        match self {
            Value::Win { plies } => Value::Loss { plies: plies + 1 },
            Value::Draw => Value::Draw,
            Value::Loss { plies } => Value::Win { plies: plies + 1 },
        }
    }

    /// Greater is better for the side to move.
    pub fn preference(self) -> i32 {
        match self {
            Value::Win { plies } => 1_000_000 - i32::from(plies),
            Value::Draw => 0,
            Value::Loss { plies } => i32::from(plies) - 1_000_000,
        }
    }

    /// The best of the values of the moves; without a move the game is lost.
    pub fn best(moves: impl IntoIterator<Item = Value>) -> Value {
        moves.into_iter().max_by_key(|value| value.preference()).unwrap_or(Value::Loss { plies: 0 })
    }
}

impl Wdl {
    /// `win`, `draw` or `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Wdl::Win => "win",
            Wdl::Draw => "draw",
            Wdl::Loss => "loss",
        }
    }

    /// What a move is worth to the side that makes it, by the result of the
    /// position it leads to.
    pub const fn before_move(self) -> Wdl {
        match self {
            Wdl::Win => Wdl::Loss,
            Wdl::Draw => Wdl::Draw,
            Wdl::Loss => Wdl::Win,
        }
    }
}
