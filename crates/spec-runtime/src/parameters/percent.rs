//! Percent-encoding, read strictly: a `%` without two hexadecimal digits is an error, and so is what is not
//! UTF-8.

use std::borrow::Cow;

use crate::rejection::Location;

/// The text that was encoded for a place: in a query `+` is a space, and a header is not encoded at all.
/// The error is a half sentence.
pub(crate) fn decode(location: Location, raw: &str) -> Result<Cow<'_, str>, String> {
    match location {
        Location::Header => Ok(Cow::Borrowed(raw)),
        Location::Path => unescape(Cow::Borrowed(raw)),
        Location::Query if raw.contains('+') => unescape(Cow::Owned(raw.replace('+', " "))),
        Location::Query => unescape(Cow::Borrowed(raw)),
    }
}

fn unescape(raw: Cow<'_, str>) -> Result<Cow<'_, str>, String> {
    if !raw.contains('%') {
        return Ok(raw);
    }
    let is_escape =
        |after: &str| after.len() >= 2 && after.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if !raw.split('%').skip(1).all(is_escape) {
        return Err("has a % that is not followed by two hexadecimal digits".to_owned());
    }
    match percent_encoding::percent_decode_str(&raw).decode_utf8() {
        Ok(text) => Ok(Cow::Owned(text.into_owned())),
        Err(_) => Err("is not UTF-8".to_owned()),
    }
}
