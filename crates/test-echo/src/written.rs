//! Writes bodies without the code of a generated client, and says what they mean by the types of their schemas.

use std::fmt::Write;

use serde_json::{Map, Value};
use spec_client::{Encoding, Parameter, encode_form};
use spec_runtime::Document;
use spec_schema::BodyKind;

use crate::declared::{DeclaredForm, read_style};
use crate::plan::concrete;
use crate::readings::{find_property, read_scalar};

/// The boundary of multipart bodies. No sample contains it.
const BOUNDARY: &str = "boundary-of-samples";

/// A body on the wire.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) content_type: String,
    pub(crate) bytes: Vec<u8>,
}

impl Written {
    /// A body of the form's media type.
    pub(crate) fn new(form: &DeclaredForm, bytes: impl Into<Vec<u8>>) -> Written {
        let content_type = concrete(form.media_type);
        Written {
            content_type: match BodyKind::of(form.media_type) {
                BodyKind::Multipart => format!("{content_type}; boundary={BOUNDARY}"),
                _ => content_type,
            },
            bytes: bytes.into(),
        }
    }

    /// Writes a value; `None` if no body means it.
    pub(crate) fn of_value(
        document: &Document,
        form: &DeclaredForm,
        value: &Value,
    ) -> Option<Written> {
        let bytes = match BodyKind::of(form.media_type) {
            BodyKind::Json => value.to_string().into_bytes(),
            BodyKind::Text => value.as_str()?.as_bytes().to_vec(),
            BodyKind::Form => {
                let text = encode_form(value, |name| field_encoding(form.encoding_of(name)?));
                text.ok()?.into_bytes()
            }
            BodyKind::Multipart => write_parts(document, form, value.as_object()?).into_bytes(),
            BodyKind::Bytes => return None,
        };
        Some(Written::new(form, bytes))
    }
}

/// The notation that an entry of `encoding` declares for a field of a form.
fn field_encoding(encoding: &Value) -> Option<Encoding> {
    let style = encoding.get("style").and_then(Value::as_str);
    let explode = encoding.get("explode").and_then(Value::as_bool);
    if style.is_none() && explode.is_none() {
        return None;
    }
    let explode = explode.unwrap_or(style.is_none_or(|style| style == "form"));
    let plain = Parameter::query("");
    Some(plain.style(read_style(style, "query"), explode).encoding)
}

/// A part for each property, and for each item of a list that is not JSON as a whole. Null is no part.
fn write_parts(document: &Document, form: &DeclaredForm, members: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (name, value) in members {
        let values = match value {
            Value::Null => continue,
            Value::Array(items) if !form.is_json(name) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        let is_file = is_file(document, form, name);
        for value in values {
            let file_name = if is_file {
                "; filename=\"sample.bin\""
            } else {
                ""
            };
            let _ = write!(
                text,
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file_name}\r\n"
            );
            let is_structure = value.is_object() || value.is_array();
            let default = is_structure.then_some("application/json");
            if let Some(media_type) = form.media_type_of(name).or(default) {
                let _ = write!(text, "Content-Type: {}\r\n", concrete(media_type));
            }
            let content = match value {
                Value::String(content) if !form.is_json(name) => content.clone(),
                value => value.to_string(),
            };
            let _ = write!(text, "\r\n{content}\r\n");
        }
    }
    text + &format!("--{BOUNDARY}--\r\n")
}

/// Whether a part is a file, whose content is not validated.
fn is_file(document: &Document, form: &DeclaredForm, name: &str) -> bool {
    let property = find_property(document, &form.schema, name);
    let resolve = |schema| document.resolve(schema);
    let property = property.and_then(resolve);
    let item = property.and_then(|of| of.get("items")).and_then(resolve);
    let format = item.or(property).and_then(|of| of.get("format"));
    let declared = form.media_type_of(name).map(BodyKind::of);
    format.is_some_and(|format| format == "binary")
        || matches!(
            declared,
            Some(BodyKind::Bytes | BodyKind::Multipart | BodyKind::Form)
        )
}

