//! How parameters are escaped in each part of a request, and how queries and cookies are split into pairs. Decoding is
//! strict: a `%` without two hexadecimal digits is an error, and so is text that is not UTF-8.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::wire::parameter::{Encoding, Location, Style};

/// Everything but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &without(NON_ALPHANUMERIC, b"-._~");

/// What is encoded even where reserved characters are allowed, because it would end the value or change its meaning.
const ALLOW_RESERVED: &AsciiSet = &without(RESERVED, b":/?@!$'()*,;=[]");

/// As [`ALLOW_RESERVED`], and the comma, which separates items.
const ALLOW_RESERVED_ITEM: &AsciiSet = &ALLOW_RESERVED.add(b',');

/// What is encoded in `{+name}` of a path: what would end the path, or cannot be in it.
const RESERVED_PATH: &AsciiSet = &ALLOW_RESERVED
    .add(b'?')
    .add(b'[')
    .add(b']')
    .remove(b'&')
    .remove(b'+');

/// As [`RESERVED_PATH`], and what separates the parts of lists and objects.
const RESERVED_PATH_ITEM: &AsciiSet = &RESERVED_PATH.add(b',').add(b';').add(b'=');

/// What RFC 6265, section 4.1.1, does not allow in the value of a cookie, and the percent sign.
const COOKIE: &AsciiSet = &without(NON_ALPHANUMERIC, b"!#$&'()*+-./:<=>?@[]^_`{|}~");

const fn without(set: &AsciiSet, characters: &[u8]) -> AsciiSet {
    let mut set = set.remove(characters[0]);
    let mut index = 1;
    while index < characters.len() {
        set = set.remove(characters[index]);
        index += 1;
    }
    set
}

/// Whether a cookie can hold a text that is not escaped (RFC 6265, section 4.1.1). Most servers read the comma, too.
pub(crate) fn fits_cookie(text: &str) -> bool {
    let is_allowed = |c| matches!(c, '!' | '#'..=':' | '<'..='[' | ']'..='~');
    text.chars().all(is_allowed)
}

/// Which characters of a text are percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// None: the value of a header.
    Nothing,
    Reserved,
    AllowReserved,
    AllowReservedItem,
    /// A slash that was encoded before stays so, and differs from one that was not.
    ReservedPath,
    ReservedPathItem,
    Cookie,
}

impl Escape {
    pub(crate) fn encode(self, text: &str) -> Cow<'_, str> {
        let set = match self {
            Escape::Nothing => return Cow::Borrowed(text),
            Escape::Reserved => RESERVED,
            Escape::AllowReserved => ALLOW_RESERVED,
            Escape::AllowReservedItem => ALLOW_RESERVED_ITEM,
            Escape::ReservedPath => RESERVED_PATH,
            Escape::ReservedPathItem => RESERVED_PATH_ITEM,
            Escape::Cookie => COOKIE,
        };
        let encoded = Cow::from(utf8_percent_encode(text, set));
        match self {
            Escape::ReservedPath | Escape::ReservedPathItem if encoded.contains("%252") => {
                Cow::Owned(encoded.replace("%252F", "%2F").replace("%252f", "%2f"))
            }
            _ => encoded,
        }
    }
}

/// Decodes the text of a value.
pub(crate) type DecodeText = for<'r> fn(&'r str) -> Result<Cow<'r, str>, String>;

/// Splits a query string into name-value pairs, in order. Names are decoded; values are not, because their separators
/// must be found first.
///
/// # Errors
/// A name cannot be decoded.
pub fn split_query(query: &str) -> Result<Vec<(Cow<'_, str>, &str)>, String> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode_query(name)
                .map_err(|problem| format!("the name of a query parameter {problem}"))?;
            Ok((name, value))
        })
        .collect()
}

/// The pairs in the values of the header `Cookie` (RFC 6265, section 4.2.1). What is not a pair is ignored: cookies come
/// from other servers too.
pub fn split_cookies<'r>(headers: &[&'r str]) -> Vec<(Cow<'r, str>, &'r str)> {
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
///
/// # Errors
/// The text is not UTF-8, percent-encoded.
pub fn decode(location: Location, raw: &str) -> Result<Cow<'_, str>, String> {
    of_location(location)(raw)
}

/// Percent-encodes a text so that it can be a segment of a path: all but the unreserved characters (RFC 3986, section 2.3).
pub fn encode_segment(text: &str) -> Cow<'_, str> {
    Escape::Reserved.encode(text)
}

/// Takes the escapes out of the values of a parameter.
pub(crate) fn of_encoding(location: Location, encoding: Encoding) -> DecodeText {
    match encoding {
        // Nothing is escaped.
        Encoding::Style {
            style: Style::Cookie,
            ..
        } => decode_header,
        // It is no form: a plus sign is one.
        Encoding::WholeQuery => decode_percent,
        _ => of_location(location),
    }
}

/// The function that decodes the values of parameters in a location.
pub(crate) fn of_location(location: Location) -> DecodeText {
    match location {
        // Nothing is escaped.
        Location::Header => decode_header,
        Location::Query => decode_query,
        Location::Path | Location::Cookie => decode_percent,
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

/// Prepares the raw text of `{+name}` in a path for [`decode`]: there, `%2F` is no slash and is kept (RFC 6570, section 3.2.3).
pub fn keep_encoded_slashes(raw: &str) -> String {
    raw.replace("%2F", "%252F").replace("%2f", "%252f")
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
    match percent_decode_str(raw).decode_utf8() {
        Ok(text) => Ok(Cow::Owned(text.into_owned())),
        Err(_) => Err("is not UTF-8".to_owned()),
    }
}
