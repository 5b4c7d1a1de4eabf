//! The figures behind the comparison: pure functions of numbers.

/// Smallest, middle and largest of some measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub min: f64,
    pub median: f64,
    pub max: f64,
}

impl Spread {
    /// The spread of at least one value; that of none is not a number.
    pub fn of(values: &[f64]) -> Spread {
        Spread {
            min: values.iter().copied().fold(f64::NAN, f64::min),
            median: median(values),
            max: values.iter().copied().fold(f64::NAN, f64::max),
        }
    }
}

/// The middle value, or the mean of the two in the middle; not a number if
/// there is none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.get(sorted.len().wrapping_sub(1) / 2), sorted.get(sorted.len() / 2)) {
        (Some(below), Some(above)) => f64::midpoint(*below, *above),
        _ => f64::NAN,
    }
}

/// The mean of positive factors; not a number if there is none. The quotient
/// of two of them is the geometric mean of the quotients, so that each of the
/// positions behind a speed-up counts the same, however long it takes.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// How many times as large each value is as the one it is paired with.
pub fn quotients(values: &[f64], bases: &[f64]) -> Vec<f64> {
    values.iter().zip(bases).map(|(value, base)| value / base).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[9.0, 1.0, 4.0]), 4.0);
        assert_eq!(median(&[8.0, 1.0, 4.0, 2.0]), 3.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn geometric_means() {
        assert!((geometric_mean(&[1.0, 4.0]) - 2.0).abs() < 1e-12);
        assert!((geometric_mean(&[0.5, 2.0, 8.0]) - 2.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_nan());
    }

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
            let mean = geometric_mean(&quotients(&values, &bases));
            let quotient = geometric_mean(&values) / geometric_mean(&bases);
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
