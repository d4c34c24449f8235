//! Reads an OpenAPI document, YAML or JSON, into a tree and a typed view. Every node has a position. A document of
//! OpenAPI 3.1 can be rewritten in the terms of 3.0, to be checked and compared.
//!
//! [`Document`] is the tree; [`Spec`] is the typed view, with `$ref`s followed. This crate does no I/O and checks no
//! style.

mod address;
mod content;
mod diagnostic;
mod discriminator;
mod document;
mod element;
mod fields;
mod json;
mod kind;
pub mod lifecycle;
mod mend;
mod named_enum;
mod newer;
mod node;
mod objects;
mod operation;
mod parameter;
mod path;
mod pattern;
mod reader;
mod reference;
mod schema;
mod schema_reader;
mod security;
mod severity;
mod spec;
mod spec_reader;
mod style;
mod suggestion;
mod text;
mod tree;
mod variables;
mod version;
mod yaml;

pub use address::{ExternalDocs, Server, ServerVariable};
pub use content::{Encoding, Example, Header, MediaType, RequestBody, Response};
pub use diagnostic::{Diagnostic, Location};
pub use discriminator::Discriminator;
pub use document::{Document, parse_file};
pub use dropspec_schema::Method;
pub use dropspec_schema::Stability;
pub use dropspec_schema::wire::{Location as ParameterLocation, Style as ParameterStyle};
pub use lifecycle::Lifecycle;
pub use mend::{
    ENUM_EMPTY, OPERATION_ID_UNIQUE, PATH_PARAMETER_DECLARED, PATH_PARAMETER_REQUIRED, REF_BASE,
    derive_operation_id,
};
pub use node::{Member, Node, Object, Position, Value};
pub use objects::{Field, Kind, ObjectType};
pub use operation::{Operation, PathItem};
pub use parameter::Parameter;
pub use path::{PathPart, PathSegment, PathTemplate};
pub use pattern::matches_pattern;
pub use reader::{Located, Place};
pub use schema::{AdditionalProperties, Schema, SchemaRef, SchemaType};
pub use security::{ApiKeyLocation, SecurityRequirement, SecurityScheme, SecuritySchemeKind};
pub use severity::{ChosenLevel, Level, Selected, Severity, chosen_level};
pub use spec::{Components, Info, Spec, Tag};
pub use suggestion::{Suggestions, did_you_mean, suggest};
pub use text::decode;
pub use variables::{base_url_variable, credential_variables, variable_prefix};
pub use version::check_version;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
