//! Texts that could not be read, as error messages show them.

/// The beginning of a text from outside, fit to stand in a message of one short
/// line: at most 60 characters, `?` for those that are not text, and `...` where
/// something was cut off.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const LENGTH: usize = 60;
    let is_odd = |c: char| c != ' ' && (c.is_whitespace() || c.is_control() || c == '\u{feff}');
    let printable = text.chars().map(|c| if is_odd(c) { '?' } else { c });
    let mut start: String = printable.take(LENGTH).collect();
    if text.chars().nth(LENGTH).is_some() {
        start.push_str("...");
    }
    start
}

#[cfg(test)]
mod tests {
    use super::excerpt;
    use crate::board::{Move, Position, Square};

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("h2e9x"), "h2e9x");
        assert_eq!(excerpt("a\0b\nc d\u{85}"), "a?b?c d?");
        assert_eq!(excerpt(&"帅".repeat(5000)).chars().count(), 63);
    }

    #[test]
    fn any_text_makes_a_short_line() {
        for text in ["\0\u{1b}", &"\u{7}".repeat(1_000_000)] {
            let side = Position::from_fen(&format!("4k4/9/9/9/9/9/9/9/9/3K5 {text}"));
            let piece = Position::from_fen(&format!("{text}/9/9/9/9/9/9/9/9/9"));
            for message in [
                text.parse::<Square>().unwrap_err().to_string(),
                text.parse::<Move>().unwrap_err().to_string(),
                side.unwrap_err().to_string(),
                piece.unwrap_err().to_string(),
            ] {
                assert!(message.contains("' is not a "), "{message}");
                assert!(message.len() < 220 && !message.contains(char::is_control), "{message}");
            }
        }
    }
}
