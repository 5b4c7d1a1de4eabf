//! Choosing one of the moves that a book offers.

use rand::Rng;
use rand::seq::IndexedRandom;

use super::BookMove;

/// How to choose among book moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The move of the largest weight, the first of equal ones: deterministic.
    #[default]
    Best,
    /// At random, with probability proportional to the weight.
    Weighted,
}

/// A policy and the least weight of a move that is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Applied to the moves that remain.
    pub policy: Policy,
    /// Moves of smaller weight are not played; 0 for no limit.
    pub minimum_weight: u32,
}

impl Choice {
    /// Picks one of `moves`, sorted as [`Book::probe`](super::Book::probe) does.
    /// Only [`Policy::Weighted`] draws from `rng`. `None` when no move has the weight.
    pub fn pick(self, moves: &[BookMove], rng: &mut (impl Rng + ?Sized)) -> Option<BookMove> {
        let is_heavy = |found: &BookMove| found.weight >= self.minimum_weight;
        let left: Vec<BookMove> = moves.iter().copied().filter(is_heavy).collect();
        match self.policy {
            Policy::Best => left.first().copied(),
            Policy::Weighted => {
                // the sum of the weights of some books is beyond 32 bits
                left.choose_weighted(rng, |found| u64::from(found.weight)).ok().copied()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Facts;
    use crate::util::seeded;

    const BEST: Choice = Choice { policy: Policy::Best, minimum_weight: 0 };
    const WEIGHTED: Choice = Choice { policy: Policy::Weighted, minimum_weight: 0 };

    fn moves() -> Vec<BookMove> {
        [("b2e2", 60), ("h2e2", 60), ("c3c4", 30), ("h0g2", 1)]
            .map(|(text, weight)| {
                let facts = Facts::default();
                BookMove { mv: text.parse().unwrap(), weight, facts }
            })
            .to_vec()
    }

    fn picks(choice: Choice, seed: u64, count: usize) -> Vec<String> {
        let (moves, mut rng) = (moves(), seeded(seed, 0));
        (0..count).map(|_| choice.pick(&moves, &mut rng).unwrap().mv.to_string()).collect()
    }

    #[test]
    fn best_is_the_first() {
        assert!(picks(BEST, 1, 100).iter().all(|text| text == "b2e2"));
        let best = |moves: &[BookMove]| {
            BEST.pick(moves, &mut seeded(1, 0)).map(|found| found.mv.to_string())
        };
        assert_eq!(best(&moves()[2..]).as_deref(), Some("c3c4"));
        assert_eq!(best(&[]), None);
    }

    #[test]
    fn the_random_choice_follows_weights_and_seed() {
        let drawn = picks(WEIGHTED, 5, 15_100);
        for found in moves() {
            let count = drawn.iter().filter(|&text| *text == found.mv.to_string()).count() as f64;
            // 151 is the sum of the weights
            let (mean, share) = (f64::from(found.weight) * 100.0, f64::from(found.weight) / 151.0);
            let deviation = (mean * (1.0 - share)).sqrt();
            assert!((count - mean).abs() < 5.0 * deviation, "{} {count} times", found.mv);
        }
        assert_eq!(drawn, picks(WEIGHTED, 5, 15_100));
        assert_ne!(drawn, picks(WEIGHTED, 6, 15_100));
    }

    #[test]
    fn the_heaviest_weights_are_no_burden() {
        let heavy = moves().into_iter().map(|found| BookMove { weight: u32::MAX, ..found });
        let heavy: Vec<_> = heavy.collect();
        let found = WEIGHTED.pick(&heavy, &mut seeded(1, 0));
        assert!(found.is_some_and(|found| heavy.contains(&found)));
    }

    #[test]
    fn light_moves_are_not_played() {
        let sieve = Choice { minimum_weight: 30, ..WEIGHTED };
        let drawn = picks(sieve, 1, 2_000);
        assert!(drawn.contains(&"c3c4".to_owned()) && !drawn.contains(&"h0g2".to_owned()));
        let mut rng = seeded(1, 0);
        for policy in [Policy::Best, Policy::Weighted] {
            let strict = Choice { policy, minimum_weight: 61 };
            assert_eq!(strict.pick(&moves(), &mut rng), None);
        }
    }
}
