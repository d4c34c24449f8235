//! Reads an OpenAPI 3.0 document, YAML or JSON, into a tree and a typed view. Every node has a position.
//!
//! [`Document`] is the tree; [`Spec`] is the typed view, with `$ref`s followed. This crate does no I/O and checks no
//! style.

mod content;
mod diagnostic;
mod document;
mod fields;
mod json;
pub mod lifecycle;
mod named_enum;
mod node;
mod operation;
mod parameter;
mod path;
mod reader;
mod reference;
mod schema;
mod schema_reader;
mod security;
mod spec;
mod spec_reader;
mod style;
mod yaml;

pub use content::{Encoding, Example, Header, MediaType, RequestBody, Response};
pub use diagnostic::{Diagnostic, Location};
pub use document::{Document, parse_file};
pub use lifecycle::{Lifecycle, Stability};
pub use node::{Member, Node, Object, Position, Value};
pub use operation::{Method, Operation, PathItem};
pub use parameter::{Parameter, ParameterLocation};
pub use path::{PathPart, PathSegment, PathTemplate};
pub use reader::{Located, Place, UnknownField};
pub use schema::{AdditionalProperties, Discriminator, Schema, SchemaRef, SchemaType};
pub use security::{ApiKeyLocation, SecurityRequirement, SecurityScheme, SecuritySchemeKind};
pub use spec::{Components, Info, Spec, Tag};
pub use style::ParameterStyle;
