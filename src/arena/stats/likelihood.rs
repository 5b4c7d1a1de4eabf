//! The likeliest distribution of scores under a hypothesis.

/// A distribution over scores: each score with its probability.
pub(super) type Distribution = Vec<(f64, f64)>;

/// Where the search for a root stops: at a relative change of this.
const PRECISION: f64 = 1e-12;
const MAX_STEPS: usize = 100;

pub(super) fn moments(distribution: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = distribution.iter().map(|(score, p)| score * p).sum();
    let variance = distribution.iter().map(|(score, p)| (score - mean).powi(2) * p).sum();
    (mean, variance)
}

/// The distribution with this mean under which the observed one is likeliest.
///
/// With a Lagrange multiplier x the probabilities are p / (1 + x (score -
/// mean)), where x makes Σ p (score - mean) / (1 + x (score - mean)) vanish:
/// Van den Bergh's note on the expectation value, proposition 1.1. The mean
/// must lie strictly between the lowest and the highest observed score.
pub(super) fn with_mean(observed: &[(f64, f64)], mean: f64) -> Distribution {
    let x = multiplier(observed, mean);
    observed.iter().map(|&(score, p)| (score, p / (1.0 + x * (score - mean)))).collect()
}

/// The root described at [`with_mean`], by Newton's method, kept within the bounds
/// between which all probabilities are positive. The function has poles there,
/// beside which Newton's steps are as short as at a root; so one step comes nearer
/// to a pole by a factor of ten at most.
fn multiplier(observed: &[(f64, f64)], mean: f64) -> f64 {
    let leads = || observed.iter().map(|&(score, p)| (score - mean, p));
    let lowest = leads().map(|(lead, _)| lead).fold(f64::INFINITY, f64::min);
    let highest = leads().map(|(lead, _)| lead).fold(f64::NEG_INFINITY, f64::max);
    let poles = [-1.0 / highest, -1.0 / lowest];
    let [mut low, mut high] = poles;
    let mut x = 0.0f64;
    for _ in 0..MAX_STEPS {
        let value: f64 = leads().map(|(lead, p)| p * lead / (1.0 + x * lead)).sum();
        let slope: f64 = leads().map(|(lead, p)| -p * (lead / (1.0 + x * lead)).powi(2)).sum();
        // the function falls from infinity to minus infinity
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let nearest = poles.map(|pole| pole + (x - pole) / 10.0);
        let newton = (x - value / slope).max(nearest[0]).min(nearest[1]);
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        let change = (next - x).abs();
        x = next;
        if change <= PRECISION * (1.0 + x.abs()) {
            break;
        }
    }
    x
}

/// The distribution whose lead over 1/2 is `lead` standard deviations and
/// under which the observed one is likeliest.
///
/// The condition mean - 1/2 = lead · σ is not linear in the probabilities;
/// linearised at a distribution it is a condition on a mean, of the scores
/// score - 1/2 - lead · σ (1 + ((score - mean)/σ)²)/2. Repeated this converges
/// within a few rounds: Van den Bergh's note on normalised Elo, section 4.1.
/// For leads beyond a whole σ, of no use in practice, it converges slowly and
/// is stopped. As σ is a concave function of the probabilities, all rounds have a solution
/// once the first one has, so it begins with a distribution that meets the
/// condition.
pub(super) fn with_lead(observed: &[(f64, f64)], lead: f64) -> Distribution {
    const ROUNDS: usize = 50;
    let mut likeliest = binomial_with_lead(observed, lead);
    for _ in 0..ROUNDS {
        let (mean, variance) = moments(&likeliest);
        let deviation = variance.sqrt();
        let linear = |&(score, p): &(f64, f64)| {
            let bent = (1.0 + ((score - mean) / deviation).powi(2)) / 2.0;
            (score - 0.5 - lead * deviation * bent, p)
        };
        let shifted: Distribution = observed.iter().map(linear).collect();
        let next = with_mean(&shifted, 0.0);
        let change = |(new, old): (&(f64, f64), &(f64, f64))| (new.1 - old.1).abs();
        let largest = next.iter().zip(&likeliest).map(change).fold(0.0, f64::max);
        likeliest.iter_mut().zip(next).for_each(|(old, new)| old.1 = new.1);
        if largest < PRECISION.sqrt() {
            break;
        }
    }
    likeliest
}

