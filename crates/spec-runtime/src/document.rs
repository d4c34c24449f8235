//! The OpenAPI document that the generated code carries: its text, its JSON, and look-ups by pointer.
//! It checks nothing; the generator did.

use std::fmt;

use serde_json::Value;

/// A chain of references longer than this is taken for a cycle.
const LONGEST_REFERENCE_CHAIN: usize = 32;

/// An OpenAPI 3.0 document, compiled into the program as JSON.
pub struct Document {
    text: &'static str,
    json: Value,
}

impl Document {
    /// Reads the document. The order of its keys is kept.
    ///
    /// # Panics
    ///
    /// If the text is not JSON. The text is compiled in, so that can only be a damaged build.
    #[must_use]
    pub fn from_json(text: &'static str) -> Self {
        match serde_json::from_str(text) {
            Ok(json) => Self { text, json },
            Err(error) => panic!("the compiled-in OpenAPI document is not JSON: {error}"),
        }
    }

    /// The text as it was compiled in.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// The whole document.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// What a JSON pointer (RFC 6901) leads to, such as `/components/schemas/Pet`. Every `$ref` on
    /// the way is followed, one at the end too.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        self.at_depth(pointer, 0)
    }

    /// The value itself, or what its `$ref` leads to. None if the reference leads nowhere, in a
    /// circle, or out of the document.
    #[must_use]
    pub fn resolve<'d>(&'d self, value: &'d Value) -> Option<&'d Value> {
        self.resolve_depth(value, 0)
    }

    fn at_depth(&self, pointer: &str, depth: usize) -> Option<&Value> {
        let mut value = self.resolve_depth(&self.json, depth)?;
        for segment in segments(pointer)? {
            let child = match value {
                Value::Object(members) => members.get(&segment)?,
                Value::Array(items) => items.get(segment.parse::<usize>().ok()?)?,
                _ => return None,
            };
            value = self.resolve_depth(child, depth)?;
        }
        Some(value)
    }

    fn resolve_depth<'d>(&'d self, value: &'d Value, depth: usize) -> Option<&'d Value> {
        match reference(value) {
            None => Some(value),
            Some(_) if depth >= LONGEST_REFERENCE_CHAIN => None,
            Some(target) => self.at_depth(&local_pointer(target)?, depth + 1),
        }
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({} bytes)", self.text.len())
    }
}

/// The `$ref` of a reference object.
pub(crate) fn reference(value: &Value) -> Option<&str> {
    value.as_object()?.get("$ref")?.as_str()
}

/// The pointer of a reference within the document (`#/…`), freed of the percent-encoding that a
/// URI fragment may carry.
pub(crate) fn local_pointer(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    let decoded = percent_encoding::percent_decode_str(fragment)
        .decode_utf8()
        .ok()?;
    Some(decoded.into_owned())
}

/// A name as one segment of a JSON pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The segments of a JSON pointer, unescaped. None if it is neither empty nor begins with `/`.
pub(crate) fn segments(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let unescape = |segment: &str| segment.replace("~1", "/").replace("~0", "~");
    Some(
        pointer
            .strip_prefix('/')?
            .split('/')
            .map(unescape)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r##"{
        "paths": {"/pets": {"get": {"parameters": [{"$ref": "#/components/parameters/Limit"}]}}},
        "components": {
            "parameters": {"Limit": {"name": "limit", "schema": {"$ref": "#/components/schemas/a~1b%20c"}}},
            "schemas": {
                "a/b c": {"type": "integer"},
                "Loop": {"$ref": "#/components/schemas/Pool"},
                "Pool": {"$ref": "#/components/schemas/Loop"},
                "Away": {"$ref": "other.json#/x"}
            }
        }
    }"##;

    #[test]
    fn pointers_follow_references() {
        let document = Document::from_json(TEXT);
        let rows = [
            (
                "/paths/~1pets/get/parameters/0/name",
                Some(r#""limit""#),
                "through a reference",
            ),
            (
                "/paths/~1pets/get/parameters/0/schema/type",
                Some(r#""integer""#),
                "through two",
            ),
            (
                "/components/schemas/a~1b c/type",
                Some(r#""integer""#),
                "an escaped name",
            ),
            ("/components/schemas/Loop", None, "a circle ends"),
            (
                "/components/schemas/Away",
                None,
                "other documents are not reached",
            ),
            ("/paths/~1dogs", None, "nothing there"),
            ("paths", None, "not a pointer"),
        ];
        for (pointer, expected, reason) in rows {
            let found = document.at(pointer).map(Value::to_string);
            assert_eq!(found.as_deref(), expected, "{pointer}: {reason}");
        }
    }
}
