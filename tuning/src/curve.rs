//! The logistic curve between centipawns and points.

/// The points expected of a value, 0 to 1.
pub fn expected(value: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-value / scale).exp())
}

/// Scales of any use, centipawns.
const SCALES: [f64; 2] = [10.0, 10_000.0];

/// The scale at which values predict points with the smallest squared error.
pub fn fit_scale(pairs: &[(f64, f64)]) -> f64 {
    golden_section(SCALES.map(f64::ln), |ln_scale| {
        let error = |&(value, points): &(f64, f64)| expected(value, ln_scale.exp()) - points;
        pairs.iter().map(|pair| error(pair).powi(2)).sum()
    })
    .exp()
}

/// Whether a fitted scale is one of an end, which says that values do not predict
/// points.
pub fn is_extreme(scale: f64) -> bool {
    let [least, most] = SCALES;
    // within what the search for the minimum leaves open
    !(1.01 * least..most / 1.01).contains(&scale)
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
        let scale = fit_scale(&pairs);
        assert!((scale - 300.0).abs() < 1.0 && !is_extreme(scale));
        let wrong: Vec<_> = pairs.iter().map(|&(value, points)| (-value, points)).collect();
        let certain = [(1.0, 1.0), (-1.0, 0.0)];
        assert!(is_extreme(fit_scale(&wrong)) && is_extreme(fit_scale(&certain)));
    }
}
