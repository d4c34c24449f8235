//! Compares a value with what became of it in types: it was read and written again.

use std::net::IpAddr;

use dropspec_schema::{Direction, compile, resolve};
use serde_json::{Number, Value};

/// Compares values of the schemas of a document.
///
/// These are the same: null and nothing, unless there is a default; an absent property and its default; numbers of the same
/// value; a fraction and its rounding to 32 bits if its format is `float`; texts for the same time, address or UUID if their
/// format says so. Properties that no schema names or allows need not be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparison<'d> {
    document: &'d Value,
}

impl<'d> Comparison<'d> {
    pub(crate) fn new(document: &'d Value) -> Comparison<'d> {
        Comparison { document }
    }

    /// Where a value of the schema that arrived differs from the one that was sent: a JSON pointer and a word about the
    /// difference.
    pub(crate) fn find_difference(
        &self,
        schema: &Value,
        sent: &Value,
        got: &Value,
    ) -> Option<String> {
        let differ = |is_strict| {
            let applicable = Applicable::new(self.document, [schema], is_strict, sent);
            applicable.differ(sent, got)
        };
        // Members of unions are validated only where it may matter, since that takes long.
        differ(false).and_then(|_| differ(true))
    }

    /// Whether a value that arrived is a default of the schema.
    pub(crate) fn is_default(&self, schema: &Value, got: &Value) -> bool {
        Applicable::new(self.document, [schema], false, got).has_default(Some(got))
    }
}

/// All schemas that may apply to one value: its own, those that it refers to, and the parts of its compositions.
struct Applicable<'d> {
    document: &'d Value,
    schemas: Vec<&'d Value>,
    /// Whether members of unions that reject the value are left out: no type need keep what only they name.
    is_strict: bool,
}

impl<'d> Applicable<'d> {
    fn new(
        document: &'d Value,
        schemas: impl IntoIterator<Item = &'d Value>,
        is_strict: bool,
        value: &Value,
    ) -> Self {
        let mut open: Vec<&Value> = schemas.into_iter().collect();
        let mut schemas: Vec<&Value> = Vec::new();
        while let Some(schema) = open.pop() {
            let Some(schema) = resolve(document, schema) else {
                continue;
            };
            if !schemas.iter().any(|known| std::ptr::eq(*known, schema)) {
                schemas.push(schema);
                open.extend(schema["allOf"].as_array().into_iter().flatten());
                let unions = ["oneOf", "anyOf"].map(|keyword| schema[keyword].as_array());
                for members in unions.into_iter().flatten() {
                    let applies = |it: &&Value| !is_strict || accepts(document, it, value);
                    let applied = open.len();
                    open.extend(members.iter().filter(applies));
                    if open.len() == applied {
                        open.extend(members);
                    }
                }
            }
        }
        Applicable {
            document,
            schemas,
            is_strict,
        }
    }

