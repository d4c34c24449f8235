//! Generates Rust from an OpenAPI document: a dropshot API trait with its types, parameters and dispatch, and a
//! client. It knows nothing of what the document is about. The code is unformatted; see [`rustfmt`].

mod api;
mod bodies;
mod client;
mod constructors;
mod document;
mod error_codes;
mod error_impls;
mod files;
mod generate;
mod imports;
mod interface;
mod layout;
mod lists;
mod markdown;
mod model;
mod names;
mod operations;
mod parameters;
mod plan;
mod progenitor;
mod responses;
mod rustfmt;
mod security;
mod settings;
mod source;
mod spelling;
mod tags;
mod text_enum;
mod type_definitions;
mod union_choice;

pub use files::{GeneratedFile, MARKER, Part, Unsupported};
pub use generate::{Generated, generate};
pub use rustfmt::{FormatError, rustfmt, rustfmt_files};
pub use settings::{ClientKind, ClientLayer, ErrorProperties, ServerMark, Settings, Traits};
