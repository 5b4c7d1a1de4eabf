//! Reproducible random numbers, the same on every machine.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// xoshiro256++ (Blackman and Vigna, 2018).
pub type Random = Xoshiro256PlusPlus;

/// A generator for stream number `stream` of a seed, such as one game of a run.
pub fn seeded(seed: u64, stream: u64) -> Random {
    let first = Random::seed_from_u64(seed).next_u64();
    Random::seed_from_u64(first.wrapping_add(stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |seed, stream| seeded(seed, stream).next_u64();
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 1));
    }
}
