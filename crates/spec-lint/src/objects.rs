//! The objects of OpenAPI 3.0.3 and their fields.

use FieldType::{
    Any, Boolean, List, Map, Number, Object, SchemaOrBoolean, String, StringMap, Strings, Types,
    Url,
};
use ObjectType::{
    Callback, Components, Contact, Discriminator, Encoding, Example, ExternalDocs, Header, Info,
    License, Link, MediaType, OAuthFlow, OAuthFlows, Operation, Parameter, PathItem, Paths,
    RequestBody, Response, Responses, Schema, SecurityScheme, Server, ServerVariable, Tag, Xml,
};
use serde::Deserialize;

/// The type that OpenAPI requires of the value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldType {
    Any,
    String,
    Url,
    Boolean,
    Number,
    Strings,
    /// A text or a list of texts.
    Types,
    StringMap,
    SchemaOrBoolean,
    Object(ObjectType),
    List(ObjectType),
    Map(ObjectType),
}

/// A field that OpenAPI defines for an object: its name, its type, and whether it is required.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) value: FieldType,
    pub(crate) required: bool,
}

/// Defines [`ObjectType`]: each type with its name in findings, and its required and optional fields.
macro_rules! object_types {
    ($($object:ident $name:literal
        required { $($required:literal: $required_type:expr),* $(,)? }
        optional { $($optional:literal: $optional_type:expr),* $(,)? }
    )*) => {
        /// A type of object that OpenAPI 3.0 defines, such as a response.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum ObjectType {
            $(#[doc = $name] $object,)*
        }

        impl ObjectType {
            /// The name of this type of object in findings.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(ObjectType::$object => $name,)*
                }
            }

            /// The fields that OpenAPI defines for this type of object, without those whose names are free.
            pub(crate) fn fields(self) -> &'static [Field] {
                match self {
                    $(ObjectType::$object => &[
                        $(Field { name: $required, value: $required_type, required: true },)*
                        $(Field { name: $optional, value: $optional_type, required: false },)*
                    ],)*
                }
            }
        }
    };
}

