//! Text in the encodings of Chinese programs.

use std::borrow::Cow;

use encoding_rs::GB18030;

/// The text of bytes that are UTF-8, or else taken for GB18030, of which GBK is
/// a part; what is neither becomes characters that mean nothing.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => GB18030.decode_without_bom_handling(bytes).0,
    }
}
