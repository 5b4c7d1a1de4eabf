//! The weights of the evaluation, by name and as a flat vector.
//!
//! Every weight is a [`Pair`] of values that the position blends (see
//! [`Blend`]). The numbers themselves stand in `values.rs`, which
//! [`Weights::to_source`] writes.

use std::fmt::Write;

/// What the two values of a weight stand for and how a position blends them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blend {
    /// Midgame and endgame value, interpolated by the material left:
    /// (K mid * first + K end * second) / 66.
    Phase,
    /// Attack and defence value, added as far as the side attacks and as far
    /// as it is attacked: (K attack * first + K defence * second) / 8.
    Stance,
}

/// Two values in one word, so that both are summed at once.
///
/// Each value, and each sum of values, lies within ±32,000.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Pair(i32);

impl Pair {
    /// Both values.
    pub const fn new(first: i16, second: i16) -> Pair {
        Pair(((first as i32) << 16) + second as i32)
    }

    /// The sum that the packed word stands for.
    pub(super) const fn from_packed(packed: i32) -> Pair {
        Pair(packed)
    }

    /// Both values in one word; adding words adds the values.
    pub(super) const fn packed(self) -> i32 {
        self.0
    }

    /// The midgame or attack value.
    pub const fn first(self) -> i32 {
        // the second value has borrowed from this half if it is negative
        (self.0 + 0x8000) >> 16
    }

    /// The endgame or defence value.
    pub const fn second(self) -> i32 {
        self.0 as i16 as i32
    }
}

/// All weights of one name.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a, T> {
    /// The name, a Rust identifier.
    pub name: &'static str,
    /// What the two values mean.
    pub blend: Blend,
    /// How many stand in a row of the table that people read.
    pub columns: usize,
    /// The weights.
    pub entries: &'a [T],
}

macro_rules! weights {
    ($($(#[$doc:meta])* $name:ident: $blend:ident, $rows:literal x $columns:literal;)*) => {
        /// One `T` for each weight: a [`Pair`] of values, or the number of the
        /// weight in the flat vector.
        ///
        /// Tables by square show half a board from the side that owns the
        /// piece, its own end at the bottom, files a to e; files f to i mirror
        /// d to a. Values are centipawns for the side that has what the name
        /// says.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Weights<T> {
            $($(#[$doc])* pub $name: [T; $rows * $columns],)*
        }

        /// The place of each weight in the flat vector of pairs.
        pub(super) static INDICES: Weights<u16> = {
            let mut next = 0;
            Weights { $($name: {
                let mut entries = [0; $rows * $columns];
                let mut i = 0;
                while i < entries.len() {
                    entries[i] = next;
                    next += 1;
                    i += 1;
                }
                entries
            },)* }
        };

        impl<T> Weights<T> {
            /// The weights by name, in the order of the flat vector.
            pub fn fields(&self) -> impl Iterator<Item = Field<'_, T>> {
                [$(Field {
                    name: stringify!($name),
                    blend: Blend::$blend,
                    columns: $columns,
                    entries: &self.$name,
                },)*].into_iter()
            }

            /// The same shape with other contents.
            pub fn map<U>(&self, mut convert: impl FnMut(&T) -> U) -> Weights<U> {
                Weights { $($name: self.$name.each_ref().map(&mut convert),)* }
            }
        }
    };
}

weights! {
    /// The king by square: files d and e, ranks 2 to 0.
    king: Phase, 3 x 2;
    /// Rooks by square.
    rook: Phase, 10 x 5;
    /// Knights by square; the thesis' tables 2-4 and 2-5 times 14/3.
    knight: Phase, 10 x 5;
    /// Cannons by square.
    cannon: Phase, 10 x 5;
    /// Pawns by square: ranks 9 to 3.
    pawn: Phase, 7 x 5;
    /// Bonus of pawns by square when their side attacks or is attacked.
    pawn_stance: Stance, 7 x 5;
    /// Advisors and elephants by square, which they never share: ranks 4 to 0.
    guard: Phase, 5 x 5;
    /// Bonus of advisors and elephants by square when their side attacks or
    /// is attacked.
    guard_stance: Stance, 5 x 5;
    /// The thesis' adjustment: what a side that is attacked loses again, so
    /// that only missing guards count.
    adjustment: Stance, 1 x 1;
    /// One advisor is missing, or both, and the enemy has two rooks.
    bare_to_rooks: Stance, 1 x 2;
    /// A cannon on the enemy king's file with nothing between, by the number
    /// of squares between (空头炮).
    hollow_cannon: Phase, 1 x 9;
    /// A cannon on the central file, two pieces between it and the king at
    /// home, by the shape of the king's advisors: initial, to one side, other.
    central_cannon: Phase, 1 x 3;
    /// One of those two pieces is a knight in the centre of its own palace.
    heart_knight: Phase, 1 x 1;
    /// A cannon on the enemy's home rank beside the palace (沉底炮), the king
    /// at home: by the shape of the advisors a row each, first with two pieces
    /// between, then with none.
    bottom_cannon: Phase, 3 x 2;
    /// A cannon aims at the king through two pieces and one of them is a rook,
    /// which cannot leave: by the shape of the advisors.
    held_rook: Phase, 1 x 3;
    /// An unprotected piece between a rook or cannon that attacks it and what
    /// it must not uncover: rook on knight before rook, rook on cannon before
    /// rook, rook on knight before king, rook on cannon before king, cannon on
    /// knight before king, cannon on knight before rook.
    pin: Phase, 1 x 6;
    /// Rooks by the number of empty squares that they can go to.
    rook_mobility: Phase, 1 x 18;
    /// A knight with no good square to go to, and with one.
    knight_blocked: Phase, 1 x 2;
    /// The side to move.
    tempo: Phase, 1 x 1;
}

impl Weights<Pair> {
    /// All values as one vector: both values of each weight, in order.
    pub fn to_flat(&self) -> Vec<i16> {
        let pairs = self.fields().flat_map(|field| field.entries);
        pairs.flat_map(|pair| [pair.first() as i16, pair.second() as i16]).collect()
    }

    /// The weights that [`to_flat`](Weights::to_flat) would turn into `flat`;
    /// `None` if its length is wrong.
    pub fn from_flat(flat: &[i16]) -> Option<Weights<Pair>> {
        let (pairs, []) = flat.as_chunks::<2>() else {
            return None;
        };
        let count = INDICES.fields().map(|field| field.entries.len()).sum::<usize>();
        (pairs.len() == count).then(|| {
            INDICES.map(|&index| {
                let [first, second] = pairs[index as usize];
                Pair::new(first, second)
            })
        })
    }

    /// The names of the values in the order of the flat vector, such as
    /// `rook[7].midgame` or `guard_stance[3].defence`.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for field in self.fields() {
            let halves = match field.blend {
                Blend::Phase => ["midgame", "endgame"],
                Blend::Stance => ["attack", "defence"],
            };
            for entry in 0..field.entries.len() {
                names.extend(halves.map(|half| format!("{}[{entry}].{half}", field.name)));
            }
        }
        names
    }

    /// The Rust source of `values.rs` with these weights.
    pub fn to_source(&self) -> String {
        let mut source = String::from(VALUES_HEAD);
        for field in self.fields() {
            let _ = writeln!(source, "    {}: [", field.name);
            for row in field.entries.chunks(field.columns.min(6)) {
                let pairs = row.iter().map(|p| format!("p({:4}, {:4}),", p.first(), p.second()));
                let _ = writeln!(source, "        {}", pairs.collect::<Vec<_>>().join(" "));
            }
            source.push_str("    ],\n");
        }
        source.push_str("};\n");
        source
    }
}