/// The value that a body of this value means by the types in its schema; `None` if that depends on more than types.
pub(crate) fn read_body(document: &Document, form: &DeclaredForm, value: &Value) -> Option<Value> {
    let kind = BodyKind::of(form.media_type);
    match kind {
        BodyKind::Json => return Some(value.clone()),
        BodyKind::Text => {
            let schema = document.resolve(&form.schema)?;
            let is_text = schema.get("type").is_some_and(|kind| kind == "string");
            return Some(value.clone()).filter(|value| is_text && value.is_string());
        }
        BodyKind::Form | BodyKind::Multipart => {}
        BodyKind::Bytes => return None,
    }
    let schema = document.resolve(&form.schema)?;
    // The parts of a multipart body are validated one after the other, never all together.
    let is_united = ["oneOf", "anyOf", "not"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some());
    if is_united {
        return None;
    }
    let mut read = Map::new();
    for (name, value) in value.as_object()? {
        let Some(value) = read_member(document, form, name, value)? else {
            continue;
        };
        read.insert(name.clone(), value);
    }
    if kind == BodyKind::Multipart {
        // No part at all is an empty array.
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if read.contains_key(name) || form.is_json(name) {
                continue;
            }
            let property = find_property(document, &form.schema, name);
            let resolved = property.and_then(|property| document.resolve(property));
            if resolved.and_then(|of| of.get("type")?.as_str()) == Some("array") {
                read.insert(name.to_owned(), Value::Array(Vec::new()));
            }
        }
    }
    Some(Value::Object(read))
}

