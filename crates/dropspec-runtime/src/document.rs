//! The OpenAPI document that the generated code carries, as text and as JSON. It is not validated here; the generator
//! did that.

use std::fmt;

use serde_json::Value;

/// An OpenAPI document, compiled into the program as JSON.
pub struct Document {
    text: &'static str,
    json: Value,
}

impl Document {
    /// Parses the document and preserves the order of its keys.
    ///
    /// # Panics
    ///
    /// If the text is not JSON: the build is damaged, as the text is compiled in.
    pub fn from_json(text: &'static str) -> Self {
        match serde_json::from_str(text) {
            Ok(json) => Self { text, json },
            Err(error) => panic!("the compiled-in OpenAPI document is not JSON: {error}"),
        }
    }

    /// The JSON text of the document, as it was compiled in.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// The whole document as a JSON value.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// The value at a JSON pointer (RFC 6901) such as `/components/schemas/Pet`. Follows every `$ref` on the way, and
    /// one at the end.
    pub fn find(&self, pointer: &str) -> Option<&Value> {
        dropspec_schema::find(&self.json, pointer)
    }

    /// The value itself, or the target of its `$ref`. None if the target does not exist, is in another document, or is
    /// part of a cycle of references.
    pub fn resolve<'d>(&'d self, value: &'d Value) -> Option<&'d Value> {
        dropspec_schema::resolve(&self.json, value)
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({} bytes)", self.text.len())
    }
}
