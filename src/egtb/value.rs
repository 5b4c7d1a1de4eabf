//! What a table says of a position, and how a byte holds it.

/// The result of a position with best play, for the side to move, and the
/// distance to mate: plies to the end of the game, where the winner hurries
/// and the loser delays, through captures into smaller tables. A side without
/// a legal move has lost in 0, in check or not.
///
/// Wins take an odd number of plies and losses an even one, so a table keeps
/// the distance alone.
///
/// Where attackers stand on both sides, some results rest on the rules of
/// repetition: see [`solve`](super::solve).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // said above
pub enum Value {
    Win {
        plies: u16,
    },
    /// Won, for the opponent can delay mate for ever, but only by perpetual
    /// check, which loses.
    RuleWin,
    Draw,
    /// Lost, for only a perpetual check would hold the draw.
    RuleLoss,
    Loss {
        plies: u16,
    },
    /// One of these results, depending on what a rule set calls a perpetual
    /// chase.
    Unclear {
        lowest: Wdl,
        highest: Wdl,
    },
}

/// The result alone, for the side to move; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // said above
pub enum Wdl {
    Loss,
    Draw,
    Win,
}

/// The bytes of results that are unclear: draw or win, loss or win, loss or draw.
const UNCLEAR_WIN: u8 = 248;
const UNCLEAR: u8 = 249;
const UNCLEAR_LOSS: u8 = 250;
/// The byte of a loss by rule.
const RULE_LOSS: u8 = 251;
/// The byte of a win by rule.
const RULE_WIN: u8 = 252;
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
            RULE_WIN => Some(Value::RuleWin),
            RULE_LOSS => Some(Value::RuleLoss),
            UNCLEAR_WIN => Some(Value::Unclear { lowest: Wdl::Draw, highest: Wdl::Win }),
            UNCLEAR => Some(Value::Unclear { lowest: Wdl::Loss, highest: Wdl::Win }),
            UNCLEAR_LOSS => Some(Value::Unclear { lowest: Wdl::Loss, highest: Wdl::Draw }),
            plies if plies % 2 == 0 => Some(Value::Loss { plies: plies as u16 }),
            plies => Some(Value::Win { plies: plies as u16 }),
        }
    }

    /// What is decided by rules alone, from the lowest to the highest result.
    pub fn by_rule(lowest: Wdl, highest: Wdl) -> Value {
        match (lowest, highest) {
            (Wdl::Win, Wdl::Win) => Value::RuleWin,
            (Wdl::Draw, Wdl::Draw) => Value::Draw,
            (Wdl::Loss, Wdl::Loss) => Value::RuleLoss,
            _ => Value::Unclear { lowest: lowest.min(highest), highest: highest.max(lowest) },
        }
    }

    /// The byte of what is decided by rules alone; `None` if there is a distance.
    pub const fn rule_byte(self) -> Option<u8> {
        match self {
            Value::Win { .. } | Value::Loss { .. } => None,
            Value::Draw => Some(DRAW),
            Value::RuleWin => Some(RULE_WIN),
            Value::RuleLoss => Some(RULE_LOSS),
            Value::Unclear { lowest: Wdl::Draw, .. } => Some(UNCLEAR_WIN),
            Value::Unclear { highest: Wdl::Draw, .. } => Some(UNCLEAR_LOSS),
            Value::Unclear { .. } => Some(UNCLEAR),
        }
    }

    /// Plies to the end, of what is won or lost without a rule.
    pub const fn plies(self) -> Option<u16> {
        match self {
            Value::Win { plies } | Value::Loss { plies } => Some(plies),
            _ => None,
        }
    }

    /// The lowest and the highest result that it can be.
    pub const fn range(self) -> (Wdl, Wdl) {
        match self {
            Value::Win { .. } | Value::RuleWin => (Wdl::Win, Wdl::Win),
            Value::Draw => (Wdl::Draw, Wdl::Draw),
            Value::Loss { .. } | Value::RuleLoss => (Wdl::Loss, Wdl::Loss),
            Value::Unclear { lowest, highest } => (lowest, highest),
        }
    }

    /// The result without its distance; `None` if it is unclear.
    pub fn wdl(self) -> Option<Wdl> {
        let (lowest, highest) = self.range();
        (lowest == highest).then_some(lowest)
    }

    /// What a move is worth to the side that makes it, by the value of the
    /// position it leads to.
    pub const fn before_move(self) -> Value {
        match self {
            Value::Win { plies } => Value::Loss { plies: plies + 1 },
            Value::RuleWin => Value::RuleLoss,
            Value::Draw => Value::Draw,
            Value::RuleLoss => Value::RuleWin,
            Value::Loss { plies } => Value::Win { plies: plies + 1 },
            Value::Unclear { lowest, highest } => {
                Value::Unclear { lowest: highest.before_move(), highest: lowest.before_move() }
            }
        }
    }

    /// Greater is better for the side to move, of what is clear.
    fn preference(self) -> i32 {
        match self {
            Value::Win { plies } => 1_000_000 - i32::from(plies),
            Value::RuleWin => 500_000,
            Value::Draw | Value::Unclear { .. } => 0,
            Value::RuleLoss => -500_000,
            Value::Loss { plies } => i32::from(plies) - 1_000_000,
        }
    }

    /// The best of the values of the moves; without a move the game is lost.
    pub fn best(moves: impl IntoIterator<Item = Value>) -> Value {
        let mut clear = Value::Loss { plies: 0 };
        let (mut lowest, mut highest) = (Wdl::Loss, Wdl::Loss);
        for value in moves {
            let range = value.range();
            (lowest, highest) = (lowest.max(range.0), highest.max(range.1));
            if value.wdl().is_some() && value.preference() > clear.preference() {
                clear = value;
            }
        }
        // whatever has the lowest result is clear if nothing can be better
        if lowest == highest { clear } else { Value::by_rule(lowest, highest) }
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
