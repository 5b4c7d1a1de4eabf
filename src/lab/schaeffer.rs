//! Schaeffer's experiment (1989): what each enhancement of alpha-beta is worth,
//! measured in all combinations with the others.
//!
//! An enhancement that halves the tree alone may add nothing to another one that
//! has done the same work already. So there is no single figure for what it is
//! worth: it depends on which of the others are there when it enters. Of each
//! there is the gain when it enters first, the gain when it enters last, and the
//! mean over all orders in which they can enter (the Shapley value), with which
//! the gains of all enhancements add up to what they achieve together.

use super::settings::Settings;
use super::variant;

/// An enhancement of plain alpha-beta that leaves its score as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enhancement {
    /// Iterative deepening.
    Deepening,
    /// The transposition table, for scores and for the first move.
    Table,
    /// Captures that seem to win something first.
    Captures,
    /// Killer moves, after those captures.
    Killers,
    /// The history heuristic.
    History,
    /// Null windows inside the tree (NegaScout).
    NullWindows,
    /// An aspiration window at the root.
    Aspiration,
    /// The refutation table.
    Refutations,
}

impl Enhancement {
    /// All, in the order of the bits of a [`Combination`].
    pub const ALL: [Enhancement; 8] = [
        Enhancement::Deepening,
        Enhancement::Table,
        Enhancement::Captures,
        Enhancement::Killers,
        Enhancement::History,
        Enhancement::NullWindows,
        Enhancement::Aspiration,
        Enhancement::Refutations,
    ];

    /// What tables call it.
    pub const fn name(self) -> &'static str {
        match self {
            Enhancement::Deepening => "iterative deepening",
            Enhancement::Table => "transposition table",
            Enhancement::Captures => "captures first",
            Enhancement::Killers => "killers",
            Enhancement::History => "history",
            Enhancement::NullWindows => "null windows",
            Enhancement::Aspiration => "aspiration",
            Enhancement::Refutations => "refutation table",
        }
    }

    /// The word of a [`Variant`](super::Variant) for it.
    const fn word(self) -> &'static str {
        match self {
            Enhancement::Deepening => "deepening",
            Enhancement::Table => "table",
            Enhancement::Captures => "captures",
            Enhancement::Killers => "killers",
            Enhancement::History => "history",
            Enhancement::NullWindows => "negascout",
            Enhancement::Aspiration => "aspiration",
            Enhancement::Refutations => "refutations",
        }
    }
}

/// A set of enhancements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination(usize);

impl Combination {
    /// Plain alpha-beta.
    pub const NONE: Combination = Combination(0);
    /// All enhancements.
    pub const FULL: Combination = Combination((1 << Enhancement::ALL.len()) - 1);

    /// All combinations, each at the place of its [`index`](Combination::index).
    pub fn all() -> impl Iterator<Item = Combination> {
        (0..=Combination::FULL.0).map(Combination)
    }

    /// The combination of these.
    pub fn of(members: &[Enhancement]) -> Combination {
        let bits = (0..).zip(Enhancement::ALL).filter(|(_, member)| members.contains(member));
        Combination(bits.map(|(bit, _)| 1 << bit).sum())
    }

    /// Its place among all: a bit for each enhancement.
    pub const fn index(self) -> usize {
        self.0
    }

    /// The enhancements in it.
    pub fn members(self) -> impl Iterator<Item = Enhancement> {
        let members = (0..).zip(Enhancement::ALL).filter(move |(bit, _)| self.0 >> bit & 1 == 1);
        members.map(|(_, enhancement)| enhancement)
    }

    /// The enhancements in it that are not in another one.
    pub fn without(self, other: Combination) -> impl Iterator<Item = Enhancement> {
        Combination(self.0 & !other.0).members()
    }

    /// How many enhancements are in it.
    pub const fn size(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Fail-soft alpha-beta with these enhancements, and the leaves and depths of
    /// `leaves`.
    pub fn settings(self, leaves: Settings) -> Settings {
        // that every word is known is tested
        self.members().fold(leaves, |settings, member| {
            variant::plus(settings, member.word()).unwrap_or(settings)
        })
    }
}

/// What an enhancement adds to a figure that every combination has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// To no other enhancement.
    pub first: f64,
    /// To all others.
    pub last: f64,
    /// On average over all orders in which the enhancements can enter.
    pub mean: f64,
    /// The least of all combinations that it can enter.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Gain {
    /// The gain of each enhancement, in the order of [`Enhancement::ALL`].
    /// `figures` has the figure of every combination at its index.
    pub fn of_each(figures: &[f64]) -> [Gain; Enhancement::ALL.len()] {
        std::array::from_fn(|bit| Gain::of(bit, figures))
    }

