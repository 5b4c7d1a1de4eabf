//! The figures behind the comparison: pure functions of numbers.

use serde::Serialize;
use statrs::statistics::{Data, Max, Median, Min};

/// Smallest, middle and largest of some measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub min: f64,
    pub median: f64,
    pub max: f64,
}

impl Spread {
    /// The spread of at least one value; that of none is not a number.
    pub fn of(values: &[f64]) -> Spread {
        let data = Data::new(values.to_vec());
        Spread { min: data.min(), median: data.median(), max: data.max() }
    }

    /// The same in another unit.
    pub fn scaled(self, factor: f64) -> Spread {
        let Spread { min, median, max } = self;
        Spread { min: min * factor, median: median * factor, max: max * factor }
    }
}

/// How many times as large each value is as the one it is paired with.
pub fn quotients(values: &[f64], bases: &[f64]) -> Vec<f64> {
    values.iter().zip(bases).map(|(value, base)| value / base).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use statrs::statistics::Statistics;

    use super::*;

    #[test]
    fn spreads() {
        let spread = Spread::of(&[2.0, 7.0, 3.0]);
        assert_eq!(spread, Spread { min: 2.0, median: 3.0, max: 7.0 });
        assert!(Spread::of(&[]).median.is_nan());
    }

    #[test]
    fn values_are_compared_with_their_partners() {
        assert_eq!(quotients(&[6.0, 1.0], &[3.0, 4.0]), [2.0, 0.25]);
    }

    proptest! {
        #[test]
        fn a_quotient_of_means_is_the_mean_of_quotients(
            pairs in prop::collection::vec((1e-3f64..1e3, 1e-3f64..1e3), 1..40)
        ) {
            let (values, bases): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let mean = quotients(&values, &bases).geometric_mean();
            let quotient = values.geometric_mean() / bases.geometric_mean();
            prop_assert!((mean / quotient - 1.0).abs() < 1e-9);
        }

        #[test]
        fn the_median_lies_between(values in prop::collection::vec(-1e6f64..1e6, 1..40)) {
            let Spread { min, median, max } = Spread::of(&values);
            prop_assert!(min <= median && median <= max);
            let below = values.iter().filter(|&&value| value < median).count();
            let above = values.iter().filter(|&&value| value > median).count();
            prop_assert!(2 * below <= values.len() && 2 * above <= values.len());
        }
    }
}
