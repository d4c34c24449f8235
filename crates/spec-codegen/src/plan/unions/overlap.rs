//! Untagged unions: whether the Rust types of their variants overlap.

use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType};

use super::tags::single_value;
use crate::model::Type;
use crate::plan::scalars;
use crate::plan::types::Types;

/// The kind of JSON values that serde accepts for a variant of an untagged union.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Integer,
    Number,
    /// Any string; patterns are not looked at.
    Text,
    /// A string of a type that does not accept all strings, such as a UUID.
    Parsed,
    List,
    Map,
    Any,
}

impl Types<'_> {
    /// The common Rust type of all variants of a union, if they are the same scalar. Their patterns are checked against
    /// the document's schema, but cannot tell Rust types apart.
    pub(super) fn find_common_scalar(&self, variants: &[&SchemaRef]) -> Option<Type> {
        let mut plain: Option<Type> = None;
        for variant in variants {
            let schema = self.resolve_variant(variant)?;
            if schema.nullable || find_kind(schema)? == Kind::Parsed {
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

    /// Reports an untagged union in which an earlier variant accepts values of a later one: serde takes the first
    /// variant that fits.
    pub(super) fn check_overlap(&self, schema: &Schema, variants: &[&SchemaRef]) {
        let objects: Vec<&Schema> = variants
            .iter()
            .filter_map(|variant| self.resolve_variant(variant))
            .filter(|schema| !schema.properties.is_empty())
            .collect();
        let kinds: Vec<Option<Kind>> = variants
            .iter()
            .map(|variant| self.resolve_variant(variant).and_then(find_kind))
            .collect();
        let kinds_overlap = (0..kinds.len()).any(|index| {
            let later = &kinds[index + 1..];
            kinds[index].is_some_and(|earlier| later.iter().any(|later| accepts(earlier, *later)))
        });
        let objects_overlap = objects.iter().enumerate().any(|(index, earlier)| {
            let closed = earlier.additional_properties == Some(AdditionalProperties::Forbidden);
            let swallows = |later: &&Schema| {
                let fits = earlier.required.iter().all(|required| {
                    let in_later = later.properties.get(&required.value);
                    in_later.is_some_and(|in_later| {
                        let value = |schema| self.spec.resolve(schema).and_then(single_value);
                        let own = earlier.properties.get(&required.value).and_then(value);
                        own.is_none() || own == value(in_later)
                    })
                });
                fits && later
                    .properties
                    .keys()
                    .any(|p| !earlier.properties.contains_key(p))
            };
            !closed && objects[index + 1..].iter().any(swallows)
        });
        if kinds_overlap || objects_overlap {
            self.problems.report(
                &schema.at,
                "the variants of this union overlap: an earlier one also accepts values of a later one",
                "give each a required property with one value of its own, or close the earlier ones with `additionalProperties: false`",
            );
        }
    }

    /// The schema of a variant: follows references and an `allOf` of one schema.
    fn resolve_variant<'t>(&'t self, variant: &'t SchemaRef) -> Option<&'t Schema> {
        let mut schema = self.spec.resolve(variant)?;
        // The bound only guards against an `allOf` that leads back to itself.
        for _ in 0..32 {
            match schema.all_of.as_slice() {
                [only] if schema.properties.is_empty() => schema = self.spec.resolve(only)?,
                _ => break,
            }
        }
        Some(schema)
    }
}

/// The kind of a schema; `None` for objects, whose properties decide, and for unions in unions.
fn find_kind(schema: &Schema) -> Option<Kind> {
    let composed = [&schema.all_of, &schema.one_of, &schema.any_of];
    if composed.iter().any(|schemas| !schemas.is_empty()) || !schema.properties.is_empty() {
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

/// Whether values of the `later` variant also fit the `earlier` one.
fn accepts(earlier: Kind, later: Option<Kind>) -> bool {
    matches!(
        (earlier, later),
        (Kind::Any, _)
            | (Kind::Map, None)
            | (Kind::Text, Some(Kind::Text | Kind::Parsed))
            | (Kind::Number, Some(Kind::Integer | Kind::Number))
            | (Kind::Integer, Some(Kind::Integer))
            | (Kind::Boolean, Some(Kind::Boolean))
            | (Kind::List, Some(Kind::List))
            | (Kind::Map, Some(Kind::Map))
    )
}
