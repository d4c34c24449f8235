//! Compares a value with what became of it in types: it was read and written again.

use std::collections::HashSet;

use serde_json::{Number, Value};

/// Compares values of the schemas of a document.
///
/// These are the same: null and nothing; an absent property and its default; numbers of the same value; a fraction and its
/// rounding to 32 bits; texts for the same time, address or UUID. Properties that no schema names need not be kept.
#[derive(Debug)]
pub struct Comparison {
    /// The properties that the document names.
    named: HashSet<String>,
    /// Those of them that have a default.
    with_default: HashSet<String>,
}

impl Comparison {
    /// Collects the properties of a document.
    #[must_use]
    pub fn new(document: &Value) -> Comparison {
        let mut comparison = Comparison {
            named: HashSet::new(),
            with_default: HashSet::new(),
        };
        comparison.collect(document, document);
        comparison
    }

    fn collect(&mut self, document: &Value, value: &Value) {
        if let Some(Value::Object(properties)) = value.get("properties") {
            for (name, schema) in properties {
                self.named.insert(name.clone());
                let target = spec_schema::resolve(document, schema).unwrap_or(schema);
                if target.to_string().contains("\"default\"") {
                    self.with_default.insert(name.clone());
                }
            }
        }
        if let Some(Value::Array(names)) = value.get("required") {
            let names = names.iter().filter_map(Value::as_str);
            self.named.extend(names.map(str::to_owned));
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect(document, item)),
            Value::Object(members) => {
                members
                    .values()
                    .for_each(|item| self.collect(document, item));
            }
            _ => {}
        }
    }

    /// Where a value that arrived differs from the one that was sent: a JSON pointer and a word about the difference.
    #[must_use]
    pub fn find_difference(&self, sent: &Value, got: &Value) -> Option<String> {
        match (sent, got) {
            (Value::Object(sent), Value::Object(got)) => {
                let lost = sent.iter().find_map(|(name, value)| {
                    // Samples call a property beyond the schema so; a map keeps it.
                    let known = self.named.contains(name) || name == "another-name";
                    match got.get(name) {
                        _ if value.is_null() => None,
                        None => known.then(|| format!("/{name} is lost, which")),
                        Some(other) => self
                            .find_difference(value, other)
                            .map(|at| format!("/{name}{at}")),
                    }
                });
                let added = || {
                    let mut added = got.iter().filter(|(name, value)| {
                        let absent = !sent.contains_key(*name) && !value.is_null();
                        absent && !self.with_default.contains(*name)
                    });
                    added
                        .next()
                        .map(|(name, _)| format!("/{name} is new, which"))
                };
                lost.or_else(added)
            }
            (Value::Array(sent), Value::Array(got)) if sent.len() == got.len() => {
                let mut pairs = sent.iter().zip(got).enumerate();
                pairs.find_map(|(index, (sent, got))| {
                    self.find_difference(sent, got)
                        .map(|at| format!("/{index}{at}"))
                })
            }
            (Value::Number(sent), Value::Number(got)) => {
                (!is_same_number(sent, got)).then(String::new)
            }
            (Value::String(sent), Value::String(got)) => {
                let time = |text: &str| text.parse::<chrono::DateTime<chrono::Utc>>().ok();
                let same = sent == got
                    || sent.eq_ignore_ascii_case(got)
                    || time(sent).is_some() && time(sent) == time(got);
                (!same).then(String::new)
            }
            (sent, got) => (sent != got).then(String::new),
        }
    }
}

/// Whether two numbers have the same value. Integers are compared exactly, since 64 bits of them are more than an `f64` has.
fn is_same_number(a: &Number, b: &Number) -> bool {
    if let Some((a, b)) = a.as_i128().zip(b.as_i128()) {
        return a == b;
    }
    let numbers = a.as_f64().zip(b.as_f64());
    numbers.is_some_and(|(a, b)| a == b || is_rounding(a, b) || is_rounding(b, a))
}

/// Whether `rounded` is what a `float`, which has 32 bits, keeps of a number that is not an integer.
fn is_rounding(number: f64, rounded: f64) -> bool {
    // From here on, an `f64` has no fractions, and not all integers.
    const MAX_INTEGER: f64 = 9_007_199_254_740_992.0;
    let is_integer = number.fract() == 0.0 && number.abs() < MAX_INTEGER;
    !is_integer && f64::from(number as f32) == rounded
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_compared_exactly_and_fractions_may_lose_bits() {
        let comparison = Comparison::new(&json!({}));
        let rounded = f64::from(0.1_f32);
        let rows = [
            (json!(1), json!(1.0), true),
            (json!(0.1), json!(rounded), true),
            (json!(rounded), json!(0.1), true),
            (json!(1e38), json!(f64::from(1e38_f32)), true),
            (json!(0.999_999_999_9), json!(1.0), true),
            (json!(16_777_216), json!(16_777_217), false),
            (json!(16_777_217), json!(16_777_216.0), false),
            (json!(16_777_217.0), json!(16_777_216.0), false),
            (json!(i64::MAX), json!(i64::MAX - 1), false),
            (json!(u64::MAX), json!(-1), false),
            (json!(0.1), json!(0.100_001), false),
            (json!(0.123_456_789), json!(0.123_456_788), false),
        ];
        for (sent, got, same) in rows {
            let found = comparison.find_difference(&sent, &got);
            assert_eq!(found.is_none(), same, "{sent} {got}");
        }
    }

    #[test]
    fn values_differ_if_a_type_loses_or_changes_something() {
        let document = json!({ "properties": {
            "a": {}, "when": { "format": "date-time" }, "size": { "default": 3 }
        } });
        let comparison = Comparison::new(&document);
        let rows = [
            (json!({"a": null}), json!({}), None),
            (json!({"a": 1}), json!({"a": 1.0, "size": 3}), None),
            (json!({"a": 0.1}), json!({"a": f64::from(0.1_f32)}), None),
            (json!({"b": 1}), json!({}), None),
            (
                json!({"when": "2026-01-01T01:00:00+01:00"}),
                json!({"when": "2026-01-01T00:00:00Z"}),
                None,
            ),
            (json!({"a": 1}), json!({}), Some("/a is lost, which")),
            (json!({}), json!({"a": 1}), Some("/a is new, which")),
            (json!([1, {"a": 1}]), json!([1, {"a": 2}]), Some("/1/a")),
            (json!("a"), json!("b"), Some("")),
            (json!(1), json!("1"), Some("")),
        ];
        for (sent, got, expected) in rows {
            let found = comparison.find_difference(&sent, &got);
            assert_eq!(found.as_deref(), expected, "{sent} {got}");
        }
    }
}
