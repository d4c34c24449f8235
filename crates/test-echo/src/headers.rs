//! Compares the headers of a response with the values that were planned.

use dropspec_client::{Encoding, encode_parameters};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::comparison::Comparison;
use crate::declared::DeclaredParameter;

/// Finds what is wrong with a header of a response that was planned to have this value.
pub(crate) fn check_header(
    comparison: &Comparison<'_>,
    header: &DeclaredParameter,
    planned: &Value,
    headers: &HeaderMap,
) -> Result<(), String> {
    let name = header.name;
    let sent: Vec<&str> = headers
        .get_all(name)
        .iter()
        .map(HeaderValue::to_str)
        .collect::<Result<_, _>>()
        .map_err(|_| format!("the response header `{name}` is not visible ASCII"))?;
    let is_same = match (sent.as_slice(), planned) {
        ([], _) => {
            return Err(format!(
                "the response has no header `{name}`, planned as {planned}"
            ));
        }
        // Each cookie is a header of its own (RFC 6265, section 3).
        (cookies, Value::Array(items)) if name.eq_ignore_ascii_case(SET_COOKIE.as_str()) => items
            .iter()
            .map(Value::as_str)
            .eq(cookies.iter().copied().map(Some)),
        ([text], _) => is_same_text(comparison, header, planned, text),
        _ => false,
    };
    if is_same {
        Ok(())
    } else {
        Err(format!(
            "the response header `{name}` was planned as {planned} and is sent as {sent:?}"
        ))
    }
}

fn is_same_text(
    comparison: &Comparison<'_>,
    header: &DeclaredParameter,
    planned: &Value,
    text: &str,
) -> bool {
    let read = match (header.encoding.encoding, planned) {
        (Encoding::Style { .. }, Value::String(_)) => Some(Value::from(text)),
        (Encoding::Style { .. }, Value::Array(_) | Value::Object(_)) => None,
        _ => serde_json::from_str(text).ok(),
    };
    if let Some(read) = read {
        let schema = &header.schema;
        return comparison.find_difference(schema, planned, &read).is_none();
    }
    match encode_parameters("", [(&header.encoding, planned)]) {
        Ok(parts) => matches!(parts.headers.as_slice(), [(_, expected)] if expected == text),
        // No text means the value, so that none can be wrong.
        Err(_) => true,
    }
}
