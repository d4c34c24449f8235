//! Untagged unions: whether the Rust types of their variants overlap.

use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType};

use super::tags::single_value;
use crate::model::Type;
use crate::plan::all_of::includes;
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

    /// Whether serde, which takes the first variant that fits, may take a wrong one: one that loses a part of the value,
    /// or one that a discriminator, if there is one, does not name.
    pub(super) fn overlap(&self, variants: &[&SchemaRef], has_discriminator: bool) -> bool {
        let facts: Vec<Facts> = variants.iter().map(|variant| self.facts(variant)).collect();
        (0..facts.len()).any(|index| {
            let mut later = facts[index + 1..].iter();
            later.any(|later| self.may_swallow(&facts[index], later, has_discriminator))
        })
    }

    /// How few values a variant accepts: the larger, the earlier it is tried.
    pub(super) fn specificity(&self, variant: &SchemaRef) -> usize {
        match self.facts(variant) {
            Facts::Object(schema) => {
                let closed = schema.additional_properties == Some(AdditionalProperties::Forbidden);
                let fixed = schema.properties.values();
                let fixed = fixed.filter(|property| self.fixed_value(property).is_some());
                let required = self.demanded(&schema).count();
                let known = schema.properties.len();
                100 + 1000 * (usize::from(closed) + fixed.count()) + 10 * required + known
            }
            Facts::Kind(Kind::Boolean | Kind::Parsed) => 6,
            Facts::Kind(Kind::Integer) => 5,
            Facts::Kind(Kind::Number | Kind::List) => 4,
            Facts::Kind(Kind::Text) => 3,
            Facts::Unknown => 2,
            Facts::Kind(Kind::Map) => 1,
            Facts::Kind(Kind::Any) => 0,
        }
    }

    /// Whether the type of the earlier variant may accept a value that is meant for the later one, and lose a part of it;
    /// if a discriminator means it, whether it accepts the value at all.
    fn may_swallow(&self, earlier: &Facts, later: &Facts, has_discriminator: bool) -> bool {
        let (earlier, later) = match (earlier, later) {
            (Facts::Object(earlier), Facts::Object(later)) => (earlier, later),
            (Facts::Kind(earlier), Facts::Kind(later)) => return accepts(*earlier, Some(*later)),
            (Facts::Kind(earlier), Facts::Object(_)) => return accepts(*earlier, None),
            (Facts::Object(_), Facts::Kind(later)) => {
                return matches!(later, Kind::Map | Kind::Any);
            }
            (Facts::Unknown, _) | (_, Facts::Unknown) => return true,
        };
        let closed = earlier.additional_properties == Some(AdditionalProperties::Forbidden);
        let fits = self.demanded(earlier).all(|required| {
            let in_later = later.properties.get(required);
            in_later.is_some_and(|in_later| {
                let own = earlier.properties.get(required);
                let own = own.and_then(|own| self.fixed_value(own));
                own.is_none() || own == self.fixed_value(in_later)
            })
        });
        let mut common = later
            .properties
            .iter()
            .filter_map(|(name, schema)| Some((earlier.properties.get(name)?, schema)));
        let adds = !includes(&earlier.properties, &later.properties);
        let nests = common.any(|(a, b)| !self.is_same(a, b) && !self.is_scalar_schema(a));
        fits && (has_discriminator || adds && !closed || nests)
    }

    /// The properties without which the type of a schema cannot be read: the required ones, except those that are an
    /// `Option`, which serde also reads from nothing.
    fn demanded<'o>(&'o self, schema: &'o Schema) -> impl Iterator<Item = &'o str> {
        let required = schema
            .required
            .iter()
            .map(|required| required.value.as_str());
        required.filter(|name| {
            schema.properties.get(*name).is_none_or(|property| {
                let target = self.spec.resolve(property);
                let nullable = target.is_some_and(|target| self.accepts_null(target, 8));
                !nullable && !self.is_one_way(property)
            })
        })
    }

    fn is_scalar_schema(&self, schema: &SchemaRef) -> bool {
        matches!(self.facts(schema), Facts::Kind(kind) if !matches!(kind, Kind::List | Kind::Map))
    }

    fn fixed_value(&self, schema: &SchemaRef) -> Option<String> {
        let schema = self.spec.resolve(schema)?;
        single_value(schema).map(str::to_owned)
    }

    fn facts(&self, variant: &SchemaRef) -> Facts {
        let Some(schema) = self.spec.resolve(variant) else {
            return Facts::Unknown;
        };
        let flat = self.flatten(schema);
        let object = matches!(flat.schema.schema_type, None | Some(SchemaType::Object));
        match find_kind(&flat.schema) {
            _ if !flat.unions.is_empty() => Facts::Unknown,
            Some(kind) => Facts::Kind(kind),
            None if object => Facts::Object(Box::new(flat.schema)),
            None => Facts::Unknown,
        }
    }
}

/// What is known of the values of a variant.
enum Facts {
    /// An object with these properties.
    Object(Box<Schema>),
    Kind(Kind),
    Unknown,
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
