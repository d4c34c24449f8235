//! Media types: how their content is written, and the names of their variants.

use dropspec_model::{MediaType, Schema, SchemaRef, SchemaType, Spec};
use dropspec_schema::media_type::{BodyKind, essence};
use heck::ToUpperCamelCase;

use crate::names;

/// The names of the variants of the most frequent media types.
const VARIANTS: [(&str, &str); 6] = [
    ("application/json", "Json"),
    ("application/x-www-form-urlencoded", "Form"),
    ("multipart/form-data", "Multipart"),
    ("text/plain", "Text"),
    ("application/octet-stream", "Bytes"),
    ("*/*", "Any"),
];

/// How the content of a response is written. A range that covers JSON is JSON if its schema is more than a text.
pub(super) fn response_kind(spec: &Spec, name: &str, media_type: &MediaType) -> BodyKind {
    let covers_json = matches!(essence(name).as_str(), "*/*" | "application/*");
    let schema = media_type.schema.as_ref();
    let schema = schema.and_then(|schema| spec.resolve(schema));
    if covers_json && schema.is_some_and(is_structured) {
        BodyKind::Json
    } else {
        BodyKind::of(name)
    }
}

/// Whether the values of a schema are no texts.
fn is_structured(schema: &Schema) -> bool {
    let members = [&schema.all_of, &schema.one_of, &schema.any_of];
    match schema.schema_type {
        Some(schema_type) => schema_type != SchemaType::String,
        None => {
            !schema.properties.is_empty()
                || schema.items.is_some()
                || schema.additional_properties.is_some()
                || members.iter().any(|members| !members.is_empty())
        }
    }
}

/// Whether it is XML with a structure.
pub(super) fn is_structured_xml(spec: &Spec, media_type: &str, schema: &SchemaRef) -> bool {
    let essence = essence(media_type);
    let is_xml = essence.ends_with("/xml") || essence.ends_with("+xml");
    is_xml && spec.resolve(schema).is_some_and(is_structured)
}

/// Whether the values of a schema are bytes.
pub(super) fn is_binary(schema: &Schema) -> bool {
    schema
        .format
        .as_ref()
        .is_some_and(|format| format.value == "binary")
}

/// Whether the media type is `application/json`, its parameters left aside.
pub(super) fn is_plain_json(media_type: &str) -> bool {
    essence(media_type) == "application/json"
}

/// Whether it is a media range, such as `image/*`, so that a response must name its media type.
pub(super) fn is_range(media_type: &str) -> bool {
    essence(media_type).contains('*')
}

/// The name of the variant of a media type: `Json`, `Text`, `Csv`, `Png`, ….
pub(super) fn variant_name(media_type: &str) -> String {
    let essence = essence(media_type);
    if let Some((_, name)) = VARIANTS.iter().find(|(known, _)| *known == essence) {
        return (*name).to_owned();
    }
    let (kind, subtype) = essence.split_once('/').unwrap_or(("", &essence));
    let subtype = match subtype {
        "*" | "json" | "xml" => essence.replace('*', "any").to_upper_camel_case(),
        _ => subtype.strip_prefix("x-").unwrap_or(subtype).to_owned(),
    };
    let name = names::variant_name(&subtype).filter(|name| !name.is_empty());
    name.or_else(|| names::variant_name(kind))
        .unwrap_or_else(|| "Other".to_owned())
}
