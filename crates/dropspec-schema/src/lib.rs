//! JSON pointers (RFC 6901), references within a document, and OpenAPI schemas as JSON Schema validators; samples of schemas; and
//! values as text on the wire.
//!
//! Documents are plain [`serde_json::Value`]s.

#[cfg(feature = "validator")]
mod checks;
pub mod header;
mod in_place;
mod json_schema;
pub mod media_type;
mod methods;
pub mod pointer;
mod reference;
#[cfg(feature = "validator")]
pub mod samples;
mod security;
mod stability;
pub mod tags;
#[cfg(feature = "validator")]
mod validator;
pub mod wire;

#[cfg(feature = "validator")]
pub use checks::{Check, Fault, check_all};
pub use json_schema::{
    Direction, EXCLUSIVE_BOUNDS, PartOfSchema, SchemaBounds, SchemaError, integer_range,
    to_json_schema, to_json_schema_within,
};
#[cfg(feature = "validator")]
pub use jsonschema::error::{TypeKind, ValidationErrorKind};
#[cfg(feature = "validator")]
pub use jsonschema::{ValidationError, Validator};
pub use media_type::{BodyKind, EVENT_FIELDS, Framing, ITEM_SCHEMA_KEYS, item_schema};
pub use methods::{METHODS, Method};
pub use reference::{find, pointer_of_reference, reference_of, resolve};
pub use security::SecurityScheme;
pub use stability::Stability;
#[cfg(feature = "validator")]
pub use validator::{build_validator, compile, options_for};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
