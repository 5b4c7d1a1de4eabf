//! Numbers of the command line that are not any numbers.

use std::ops::RangeBounds;

/// A number from 0 to 1.
pub fn fraction(text: &str) -> Result<f64, String> {
    within(text, 0.0..=1.0, "a number from 0 to 1")
}

/// A number from 0 on.
pub fn not_negative(text: &str) -> Result<f64, String> {
    within(text, 0.0..f64::INFINITY, "a number from 0 on")
}

/// A number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    within(text, f64::MIN_POSITIVE..f64::INFINITY, "a number above 0")
}

fn within(text: &str, range: impl RangeBounds<f64>, wanted: &str) -> Result<f64, String> {
    text.parse().ok().filter(|value| range.contains(value)).ok_or(format!("want {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_such_number_is_refused() {
        for (text, is) in [
            ("0", [true, true, false]),
            ("0.5", [true, true, true]),
            ("7e9", [false, true, true]),
            ("-1", [false; 3]),
            ("nan", [false; 3]),
            ("inf", [false; 3]),
            ("x", [false; 3]),
        ] {
            let found = [fraction, not_negative, positive].map(|parse| parse(text).is_ok());
            assert_eq!(found, is, "{text}");
        }
    }
}