/// The binomial distribution over the same scores with this lead. Of n trials
/// that succeed with probability p the mean is p and σ² is p (1 - p)/n, so that
/// the lead t needs p - 1/2 = t/2/√(n + t²).
fn binomial_with_lead(observed: &[(f64, f64)], lead: f64) -> Distribution {
    let trials = observed.len() as f64 - 1.0;
    let p = 0.5 + lead / 2.0 / (trials + lead * lead).sqrt();
    let mut coefficient = 1.0;
    let mut distribution = Distribution::new();
    for (successes, &(score, _)) in (0u32..).map(f64::from).zip(observed) {
        let probability = coefficient * p.powf(successes) * (1.0 - p).powf(trials - successes);
        distribution.push((score, probability));
        coefficient *= (trials - successes) / (successes + 1.0);
    }
    distribution
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pentanomial(weights: [f64; 5]) -> Distribution {
        let sum: f64 = weights.iter().sum();
        [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().zip(weights.map(|w| w / sum)).collect()
    }

    fn log_likelihood(observed: &[(f64, f64)], hypothesis: &[(f64, f64)]) -> f64 {
        observed.iter().zip(hypothesis).map(|((_, p), (_, q))| p * q.ln()).sum()
    }

    #[test]
    fn with_two_scores_the_mean_fixes_all() {
        let likeliest = with_mean(&[(0.0, 0.3), (1.0, 0.7)], 0.55);
        assert!((likeliest[1].1 - 0.55).abs() < 1e-9, "{likeliest:?}");
    }

    #[test]
    fn the_start_has_the_lead() {
        for observed in [vec![(0.0, 0.2), (0.5, 0.2), (1.0, 0.6)], pentanomial([1.0; 5])] {
            for lead in [-2.0, 0.0, 0.3] {
                let (mean, variance) = moments(&binomial_with_lead(&observed, lead));
                assert!(((mean - 0.5) / variance.sqrt() - lead).abs() < 1e-9, "{mean} {variance}");
            }
        }
    }

    /// Where the first step of Newton's method from 0 ends at a pole: to a mean of
    /// 1/2 of pairs with c3 = 3 c1 + 8 c0, and of their mirror images.
    #[test]
    fn a_step_to_a_pole_is_no_root() {
        for ([c0, c1, c2], c4) in
            [([1, 1, 12], 5), ([0, 1, 4], 0), ([2, 0, 1], 7), ([3, 9, 90], 20), ([1, 4, 17], 2)]
        {
            let counts = [c0, c1, c2, 3 * c1 + 8 * c0, c4].map(f64::from);
            let mirrored = [counts[4], counts[3], counts[2], counts[1], counts[0]];
            for weights in [counts, mirrored].map(|counts| counts.map(|count| count.max(1e-3))) {
                for mean in [0.5, 0.5 + 1e-9, 0.5 - 1e-9] {
                    let likeliest = with_mean(&pentanomial(weights), mean);
                    let total: f64 = likeliest.iter().map(|(_, p)| p).sum();
                    assert!((total - 1.0).abs() < 1e-9, "{weights:?} {likeliest:?}");
                    assert!((moments(&likeliest).0 - mean).abs() < 1e-9, "{weights:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_mean_of_whole_counts_is_met(
            counts in prop::array::uniform5(0u32..60), mean in prop::sample::select(vec![0.5, 0.45, 0.51]),
        ) {
            let weights = counts.map(|count| f64::from(count).max(1e-3));
            let likeliest = with_mean(&pentanomial(weights), mean);
            let total: f64 = likeliest.iter().map(|(_, p)| p).sum();
            prop_assert!((total - 1.0).abs() < 1e-6, "{likeliest:?}");
            prop_assert!((moments(&likeliest).0 - mean).abs() < 1e-6, "{likeliest:?}");
        }

        #[test]
        fn the_mean_is_met_and_nothing_near_is_likelier(
            weights in prop::array::uniform5(0.001f64..10.0), mean in 0.1f64..0.9, tilt in -0.01f64..0.01,
        ) {
            let observed = pentanomial(weights);
            let likeliest = with_mean(&observed, mean);
            let total: f64 = likeliest.iter().map(|(_, p)| p).sum();
            prop_assert!((total - 1.0).abs() < 1e-6, "{likeliest:?}");
            prop_assert!((moments(&likeliest).0 - mean).abs() < 1e-6, "{likeliest:?}");
            // a change that keeps sum and mean
            let mut other = likeliest.clone();
            for (place, part) in [(1, 1.0), (2, -2.0), (3, 1.0)] {
                other[place].1 += part * tilt * likeliest[2].1;
            }
            if other.iter().all(|(_, p)| *p > 0.0) {
                let gain = log_likelihood(&observed, &other) - log_likelihood(&observed, &likeliest);
                prop_assert!(gain < 1e-9, "{gain}");
            }
        }

        #[test]
        fn the_lead_is_met(
            weights in prop::array::uniform5((-16.0f64..0.0).prop_map(f64::exp)), lead in -1.0f64..1.0,
        ) {
            let likeliest = with_lead(&pentanomial(weights), lead);
            let (mean, variance) = moments(&likeliest);
            prop_assert!(((mean - 0.5) / variance.sqrt() - lead).abs() < 1e-4, "{likeliest:?}");
        }
    }
}
