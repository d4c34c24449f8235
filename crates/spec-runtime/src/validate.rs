//! Validates JSON values by schemas of the document. A schema is compiled once; a valid value costs no allocation.

use serde_json::Value;
use spec_schema::{Direction, SchemaError, Validator};

use crate::document::Document;
use crate::message;
use crate::rejection::Problem;

/// A compiled schema that validates values and describes their problems in English.
#[derive(Debug)]
pub(crate) struct SchemaValidator(Validator);

impl SchemaValidator {
    pub(crate) fn new(
        document: &Document,
        schema: &Value,
        direction: Direction,
    ) -> Result<Self, SchemaError> {
        spec_schema::compile(document.json(), schema, direction).map(Self)
    }

    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Validates a value and returns its problems, in the order of the schema; empty if it is valid.
    pub(crate) fn find_problems(&self, value: &Value) -> Vec<Problem> {
        match self.is_valid(value) {
            true => Vec::new(),
            false => message::to_problems(self.0.iter_errors(value)),
        }
    }

    /// Validates a value that was parsed from text. Returns the first problem as a phrase that repeats the value.
    pub(crate) fn describe_problem(&self, value: &Value) -> Option<String> {
        match self.is_valid(value) {
            true => None,
            false => message::describe_first(self.0.iter_errors(value)),
        }
    }
}
