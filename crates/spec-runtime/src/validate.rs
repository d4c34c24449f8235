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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;
    use crate::example::document;

    #[test]
    fn schemas_mean_what_openapi_says() {
        let document = document(json!({ "components": { "schemas": {
            "Base": { "properties": { "id": { "type": "integer", "readOnly": true } } },
            "Secret": { "type": "string", "writeOnly": true },
            "Tree": { "type": "object", "properties": { "left": { "$ref": "#/components/schemas/Tree" } } },
            "Loop": { "allOf": [{ "$ref": "#/components/schemas/Tree" }, { "required": ["left"] }] }
        } } }));
        let named = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let extended = || json!({ "allOf": [named("Base"), { "required": ["id", "name"] }] });
        let secret =
            || json!({ "required": ["s"], "properties": { "s": { "allOf": [named("Secret")] } } });
        let maximum = |exclusive: bool| json!({ "maximum": 5, "exclusiveMaximum": exclusive });
        let byte = || json!({ "type": "string", "format": "byte" });
        let uuid = || json!({ "type": "string", "format": "uuid" });
        let int32 = || json!({ "type": "integer", "format": "int32", "maximum": 9, "exclusiveMaximum": true });
        use Direction::{Request, Response};
        let rows = [
            (
                extended(),
                Request,
                json!({ "name": "a" }),
                true,
                "read only, though required elsewhere",
            ),
            (
                extended(),
                Response,
                json!({ "name": "a" }),
                false,
                "but an answer has it",
            ),
            (
                secret(),
                Response,
                json!({}),
                true,
                "write only, through a combination",
            ),
            (secret(), Request, json!({}), false, "but a request has it"),
            (
                named("Tree"),
                Request,
                json!({ "left": { "left": {} } }),
                true,
                "a circle",
            ),
            (
                named("Tree"),
                Request,
                json!({ "left": { "left": 1 } }),
                false,
                "all the way down",
            ),
            (
                named("Loop"),
                Request,
                json!({}),
                false,
                "a combination of a circle",
            ),
            (
                maximum(true),
                Request,
                json!(5),
                false,
                "the bound is excluded",
            ),
            (
                maximum(false),
                Request,
                json!(5),
                true,
                "the flag may be false",
            ),
            (
                json!({ "exclusiveMaximum": true }),
                Request,
                json!(5),
                true,
                "a flag without a bound says nothing",
            ),
            (
                int32(),
                Request,
                json!(9),
                false,
                "the own bound is narrower than the format's",
            ),
            (
                int32(),
                Request,
                json!(-2_147_483_649_i64),
                false,
                "the other bound is the format's",
            ),
            (
                json!({ "type": "integer", "maximum": 1e30 }),
                Request,
                json!(u64::MAX),
                false,
                "never past 64 bits",
            ),
            (
                json!({ "required": [] }),
                Request,
                json!({}),
                true,
                "draft 4 has no empty list, OpenAPI does",
            ),
            (
                json!({ "required": ["a", "a"] }),
                Request,
                json!({ "a": 1 }),
                true,
                "nor a repeated name",
            ),
            (
                json!({ "example": 1, "discriminator": {}, "xml": {} }),
                Request,
                json!(1),
                true,
                "descriptions say nothing",
            ),
            (
                json!({ "type": "object", "nullable": true }),
                Request,
                Value::Null,
                true,
                "nullable",
            ),
            (
                json!({ "nullable": false, "type": "object" }),
                Request,
                Value::Null,
                false,
                "not nullable",
            ),
            (byte(), Request, json!("aGk="), true, "base64"),
            (byte(), Request, json!("aGk"), false, "without padding"),
            (byte(), Request, json!("a==="), false, "with too much of it"),
            (byte(), Request, json!("aG-="), false, "of another alphabet"),
            (
                uuid(),
                Request,
                json!("67E55044-10b1-426f-9247-bb680e5fe0c8"),
                true,
                "a UUID in any case",
            ),
            (
                uuid(),
                Request,
                json!("67e5504410b1426f9247bb680e5fe0c8"),
                false,
                "without hyphens",
            ),
        ];
        for (schema, direction, value, accepted, reason) in rows {
            let checker = Checker::new(document, &schema, direction).unwrap();
            assert_eq!(
                checker.accepts(&value),
                accepted,
                "{schema} {value}: {reason}"
            );
            assert_eq!(checker.problems(&value).is_empty(), accepted, "{reason}");
        }
    }
}
