//! Canonical text of values: equal values have the same text, whatever the order of keys and the notation of numbers.

use std::hash::{DefaultHasher, Hash, Hasher};

use dropspec_model::{Node, Value};

/// Writes a value as text, equal for equal values.
pub(crate) fn to_text(node: &Node) -> String {
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number_text(number),
        Value::String(text) => quote(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(to_text).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            let members = sorted.into_iter();
            let members = members.map(|(key, member)| quote(key) + ":" + &to_text(&member.node));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

/// Hashes values; hashes are comparable within one run only.
pub(crate) fn hash(parts: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
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
