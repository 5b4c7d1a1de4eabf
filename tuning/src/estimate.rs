//! A mean and how far the truth may be from it.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::statistics::Statistics;

/// What a sample tells of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the sample.
    pub mean: f64,
    /// How far the truth may be from it with 95 %; not a number if the sample
    /// has fewer than two values.
    pub margin: f64,
}

impl Estimate {
    /// The estimate of a sample of independent values.
    pub fn of(sample: &[f64]) -> Estimate {
        let count = sample.len() as f64;
        let student = StudentsT::new(0.0, 1.0, count - 1.0);
        let quantile = student.map_or(f64::NAN, |student| student.inverse_cdf(0.975));
        Estimate { mean: sample.mean(), margin: quantile * sample.std_dev() / count.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_that_of_a_sample_of_this_size() {
        let Estimate { mean, margin } = Estimate::of(&[1.0, 3.0]);
        assert_eq!(mean, 2.0);
        // Student's distribution with one degree of freedom
        assert!((margin - 12.706).abs() < 1e-3);
        let larger = Estimate::of(&[1.0, 3.0].repeat(200));
        assert!((larger.margin * 20.0 - 1.966).abs() < 0.01);
        assert!(Estimate::of(&[1.0]).margin.is_nan());
    }
}
