//! The structs of parameters and of response headers.

use dropspec_model::ParameterLocation;
pub use dropspec_schema::wire::Encoding;

use super::types::Field;

#[derive(Debug, Clone)]
pub struct ParameterStruct {
    pub name: String,
    pub kind: ParameterKind,
    pub docs: String,
    /// The operation (or the response) that declares the parameters.
    pub pointer: String,
    pub fields: Vec<ParameterField>,
}

/// A parameter or response header: its field, and how its value is written as text.
#[derive(Debug, Clone)]
pub struct ParameterField {
    pub field: Field,
    pub encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParameterKind {
    Path,
    Query,
    RequestHeader,
    Cookie,
    ResponseHeader,
}

impl ParameterKind {
    /// The argument of a method of the trait that takes the parameters.
    pub fn argument(self) -> &'static str {
        match self {
            ParameterKind::Path => "path",
            ParameterKind::Query => "query",
            ParameterKind::RequestHeader | ParameterKind::ResponseHeader => "headers",
            ParameterKind::Cookie => "cookies",
        }
    }

    /// The part of a request that contains the parameters.
    pub fn location(self) -> Option<ParameterLocation> {
        Some(match self {
            ParameterKind::Path => ParameterLocation::Path,
            ParameterKind::Query => ParameterLocation::Query,
            ParameterKind::RequestHeader => ParameterLocation::Header,
            ParameterKind::Cookie => ParameterLocation::Cookie,
            ParameterKind::ResponseHeader => return None,
        })
    }

    /// That part in the names of methods.
    pub fn location_name(self) -> &'static str {
        self.location().map_or("header", ParameterLocation::name)
    }
}
