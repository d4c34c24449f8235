//! The texts of messages: targets, headers and scalars.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use super::Request;

/// All characters but the unreserved ones (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

pub(super) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The value of a header, whatever the case of its name.
pub(super) fn header<'m>(headers: &'m [(String, String)], name: &str) -> Option<&'m str> {
    let found = headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

impl Request {
    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The names and values of the query; the values are still encoded.
    pub(super) fn query(&self) -> Vec<(String, &str)> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        split_pairs(query, '&')
    }

    pub(super) fn cookies(&self) -> Vec<(String, &str)> {
        let cookies = header(&self.headers, "Cookie").unwrap_or_default();
        split_pairs(cookies, ';')
    }
}

pub(super) fn split_pairs(text: &str, separator: char) -> Vec<(String, &str)> {
    let pairs = text.split(separator).filter_map(|it| it.split_once('='));
    pairs
        .map(|(name, value)| (decode(name.trim()), value))
        .collect()
}

/// The text of a scalar in a path, a query or a header.
pub(super) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
