//! The body of an operation as the document declares it: its media types, and the flags of its properties.

use std::collections::HashSet;

use serde_json::Value;
use spec_schema::BodyKind;

use crate::flags::{Flag, Place};
use crate::names::flag_name;

/// The body of an operation.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) required: bool,
    /// At least one; the flags of properties are those of the first.
    pub(crate) media_types: Vec<String>,
    pub(crate) form: Form,
    /// The schema of the first media type.
    pub(crate) schema: Value,
    /// `encoding` of the first media type.
    pub(crate) encoding: Value,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    UrlEncoded,
    Multipart,
    /// Text or bytes, as they are.
    Raw,
}

impl Form {
    pub(crate) fn of(media_type: &str) -> Form {
        match BodyKind::of(media_type) {
            BodyKind::Json => Form::Json,
            BodyKind::Form => Form::UrlEncoded,
            BodyKind::Multipart => Form::Multipart,
            BodyKind::Text | BodyKind::Bytes => Form::Raw,
        }
    }
}

impl Body {
    /// The body of an operation, if it takes one.
    pub(crate) fn read(document: &Value, source: &Value) -> Option<Body> {
        let body = spec_schema::resolve(document, source.get("requestBody")?)?;
        let content = body["content"].as_object()?;
        // The form that has flags is the most useful one.
        let mut media_types: Vec<&String> = content.keys().collect();
        media_types.sort_by_key(|media_type| match Form::of(media_type) {
            Form::Json => 0,
            Form::Multipart | Form::UrlEncoded => 1,
            Form::Raw => 2,
        });
        let first = *media_types.first()?;
        let media = &content[first];
        Some(Body {
            required: body["required"] == true,
            form: Form::of(first),
            schema: media["schema"].clone(),
            encoding: media["encoding"].clone(),
            media_types: media_types.into_iter().cloned().collect(),
        })
    }

    /// The flags for its properties, if it is an object.
    pub(crate) fn flags(&self, document: &Value, taken: &mut HashSet<String>) -> Vec<Flag> {
        if self.form == Form::Raw {
            return Vec::new();
        }
        let mut found: Vec<(&String, &Value)> = Vec::new();
        let mut required: Vec<&Value> = Vec::new();
        collect_properties(document, &self.schema, &mut found, &mut required, 0);
        let flags = found.into_iter().map(|(name, schema)| {
            let place = match self.form {
                Form::Multipart => Place::Part,
                _ => Place::Property,
            };
            let flag = flag_name(name, place.suffix(), taken);
            let needed = required.iter().any(|required| *required == name);
            Flag::new(
                document,
                name,
                flag,
                place,
                schema,
                needed && self.required,
                None,
            )
        });
        flags.collect()
    }
}

/// Collects the properties that requests have, of a schema and of those that it combines by `allOf`.
fn collect_properties<'d>(
    document: &'d Value,
    schema: &'d Value,
    found: &mut Vec<(&'d String, &'d Value)>,
    required: &mut Vec<&'d Value>,
    depth: usize,
) {
    let Some(schema) = spec_schema::resolve(document, schema).filter(|_| depth < 16) else {
        return;
    };
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect_properties(document, part, found, required, depth + 1);
    }
    required.extend(schema["required"].as_array().into_iter().flatten());
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let target = spec_schema::resolve(document, property).unwrap_or(property);
        let is_known = found.iter().any(|(known, _)| *known == name);
        if target["readOnly"] != true && !is_known {
            found.push((name, property));
        }
    }
}
