//! Percent-encoding in paths: what is equivalent to what (RFC 3986, section 6.2.2).

use std::borrow::Cow;

use percent_encoding::AsciiSet;

/// The text of a template as requests write it: what a path cannot contain is percent-encoded.
pub(super) fn encode_literal(text: &str) -> String {
    const OUTSIDE_OF_PATHS: AsciiSet = percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'^')
        .add(b'`');
    let text = decode_unreserved(text);
    let text = uppercase_escapes(&text);
    percent_encoding::utf8_percent_encode(&text, &OUTSIDE_OF_PATHS).to_string()
}

/// Decodes percent-encoded letters, digits, `-`, `.`, `_` and `~`, and nothing else.
pub(super) fn decode_unreserved(path: &str) -> Cow<'_, str> {
    let Some((start, rest)) = path.split_once('%') else {
        return Cow::Borrowed(path);
    };
    let mut decoded = start.to_owned();
    for part in rest.split('%') {
        let byte = part
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                decoded.push(char::from(byte));
                decoded.push_str(&part[2..]);
            }
            _ => {
                decoded.push('%');
                decoded.push_str(part);
            }
        }
    }
    Cow::Owned(decoded)
}

/// Writes the hexadecimal digits of percent-encoded bytes in upper case. The text keeps its length.
pub(super) fn uppercase_escapes(path: &str) -> Cow<'_, str> {
    let is_lower = |escape: &str| escape.bytes().take(2).any(|it| it.is_ascii_lowercase());
    if !path.split('%').skip(1).any(is_lower) {
        return Cow::Borrowed(path);
    }
    let mut upper = path.to_owned();
    for (at, _) in path.match_indices('%') {
        let digits = upper.get_mut(at + 1..at + 3);
        let digits = digits.filter(|hex| hex.bytes().all(|it| it.is_ascii_hexdigit()));
        digits.into_iter().for_each(str::make_ascii_uppercase);
    }
    Cow::Owned(upper)
}
