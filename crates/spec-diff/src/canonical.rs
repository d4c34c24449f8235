//! Canonical text of values: equal values have the same text, whatever the order of keys and the notation of numbers.

use std::hash::{DefaultHasher, Hash, Hasher};

use spec_model::{Node, Value};

/// Writes a value as text, equal for equal values.
pub(crate) fn to_text(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

/// Hashes values; hashes are comparable within one run only.
pub(crate) fn hash(parts: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

fn write(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => out.push_str(&serde_json::Value::from(text.as_str()).to_string()),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&serde_json::Value::from(key.as_str()).to_string());
                out.push(':');
                write(&members[key].node, out);
            }
            out.push('}');
        }
    }
}

/// Writes a number; 10 and 10.0 are equal in JSON.
pub(crate) fn number_text(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(float)
            if number.is_f64() && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 =>
        {
            // Without the sign of a zero.
            format!("{:.0}", float + 0.0)
        }
        _ => number.to_string(),
    }
}
