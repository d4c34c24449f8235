//! The body of an operation as the document declares it: its media types, and the flags of its properties.

use std::borrow::Cow;
use std::collections::HashSet;

use dropspec_schema::BodyKind;
use dropspec_schema::wire::{PartKind, PartLayout, properties, required_properties};
use serde_json::Value;

use crate::flags::{Flag, Place, flag_name};

/// The body of an operation.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) required: bool,
    /// At least one; the flags of properties are those of the first.
    pub(crate) media_types: Vec<&'static str>,
    /// How the first media type is written.
    pub(crate) kind: BodyKind,
    /// The schema of the first media type.
    pub(crate) schema: &'static Value,
    /// `encoding` of the first media type.
    pub(crate) encoding: &'static Value,
}

impl Body {
    /// The body of an operation, if it takes one.
    pub(crate) fn read(document: &'static Value, source: &'static Value) -> Option<Body> {
        let body = dropspec_schema::resolve(document, source.get("requestBody")?)?;
        let content = body["content"].as_object()?;
        // The form that has flags is the most useful one.
        let mut media_types: Vec<&str> = content.keys().map(String::as_str).collect();
        media_types.sort_by_key(|media_type| match BodyKind::of(media_type) {
            BodyKind::Json => 0,
            BodyKind::Multipart | BodyKind::Form => 1,
            BodyKind::Text | BodyKind::Bytes => 2,
        });
        let first = *media_types.first()?;
        let media = &content[first];
        Some(Body {
            required: body["required"] == true,
            kind: BodyKind::of(first),
            schema: &media["schema"],
            encoding: &media["encoding"],
            media_types,
        })
    }

    /// Whether it is a text or bytes, which are sent as they are.
    pub(crate) fn is_raw(&self) -> bool {
        matches!(self.kind, BodyKind::Text | BodyKind::Bytes)
    }

    /// The flags for its properties, if it is an object.
    pub(crate) fn flags(&self, document: &'static Value, taken: &mut HashSet<String>) -> Vec<Flag> {
        if self.is_raw() {
            return Vec::new();
        }
        let required = required_properties(document, self.schema);
        let properties = properties(document, self.schema).into_iter();
        let sent = properties.filter(|(_, property)| {
            let target = dropspec_schema::resolve(document, property).unwrap_or(property);
            target["readOnly"] != true
        });
        let flags = sent.map(|(name, schema)| {
            let schema = match schema {
                Cow::Borrowed(declared) => declared,
                // The flags are made once and kept, as the document is.
                Cow::Owned(combined) => Box::leak(Box::new(combined)),
            };
            let flag = flag_name(name, "property", taken);
            let needed = self.required && required.contains(&name);
            let place = match self.kind {
                BodyKind::Multipart => {
                    let encoding = self.encoding.get(name);
                    let layout = PartLayout::of_property(document, schema, encoding);
                    let is_file = layout.kind == PartKind::File;
                    Place::Part { is_file }
                }
                _ => Place::Property,
            };
            Flag::new(document, name, flag, place, schema, needed, None)
        });
        flags.collect()
    }
}
