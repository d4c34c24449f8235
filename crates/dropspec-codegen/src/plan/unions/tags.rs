//! Finds what distinguishes the variants of a union: strings, the only property, or a tag.

use std::collections::HashSet;

use dropspec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType, Value};

pub(in crate::plan) fn as_inline<'s>(schema: &&'s SchemaRef) -> Option<&'s Schema> {
    match schema {
        SchemaRef::Ref { .. } => None,
        SchemaRef::Inline(schema) => Some(schema),
    }
}

/// Whether null is the only valid value of the schema.
pub(in crate::plan) fn is_only_null(schema: &SchemaRef) -> bool {
    as_inline(&schema).is_some_and(|schema| {
        let values = schema.enumeration.as_deref().unwrap_or_default();
        !values.is_empty() && values.iter().all(|value| value.value == Value::Null)
    })
}

/// The only schema of a union beside null.
pub(in crate::plan) fn only_beside_null(union: &[SchemaRef]) -> Option<&SchemaRef> {
    let mut others = union.iter().filter(|schema| !is_only_null(schema));
    let only = others.next()?;
    (union.len() > 1 && others.next().is_none()).then_some(only)
}

/// The values of an enum of strings.
pub(super) fn string_values(schema: &Schema) -> Option<Vec<&str>> {
    if !matches!(schema.schema_type, None | Some(SchemaType::String)) || schema.nullable {
        return None;
    }
    schema
        .enumeration
        .as_ref()?
        .iter()
        .map(dropspec_model::Node::as_str)
        .collect()
}

/// The only string that is valid against a schema, if there is just one.
pub(super) fn single_value(schema: &Schema) -> Option<&str> {
    match string_values(schema)?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The only property of a closed object that requires it.
pub(super) fn single_property(schema: &Schema) -> Option<(&String, &SchemaRef)> {
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
    single_value(as_inline(&property)?)
}

/// Finds the property that tags a union: its value is a different fixed string in each variant.
pub(super) fn find_tag(variants: &[&SchemaRef]) -> Option<String> {
    let first = as_inline(variants.first()?)?;
    let is_tag = |tag: &&String| {
        let mut seen = HashSet::new();
        variants.iter().all(|variant| {
            let value = as_inline(variant).and_then(|schema| tag_value(schema, tag));
            value.is_some_and(|value| seen.insert(value))
        })
    };
    first.properties.keys().find(is_tag).cloned()
}

pub(super) fn kind_name(schema: &Schema) -> &'static str {
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
