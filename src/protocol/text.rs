//! Words in, lines out: the lexical rules that both protocols share.

use std::fmt::{self, Write};

/// A separator of words: blanks, tabs, stray carriage returns, NULs and other ASCII controls, and
/// the byte-order mark with which some shells begin a stream.
pub(super) fn is_blank(c: char) -> bool {
    c <= ' ' || c == '\u{7f}' || c == '\u{feff}'
}

/// A cursor over the words of a line, which can also hand out the rest of the line as it stands.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    /// What is left. Neither begins nor ends with a blank.
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.trim_matches(is_blank) }
    }

    /// Everything that has not been taken yet, without blanks at either end.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word, left in place.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Takes the next word if it is this keyword, in any letter case.
    pub(super) fn accept(&mut self, keyword: &str) -> bool {
        let found = self.peek().is_some_and(|word| word.eq_ignore_ascii_case(keyword));
        if found {
            self.next();
        }
        found
    }

    /// Takes words up to the first that `ends` accepts, which stays; joins them with single blanks.
    pub(super) fn join_until(&mut self, ends: impl Fn(&str) -> bool) -> String {
        let mut joined = String::new();
        while let Some(word) = self.peek() {
            if ends(word) {
                break;
            }
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined.push_str(word);
            self.next();
        }
        joined
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let end = self.rest.find(is_blank).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start_matches(is_blank);
        (!word.is_empty()).then_some(word)
    }
}

/// Longer than every keyword of both protocols.
const KEYWORD_BYTES: usize = 16;

/// A word in lower case, for matching against keywords without allocating.
pub(super) struct Lower {
    bytes: [u8; KEYWORD_BYTES],
    len: usize,
}

impl Lower {
    /// Folds ASCII letters; a word longer than any keyword becomes the empty string.
    pub(super) fn new(word: &str) -> Self {
        let mut bytes = [0; KEYWORD_BYTES];
        let len = if word.len() <= KEYWORD_BYTES { word.len() } else { 0 };
        bytes[..len].copy_from_slice(&word.as_bytes()[..len]);
        bytes.make_ascii_lowercase();
        Self { bytes, len }
    }

    pub(super) fn as_str(&self) -> &str {
        // Folding ASCII letters keeps UTF-8 valid, so the fallback is never taken.
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

/// A whole number of any length, saturating; a fraction is cut off (some programs send `1500.0`).
/// `None` if the word is not a number.
pub(super) fn number(word: &str) -> Option<i128> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let shift =
        |sum: i128, byte: u8| sum.saturating_mul(10).saturating_add(i128::from(byte - b'0'));
    let magnitude = whole.bytes().fold(0, shift);
    Some(if negative { -magnitude } else { magnitude })
}

/// Clamps a parsed number between 0 and `high`.
pub(super) fn clamp_u64(value: i128, high: u64) -> u64 {
    // The clamped value lies within u64, so the conversion cannot fail.
    u64::try_from(value.clamp(0, i128::from(high))).unwrap_or(high)
}

/// Clamps a parsed number into `u32`.
pub(super) fn clamp_u32(value: i128) -> u32 {
    u32::try_from(value.max(0)).unwrap_or(u32::MAX)
}

/// Clamps a parsed number into `i32`.
pub(super) fn clamp_i32(value: i128) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}

/// Clamps a parsed number into `i64`.
pub(super) fn clamp_i64(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

/// One outgoing line. Control characters become blanks, so that no text from outside can start a
/// line of its own, and what goes beyond the allowed length is dropped.
pub(super) struct Line {
    text: String,
    /// Bytes that may still be written.
    pub(super) room: usize,
}

impl Line {
    /// A line of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), room: limit }
    }

    pub(super) fn put(&mut self, text: impl fmt::Display) {
        // writing to a Line cannot fail
        let _ = write!(self, "{text}");
    }

    /// ` keyword value`, or nothing without a value.
    pub(super) fn pair(&mut self, keyword: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            self.put(format_args!(" {keyword} {value}"));
        }
    }

    /// ` keyword` if it holds.
    pub(super) fn flag(&mut self, keyword: &str, holds: bool) {
        if holds {
            self.put(format_args!(" {keyword}"));
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let kept = &text[..text.floor_char_boundary(self.room)];
        // Once something was dropped, nothing that belongs behind it may follow.
        self.room = if kept.len() == text.len() { self.room - kept.len() } else { 0 };
        self.text.extend(kept.chars().map(|c| if c.is_ascii_control() { ' ' } else { c }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_any_run_of_controls() {
        let words: Vec<_> = Words::new("\u{feff}  go\t\tdepth\0 5 \r").collect();
        assert_eq!(words, ["go", "depth", "5"]);
        assert_eq!(Words::new(" \0\r\n").next(), None);
    }

    #[test]
    fn the_rest_keeps_its_inner_blanks() {
        let mut words = Words::new("setoption  bookfiles  my  book.dat \r");
        assert_eq!((words.next(), words.next()), (Some("setoption"), Some("bookfiles")));
        assert_eq!(words.rest(), "my  book.dat");
        assert!(!words.accept("book.dat"));
        assert_eq!(words.join_until(|_| false), "my book.dat");
        assert_eq!(words.rest(), "");
    }

    #[test]
    fn keywords_fold_case_and_length() {
        assert_eq!(Lower::new("OppIncrement").as_str(), "oppincrement");
        assert_eq!(Lower::new("帅DEPTH").as_str(), "帅depth");
        assert_eq!(Lower::new("oppincrementoppincrement").as_str(), "");
    }

    #[test]
    fn numbers_saturate_and_garbage_is_refused() {
        assert_eq!(number("12"), Some(12));
        assert_eq!(number("+12.75"), Some(12));
        assert_eq!(number("-7"), Some(-7));
        for garbage in ["", "-", "+", ".", ".5", "1x", "x1", "--1", "1e3", "１２", "1.x", "0x10"]
        {
            assert_eq!(number(garbage), None, "{garbage}");
        }
        let huge = "9".repeat(1000);
        assert_eq!(clamp_u64(number(&huge).unwrap(), u64::MAX), u64::MAX);
        assert_eq!(clamp_u32(number(&huge).unwrap()), u32::MAX);
        assert_eq!(clamp_i32(number(&format!("-{huge}")).unwrap()), i32::MIN);
        assert_eq!(clamp_i64(number(&huge).unwrap()), i64::MAX);
        assert_eq!(clamp_u64(-5, 9), 0);
        assert_eq!(clamp_u32(-5), 0);
    }

    #[test]
    fn lines_are_clean_and_end_at_the_limit() {
        let mut line = Line::new(100);
        line.put(format_args!("id name a\nquit\0{}\r", 5));
        assert_eq!(line.into_text(), "id name a quit 5 ");

        let mut line = Line::new(4);
        line.put("帅帅");
        line.put("x");
        assert_eq!(line.room, 0);
        assert_eq!(line.into_text(), "帅", "a character is never cut, and nothing follows the cut");
    }
}
