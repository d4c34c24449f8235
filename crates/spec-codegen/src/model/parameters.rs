//! The structs of parameters and of response headers.

use spec_model::{ParameterLocation, ParameterStyle};

use super::types::Field;

#[derive(Debug, Clone)]
pub(crate) struct ParameterStruct {
    pub(crate) name: String,
    pub(crate) kind: ParameterKind,
    pub(crate) docs: String,
    /// The operation (or the response) that declares the parameters.
    pub(crate) pointer: String,
    pub(crate) fields: Vec<ParameterField>,
}

/// A parameter or response header: its field, and how its value is written as text.
#[derive(Debug, Clone)]
pub(crate) struct ParameterField {
    pub(crate) field: Field,
    pub(crate) encoding: Encoding,
}

/// How the value of a parameter is written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    Style {
        style: ParameterStyle,
        explode: bool,
        allow_reserved: bool,
    },
    /// The parameter has `content`: it is JSON text.
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ParameterKind {
    Path,
    Query,
    RequestHeader,
    Cookie,
    ResponseHeader,
}

impl ParameterKind {
    /// The argument of a method of the trait that takes the parameters.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            ParameterKind::Path => "path",
            ParameterKind::Query => "query",
            ParameterKind::RequestHeader | ParameterKind::ResponseHeader => "headers",
            ParameterKind::Cookie => "cookies",
        }
    }

    /// The part of a request that contains the parameters.
    pub(crate) fn location(self) -> Option<ParameterLocation> {
        Some(match self {
            ParameterKind::Path => ParameterLocation::Path,
            ParameterKind::Query => ParameterLocation::Query,
            ParameterKind::RequestHeader => ParameterLocation::Header,
            ParameterKind::Cookie => ParameterLocation::Cookie,
            ParameterKind::ResponseHeader => return None,
        })
    }

    /// That part in the names of methods.
    pub(crate) fn location_name(self) -> &'static str {
        self.location().map_or("header", ParameterLocation::as_str)
    }
}
