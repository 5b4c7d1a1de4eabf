//! Text in the encodings of Chinese programs.

use std::borrow::Cow;

use encoding_rs::GB18030;

/// The text of bytes that are UTF-8, or else taken for GB18030, of which GBK is
/// a part; what is neither becomes characters that mean nothing. A byte order
/// mark is left out.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = without_mark(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => GB18030.decode_without_bom_handling(bytes).0,
    }
}

/// The bytes behind UTF-8's byte order mark, with which some programs begin a
/// file.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read_and_marks_left_out() {
        assert_eq!(decoded("\u{feff}中炮".as_bytes()), "中炮");
        assert_eq!(decoded(b"\xd6\xd0\xc5\xda"), "中炮");
        assert_eq!(decoded(b"\xEF\xBB\xBF"), "");
        assert_eq!(decoded("a\u{feff}".as_bytes()), "a\u{feff}", "a mark is at the beginning");
    }
}
