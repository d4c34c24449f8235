//! Generates Rust from an OpenAPI document: a dropshot API trait with its types, parameters and dispatch, and a
//! client. It knows nothing of what the document is about. The code is unformatted; see [`rustfmt`].

mod api;
mod bodies;
#[expect(missing_docs, reason = "public only as what is planned, for tests")]
mod client;
mod constructors;
mod document;
mod error_codes;
mod error_impls;
mod files;
mod generate;
mod implementation;
mod imports;
mod interface;
mod layout;
mod lists;
mod markdown;
#[expect(missing_docs, reason = "public only as what is planned, for tests")]
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
mod webhooks;

pub use files::{GeneratedFile, MARKER, Part, Unsupported};
pub use generate::{Generated, generate};
pub use implementation::{Frame, Implementation, implement};
pub use rustfmt::{FormatError, rustfmt, rustfmt_files};
pub use settings::{ClientKind, ClientLayer, ErrorProperties, ServerMark, Settings, Traits};

/// What is generated, with every name and type decided: for tests that write code which calls it. Paths begin at `crate`.
#[doc(hidden)]
pub mod planned {
    pub use crate::api::write_signature;
    pub use crate::bodies::is_wrapped;
    pub use crate::client::{Call, ClientPlan, Reader};
    pub use crate::model::{
        Api, BodyContent, BodyForm, ErrorType, MultipartParts, Operation, PartContent, RequestBody,
        ResponseContent, ResponseEnum, ResponseVariant, StatusSet, Success,
    };
    pub use crate::plan::plan;
    pub use crate::responses::fields;
    pub use crate::source::ident;
    pub use crate::spelling::spell;
    pub use crate::tags::group;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
