//! The generated interface, with every name and type decided. It is independent of OpenAPI, and rendering it cannot fail.

use indexmap::IndexMap;
use spec_model::{Diagnostic, SecurityScheme, Tag};

mod bodies;
mod operations;
mod parameters;
mod responses;
mod types;

pub(crate) use bodies::*;
pub(crate) use operations::*;
pub(crate) use parameters::*;
pub(crate) use responses::*;
pub(crate) use types::*;

/// The plan of all generated code for a document, with every name and type decided.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) trait_name: String,
    /// The type that implements `spec_runtime::Interface`.
    pub(crate) interface_name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<Tag>,
    pub(crate) types: Vec<NamedType>,
    pub(crate) parameters: Vec<ParameterStruct>,
    /// The operations that code is generated for, in the order of the document.
    pub(crate) operations: Vec<Operation>,
    /// The operations that are left out, which only the operation table lists.
    pub(crate) unsupported: Vec<UnsupportedOperation>,
    /// The operations that could not be read, by method and path, each with its error.
    pub(crate) unreadable: Vec<(String, Diagnostic)>,
    /// The enums of the responses of operations, in `responses.rs`.
    pub(crate) responses: Vec<ResponseEnum>,
    /// The enums of bodies that have several media types, in `bodies.rs`.
    pub(crate) body_choices: Vec<BodyChoice>,
    /// The enums of the parts of multipart bodies, in `bodies.rs`.
    pub(crate) multiparts: Vec<MultipartParts>,
    /// What is legal in the document, but lost or changed in the generated code.
    pub(crate) warnings: Vec<Diagnostic>,
    /// `components/securitySchemes`. Operations name one by its position.
    pub(crate) security_schemes: IndexMap<String, SecurityScheme>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) error_codes: Option<Vec<ErrorCode>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) name: String,
    /// Requests per minute and per day; `None` if they are agreed with each customer.
    pub(crate) limits: Option<(u64, u64)>,
}

#[derive(Debug, Clone)]
pub(crate) struct ErrorCode {
    pub(crate) name: String,
    pub(crate) variant: String,
    pub(crate) status: u16,
}

impl ErrorCode {
    /// The doc comment of the variant.
    pub(crate) fn docs(&self) -> String {
        format!("`{}`, sent with status {}.", self.name, self.status)
    }
}
