//! Validates JSON values by schemas of the document. A schema is compiled once; a valid value costs no allocation.

use serde_json::Value;
use spec_schema::{Direction, SchemaError, Validator};

use crate::document::Document;
use crate::message;
use crate::rejection::Problem;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Checker {
    validator: Validator,
}

impl Checker {
    pub(crate) fn new(
        document: &Document,
        schema: &Value,
        direction: Direction,
    ) -> Result<Self, SchemaError> {
        let validator = spec_schema::compile(document.json(), schema, direction)?;
        Ok(Self { validator })
    }

    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// The problems of a value, in the order of the schema; empty if it is valid.
    pub(crate) fn problems(&self, value: &Value) -> Vec<Problem> {
        if self.accepts(value) {
            return Vec::new();
        }
        message::problems(self.validator.iter_errors(value))
    }

    /// The same for a value that stands for a text of the client's, which may be quoted.
    pub(crate) fn complaint(&self, value: &Value) -> Option<String> {
        if self.accepts(value) {
            return None;
        }
        message::complaint(self.validator.iter_errors(value))
    }
}
