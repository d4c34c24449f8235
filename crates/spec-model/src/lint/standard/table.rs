//! The objects of OpenAPI 3.0.3 and their fields, as the standard lists them.

use Holds::{Anything, Flag, List, Map, Number, One, SchemaOrFlag, Text, TextMap, Texts, Url};

/// An object of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lint) enum Kind {
    Document,
    Info,
    Contact,
    License,
    Server,
    ServerVariable,
    Components,
    Paths,
    PathItem,
    Operation,
    ExternalDocs,
    Parameter,
    RequestBody,
    MediaType,
    Encoding,
    Responses,
    Response,
    Callback,
    Example,
    Link,
    Header,
    Tag,
    Schema,
    Discriminator,
    Xml,
    SecurityScheme,
    OAuthFlows,
    OAuthFlow,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Anything,
    Text,
    Url,
    Flag,
    Number,
    Texts,
    TextMap,
    SchemaOrFlag,
    One(Kind),
    List(Kind),
    Map(Kind),
}

/// A field of an object.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    pub(super) required: bool,
}

const fn may(name: &'static str, holds: Holds) -> Field {
    let required = false;
    Field {
        name,
        holds,
        required,
    }
}

const fn must(name: &'static str, holds: Holds) -> Field {
    let required = true;
    Field {
        name,
        holds,
        required,
    }
}