/// What the text of a member means; `Some(None)` if it has no text, so that it is absent.
fn read_member(
    document: &Document,
    form: &DeclaredForm,
    name: &str,
    value: &Value,
) -> Option<Option<Value>> {
    if value.is_null() || *value == Value::Array(Vec::new()) {
        return Some(None);
    }
    let is_multipart = BodyKind::of(form.media_type) == BodyKind::Multipart;
    let declared = find_property(document, &form.schema, name);
    let others = document.resolve(&form.schema)?.get("additionalProperties");
    // Parts that the document does not declare are skipped.
    if declared.is_none() && is_multipart && others != Some(&Value::Bool(false)) {
        return None;
    }
    let Some(schema) = declared.or(others.filter(|others| others.is_object())) else {
        // A field without a declaration is text.
        let text = value.as_str().map(Value::from);
        return text.map(Some);
    };
    let schema = document.resolve(schema)?;
    if is_multipart && is_file(document, form, name) {
        // Any bytes are a file.
        let text = Value::from(value.as_str().unwrap_or("bytes"));
        let is_list = schema.get("type").is_some_and(|kind| kind == "array");
        return Some(Some(if is_list { vec![text].into() } else { text }));
    }
    if is_multipart && form.is_json(name) {
        return Some(Some(value.clone()));
    }
    let read = match (schema.get("type").and_then(Value::as_str)?, value) {
        ("array", Value::Array(items)) => {
            let item = schema.get("items")?;
            let items = items.iter().map(|value| read_scalar(document, item, value));
            Value::Array(items.collect::<Option<_>>()?)
        }
        ("array", value) => Value::Array(vec![read_scalar(document, schema.get("items")?, value)?]),
        ("object", Value::Object(_)) => value.clone(),
        ("object", _) => return None,
        (_, Value::Array(items)) => match items.as_slice() {
            [only] => read_scalar(document, schema, only)?,
            // Repeated, it is no scalar.
            _ => value.clone(),
        },
        _ => read_scalar(document, schema, value)?,
    };
    // An empty text may be null, or nothing.
    let is_clear = read != Value::String(String::new());
    is_clear.then_some(Some(read))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn form(
        media_type: &'static str,
        encodings: Vec<(&'static str, &'static Value)>,
    ) -> DeclaredForm {
        DeclaredForm {
            media_type,
            schema: json!({ "type": "object", "properties": {
                "size": { "type": "integer" },
                "tags": { "type": "array", "items": { "type": "string" } },
                "meta": { "type": "object" },
                "photo": { "type": "string", "format": "binary" }
            } }),
            encodings,
        }
    }

    #[test]
    fn bodies_are_written_as_their_media_type_says() {
        let document = Document::from_json("{}");
        let value = json!({ "size": "a b", "tags": ["x", "y"], "meta": { "z": 1 } });
        let write = |form: &DeclaredForm| {
            let written = Written::of_value(&document, form, &value).unwrap();
            (
                written.content_type,
                String::from_utf8(written.bytes).unwrap(),
            )
        };
        let (content_type, text) = write(&form("application/x-www-form-urlencoded", vec![]));
        assert_eq!(content_type, "application/x-www-form-urlencoded");
        assert_eq!(text, "size=a+b&tags=x&tags=y&meta=%7B%22z%22%3A1%7D");
        let explode = Box::leak(Box::new(json!({ "explode": false })));
        let (_, text) = write(&form(
            "application/x-www-form-urlencoded",
            vec![("tags", explode)],
        ));
        assert_eq!(text, "size=a+b&tags=x,y&meta=%7B%22z%22%3A1%7D");
        let (content_type, text) = write(&form("multipart/form-data", vec![]));
        assert_eq!(
            content_type,
            "multipart/form-data; boundary=boundary-of-samples"
        );
        let part = |name: &str, rest: &str| {
            format!(
                "--boundary-of-samples\r\nContent-Disposition: form-data; name=\"{name}\"\r\n{rest}\r\n"
            )
        };
        let expected = part("size", "\r\na b")
            + &part("tags", "\r\nx")
            + &part("tags", "\r\ny")
            + &part("meta", "Content-Type: application/json\r\n\r\n{\"z\":1}")
            + "--boundary-of-samples--\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn body_means_what_the_types_of_its_schema_read() {
        let document = Document::from_json("{}");
        let fields = form("application/x-www-form-urlencoded", vec![]);
        let rows = [
            (json!({ "size": "1" }), Some(json!({ "size": 1 }))),
            (json!({ "size": "a" }), Some(json!({ "size": "a" }))),
            (json!({ "size": [1] }), Some(json!({ "size": 1 }))),
            (json!({ "size": [1, 2] }), Some(json!({ "size": [1, 2] }))),
            (json!({ "tags": true }), Some(json!({ "tags": ["true"] }))),
            (json!({ "tags": [], "size": null }), Some(json!({}))),
            (json!({ "tags": [""] }), Some(json!({ "tags": [""] }))),
            (json!({ "other": "a" }), Some(json!({ "other": "a" }))),
            (json!({ "meta": 1 }), None),
            (json!([1]), None),
        ];
        for (value, expected) in rows {
            assert_eq!(read_body(&document, &fields, &value), expected, "{value}");
        }
    }

    #[test]
    fn multipart_body_means_the_files_of_its_parts() {
        let document = Document::from_json("{}");
        let schema = json!({
            "type": "object",
            "required": ["files"],
            "properties": { "files": { "type": "array", "items": { "type": "string", "format": "binary" } } },
        });
        let parts = DeclaredForm {
            schema,
            ..form("multipart/form-data", vec![])
        };
        let rows = [
            (json!({}), json!({ "files": [] })),
            (json!({ "files": true }), json!({ "files": ["bytes"] })),
            (json!({ "files": "a" }), json!({ "files": ["a"] })),
        ];
        for (value, expected) in rows {
            assert_eq!(
                read_body(&document, &parts, &value),
                Some(expected),
                "{value}"
            );
        }
    }
}
