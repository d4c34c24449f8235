//! Values of YAML scalars by the core schema of YAML 1.2 (section 10.3).

use std::sync::LazyLock;

use regex::Regex;
use saphyr_parser::{ScalarStyle, Tag};
use serde_json::Number;

use crate::node::Value;

/// The integers and floats of the core schema, with infinities and not-a-number.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let decimal = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?";
    let other = r"0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)";
    Regex::new(&format!("^({decimal}|{other})$")).ok()
});

/// Why a scalar has no JSON value, and what to do.
pub(super) type Problem = (String, String);

/// Parses a YAML scalar. Quoted scalars are strings, unless a tag gives another type.
pub(super) fn parse_scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Value, Problem> {
    let string = || Ok(Value::String(text.to_owned()));
    let Some(tag) = tag else {
        return match style {
            ScalarStyle::Plain => parse_plain(text),
            _ => string(),
        };
    };
    let is_core = tag.is_yaml_core_schema();
    if format!("{}{}", tag.handle, tag.suffix) == "!" || is_core && tag.suffix == "str" {
        return string();
    }
    let expected = is_core.then_some(tag.suffix.as_str());
    match (expected, parse_plain(text)?) {
        (Some("null"), value @ Value::Null)
        | (Some("bool"), value @ Value::Bool(_))
        | (Some("float"), value @ Value::Number(_)) => Ok(value),
        (Some("int"), Value::Number(number)) if !number.is_f64() => Ok(Value::Number(number)),
        (Some("null" | "bool" | "int" | "float"), _) => Err((
            format!("`{text}` does not match the tag `{tag}`"),
            "remove the tag, or correct the value".to_owned(),
        )),
        _ => Err(unsupported_tag(tag)),
    }
}

pub(super) fn unsupported_tag(tag: &Tag) -> Problem {
    let message = format!("the tag `{tag}` is not supported");
    (message, "remove it".to_owned())
}

fn parse_plain(text: &str) -> Result<Value, Problem> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if !NUMBER.as_ref().is_some_and(|number| number.is_match(text)) {
        return Ok(Value::String(text.to_owned()));
    }
    parse_number(text).map(Value::Number).ok_or_else(|| {
        // Infinities and not-a-number may be meant as strings.
        if text.contains(|c: char| c.is_ascii_digit()) {
            let help = "write a number that fits into 64 bits".to_owned();
            (format!("the number `{text}` is out of range"), help)
        } else {
            let help = format!("quote it: \"{text}\"");
            (format!("`{text}` is not a JSON number"), help)
        }
    })
}

/// Parses a number of the core schema. `None` if JSON cannot represent it.
fn parse_number(text: &str) -> Option<Number> {
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return Some(u64::from_str_radix(digits, radix).ok()?.into());
        }
    }
    let signed = text.strip_prefix('+').unwrap_or(text);
    if let Ok(integer) = signed.parse::<i64>() {
        return Some(integer.into());
    }
    if let Ok(integer) = signed.parse::<u64>() {
        return Some(integer.into());
    }
    // Rust parses every decimal form of the core schema. Infinite values have no JSON equivalent.
    signed.parse::<f64>().ok().and_then(Number::from_f64)
}
