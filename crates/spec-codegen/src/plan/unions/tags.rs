//! How the variants of a union can be told apart: by strings, by the only key, by a tag, by a tag beside a content.

use std::collections::HashSet;

use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType, Value};

pub(super) fn inline<'s>(schema: &&'s SchemaRef) -> Option<&'s Schema> {
    match schema {
        SchemaRef::Ref { .. } => None,
        SchemaRef::Inline(schema) => Some(schema),
    }
}

/// Whether nothing but null fits.
pub(super) fn only_null(schema: &SchemaRef) -> bool {
    inline(&schema).is_some_and(|schema| {
        let values = schema.enumeration.as_deref().unwrap_or_default();
        !values.is_empty() && values.iter().all(|value| value.value == Value::Null)
    })
}

/// The values, if these are strings and nothing else.
pub(super) fn strings(schema: &Schema) -> Option<Vec<&str>> {
    if !matches!(schema.schema_type, None | Some(SchemaType::String)) || schema.nullable {
        return None;
    }
    schema
        .enumeration
        .as_ref()?
        .iter()
        .map(spec_model::Node::as_str)
        .collect()
}

/// The one string that fits.
pub(super) fn one_value(schema: &Schema) -> Option<&str> {
    match strings(schema)?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The only property of a closed object that requires it.
pub(super) fn single(schema: &Schema) -> Option<(&String, &SchemaRef)> {
    let closed = schema.additional_properties == Some(AdditionalProperties::Forbidden);
    let (name, content) = schema.properties.first()?;
    let only = schema.properties.len() == 1 && schema.all_of.is_empty();
    (closed && only && schema.requires(name)).then_some((name, content))
}

pub(super) fn tag_value<'s>(schema: &'s Schema, tag: &str) -> Option<&'s str> {
    let property = schema
        .properties
        .get(tag)
        .filter(|_| schema.requires(tag))?;
    one_value(inline(&property)?)
}

/// The property by whose value inline variants are told apart.
pub(super) fn tag_of(variants: &[&SchemaRef]) -> Option<String> {
    let first = inline(variants.first()?)?;
    let is_tag = |tag: &&String| {
        let mut seen = HashSet::new();
        variants.iter().all(|variant| {
            let value = inline(variant).and_then(|schema| tag_value(schema, tag));
            value.is_some_and(|value| seen.insert(value))
        })
    };
    first.properties.keys().find(is_tag).cloned()
}

/// The property that holds everything but the tag, in every variant that holds anything.
pub(super) fn content_of(variants: &[&SchemaRef], tag: &str) -> Option<String> {
    let mut content: Option<&String> = None;
    let mut count = 0;
    for variant in variants {
        let schema = inline(variant)?;
        if !schema.all_of.is_empty() {
            return None;
        }
        let mut others = schema.properties.keys().filter(|name| *name != tag);
        let Some(own) = others.next() else { continue };
        let agreed = *content.get_or_insert(own) == own;
        if others.next().is_some() || !agreed || !schema.requires(own) {
            return None;
        }
        count += 1;
    }
    // One variant with one field is no convention yet.
    content.filter(|_| count >= 2).cloned()
}

pub(super) fn kind(schema: &Schema) -> &'static str {
    match schema.schema_type {
        Some(SchemaType::Array) => "List",
        Some(SchemaType::Boolean) => "Boolean",
        Some(SchemaType::Integer) => "Integer",
        Some(SchemaType::Number) => "Number",
        Some(SchemaType::Object) => "Object",
        Some(SchemaType::String) => "Text",
        None => "Value",
    }
}