impl Kind {
    /// How a finding calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Document => "the document",
            Kind::Info => "`info`",
            Kind::Contact => "the contact",
            Kind::License => "the license",
            Kind::Server => "the server",
            Kind::ServerVariable => "the server variable",
            Kind::Components => "`components`",
            Kind::Paths => "`paths`",
            Kind::PathItem => "the path",
            Kind::Operation => "the operation",
            Kind::ExternalDocs => "`externalDocs`",
            Kind::Parameter => "the parameter",
            Kind::RequestBody => "the request body",
            Kind::MediaType => "the media type",
            Kind::Encoding => "the encoding",
            Kind::Responses => "`responses`",
            Kind::Response => "the response",
            Kind::Callback => "the callback",
            Kind::Example => "the example",
            Kind::Link => "the link",
            Kind::Header => "the header",
            Kind::Tag => "the tag",
            Kind::Schema => "the schema",
            Kind::Discriminator => "the discriminator",
            Kind::Xml => "`xml`",
            Kind::SecurityScheme => "the security scheme",
            Kind::OAuthFlows => "`flows`",
            Kind::OAuthFlow => "the flow",
        }
    }

    /// Whether a `$ref` may stand in its place.
    pub(super) fn can_be_reference(self) -> bool {
        use Kind::{Callback, Example, Header, Link, Parameter, PathItem, RequestBody, Response};
        let kinds = [
            Callback,
            Example,
            Header,
            Link,
            Parameter,
            PathItem,
            RequestBody,
            Response,
        ];
        kinds.contains(&self) || matches!(self, Kind::Schema | Kind::SecurityScheme)
    }

    /// What stands under a key that is a name and no field.
    pub(super) fn others(self) -> Option<Kind> {
        match self {
            Kind::Paths | Kind::Callback => Some(Kind::PathItem),
            Kind::Responses => Some(Kind::Response),
            _ => None,
        }
    }

    /// Its fields.
    #[rustfmt::skip]
    pub(super) fn fields(self) -> &'static [Field] {
        match self {
            Kind::Document => &const { [
                must("openapi", Text), must("info", One(Kind::Info)), must("paths", One(Kind::Paths)),
                may("servers", List(Kind::Server)), may("components", One(Kind::Components)), may("security", Anything),
                may("tags", List(Kind::Tag)), may("externalDocs", One(Kind::ExternalDocs)),
            ] },
            Kind::Info => &const { [
                must("title", Text), must("version", Text), may("description", Text), may("termsOfService", Url),
                may("contact", One(Kind::Contact)), may("license", One(Kind::License)),
            ] },
            Kind::Contact => &const { [may("name", Text), may("url", Url), may("email", Text)] },
            Kind::License => &const { [must("name", Text), may("url", Url)] },
            Kind::Server => &const { [must("url", Text), may("description", Text), may("variables", Map(Kind::ServerVariable))] },
            Kind::ServerVariable => &const { [must("default", Text), may("enum", Texts), may("description", Text)] },
            Kind::Components => &const { [
                may("schemas", Map(Kind::Schema)), may("responses", Map(Kind::Response)), may("parameters", Map(Kind::Parameter)),
                may("examples", Map(Kind::Example)), may("requestBodies", Map(Kind::RequestBody)), may("headers", Map(Kind::Header)),
                may("securitySchemes", Map(Kind::SecurityScheme)), may("links", Map(Kind::Link)), may("callbacks", Map(Kind::Callback)),
            ] },
            Kind::Paths | Kind::Responses | Kind::Callback => &[],
            Kind::PathItem => &const { [
                may("$ref", Text), may("summary", Text), may("description", Text), may("servers", List(Kind::Server)),
                may("parameters", List(Kind::Parameter)), may("get", One(Kind::Operation)), may("put", One(Kind::Operation)),
                may("post", One(Kind::Operation)), may("delete", One(Kind::Operation)), may("options", One(Kind::Operation)),
                may("head", One(Kind::Operation)), may("patch", One(Kind::Operation)), may("trace", One(Kind::Operation)),
            ] },
            Kind::Operation => &const { [
                must("responses", One(Kind::Responses)), may("tags", Texts), may("summary", Text), may("description", Text),
                may("externalDocs", One(Kind::ExternalDocs)), may("operationId", Text), may("parameters", List(Kind::Parameter)),
                may("requestBody", One(Kind::RequestBody)), may("callbacks", Map(Kind::Callback)), may("deprecated", Flag),
                may("security", Anything), may("servers", List(Kind::Server)),
            ] },
            Kind::ExternalDocs => &const { [must("url", Url), may("description", Text)] },
            Kind::Parameter => &const { [
                must("name", Text), must("in", Text), may("description", Text), may("required", Flag), may("deprecated", Flag),
                may("allowEmptyValue", Flag), may("style", Text), may("explode", Flag), may("allowReserved", Flag),
                may("schema", One(Kind::Schema)), may("example", Anything), may("examples", Map(Kind::Example)),
                may("content", Map(Kind::MediaType)),
            ] },
            Kind::Header => &const { [
                may("description", Text), may("required", Flag), may("deprecated", Flag), may("allowEmptyValue", Flag),
                may("style", Text), may("explode", Flag), may("allowReserved", Flag), may("schema", One(Kind::Schema)),
                may("example", Anything), may("examples", Map(Kind::Example)), may("content", Map(Kind::MediaType)),
            ] },
            Kind::RequestBody => &const { [must("content", Map(Kind::MediaType)), may("description", Text), may("required", Flag)] },
            Kind::MediaType => &const { [
                may("schema", One(Kind::Schema)), may("example", Anything), may("examples", Map(Kind::Example)),
                may("encoding", Map(Kind::Encoding)),
            ] },
            Kind::Encoding => &const { [
                may("contentType", Text), may("headers", Map(Kind::Header)), may("style", Text), may("explode", Flag),
                may("allowReserved", Flag),
            ] },
            Kind::Response => &const { [
                must("description", Text), may("headers", Map(Kind::Header)), may("content", Map(Kind::MediaType)),
                may("links", Map(Kind::Link)),
            ] },
            Kind::Example => &const { [may("summary", Text), may("description", Text), may("value", Anything), may("externalValue", Url)] },
            Kind::Link => &const { [
                may("operationRef", Url), may("operationId", Text), may("parameters", Anything), may("requestBody", Anything),
                may("description", Text), may("server", One(Kind::Server)),
            ] },
            Kind::Tag => &const { [must("name", Text), may("description", Text), may("externalDocs", One(Kind::ExternalDocs))] },
            Kind::Schema => &const { [
                may("title", Text), may("multipleOf", Number), may("maximum", Number), may("exclusiveMaximum", Flag),
                may("minimum", Number), may("exclusiveMinimum", Flag), may("maxLength", Number), may("minLength", Number),
                may("pattern", Text), may("maxItems", Number), may("minItems", Number), may("uniqueItems", Flag),
                may("maxProperties", Number), may("minProperties", Number), may("required", Texts), may("enum", Anything),
                may("type", Text), may("allOf", List(Kind::Schema)), may("oneOf", List(Kind::Schema)),
                may("anyOf", List(Kind::Schema)), may("not", One(Kind::Schema)), may("items", One(Kind::Schema)),
                may("properties", Map(Kind::Schema)), may("additionalProperties", SchemaOrFlag), may("description", Text),
                may("format", Text), may("default", Anything), may("nullable", Flag), may("discriminator", One(Kind::Discriminator)),
                may("readOnly", Flag), may("writeOnly", Flag), may("xml", One(Kind::Xml)),
                may("externalDocs", One(Kind::ExternalDocs)), may("example", Anything), may("deprecated", Flag),
            ] },
            Kind::Discriminator => &const { [must("propertyName", Text), may("mapping", TextMap)] },
            Kind::Xml => &const { [
                may("name", Text), may("namespace", Url), may("prefix", Text), may("attribute", Flag), may("wrapped", Flag),
            ] },
            Kind::SecurityScheme => &const { [
                must("type", Text), may("description", Text), may("name", Text), may("in", Text), may("scheme", Text),
                may("bearerFormat", Text), may("flows", One(Kind::OAuthFlows)), may("openIdConnectUrl", Url),
            ] },
            Kind::OAuthFlows => &const { [
                may("implicit", One(Kind::OAuthFlow)), may("password", One(Kind::OAuthFlow)),
                may("clientCredentials", One(Kind::OAuthFlow)), may("authorizationCode", One(Kind::OAuthFlow)),
            ] },
            Kind::OAuthFlow => &const { [
                must("scopes", TextMap), may("authorizationUrl", Url), may("tokenUrl", Url), may("refreshUrl", Url),
            ] },
        }
    }
}
