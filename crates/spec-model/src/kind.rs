//! What the values of an OpenAPI document are, by their place. It decides where a `$ref` is a reference, into which
//! components its target is taken, and what is a schema. Keywords of OpenAPI 3.1 are common in files of schemas of 3.0, too.

use spec_schema::{METHODS, pointer};

use crate::node::{Node, Value};
use Kind::{
    Callback, Components, Discriminator, Document, Encoding, Example, Header, Link, List, Literal,
    Map, MediaType, Operation, Other, Parameter, PathItem, RequestBody, Response, Schema,
    SecurityScheme,
};

/// What a value of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The whole document.
    Document,
    /// `components`.
    Components,
    /// A path.
    PathItem,
    /// An operation.
    Operation,
    /// A parameter.
    Parameter,
    /// A request body.
    RequestBody,
    /// A response.
    Response,
    /// A header.
    Header,
    /// A media type.
    MediaType,
    /// An encoding.
    Encoding,
    /// A schema.
    Schema,
    /// An example with its summary.
    Example,
    /// A link.
    Link,
    /// A callback.
    Callback,
    /// A security scheme.
    SecurityScheme,
    /// A discriminator.
    Discriminator,
    /// An object with any keys, whose values are of this kind.
    Map(&'static Kind),
    /// An array, whose items are of this kind.
    List(&'static Kind),
    /// Data of the interface, such as an example: a `$ref` in it is not a reference.
    Literal,
    /// All else: values without references, and extensions.
    Other,
}

/// The kinds of the fields of each kind. Fields that are not listed are `Other`.
const FIELDS: &[(Kind, &str, Kind)] = &[
    (Document, "paths", Map(&PathItem)),
    (Document, "webhooks", Map(&PathItem)),
    (Document, "components", Components),
    (Components, "schemas", Map(&Schema)),
    (Components, "responses", Map(&Response)),
    (Components, "parameters", Map(&Parameter)),
    (Components, "examples", Map(&Example)),
    (Components, "requestBodies", Map(&RequestBody)),
    (Components, "headers", Map(&Header)),
    (Components, "securitySchemes", Map(&SecurityScheme)),
    (Components, "links", Map(&Link)),
    (Components, "callbacks", Map(&Callback)),
    (Components, "pathItems", Map(&PathItem)),
    (PathItem, "parameters", List(&Parameter)),
    (Operation, "parameters", List(&Parameter)),
    (Operation, "requestBody", RequestBody),
    (Operation, "responses", Map(&Response)),
    (Operation, "callbacks", Map(&Callback)),
    (Parameter, "schema", Schema),
    (Parameter, "content", Map(&MediaType)),
    (Parameter, "example", Literal),
    (Parameter, "examples", Map(&Example)),
    (RequestBody, "content", Map(&MediaType)),
    (Response, "headers", Map(&Header)),
    (Response, "content", Map(&MediaType)),
    (Response, "links", Map(&Link)),
    (MediaType, "schema", Schema),
    (MediaType, "example", Literal),
    (MediaType, "examples", Map(&Example)),
    (MediaType, "encoding", Map(&Encoding)),
    (Encoding, "headers", Map(&Header)),
    (Schema, "properties", Map(&Schema)),
    (Schema, "items", Schema),
    (Schema, "not", Schema),
    (Schema, "additionalProperties", Schema),
    (Schema, "allOf", List(&Schema)),
    (Schema, "oneOf", List(&Schema)),
    (Schema, "anyOf", List(&Schema)),
    (Schema, "discriminator", Discriminator),
    (Schema, "default", Literal),
    (Schema, "enum", Literal),
    (Schema, "example", Literal),
    // Not of OpenAPI 3.0.
    (Schema, "definitions", Map(&Schema)),
    (Schema, "$defs", Map(&Schema)),
    (Schema, "const", Literal),
    (Schema, "examples", Literal),
    (Schema, "prefixItems", List(&Schema)),
    (Schema, "contains", Schema),
    (Schema, "unevaluatedItems", Schema),
    (Schema, "patternProperties", Map(&Schema)),
    (Schema, "propertyNames", Schema),
    (Schema, "unevaluatedProperties", Schema),
    (Schema, "dependentSchemas", Map(&Schema)),
    (Schema, "if", Schema),
    (Schema, "then", Schema),
    (Schema, "else", Schema),
    (Schema, "contentSchema", Schema),
    (Example, "value", Literal),
    (Link, "parameters", Literal),
    (Link, "requestBody", Literal),
];

impl Kind {
    /// The kind of the member `key` of an object of this kind.
    pub fn of_member(self, key: &str) -> Kind {
        match self {
            Literal => Literal,
            Map(PathItem | Response) if key.starts_with("x-") => Other,
            Map(kind) => *kind,
            _ if key.starts_with("x-") => Other,
            Callback => PathItem,
            PathItem if METHODS.contains(&key) => Operation,
            // It is a parameter without a name.
            Header => Parameter.of_member(key),
            _ => {
                let mut fields = FIELDS.iter();
                let found = fields.find(|(owner, field, _)| *owner == self && *field == key);
                found.map_or(Other, |(_, _, kind)| *kind)
            }
        }
    }

    /// The kind of the items of an array of this kind.
    pub fn of_item(self) -> Kind {
        match self {
            List(kind) => *kind,
            Literal => Literal,
            _ => Other,
        }
    }

    /// The section of `components` for values of this kind; none if components of OpenAPI 3.0 cannot hold them.
    pub fn section(self) -> Option<&'static str> {
        let mut sections = FIELDS.iter().filter(|(owner, ..)| *owner == Components);
        let found =
            sections.find(|(.., kind)| *kind != Map(&PathItem) && kind.of_member("") == self);
        found.map(|(_, section, _)| *section)
    }

    /// The kind of the components in this section.
    pub fn of_section(section: &str) -> Kind {
        Components.of_member(section).of_member("")
    }

    /// Calls a function for a value of this kind and for each in it, but not for those of extensions, and not for parts of
    /// literals. Values are visited as the function leaves them. `at` is the pointer of the value.
    pub(crate) fn walk(
        self,
        node: &mut Node,
        at: &str,
        each: &mut impl FnMut(&mut Node, Kind, &str),
    ) {
        each(node, self, at);
        match &mut node.value {
            _ if self == Literal => {}
            Value::Object(members) => {
                for (key, member) in members {
                    let kind = self.of_member(key);
                    if kind != Other || !key.starts_with("x-") {
                        kind.walk(&mut member.node, &pointer::join(at, key), each);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.of_item().walk(item, &format!("{at}/{index}"), each);
                }
            }
            _ => {}
        }
    }
}
