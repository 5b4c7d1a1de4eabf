//! A mean and how far the truth may be from it.

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
        let margin = 1.96 * sample.std_dev() / (sample.len() as f64).sqrt();
        Estimate { mean: sample.mean(), margin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_shrinks_with_the_root_of_the_sample() {
        let Estimate { mean, margin } = Estimate::of(&[1.0, 3.0]);
        assert_eq!(mean, 2.0);
        assert!((margin - 1.96).abs() < 1e-12);
        let larger = Estimate::of(&[1.0, 3.0].repeat(200));
        assert!((larger.margin * 20.0 - 1.96).abs() < 0.01);
        assert!(Estimate::of(&[1.0]).margin.is_nan());
    }
}
