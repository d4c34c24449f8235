//! Splits a query string and decodes percent-encoding strictly: a `%` without two hexadecimal digits is an error, and
//! so is text that is not UTF-8.

use std::borrow::Cow;

use super::shape::DecodeText;
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

/// The pairs in the values of the header `Cookie` (RFC 6265, section 4.2.1). What is not a pair is ignored: cookies come
/// from other servers too.
pub(crate) fn split_cookies<'r>(headers: &[&'r str]) -> Vec<(Cow<'r, str>, &'r str)> {
    let pairs = headers.iter().flat_map(|header| header.split(';'));
    pairs
        .filter_map(|pair| {
            let (name, value) = pair.trim_matches([' ', '\t']).split_once('=')?;
            let unquoted = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
            Some((Cow::Borrowed(name), unquoted.unwrap_or(value)))
        })
        .collect()
}

/// Percent-decodes the value of a parameter. In a query `+` is a space; headers are not encoded at all. The error is a
/// phrase to follow the name of the parameter.
pub(crate) fn decode(location: ParameterLocation, raw: &str) -> Result<Cow<'_, str>, String> {
    of_location(location)(raw)
}

/// The function that decodes the values of parameters in a location.
pub(crate) fn of_location(location: ParameterLocation) -> DecodeText {
    match location {
        ParameterLocation::Header => decode_header,
        ParameterLocation::Query => decode_query,
        ParameterLocation::Path | ParameterLocation::Cookie => decode_percent,
    }
}

// Items of arrays may have white space around them; around the whole value, HTTP has removed it.
fn decode_header(raw: &str) -> Result<Cow<'_, str>, String> {
    Ok(Cow::Borrowed(raw.trim_matches([' ', '\t'])))
}

fn decode_query(raw: &str) -> Result<Cow<'_, str>, String> {
    if raw.contains('+') {
        Ok(Cow::Owned(
            decode_percent(&raw.replace('+', " "))?.into_owned(),
        ))
    } else {
        decode_percent(raw)
    }
}

fn decode_percent(raw: &str) -> Result<Cow<'_, str>, String> {
    if !raw.contains('%') {
        return Ok(Cow::Borrowed(raw));
    }
    let starts_with_hex =
        |text: &str| text.len() >= 2 && text.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if !raw.split('%').skip(1).all(starts_with_hex) {
        return Err("has a % that is not followed by two hexadecimal digits".to_owned());
    }
    match percent_encoding::percent_decode_str(raw).decode_utf8() {
        Ok(text) => Ok(Cow::Owned(text.into_owned())),
        Err(_) => Err("is not UTF-8".to_owned()),
    }
}
