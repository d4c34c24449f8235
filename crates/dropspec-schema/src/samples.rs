//! Samples of the schemas of an OpenAPI document: valid values at the bounds of each keyword, and invalid values just
//! beyond them. The same schema gives the same samples. Each of them was checked by the validator of its schema.

mod arrays;
mod collected;
mod invalid;
mod merged;
mod numbers;
mod pattern;
mod text;
mod valid;

use std::ops::ControlFlow;

use serde_json::Value;

use crate::samples::collected::{Collected, count_values};
use crate::samples::valid::Generator;
use crate::{Direction, SchemaError, compile};

/// How many guesses are tried for an example.
const MOST_GUESSES: usize = 2000;

/// The samples of a schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Values that the schema accepts; empty if none was found.
    pub valid: Vec<Value>,
    /// Values that it rejects, each with the keyword that rejects it.
    pub invalid: Vec<(Value, &'static str)>,
}

impl Samples {
    /// The number of JSON values in all samples, which is a measure of their size in memory.
    pub fn count_values(&self) -> usize {
        let invalid = self.invalid.iter().map(|(value, _)| value);
        self.valid.iter().chain(invalid).map(count_values).sum()
    }
}

/// Makes samples of a schema of a document.
///
/// # Errors
///
/// If the schema has no validator.
///
/// ```
/// use serde_json::json;
/// use dropspec_schema::Direction;
///
/// let schema = json!({ "type": "integer", "minimum": 1, "maximum": 3 });
/// let samples = dropspec_schema::samples::samples(&json!({}), &schema, Direction::Request).unwrap();
/// assert_eq!(samples.valid, [json!(1), json!(3), json!(2)]);
/// assert!(samples.invalid.contains(&(json!(0), "minimum")));
/// assert!(samples.invalid.contains(&(json!(4), "maximum")));
/// ```
pub fn samples(
    document: &Value,
    schema: &Value,
    direction: Direction,
) -> Result<Samples, SchemaError> {
    let validator = compile(document, schema, direction)?;
    let is_valid = |value: &Value| Some(validator.is_valid(value));
    Ok(samples_by(document, schema, &is_valid))
}

/// As [`samples`], by a validator of the schema, which may leave open whether a value is valid.
pub fn samples_by(
    document: &Value,
    schema: &Value,
    is_valid: &dyn Fn(&Value) -> Option<bool>,
) -> Samples {
    let generator = Generator::new(document);
    let mut valid = Collected::default();
    let _ = generator.guess(schema, &mut |value| {
        valid.take((value, ""), |value| is_valid(value) == Some(true))
    });
    let valid: Vec<Value> = valid.samples.into_iter().map(|(value, _)| value).collect();
    let mut invalid = Collected::default();
    let _ = generator.guess_invalid(schema, &valid, &mut |guess| {
        invalid.take(guess, |value| is_valid(value) == Some(false))
    });
    Samples {
        valid,
        invalid: invalid.samples,
    }
}

