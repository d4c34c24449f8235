//! Look-ups in a document by JSON pointer, and following of `$ref`. Other files are never read.

use serde_json::Value;

use crate::pointer;

/// The most `$ref`s that lead from one to the next. A longer chain is treated as a cycle.
const MAX_REFERENCE_CHAIN: usize = 32;

/// The text of the value's `$ref`, if the value is a reference object.
pub fn reference_of(value: &Value) -> Option<&str> {
    value.as_object()?.get("$ref")?.as_str()
}

/// The JSON pointer of a reference within the document (`#/…`), with percent-encoding (RFC 3986) decoded. None for
/// references to other documents.
pub fn pointer_of_reference(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    let decoded = percent_encoding::percent_decode_str(fragment);
    Some(decoded.decode_utf8().ok()?.into_owned())
}

/// The value at a JSON pointer. Follows every `$ref` on the way, and one at the end.
pub fn find<'d>(document: &'d Value, pointer: &str) -> Option<&'d Value> {
    find_at_depth(document, pointer, 0)
}

/// The value itself, or the target of its `$ref`. None if the target does not exist, is in another document, or
/// is part of a cycle of references.
pub fn resolve<'d>(document: &'d Value, value: &'d Value) -> Option<&'d Value> {
    resolve_at_depth(document, value, 0)
}

fn find_at_depth<'d>(document: &'d Value, pointer: &str, depth: usize) -> Option<&'d Value> {
    let mut value = resolve_at_depth(document, document, depth)?;
    for token in pointer::tokens(pointer)? {
        let child = match value {
            Value::Object(members) => members.get(&token)?,
            Value::Array(items) => items.get(pointer::parse_index(&token)?)?,
            _ => return None,
        };
        value = resolve_at_depth(document, child, depth)?;
    }
    Some(value)
}

fn resolve_at_depth<'d>(document: &'d Value, value: &'d Value, depth: usize) -> Option<&'d Value> {
    match reference_of(value) {
        None => Some(value),
        Some(_) if depth >= MAX_REFERENCE_CHAIN => None,
        Some(reference) => find_at_depth(document, &pointer_of_reference(reference)?, depth + 1),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn find_follows_references() {
        let document = json!({
            "paths": { "/pets": { "parameters": [{ "$ref": "#/components/parameters/Limit" }] } },
            "components": {
                "parameters": { "Limit": { "name": "limit", "schema": { "$ref": "#/components/schemas/a~1b%20c" } } },
                "schemas": {
                    "a/b c": { "type": "integer" },
                    "Loop": { "$ref": "#/components/schemas/Pool" },
                    "Pool": { "$ref": "#/components/schemas/Loop" },
                    "Away": { "$ref": "other.json#/x" }
                }
            }
        });
        let rows = [
            (
                "/paths/~1pets/parameters/0/name",
                Some(json!("limit")),
                "one reference",
            ),
            (
                "/paths/~1pets/parameters/0/schema/type",
                Some(json!("integer")),
                "two references",
            ),
            (
                "/components/schemas/a~1b c/type",
                Some(json!("integer")),
                "an escaped name",
            ),
            ("/components/schemas/Loop", None, "a cycle"),
            ("/components/schemas/Away", None, "another document"),
            ("/paths/~1dogs", None, "no such member"),
            ("paths", None, "not a pointer"),
        ];
        for (pointer, expected, reason) in rows {
            let found = find(&document, pointer);
            assert_eq!(found, expected.as_ref(), "{pointer}: {reason}");
        }
    }
}
