//! Schemas as OpenAPI 3.0 defines them. References to components are not replaced by their targets.

use indexmap::IndexMap;
use serde_json::Number;
use spec_schema::pointer;

use crate::named_enum::named_enum;
use crate::node::{Node, Object};
use crate::reader::{Located, Place};

/// A schema written in place, or a reference to a schema of `components`.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaRef {
    /// A `$ref` to `#/components/schemas/{name}`; the component exists.
    Ref {
        /// Name of the component.
        name: String,
        /// The place of the value of `$ref`.
        at: Place,
    },
    /// A schema written in place, or the target of a `$ref` that is not a component.
    Inline(Box<Schema>),
}

named_enum! {
    /// A value of `type`.
    SchemaType {
        Array = "array",
        Boolean = "boolean",
        Integer = "integer",
        Number = "number",
        Object = "object",
        String = "string",
    }
}

/// A schema object. An absent keyword is `None`, `false` or empty. Most keywords that limit
/// a value are only checked: their users read the JSON of the schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    /// The place in the document.
    pub at: Place,
    /// `type`; `None` also for an invalid type in a lenient reading.
    pub schema_type: Option<SchemaType>,
    /// `format`, any text.
    pub format: Option<Located<String>>,
    /// `title`
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `nullable`
    pub nullable: bool,
    /// `enum`
    pub enumeration: Option<Vec<Node>>,
    /// `default`
    pub default: Option<Node>,
    /// `example`
    pub example: Option<Node>,
    /// `items`; `None` allows anything.
    pub items: Option<SchemaRef>,
    /// `properties`, in the order of the document.
    pub properties: IndexMap<String, SchemaRef>,
    /// `required`; not every name needs to be in `properties`.
    pub required: Vec<Located<String>>,
    /// `additionalProperties`
    pub additional_properties: Option<AdditionalProperties>,
    /// `allOf`
    pub all_of: Vec<SchemaRef>,
    /// `oneOf`
    pub one_of: Vec<SchemaRef>,
    /// `anyOf`
    pub any_of: Vec<SchemaRef>,
    /// `not`
    pub not: Option<SchemaRef>,
    /// `discriminator`
    pub discriminator: Option<Discriminator>,
    /// `minimum`
    pub minimum: Option<Number>,
    /// `maximum`
    pub maximum: Option<Number>,
    /// `readOnly`
    pub read_only: bool,
    /// `writeOnly`
    pub write_only: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `x-…`
    pub extensions: Object,
}

/// The property whose value names the schema of a union that a value is meant for.
#[derive(Debug, Clone, PartialEq)]
pub struct Discriminator {
    /// `propertyName`
    pub property: String,
    /// `mapping`: the name of a schema, or a reference to it, for each value. Other values are names of schemas.
    pub mapping: IndexMap<String, String>,
}

impl Discriminator {
    /// The values of the property that mean a component: those that `mapping` has for it, or else its name.
    pub fn values_of<'n>(&'n self, component: &'n str) -> Vec<&'n str> {
        let mapped = self.mapping.iter().filter(|(_, target)| {
            let target = target.rsplit('/').next().unwrap_or_default();
            pointer::unescape(target) == component
        });
        let mapped: Vec<&str> = mapped.map(|(value, _)| value.as_str()).collect();
        if mapped.is_empty() {
            vec![component]
        } else {
            mapped
        }
    }
}

/// The value of `additionalProperties`.
#[derive(Debug, Clone, PartialEq)]
pub enum AdditionalProperties {
    /// `true`
    Allowed,
    /// `false`
    Forbidden,
    /// They must be valid by this schema.
    Schema(SchemaRef),
}

impl SchemaRef {
    /// The place of the schema, or of the `$ref` to it.
    pub fn at(&self) -> &Place {
        match self {
            SchemaRef::Ref { at, .. } => at,
            SchemaRef::Inline(schema) => &schema.at,
        }
    }

    /// Whether both are certainly of one type: the same component, or the same type without any schema inside.
    pub(crate) fn has_type_of(&self, other: &SchemaRef) -> bool {
        let type_of = |it: &Schema| {
            let format = it.format.as_ref().map(|format| format.value.clone());
            let is_plain = it.enumeration.is_none()
                && !matches!(
                    it.schema_type,
                    None | Some(SchemaType::Array | SchemaType::Object)
                );
            is_plain.then_some((it.schema_type, format, it.nullable))
        };
        match (self, other) {
            (SchemaRef::Ref { name, .. }, SchemaRef::Ref { name: other, .. }) => name == other,
            (SchemaRef::Inline(schema), SchemaRef::Inline(other)) => {
                type_of(schema).is_some_and(|own| Some(own) == type_of(other))
            }
            _ => false,
        }
    }

    /// The name of the component, if this is a reference.
    pub fn name(&self) -> Option<&str> {
        match self {
            SchemaRef::Ref { name, .. } => Some(name),
            SchemaRef::Inline(_) => None,
        }
    }
}

impl Schema {
    /// A schema without keywords, which accepts anything.
    pub fn anything(at: Place) -> Schema {
        Schema {
            at,
            ..Schema::default()
        }
    }

    /// Whether `required` lists the property.
    pub fn requires(&self, property: &str) -> bool {
        self.required.iter().any(|name| name.value == property)
    }
}
