//! Schemas as OpenAPI 3.0 defines them, every keyword typed. References to components stay references.

use indexmap::IndexMap;
use serde_json::Number;

use crate::document::{Node, Object};
use crate::reader::{Place, Spanned, UnknownField};
use crate::spec::ExternalDocs;

/// A schema, or the name of one.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaRef {
    /// A `$ref` to `#/components/schemas/{name}`; the component is known to exist.
    Ref {
        /// The component's name.
        name: String,
        /// Where the value of `$ref` stands.
        at: Place,
        /// What stands beside the `$ref`, which has no meaning in OpenAPI 3.0.
        ignored: Vec<UnknownField>,
    },
    /// A schema written in place, or one that a `$ref` into the middle of another element leads to.
    Inline(Box<Schema>),
}

/// The value of `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SchemaType {
    /// `array`
    Array,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `object`
    Object,
    /// `string`
    String,
}

/// A schema object. An absent keyword is `None`, `false` or empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Where the schema stands.
    pub at: Place,
    /// `type`; what is none of the six (a list, `long`) is a mistake, and after a lenient reading stands only in the tree.
    pub schema_type: Option<SchemaType>,
    /// `format`, any text.
    pub format: Option<Spanned<String>>,
    /// `title`
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `nullable`
    pub nullable: bool,
    /// `enum`, in its order.
    pub enumeration: Option<Vec<Node>>,
    /// `default`
    pub default: Option<Node>,
    /// `example`
    pub example: Option<Node>,
    /// `multipleOf`
    pub multiple_of: Option<Number>,
    /// `minimum`
    pub minimum: Option<Number>,
    /// `exclusiveMinimum`: `minimum` itself is not allowed.
    pub exclusive_minimum: bool,
    /// `maximum`
    pub maximum: Option<Number>,
    /// `exclusiveMaximum`: `maximum` itself is not allowed.
    pub exclusive_maximum: bool,
    /// `minLength`, in characters.
    pub min_length: Option<u64>,
    /// `maxLength`, in characters.
    pub max_length: Option<u64>,
    /// `pattern`, an ECMA 262 regular expression, not checked.
    pub pattern: Option<Spanned<String>>,
    /// `items`; absent from an array, they may be anything.
    pub items: Option<SchemaRef>,
    /// `minItems`
    pub min_items: Option<u64>,
    /// `maxItems`
    pub max_items: Option<u64>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `properties`, in their order.
    pub properties: IndexMap<String, SchemaRef>,
    /// `required`; a name may have no entry in `properties`.
    pub required: Vec<Spanned<String>>,
    /// `additionalProperties`
    pub additional_properties: Option<AdditionalProperties>,
    /// `minProperties`
    pub min_properties: Option<u64>,
    /// `maxProperties`
    pub max_properties: Option<u64>,
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
    /// `readOnly`
    pub read_only: bool,
    /// `writeOnly`
    pub write_only: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `xml`, as it stands.
    pub xml: Option<Node>,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocs>,
    /// `x-…`
    pub extensions: Object,
    /// Keywords that OpenAPI 3.0 does not define.
    pub unknown: Vec<UnknownField>,
}

/// The value of `additionalProperties`.
#[derive(Debug, Clone, PartialEq)]
pub enum AdditionalProperties {
    /// `true`
    Allowed,
    /// `false`
    Forbidden,
    /// What each of them must be.
    Schema(SchemaRef),
}

/// How a value tells which schema of `oneOf` or `anyOf` it follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Discriminator {
    /// Where it stands.
    pub at: Place,
    /// The property that tells.
    pub property_name: String,
    /// Values with the component name or `$ref` that each stands for, as written.
    pub mapping: IndexMap<String, Spanned<String>>,
    /// `x-…`
    pub extensions: Object,
}

impl SchemaRef {
    /// Where the schema stands, or the `$ref` to it.
    pub fn at(&self) -> &Place {
        match self {
            SchemaRef::Ref { at, .. } => at,
            SchemaRef::Inline(schema) => &schema.at,
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
    /// Whether `required` lists the property.
    pub fn requires(&self, property: &str) -> bool {
        self.required.iter().any(|name| name.value == property)
    }
}

impl SchemaType {
    /// As written in a document.
    pub fn as_str(self) -> &'static str {
        match self {
            SchemaType::Array => "array",
            SchemaType::Boolean => "boolean",
            SchemaType::Integer => "integer",
            SchemaType::Number => "number",
            SchemaType::Object => "object",
            SchemaType::String => "string",
        }
    }
}

impl std::fmt::Display for SchemaType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
