//! The texts of messages: targets, headers and scalars.

use std::borrow::Cow;

use serde_json::Value;
use wire_codec::{split_cookies, split_query};

use super::Request;

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
    pub(super) fn query(&self) -> Vec<(Cow<'_, str>, &str)> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        split_query(query).unwrap_or_default()
    }

    pub(super) fn cookies(&self) -> Vec<(Cow<'_, str>, &str)> {
        let cookies = header(&self.headers, "Cookie").unwrap_or_default();
        split_cookies(&[cookies])
    }
}

/// The text of a scalar in a path, a query or a header.
pub(super) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