object_types! {
    Document "the document"
    required { "openapi": String, "info": Object(Info), "paths": Object(Paths) }
    optional {
        "servers": List(Server), "components": Object(Components), "security": Any, "tags": List(Tag),
        "externalDocs": Object(ExternalDocs),
    }

    Info "`info`"
    required { "title": String, "version": String }
    optional {
        "description": String, "termsOfService": Url, "contact": Object(Contact), "license": Object(License),
    }

    Contact "the contact"
    required {}
    optional { "name": String, "url": Url, "email": String }

    License "the license"
    required { "name": String }
    optional { "url": Url }

    Server "the server"
    required { "url": String }
    optional { "description": String, "variables": Map(ServerVariable) }

    ServerVariable "the server variable"
    required { "default": String }
    optional { "enum": Strings, "description": String }

    Components "`components`"
    required {}
    optional {
        "schemas": Map(Schema), "responses": Map(Response), "parameters": Map(Parameter), "examples": Map(Example),
        "requestBodies": Map(RequestBody), "headers": Map(Header), "securitySchemes": Map(SecurityScheme),
        "links": Map(Link), "callbacks": Map(Callback),
    }

    Paths "`paths`" required {} optional {}

    PathItem "the path"
    required {}
    optional {
        "$ref": String, "summary": String, "description": String, "servers": List(Server),
        "parameters": List(Parameter), "get": Object(Operation), "put": Object(Operation), "post": Object(Operation),
        "delete": Object(Operation), "options": Object(Operation), "head": Object(Operation),
        "patch": Object(Operation), "trace": Object(Operation),
    }

    Operation "the operation"
    required { "responses": Object(Responses) }
    optional {
        "tags": Strings, "summary": String, "description": String, "externalDocs": Object(ExternalDocs),
        "operationId": String, "parameters": List(Parameter), "requestBody": Object(RequestBody),
        "callbacks": Map(Callback), "deprecated": Boolean, "security": Any, "servers": List(Server),
    }

    ExternalDocs "`externalDocs`"
    required { "url": Url }
    optional { "description": String }

    Parameter "the parameter"
    required { "name": String, "in": String }
    optional {
        "description": String, "required": Boolean, "deprecated": Boolean, "allowEmptyValue": Boolean,
        "style": String, "explode": Boolean, "allowReserved": Boolean, "schema": Object(Schema), "example": Any,
        "examples": Map(Example), "content": Map(MediaType),
    }

    RequestBody "the request body"
    required { "content": Map(MediaType) }
    optional { "description": String, "required": Boolean }

    MediaType "the media type"
    required {}
    optional {
        "schema": Object(Schema), "example": Any, "examples": Map(Example), "encoding": Map(Encoding),
    }

    Encoding "the encoding"
    required {}
    optional {
        "contentType": String, "headers": Map(Header), "style": String, "explode": Boolean, "allowReserved": Boolean,
    }

    Responses "`responses`" required {} optional {}

    Response "the response"
    required { "description": String }
    optional { "headers": Map(Header), "content": Map(MediaType), "links": Map(Link) }

    Callback "the callback" required {} optional {}

    Example "the example"
    required {}
    optional { "summary": String, "description": String, "value": Any, "externalValue": Url }

    Link "the link"
    required {}
    optional {
        "operationRef": Url, "operationId": String, "parameters": Any, "requestBody": Any, "description": String,
        "server": Object(Server),
    }

    Header "the header"
    required {}
    optional {
        "description": String, "required": Boolean, "deprecated": Boolean, "allowEmptyValue": Boolean,
        "style": String, "explode": Boolean, "allowReserved": Boolean, "schema": Object(Schema), "example": Any,
        "examples": Map(Example), "content": Map(MediaType),
    }

    Tag "the tag"
    required { "name": String }
    optional { "description": String, "externalDocs": Object(ExternalDocs) }

    Schema "the schema"
    required {}
    optional {
        "title": String, "multipleOf": Number, "maximum": Number, "exclusiveMaximum": Boolean, "minimum": Number,
        "exclusiveMinimum": Boolean, "maxLength": Number, "minLength": Number, "pattern": String,
        "maxItems": Number, "minItems": Number, "uniqueItems": Boolean, "maxProperties": Number,
        "minProperties": Number, "required": Strings, "enum": Any, "type": String, "allOf": List(Schema),
        "oneOf": List(Schema), "anyOf": List(Schema), "not": Object(Schema), "items": Object(Schema),
        "properties": Map(Schema), "additionalProperties": SchemaOrBoolean, "description": String,
        "format": String, "default": Any, "nullable": Boolean, "discriminator": Object(Discriminator),
        "readOnly": Boolean, "writeOnly": Boolean, "xml": Object(Xml), "externalDocs": Object(ExternalDocs),
        "example": Any, "deprecated": Boolean,
    }

    Discriminator "the discriminator"
    required { "propertyName": String }
    optional { "mapping": StringMap }

    Xml "`xml`"
    required {}
    optional { "name": String, "namespace": Url, "prefix": String, "attribute": Boolean, "wrapped": Boolean }

    SecurityScheme "the security scheme"
    required { "type": String }
    optional {
        "description": String, "name": String, "in": String, "scheme": String, "bearerFormat": String,
        "flows": Object(OAuthFlows), "openIdConnectUrl": Url,
    }

    OAuthFlows "`flows`"
    required {}
    optional {
        "implicit": Object(OAuthFlow), "password": Object(OAuthFlow), "clientCredentials": Object(OAuthFlow),
        "authorizationCode": Object(OAuthFlow),
    }

    OAuthFlow "the flow"
    required { "scopes": StringMap }
    optional { "authorizationUrl": Url, "tokenUrl": Url, "refreshUrl": Url }
}

impl ObjectType {
    /// Whether a `$ref` may replace an object of this type.
    pub(crate) fn can_be_reference(self) -> bool {
        matches!(
            self,
            Callback
                | Example
                | Header
                | Link
                | Parameter
                | PathItem
                | RequestBody
                | Response
                | Schema
                | SecurityScheme
        )
    }

    /// The type of entries with free keys: paths, statuses, callback expressions. `None` if this type has none.
    pub(crate) fn entry_type(self) -> Option<ObjectType> {
        match self {
            Paths | Callback => Some(PathItem),
            Responses => Some(Response),
            _ => None,
        }
    }
}

impl FieldType {
    /// The name of the expected value in findings, such as `a string`.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Any => "a value",
            String => "a string",
            Url => "a URL",
            Boolean => "a boolean",
            Number => "a number",
            Strings => "a list of strings",
            Types => "a string or a list of strings",
            StringMap => "an object of strings",
            List(_) => "a list",
            SchemaOrBoolean | Object(_) | Map(_) => "an object",
        }
    }
}