    fn values(&self, keyword: &str) -> impl Iterator<Item = &'d Value> + Clone {
        self.schemas
            .iter()
            .filter_map(move |schema| schema.get(keyword))
    }

    fn has_format(&self, formats: &[&str]) -> bool {
        let mut found = self.values("format").filter_map(Value::as_str);
        found.any(|format| formats.contains(&format))
    }

    /// The schemas that may apply to a property.
    fn property(&self, name: &str, value: &Value) -> Self {
        let own = self.schemas.iter().filter_map(|schema| {
            let own = schema
                .get("properties")
                .and_then(|properties| properties.get(name));
            own.or_else(|| schema.get("additionalProperties"))
        });
        Self::new(self.document, own, self.is_strict, value)
    }

    /// Whether a type for the schemas must keep a property: one that a schema names or allows, and any if they name none.
    fn keeps(&self, name: &str) -> bool {
        let mut properties = self.values("properties").filter_map(Value::as_object);
        let mut required = self
            .values("required")
            .filter_map(Value::as_array)
            .flatten();
        let mut others = self.values("additionalProperties");
        properties
            .clone()
            .any(|properties| properties.contains_key(name))
            || required.any(|required| required == name)
            || others.any(|others| *others != Value::Bool(false))
            || properties.all(serde_json::Map::is_empty)
    }

    /// Whether there is a default other than null, that is equal to this value. The type of a default may add those of its own
    /// properties.
    fn has_default(&self, got: Option<&Value>) -> bool {
        let mut defaults = self.values("default").filter(|default| !default.is_null());
        defaults.any(|default| got.is_none_or(|got| self.differ(default, got).is_none()))
    }

    fn differ(&self, sent: &Value, got: &Value) -> Option<String> {
        match (sent, got) {
            (Value::Object(sent), Value::Object(got)) => {
                let lost = sent.iter().find_map(|(name, value)| {
                    let property = self.property(name, value);
                    match got.get(name) {
                        None if value.is_null() => property
                            .has_default(None)
                            .then(|| format!("/{name} is no longer null, which")),
                        None => self.keeps(name).then(|| format!("/{name} is lost, which")),
                        Some(other) => property
                            .differ(value, other)
                            .map(|at| format!("/{name}{at}")),
                    }
                });
                let mut added = got
                    .iter()
                    .filter(|(name, value)| !sent.contains_key(*name) && !value.is_null())
                    .filter(|(name, value)| !self.property(name, value).has_default(Some(value)));
                lost.or_else(|| {
                    added
                        .next()
                        .map(|(name, _)| format!("/{name} is new, which"))
                })
            }
            (Value::Array(sent), Value::Array(got)) if sent.len() == got.len() => {
                let mut pairs = sent.iter().zip(got).enumerate();
                pairs.find_map(|(index, (sent, got))| {
                    let items = self.values("items");
                    let items = Self::new(self.document, items, self.is_strict, sent);
                    items.differ(sent, got).map(|at| format!("/{index}{at}"))
                })
            }
            (Value::Number(sent), Value::Number(got)) => {
                let is_float = self.has_format(&["float"]);
                (!is_same_number(sent, got, is_float)).then(String::new)
            }
            (Value::String(sent), Value::String(got)) => {
                (!self.is_same_text(sent, got)).then(String::new)
            }
            (sent, got) => (sent != got).then(String::new),
        }
    }

    fn is_same_text(&self, sent: &str, got: &str) -> bool {
        let time = |text: &str| text.parse::<chrono::DateTime<chrono::Utc>>().ok();
        let address = |text: &str| text.parse::<IpAddr>().ok();
        sent == got
            || self.has_format(&["uuid"]) && sent.eq_ignore_ascii_case(got)
            || self.has_format(&["date-time"]) && time(sent).is_some() && time(sent) == time(got)
            || self.has_format(&["ip", "ipv4", "ipv6"])
                && address(sent).is_some()
                && address(sent) == address(got)
    }
}

/// Whether a schema accepts a value in a request or in a response.
fn accepts(document: &Value, schema: &Value, value: &Value) -> bool {
    [Direction::Request, Direction::Response]
        .into_iter()
        .any(|direction| {
            let validator = compile(document, schema, direction);
            validator.is_ok_and(|of| of.is_valid(value))
        })
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
    fn property_is_kept_if_a_member_that_accepts_the_value_names_it() {
        let document = json!({});
        let schema = json!({ "items": { "anyOf": [
            { "type": "object", "properties": { "icon": { "type": "integer" } } },
            { "type": "object", "properties": { "name": { "type": "string" } } }
        ] } });
        let comparison = Comparison::new(&document);
        for (sent, got, expected) in [
            (json!([{ "icon": "0" }]), json!([{}]), None),
            (
                json!([{ "icon": 1 }]),
                json!([{}]),
                Some("/0/icon is lost, which"),
            ),
            (
                json!([{ "icon": "0", "name": "a" }]),
                json!([{}]),
                Some("/0/name is lost, which"),
            ),
            (
                json!([{ "icon": "0" }]),
                json!([{ "icon": "1" }]),
                Some("/0/icon"),
            ),
        ] {
            let found = comparison.find_difference(&schema, &sent, &got);
            assert_eq!(found.as_deref(), expected, "{sent}");
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
        let rows = json!([
            [{ "a": null }, {}, null],
            [{ "a": 1 }, { "a": 1.0, "size": 3 }, null],
            [{}, { "inner": { "size": 3 } }, null],
            [{ "b": 1 }, {}, null],
            [{ "closed": { "b": 1 } }, { "closed": {} }, null],
            [{ "id": "AB" }, { "id": "ab" }, null],
            [{ "when": "2026-01-01T01:00:00+01:00" }, { "when": "2026-01-01T00:00:00Z" }, null],
            [{ "a": 1 }, {}, "/a is lost, which"],
            [{}, { "a": 1 }, "/a is new, which"],
            [{}, { "size": 4 }, "/size is new, which"],
            [{}, { "inner": { "size": 4 } }, "/inner is new, which"],
            [{ "size": null }, {}, "/size is no longer null, which"],
            [{ "size": null }, { "size": 3 }, "/size"],
            [{ "open": { "b": 1 } }, { "open": {} }, "/open/b is lost, which"],
            [{ "a": "AB" }, { "a": "ab" }, "/a"],
            [[1, { "a": 1 }], [1, { "a": 2 }], "/1/a"],
            ["a", "b", ""],
            [1, "1", ""]
        ]);
        for row in rows.as_array().into_iter().flatten() {
            let found = comparison.find_difference(&schema, &row[0], &row[1]);
            assert_eq!(found.as_deref(), row[2].as_str(), "{row}");
        }
    }
}