const VALUES_HEAD: &str = "\
//! The values of the weights, as `Weights::to_source` writes them; what they
//! mean is said at the fields of `Weights`.

use super::weights::{Pair, Weights};

const fn p(first: i16, second: i16) -> Pair {
    Pair::new(first, second)
}

/// The weights that the evaluation uses.
#[rustfmt::skip]
pub static WEIGHTS: Weights<Pair> = Weights {
";

#[cfg(test)]
mod tests {
    use super::super::values::WEIGHTS;
    use super::*;

    #[test]
    fn pairs_keep_both_values_through_sums() {
        let values = [(0, 0), (5, -7), (-5, 7), (-300, -1), (30_000, -30_000)];
        for (a, b) in values {
            let pair = Pair::new(a, b);
            assert_eq!((pair.first(), pair.second()), (a as i32, b as i32));
            let back = Pair::from_packed(-pair.packed());
            assert_eq!((back.first(), back.second()), (-a as i32, -b as i32));
        }
        let packed: i32 = values.iter().map(|&(a, b)| Pair::new(a, b).packed()).sum();
        let sum = Pair::from_packed(packed);
        assert_eq!((sum.first(), sum.second()), (29_700, -30_001));
    }

    #[test]
    fn the_flat_vector_and_the_source_hold_all_weights() {
        let flat = WEIGHTS.to_flat();
        assert_eq!(Weights::from_flat(&flat).as_ref(), Some(&WEIGHTS));
        assert_eq!(Weights::from_flat(&flat[1..]), None);
        assert_eq!(Weights::from_flat(&flat[2..]), None);
        let names = WEIGHTS.names();
        assert_eq!(names.len(), flat.len());
        assert_eq!(names[1], "king[0].endgame");
        assert!(names.contains(&"guard_stance[3].defence".to_owned()));
        assert_eq!(WEIGHTS.to_source(), include_str!("values.rs"));
    }
}
