//! Validates JSON values by schemas of the document. A schema is compiled once; a valid value costs no allocation.

use dropspec_schema::wire::Check;
use dropspec_schema::{Direction, Validator, build_validator, to_json_schema};
use serde_json::{Value, json};

use crate::document::Document;
use crate::message::Describer;
use crate::rejection::{Problem, Rejection};

/// A compiled schema that validates values and describes their problems in English.
#[derive(Debug)]
pub(crate) struct SchemaValidator {
    validator: Validator,
    describer: Describer,
}

impl SchemaValidator {
    pub(crate) fn new(
        document: &Document,
        schema: &Value,
        direction: Direction,
    ) -> Result<Self, String> {
        let schema = to_json_schema(document.json(), schema, direction);
        let mut schema = schema.map_err(|error| error.to_string())?;
        let compiled = build_validator(&schema).or_else(|_| {
            remove_invalid_patterns(&mut schema);
            build_validator(&schema)
        });
        Ok(Self {
            validator: compiled.map_err(|error| error.to_string())?,
            describer: Describer::new(&schema),
        })
    }

    /// Rejects a body that is not valid.
    pub(crate) fn validate(&self, value: &Value) -> Result<(), Rejection> {
        match self.find_problems(value) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(Rejection::ValidationFailed { problems }),
        }
    }

    /// Validates a value and returns its problems, in the order of the schema; empty if it is valid.
    pub(crate) fn find_problems(&self, value: &Value) -> Vec<Problem> {
        if self.is_valid(value) {
            Vec::new()
        } else {
            self.describer
                .to_problems(self.validator.iter_errors(value))
        }
    }
}

impl Check for SchemaValidator {
    fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    fn describe_problem(&self, value: &Value) -> Option<String> {
        if self.is_valid(value) {
            None
        } else {
            self.describer
                .describe_first(self.validator.iter_errors(value))
        }
    }

    fn describe_expectation(&self, value: &Value) -> Option<String> {
        let first = self.find_problems(value).into_iter().next();
        first.map(|problem| problem.message)
    }
}

/// Removes each pattern that is not a regular expression: a document with one stays usable, without this rule. Where one of
/// `patternProperties` is removed, it is unknown which properties are additional.
fn remove_invalid_patterns(schema: &mut Value) {
    let is_invalid = |it: &str| build_validator(&json!({ "pattern": it })).is_err();
    match schema {
        Value::Array(items) => items.iter_mut().for_each(remove_invalid_patterns),
        Value::Object(members) => {
            let pattern = members.get("pattern").and_then(Value::as_str);
            if pattern.is_some_and(is_invalid) {
                members.shift_remove("pattern");
            }
            let patterns = members.get_mut("patternProperties");
            let patterns = patterns.and_then(Value::as_object_mut);
            if let Some(patterns) = patterns {
                let count = patterns.len();
                patterns.retain(|it, _| !is_invalid(it));
                if patterns.len() < count {
                    members.shift_remove("additionalProperties");
                }
            }
            members.values_mut().for_each(remove_invalid_patterns);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::document;

    #[test]
    fn pattern_that_is_no_regular_expression_is_ignored() {
        let schema = json!({ "properties": {
            "pattern": { "type": "string", "pattern": "(" }, "a": { "pattern": "^a" }
        } });
        let validator = SchemaValidator::new(document(json!({})), &schema, Direction::Request);
        let validator = validator.unwrap();
        assert!(validator.is_valid(&json!({ "pattern": "b", "a": "a" })));
        assert!(!validator.is_valid(&json!({ "pattern": 1 })));
        assert!(!validator.is_valid(&json!({ "a": "b" })));
        let newer = document(json!({ "openapi": "3.1.0" }));
        let by_name = json!({
            "patternProperties": { "(": { "type": "string" }, "^n": { "type": "integer" } },
            "additionalProperties": false
        });
        let validator = SchemaValidator::new(newer, &by_name, Direction::Request).unwrap();
        assert!(validator.is_valid(&json!({ "(": 1, "n": 1 })));
        assert!(!validator.is_valid(&json!({ "n": "a" })));
    }

    fn describe(validator: &SchemaValidator, value: &Value) -> String {
        let problems = validator.find_problems(value);
        let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
        problems.join("; ")
    }

    #[test]
    fn problem_of_a_union_is_that_of_the_alternative_that_the_discriminator_names() {
        let animal = |property: &str| {
            json!({ "type": "object", "required": ["kind", property], "properties": {
                "kind": { "type": "string" }, property: { "type": "integer", "minimum": 1 }
            } })
        };
        let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let union = |keyword: &str, discriminator: Value| json!({ keyword: [reference("Cat"), reference("Dog")], "discriminator": discriminator });
        let mapping = json!({ "cat": "#/components/schemas/Cat", "dog": "Dog", "hound": "Dog" });
        let schemas = json!({ "Cat": animal("lives"), "Dog": animal("bones"),
            "Mapped": union("oneOf", json!({ "propertyName": "kind", "mapping": mapping })) });
        let document = document(json!({ "components": { "schemas": schemas } }));
        let list = json!({ "properties": {
            "discriminator": { "type": "array", "items": reference("Mapped") },
            "b/c": union("anyOf", json!({ "propertyName": "kind" })),
            "open": union("oneOf", json!({ "propertyName": "kind", "defaultMapping": "Cat" })),
        } });
        let validator = SchemaValidator::new(document, &list, Direction::Request).unwrap();
        for (value, expected) in [
            (
                json!({ "discriminator": [{ "kind": "cat" }] }),
                "/discriminator/0/lives: is required",
            ),
            (
                json!({ "discriminator": [{ "kind": "hound", "bones": 0 }] }),
                "/discriminator/0/bones: must be at least 1",
            ),
            (
                json!({ "discriminator": [{ "kind": "cow", "lives": 0 }] }),
                "/discriminator/0/kind: must be one of \"cat\", \"dog\", \"hound\"",
            ),
            (
                json!({ "discriminator": [{ "lives": 0 }] }),
                "/discriminator/0/kind: is required",
            ),
            (
                json!({ "b/c": { "kind": "Dog" } }),
                "/b~1c/bones: is required",
            ),
            (
                json!({ "b/c": 1 }),
                "/b~1c: must fit one of the alternatives of its schema",
            ),
            (
                json!({ "open": { "kind": "cow" } }),
                "/open: must fit one of the alternatives of its schema",
            ),
        ] {
            assert_eq!(describe(&validator, &value), expected, "{value}");
        }
    }

    #[test]
    fn what_no_value_fits_is_not_allowed() {
        let schema = json!({ "properties": {
            "list": { "prefixItems": [{}, {}], "items": { "not": {} } },
            "gone": { "not": {} },
            "color": { "not": { "enum": ["red", "blue"] } },
            "other": { "not": { "required": ["a"] } },
        } });
        let document = document(json!({ "openapi": "3.1.0" }));
        let validator = SchemaValidator::new(document, &schema, Direction::Request).unwrap();
        for (value, expected) in [
            (json!({ "list": [1, 2, 3] }), "/list/2: is not allowed here"),
            (json!({ "gone": null }), "/gone: is not allowed here"),
            (
                json!({ "color": "red" }),
                "/color: must not be one of \"red\", \"blue\"",
            ),
            (
                json!({ "other": { "a": 1 } }),
                "/other: must not fit the schema under `not`",
            ),
        ] {
            assert_eq!(describe(&validator, &value), expected, "{value}");
        }
    }
}
