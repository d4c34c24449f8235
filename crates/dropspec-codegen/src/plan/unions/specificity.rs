//! Untagged unions: how few values each variant accepts.

use dropspec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType};

use super::tags::single_value;
use crate::model::Type;
use crate::plan::scalars;
use crate::plan::types::Types;

/// The kind of JSON values that a schema without properties accepts, the most general one first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Map,
    /// Several kinds.
    Union,
    /// Any string; patterns are not looked at.
    Text,
    List,
    Number,
    Integer,
    Boolean,
    /// A string of a type that does not accept all strings, such as a UUID.
    Parsed,
}

impl Types<'_> {
    /// The common Rust type of all variants of a union, if they are the same scalar. Their patterns are checked against
    /// the document's schema, but cannot tell Rust types apart.
    pub(super) fn find_common_scalar(&self, variants: &[&SchemaRef]) -> Option<Type> {
        let mut plain: Option<Type> = None;
        for variant in variants {
            let flat = self.flatten(self.spec.resolve(variant)?);
            let schema = &flat.schema;
            if !flat.unions.is_empty()
                || self.accepts_null(self.spec.resolve(variant)?, 8)
                || find_kind(schema)? == Kind::Parsed
            {
                return None;
            }
            let ty = match schema.schema_type? {
                SchemaType::Array | SchemaType::Object => return None,
                scalar => scalars::scalar(scalar, schema),
            };
            if plain.get_or_insert_with(|| ty.clone()) != &ty {
                return None;
            }
        }
        plain
    }

    /// How few values a variant accepts: the larger, the earlier it is tried.
    pub(super) fn specificity(&self, variant: &SchemaRef) -> usize {
        let Some(schema) = self.spec.resolve(variant) else {
            return Kind::Union as usize;
        };
        let flat = self.flatten(schema);
        let schema = &flat.schema;
        match find_kind(schema) {
            _ if !flat.unions.is_empty() => Kind::Union as usize,
            Some(kind) => kind as usize,
            None => {
                let closed = schema.additional_properties == Some(AdditionalProperties::Forbidden);
                let is_fixed = |property: &&SchemaRef| {
                    let property = self.spec.resolve(property);
                    property.and_then(single_value).is_some()
                };
                let fixed = schema.properties.values().filter(is_fixed).count();
                let (required, known) = (schema.required.len(), schema.properties.len());
                100 + 1000 * (usize::from(closed) + fixed) + 10 * required + known
            }
        }
    }
}

/// The kind of a schema without compositions; `None` for objects, whose properties decide.
fn find_kind(schema: &Schema) -> Option<Kind> {
    if !schema.properties.is_empty() {
        return None;
    }
    Some(match schema.schema_type {
        None if schema.enumeration.is_some() => Kind::Parsed,
        None => Kind::Any,
        Some(SchemaType::Boolean) => Kind::Boolean,
        Some(SchemaType::Integer) => Kind::Integer,
        Some(SchemaType::Number) => Kind::Number,
        Some(SchemaType::Array) => Kind::List,
        Some(SchemaType::Object) => {
            if schema.additional_properties == Some(AdditionalProperties::Forbidden) {
                return None;
            }
            Kind::Map
        }
        Some(SchemaType::String) => {
            let plain = scalars::scalar(SchemaType::String, schema) == Type::String;
            if plain && schema.enumeration.is_none() {
                Kind::Text
            } else {
                Kind::Parsed
            }
        }
    })
}
