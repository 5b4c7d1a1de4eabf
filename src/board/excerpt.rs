//! Texts that could not be read, as error messages show them.

/// The start of a text with control characters escaped, so that the message
/// stays one short line.
pub fn excerpt(text: &str) -> String {
    const LENGTH: usize = 20;
    let mut excerpt: String = text.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    if text.chars().nth(LENGTH).is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use crate::board::{Move, Position, Square};

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
