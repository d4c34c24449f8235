//! Values of YAML scalars by the core schema of YAML 1.2 (section 10.3).

use saphyr_parser::{ScalarStyle, Tag};
use serde_json::Number;

use crate::node::Value;

/// Why a YAML scalar has no JSON value, and help to correct it.
pub(super) struct ScalarProblem {
    pub(super) message: String,
    pub(super) help: String,
}

/// Parses a YAML scalar. Quoted scalars are strings, unless a tag gives another type.
pub(super) fn parse_scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Value, ScalarProblem> {
    let Some(tag) = tag else {
        return match style {
            ScalarStyle::Plain => parse_plain(text),
            _ => Ok(Value::String(text.to_owned())),
        };
    };
    let string =
        tag.handle.is_empty() && tag.suffix == "!" || tag.handle == "!" && tag.suffix.is_empty();
    if string || tag.is_yaml_core_schema() && tag.suffix == "str" {
        return Ok(Value::String(text.to_owned()));
    }
    let expected = tag.is_yaml_core_schema().then_some(tag.suffix.as_str());
    match (expected, parse_plain(text)?) {
        (Some("null"), value @ Value::Null)
        | (Some("bool"), value @ Value::Bool(_))
        | (Some("float"), value @ Value::Number(_)) => Ok(value),
        (Some("int"), Value::Number(number)) if !number.is_f64() => Ok(Value::Number(number)),
        (Some("null" | "bool" | "int" | "float"), _) => Err(ScalarProblem {
            message: format!("`{text}` does not match the tag `{tag}`"),
            help: "remove the tag, or correct the value".to_owned(),
        }),
        _ => Err(ScalarProblem {
            message: format!("the tag `{tag}` is not supported"),
            help: "remove it".to_owned(),
        }),
    }
}

fn parse_plain(text: &str) -> Result<Value, ScalarProblem> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if !is_numeric(text) {
        return Ok(Value::String(text.to_owned()));
    }
    parse_number(text)
        .map(Value::Number)
        .ok_or_else(|| number_problem(text))
}

/// Describes a number that JSON cannot represent. Infinities and not-a-number may be meant as strings.
fn number_problem(text: &str) -> ScalarProblem {
    if text.contains(|c: char| c.is_ascii_digit()) {
        return ScalarProblem {
            message: format!("the number `{text}` is out of range"),
            help: "write a number that fits into 64 bits".to_owned(),
        };
    }
    ScalarProblem {
        message: format!("`{text}` is not a JSON number"),
        help: format!("quote it: \"{text}\""),
    }
}

/// Whether a YAML scalar is an integer, float, infinity or not-a-number by the core schema.
fn is_numeric(text: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if let Some(octal) = text.strip_prefix("0o") {
        return !octal.is_empty() && octal.bytes().all(|b| matches!(b, b'0'..=b'7'));
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return !hexadecimal.is_empty() && hexadecimal.bytes().all(|b| b.is_ascii_hexdigit());
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let mantissa_is_one = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    let exponent_is_one = exponent.is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e)));
    mantissa_is_one && exponent_is_one
}

fn parse_number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(Number::from);
    if let Some(octal) = text.strip_prefix("0o") {
        return radix(octal, 8);
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return radix(hexadecimal, 16);
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
