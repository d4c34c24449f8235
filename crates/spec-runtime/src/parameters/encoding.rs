//! Splits a query string and decodes percent-encoding strictly: a `%` without two hexadecimal digits is an error, and
//! so is text that is not UTF-8.

use std::borrow::Cow;

use crate::rejection::{ParameterLocation, Rejection};

/// Splits a query string into name-value pairs, in order. Names are decoded; values are not, because their separators
/// must be found first.
pub(crate) fn split_query(query: &str) -> Result<Vec<(Cow<'_, str>, &str)>, Rejection> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(ParameterLocation::Query, name).map_err(|problem| {
                Rejection::malformed(format!("the name of a query parameter {problem}"))
            })?;
            Ok((name, value))
        })
        .collect()
}

/// Percent-decodes the value of a parameter. In a query `+` is a space; headers are not encoded at all. The error is a
/// phrase to follow the name of the parameter.
pub(crate) fn decode(location: ParameterLocation, raw: &str) -> Result<Cow<'_, str>, String> {
    let raw = match location {
        ParameterLocation::Header => return Ok(Cow::Borrowed(raw)),
        ParameterLocation::Query if raw.contains('+') => Cow::Owned(raw.replace('+', " ")),
        ParameterLocation::Query | ParameterLocation::Path => Cow::Borrowed(raw),
    };
    if !raw.contains('%') {
        return Ok(raw);
    }
    let starts_with_hex =
        |text: &str| text.len() >= 2 && text.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if !raw.split('%').skip(1).all(starts_with_hex) {
        return Err("has a % that is not followed by two hexadecimal digits".to_owned());
    }
    match percent_encoding::percent_decode_str(&raw).decode_utf8() {
        Ok(text) => Ok(Cow::Owned(text.into_owned())),
        Err(_) => Err("is not UTF-8".to_owned()),
    }
}