    fn of(bit: usize, figures: &[f64]) -> Gain {
        let without = Combination::all().filter(|c| c.0 >> bit & 1 == 0);
        let gains = without.map(|c| (c, figures[c.0 | 1 << bit] - figures[c.0]));
        let gains: Vec<(Combination, f64)> = gains.collect();
        let of_all = |pick: fn(f64, f64) -> f64, start| {
            gains.iter().map(|(_, gain)| *gain).fold(start, pick)
        };
        Gain {
            first: gains.first().map_or(0.0, |(_, gain)| *gain),
            last: gains.last().map_or(0.0, |(_, gain)| *gain),
            mean: gains.iter().map(|(c, gain)| c.chance_before_another() * gain).sum(),
            least: of_all(f64::min, f64::INFINITY),
            most: of_all(f64::max, f64::NEG_INFINITY),
        }
    }
}

impl Combination {
    /// How likely it is that a certain enhancement outside finds just this
    /// combination there when all enter in a random order: s! (n - s - 1)! / n!.
    fn chance_before_another(self) -> f64 {
        let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
        let (all, size) = (Enhancement::ALL.len(), self.size());
        factorial(size) * factorial(all - size - 1) / factorial(all)
    }
}

/// How much of the possible reduction each combination achieves, from 0 (plain
/// alpha-beta) to 1 (the combination with the fewest nodes): in nodes, or in
/// factors by which the tree shrinks if `in_factors`.
pub fn reductions(nodes: &[f64], in_factors: bool) -> Vec<f64> {
    let scale = |nodes: f64| if in_factors { nodes.ln() } else { nodes };
    let plain = nodes.first().map_or(0.0, |&nodes| scale(nodes));
    let fewest = nodes.iter().copied().fold(f64::INFINITY, f64::min);
    let possible = plain - scale(fewest);
    let share = |&nodes: &f64| if possible > 0.0 { (plain - scale(nodes)) / possible } else { 0.0 };
    nodes.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_all_different_and_exact() {
        let settings: Vec<_> =
            Combination::all().map(|c| c.settings(Settings::default())).collect();
        assert_eq!(settings.len(), 256);
        for (index, one) in settings.iter().enumerate() {
            assert!(one.is_exact());
            assert!(!settings[..index].contains(one), "{one:?}");
        }
        assert_eq!(settings[0], Settings::default());
        for combination in Combination::all() {
            let members: Vec<_> = combination.members().collect();
            assert_eq!(members.len(), combination.size());
            assert_eq!(Combination::of(&members), combination);
        }
    }

    #[test]
    fn mean_gains_add_up_to_what_all_achieve() {
        // what the third one does, the fourth does too
        let overlap = |c: Combination| c.0 >> 2 & 1 | c.0 >> 3 & 1;
        let figure = |c: Combination| (c.0 & 1) as f64 + 10.0 * overlap(c) as f64;
        let figures: Vec<f64> = Combination::all().map(figure).collect();
        let gains = Gain::of_each(&figures);
        let sum: f64 = gains.iter().map(|gain| gain.mean).sum();
        assert!((sum - 11.0).abs() < 1e-9, "{sum}");
        let alone = Gain { first: 1.0, last: 1.0, mean: gains[0].mean, least: 1.0, most: 1.0 };
        assert_eq!(gains[0], alone);
        assert!((gains[0].mean - 1.0).abs() < 1e-9);
        for shared in &gains[2..4] {
            assert_eq!((shared.first, shared.last), (10.0, 0.0));
            assert_eq!((shared.least, shared.most), (0.0, 10.0));
            assert!((shared.mean - 5.0).abs() < 1e-9, "{shared:?}");
        }
    }

    #[test]
    fn the_best_combination_has_all_of_the_possible_reduction() {
        let nodes: Vec<f64> = Combination::all().map(|c| 1000.0 / (1.0 + c.0 as f64)).collect();
        for in_factors in [false, true] {
            let shares = reductions(&nodes, in_factors);
            assert_eq!((shares[0], shares[255]), (0.0, 1.0));
        }
        assert!(reductions(&nodes, false)[1] > reductions(&nodes, true)[1]);
        assert_eq!(reductions(&[5.0; 256], false), [0.0; 256]);
    }
}
