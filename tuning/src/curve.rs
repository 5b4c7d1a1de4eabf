//! The logistic curve between centipawns and points.

/// The points expected of a value, 0 to 1.
pub fn expected(value: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-value / scale).exp())
}

/// The scale at which values predict points with the smallest squared error.
pub fn fit_scale(pairs: &[(f64, f64)]) -> f64 {
    golden_section([10f64.ln(), 10_000f64.ln()], |ln_scale| {
        let error = |&(value, points): &(f64, f64)| expected(value, ln_scale.exp()) - points;
        pairs.iter().map(|pair| error(pair).powi(2)).sum()
    })
    .exp()
}

/// The minimum of a unimodal function by golden section, to a thousandth.
pub fn golden_section([mut low, mut high]: [f64; 2], function: impl Fn(f64) -> f64) -> f64 {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    while high - low > 1e-3 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if function(left) < function(right) {
            high = right;
        } else {
            low = left;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_found_again() {
        let pairs: Vec<_> = (-60..60)
            .map(|step| f64::from(step) * 20.0)
            .map(|value| (value, expected(value, 300.0)))
            .collect();
        assert!((fit_scale(&pairs) - 300.0).abs() < 1.0);
    }
}
