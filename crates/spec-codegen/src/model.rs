//! The generated interface, with every name and type decided. It is independent of OpenAPI, and rendering it cannot fail.

use indexmap::IndexMap;
use spec_model::{Diagnostic, SecurityScheme, Tag};

use crate::generate::Unsupported;

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
    /// All operations that could be read, in the order of the document.
    pub(crate) operations: Vec<Operation>,
    /// The operations that could not be read.
    pub(crate) unreadable: Vec<Unsupported>,
    /// What is legal in the document, but lost or changed in the generated code.
    pub(crate) warnings: Vec<Diagnostic>,
    /// `components/securitySchemes`. Operations name one by its position.
    pub(crate) security_schemes: IndexMap<String, SecurityScheme>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) error_codes: Option<Vec<ErrorCode>>,
}

impl Api {
    /// The operations that code is generated for; the others are only in the operation table.
    pub(crate) fn generated(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(|of| of.is_generated())
    }

    /// The enums of the responses of operations, in `responses.rs`.
    pub(crate) fn responses(&self) -> impl Iterator<Item = &ResponseEnum> {
        self.generated().flat_map(|operation| {
            let success = match &operation.success {
                Success::Responses(of) => Some(of),
                _ => None,
            };
            let error = match &operation.error {
                ErrorType::Responses(of) => Some(of),
                _ => None,
            };
            success.into_iter().chain(error)
        })
    }

    /// Whether a body has several media types, or parts that the document names.
    pub(crate) fn has_bodies(&self) -> bool {
        let mut bodies = self
            .generated()
            .filter_map(|operation| operation.body.as_ref());
        bodies.any(|body| body.choice.is_some() || body.multiparts().next().is_some())
    }
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
