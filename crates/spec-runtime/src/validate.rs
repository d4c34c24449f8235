//! Validates JSON values by schemas of the document. A schema is compiled once; a valid value costs no allocation.

use serde_json::{Value, json};
use spec_schema::{Direction, Validator, build_validator, to_json_schema};
use wire_codec::Check;

use crate::document::Document;
use crate::message;
use crate::rejection::{Problem, Rejection};

/// A compiled schema that validates values and describes their problems in English.
#[derive(Debug)]
pub(crate) struct SchemaValidator(Validator);

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
        compiled.map(Self).map_err(|error| error.to_string())
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
            message::to_problems(self.0.iter_errors(value))
        }
    }
}

impl Check for SchemaValidator {
    fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    fn describe_problem(&self, value: &Value) -> Option<String> {
        if self.is_valid(value) {
            None
        } else {
            message::describe_first(self.0.iter_errors(value))
        }
    }

    fn describe_expectation(&self, value: &Value) -> Option<String> {
        let first = self.find_problems(value).into_iter().next();
        first.map(|problem| problem.message)
    }
}

/// Removes each `pattern` that is not a regular expression: a document with one stays usable, without this rule.
fn remove_invalid_patterns(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(remove_invalid_patterns),
        Value::Object(members) => {
            let is_invalid = members.get("pattern").is_some_and(|pattern| {
                pattern.is_string() && build_validator(&json!({ "pattern": pattern })).is_err()
            });
            if is_invalid {
                members.shift_remove("pattern");
            }
            members.values_mut().for_each(remove_invalid_patterns);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

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
    }
}
