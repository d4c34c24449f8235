//! The fields and types that OpenAPI 3.1 and 3.2 add to 3.0 or change.

use FieldType::{Any, List, Map, Number, Object, String, Types, Url};
use spec_model::Node;

use super::Element;
use crate::linter::Linter;
use crate::objects::{Field, FieldType, ObjectType};
use crate::rules::rule;

/// The types of JSON Schema 2020-12.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// The fields of OpenAPI 3.1 that 3.0 does not have, or that have another type there.
#[rustfmt::skip]
const FIELDS: &[(ObjectType, &str, FieldType)] = &[
    (ObjectType::Document, "webhooks", Map(ObjectType::PathItem)),
    (ObjectType::Document, "jsonSchemaDialect", Url),
    (ObjectType::Document, "paths", Object(ObjectType::Paths)),
    (ObjectType::Operation, "responses", Object(ObjectType::Responses)),
    (ObjectType::Info, "summary", String),
    (ObjectType::License, "identifier", String),
    (ObjectType::Components, "pathItems", Map(ObjectType::PathItem)),
    (ObjectType::Schema, "type", Types),
    (ObjectType::Schema, "const", Any),
    (ObjectType::Schema, "examples", Any),
    (ObjectType::Schema, "exclusiveMaximum", Number),
    (ObjectType::Schema, "exclusiveMinimum", Number),
    (ObjectType::Schema, "prefixItems", List(ObjectType::Schema)),
    (ObjectType::Schema, "contains", Object(ObjectType::Schema)),
    (ObjectType::Schema, "minContains", Number),
    (ObjectType::Schema, "maxContains", Number),
    (ObjectType::Schema, "unevaluatedItems", Object(ObjectType::Schema)),
    (ObjectType::Schema, "patternProperties", Map(ObjectType::Schema)),
    (ObjectType::Schema, "propertyNames", Object(ObjectType::Schema)),
    (ObjectType::Schema, "unevaluatedProperties", Object(ObjectType::Schema)),
    (ObjectType::Schema, "dependentSchemas", Map(ObjectType::Schema)),
    (ObjectType::Schema, "dependentRequired", Any),
    (ObjectType::Schema, "if", Object(ObjectType::Schema)),
    (ObjectType::Schema, "then", Object(ObjectType::Schema)),
    (ObjectType::Schema, "else", Object(ObjectType::Schema)),
    (ObjectType::Schema, "contentEncoding", String),
    (ObjectType::Schema, "contentMediaType", String),
    (ObjectType::Schema, "contentSchema", Object(ObjectType::Schema)),
    (ObjectType::Schema, "$defs", Map(ObjectType::Schema)),
    (ObjectType::Schema, "$ref", String),
    (ObjectType::Schema, "$dynamicRef", String),
    (ObjectType::Schema, "$anchor", String),
    (ObjectType::Schema, "$dynamicAnchor", String),
    (ObjectType::Schema, "$id", String),
    (ObjectType::Schema, "$schema", Url),
    (ObjectType::Schema, "$comment", String),
    (ObjectType::Schema, "$vocabulary", Any),
];

/// The fields that OpenAPI 3.2 adds.
#[rustfmt::skip]
const FIELDS_OF_3_2: &[(ObjectType, &str, FieldType)] = &[
    (ObjectType::Document, "$self", Url),
    (ObjectType::Components, "mediaTypes", Map(ObjectType::MediaType)),
    (ObjectType::Server, "name", String),
    (ObjectType::PathItem, "query", Object(ObjectType::Operation)),
    (ObjectType::PathItem, "additionalOperations", Map(ObjectType::Operation)),
    (ObjectType::Response, "summary", String),
    (ObjectType::Response, "description", String),
    (ObjectType::MediaType, "itemSchema", Object(ObjectType::Schema)),
    (ObjectType::MediaType, "prefixEncoding", List(ObjectType::Encoding)),
    (ObjectType::MediaType, "itemEncoding", Object(ObjectType::Encoding)),
    (ObjectType::Encoding, "encoding", Map(ObjectType::Encoding)),
    (ObjectType::Encoding, "prefixEncoding", List(ObjectType::Encoding)),
    (ObjectType::Encoding, "itemEncoding", Object(ObjectType::Encoding)),
    (ObjectType::Example, "dataValue", Any),
    (ObjectType::Example, "serializedValue", String),
    (ObjectType::Tag, "summary", String),
    (ObjectType::Tag, "parent", String),
    (ObjectType::Tag, "kind", String),
    (ObjectType::Discriminator, "defaultMapping", String),
    (ObjectType::Xml, "nodeType", String),
    (ObjectType::SecurityScheme, "oauth2MetadataUrl", Url),
    (ObjectType::SecurityScheme, "deprecated", FieldType::Boolean),
    (ObjectType::OAuthFlows, "deviceAuthorization", Object(ObjectType::OAuthFlow)),
    (ObjectType::OAuthFlow, "deviceAuthorizationUrl", Url),
];

impl ObjectType {
    /// The fields in OpenAPI 3.0, 3.1 or 3.2.
    pub(super) fn fields_of(self, minor_version: u8) -> Vec<Field> {
        let newer = minor_version > 0;
        let own = FIELDS.iter().filter(|_| newer);
        let own = own.chain(FIELDS_OF_3_2.iter().filter(|_| minor_version > 1));
        let own = own.filter(|(owner, ..)| *owner == self);
        let mut fields: Vec<Field> = own
            .map(|(_, name, value)| Field {
                name,
                value: *value,
                required: false,
            })
            .collect();
        let replaced: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let dropped = |name: &str| newer && self == ObjectType::Schema && name == "nullable";
        let others = self.fields().iter();
        let others = others.filter(|it| !replaced.contains(&it.name) && !dropped(it.name));
        fields.extend(others.copied());
        fields
    }
}

impl Linter<'_> {
    /// Checks the names in `type`.
    pub(super) fn check_types(&mut self, element: Element<'_>) {
        let at = element.locate_member("type");
        let types = element.get("type");
        let list = types.and_then(Node::as_array);
        let names = types.into_iter().chain(list.into_iter().flatten());
        for name in names.filter_map(Node::as_str) {
            if !TYPES.contains(&name) {
                let message = format!("`{name}` is not a type");
                let help = format!("write one of {}", TYPES.join(", "));
                self.report(rule!("unknown-type"), &at, message, help);
            }
        }
        if list.is_some_and(|list| list.is_empty()) {
            let help = "name a type, or remove it";
            self.report(rule!("type-empty"), &at, "`type` is empty", help);
        }
    }

    /// Checks that a document of OpenAPI 3.1 describes something.
    pub(super) fn check_sections(&mut self, element: Element<'_>) {
        let sections = ["paths", "webhooks", "components"];
        if sections
            .iter()
            .all(|section| element.get(section).is_none())
        {
            let message = "the document has neither `paths` nor `webhooks` nor `components`";
            let help = "add one of them: OpenAPI requires it";
            self.report(rule!("nothing-described"), element.at, message, help);
        }
    }
}
