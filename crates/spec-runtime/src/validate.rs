//! Checks a JSON value against a schema of the document. Compiled once; a valid value costs no allocation.

use jsonschema::{Draft, Validator};
use serde_json::Value;

use crate::document::Document;
use crate::message;
use crate::rejection::Problem;
use crate::translate::{DanglingReference, Direction, translate};

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Checker {
    validator: Validator,
}

/// Why a schema cannot be checked against.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// A reference of the schema leads nowhere.
    #[error(transparent)]
    Reference(#[from] DanglingReference),
    /// The schema is not one, such as a pattern that is no regular expression.
    #[error("{0}")]
    Invalid(String),
}

impl Checker {
    pub(crate) fn new(
        document: &Document,
        schema: &Value,
        direction: Direction,
    ) -> Result<Self, SchemaError> {
        let schema = translate(document, schema, direction)?;
        let validator = jsonschema::options()
            .with_draft(Draft::Draft4)
            .should_validate_formats(true)
            .with_format("uuid", is_uuid)
            .with_format("byte", is_base64)
            .build(&schema)
            .map_err(|error| SchemaError::Invalid(error.to_string()))?;
        Ok(Self { validator })
    }

    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// What is wrong with a value, in the order of the schema; empty if nothing is.
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

/// RFC 9562, section 4: hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn is_uuid(text: &str) -> bool {
    let hyphens = [8, 13, 18, 23];
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| {
            if hyphens.contains(&at) {
                byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        })
}

/// RFC 4648, section 4: base64 with padding.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    text.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(is_digit)
}
