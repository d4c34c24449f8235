//! Compares a value with what became of it in types: it was read and written again.

use std::net::IpAddr;

use serde_json::{Number, Value};

use crate::applicable::Applicable;

/// Compares values of the schemas of a document.
///
/// These are the same: null and nothing, unless there is a default; an absent property and its default; numbers of the same
/// value; a fraction and its rounding to 32 bits if its format is `float`; texts for the same time, address or UUID if their
/// format says so. Properties that no schema names or allows need not be kept.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'d> {
    document: &'d Value,
}

impl<'d> Comparison<'d> {
    /// Compares values of the schemas of this document.
    #[must_use]
    pub fn new(document: &'d Value) -> Comparison<'d> {
        Comparison { document }
    }

    /// Where a value of the schema that arrived differs from the one that was sent: a JSON pointer and a word about the
    /// difference.
    #[must_use]
    pub fn find_difference(&self, schema: &Value, sent: &Value, got: &Value) -> Option<String> {
        differ(&Applicable::new(self.document, schema), sent, got)
    }

    /// Whether a value that arrived is a default of the schema.
    #[must_use]
    pub fn is_default(&self, schema: &Value, got: &Value) -> bool {
        is_default(&Applicable::new(self.document, schema), got)
    }

    /// Whether the schema has a default other than null.
    #[must_use]
    pub fn has_default(&self, schema: &Value) -> bool {
        let applicable = Applicable::new(self.document, schema);
        applicable.defaults().next().is_some()
    }
}

fn differ(schema: &Applicable<'_>, sent: &Value, got: &Value) -> Option<String> {
    match (sent, got) {
        (Value::Object(sent), Value::Object(got)) => {
            let lost = sent.iter().find_map(|(name, value)| {
                let property = schema.property(name);
                match got.get(name) {
                    None if value.is_null() => property
                        .defaults()
                        .next()
                        .map(|_| format!("/{name} is no longer null, which")),
                    None => schema
                        .keeps(name)
                        .then(|| format!("/{name} is lost, which")),
                    Some(other) => differ(&property, value, other).map(|at| format!("/{name}{at}")),
                }
            });
            let added = || {
                let mut added = got
                    .iter()
                    .filter(|(name, value)| !sent.contains_key(*name) && !value.is_null());
                added
                    .find(|(name, value)| !is_default(&schema.property(name), value))
                    .map(|(name, _)| format!("/{name} is new, which"))
            };
            lost.or_else(added)
        }
        (Value::Array(sent), Value::Array(got)) if sent.len() == got.len() => {
            let items = schema.items();
            let mut pairs = sent.iter().zip(got).enumerate();
            pairs.find_map(|(index, (sent, got))| {
                differ(&items, sent, got).map(|at| format!("/{index}{at}"))
            })
        }
        (Value::Number(sent), Value::Number(got)) => {
            let is_float = schema.has_format(&["float"]);
            (!is_same_number(sent, got, is_float)).then(String::new)
        }
        (Value::String(sent), Value::String(got)) => {
            (!is_same_text(schema, sent, got)).then(String::new)
        }
        (sent, got) => (sent != got).then(String::new),
    }
}

/// Whether a value is one of the defaults. The type of a default may add those of its own properties.
fn is_default(schema: &Applicable<'_>, got: &Value) -> bool {
    let mut defaults = schema.defaults();
    defaults.any(|default| differ(schema, default, got).is_none())
}

fn is_same_text(schema: &Applicable<'_>, sent: &str, got: &str) -> bool {
    let time = |text: &str| text.parse::<chrono::DateTime<chrono::Utc>>().ok();
    let address = |text: &str| text.parse::<IpAddr>().ok();
    sent == got
        || schema.has_format(&["uuid"]) && sent.eq_ignore_ascii_case(got)
        || schema.has_format(&["date-time"]) && time(sent).is_some() && time(sent) == time(got)
        || schema.has_format(&["ip", "ipv4", "ipv6"])
            && address(sent).is_some()
            && address(sent) == address(got)
}

/// Whether two numbers have the same value. Integers are compared exactly, since 64 bits of them are more than an `f64` has.
fn is_same_number(a: &Number, b: &Number, is_float: bool) -> bool {
    if let Some((a, b)) = a.as_i128().zip(b.as_i128()) {
        return a == b;
    }
    let numbers = a.as_f64().zip(b.as_f64());
    numbers.is_some_and(|(a, b)| a == b || is_float && (is_rounding(a, b) || is_rounding(b, a)))
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
    fn integers_are_compared_exactly_and_floats_may_lose_bits() {
        let document = json!({});
        let comparison = Comparison::new(&document);
        let rounded = f64::from(0.1_f32);
        let float = json!({ "format": "float" });
        let rows = [
            (&float, json!(1), json!(1.0), true),
            (&float, json!(0.1), json!(rounded), true),
            (&float, json!(rounded), json!(0.1), true),
            (&float, json!(1e38), json!(f64::from(1e38_f32)), true),
            (&float, json!(0.999_999_999_9), json!(1.0), true),
            (&float, json!(16_777_216), json!(16_777_217), false),
            (&float, json!(16_777_217), json!(16_777_216.0), false),
            (&float, json!(16_777_217.0), json!(16_777_216.0), false),
            (&float, json!(i64::MAX), json!(i64::MAX - 1), false),
            (&float, json!(u64::MAX), json!(-1), false),
            (&float, json!(0.1), json!(0.100_001), false),
            (&float, json!(0.123_456_789), json!(0.123_456_788), false),
            (&document, json!(0.1), json!(rounded), false),
        ];
        for (schema, sent, got, same) in rows {
            let found = comparison.find_difference(schema, &sent, &got);
            assert_eq!(found.is_none(), same, "{schema} {sent} {got}");
        }
    }

    #[test]
    fn values_differ_if_a_type_loses_or_changes_something() {
        let document = json!({ "components": { "schemas": { "Sized": { "properties": {
            "size": { "default": 3 },
            "inner": { "default": {}, "allOf": [{ "$ref": "#/components/schemas/Sized" }] }
        } } } } });
        let schema = json!({
            "allOf": [{ "$ref": "#/components/schemas/Sized" }],
            "properties": {
                "a": {}, "when": { "format": "date-time" }, "id": { "format": "uuid" },
                "open": { "additionalProperties": true }, "closed": { "properties": { "a": {} } }
            }
        });
        let comparison = Comparison::new(&document);
        let rows = [
            (json!({"a": null}), json!({}), None),
            (json!({"a": 1}), json!({"a": 1.0, "size": 3}), None),
            (json!({}), json!({"inner": {"size": 3}}), None),
            (json!({"b": 1}), json!({}), None),
            (json!({"closed": {"b": 1}}), json!({"closed": {}}), None),
            (json!({"id": "AB"}), json!({"id": "ab"}), None),
            (
                json!({"when": "2026-01-01T01:00:00+01:00"}),
                json!({"when": "2026-01-01T00:00:00Z"}),
                None,
            ),
            (json!({"a": 1}), json!({}), Some("/a is lost, which")),
            (json!({}), json!({"a": 1}), Some("/a is new, which")),
            (json!({}), json!({"size": 4}), Some("/size is new, which")),
            (
                json!({}),
                json!({"inner": {"size": 4}}),
                Some("/inner is new, which"),
            ),
            (
                json!({"size": null}),
                json!({}),
                Some("/size is no longer null, which"),
            ),
            (json!({"size": null}), json!({"size": 3}), Some("/size")),
            (
                json!({"open": {"b": 1}}),
                json!({"open": {}}),
                Some("/open/b is lost, which"),
            ),
            (json!({"a": "AB"}), json!({"a": "ab"}), Some("/a")),
            (json!([1, {"a": 1}]), json!([1, {"a": 2}]), Some("/1/a")),
            (json!("a"), json!("b"), Some("")),
            (json!(1), json!("1"), Some("")),
        ];
        for (sent, got, expected) in rows {
            let found = comparison.find_difference(&schema, &sent, &got);
            assert_eq!(found.as_deref(), expected, "{sent} {got}");
        }
    }
}
