//! Reads an OpenAPI 3.0 document, YAML or JSON, into a tree and a typed view in which every element knows where it stands.
//!
//! [`Document`] is the tree with positions; [`Spec`] is the document as OpenAPI means it, `$ref`s resolved. Nothing here
//! does I/O, judges style, or knows what is made of the document afterwards.

mod content;
mod diagnostic;
mod document;
mod fields;
mod json;
pub mod lifecycle;
mod operation;
mod parameter;
mod path;
mod path_item;
mod reader;
mod reference;
mod schema;
mod schema_reader;
mod security;
mod server;
mod spec;
mod spec_reader;
mod yaml;

pub use content::{Encoding, Example, Header, MediaType, RequestBody, Response};
pub use diagnostic::{Diagnostic, Location};
pub use document::{Document, Member, Node, Object, Position, Value};
pub use lifecycle::{Lifecycle, Stability};
pub use operation::{Method, Operation};
pub use parameter::{Parameter, ParameterLocation, ParameterStyle};
pub use path::{PathPart, PathSegment, PathTemplate};
pub use path_item::PathItem;
pub use reader::{Place, Spanned, Strictness, UnknownField};
pub use schema::{AdditionalProperties, Discriminator, Schema, SchemaRef, SchemaType};
pub use security::{
    ApiKeyLocation, OAuthFlow, SecurityRequirement, SecurityScheme, SecuritySchemeKind,
};
pub use server::{Server, ServerVariable};
pub use spec::{Components, ExternalDocs, Info, Spec, Tag};
pub use spec_schema::pointer::escape as escape_token;