/// A value for people to look at: of each part the example of the document if it has one, otherwise the most usual value.
/// `None` if no guess is valid.
///
/// # Errors
///
/// If the schema has no validator.
pub fn example(
    document: &Value,
    schema: &Value,
    direction: Direction,
) -> Result<Option<Value>, SchemaError> {
    let validator = compile(document, schema, direction)?;
    let mut generator = Generator::new(document);
    generator.examples_first = true;
    let (mut found, mut left) = (None, MOST_GUESSES);
    let _ = generator.guess(schema, &mut |value| {
        left -= 1;
        found = Some(value).filter(|value| validator.is_valid(value));
        if found.is_some() || left == 0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn example_has_the_examples_of_its_parts() {
        let schema = json!({ "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string", "example": "Rex" },
            "age": { "type": "integer", "example": "old", "minimum": 1 },
            "tags": { "type": "array", "items": { "type": "string", "example": "brown" } }
        } });
        let found = example(&json!({}), &schema, Direction::Response).unwrap();
        assert_eq!(
            found,
            Some(json!({ "name": "Rex", "age": 1, "tags": ["brown"] }))
        );
        let pair = json!({ "prefixItems": [{ "type": "number" }, { "type": "string" }], "items": false, "minItems": 2 });
        let found = example(&json!({}), &pair, Direction::Response).unwrap();
        assert_eq!(found, Some(json!([1, "text"])));
        let different = json!({ "prefixItems": [{ "enum": ["a"] }, { "enum": ["a", "b"] }], "items": false, "minItems": 2, "uniqueItems": true });
        let found = example(&json!({}), &different, Direction::Response).unwrap();
        assert_eq!(found, Some(json!(["a", "b"])));
        let whole = json!({ "type": "integer", "example": 7 });
        let found = example(&json!({}), &whole, Direction::Response).unwrap();
        assert_eq!(found, Some(json!(7)));
        let none = json!({ "type": "integer", "minimum": 3, "maximum": 2 });
        assert_eq!(
            example(&json!({}), &none, Direction::Response).unwrap(),
            None
        );
    }

    #[test]
    fn union_of_schemas_that_extend_its_base_has_a_sample_for_each() {
        let extend = |name: &str| {
            json!({ "allOf": [
                { "$ref": "#/components/schemas/Animal" },
                { "required": [name], "properties": { name: { "type": "boolean" } } }
            ] })
        };
        let document = json!({ "components": { "schemas": {
            "Animal": {
                "required": ["kind"],
                "properties": { "kind": { "type": "string" } },
                "oneOf": [{ "$ref": "#/components/schemas/Lion" }, { "$ref": "#/components/schemas/Zebra" }]
            },
            "Lion": extend("roars"),
            "Zebra": extend("striped")
        } } });
        let schema = json!({ "$ref": "#/components/schemas/Animal" });
        let valid = samples(&document, &schema, Direction::Request)
            .unwrap()
            .valid;
        for name in ["roars", "striped"] {
            assert!(
                valid.iter().any(|value| value.get(name).is_some()),
                "{valid:?}"
            );
        }
    }

    #[test]
    fn samples_of_a_union_with_a_default_name_the_other_variants() {
        let variant = |name: &str| {
            json!({ "type": "object", "required": [name], "additionalProperties": false, "properties": {
                "kind": { "type": "string" }, name: { "type": "boolean" }
            } })
        };
        let document = json!({ "components": { "schemas": {
            "Cat": variant("meows"), "Dog": variant("barks"), "Other": variant("speaks")
        } } });
        let refer = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let schema = json!({
            "oneOf": [refer("Cat"), refer("Dog"), refer("Other")],
            "discriminator": { "propertyName": "kind", "mapping": { "d": "Dog" }, "defaultMapping": "Other" }
        });
        let valid = samples(&document, &schema, Direction::Request)
            .unwrap()
            .valid;
        for value in &valid {
            let expected = match (value.get("meows"), value.get("barks")) {
                (Some(_), _) => Some("Cat"),
                (_, Some(_)) => Some("d"),
                _ => None,
            };
            let kind = value.get("kind").and_then(Value::as_str);
            assert!(expected.is_none() || kind == expected, "{valid:?}");
        }
        for name in ["meows", "barks", "speaks"] {
            assert!(valid.iter().any(|value| value.get(name).is_some()));
        }
        assert!(valid.iter().any(|value| value.get("kind").is_none()));
    }

    #[test]
    fn value_that_must_be_deep_has_a_sample_and_a_circle_of_optional_ones_ends() {
        let inner = |name: &str| {
            json!({ "type": "object", "required": ["a"], "properties": {
            "a": { "type": "array", "minItems": 1, "items": { "$ref": format!("#/{name}") } }
        } })
        };
        let mut document = json!({ "S9": { "type": "object", "properties": {
            "again": { "$ref": "#/S1" }
        } } });
        for level in 1..9 {
            document[format!("S{level}")] = inner(&format!("S{}", level + 1));
        }
        let schema = json!({ "$ref": "#/S1" });
        let found = samples(&document, &schema, Direction::Request).unwrap();
        let depth = found.valid[0].to_string().matches("\"a\"").count();
        assert_eq!(depth, 8, "{:?}", found.valid);
        let endless = json!({ "S": inner("S") });
        let schema = json!({ "$ref": "#/S" });
        let found = samples(&endless, &schema, Direction::Request).unwrap();
        assert_eq!(found.valid, Vec::<Value>::new());
    }

    #[test]
    fn samples_of_a_large_schema_are_few() {
        let many = |schema: Value| {
            let names = (0..100).map(|number| format!("p{number}"));
            let properties: serde_json::Map<String, Value> =
                names.map(|name| (name, schema.clone())).collect();
            let names: Vec<&String> = properties.keys().collect();
            json!({ "type": "object", "required": names, "properties": properties })
        };
        let schema = many(many(json!({ "type": "boolean" })));
        let found = samples(&json!({}), &schema, Direction::Request).unwrap();
        assert!(!found.valid.is_empty() && !found.invalid.is_empty());
        let count = found.count_values();
        assert!(count < 150_000, "{count}");
    }

    #[test]
    fn every_keyword_has_values_on_both_sides() {
        let schema = json!({
            "type": "object",
            "required": ["name", "tags"],
            "additionalProperties": false,
            "properties": {
                "name": { "type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$" },
                "tags": { "type": "array", "items": { "type": "integer", "format": "uint8" }, "minItems": 1, "uniqueItems": true },
                "day": { "type": "string", "format": "date" },
                "kind": { "type": "string", "enum": ["a", "b"] }
            }
        });
        let found = samples(&json!({}), &schema, Direction::Request).unwrap();
        assert!(found.valid.len() > 5, "{:?}", found.valid);
        for keyword in [
            "required",
            "additionalProperties",
            "minLength",
            "maxLength",
            "pattern",
            "minItems",
            "uniqueItems",
            "format",
            "enum",
            "type",
        ] {
            let rejects = found.invalid.iter().any(|(_, by)| *by == keyword);
            assert!(rejects, "{keyword} rejects nothing of {:?}", found.invalid);
        }
    }
}
