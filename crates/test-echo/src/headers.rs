//! Compares the headers of a response with the values that were planned.

use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use serde_json::Value;
use spec_client::{Encoding, encode_parameters};

use crate::comparison::Comparison;
use crate::declared::DeclaredHeader;

/// Finds what is wrong with a header of a response that was planned to have this value.
pub(crate) fn check_header(
    comparison: &Comparison<'_>,
    header: &DeclaredHeader,
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
    header: &DeclaredHeader,
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use spec_client::{Parameter, Style};

    use super::*;

    #[test]
    fn header_must_mean_the_planned_value() {
        let plain = |name| Parameter::header(name);
        let exploded = |name| plain(name).style(Style::Simple, true);
        let rows = [
            (plain("x-a"), json!({}), json!("b"), &["b"] as &[_], true),
            (plain("x-a"), json!({}), json!("b"), &["c"], false),
            (plain("x-a"), json!({}), json!("b"), &[], false),
            (plain("x-a"), json!({}), json!("b"), &["b", "b"], false),
            (plain("x-a"), json!({}), json!(1.5), &["1.50"], true),
            (plain("x-a"), json!({}), json!(true), &["True"], false),
            (plain("x-a"), json!({}), json!([1, 2]), &["1,2"], true),
            (plain("x-a"), json!({}), json!({"b": 1}), &["b,1"], true),
            (exploded("x-a"), json!({}), json!({"b": 1}), &["b=1"], true),
            (exploded("x-a"), json!({}), json!({"b": 1}), &["b,1"], false),
            (plain("x-a").json(), json!({}), json!("b"), &["\"b\""], true),
            (plain("x-a").json(), json!({}), json!("b"), &["b"], false),
            (
                plain("x-a"),
                json!({ "format": "date-time" }),
                json!("2026-01-01T01:00:00+01:00"),
                &["2026-01-01T00:00:00Z"],
                true,
            ),
            (
                plain("Set-Cookie"),
                json!({}),
                json!(["a=1", "b=2"]),
                &["a=1", "b=2"],
                true,
            ),
        ];
        let document = json!({});
        for (encoding, schema, planned, sent, expected) in rows {
            let header = DeclaredHeader {
                name: encoding.name,
                required: false,
                schema,
                encoding,
            };
            let mut headers = HeaderMap::new();
            for text in sent {
                headers.append(
                    http::HeaderName::from_bytes(header.name.as_bytes()).unwrap_or(SET_COOKIE),
                    HeaderValue::from_static(text),
                );
            }
            let checked = check_header(&Comparison::new(&document), &header, &planned, &headers);
            assert_eq!(checked.is_ok(), expected, "{planned} {sent:?}");
        }
    }
}
