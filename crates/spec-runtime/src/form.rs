//! Decodes bodies of type `application/x-www-form-urlencoded`, and validates them.

use serde_json::Value;
use spec_schema::{Direction, pointer};
use wire_codec::FormError;

use crate::definition_error::DefinitionError;
use crate::document::Document;
use crate::rejection::Rejection;
use crate::validate::SchemaValidator;

/// Decodes the forms of one operation.
#[derive(Debug)]
pub(crate) struct FormDecoder {
    decoder: wire_codec::FormDecoder<'static, SchemaValidator>,
    validator: SchemaValidator,
}

impl FormDecoder {
    /// Compiles a form from the media type object of a request body.
    pub(crate) fn new(
        document: &'static Document,
        content: &'static Value,
    ) -> Result<Self, DefinitionError> {
        let compile = |schema: &Value| SchemaValidator::new(document, schema, Direction::Request);
        let schema = content.get("schema").unwrap_or(&Value::Null);
        Ok(Self {
            decoder: wire_codec::FormDecoder::new(document.json(), content, compile)?,
            validator: compile(schema)?,
        })
    }

    /// Decodes a form into an object and validates it.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<Value, Rejection> {
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|_| Rejection::malformed("the form is not UTF-8"))?;
        let value = self.decoder.decode(text).map_err(|error| match error {
            FormError::Name(message) => Rejection::malformed(message),
            FormError::Field(name, message) => {
                Rejection::invalid(pointer::join("", &name), message)
            }
        })?;
        self.validator.validate(&value)?;
        Ok(value)
    }
}
